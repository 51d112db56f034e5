//! Searches on a simulated subject: closures decide which forced outcomes cure which test.

use std::cell::RefCell;
use std::time::Duration;

use nopol_process::run::trace::Trace;
use nopol_source::SiteKind;
use typed_index_collections::TiVec;

use super::*;
use crate::localize::fixture::{counter, site, sites, test, tests, texts, trial};
use crate::localize::sequences::one;

const BOUNDS: Bounds = Bounds {
    timeout: Duration::from_secs(1),
    fuel: 1_000_000_000,
    flips: 100,
    at_once: 1,
    effort: 1,
    until: None,
};

/// A subject that consists of conditions, the most suspicious one first.
struct TestBed {
    sites: TiVec<SiteIndex, Site>,
    suspects: Vec<Suspect>,
    spectrum: Spectrum,
    foreseen: Foreseen,
}

impl TestBed {
    /// Creates `number` conditions. `reached` has the counters of the conditions that each test reaches.
    fn new(number: usize, reached: &[(u32, &[(u32, Counter)])]) -> Self {
        let conditions: String = (0..number)
            .map(|nth| {
                format!("pub fn f{nth}(n: u32) -> u32 {{ if n > {nth} {{ 1 }} else {{ 0 }} }}\n")
            })
            .collect();
        let mut sites = sites(&conditions);
        sites.retain(|site| site.kind == SiteKind::If);
        assert_eq!(sites.len(), number);
        let suspects = sites.keys().map(|site| Suspect {
            site,
            suspiciousness: 1.0,
        });
        let mut spectrum = Spectrum::default();
        for (number, counters) in reached {
            let counters = counters.iter().map(|(at, counter)| (site(*at), *counter));
            let trace = Trace {
                counters: counters.collect(),
                ..Trace::default()
            };
            spectrum.add(test(*number), &trace, Verdict::Failed);
        }
        Self {
            suspects: suspects.collect(),
            sites,
            spectrum,
            foreseen: Foreseen::default(),
        }
    }

    /// Searches, where `cures` decides which trials cure their test. Returns the angelic sites, and all
    /// trials in order.
    fn search(
        &self,
        failing: &[u32],
        cures: impl Fn(&str) -> bool,
    ) -> (Vec<AngelicSite>, Vec<String>) {
        let made = RefCell::new(Vec::new());
        let force = |trials: Vec<Trial>| {
            made.borrow_mut().extend(trials.iter().map(trial));
            Ok(trials
                .into_iter()
                .filter(|made| cures(&trial(made)))
                .collect())
        };
        let search = Search {
            sites: &self.sites,
            suspects: &self.suspects,
            spectrum: &self.spectrum,
            foreseen: &self.foreseen,
            bounds: BOUNDS,
            force: &force,
            deepen: &|_| Ok(Vec::new()),
            approach: &|_, _| Ok(Vec::new()),
        };
        (search.cures(&tests(failing)).unwrap(), made.into_inner())
    }
}

#[test]
fn every_site_is_forced_in_turn_before_any_site_is_forced_again() {
    let test_bed = TestBed::new(
        2,
        &[(0, &[(0, counter(1, 1, false)), (1, counter(1, 1, false))])],
    );
    let (angelic, made) = test_bed.search(&[0], |_| false);
    assert!(angelic.is_empty());
    assert_eq!(
        made[..8],
        [
            "site 0 test 0: true",
            "site 1 test 0: true",
            "site 0 test 0: false",
            "site 1 test 0: false",
            "site 0 test 0: flip@1",
            "site 1 test 0: flip@1",
            "site 0 test 0: flip@0",
            "site 1 test 0: flip@0",
        ]
    );
}

#[test]
fn no_switch_is_tried_at_a_site_that_a_constant_cures() {
    let test_bed = TestBed::new(
        2,
        &[(0, &[(0, counter(1, 1, false)), (1, counter(1, 1, false))])],
    );
    let (angelic, made) = test_bed.search(&[0], |trial| trial == "site 0 test 0: true");
    assert_eq!(angelic.len(), 1);
    assert_eq!(texts(&angelic[0].cures[&test(0)]), ["true"]);
    let switched = |site: &str| {
        made.iter()
            .any(|made| made.starts_with(site) && made.contains(".."))
    };
    assert!(!switched("site 0") && switched("site 1"));
}

#[test]
fn both_constants_are_kept_if_the_test_passes_under_either() {
    let test_bed = TestBed::new(1, &[(0, &[(0, counter(1, 1, false))])]);
    let (angelic, _) = test_bed.search(&[0], |trial| {
        trial.ends_with("true") || trial.ends_with("false")
    });
    let cures = texts(&angelic[0].cures[&test(0)]);
    assert_eq!(cures[..2], ["true", "false"]);
}

#[test]
fn another_test_is_first_tried_where_the_first_one_was_cured() {
    let reached = [(0, counter(0, 1, false)), (1, counter(0, 1, false))];
    let test_bed = TestBed::new(2, &[(0, &reached), (1, &reached)]);
    let (angelic, made) = test_bed.search(&[0, 1], |trial| {
        trial.starts_with("site 1") && trial.ends_with("true")
    });
    let [found] = &angelic[..] else {
        panic!("{angelic:?}")
    };
    assert_eq!((found.site, found.cures.len()), (site(1), 2));
    let elsewhere = made
        .iter()
        .position(|made| made.starts_with("site 0 test 1"));
    let here = made
        .iter()
        .position(|made| made.starts_with("site 1 test 1"));
    // Because there are few angelic sites, the test is finally tried at the others, too.
    assert!(here.unwrap() < elsewhere.unwrap(), "{made:?}");
}

#[test]
fn a_test_that_no_angelic_site_cures_is_tried_everywhere() {
    let reached = [(0, counter(0, 1, false)), (1, counter(0, 1, false))];
    let test_bed = TestBed::new(2, &[(0, &reached), (1, &reached)]);
    let own = ["site 0 test 0: true", "site 1 test 1: true"];
    let (angelic, _) = test_bed.search(&[0, 1], |trial| own.contains(&trial));
    let cured: Vec<(SiteIndex, Vec<TestIndex>)> = angelic
        .iter()
        .map(|found| (found.site, found.cures.keys().copied().collect()))
        .collect();
    assert_eq!(cured, [(site(0), tests(&[0])), (site(1), tests(&[1]))]);
}

#[test]
fn sites_that_the_test_does_not_reach_are_not_tried() {
    let test_bed = TestBed::new(2, &[(0, &[(1, counter(1, 0, false))])]);
    let (_, made) = test_bed.search(&[0], |_| false);
    assert!(
        !made.is_empty() && made.iter().all(|made| made.starts_with("site 1")),
        "{made:?}"
    );
}

#[test]
fn at_most_six_non_constant_cures_are_kept() {
    let test_bed = TestBed::new(1, &[(0, &[(0, counter(20, 0, false))])]);
    let (angelic, _) = test_bed.search(&[0], |trial| trial.contains("flip"));
    let kept = texts(&angelic[0].cures[&test(0)]);
    assert_eq!(kept.len(), MOST_PARTIAL);
    assert_eq!(kept[..2], ["flip@19", "flip@0"]);
}

#[test]
fn every_cure_is_replayed_with_what_is_also_forced() {
    let test_bed = TestBed::new(2, &[(0, &[(0, counter(1, 1, false))])]);
    let (mut angelic, _) = test_bed.search(&[0], |trial| trial.ends_with(": true"));
    angelic[0].also_forced = Some((site(1), vec![one(&test_bed.sites[site(1)], 3)]));
    let replays = replays(&angelic);
    let [replay] = &replays[..] else {
        panic!("{replays:?}")
    };
    assert_eq!(
        (replay.nth, replay.test, replay.force.len()),
        (0, test(0), 2)
    );
    assert_eq!(replay.force[1].0, site(1));
}

#[test]
fn what_is_foreseen_is_forced_and_what_is_hopeless_is_not() {
    let mut test_bed = TestBed::new(
        3,
        &[(
            0,
            &[
                (0, counter(40, 20, false)),
                (1, counter(40, 20, false)),
                (2, counter(40, 20, false)),
            ],
        )],
    );
    let outcomes = [(3, true), (17, false)].into();
    test_bed.foreseen.add(test(0), site(1), &outcomes);
    test_bed.foreseen.hopeless.insert((test(0), site(0)));
    let foreseen = "site 1 test 0: true@3 false@17";
    let (angelic, made) = test_bed.search(&[0], |trial| trial == foreseen);
    let sites: Vec<SiteIndex> = angelic.iter().map(|angelic| angelic.site).collect();
    assert_eq!(sites, [site(1)], "{made:?}");
    assert!(!made.iter().any(|trial| trial.starts_with("site 0 ")));
    assert!(made.iter().any(|trial| trial.starts_with("site 2 ")));
}
