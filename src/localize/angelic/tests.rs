//! The search on a made-up subject: closures tell which forced outcomes cure which test.

use std::cell::RefCell;

use super::super::fixture::{counter, sites, texts, trial};
use super::*;
use crate::run::trace::Trace;
use crate::source::SiteKind;

const BOUNDS: Bounds = Bounds {
    timeout: Duration::from_secs(1),
    fuel: 1_000_000_000,
    flips: 100,
};

/// Conditions only, the first as the most suspicious one.
struct House {
    sites: Vec<Site>,
    suspects: Vec<Suspect>,
    spectrum: Spectrum,
}

impl House {
    /// So many conditions; the counters of those that each test reaches, by site.
    fn new(number: usize, reached: &[(TestIndex, &[(SiteIndex, Counter)])]) -> Self {
        let conditions: String = (0..number)
            .map(|nth| {
                format!("pub fn f{nth}(n: u32) -> u32 {{ if n > {nth} {{ 1 }} else {{ 0 }} }}\n")
            })
            .collect();
        let mut sites = sites(&conditions);
        sites.retain(|site| site.kind == SiteKind::If);
        assert_eq!(sites.len(), number);
        let suspects = (0..).zip(&sites).map(|(site, _)| Suspect {
            site,
            suspiciousness: 1.0,
        });
        let mut spectrum = Spectrum::default();
        for (test, counters) in reached {
            let trace = Trace {
                counters: counters.iter().copied().collect(),
                ..Trace::default()
            };
            spectrum.add(*test, &trace, Verdict::Failed);
        }
        Self {
            suspects: suspects.collect(),
            sites,
            spectrum,
        }
    }

    /// Searches where `cures` tells which trials do. The angelic sites, and all trials in their order.
    fn search(
        &self,
        failing: &[TestIndex],
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
            bounds: BOUNDS,
            force: &force,
            deepen: &|_| Ok(Vec::new()),
            approach: &|_, _| Ok(Vec::new()),
        };
        (search.cures(failing).unwrap(), made.into_inner())
    }
}

#[test]
fn every_site_is_forced_in_turn_before_any_site_is_forced_again() {
    let house = House::new(
        2,
        &[(0, &[(0, counter(1, 1, false)), (1, counter(1, 1, false))])],
    );
    let (angelic, made) = house.search(&[0], |_| false);
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
fn a_site_that_one_outcome_cures_is_asked_for_no_switch() {
    let house = House::new(
        2,
        &[(0, &[(0, counter(1, 1, false)), (1, counter(1, 1, false))])],
    );
    let (angelic, made) = house.search(&[0], |trial| trial == "site 0 test 0: true");
    assert_eq!(angelic.len(), 1);
    assert_eq!(texts(&angelic[0].cures[&0]), ["true"]);
    let switched = |site: &str| {
        made.iter()
            .any(|made| made.starts_with(site) && made.contains(".."))
    };
    assert!(!switched("site 0") && switched("site 1"));
}

#[test]
fn both_constants_are_kept_where_a_test_passes_under_either() {
    let house = House::new(1, &[(0, &[(0, counter(1, 1, false))])]);
    let (angelic, _) = house.search(&[0], |trial| {
        trial.ends_with("true") || trial.ends_with("false")
    });
    let cures = texts(&angelic[0].cures[&0]);
    assert_eq!(cures[..2], ["true", "false"]);
}

#[test]
fn another_test_is_tried_only_where_the_first_was_cured() {
    let reached = [(0, counter(0, 1, false)), (1, counter(0, 1, false))];
    let house = House::new(2, &[(0, &reached), (1, &reached)]);
    let (angelic, made) = house.search(&[0, 1], |trial| {
        trial.starts_with("site 1") && trial.ends_with("true")
    });
    let [found] = &angelic[..] else {
        panic!("{angelic:?}")
    };
    assert_eq!((found.site, found.cures.len()), (1, 2));
    let elsewhere = made
        .iter()
        .position(|made| made.starts_with("site 0 test 1"));
    let here = made
        .iter()
        .position(|made| made.starts_with("site 1 test 1"));
    // With few angelic sites it is tried at the others in the end, too.
    assert!(here.unwrap() < elsewhere.unwrap(), "{made:?}");
}

#[test]
fn a_test_that_no_such_site_cures_starts_anew() {
    let reached = [(0, counter(0, 1, false)), (1, counter(0, 1, false))];
    let house = House::new(2, &[(0, &reached), (1, &reached)]);
    let own = ["site 0 test 0: true", "site 1 test 1: true"];
    let (angelic, _) = house.search(&[0, 1], |trial| own.contains(&trial));
    let cured: Vec<(SiteIndex, Vec<&TestIndex>)> = angelic
        .iter()
        .map(|found| (found.site, found.cures.keys().collect()))
        .collect();
    assert_eq!(cured, [(0, vec![&0]), (1, vec![&1])]);
}

#[test]
fn sites_that_the_test_does_not_reach_are_not_tried() {
    let house = House::new(2, &[(0, &[(1, counter(1, 0, false))])]);
    let (_, made) = house.search(&[0], |_| false);
    assert!(
        !made.is_empty() && made.iter().all(|made| made.starts_with("site 1")),
        "{made:?}"
    );
}

#[test]
fn of_cures_by_single_evaluations_six_are_kept() {
    let house = House::new(1, &[(0, &[(0, counter(20, 0, false))])]);
    let (angelic, _) = house.search(&[0], |trial| trial.contains("flip"));
    let kept = texts(&angelic[0].cures[&0]);
    assert_eq!(kept.len(), MOST_PARTIAL);
    assert_eq!(kept[..2], ["flip@19", "flip@0"]);
}

/// A test that passes once these evaluations of site 0 are flipped; each of them makes the test go round once
/// more.
fn needs(flips: &'static [u32]) -> impl Fn(&Trial) -> Result<Probe> + Sync {
    move |(_, _, sequence)| {
        let done = texts(std::slice::from_ref(sequence))[0].clone();
        let wanted: Vec<String> = flips.iter().map(|at| format!("flip@{at}")).collect();
        let right = wanted
            .iter()
            .take_while(|flip| done.split(' ').any(|own| own == **flip))
            .count();
        let is_right = done.split(' ').filter(|own| !own.is_empty()).count() == right;
        Ok(Probe {
            cured: is_right && right == flips.len(),
            counter: counter(1 + if is_right { right as u64 } else { 0 }, 0, false),
            signature: FailureSignature::default(),
            progress: None,
        })
    }
}

#[test]
fn going_deeper_finds_a_sequence_of_which_each_part_gets_the_test_further() {
    let house = House::new(1, &[(0, &[(0, counter(1, 0, false))])]);
    let starts = vec![(0, 0, vec![one(&house.sites[0], 0)])];
    let probe = needs(&[0, 1, 2]);
    let found = deepen(&probe, 1, &house.sites, &house.spectrum, &starts).unwrap();
    let found: Vec<String> = found.iter().map(trial).collect();
    assert_eq!(found, ["site 0 test 0: flip@0 flip@1 flip@2"]);
    // Two evaluations at once get nothing further one by one.
    let probe = needs(&[1, 2]);
    let found = deepen(&probe, 1, &house.sites, &house.spectrum, &starts).unwrap();
    assert_eq!(found, []);
}

#[test]
fn every_cure_is_replayed_with_what_is_forced_beside_it() {
    let house = House::new(2, &[(0, &[(0, counter(1, 1, false))])]);
    let (mut angelic, _) = house.search(&[0], |trial| trial.ends_with(": true"));
    angelic[0].beside = Some((1, vec![one(&house.sites[1], 3)]));
    let replays = replays(&angelic);
    let [replay] = &replays[..] else {
        panic!("{replays:?}")
    };
    assert_eq!((replay.nth, replay.test, replay.force.len()), (0, 0, 2));
    assert_eq!(replay.force[1].0, 1);
}

#[test]
fn what_loops_for_long_is_run_less_often_but_always_some_times() {
    let mut spectrum = Spectrum::default();
    for (test, ticks) in [(0, 0), (1, 1_000_000), (2, 40_000_000_000)] {
        let trace = Trace {
            ticks,
            ..Trace::default()
        };
        spectrum.add(test, &trace, Verdict::Failed);
    }
    let runs = [0, 1, 2].map(|test| Bounds::affordable(500, test, &spectrum));
    assert_eq!(runs, [500, 40, LEAST_RUNS]);
}

#[test]
fn a_test_that_never_ends_gets_less_fuel_than_one_that_goes_on_once_it_is_cured() {
    let mut spectrum = Spectrum::default();
    for (test, verdict) in [(0, Verdict::Failed), (1, Verdict::OutOfFuel)] {
        let trace = Trace {
            ticks: 1000,
            ..Trace::default()
        };
        spectrum.add(test, &trace, verdict);
    }
    assert_eq!(BOUNDS.fuel_for(0, &spectrum), 200_000);
    assert_eq!(BOUNDS.fuel_for(1, &spectrum), 120_000);
    spectrum.long.insert(0);
    assert_eq!(BOUNDS.fuel_for(0, &spectrum), BOUNDS.fuel);
}
