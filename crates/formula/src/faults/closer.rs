//! Angelic values close to what the program computes. A solver returns any value that works, such as 65539 where 3 would work,
//! too. So each value of a run, one after the other, is moved towards the one that the program computes there: by runs, which
//! cost little, and where these leave it far away, by the solver.

use std::collections::HashMap;

use nopol_program::interpret::{Angelic, End, Evaluated, Run, Value};
use nopol_program::ir::PlaceId;
use nopol_program::position::Instance;

use super::angelic::Shared;
use super::enumerate::{Asked, Search};
use crate::circuit::cnf::Lit;
use crate::circuit::word::{self, Word};
use crate::encode::Free;

/// Most values of a run that are moved, most evaluations in the runs for all of them, and most questions to a solver.
const MOST_VALUES: usize = 8;
const MOST_EVALUATIONS: usize = 20_000;
const MOST_QUESTIONS: usize = 24;

/// From which distance on a solver is asked, and how many times as far away the next value may be, until there is one.
const FAR: u128 = 8;
const FURTHER: u128 = 16;

/// A number of an instance.
#[derive(Clone, Copy)]
enum Part {
    Index,
    Value,
}

impl Part {
    /// The number that a run uses, and the one that the program computes there; none of a pointer or a missing index.
    const fn of(self, evaluated: &Evaluated) -> Option<(i128, i128)> {
        let (value, index) = evaluated.original;
        match self {
            Self::Index => match (evaluated.index, index) {
                (Some(used), Some(original)) => Some((used, original)),
                _ => None,
            },
            Self::Value => match (evaluated.value, value) {
                (Value::Number(used), Value::Number(original)) => Some((used, original)),
                _ => None,
            },
        }
    }

    /// Its word, and whether that is signed.
    const fn word(self, free: &Free) -> Option<(&Word, bool)> {
        match self {
            Self::Index => match &free.index {
                Some(index) => Some((index, true)),
                None => None,
            },
            Self::Value => Some((&free.value, free.is_signed)),
        }
    }
}

impl<'a> Search<'a> {
    /// A run that passes, like this one, with values that are closer to what the program computes at these places. The formula
    /// has a model under these assumptions.
    pub(super) fn closer(
        &mut self,
        asked: &mut Asked<'a>,
        assumptions: &[Lit],
        set: &[PlaceId],
        run: Run,
    ) -> Run {
        if !self.options.formula.is_exact() {
            return run;
        }
        let mut fixed = assumptions.to_vec();
        let escapes = asked.angelic.encoded.escapes;
        fixed.push(!asked.solver.literal(&self.shared.circuit, escapes));
        let mut best = run;
        let mut left = Left {
            evaluations: MOST_EVALUATIONS,
            questions: MOST_QUESTIONS,
        };
        let mut next = 0;
        for _ in 0..MOST_VALUES {
            let rest = best.evaluated.iter().skip(next);
            let Some(at) = rest.clone().position(|evaluated| evaluated.is_angelic) else {
                break;
            };
            next += at + 1;
            let instance = best.evaluated[next - 1].instance;
            let encountered = &asked.angelic.encoded.encountered;
            let met = encountered.iter().find(|met| met.instance == instance);
            let Some(free) = met.map(|met| met.free.clone()) else {
                break;
            };
            for part in [Part::Index, Part::Value] {
                if let Some(word) = part.word(&free) {
                    self.approach(
                        asked,
                        (&mut fixed, &mut left),
                        (set, instance),
                        (part, word),
                        &mut best,
                    );
                }
            }
        }
        best
    }

    /// Halves the way of one number to what the program computes, as long as runs pass.
    fn halve(
        &mut self,
        asked: &Asked<'a>,
        left: &mut Left,
        (part, instance): (Part, Instance),
        best: &mut Run,
    ) {
        let of = |run: &Run| {
            let mut evaluated = run.evaluated.iter();
            let evaluated = evaluated.find(|evaluated| evaluated.instance == instance)?;
            part.of(evaluated)
        };
        let Some((mut used, mut fails)) = of(best) else {
            return;
        };
        let angelic = best.evaluated.iter().filter(|it| it.is_angelic);
        let mut values: HashMap<Instance, Angelic> = angelic
            .map(|it| {
                let (value, index) = (it.value.number(), it.index);
                (it.instance, Angelic { value, index })
            })
            .collect();
        while used.abs_diff(fails) > 1 && left.evaluations > 0 && !self.is_late() {
            let middle = fails + (used - fails) / 2;
            let before = values.get(&instance).copied();
            if let Some(angelic) = values.get_mut(&instance) {
                match part {
                    Part::Index => angelic.index = Some(middle),
                    Part::Value => angelic.value = middle,
                }
            }
            let run = self.shared.run(asked.angelic.test, &values);
            left.evaluations = left.evaluations.saturating_sub(run.evaluated.len().max(1));
            if run.end == End::Passed {
                used = middle;
                *best = run;
            } else {
                fails = middle;
                values.extend(before.map(|before| (instance, before)));
            }
        }
    }

    /// Moves one number, and fixes it.
    fn approach(
        &mut self,
        asked: &mut Asked<'a>,
        (fixed, left): (&mut Vec<Lit>, &mut Left),
        (set, instance): (&[PlaceId], Instance),
        (part, (word, is_signed)): (Part, (&Word, bool)),
        best: &mut Run,
    ) {
        let numbers = |run: &Run| {
            let mut evaluated = run.evaluated.iter();
            part.of(evaluated.find(|evaluated| evaluated.instance == instance)?)
        };
        // A bool has no other value that is closer.
        if word.len() > 1 {
            self.halve(asked, left, (part, instance), best);
        }
        let Some((mut used, original)) = numbers(best) else {
            return;
        };
        // Less than `low` is not possible.
        let (mut low, mut step) = (0, FAR);
        while used.abs_diff(original) > low.max(FAR) && left.questions > 0 && !self.is_late() {
            left.questions -= 1;
            let most = step.clamp(low, low.midpoint(used.abs_diff(original)));
            let shared = &mut self.shared;
            let near = within(shared, word, is_signed, original, most);
            fixed.push(asked.solver.literal(&shared.circuit, near));
            let answer = self.ask(&mut asked.solver, fixed);
            fixed.pop();
            match answer {
                Ok(Some(true)) => {
                    let values = asked.angelic.values(&asked.solver, set);
                    let run = self.shared.run(asked.angelic.test, &values);
                    let Some((new, _)) = numbers(&run).filter(|_| run.end == End::Passed) else {
                        break;
                    };
                    used = new;
                    *best = run;
                }
                Ok(Some(false)) => {
                    low = most + 1;
                    step = (most + 1).saturating_mul(FURTHER);
                }
                Ok(None) | Err(_) => break,
            }
        }
        let same = word::constant(used, word.len());
        let same = self.shared.circuit.equal(word, &same);
        fixed.push(asked.solver.literal(&self.shared.circuit, same));
    }
}

/// What may still be spent.
struct Left {
    evaluations: usize,
    questions: usize,
}

/// Requires that a word is at most this far away from a number.
fn within(
    shared: &mut Shared<'_>,
    word: &Word,
    is_signed: bool,
    from: i128,
    most: u128,
) -> crate::circuit::Bit {
    let width = u32::try_from(word.len()).unwrap_or(u32::MAX).clamp(1, 64);
    let (least, greatest) = match is_signed {
        true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
        false => (0, (1_i128 << width) - 1),
    };
    let low = from.saturating_sub_unsigned(most).max(least);
    let high = from.saturating_add_unsigned(most).min(greatest);
    let (low, high) = (
        word::constant(low, word.len()),
        word::constant(high, word.len()),
    );
    let circuit = &mut shared.circuit;
    let below = circuit.less(word, &low, is_signed);
    let above = circuit.less(&high, word, is_signed);
    circuit.and(!below, !above)
}
