//! Asks formulas about the conditions of the subject ([`crate::formula::conditions`]), beside the builds: on a thread of its own,
//! from the end of the baseline until conditions are forced.

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

/// Most failing tests that are asked about.
const MOST_TESTS: usize = 4;

/// How often it is looked whether there is an answer.
const PAUSE: Duration = Duration::from_millis(2);

/// The stack of the thread: encoders recurse with the program.
const STACK: usize = 256 << 20;

/// What is known, as soon as it is.
#[derive(Default)]
pub struct Foreseeing {
    asked: Mutex<Option<JoinHandle<Vec<Foresight>>>>,
    tests: BTreeMap<String, TestIndex>,
    sites: BTreeMap<Spot, SiteIndex>,
    known: OnceLock<Foreseen>,
}

impl Foreseeing {
    /// Starts to ask about these failing tests. What cannot be asked is not known.
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
        // Of tests in several targets that have the same name it is not known which is which.
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
        let thread = subject.ecosystem.whole(root).ok().and_then(|whole| {
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

    /// What is known; waits for it.
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
                // A mistake there must not be one here.
                thread.join().unwrap_or_default()
            }
        };
        Ok(self.known.get_or_init(|| self.translated(&answers)))
    }

    /// Answers in terms of the search.
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
