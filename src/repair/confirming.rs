//! Confirms a change that has not been built alone yet: builds it in a working copy and runs all tests.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use nopol_basics::count;
use nopol_process::run::process::Supervisor;
use nopol_process::run::suite::TestIndex;
use nopol_source::{File, Sources};

use super::settings::{Depth, Settings};
use super::setup::Setup;
use super::{baseline, chance, reports};
use crate::check::validate::{self, Rejection, Validator};
use crate::patch::edit::Edit;
use crate::report::markup::code;
use crate::report::progress::Progress;
use crate::subject::workspace::{Linked, Workspace};
use crate::subject::{Subject, SubjectError, files};

/// The verdict of a build and the tests on a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// The subject builds with the change. Every test that it should cure passes, and so does every test that passed
    /// before.
    Holds {
        /// Tests that fail without the change and pass with it.
        cured: Vec<String>,
        /// Tests that fail with and without the change.
        failing: Vec<String>,
        /// Number of tests that pass with and without the change.
        passing: usize,
        /// Compiler warnings that only the change causes.
        doubts: Vec<String>,
    },
    /// The subject builds with the change, and has no tests.
    WithoutTests,
    /// The subject does not build even without the change.
    Unbuildable,
    /// The subject does not build with the change, or a test fails that must pass; with the reason.
    Refuted(String),
}

const DOES_NOT_BUILD: &str = "the program does not build with it";
const TOGETHER: &str = "its test functions pass with it one by one, but the test program fails";

/// Builds the subject with these texts of its files, whose paths are relative to the root, and runs its tests. `fixes`
/// names the tests that the change should cure; those that already pass are ignored.
///
/// # Errors
/// If the subject cannot be copied, the baseline is unusable, or the run is stopped.
pub fn confirm(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: &Progress,
    texts: &[(Utf8PathBuf, String)],
    fixes: &[String],
) -> Result<Confirmation> {
    // The search that found the change may have been narrowed. Here all tests and all files count.
    let settings = &Settings {
        depth: Depth::Baseline,
        failing: Vec::new(),
        file: Vec::new(),
        exclude_file: Vec::new(),
        ..settings.clone()
    };
    let setup = Setup::new(settings, subject?, supervisor)?;
    let mut copies = setup.copies(progress)?;
    let runner = setup.runner();
    let mut sources = setup.read(&copies, progress)?;
    add_missing(&mut sources, &copies.plain, texts)?;
    copies.plain.take_over()?;
    let built = match baseline::build(progress, &mut copies.plain, &runner) {
        Ok(built) => built,
        Err(error) => {
            return match error.downcast_ref::<SubjectError>() {
                Some(SubjectError::CannotBuild(..)) => Ok(Confirmation::Unbuildable),
                Some(SubjectError::Usage(_) | SubjectError::UnusableBaseline(_)) | None => {
                    Err(error)
                }
            };
        }
    };
    let taken = baseline::take(
        settings,
        progress,
        &mut copies.plain,
        built,
        &runner,
        &sources,
    );
    let (tests, baseline) = match taken {
        Ok(taken) => taken,
        Err(error) => {
            return match error.downcast_ref::<SubjectError>() {
                Some(SubjectError::UnusableBaseline(_)) => built_only(&copies.plain, texts),
                Some(SubjectError::Usage(_) | SubjectError::CannotBuild(..)) | None => Err(error),
            };
        }
    };
    copies.share_settings();
    let replays = chance::replays(
        settings,
        progress,
        &copies,
        &runner,
        sources.language,
        &tests,
        &baseline,
    )?;
    runner.end_servers();
    let phase = progress.start("checking the patch", 0, runner.runs());
    let validator = Validator::new(
        validate::Copies {
            used: vec![&copies.plain],
            instrumented: &copies.instrumented,
            unsanitized: copies.bare.as_ref(),
        },
        &runner,
        &sources,
        &tests,
        &baseline,
        validate::Chance {
            random: BTreeSet::new(),
            drawing: BTreeSet::new(),
            replays: &replays,
        },
        settings.test_timeout,
    );
    let targets: Vec<TestIndex> = baseline
        .failing()
        .into_iter()
        .filter(|test| fixes.iter().any(|wanted| tests[*test].matches(wanted)))
        .collect();
    let verdict = validator.judge(&edits(&sources, texts), &targets, validate::Examples::All)?;
    let names = reports::names(&tests);
    let name = |test: &TestIndex| names.short(&tests[*test].to_string()).to_owned();
    let (confirmation, result) = match verdict {
        Ok(accepted) => {
            let left = baseline.failing().into_iter();
            let left = left.filter(|test| !accepted.cured.contains(test));
            let passing = baseline.passing().len();
            let cured: Vec<String> = accepted.cured.iter().map(name).collect();
            let result = format!("breaks no test; fixes {}", count(cured.len(), "test"));
            let confirmation = Confirmation::Holds {
                failing: left.map(|test| name(&test)).collect(),
                cured,
                passing,
                doubts: accepted.doubts,
            };
            (confirmation, result)
        }
        Err(rejection) => {
            let why = match rejection {
                Rejection::ChangesNothing => "it changes nothing".to_owned(),
                Rejection::DoesNotBuild => DOES_NOT_BUILD.to_owned(),
                Rejection::FailsATest(None) => {
                    "a doctest that passed before fails with it".to_owned()
                }
                Rejection::FailsATest(Some(test)) if targets.contains(&test) => {
                    format!("{} still fails with it", code(&name(&test)))
                }
                Rejection::FailsTogether => TOGETHER.to_owned(),
                Rejection::FailsATest(Some(test)) => {
                    format!("{} passed before and fails with it", code(&name(&test)))
                }
            };
            (Confirmation::Refuted(why.clone()), why)
        }
    };
    progress.finish(phase, runner.runs(), &result);
    Ok(confirmation)
}

/// For a subject without tests: only checks whether it builds.
fn built_only(workspace: &Workspace, texts: &[(Utf8PathBuf, String)]) -> Result<Confirmation> {
    let Workspace { tree, root, .. } = workspace;
    tree.restore()?;
    for (path, text) in texts {
        tree.write(&root.join(path), text)?;
    }
    Ok(match workspace.build(Linked::Plain)?.succeeded {
        true => Confirmation::WithoutTests,
        false => Confirmation::Refuted(DOES_NOT_BUILD.to_owned()),
    })
}

/// Adds changed files without sites, such as headers that no pattern matches.
fn add_missing(
    sources: &mut Sources,
    workspace: &Workspace,
    texts: &[(Utf8PathBuf, String)],
) -> Result<()> {
    for (path, _) in texts {
        if sources.files.iter().any(|file| file.path == *path) {
            continue;
        }
        let real = workspace.root.join(path);
        let text = files::text(&real).with_context(|| format!("cannot read {real}"))?;
        let like = sources.files.first().cloned();
        let like = like.with_context(|| format!("{path} cannot be tested: no source was read"))?;
        sources.files.push(File {
            path: path.clone(),
            text,
            ..like
        });
    }
    Ok(())
}

/// The texts as edits that replace whole files.
fn edits(sources: &Sources, texts: &[(Utf8PathBuf, String)]) -> Vec<Edit> {
    let changed = texts.iter().filter_map(|(path, text)| {
        let file = sources.files.iter().find(|file| file.path == *path)?;
        Some(Edit {
            file: file.path.clone(),
            line: 1,
            column: 1,
            span: 0..file.text.len(),
            mark: None,
            before: file.text.clone(),
            after: text.clone(),
        })
    });
    changed.collect()
}
