//! Single places that are tried without a solver. A formula of a long run is large, and each of its models costs far more
//! than a run of the interpreter. So with long runs each place first gets values that it usually has, the same one
//! every time, and each condition another outcome one time only, as in Nopol's angelic forcing. What makes all tests pass is a
//! candidate, and no smaller one is a part of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use nopol_program::interpret::{Angelic, End, Run, Value};
use nopol_program::ir::{PlaceId, PlaceKind, Test};
use nopol_program::position::Instance;

use super::Candidate;
use super::enumerate::{Formula, Search};

/// Evaluations in a run from which on it counts as long.
const LONG: usize = 300;

/// Evaluations in all runs of one test that are made here: as many as one run may have, but not more than this.
const MOST_EVALUATIONS: u64 = 4_000_000;

/// Most values of a place that are tried, and most evaluations of a condition from the start and from the end.
const MOST_VALUES: usize = 6;
const MOST_FLIPS: usize = 8;

/// The run of a failing test as it is.
struct Original<'a> {
    test: &'a Test,
    /// The instances of each place, with the values that they have.
    instances: BTreeMap<PlaceId, Vec<(Instance, Option<i128>)>>,
    length: usize,
    /// How many evaluations may still be made.
    left: usize,
}

impl Search<'_> {
    /// Candidates of one place that need no solver; none if all runs are short.
    pub(super) fn probed(&mut self) -> Vec<Candidate> {
        if self.options.formula != Formula::OnDemand {
            return Vec::new();
        }
        let tests = self.tests.iter();
        let mut originals: Vec<Original<'_>> = tests.map(|test| self.original(test)).collect();
        let longest = originals.iter().map(|original| original.length).max();
        if longest.is_none_or(|longest| longest < LONG) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let places = originals[0].instances.keys().copied();
        let broken = &self.shared.broken;
        let places: Vec<PlaceId> = places.filter(|place| broken.contains_key(place)).collect();
        for place in places {
            let mut runs = BTreeMap::new();
            for (number, original) in originals.iter_mut().enumerate() {
                match self.run_with(original, place) {
                    Some(run) => runs.insert(number, run),
                    None => break,
                };
            }
            if runs.len() == originals.len() {
                found.push(Candidate {
                    places: vec![place],
                    runs,
                });
            }
        }
        found
    }

    fn original<'t>(&mut self, test: &'t Test) -> Original<'t> {
        let run = self.shared.run(test, &HashMap::new());
        let mut instances: BTreeMap<PlaceId, Vec<_>> = BTreeMap::new();
        for evaluated in &run.evaluated {
            let value = match evaluated.value {
                Value::Number(value) => Some(value),
                Value::Pointer(_) => None,
            };
            let instance = evaluated.instance;
            instances
                .entry(instance.place)
                .or_default()
                .push((instance, value));
        }
        for instance in run.unfinished {
            let of_place = instances.entry(instance.place).or_default();
            of_place.push((instance, None));
        }
        Original {
            test,
            instances,
            length: run.evaluated.len(),
            left: self.options.extent.steps.min(MOST_EVALUATIONS) as usize,
        }
    }

    /// A run of the test with other values at a place, if one of those that are tried makes it pass.
    fn run_with(&mut self, original: &mut Original<'_>, place: PlaceId) -> Option<Run> {
        let instances = original.instances.get(&place)?;
        let is_condition = self.shared.program.places[place].kind == PlaceKind::Condition;
        let angelic = |value| Angelic { value, index: None };
        let mut trials: Vec<HashMap<Instance, Angelic>> = Vec::new();
        let usual = self.usual.get(&place).map_or(&[][..], Vec::as_slice);
        let usual = usual.iter().filter(|value| {
            let (mut values, value) = (instances.iter(), Some(**value));
            values.any(|(_, other)| *other != value)
        });
        for &value in usual.take(MOST_VALUES) {
            let same = instances.iter();
            trials.push(
                same.map(|(instance, _)| (*instance, angelic(value)))
                    .collect(),
            );
        }
        if is_condition && instances.len() > 1 {
            let ends = instances.iter().rev().take(MOST_FLIPS);
            let mut seen = HashSet::new();
            for (instance, value) in ends.chain(instances.iter().take(MOST_FLIPS)) {
                if seen.insert(*instance) {
                    let other = i128::from(*value == Some(0));
                    trials.push([(*instance, angelic(other))].into());
                }
            }
        }
        for trial in trials {
            if self.is_late() || original.left == 0 {
                return None;
            }
            let run = self.shared.run(original.test, &trial);
            original.left = original.left.saturating_sub(run.evaluated.len().max(1));
            if run.end == End::Passed {
                return Some(run);
            }
        }
        None
    }
}
