//! Test binaries: what is needed to run the tests of a built target, and how they are judged.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

use super::command::{Case, Command, Comparison, Input};
use super::rules::Rules;
use crate::copy::tree::Tree;

/// What the test is called that is a whole binary.
pub const WHOLE: &str = "main";

/// A built target that has tests, and what is needed to run it.
#[derive(Clone, Debug)]
pub struct Binary {
    /// The test binary; empty if each test is a command of its own.
    pub exe: Utf8PathBuf,
    /// The package's directory, or the working copy's root.
    pub cwd: Utf8PathBuf,
    /// The directory in the subject itself that corresponds to `cwd`.
    pub original: Utf8PathBuf,
    /// Environment variables that its tests need.
    pub env: Vec<(String, String)>,
    /// How its tests are run and judged.
    pub harness: Harness,
    /// The working copy in which it runs.
    pub tree: Arc<Tree>,
    /// Paths outside of the working copy that it may also write to.
    pub writable: Vec<Utf8PathBuf>,
    /// The rules of a test tool for its tests, if there is such a tool. They never share a process then.
    pub rules: Option<Arc<Rules>>,
}

impl Binary {
    /// Makes the whole binary one test, [`WHOLE`]: it passes if it ends with exit code 0, as for cargo.
    pub fn be_one_test(&mut self) {
        let case = Case {
            name: WHOLE.to_owned(),
            command: Command::Words(vec![self.exe.to_string()]),
            cwd: Utf8PathBuf::new(),
            stdin: Input::Nothing,
            exit: 0,
            stdout: None,
            comparison: Comparison::Exact,
            timeout: None,
            part: None,
        };
        self.harness = Harness::Commands(Arc::new(Commands {
            cases: BTreeMap::from([(case.name.clone(), case)]),
            needs_addresses: false,
        }));
    }

    /// The directory in the subject itself that corresponds to one of the working copy.
    pub fn in_users_tree(&self, dir: &Utf8Path) -> Utf8PathBuf {
        match dir.strip_prefix(&self.cwd) {
            Ok(below) => self.original.join(below),
            Err(_) => self.original.clone(),
        }
    }

    /// The directory in the subject itself in which the user runs a test; it may not be there.
    ///
    /// # Errors
    /// If there is no such test.
    pub fn users_dir(&self, test: &str) -> Result<Utf8PathBuf> {
        Ok(match &self.harness {
            Harness::Standard { .. } => self.original.clone(),
            Harness::Commands(commands) => {
                self.in_users_tree(&self.cwd.join(&commands.case(test)?.cwd))
            }
        })
    }

    /// The test of which this one is a part. `None` if it is whole.
    pub fn whole(&self, test: &str) -> Option<&str> {
        match &self.harness {
            Harness::Commands(commands) => {
                let part = commands.cases.get(test)?.part.as_ref()?;
                Some(&part.of)
            }
            Harness::Standard { .. } => None,
        }
    }

    /// Runs its tests as a test tool with these rules would.
    pub fn follow(&mut self, rules: &Arc<Rules>) {
        // Tests ask by these whether they have a process to themselves.
        let told = [
            ("NEXTEST", "1"),
            ("NEXTEST_EXECUTION_MODE", "process-per-test"),
        ];
        self.env
            .extend(told.map(|(name, value)| (name.to_owned(), value.to_owned())));
        self.rules = Some(Arc::clone(rules));
    }

    /// Whether a path was compiled into the test binary.
    pub fn has_compiled_in(&self, path: &Utf8Path) -> bool {
        let bytes = fs::read(&self.exe).unwrap_or_default();
        memchr::memmem::find(&bytes, path.as_str().as_bytes()).is_some()
    }
}

/// How the tests of a target are run and judged.
#[derive(Clone, Debug)]
pub enum Harness {
    /// Rust's own test harness, or a compatible one.
    Standard {
        /// The harness does not accept `--nocapture`.
        captures: bool,
    },
    /// Each test is a command of its own.
    Commands(Arc<Commands>),
}

/// Tests that are commands, by name.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// The tests by name.
    pub cases: BTreeMap<String, Case>,
    /// The tests need more address space than a limit would allow, because of a sanitizer's shadow memory.
    pub needs_addresses: bool,
}

impl Harness {
    /// Whether the harness does not accept `--nocapture`.
    pub fn captures(&self) -> bool {
        matches!(self, Self::Standard { captures: true })
    }
}

impl Commands {
    pub(super) fn case(&self, test: &str) -> Result<&Case> {
        let case = self.cases.get(test);
        case.with_context(|| format!("there is no test `{test}`"))
    }
}

impl Harness {
    pub(super) fn needs_addresses(&self) -> bool {
        matches!(self, Self::Commands(commands) if commands.needs_addresses)
    }
}
