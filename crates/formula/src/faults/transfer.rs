//! What the runs of a candidate say of other places. A place that computes something else in an angelic run than without
//! the candidate passes on what the candidate changed. Often the value that it has there is an angelic value itself: it can
//! stand in for a place of the candidate. To run a test with it costs far less than to ask a solver, which needs a model
//! of the whole formula for each candidate.

use std::collections::{BTreeSet, HashMap};

use nopol_program::interpret::{Angelic, Run, Value};
use nopol_program::ir::PlaceId;
use nopol_program::position::Instance;

/// The places that compute something else in one of two runs than in the other, at the same time.
pub fn changed(run: &Run, other: &Run) -> BTreeSet<PlaceId> {
    let values = run.evaluated.iter();
    let values: HashMap<Instance, _> = values
        .map(|evaluated| (evaluated.instance, (evaluated.value, evaluated.index)))
        .collect();
    let others = other.evaluated.iter().filter(|evaluated| {
        let value = values.get(&evaluated.instance);
        value.is_some_and(|value| *value != (evaluated.value, evaluated.index))
    });
    others.map(|evaluated| evaluated.instance.place).collect()
}

/// What a run computes at these places.
pub fn values(run: &Run, places: &[PlaceId]) -> HashMap<Instance, Angelic> {
    let evaluated = run.evaluated.iter();
    evaluated
        .filter(|evaluated| places.contains(&evaluated.instance.place))
        .filter_map(|evaluated| match evaluated.value {
            Value::Number(value) => {
                let index = evaluated.index;
                Some((evaluated.instance, Angelic { value, index }))
            }
            Value::Pointer(_) => None,
        })
        .collect()
}
