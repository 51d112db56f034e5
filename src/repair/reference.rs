//! Runs a version of the subject that is known to be right, to get the expected results of tests that do not state them
//! (`--reference`). That version is built in a working copy of its own.

use std::fs;

use anyhow::Result;
use camino::Utf8Path;
use nopol_basics::count;
use nopol_process::run::process::Supervisor;

use super::settings::Settings;
use super::setup::Setup;
use crate::report::progress::Progress;
use crate::subject::Subject;

/// The subject with expected results from the version in the directory `version`.
///
/// # Errors
/// If that version cannot be read or does not build, or the run is stopped.
pub fn answered(
    settings: &Settings,
    subject: Subject,
    version: &Utf8Path,
    supervisor: &Supervisor,
    progress: &Progress,
) -> Result<Subject> {
    let version = fs::canonicalize(version)
        .ok()
        .and_then(|path| path.try_into().ok())
        .unwrap_or_else(|| version.to_owned());
    let setup = Setup::new(settings, subject.clone(), supervisor)?;
    let at = setup.plain(progress)?;
    let runner = setup.runner();
    let phase = progress.start("running the reference", 0, 0);
    let answered = subject
        .ecosystem
        .answered(&version, &at, &runner, settings.test_timeout)?;
    progress.prepare(|seen| {
        seen.builds += 1;
        seen.warnings.extend(answered.warnings);
    });
    let result = count(answered.tests, "test");
    progress.finish(phase, runner.runs(), &format!("{result} answered"));
    Ok(Subject {
        ecosystem: answered.ecosystem,
        ..subject
    })
}
