//! The names visible at a program point, and which of them are definitely assigned there. The compiler cannot tell: it
//! accepts reads of uninitialized variables.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{DeclaredType, Name};

/// The number of a declaration in its function.
type Variable = usize;

/// The variables assigned on every path to a program point; `None` if the point is unreachable.
pub type Assigned = Option<BTreeSet<Variable>>;

/// The declarations visible at a program point.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    names: Vec<Name>,
    /// The number of visible names at the start of each open scope.
    opened: Vec<usize>,
    /// The declaration of each name.
    numbers: Vec<Variable>,
    next: Variable,
    assigned: BTreeSet<Variable>,
    /// The variables assigned on some path so far.
    touched: BTreeSet<Variable>,
    is_unreachable: bool,
}

impl Scopes {
    pub fn push(&mut self) {
        self.opened.push(self.names.len());
    }

    pub fn pop(&mut self) {
        let length = self.opened.pop().unwrap_or(0);
        self.names.truncate(length);
        self.numbers.truncate(length);
    }

    /// Declares a variable, with or without a value.
    pub fn declare(&mut self, text: String, ty: DeclaredType, has_value: bool) {
        self.names.push(Name { text, ty: Some(ty) });
        self.numbers.push(self.next);
        if has_value {
            self.assigned.insert(self.next);
            self.touched.insert(self.next);
        }
        self.next += 1;
    }

    fn number(&self, name: &str) -> Option<Variable> {
        let at = self.names.iter().rposition(|known| known.text == name)?;
        Some(self.numbers[at])
    }

    /// Notes that the variable has a value from here on.
    pub fn assign(&mut self, name: &str) {
        if let Some(number) = self.number(name) {
            self.assigned.insert(number);
            self.touched.insert(number);
        }
    }

    /// The type of a variable as written.
    pub fn ty(&self, name: &str) -> Option<&DeclaredType> {
        let at = self.names.iter().rposition(|known| known.text == name)?;
        self.names[at].ty.as_ref()
    }

    /// The variables assigned so far.
    pub fn state(&self) -> Assigned {
        (!self.is_unreachable).then(|| self.assigned.clone())
    }

    /// Continues at a program point with this state.
    pub fn set(&mut self, state: Assigned) {
        self.is_unreachable = state.is_none();
        self.assigned = state.unwrap_or_default();
    }

    pub fn is_unreachable(&self) -> bool {
        self.is_unreachable
    }

    /// The visible names with a value, outermost first, without duplicates.
    pub fn visible(&self) -> Arc<[Name]> {
        self.visible_of(&self.assigned)
    }

    /// The visible names that may have a value: those assigned on some path. They must not be captured.
    pub fn visible_with_perhaps_a_value(&self) -> Arc<[Name]> {
        self.visible_of(&self.touched)
    }

    fn visible_of(&self, variables: &BTreeSet<Variable>) -> Arc<[Name]> {
        let with_number = self.names.iter().zip(&self.numbers);
        let visible = with_number.enumerate().filter(|(at, (name, number))| {
            let is_hidden = self.names[at + 1..]
                .iter()
                .any(|inner| inner.text == name.text);
            !is_hidden && variables.contains(*number)
        });
        visible.map(|(_, (name, _))| name.clone()).collect()
    }
}

/// The state where two paths join.
pub fn meet(a: Assigned, b: Assigned) -> Assigned {
    match (a, b) {
        (Some(a), Some(b)) => Some(&a & &b),
        (one, other) => one.or(other),
    }
}
