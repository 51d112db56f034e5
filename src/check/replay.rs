//! Counterexamples that failing tests with generated input printed: each is written into a copy of its test, so that
//! a patch has to hold for it as well. A test that generates other input in the next run may not meet it again.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_instrument::layout::env;
use nopol_process::run::id::TestId;
use nopol_process::run::suite::{Baseline, Suite, TestIndex};
use nopol_process::run::{Plan, Runner};
use nopol_source::Language;
use nopol_source::language::{Counterexample, Lists, Writing};
use typed_index_collections::TiSlice;

use crate::subject::workspace::{Linked, Workspace};

/// Files of tests that may have the test, tried in the order of their names.
const MOST_FILES: usize = 8;
/// How lists are written, in the order in which it is tried.
const LISTS: [Lists; 3] = [Lists::Vectors, Lists::Arrays, Lists::Collected];

/// A failing test with generated input, and its counterexample.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The test.
    pub test: TestIndex,
    /// Its name.
    name: String,
    /// The file that has it, relative to the root.
    file: Utf8PathBuf,
    inputs: Vec<Counterexample>,
    writing: Writing,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Replays {
    language: Language,
    /// For each variant in the subject the enum that has it.
    enums: BTreeMap<String, String>,
    of: Vec<Replay>,
    /// The files that have these tests, as they are in the subject.
    files: BTreeMap<Utf8PathBuf, String>,
    /// Tests of which a counterexample is known that cannot be run on it.
    pub impossible: Vec<TestIndex>,
}

/// What replays are prepared with.
#[derive(Debug)]
pub struct Preparation<'a> {
    /// The working copy; it is as before afterwards.
    pub workspace: &'a Workspace<'a>,
    /// What runs the tests.
    pub runner: &'a Runner<'a>,
    /// The language of the subject.
    pub language: Language,
    /// The time limit of one run.
    pub timeout: Duration,
}

impl Replays {
    /// Writes the counterexamples that the baseline's failing tests printed into the tests. One is kept if the unpatched
    /// subject fails on it.
    ///
    /// # Errors
    /// If a file cannot be written, or the run is stopped.
    pub fn prepare(
        with: &Preparation,
        tests: &TiSlice<TestIndex, TestId>,
        baseline: &Baseline,
    ) -> Result<Self> {
        let mut replays = Self {
            language: with.language,
            ..Self::default()
        };
        let generators = with.language.generators();
        let known = baseline.output.iter();
        let known: Vec<(TestIndex, Counterexample)> = known
            .filter_map(|(test, output)| Some((*test, generators.counterexample(output)?)))
            .collect();
        if known.is_empty() {
            return Ok(replays);
        }
        let texts = texts_below(&with.workspace.root);
        let variants = texts.values().flat_map(|text| generators.variants(text));
        replays.enums = variants.collect();
        for (test, input) in known {
            match replays.replay(with, tests, &texts, test, input)? {
                Some(replay) => {
                    let text = texts[&replay.file].clone();
                    replays.files.entry(replay.file.clone()).or_insert(text);
                    replays.of.push(replay);
                }
                None => replays.impossible.push(test),
            }
        }
        Ok(replays)
    }

    /// The replay of a test, in the first file and the first way that makes the test fail on its counterexample.
    fn replay(
        &self,
        with: &Preparation,
        tests: &TiSlice<TestIndex, TestId>,
        texts: &BTreeMap<Utf8PathBuf, String>,
        test: TestIndex,
        input: Counterexample,
    ) -> Result<Option<Replay>> {
        let id = &tests[test];
        let workspace = with.workspace;
        let mut replay = Replay {
            test,
            name: id.name.to_string(),
            file: Utf8PathBuf::new(),
            inputs: vec![input],
            writing: Writing {
                enums: self.enums.clone(),
                lists: Lists::Vectors,
            },
        };
        let mut tried = 0;
        for (file, text) in texts {
            if self.pin(text, std::slice::from_ref(&replay)).is_none() {
                continue;
            }
            tried += 1;
            replay.file.clone_from(file);
            let mut does_fail = false;
            for lists in LISTS {
                replay.writing.lists = lists;
                let Some(pinned) = self.pin(text, std::slice::from_ref(&replay)) else {
                    break;
                };
                workspace.tree.write(&workspace.root.join(file), &pinned)?;
                let build = workspace.build(Linked::Plain)?;
                if !build.succeeded {
                    continue;
                }
                let suite = Suite {
                    runner: with.runner,
                    tests,
                    binaries: &build.binaries,
                };
                does_fail = build.binaries.contains_key(&id.target)
                    && !replay.passes(&suite, with.timeout)?;
                break;
            }
            workspace.tree.write(&workspace.root.join(file), text)?;
            if does_fail {
                return Ok(Some(replay));
            }
            if tried == MOST_FILES {
                break;
            }
        }
        Ok(None)
    }

    /// The text of a file with the counterexamples of its tests; `None` if it has none of them.
    pub fn pinned(&self, file: &Utf8Path, text: &str) -> Option<String> {
        let here: Vec<Replay> = self
            .of
            .iter()
            .filter(|it| it.file == file)
            .cloned()
            .collect();
        self.pin(text, &here)
    }

    fn pin(&self, text: &str, replays: &[Replay]) -> Option<String> {
        let generators = self.language.generators();
        let mut pinned = None;
        for replay in replays {
            let Replay {
                name,
                inputs,
                writing,
                ..
            } = replay;
            let text = pinned.as_deref().unwrap_or(text);
            pinned = Some(generators.replaying(text, name, inputs, env::REPLAY, writing)?);
        }
        pinned
    }

    /// The files with such tests, and their texts in the subject.
    pub fn files(&self) -> impl Iterator<Item = (&Utf8PathBuf, &String)> {
        self.files.iter()
    }

    /// The number of tests that have one.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether no test has one.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The counterexample of a test.
    pub fn of(&self, test: TestIndex) -> Option<&Replay> {
        self.of.iter().find(|replay| replay.test == test)
    }
}

impl Replay {
    /// Whether the test passes on each counterexample, in a build that has them.
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn passes(&self, suite: &Suite, timeout: Duration) -> Result<bool> {
        for number in 1..=self.inputs.len() {
            let plan = Plan {
                timeout,
                replay: Some(number),
                ..Plan::default()
            };
            if !suite.run(self.test, &plan)?.verdict.passed() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The Rust files below a directory, but for those of builds, by their paths relative to it.
fn texts_below(root: &Utf8Path) -> BTreeMap<Utf8PathBuf, String> {
    let is_source = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name == "target" || name.starts_with('.'))
    };
    let files = walkdir::WalkDir::new(root).into_iter();
    let files = files.filter_entry(is_source).flatten().filter_map(|file| {
        let path = Utf8PathBuf::from_path_buf(file.into_path()).ok()?;
        let relative = path.strip_prefix(root).ok()?.to_owned();
        let is_rust = path.extension() == Some("rs");
        is_rust.then(|| Some((relative, std::fs::read_to_string(path).ok()?)))?
    });
    files.collect()
}
