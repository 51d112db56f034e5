//! Asks formulas about the conditions of the subject ([`crate::formula::conditions`]) on a thread of its own, from the
//! end of the baseline until conditions are forced.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Result;
use camino::Utf8Path;
use nopol_process::run::id::TestId;
use nopol_process::run::process::Supervisor;
use nopol_process::run::suite::{Baseline, TestIndex};
use nopol_source::{SiteIndex, Sources};
use typed_index_collections::TiSlice;

use crate::formula::conditions::{Foresight, Spot, foresee};
use crate::localize::foreseen::Foreseen;
use crate::subject::Subject;
use crate::subject::ecosystem::ProgramText;

/// Most failing tests that formulas are asked about.
const MOST_TESTS: usize = 4;

/// How often to check whether the thread has finished.
const PAUSE: Duration = Duration::from_millis(2);

/// Stack size of the thread, in bytes: encoders recurse with the program.
const STACK: usize = 256 << 20;

/// The answers of the formulas, as soon as they are known.
#[derive(Default)]
pub struct Foreseeing {
    asked: Mutex<Option<JoinHandle<Vec<Foresight>>>>,
    tests: BTreeMap<String, TestIndex>,
    sites: BTreeMap<Spot, SiteIndex>,
    known: OnceLock<Foreseen>,
}

impl Foreseeing {
    /// Starts the thread for these failing tests. Without a thread, or for a test that it cannot model, no answers are
    /// known.
    pub fn start(
        subject: &Subject,
        root: &Utf8Path,
        sources: &Sources,
        tests: &TiSlice<TestIndex, TestId>,
        baseline: &Baseline,
        targets: &[TestIndex],
    ) -> Self {
        let conditions = sources.sites.iter_enumerated();
        let conditions = conditions.filter(|(_, site)| site.kind.has_condition());
        let sites: BTreeMap<_, SiteIndex> = conditions
            .map(|(index, site)| {
                let path = sources.files[site.file].path.clone();
                ((path, site.span.start, site.span.end), index)
            })
            .collect();
        // Tests with the same name in several targets cannot be told apart, so they are left out.
        let is_only = |test: &&TestIndex| {
            let name = &tests[**test].name;
            tests.iter().filter(|other| other.name == *name).count() == 1
        };
        let asked = targets.iter().filter(is_only).take(MOST_TESTS);
        let of_name: BTreeMap<String, TestIndex> = asked
            .map(|test| (tests[*test].name.clone(), *test))
            .collect();
        let spots: BTreeSet<_> = sites.keys().cloned().collect();
        let failing = baseline.failing().into_iter();
        let failing: BTreeSet<String> = failing.map(|test| tests[test].name.clone()).collect();
        let names: Vec<String> = of_name.keys().cloned().collect();
        let is_described =
            |whole: &ProgramText| subject.ecosystem.other_program(root, whole).is_none();
        let whole = subject.ecosystem.whole(root).ok().filter(is_described);
        let thread = whole.and_then(|whole| {
            let asking = move || foresee(&whole, &names, &failing, &spots);
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn(asking).ok()
        });
        Self {
            asked: Mutex::new(thread),
            tests: of_name,
            sites,
            known: OnceLock::new(),
        }
    }

    /// The answers; waits for the thread.
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn known(&self, supervisor: &Supervisor) -> Result<&Foreseen> {
        let asked = self
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let answers = match asked {
            None => Vec::new(),
            Some(thread) => {
                while !thread.is_finished() {
                    supervisor.check()?;
                    thread::sleep(PAUSE);
                }
                // A panic of the thread must not end the search.
                thread.join().unwrap_or_default()
            }
        };
        Ok(self.known.get_or_init(|| self.translated(&answers)))
    }

    /// Translates answers to tests and sites of the search.
    fn translated(&self, answers: &[Foresight]) -> Foreseen {
        let mut known = Foreseen::default();
        for answer in answers {
            let Some(&test) = self.tests.get(&answer.test) else {
                continue;
            };
            let site = |spot: &Spot| self.sites.get(spot).copied();
            for (spot, outcomes) in &answer.angelic {
                if let Some(site) = site(spot) {
                    known.add(test, site, outcomes);
                }
            }
            let hopeless = answer.hopeless.iter().filter_map(site);
            known.hopeless.extend(hopeless.map(|site| (test, site)));
        }
        known
    }
}
