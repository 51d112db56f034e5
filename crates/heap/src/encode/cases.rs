//! Values that depend on choices: every value that is possible, with when it is. Runs begin in known states and choices are
//! finite, so the possible values are few, and all constraints are propositional.

use super::guard::Guard;
use crate::state::Value;

/// Possible values. Their guards exclude each other; where none holds, the run has a fault, which is excluded elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Cases(Vec<(Value, Guard)>);

impl Cases {
    /// Only this value.
    pub(super) fn known(value: Value) -> Self {
        Self(vec![(value, Guard::Always)])
    }

    /// No value: the run has a fault.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// The possible values.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Value, Guard)> {
        self.0.iter()
    }

    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// One more case.
    pub(super) fn add(&mut self, value: Value, guard: &Guard) {
        if guard.is_never() {
            return;
        }
        match self.0.iter_mut().find(|(held, _)| *held == value) {
            Some((_, when)) => *when = when.or(guard),
            None => self.0.push((value, guard.clone())),
        }
    }

    /// All cases of another one, if something holds.
    pub(super) fn add_all(&mut self, cases: &Self, guard: &Guard) {
        for (value, when) in &cases.0 {
            self.add(*value, &when.and(guard));
        }
    }

    /// One if something holds, and else the other.
    pub(super) fn choose(guard: &Guard, then: &Self, otherwise: &Self) -> Self {
        if guard.is_always() {
            return then.clone();
        }
        if guard.is_never() {
            return otherwise.clone();
        }
        let mut chosen = Self::none();
        for (value, when) in &then.0 {
            match otherwise.0.iter().find(|(other, _)| other == value) {
                Some((_, other)) if when.is_always() && other.is_always() => {
                    chosen.add(*value, &Guard::Always);
                }
                _ => chosen.add(*value, &when.and(guard)),
            }
        }
        let not = guard.not();
        for (value, when) in &otherwise.0 {
            chosen.add(*value, &when.and(&not));
        }
        chosen
    }

    /// When it is this value.
    pub(super) fn is(&self, value: Value) -> Guard {
        self.0
            .iter()
            .find(|(held, _)| *held == value)
            .map_or(Guard::Never, |(_, when)| when.clone())
    }
}
