//! The coverage spectrum: which tests reach which site, and Ochiai suspiciousness (the Nopol paper, §3.2.3).

use std::collections::{BTreeMap, BTreeSet};

use nopol_process::run::Verdict;
use nopol_process::run::suite::TestIndex;
use nopol_process::run::trace::{Counter, Trace};
use nopol_source::SiteIndex;

/// For each test, how often it evaluated each site that it reached.
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    /// By test, the counters of the sites that it reached.
    pub reached: BTreeMap<TestIndex, BTreeMap<SiteIndex, Counter>>,
    /// Steps of each test: loop iterations and evaluations, in the build where it made most.
    pub steps: BTreeMap<TestIndex, u64>,
    /// Tests that a limit stopped, as if they never ended. Their counters only show when that was.
    pub endless: BTreeSet<TestIndex>,
    /// Those of them that the time limit stopped, not the limit of steps.
    pub late: BTreeSet<TestIndex>,
    /// The last sites that tests entered before they crashed.
    pub crashes: BTreeMap<TestIndex, SiteIndex>,
    /// The last sites that tests entered which did not crash, or of which a framework hides that they did.
    pub ends: BTreeMap<TestIndex, SiteIndex>,
    /// Tests that draw random numbers: they may see other input in each run.
    pub drawing: BTreeSet<TestIndex>,
    /// Tests whose conditions see other values in each run, whatever the reason.
    pub varying: BTreeSet<TestIndex>,
    /// Tests that run much longer than any other once they are cured.
    pub long: BTreeSet<TestIndex>,
    /// Forced runs that were not made, because the time limit of the whole run left too little.
    pub left_out: usize,
}

/// A site that some failing test reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect {
    /// The site.
    pub site: SiteIndex,
    /// Ochiai's coefficient, 0 to 1.
    pub suspiciousness: f64,
}

impl Spectrum {
    /// Adds the trace of one test. It may come from another build than the test's earlier traces.
    pub fn add(&mut self, test: TestIndex, trace: &Trace, verdict: Verdict) {
        self.reached
            .entry(test)
            .or_default()
            .extend(&trace.counters);
        if trace.drawn > 0 {
            self.drawing.insert(test);
        }
        let steps = self.steps.entry(test).or_default();
        *steps = trace.steps.max(*steps);
        if matches!(verdict, Verdict::OutOfFuel | Verdict::TimedOut) {
            self.endless.insert(test);
            if verdict == Verdict::TimedOut {
                self.late.insert(test);
            }
        } else if let Some(last) = trace.last {
            self.crashes.insert(test, last);
        } else if let Some(last) = trace.last_of_ended {
            self.ends.insert(test, last);
        }
    }

    /// Whether a test may see other input in each run.
    pub fn is_random(&self, test: TestIndex) -> bool {
        self.drawing.contains(&test) || self.varying.contains(&test)
    }

    /// The tests that may see other input in each run.
    pub fn random(&self) -> BTreeSet<TestIndex> {
        &self.drawing | &self.varying
    }

    /// Forgets which sites a test reached, and returns them; the test counts as traced. `None` if it is not traced.
    pub fn forget(&mut self, test: TestIndex) -> Option<BTreeMap<SiteIndex, Counter>> {
        self.reached.get_mut(&test).map(std::mem::take)
    }

    /// The number of steps to expect of a test if it ends. This is also what its runs cost: counted and not timed,
    /// so that the same runs are made on every machine.
    pub fn expected_steps(&self, test: TestIndex) -> u64 {
        if !self.endless.contains(&test) {
            return self.steps.get(&test).copied().unwrap_or(0);
        }
        self.most_steps()
    }

    /// The most steps of any test that ends.
    pub fn most_steps(&self) -> u64 {
        let ending = self.steps.iter();
        let ending = ending.filter(|(test, _)| !self.endless.contains(test));
        ending.map(|(_, steps)| *steps).max().unwrap_or(0)
    }

    /// The median of the steps of all tests that end.
    pub fn usual_steps(&self) -> u64 {
        let ending = self.steps.iter();
        let ending = ending.filter(|(test, _)| !self.endless.contains(test));
        let mut steps: Vec<u64> = ending.map(|(_, steps)| *steps).collect();
        steps.sort_unstable();
        steps.get(steps.len() / 2).copied().unwrap_or(0)
    }

    /// Whether a test reaches a site.
    pub fn reaches(&self, test: TestIndex, site: SiteIndex) -> bool {
        self.reached
            .get(&test)
            .is_some_and(|sites| sites.contains_key(&site))
    }

    /// The total number of evaluations in a test. The shortest failing test is the most informative about the
    /// fault.
    pub fn length(&self, test: TestIndex) -> u64 {
        self.reached.get(&test).map_or(0, |sites| {
            sites.values().map(|counter| counter.entered).sum()
        })
    }

    /// The sites that failing tests reach, most suspicious first, by Ochiai's coefficient:
    /// `failed / sqrt(total_failed · (failed + passed))`.
    pub fn rank(&self, failing: &[TestIndex], passing: &[TestIndex]) -> Vec<Suspect> {
        let count = |tests: &[TestIndex]| {
            let mut counts: BTreeMap<SiteIndex, u32> = BTreeMap::new();
            for site in tests
                .iter()
                .filter_map(|test| self.reached.get(test))
                .flat_map(BTreeMap::keys)
            {
                *counts.entry(*site).or_default() += 1;
            }
            counts
        };
        let (failed, passed) = (count(failing), count(passing));
        let total = failing.len() as f64;
        let mut suspects: Vec<Suspect> = failed
            .iter()
            .map(|(site, failed)| {
                let failed = f64::from(*failed);
                let passed = f64::from(passed.get(site).copied().unwrap_or(0));
                Suspect {
                    site: *site,
                    suspiciousness: failed / (total * (failed + passed)).sqrt(),
                }
            })
            .collect();
        suspects.sort_by(|a, b| {
            b.suspiciousness
                .total_cmp(&a.suspiciousness)
                .then(a.site.cmp(&b.site))
        });
        suspects
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::localize::fixture::{site, test, tests};

    #[test]
    fn ochiai_ranks_sites_that_only_failing_tests_reach_first() {
        let mut spectrum = Spectrum::default();
        for (number, sites) in [(0, vec![1, 2]), (1, vec![2]), (2, vec![2, 3])] {
            let mut trace = Trace::default();
            for at in sites {
                trace.counters.insert(
                    site(at),
                    Counter {
                        entered: 1,
                        ..Counter::default()
                    },
                );
            }
            spectrum.add(test(number), &trace, Verdict::Passed);
        }
        let ranked = spectrum.rank(&tests(&[0]), &tests(&[1, 2]));
        assert_eq!(
            ranked
                .iter()
                .map(|suspect| suspect.site)
                .collect::<Vec<_>>(),
            [site(1), site(2)]
        );
        assert_eq!(ranked[0].suspiciousness, 1.0);
        assert!((ranked[1].suspiciousness - 1.0 / 3f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_test_that_is_stopped_has_not_crashed() {
        let mut spectrum = Spectrum::default();
        let crashed = Trace {
            last: Some(site(4)),
            ..Trace::default()
        };
        spectrum.add(test(0), &crashed, Verdict::Failed);
        spectrum.add(test(1), &crashed, Verdict::TimedOut);
        spectrum.add(test(2), &trace(5, &[(4, 1)]), Verdict::Failed);
        assert_eq!(spectrum.crashes, BTreeMap::from([(test(0), site(4))]));
    }

    /// A trace with these numbers of evaluations.
    fn trace(steps: u64, entered: &[(u32, u64)]) -> Trace {
        let counter = |entered| Counter {
            entered,
            ..Counter::default()
        };
        let counters = entered
            .iter()
            .map(|(at, times)| (site(*at), counter(*times)));
        Trace {
            steps,
            counters: counters.collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn only_sites_that_failing_tests_reach_are_suspects_and_ties_keep_their_order() {
        let mut spectrum = Spectrum::default();
        spectrum.add(test(0), &trace(0, &[(7, 1), (4, 1)]), Verdict::Failed);
        spectrum.add(test(1), &trace(0, &[(9, 1)]), Verdict::Passed);
        let ranked = spectrum.rank(&tests(&[0]), &tests(&[1]));
        let sites: Vec<SiteIndex> = ranked.iter().map(|suspect| suspect.site).collect();
        assert_eq!(sites, [site(4), site(7)]);
    }

    #[test]
    fn an_endless_test_is_expected_to_run_like_the_longest_one_that_ends() {
        let mut spectrum = Spectrum::default();
        for (number, steps) in [(0, 10), (1, 30), (2, 20)] {
            spectrum.add(test(number), &trace(steps, &[]), Verdict::Passed);
        }
        spectrum.add(test(3), &trace(1_000_000, &[]), Verdict::OutOfFuel);
        spectrum.add(test(4), &trace(2_000_000, &[]), Verdict::TimedOut);
        assert_eq!(spectrum.expected_steps(test(2)), 20);
        assert_eq!(spectrum.expected_steps(test(3)), 30);
        assert_eq!((spectrum.most_steps(), spectrum.usual_steps()), (30, 20));
        assert_eq!(Spectrum::default().usual_steps(), 0);
    }

    #[test]
    fn traces_of_several_builds_are_merged() {
        let mut spectrum = Spectrum::default();
        spectrum.add(test(0), &trace(5, &[(1, 2)]), Verdict::Failed);
        spectrum.add(test(0), &trace(6, &[(2, 3)]), Verdict::Failed);
        assert!(spectrum.reaches(test(0), site(1)) && spectrum.reaches(test(0), site(2)));
        assert!(!spectrum.reaches(test(0), site(3)) && !spectrum.reaches(test(1), site(1)));
        assert_eq!((spectrum.length(test(0)), spectrum.length(test(1))), (5, 0));
    }
}
