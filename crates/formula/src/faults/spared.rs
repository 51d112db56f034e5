//! Angelic values that a run does not need. A solver chooses one for every evaluation of a place, and most of these could
//! be what the program computes there.

use std::collections::HashMap;

use nopol_program::interpret::{Angelic, End, Run, Value};
use nopol_program::position::Instance;

/// What may be spent on a run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Most values that are tried alone, and most that are left out.
    pub values: usize,
    /// Most evaluations in all runs.
    pub evaluations: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            values: 32,
            evaluations: 20_000,
        }
    }
}

/// A run that passes, with as few of the angelic values of this one as are found: one alone, or else all but those that can be
/// left out, the last first. `again` runs the same test with other values.
pub(super) fn spared(
    run: Run,
    budget: Budget,
    mut again: impl FnMut(&HashMap<Instance, Angelic>) -> Run,
) -> Run {
    let order = angelic(&run);
    if order.len() < 2 || run.end != End::Passed {
        return run;
    }
    let mut left = budget.evaluations;
    let mut passes = |values: &HashMap<Instance, Angelic>| {
        if left == 0 {
            return None;
        }
        let run = again(values);
        left = left.saturating_sub(run.evaluated.len().max(1));
        (run.end == End::Passed).then_some(run)
    };
    let mut each = order.iter().take(budget.values);
    if let Some(alone) = each.find_map(|value| passes(&[*value].into())) {
        return alone;
    }
    let mut best = run;
    let mut needed: HashMap<Instance, Angelic> = order.iter().copied().collect();
    for (instance, value) in order.iter().rev().take(budget.values) {
        needed.remove(instance);
        match passes(&needed) {
            Some(without) => best = without,
            None => {
                needed.insert(*instance, *value);
            }
        }
    }
    best
}

/// The angelic values of a run, in its order.
fn angelic(run: &Run) -> Vec<(Instance, Angelic)> {
    let evaluated = run.evaluated.iter().filter(|it| it.is_angelic);
    let values = evaluated.filter_map(|it| match it.value {
        Value::Number(value) => {
            let index = it.index;
            Some((it.instance, Angelic { value, index }))
        }
        Value::Pointer(_) => None,
    });
    values.collect()
}
