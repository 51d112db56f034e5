//! A subject for a debugger: built for it in a working copy, and the command of one of its tests. The subject's own tree is
//! neither built in nor written to by the test.

use anyhow::Result;
use camino::Utf8PathBuf;

use super::ending;
use super::settings::Settings;
use super::setup::Setup;
use crate::report::progress::Progress;
use crate::report::{Ending, Outcome};
use crate::run::Harness;
use crate::run::command::Command;
use crate::run::confine::{Circumstances, Confinement};
use crate::run::process::Supervisor;
use crate::source::Language;
use crate::subject::workspace::Linked;
use crate::subject::{Subject, SubjectError};

/// How a test is started by hand.
#[derive(Clone, Debug)]
pub struct Started {
    /// The program.
    pub program: Utf8PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it reads.
    pub input: Option<Utf8PathBuf>,
    /// Its working directory.
    pub directory: Utf8PathBuf,
    /// Variables that it gets.
    pub set: Vec<(String, String)>,
    /// Variables that it does not get.
    pub unset: Vec<&'static str>,
    /// The sources, relative to the subject's root, with their texts.
    pub sources: Vec<(Utf8PathBuf, String)>,
}

/// Builds the subject for a debugger and calls `then` with the program of a test; afterwards the working copy is released. Without
/// a name there must be a single test.
///
/// # Errors
/// If the subject cannot be copied or built, the run is stopped, or there is no such test.
pub fn with_program<T>(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: &Progress,
    test: Option<&str>,
    then: impl FnOnce(Started) -> T,
) -> Result<T, (Ending, String)> {
    let debugged = debug(settings, subject, supervisor, progress, test, then);
    debugged.map_err(|error| ending::of(&error))
}

fn debug<T>(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: &Progress,
    test: Option<&str>,
    then: impl FnOnce(Started) -> T,
) -> Result<T> {
    let mut unsaid = Outcome::default();
    let setup = Setup::new(settings, subject?, supervisor, &mut unsaid)?;
    let mut copies = setup.copies(progress, &mut unsaid)?;
    copies.plain.is_debugged = true;
    let whole = copies.plain.subject.ecosystem.whole(&copies.plain.root)?;
    if whole.language != Language::C {
        return Err(usage("only C programs can be debugged".to_owned()));
    }
    let phase = progress.start("building", 0, 0);
    let build = copies.plain.build(Linked::Plain)?;
    progress.finish(phase, 0, "for the debugger");
    if !build.succeeded {
        let command = copies.plain.subject.build_command();
        return Err(SubjectError::CannotBuild(build.output, command).into());
    }
    let Some(binary) = build.binaries.values().next() else {
        return Err(usage("there is no program to debug".to_owned()));
    };
    let Harness::Commands(commands) = &binary.harness else {
        return Err(usage("only C programs can be debugged".to_owned()));
    };
    let names: Vec<&str> = commands.cases.keys().map(String::as_str).collect();
    let name = match (test, names.as_slice()) {
        (Some(test), _) => test,
        (None, [single]) => single,
        (None, names) => {
            return Err(usage(format!(
                "say by --test which test to debug: {}",
                listed(names)
            )));
        }
    };
    let Some(case) = commands.cases.get(name) else {
        return Err(usage(format!(
            "there is no test `{name}`; the tests are {}",
            listed(&names)
        )));
    };
    if let Command::Line(line) = &case.command {
        return Err(usage(format!(
            "test `{name}` is the shell command `{line}`, which cannot be debugged: give the program itself, as `cargo nopol debug PROGRAM -- ARGS`"
        )));
    }
    let (program, arguments) = case.command.start();
    let directory = binary.cwd.join(&case.cwd);
    let confinement = setup.confinement();
    let files = confinement.scratch.join("debugged");
    confinement.prepare(&files)?;
    let mut set = binary.env.clone();
    set.extend(confinement.env(&files, Circumstances::default()));
    let started = Started {
        program: match program.as_str().contains('/') {
            true => directory.join(program),
            false => program,
        },
        arguments,
        input: case.stdin.file(&binary.cwd, &files)?,
        directory,
        set,
        unset: Confinement::unset(),
        sources: whole.files,
    };
    Ok(then(started))
}

fn usage(text: String) -> anyhow::Error {
    SubjectError::Usage(text).into()
}

/// Most names that are listed.
const MANY: usize = 8;

fn listed(names: &[&str]) -> String {
    let more = match names.len() > MANY {
        true => format!(" and {} more", names.len() - MANY),
        false => String::new(),
    };
    names[..names.len().min(MANY)].join(", ") + &more
}
