//! Finds a test that distinguishes a patch from others: a variant of one of the subject's tests that passes with the
//! patch and fails with another plausible patch. It is compiled and run with both before it is offered.

mod cases;
mod functions;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::count;
use nopol_process::run::id::TestId;
use nopol_process::run::process::Supervisor;
use nopol_process::run::{Binary, Harness, Plan, Runner, TestRun, pool};
use nopol_source::Sources;

use super::settings::Settings;
use super::setup::Setup;
use crate::patch::edit::{Edit, apply_all};
use crate::report::EditReport;
use crate::report::progress::Progress;
use crate::subject::workspace::{Build, Linked, Workspace};
use crate::subject::{Subject, SubjectError, files};

/// What the new test should distinguish.
#[derive(Clone, Debug)]
pub struct Question {
    /// The patch with which the test must pass.
    pub patch: Patch,
    /// The patches with one of which the test must fail, most important first.
    pub rivals: Vec<Patch>,
    /// The tests to vary, by their names in reports, most important first.
    pub tests: Vec<String>,
    /// Values for which the patches are known to differ, as written in reports.
    pub hints: Vec<String>,
}

/// A patch of a report.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The name that reports give it.
    name: String,
    /// The condition that it writes, or the code that it inserts.
    condition: String,
    edits: Vec<Edit>,
}

impl Patch {
    /// The patch with this name that makes these edits.
    pub fn new(name: String, edits: &[EditReport]) -> Self {
        // Inserted code says more than its condition.
        let changes = edits.iter().map(|edit| match edit.before.is_empty() {
            true => edit.after.trim(),
            false => edit.condition.as_str(),
        });
        let of_report = |edit: &EditReport| Edit {
            file: Utf8PathBuf::from(&edit.file),
            line: edit.line,
            column: edit.column,
            span: edit.span.clone(),
            mark: edit.mark.clone(),
            before: edit.before.clone(),
            after: edit.after.clone(),
        };
        Self {
            name,
            condition: changes.collect::<Vec<_>>().join("` and `"),
            edits: edits.iter().map(of_report).collect(),
        }
    }
}

/// A new test that distinguishes two patches.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscriminatingTest {
    /// Its name.
    pub name: String,
    /// The file to add it to, relative to the subject's root.
    pub file: Utf8PathBuf,
    /// Whether this file does not exist yet.
    pub is_new_file: bool,
    /// The text of this file.
    pub original: String,
    /// The byte of the text at which it is inserted.
    pub at: usize,
    /// The inserted text.
    pub text: String,
    /// The name of the patch with which it fails.
    pub fails: String,
}

/// Looks for a test that passes with the patch and fails with a rival. Returns the first that it finds, varying the
/// tests in order.
///
/// # Errors
/// If the subject cannot be copied or does not build with the patch, or the run is stopped.
pub fn find(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: &Progress,
    question: &Question,
) -> Result<Option<DiscriminatingTest>> {
    let setup = Setup::new(settings, subject?, supervisor)?;
    let mut copies = setup.copies(progress)?;
    let sources = setup.read(&copies, progress)?;
    copies.plain.take_over()?;
    // The search has already built the subject, so its lints do not matter.
    copies.plain.caps_lints = true;
    let runner = setup.runner();
    let bench = Bench {
        workspace: &copies.plain,
        sources: &sources,
        runner: &runner,
        settings,
    };
    let all = question.tests.len();
    let phase = progress.start("looking for a distinguishing test", 0, 0);
    let mut found = bench.find(question)?;
    if let Some(test) = &mut found
        && test.original.contains("\r\n")
    {
        test.text = test.text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let patch = &question.patch.name;
    let result = match &found {
        Some(test) => format!("`{}` distinguishes {patch} from {}", test.name, test.fails),
        None => format!(
            "no variant of {} distinguishes {patch} from the other patches",
            count(all, "test")
        ),
    };
    progress.finish(phase, runner.runs(), &result);
    Ok(found)
}

/// Builds and runs variants of tests.
struct Bench<'a> {
    workspace: &'a Workspace<'a>,
    sources: &'a Sources,
    runner: &'a Runner<'a>,
    settings: &'a Settings,
}

impl Bench<'_> {
    fn find(&self, question: &Question) -> Result<Option<DiscriminatingTest>> {
        let mut build = self.build_patched(&question.patch.edits)?;
        let (tests, _) = self.workspace.tests(&mut build)?;
        for wanted in &question.tests {
            let Some(test) = tests.iter().find(|test| test.to_string() == *wanted) else {
                continue;
            };
            let Some(binary) = build.binaries.get(&test.target) else {
                continue;
            };
            let found = match &binary.harness {
                Harness::Standard { .. } => functions::find(self, question, test)?,
                Harness::Commands(commands) => cases::find(self, question, test, binary, commands)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Builds the subject with these edits, and with text inserted into files that need not be sources.
    fn build(&self, edits: &[Edit], insertions: &[&Insertion]) -> Result<Build> {
        let Workspace { tree, root, .. } = self.workspace;
        tree.restore()?;
        let all: Vec<Edit> = insertions
            .iter()
            .map(|insertion| insertion.edit())
            .collect();
        let all = [edits, &all].concat();
        for file in &self.sources.files {
            let text = apply_all(&all, &file.path, &file.text);
            tree.write(&root.join(&file.path), text.as_ref().unwrap_or(&file.text))?;
        }
        for insertion in insertions {
            if self
                .sources
                .files
                .iter()
                .all(|file| file.path != insertion.file)
            {
                let text = insertion.edit().apply(insertion.original);
                tree.write(&root.join(insertion.file), &text)?;
            }
        }
        self.workspace.build(Linked::Plain)
    }

    /// Builds the subject with a patch that is known to compile.
    fn build_patched(&self, edits: &[Edit]) -> Result<Build> {
        let build = self.build(edits, &[])?;
        match build.succeeded {
            true => Ok(build),
            false => Err(anyhow::anyhow!("{}", build.output))
                .context("with the patch the program no longer builds"),
        }
    }

    fn run(&self, binary: &Binary, name: &str) -> Result<TestRun> {
        let plan = Plan {
            timeout: self.settings.test_timeout,
            ..Plan::default()
        };
        self.runner.run(binary, name, &plan)
    }

    /// Runs tests of a binary in parallel.
    fn run_all(&self, binary: &Binary, names: &[String]) -> Result<Vec<TestRun>> {
        pool::map(self.runner.jobs(), names, |name| self.run(binary, name))
    }

    /// The text of a file of the subject as the user has it; `None` if it cannot be read.
    fn text(&self, file: &Utf8Path) -> Option<String> {
        let mut files = self.sources.files.iter();
        match files.find(|known| known.path == file) {
            Some(known) => Some(known.text.clone()),
            None => files::text(&self.workspace.subject.root.join(file)),
        }
    }
}

/// Text to insert into a file.
struct Insertion<'a> {
    file: &'a Utf8Path,
    original: &'a str,
    at: usize,
    text: String,
}

impl Insertion<'_> {
    fn edit(&self) -> Edit {
        Edit {
            file: self.file.to_owned(),
            line: 1,
            column: 1,
            span: self.at..self.at,
            mark: None,
            before: String::new(),
            after: self.text.clone(),
        }
    }
}

/// A condition without line breaks.
fn on_one_line(condition: &str) -> String {
    condition.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The comment of a new test.
fn why(question: &Question, rival: &Patch) -> String {
    let [this, other] = [&question.patch.condition, &rival.condition].map(|text| on_one_line(text));
    format!("Passes with `{this}`, fails with `{other}`.")
}

/// The name of a test without its modules.
fn last_of(test: &TestId) -> &str {
    test.name.rsplit("::").next().unwrap_or(&test.name)
}
