//! What forcing tests of different lengths may cost.

use nopol_process::run::Verdict;
use nopol_process::run::trace::Trace;

use super::*;
use crate::localize::fixture::test;

#[test]
fn a_long_running_test_gets_fewer_runs_but_never_none() {
    let mut spectrum = Spectrum::default();
    for (number, steps) in [(0, 0), (1, 1_000_000), (2, 40_000_000_000)] {
        let trace = Trace {
            steps,
            ..Trace::default()
        };
        spectrum.add(test(number), &trace, Verdict::Failed);
    }
    let mut bounds = Bounds {
        timeout: Duration::from_secs(1),
        fuel: 1_000_000_000,
        flips: 100,
        at_once: 1,
        effort: 1,
        until: None,
    };
    let runs = [0, 1, 2].map(|number| bounds.affordable(8, 500, test(number), &spectrum));
    assert_eq!(runs, [500, 100, 8]);
    bounds.effort = 3;
    let runs = [0, 1, 2].map(|number| bounds.affordable(8, 500, test(number), &spectrum));
    assert_eq!(runs, [500, 300, 24]);
}

#[test]
fn a_test_that_never_ends_gets_less_fuel_than_one_that_runs_long_once_cured() {
    let mut spectrum = Spectrum::default();
    for (number, verdict) in [(0, Verdict::Failed), (1, Verdict::OutOfFuel)] {
        let trace = Trace {
            steps: 1000,
            ..Trace::default()
        };
        spectrum.add(test(number), &trace, verdict);
    }
    let bounds = Bounds {
        timeout: Duration::from_secs(1),
        fuel: 1_000_000_000,
        flips: 100,
        at_once: 1,
        effort: 1,
        until: None,
    };
    assert_eq!(bounds.fuel_for(test(0), &spectrum), 200_000);
    assert_eq!(bounds.fuel_for(test(1), &spectrum), 120_000);
    spectrum.long.insert(test(0));
    assert_eq!(bounds.fuel_for(test(0), &spectrum), bounds.fuel);
}
