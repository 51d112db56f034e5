//! Builds a subject in a working copy, by a supervised process: as it is, to see what formulas should describe; or with other texts
//! of its files, to see whether they compile.

use std::time::{Duration, Instant};

use anyhow::Result;
use camino::Utf8PathBuf;
use nopol_process::run::id::TestId;
use nopol_process::run::process::Supervisor;
use nopol_process::run::suite::{Suite, TestIndex};
use nopol_process::run::{Plan, Verdict};
use typed_index_collections::TiVec;

use super::settings::Settings;
use super::setup::Setup;
use crate::report::progress::Progress;
use crate::subject::ecosystem::Seen;
use crate::subject::workspace::{Linked, Workspace};
use crate::subject::{Subject, SubjectError};

/// The longest time for a test of which only the verdict is wanted.
const SHORT: Duration = Duration::from_secs(2);
/// After this time no more of them run.
const MOST: Duration = Duration::from_secs(10);
/// Tests that run before the time is looked at.
const AT_ONCE: usize = 16;

/// What a build shows of the program that it compiles, and what its tests show if they are to run.
///
/// # Errors
/// If the subject cannot be copied, or the run is stopped.
pub fn as_built(
    settings: &Settings,
    (subject, runs_tests): (Subject, bool),
    supervisor: &Supervisor,
    progress: &Progress,
) -> Result<Seen> {
    let setup = Setup::new(settings, subject, supervisor)?;
    let (copy, runtime) = setup.instrumented(progress)?;
    let ecosystem = &copy.subject.ecosystem;
    let (text, mut build) = ecosystem.as_built(&copy, &runtime)?;
    let mut seen = Seen {
        text,
        is_built: build.succeeded,
        ..Seen::default()
    };
    if build.succeeded && runs_tests {
        let tests: TiVec<TestIndex, TestId> = ecosystem.tests(&copy, &mut build)?.0.into();
        let runner = setup.runner();
        let suite = Suite {
            runner: &runner,
            tests: &tests,
            binaries: &build.binaries,
        };
        let plan = |_| Plan {
            timeout: settings.test_timeout.min(SHORT),
            ..Plan::default()
        };
        let start = Instant::now();
        for some in suite.all().chunks(AT_ONCE) {
            // What is known by the end of the time is worth something.
            let Ok(runs) = suite.run_all(some, plan, &|| ()) else {
                break;
            };
            let ended = some.iter().zip(runs);
            let ended = ended.filter(|(_, run)| run.verdict != Verdict::TimedOut);
            for (test, run) in ended {
                let name = tests[*test].name.clone();
                let reason = run.failure_reason.map(|reason| (name.clone(), reason));
                seen.reasons.extend(reason);
                seen.passes.insert(name, run.verdict.passed());
            }
            if start.elapsed() > MOST {
                break;
            }
        }
        runner.end_servers();
    }
    Ok(seen)
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
