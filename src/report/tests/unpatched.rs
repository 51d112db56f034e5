//! Reports of searches without a patch: why there is none.

use insta::assert_snapshot;

use super::*;

#[test]
fn without_a_patch_each_angelic_site_says_why() {
    let mut outcome = Outcome {
        sites: vec![site()],
        complaints: vec![Complaint {
            test: "grades::tests::odd".to_owned(),
            why: "crashes".to_owned(),
        }],
        ..Outcome::default()
    };
    outcome.sites[0].reason = Some("no condition explains every context".to_owned());
    outcome.sites[0].text = "score\n    > needed".to_owned();
    assert_snapshot!(human(&outcome), @r"
    No patch found.
      `grades::tests::odd` crashes

      src/lib.rs:4:8 `score …`: no condition explains every context
    ");
    assert_eq!(
        outcome.why_not().unwrap(),
        "A failing test passes when the outcome is forced at 1 place, but no condition found there makes it pass and \
         breaks no other: src/lib.rs:4:8: no condition explains every context."
    );
    let known = outcome.sites[0].clone();
    let at = |line: usize| SiteReport {
        line,
        reason: Some(format!("reason {line}")),
        ..known.clone()
    };
    outcome.sites = (1..=12).map(at).collect();
    assert!(human(&outcome).ends_with("  and 2 more; `--format json` has them all\n"));
    assert!(outcome.why_not().unwrap().ends_with("; and 9 more."));
}

#[test]
fn one_reason_for_several_sites_is_said_once() {
    let at = |line: usize, reason: &str| SiteReport {
        line,
        text: format!("a > {line}"),
        reason: Some(reason.to_owned()),
        ..site()
    };
    let (none, other) = ("no condition explains every context", "it does not compile");
    let mut outcome = Outcome {
        sites: vec![
            at(4, none),
            at(5, other),
            at(6, none),
            at(6, none),
            at(9, none),
        ],
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    No patch found.
      no condition explains every context:
        src/lib.rs:4:8 `a > 4`
        src/lib.rs:6:8 `a > 6`
        src/lib.rs:6:8 `a > 6`
        src/lib.rs:9:8 `a > 9`
      src/lib.rs:5:8 `a > 5`: it does not compile
    ");
    let why = outcome.why_not().unwrap();
    assert!(
        why.ends_with(
            "at 4 places, but no condition found there makes it pass and breaks no other: src/lib.rs:4:8, src/lib.rs:6:8 and \
             src/lib.rs:9:8: no condition explains every context; src/lib.rs:5:8: it does not compile."
        ),
        "{why}"
    );
    outcome.sites = (1..=12).map(|line| at(line, none)).collect();
    assert_eq!(human(&outcome).matches(none).count(), 1);
    assert!(human(&outcome).ends_with("  and 2 more; `--format json` has them all\n"));
    let why = outcome.why_not().unwrap();
    assert!(
        why.ends_with("src/lib.rs:3:8 and 9 more: no condition explains every context."),
        "{why}"
    );
}

#[test]
fn what_a_warning_said_is_not_said_again() {
    let mut outcome = Outcome {
        complaints: vec![Complaint {
            test: "odd".to_owned(),
            why: "crashes".to_owned(),
        }],
        ..Outcome::default()
    };
    assert!(human(&outcome).contains("`odd` crashes"));
    outcome.warnings = vec!["`odd` crashes".to_owned()];
    assert!(!human(&outcome).contains("`odd` crashes"));
}

#[test]
fn the_end_names_what_could_not_be_read() {
    let outcome = Outcome {
        unread: vec!["a.c: line 3: `f` cannot be parsed as it is written".to_owned()],
        ..Outcome::default()
    };
    let end = "These parts were not searched: a.c: line 3: `f` cannot be parsed as it is written.";
    assert!(human(&outcome).ends_with(&format!("{end}\n")));
    assert!(outcome.why_not().unwrap().ends_with(end));
}

#[test]
fn without_an_angelic_site_localization_ended_it() {
    let mut outcome = Outcome::default();
    let nothing = outcome.why_not().unwrap();
    assert!(
        nothing.starts_with("No failing test reaches a place that may be changed; `cargo nopol list` shows the places."),
        "{nothing}"
    );
    outcome.narrowed_by = vec!["--kind guard".to_owned(), "--file 'a b.rs'".to_owned()];
    let narrowed = outcome.why_not().unwrap();
    assert!(
        narrowed.contains(
            "reaches a place that `--kind guard --file 'a b.rs'` allows; `cargo nopol list --kind guard --file 'a b.rs'` shows"
        ),
        "{narrowed}"
    );
    outcome.sites = vec![site()];
    outcome.sites[0].angelic.clear();
    let localization = outcome.why_not().unwrap();
    assert!(
        localization.starts_with(
            "No change of one condition was found that cures a failing test. Forcing it true or false does not help at the only place"
        ),
        "{localization}"
    );
    assert!(
        localization.ends_with("which --multi tries."),
        "{localization}"
    );
    assert!(
        localization.contains("No early exit was tried"),
        "{localization}"
    );
    let guard = |line, text: &str| SiteReport {
        kind: "guard",
        has_condition: false,
        line,
        text: text.to_owned(),
        angelic: Vec::new(),
        ..site()
    };
    outcome.sites.extend([
        guard(7, "return None;"),
        guard(7, "break;"),
        guard(8, "return None;"),
    ]);
    let exits = outcome.why_not().unwrap();
    assert!(
        exits.contains("Forcing it true or false, or leaving early, helps at none of the 3 places that failing tests reach"),
        "{exits}"
    );
    assert!(
        exits.contains(
            "The early exits tried were `return None` and `break`; if another value must be returned, it was not tried. Or the fault"
        ),
        "{exits}"
    );
    outcome.tried_pairs = true;
    let pairs = outcome.why_not().unwrap();
    assert!(
        pairs.contains("nor do two conditions changed at once"),
        "{pairs}"
    );
    // Without a condition the report mentions none.
    outcome.sites.remove(0);
    let none = outcome.why_not().unwrap();
    assert!(
        none.starts_with("No new condition was found that cures a failing test: leaving early helps at none of the 2 places that failing tests reach, and the failing tests reach no condition. The early exits"),
        "{none}"
    );
    for untrue in ["small edits", "two conditions", "--multi", "Forcing"] {
        assert!(!none.contains(untrue), "{none}");
    }
    outcome.sites.push(SiteReport {
        kind: "arithmetic",
        ..guard(9, "a + 1")
    });
    let computing = outcome.why_not().unwrap();
    assert!(
        computing.contains(
            "reach no condition; small edits of integer expressions do not help, either. The early"
        ),
        "{computing}"
    );
}

#[test]
fn a_time_limit_advises_options_that_every_language_has() {
    let outcome = Outcome {
        ending: Ending::TimeLimit,
        message: Some("the time limit was reached; tests were run".to_owned()),
        ..Outcome::default()
    };
    let said = super::human::render(&outcome);
    assert!(said.contains("Fewer tests (--failing) or"), "{said}");
}
