//! Checks whether a subject compiles with other texts of its files. The build runs in a working copy, by a supervised
//! process.

use anyhow::Result;
use camino::Utf8PathBuf;
use nopol_process::run::process::Supervisor;

use super::settings::Settings;
use super::setup::Setup;
use crate::report::progress::Progress;
use crate::subject::ecosystem::Described;
use crate::subject::workspace::{Linked, Workspace};
use crate::subject::{Subject, SubjectError};

/// What a build shows of the program that it compiles.
///
/// # Errors
/// If the subject cannot be copied, or the run is stopped.
pub fn as_built(
    settings: &Settings,
    subject: Subject,
    supervisor: &Supervisor,
    progress: &Progress,
) -> Result<Described> {
    let setup = Setup::new(settings, subject, supervisor)?;
    let (copy, runtime) = setup.instrumented(progress)?;
    copy.subject.ecosystem.as_built(&copy, &runtime)
}

/// The compiler's errors for the subject with these texts, whose paths are relative to the root. `None` if it compiles.
///
/// # Errors
/// If the subject cannot be copied, or the run is stopped.
pub fn refusal(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: &Progress,
    texts: &[(Utf8PathBuf, String)],
) -> Result<Option<String>> {
    let setup = Setup::new(settings, subject?, supervisor)?;
    let mut plain = setup.plain(progress)?;
    plain.take_over()?;
    // Denied lints of the subject do not matter here.
    plain.caps_lints = true;
    let Workspace { tree, root, .. } = &plain;
    tree.restore()?;
    for (path, text) in texts {
        tree.write(&root.join(path), text)?;
    }
    let build = plain.build(Linked::Plain)?;
    if build.succeeded {
        return Ok(None);
    }
    let said = build
        .errors
        .first()
        .map_or(&build.output, |error| &error.rendered);
    let error = said.lines().find(|line| line.starts_with("error"));
    Ok(Some(error.unwrap_or("the build fails").to_owned()))
}
