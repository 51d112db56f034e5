//! Candidates on random programs: what grows on demand finds what the whole program's formula finds, and every candidate
//! holds and is minimal. The programs are the same each time: some formulas of others take a solver for ever.

use nopol_basics::deadline::Deadline;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use nopol_program::interpret::{End, Limits, run};
use nopol_program::ir::{PlaceId, Program, Test};
use nopol_program::position::Positions;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::circuit::Circuit;
use crate::circuit::cnf::Solver;
use crate::encode::{Explored, Extent, Frees, encode};
use crate::faults::{FaultSets, FaultsOptions, Formula, localize};
use crate::generate;

const EXTENT: Extent = Extent::new(generate::BOUND, true);

fn failing(program: &Program, tests: &[Test]) -> Vec<Test> {
    let limits = Limits {
        bound: EXTENT.bound,
        steps: 1_000_000,
        implicit: EXTENT.implicit,
        deadline: Deadline::Never,
    };
    let fails = |test: &&Test| {
        let run = run(
            program,
            test,
            &limits,
            &mut Positions::default(),
            &HashMap::new(),
        );
        run.end != End::Passed
    };
    tests.iter().filter(fails).cloned().collect()
}

fn found(program: &Program, tests: &[Test], formula: Formula, size: usize) -> FaultSets {
    found_among(program, tests, formula, size, None)
}

fn found_among(
    program: &Program,
    tests: &[Test],
    formula: Formula,
    size: usize,
    places: Option<BTreeSet<PlaceId>>,
) -> FaultSets {
    let options = FaultsOptions {
        extent: EXTENT,
        formula,
        size,
        places,
        budget: Default::default(),
    };
    localize(program, tests, &BTreeMap::new(), options).unwrap()
}

fn sets(found: &FaultSets) -> BTreeSet<Vec<PlaceId>> {
    found
        .candidates
        .iter()
        .map(|candidate| candidate.places.clone())
        .collect()
}

/// Whether other values at these places make a test pass: asked of a formula of its own.
fn can_pass(program: &Program, test: &Test, places: &[PlaceId]) -> bool {
    let mut circuit = Circuit::default();
    let broken: BTreeMap<_, _> = places
        .iter()
        .map(|place| (*place, circuit.input()))
        .collect();
    let (mut positions, mut frees) = (Positions::default(), Frees::default());
    let encoded = encode(
        program,
        test,
        EXTENT,
        &Explored::All,
        &broken,
        &mut circuit,
        &mut positions,
        &mut frees,
    );
    let mut solver = Solver::default();
    let passes = solver.literal(&circuit, encoded.unwrap().passes);
    solver.check(&[passes]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_demand_finds_what_the_whole_formula_finds((program, tests) in generate::programs_with_pointers()) {
        let failing = failing(&program, &tests);
        let on_demand = found(&program, &failing, Formula::OnDemand, 2);
        let whole = found(&program, &failing, Formula::Whole, 2);
        prop_assert_eq!(sets(&on_demand), sets(&whole));
        for candidate in &on_demand.candidates {
            prop_assert_eq!(candidate.runs.len(), failing.len());
            for run in candidate.runs.values() {
                prop_assert_eq!(&run.end, &End::Passed);
            }
        }
    }

    #[test]
    fn candidates_among_some_places_are_those_that_have_no_others((program, tests) in generate::programs()) {
        let failing = failing(&program, &tests);
        let some: BTreeSet<PlaceId> = program.places.keys().step_by(2).collect();
        let all = sets(&found(&program, &failing, Formula::OnDemand, 2));
        let within = |set: &&Vec<PlaceId>| set.iter().all(|place| some.contains(place));
        let expected: BTreeSet<_> = all.iter().filter(within).cloned().collect();
        let found = found_among(&program, &failing, Formula::OnDemand, 2, Some(some.clone()));
        prop_assert_eq!(sets(&found), expected);
    }

    #[test]
    fn the_single_places_are_those_that_can_make_all_tests_pass((program, tests) in generate::programs()) {
        let failing = failing(&program, &tests);
        prop_assume!(!failing.is_empty());
        let found = sets(&found(&program, &failing, Formula::OnDemand, 1));
        for place in program.places.keys() {
            let can = failing.iter().all(|test| can_pass(&program, test, &[place]));
            prop_assert_eq!(found.contains(&vec![place]), can, "place {}", place);
        }
    }
}

/// A loop that may write behind an array, into a cell for a wider number of the same structure: a fault, unless faults that the program
/// does not state do not count.
const BESIDE: &str = "#include <stdio.h>\nstruct w { char b[4]; int n, at; };\n\
    static void sort(char *b, int n, int *moves) {\n    for (int i = 1; i < n; i++) {\n        char t = b[i];\n        int j = i;\n        \
    while (j > 0 && b[j - 1] >= t) { b[j] = b[j - 1]; j--; *moves += 1; }\n        b[j] = t;\n    }\n}\n\
    int main(void) {\n    struct w w = { \"aab\" };\n    struct w *p = &w;\n    int moves = 0;\n    p->n = 3;\n    \
    sort(p->b, p->n, &moves);\n    printf(\"%s %d %d\\n\", w.b, moves, w.at);\n    return 0;\n}\n";

#[test]
fn what_is_written_into_a_cell_for_a_wider_number_is_there() {
    let program = nopol_program::front::c::read(&[("a.c".into(), BESIDE.to_owned())]).unwrap();
    let test = super::strings::test(&program, true, "aab 0 0\n");
    for bound in [4, 5, 6] {
        let options = FaultsOptions {
            extent: Extent::new(bound, false),
            formula: Formula::Whole,
            size: 1,
            places: None,
            budget: Default::default(),
        };
        let found = localize(
            &program,
            std::slice::from_ref(&test),
            &BTreeMap::new(),
            options,
        );
        assert!(found.is_ok(), "bound {bound}: {found:?}");
    }
    for (value, at) in [("97", 97), ("-3", -3)] {
        let text = BESIDE.replace(
            "p->n = 3;",
            &format!("char *b = p->b; b[5] = {value}; p->n = 2;"),
        );
        let program = nopol_program::front::c::read(&[("a.c".into(), text)]).unwrap();
        let test = super::strings::test(&program, true, &format!("aab 1 {at}\n"));
        let passes = |seed| super::agreement::agree(&program, &test, false, seed);
        assert!((0..40).any(|seed| passes(seed).unwrap()), "{value}");
    }
}
