//! A test that only the working copies have: a run of a program (`--run`), or an input of a fuzz target (`--fuzz`).

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::TargetKind;

use super::Member;
use super::fuzz::{self, FuzzOptions};
use super::options::{CargoOptions, TestTool};
use super::run::{self, RunOptions};
use crate::subject::{AddedFile, SubjectError};

/// What the test does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddedTest {
    /// It runs a program.
    Run(RunOptions),
    /// It runs a fuzz target with one input.
    Fuzz(FuzzOptions),
}

impl AddedTest {
    /// The name of the test, and of its target.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Run(_) => "nopol_run",
            Self::Fuzz(_) => "nopol_fuzz",
        }
    }

    /// The option that asks for it.
    pub const fn option(&self) -> &'static str {
        match self {
            Self::Run(_) => "--run",
            Self::Fuzz(_) => "--fuzz",
        }
    }
}

/// Makes the test a target of the package that it tests. `options` no longer choose the program that runs as a target with unit
/// tests then, but the test.
///
/// # Errors
/// [`SubjectError::Usage`] if the options do not name one program or fuzz target, or a file cannot be read.
pub fn add(
    options: &mut CargoOptions,
    root: &Utf8Path,
    members: &mut [Member],
) -> Result<Option<AddedFile>, SubjectError> {
    let Some(added) = options.added_test.clone() else {
        return Ok(None);
    };
    let name = added.name();
    let option = added.option();
    let place = |member: &Member| -> Result<Utf8PathBuf, SubjectError> {
        refuse_without_discovery(&root.join(&member.dir), option)?;
        let path = member.dir.join("tests").join(format!("{name}.rs"));
        match root.join(&path).exists() {
            false => Ok(path),
            true => Err(SubjectError::Usage(format!(
                "{path} exists already, and {option} would make a test of this name: run it with `cargo nopol --test {name}`, or rename it"
            ))),
        }
    };
    let (at, path, text) = match &added {
        AddedTest::Run(run) => {
            let (at, program) = run::program(options, members)?;
            let path = place(&members[at])?;
            let dir = root.join(&members[at].dir);
            (at, path, run::text(run, &program, name, root, &dir)?)
        }
        AddedTest::Fuzz(fuzz) => {
            let (at, target) = fuzz::target(fuzz, options, root, members)?;
            let path = place(&members[at])?;
            (at, path, fuzz::text(fuzz, &target, name, &members[at])?)
        }
    };
    let metadata = &mut members[at].metadata;
    let Some(mut target) = metadata.targets.first().cloned() else {
        return Err(SubjectError::Usage(format!(
            "{option}: the package {} has no targets",
            metadata.name
        )));
    };
    target.name = name.to_owned();
    target.kind = vec![TargetKind::Test];
    target.src_path = root.join(&path);
    metadata.targets.push(target);
    options.bin.clear();
    options.example.clear();
    if options.names_targets() || options.test_tool == TestTool::Nextest {
        options.test.push(name.to_owned());
    }
    Ok(Some(AddedFile { path, text }))
}

/// Refuses a package of which cargo does not find the new test.
fn refuse_without_discovery(dir: &Utf8Path, option: &str) -> Result<(), SubjectError> {
    let manifest = dir.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap_or_default();
    let document = text.parse::<toml_edit::DocumentMut>().unwrap_or_default();
    let discovers = document
        .get("package")
        .and_then(|package| package.get("autotests"))
        .and_then(toml_edit::Item::as_bool);
    match discovers {
        Some(false) => Err(SubjectError::Usage(format!(
            "{manifest} has `autotests = false`, so cargo would not find the test that {option} makes; remove that, or write the test yourself"
        ))),
        _ => Ok(()),
    }
}
