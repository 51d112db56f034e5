//! Prepares a subject for a debugger: builds it in a working copy and finds the command of one of its tests. The
//! subject's own tree is not touched.

use anyhow::Result;
use camino::Utf8PathBuf;
use nopol_basics::agree;
use nopol_process::run::command::{Case, Command};
use nopol_process::run::confine::{Circumstances, Confinement};
use nopol_process::run::process::Supervisor;
use nopol_source::Language;

use super::settings::Settings;
use super::setup::Setup;
use crate::report::markup::code;
use crate::report::progress::Progress;
use crate::subject::workspace::Linked;
use crate::subject::{Subject, SubjectError};

/// How to start a test by hand.
#[derive(Clone, Debug)]
pub struct Started {
    /// The program.
    pub program: Utf8PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The file for its standard input.
    pub input: Option<Utf8PathBuf>,
    /// Its working directory.
    pub directory: Utf8PathBuf,
    /// Environment variables to set.
    pub set: Vec<(String, String)>,
    /// Environment variables to remove.
    pub unset: Vec<&'static str>,
    /// The sources, relative to the subject's root, with their texts.
    pub sources: Vec<(Utf8PathBuf, String)>,
}

/// Builds the subject for a debugger and calls `then` with the program of a test. The working copy is released
/// afterwards. Without a test's name there must be only one test.
///
/// # Errors
/// If there is no such test, the subject cannot be copied or built, or the run is stopped.
pub fn with_program<T>(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: &Progress,
    test: Option<&str>,
    then: impl FnOnce(Started) -> T,
) -> Result<T> {
    let subject = subject?;
    let whole = subject.ecosystem.whole(&subject.root)?;
    if whole.language != Language::C {
        return Err(usage("only C programs can be debugged"));
    }
    let case = chosen(&whole.cases, test)?;
    let setup = Setup::new(settings, subject, supervisor)?;
    let mut plain = setup.plain(progress)?;
    plain.is_debugged = true;
    let phase = progress.start("building", 0, 0);
    let build = plain.build(Linked::Plain)?;
    progress.finish(phase, 0, "for the debugger");
    if !build.succeeded {
        return Err(build.failure(plain.subject).into());
    }
    let (program, arguments) = case.command.start();
    let directory = plain.root.join(&case.cwd);
    let confinement = setup.confinement();
    let files = confinement.scratch.join("debugged");
    confinement.prepare(&files)?;
    Ok(then(Started {
        program: match program.as_str().contains('/') {
            true => directory.join(program),
            false => program,
        },
        arguments,
        // Without an input, the program would wait for the terminal.
        input: case
            .stdin
            .file(&plain.root, &files)?
            .or_else(|| Some("/dev/null".into())),
        directory,
        set: confinement.env(&files, Circumstances::default()),
        unset: Confinement::unset(),
        sources: whole.files,
    }))
}

/// The test of this name, or the only test. Its command must start a program itself, not through a shell.
fn chosen<'c>(cases: &'c [Case], test: Option<&str>) -> Result<&'c Case> {
    let case = match (test, cases) {
        (Some(test), _) => cases.iter().find(|case| case.name == test).ok_or_else(|| {
            usage(&format!(
                "no test is named `{test}`; the {} {}",
                agree(cases.len(), "test is", "tests are"),
                listed(cases)
            ))
        })?,
        (None, [single]) => single,
        (None, _) => {
            return Err(usage(&format!(
                "name the test to debug with --only: {}",
                listed(cases)
            )));
        }
    };
    match &case.command {
        Command::Words(_) => Ok(case),
        Command::Line(line) => Err(usage(&format!(
            "test `{}` is the shell command `{line}`, which cannot be debugged: give the program itself, as `cargo nopol c debug PROGRAM -- ARGS`",
            case.name
        ))),
    }
}

fn usage(text: &str) -> anyhow::Error {
    SubjectError::Usage(text.to_owned()).into()
}

/// Most test names in a message.
const MANY: usize = 8;

fn listed(cases: &[Case]) -> String {
    let names: Vec<String> = cases
        .iter()
        .map(|case| code(&case.name))
        .take(MANY)
        .collect();
    let more = match cases.len() > MANY {
        true => format!(" and {} more", cases.len() - MANY),
        false => String::new(),
    };
    names.join(", ") + &more
}
