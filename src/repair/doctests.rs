//! Doctests are run if no test fails, but they are never repaired.

use anyhow::Result;
use nopol_basics::{agree, count};
use nopol_source::Sources;

use super::settings::{Depth, Settings};
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::phrases::{all_ignored, names};
use crate::report::progress::Progress;
use crate::subject::workspace::Workspace;
use crate::subject::{Project, SubjectError};

/// The failing doctests, and the number of passing ones.
fn doctests(
    settings: &Settings,
    progress: &Progress,
    workspace: &Workspace,
    sources: &Sources,
) -> Result<(Vec<String>, usize)> {
    if !workspace.may_have_doctests(sources.documented()) {
        return Ok((Vec::new(), 0));
    }
    let phase = progress.start("running doctests", 0, 0);
    let doctests = workspace
        .doctests(sources.documented(), 2 * settings.test_timeout)?
        .unwrap_or_default();
    let all = doctests.by_name.len();
    let failing = doctests.by_name.into_iter().filter(|(_, passed)| !passed);
    let failing: Vec<String> = failing.map(|(name, _)| name).collect();
    progress.finish(phase, 0, &format!("{} fail", failing.len()));
    let others = all - failing.len();
    Ok((failing, others))
}

/// A note on failing doctests.
const NOT_REPAIRED: &str = "Doctests are not fixed; to fix one, copy its code into a #[test]";

/// Reports failing doctests if no test fails: then `cargo test` fails although no patch can be found.
pub fn look_at(
    settings: &Settings,
    progress: &Progress,
    outcome: &mut Outcome,
    workspace: &Workspace,
    sources: &Sources,
) -> Result<()> {
    if !settings.failing.is_empty() {
        return Ok(());
    }
    let (failing, _) = doctests(settings, progress, workspace, sources)?;
    if !failing.is_empty() {
        let said = outcome.message.take().unwrap_or_default();
        outcome.ending = Ending::NoPatch;
        outcome.message = Some(format!(
            "{said} {} {} {}. {NOT_REPAIRED}.",
            agree(failing.len(), "The doctest", "The doctests"),
            names(&failing),
            agree(failing.len(), "fails", "fail")
        ));
        outcome.failing_examples = failing;
    }
    Ok(())
}

/// The error for a subject without tests that run: all are `ignored`, or there is none. Doctests do not count as tests.
pub fn no_tests(
    settings: &Settings,
    progress: &Progress,
    workspace: &Workspace,
    sources: &Sources,
    ignored: &[String],
) -> Result<SubjectError> {
    let filters = settings.project.test_args();
    if !ignored.is_empty() {
        return Ok(SubjectError::UnusableBaseline(all_ignored(
            ignored,
            !filters.is_empty(),
        )));
    }
    if !filters.is_empty() {
        return Ok(SubjectError::UnusableBaseline(format!(
            "no test matches the arguments after `--` ({})",
            filters.join(" ")
        )));
    }
    let (failing, passing) = match settings.depth {
        Depth::List => (Vec::new(), 0),
        _ => doctests(settings, progress, workspace, sources)?,
    };
    let none = match (&*failing, passing) {
        ([], 0) => "there are no tests: nothing says what the code should do".to_owned(),
        ([], passing) => format!(
            "there are no tests except {}, and {}: nothing says what to repair",
            count(passing, "doctest"),
            agree(passing, "it passes", "all of them pass")
        ),
        (failing, _) => {
            progress.prepare(|seen| seen.failing_examples = failing.to_vec());
            return Ok(SubjectError::UnusableBaseline(format!(
                "there are no tests except doctests, and {} {}. {NOT_REPAIRED}",
                names(failing),
                agree(failing.len(), "fails", "fail")
            )));
        }
    };
    Ok(SubjectError::UnusableBaseline(format!(
        "{none}. Write a test that fails because of the bug, and some that pass{}; if there are tests, check {}",
        match &settings.project {
            Project::Cargo(_) => " (doctests are not fixed: copy the code of one into a #[test])",
            Project::C(_) => "",
        },
        settings.project.test_options()
    )))
}
