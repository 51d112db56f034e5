//! What the front end promises: samples pass and fail as compiled ones do, what is outside is named, and places are
//! where they should be.

mod outside;
mod places;
mod pointers;
mod samples;

use nopol_basics::deadline::Deadline;
use std::collections::HashMap;

use camino::Utf8PathBuf;

use crate::interpret::{End, Limits, run};
use crate::ir::{Outside, Program, Test};
use crate::position::Positions;

const LIMITS: Limits = Limits {
    bound: 1000,
    steps: 1_000_000,
    implicit: true,
    deadline: Deadline::Never,
};

/// Reads a crate of one file.
fn read(text: &str, tests: &[&str]) -> Result<(Program, Vec<Test>), Outside> {
    let files = [(Utf8PathBuf::from("src/lib.rs"), text.to_owned())];
    read_files(&files, tests)
}

fn read_files(
    files: &[(Utf8PathBuf, String)],
    tests: &[&str],
) -> Result<(Program, Vec<Test>), Outside> {
    let tests: Vec<String> = tests.iter().map(|&name| name.to_owned()).collect();
    super::read(files, &tests)
}

fn end_of(program: &Program, test: &Test) -> End {
    let mut positions = Positions::default();
    run(program, test, &LIMITS, &mut positions, &HashMap::new()).end
}

/// How the test `t` of a crate of one file ends.
fn end(text: &str) -> End {
    let (program, tests) = read(text, &["t"]).unwrap_or_else(|outside| panic!("{outside}"));
    end_of(&program, &tests[0])
}
