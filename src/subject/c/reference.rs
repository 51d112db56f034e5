//! A version of the program that is known to be right (`--reference`): tests that do not state an expected result expect
//! what it does.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::{Runner, pool};

use super::{Program, target};
use crate::subject::ecosystem::Answered;
use crate::subject::workspace::{Linked, Workspace};
use crate::subject::{SubjectError, files, paths};

/// The most that an answer may have, in bytes.
const MOST_PRINTED: u64 = 1 << 20;

/// Builds the version in a working copy of the program, and runs the tests that do not say what is printed.
///
/// # Errors
/// [`SubjectError::Usage`] if there is no such version or it does not build; any other error if the run is stopped or a file
/// cannot be read or written.
pub fn answered(
    program: &Program,
    version: &Utf8Path,
    at: &Workspace,
    runner: &Runner,
    timeout: Duration,
) -> Result<Answered> {
    let mut is_other = false;
    for path in texts(version, &program.sources)? {
        let (from, to) = (version.join(&path), at.root.join(&path));
        let bytes = fs::read(&from).with_context(|| format!("cannot read {from}"))?;
        is_other |= fs::read(&to).ok().as_ref() != Some(&bytes);
        at.tree.write(&to, &String::from_utf8_lossy(&bytes))?;
    }
    if !is_other {
        return Err(SubjectError::Usage(format!(
            "--reference: the source files in {version} are the program's own, so they cannot serve as a reference"
        ))
        .into());
    }
    let build = at.build(Linked::Plain)?;
    if !build.succeeded {
        return Err(SubjectError::Usage(format!(
            "--reference: with the files of {version} the program does not build:\n\n{}",
            build.output.trim()
        ))
        .into());
    }
    let binary = build
        .binaries
        .get(&target())
        .context("there are no tests")?;
    let cases = program.cases.iter();
    let open: Vec<&str> = cases
        .filter(|case| case.stdout.is_none())
        .map(|case| &*case.name)
        .collect();
    let answers = pool::map(runner.jobs(), &open, |name| {
        let ask = || runner.answer(binary, name, timeout, MOST_PRINTED);
        // What it does only once is not an answer.
        let (first, second) = (ask()?, ask()?);
        let steady = first.filter(|first| second.as_ref() == Some(first));
        let as_text = |(code, bytes)| Some((code, String::from_utf8(bytes).ok()?));
        Ok::<_, anyhow::Error>(steady.and_then(as_text))
    })?;
    let answers: BTreeMap<&str, Option<(i32, String)>> = open.into_iter().zip(answers).collect();
    let missing = program.sources.iter();
    let missing = missing.filter(|source| !version.join(source).is_file());
    let missing = missing.map(|source| {
        format!("the reference has no {source}; the file of the program was used instead")
    });
    let mut answered = Answered {
        tests: answers.values().flatten().count(),
        warnings: missing.collect(),
        ecosystem: Arc::new(program.clone()),
    };
    let mut cases = program.cases.clone();
    cases.retain_mut(|case| match answers.get(&*case.name) {
        None => true,
        Some(Some((code, printed))) => {
            case.exit = *code;
            case.stdout = Some(printed.clone());
            true
        }
        Some(None) => {
            answered.warnings.push(format!(
                "`{}` is left out: the reference crashes on it, does not end, prints something that is not text or more than a megabyte, or behaves differently in two runs",
                case.name
            ));
            false
        }
    });
    answered.ecosystem = Arc::new(Program {
        cases,
        ..program.clone()
    });
    Ok(answered)
}

/// The source files and headers in the directory of a version, relative to it.
fn texts(version: &Utf8Path, sources: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, SubjectError> {
    if !version.is_dir() {
        return Err(SubjectError::Usage(format!(
            "--reference: there is no directory {version}"
        )));
    }
    let own: Vec<&Utf8PathBuf> = sources
        .iter()
        .filter(|source| version.join(source).is_file())
        .collect();
    if own.is_empty() {
        let names: Vec<&str> = sources.iter().map(|source| source.as_str()).collect();
        return Err(SubjectError::Usage(format!(
            "--reference: {version} has none of the program's source files, which are {}; a file must have the same path there",
            names.join(", ")
        )));
    }
    let others = ["c", "h"].into_iter();
    let others = others.flat_map(|extension| files::below(version, extension));
    let mut all: Vec<Utf8PathBuf> = others.map(|path| paths::relative(version, &path)).collect();
    all.extend(own.into_iter().cloned());
    all.sort();
    all.dedup();
    Ok(all)
}
