//! The search on a made-up test, of which a closure tells how it ends.

use std::sync::Mutex;

use nopol_process::run::Verdict;
use nopol_source::SiteKind;
use typed_index_collections::TiVec;

use super::super::fixture::{counter, site, sites, test, text};
use super::*;

/// Functions with a condition each.
const TEXT: &str = "
    pub fn a(n: u32) -> u32 { if n > 1 { 1 } else { 0 } }
    pub fn b(n: u32) -> u32 { if n > 2 { 1 } else { 0 } }
    pub fn c(n: u32) -> u32 { if n > 3 { 1 } else { 0 } }
";

fn conditions() -> TiVec<SiteIndex, Site> {
    let mut sites = sites(TEXT);
    sites.retain(|site| site.kind == SiteKind::If);
    assert_eq!(sites.len(), 3);
    sites
}

/// What is forced, as `0 true, 1 false`.
fn forced(force: &[At]) -> String {
    let each = force
        .iter()
        .map(|(site, outcome)| format!("{site} {}", text(outcome)));
    each.collect::<Vec<_>>().join(", ")
}

/// A run that panicked at a line, or passed, and reached these sites with one false evaluation each.
fn ended(line: Option<u32>, reached: &[u32]) -> TestRun {
    let counters = reached.iter().map(|at| (site(*at), counter(0, 1, false)));
    TestRun {
        verdict: match line {
            Some(_) => Verdict::Failed,
            None => Verdict::Passed,
        },
        seconds: 0.0,
        trace: Some(Trace {
            counters: counters.collect(),
            ..Trace::default()
        }),
        output: line.map_or_else(String::new, |line| {
            format!("thread 't' panicked at src/lib.rs:{line}:1:\nwrong\n")
        }),
        progress: None,
        signal: None,
        failure_reason: None,
    }
}

/// The pairs that cure, and all runs.
fn search_with(end: impl Fn(&str) -> TestRun + Sync) -> (Vec<String>, Vec<String>) {
    let made = Mutex::new(Vec::new());
    let run = |force: Vec<At>| {
        let forced = forced(&force);
        made.lock().unwrap().push(forced.clone());
        Ok(end(&forced))
    };
    let conditions = conditions();
    let ranked: Vec<SiteIndex> = conditions.keys().collect();
    let pairs = cures(&run, 1, &conditions, &ranked, test(0), false).unwrap();
    let pairs = pairs
        .into_iter()
        .map(|pair| forced(&[pair.first, pair.second]));
    (pairs.collect(), made.into_inner().unwrap())
}

#[test]
fn the_second_site_is_looked_for_where_the_first_makes_the_test_fail_elsewhere() {
    let (pairs, made) = search_with(|forced| match forced {
        // The second condition is reached only then.
        "0 true" => ended(Some(9), &[0, 2]),
        "0 true, 2 true" => ended(None, &[0, 2]),
        _ => ended(Some(5), &[0]),
    });
    assert_eq!(pairs, ["0 true, 2 true"]);
    // Site 1 is reached by no run.
    assert!(made.iter().all(|forced| !forced.contains("1 ")), "{made:?}");
}

#[test]
fn what_changes_nothing_is_no_half_of_a_cure() {
    let (pairs, made) = search_with(|_| ended(Some(5), &[0, 1, 2]));
    assert_eq!(pairs, [""; 0]);
    assert!(made.iter().all(|forced| !forced.contains(',')), "{made:?}");
}

#[test]
fn another_output_of_a_program_may_be_half_of_a_cure() {
    let printed = |text: &str| TestRun {
        output: text.to_owned(),
        progress: Some(Progress::default()),
        ..ended(Some(5), &[0, 1])
    };
    let (pairs, _) = search_with(|forced| match forced {
        "0 true" => printed("2 1"),
        "0 true, 1 true" => ended(None, &[0, 1]),
        _ => printed("1 1"),
    });
    assert_eq!(pairs, ["0 true, 1 true"]);
}

#[test]
fn an_error_that_a_test_returns_is_a_failure_of_its_own() {
    let returned = |error: &str| TestRun {
        output: format!("Error: {error}\ntest result: FAILED. finished in 0.01s\n"),
        ..ended(Some(5), &[0, 1])
    };
    let (pairs, made) = search_with(|forced| match forced {
        "0 true" => returned("\"b\""),
        "0 true, 1 true" => ended(None, &[0, 1]),
        _ => returned("\"a\""),
    });
    assert_eq!(pairs, ["0 true, 1 true"]);
    assert!(!made.contains(&"1 true, 2 true".to_owned()), "{made:?}");
}

#[test]
fn what_cures_alone_is_no_pair() {
    let (pairs, _) = search_with(|forced| match forced {
        "0 true" => ended(None, &[0, 1]),
        _ => ended(Some(5), &[0, 1]),
    });
    assert_eq!(pairs, [""; 0]);
}

#[test]
fn a_pair_is_told_once_whichever_of_the_two_came_first() {
    let (pairs, _) = search_with(|forced| match forced {
        "0 true" => ended(Some(7), &[0, 1]),
        "1 true" => ended(Some(8), &[0, 1]),
        "0 true, 1 true" => ended(None, &[0, 1]),
        _ => ended(Some(5), &[0, 1]),
    });
    assert_eq!(pairs, ["0 true, 1 true"]);
}

#[test]
fn one_site_in_the_other_is_no_pair() {
    let text =
        "pub fn f(n: u32) -> u32 { let mut m = 0; m += if n > 1 { 1 } else { 2 }; m /= 3; m }";
    let sites = sites(text);
    let at = |text: &str| {
        let found = sites.position(|site| site.text.starts_with(text));
        found.unwrap()
    };
    let [condition, around, after] = ["n > 1", "m += if", "m /= 3"].map(at);
    assert!(overlap(&sites, condition, around) && overlap(&sites, around, condition));
    assert!(!overlap(&sites, condition, after));
}
