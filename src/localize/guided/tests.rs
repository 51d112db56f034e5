//! Longer sequences, on a test that a closure simulates.

use nopol_source::SiteKind;

use super::*;
use crate::localize::fixture::{counter, site, sites, test, text, trial};

const BOUNDS: Bounds = Bounds {
    timeout: std::time::Duration::from_secs(1),
    fuel: 1_000_000,
    flips: 100,
    at_once: 1,
    effort: 1,
    until: None,
};

/// Probes of a test that passes once these evaluations of site 0 are flipped; each correct flip causes one
/// more evaluation.
fn needs(flips: &'static [u32]) -> impl Fn(&Trial) -> Result<Probe> + Sync {
    move |(_, _, sequence)| {
        let done = text(sequence);
        let wanted: Vec<String> = flips.iter().map(|at| format!("flip@{at}")).collect();
        let right = wanted
            .iter()
            .take_while(|flip| done.split(' ').any(|own| own == **flip))
            .count();
        let is_right = done.split(' ').filter(|own| !own.is_empty()).count() == right;
        Ok(Probe {
            cured: is_right && right == flips.len(),
            counter: counter(1 + if is_right { right as u64 } else { 0 }, 0, false),
            evaluations: 0,
            signature: FailureSignature::default(),
            progress: None,
        })
    }
}

#[test]
fn a_longer_sequence_is_found_if_each_flip_gets_the_test_further() {
    let mut sites = sites("pub fn f(n: u32) -> u32 { if n > 0 { 1 } else { 0 } }");
    sites.retain(|site| site.kind == SiteKind::If);
    let reached = BTreeMap::from([(site(0), counter(1, 0, false))]);
    let spectrum = Spectrum {
        reached: BTreeMap::from([(test(0), reached)]),
        ..Spectrum::default()
    };
    let starts = vec![(site(0), test(0), vec![one(&sites[site(0)], 0)])];
    let probe = needs(&[0, 1, 2]);
    let found = deepen(&probe, BOUNDS, &sites, &spectrum, &starts).unwrap();
    let found: Vec<String> = found.iter().map(trial).collect();
    assert_eq!(found, ["site 0 test 0: flip@0 flip@1 flip@2"]);
    // Two flips that help only together are not found.
    let probe = needs(&[1, 2]);
    let found = deepen(&probe, BOUNDS, &sites, &spectrum, &starts).unwrap();
    assert_eq!(found, []);
}
