//! Runs and searches of a C program that is given as text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use nopol_formula::encode::Extent;
use nopol_formula::faults::{FaultSets, FaultsOptions, Formula, localize};
use nopol_program::front::c;
use nopol_program::interpret::{Limits, Run, run};
use nopol_program::ir::{PlaceId, Program, Test};
use nopol_program::position::Positions;

/// Whether faults count that the program does not state.
const IMPLICIT: bool = true;

/// Most time of a search: what `cargo nopol faults` takes by default.
const LIMIT: Duration = Duration::from_secs(20);

/// Translates a program.
pub fn program(file: &str, text: &str) -> Result<Program> {
    match c::read(&[(file.into(), text.to_owned())]) {
        Ok(program) => Ok(program),
        Err(outside) => bail!("{outside}"),
    }
}

/// Runs a test.
pub fn run_of(program: &Program, test: &Test, bound: u32) -> Run {
    let limits = Limits {
        bound,
        steps: 100_000,
        implicit: IMPLICIT,
        deadline: None.into(),
    };
    run(
        program,
        test,
        &limits,
        &mut Positions::default(),
        &HashMap::new(),
    )
}

/// The candidates of these failing tests.
pub fn search(
    program: &Program,
    tests: &[Test],
    formula: Formula,
    bound: u32,
    size: usize,
) -> Result<FaultSets> {
    let extent = Extent {
        deadline: Some(Instant::now() + LIMIT).into(),
        ..Extent::new(bound, IMPLICIT)
    };
    let options = FaultsOptions {
        extent,
        formula,
        size,
        places: None,
        budget: Default::default(),
    };
    match localize(program, tests, &BTreeMap::new(), options) {
        Ok(found) => Ok(found),
        Err(trouble) => bail!("{trouble:?}"),
    }
}

/// The places of each candidate.
pub fn sets(found: &FaultSets) -> BTreeSet<&[PlaceId]> {
    let candidates = found.candidates.iter();
    candidates.map(|candidate| &*candidate.places).collect()
}
