//! Circuits against the interpreter, on random programs: with angelic values at random places, both say the same of a test.

use nopol_basics::deadline::Deadline;
use std::collections::{BTreeMap, HashMap};

use nopol_program::interpret::{Angelic, End, Limits, run};
use nopol_program::ir::{PlaceId, Program, Test};
use nopol_program::position::Positions;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::circuit::{Bit, Circuit};
use crate::encode::{Explored, Extent, Frees, encode};
use crate::generate;

/// Whether the circuit and the interpreter agree on a test in which the places that `is_broken` picks get other
/// values: zero, or what `noise` makes of an instance. Gives whether it passes.
pub(super) fn agree(
    program: &Program,
    test: &Test,
    implicit: bool,
    seed: u64,
) -> Result<bool, TestCaseError> {
    let mut random = seed;
    let mut next = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    let (mut circuit, mut positions, mut frees) =
        (Circuit::default(), Positions::default(), Frees::default());
    let mut inputs = HashMap::new();
    let broken: BTreeMap<PlaceId, Bit> = program
        .places
        .keys()
        .map(|place| (place, circuit.input()))
        .collect();
    for bit in broken.values() {
        inputs.insert(*bit, next() % 4 == 0);
    }
    let bound = generate::BOUND;
    let extent = Extent::new(bound, implicit);
    let encoded = encode(
        program,
        test,
        extent,
        &Explored::All,
        &broken,
        &mut circuit,
        &mut positions,
        &mut frees,
    );
    let encoded = encoded.map_err(|stop| TestCaseError::fail(stop.reason))?;
    let mut angelic = HashMap::new();
    for met in &encoded.encountered {
        // Small numbers lead to more places than large ones.
        let (value, index) = (next() % 4, next() % 3);
        for (bit, at) in met.free.value.iter().zip(0..) {
            inputs.insert(*bit, value >> at & 1 == 1);
        }
        for (bit, at) in met.free.index.iter().flat_map(|word| word.iter()).zip(0..) {
            inputs.insert(*bit, index >> at & 1 == 1);
        }
        if inputs[&broken[&met.instance.place]] {
            let index = met.free.index.as_ref().map(|_| i128::from(index));
            angelic.insert(
                met.instance,
                Angelic {
                    value: i128::from(value),
                    index,
                },
            );
        }
    }
    let values = circuit.evaluate(&inputs);
    let limits = Limits {
        bound,
        steps: 1_000_000,
        implicit,
        deadline: Deadline::Never,
    };
    let run = run(program, test, &limits, &mut positions, &angelic);
    prop_assert_ne!(&run.end, &End::Steps);
    prop_assert_eq!(
        values.of(encoded.passes),
        run.end == End::Passed,
        "{:?}",
        run.end
    );
    prop_assert_eq!(
        values.of(encoded.faults),
        matches!(run.end, End::Fault(..)),
        "{:?}",
        run.end
    );
    prop_assert_eq!(
        values.of(encoded.cut) && !values.of(encoded.faults),
        matches!(run.end, End::Bound(_)),
        "{:?}",
        run.end
    );
    let lived: Vec<_> = encoded
        .encountered
        .iter()
        .filter(|met| values.of(met.live))
        .collect();
    if run.end == End::Passed {
        for evaluated in run
            .evaluated
            .iter()
            .filter(|evaluated| evaluated.is_angelic)
        {
            prop_assert!(lived.iter().any(|met| met.instance == evaluated.instance));
        }
    }
    Ok(run.end == End::Passed)
}

proptest! {
    // The same programs each time: the formulas of a few others are huge.
    #![proptest_config(ProptestConfig { cases: 100, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn circuits_agree_with_the_interpreter(
        (program, tests) in generate::programs(), implicit in any::<bool>(), seed in any::<u64>(),
    ) {
        for test in &tests {
            agree(&program, test, implicit, seed)?;
        }
    }

    #[test]
    fn they_agree_on_pointers_too(
        (program, tests) in generate::programs_with_pointers(), implicit in any::<bool>(), seed in any::<u64>(),
    ) {
        for test in &tests {
            agree(&program, test, implicit, seed)?;
        }
    }
}
