//! What holds of every run.

use nopol_basics::deadline::Deadline;
use std::collections::{HashMap, HashSet};

use nopol_program::interpret::{Angelic, End, Limits, Run, Value, run};
use nopol_program::ir::{Program, Test};
use nopol_program::position::{Instance, Positions};
use proptest::prelude::{ProptestConfig, Strategy};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::{BOUND, programs, programs_with_pointers};

fn limits(implicit: bool) -> Limits {
    Limits {
        bound: BOUND,
        steps: 100_000,
        implicit,
        deadline: Deadline::Never,
    }
}

fn run_of(
    program: &Program,
    test: &Test,
    implicit: bool,
    angelic: &HashMap<Instance, Angelic>,
) -> Run {
    run(
        program,
        test,
        &limits(implicit),
        &mut Positions::default(),
        angelic,
    )
}

fn both() -> impl Strategy<Value = (Program, Vec<Test>)> {
    proptest::prop_oneof![programs(), programs_with_pointers()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_place_is_evaluated_once_at_a_position((program, tests) in both()) {
        for test in &tests {
            let run = run_of(&program, test, true, &HashMap::new());
            prop_assert!(!matches!(run.end, End::Steps | End::Bound(_) | End::Assumption), "{:?}", run.end);
            let instances: HashSet<_> = run.evaluated.iter().map(|evaluated| evaluated.instance).collect();
            prop_assert_eq!(instances.len(), run.evaluated.len());
        }
    }

    #[test]
    fn the_values_that_a_run_has_as_angelic_ones_change_nothing((program, tests) in both()) {
        for test in &tests {
            let first = run_of(&program, test, false, &HashMap::new());
            let mut angelic = HashMap::new();
            for evaluated in &first.evaluated {
                if let Value::Number(value) = evaluated.value {
                    angelic.insert(evaluated.instance, Angelic { value, index: evaluated.index });
                }
            }
            let mut positions = Positions::default();
            // The same run meets the same positions in the same order.
            let again = run(&program, test, &limits(false), &mut positions, &angelic);
            prop_assert_eq!(&again.end, &first.end);
            prop_assert_eq!(&again.branches, &first.branches);
            let values = |run: &Run| run.evaluated.iter().map(|e| (e.instance, e.value, e.index)).collect::<Vec<_>>();
            prop_assert_eq!(values(&again), values(&first));
            // With faults that count, none but those outside of the places is left.
            let strict = run_of(&program, test, true, &angelic);
            if strict.end == End::Passed {
                prop_assert_eq!(&first.end, &End::Passed);
            }
        }
    }
}
