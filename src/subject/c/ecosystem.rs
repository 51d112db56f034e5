//! A C program as a subject.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::copy::stamp::Stamp;
use nopol_process::run::Runner;
use nopol_process::run::command::{self, Case, Input};
use nopol_process::run::id::{TargetId, TestId};
use nopol_source::Language;
use nopol_source::c::language::Files;
use nopol_source::language::Readable;

use super::as_built::{self, AsBuilt};
use super::build::{self, build};
use super::options::COptions;
use super::{Program, calls, load, made, other_program, print, reference, runtime};
use crate::subject::ecosystem::{Answered, Described, Description, Ecosystem, ProgramText};
use crate::subject::workspace::{Build, Compiled, Doctests, Linked, Targets, Workspace};
use crate::subject::{AddedFile, Subject, SubjectError, dependencies, files, paths};

impl Description for COptions {
    fn load(&self) -> Result<Subject, SubjectError> {
        load(self)
    }

    fn command(&self) -> &'static str {
        "cargo nopol c"
    }

    fn test_options(&self) -> &'static str {
        "`[[c.test]]`, `[c.tests]` and `[c.script]` in nopol.toml"
    }

    fn test_args(&self) -> &[String] {
        &[]
    }
}

impl Ecosystem for Program {
    fn readable(&self, _: &Utf8Path) -> Box<dyn Readable> {
        Box::new(Files::new(self.sources.clone()))
    }

    /// The build makes the calls known, and each call is made again for the preprocessor alone. An instrumented build is
    /// used, because only there all compilers are shims; the sources are still as they are.
    fn readable_as_compiled(
        &self,
        at: &Workspace,
        runtime: &Utf8Path,
    ) -> Result<Option<Box<dyn Readable>>> {
        at.build(Linked::Runtime(runtime))?;
        let taken = calls::taken_lines(at, &calls::read(&build::calls_log(at)))?;
        Ok(Some(Box::new(Files {
            paths: self.sources.clone(),
            taken: Some(taken),
        })))
    }

    fn build(&self, at: &Workspace, linked: Linked, _: Targets) -> Result<Build> {
        build(at, self, linked)
    }

    /// Of variables that are used uninitialized: their values are undefined, so tests say little.
    fn warnings(
        &self,
        at: &Workspace,
        instrumented: &Workspace,
        file: &Utf8Path,
    ) -> Result<Vec<String>> {
        let calls = calls::read(&build::calls_log(instrumented));
        let calls = calls
            .into_iter()
            .map(|call| call.moved(&instrumented.root, &at.root));
        calls::warnings(at, calls.collect(), file)
    }

    fn build_command(&self) -> String {
        self.build.clone()
    }

    fn built(&self, _: &Build) -> String {
        format!("`{}`", self.build.lines().next().unwrap_or_default())
    }

    fn runtime(&self, base: &Utf8Path, _: &Utf8Path) -> Result<Utf8PathBuf> {
        runtime(base)
    }

    fn answered(
        &self,
        version: &Utf8Path,
        at: &Workspace,
        runner: &Runner,
        timeout: Duration,
    ) -> Result<Answered> {
        reference::answered(self, version, at, runner, timeout)
    }

    fn other_program(&self, root: &Utf8Path, whole: &ProgramText) -> Option<String> {
        let found = other_program::find(&self.build, root, &whole.files);
        found.map(|found| found.to_string())
    }

    fn has_cheap_build(&self) -> bool {
        !self.build.is_empty()
    }

    fn as_built(&self, at: &Workspace, runtime: &Utf8Path) -> Result<(Described, Build)> {
        let build = at.build(Linked::Runtime(runtime))?;
        if !build.succeeded {
            return Ok((Described::Unknown, build));
        }
        let calls = calls::read(&build::calls_log(at));
        let described = match as_built::as_built(at, &calls, &self.sources)? {
            AsBuilt::Unknown => Described::Unknown,
            AsBuilt::Same => Described::Right,
            AsBuilt::Other(difference) => Described::Wrong(difference.to_string()),
        };
        Ok((described, build))
    }

    fn whole(&self, root: &Utf8Path) -> Result<ProgramText, SubjectError> {
        if let Some(found) = other_program::other_sizes(&self.build, root) {
            return Err(SubjectError::UnusableBaseline(found.to_string()));
        }
        let headers = files::below(root, "h")
            .into_iter()
            .map(|path| paths::relative(root, &path));
        let paths = self.sources.iter().cloned().chain(headers).collect();
        let whole = ProgramText::read(Language::C, root, paths)?;
        let wholes = || self.cases.iter().filter(|case| case.part.is_none());
        for case in wholes() {
            made::check(root, &self.build, &self.sources, case)?;
        }
        let cases = wholes().map(|case| {
            let stdin = match &case.stdin {
                Input::File(path) => Input::Text(ProgramText::text(root, path)?),
                other => other.clone(),
            };
            let command = match &case.command {
                command::Command::Words(words) if is_script(root, &case.cwd, words) => {
                    command::Command::Line(words.join(" "))
                }
                other => other.clone(),
            };
            Ok(Case {
                command,
                stdin,
                ..case.clone()
            })
        });
        let cases = cases.collect::<Result<_, SubjectError>>()?;
        Ok(ProgramText { cases, ..whole })
    }

    fn other_texts(&self) -> &[AddedFile] {
        &self.guarded
    }

    fn tests_file(&self) -> Option<&Utf8Path> {
        self.file.as_deref()
    }

    fn described(&self, case: &Case, text: &str, comment: &str) -> Option<(usize, String)> {
        print::described(case, text, comment)
    }

    fn tests(&self, _: &Workspace, _: &mut Build) -> Result<(Vec<TestId>, Vec<TargetId>)> {
        Ok((self.all_tests(), Vec::new()))
    }

    fn may_have_doctests(&self, _: &mut dyn Iterator<Item = &str>) -> bool {
        false
    }

    fn doctests(
        &self,
        _: &Workspace,
        _: &mut dyn Iterator<Item = &str>,
        _: Duration,
        _: &[String],
    ) -> Result<Option<Doctests>> {
        Ok(None)
    }

    /// Nothing to do: the copy itself contains the object files.
    fn take_over(&self, _: &Workspace) -> Result<Compiled> {
        Ok(Compiled::Nothing)
    }

    /// Nothing to do: the same.
    fn share(&self, _: &Workspace, _: &Workspace) -> Result<()> {
        Ok(())
    }

    /// `make` compares modification times. Copied files keep theirs, except for the files that may be patched:
    /// they are newer, so that this run compiles them.
    fn set_times(&self, root: &Utf8Path, origins: &BTreeMap<PathBuf, PathBuf>) -> Result<()> {
        for (copy, original) in origins {
            let modified = Stamp::of(&fs::metadata(original)?).modified();
            set_time(copy, modified)?;
        }
        for source in &self.sources {
            set_time(root.join(source).as_std_path(), SystemTime::now())?;
        }
        Ok(())
    }

    fn configuration(&self) -> (&'static str, String) {
        (dependencies::OPTIONS, format!("{self:?}"))
    }

    fn compiler(&self) -> Command {
        let mut command = Command::new("cc");
        command.arg("--version");
        command
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn is_serial(&self) -> bool {
        self.serial
    }

    fn weak_oracle(&self) -> Option<&'static str> {
        let says = |case: &Case| case.stdout.is_some();
        match self.cases.iter().any(says) {
            _ if self.cases.is_empty() => None,
            false => Some(
                "No test states what the program must print, so only exit codes were checked: give `stdout` or `output`, or a correct version of the program with --reference.",
            ),
            true if !self.sanitize => Some(
                "With --sanitize, tests also fail if they read or write out of bounds, or if their behaviour is undefined.",
            ),
            true => None,
        }
    }

    fn is_sanitized(&self) -> bool {
        self.sanitize
    }
}

fn set_time(path: &Path, time: SystemTime) -> Result<()> {
    let file = File::options().append(true).open(path);
    let touched = file.and_then(|file| file.set_modified(time));
    touched.with_context(|| format!("cannot set the time of {}", path.display()))
}

/// Whether a command starts a script of the subject, and not the program.
fn is_script(root: &Utf8Path, cwd: &Utf8Path, words: &[String]) -> bool {
    let Some(program) = words.first() else {
        return false;
    };
    let mut start = [0; 2];
    let file = File::open(root.join(cwd).join(program));
    let read = file.and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"#!"
}
