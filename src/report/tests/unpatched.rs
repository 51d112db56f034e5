//! Reports of searches without a patch: the reasons why there is none.

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
        "A failing test passes when the outcome is forced at 1 place, but no condition found there makes it pass without breaking another: src/lib.rs:4:8: no condition explains every context."
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
fn what_holds_of_the_named_tests_is_not_claimed_of_the_others() {
    let mut outcome = Outcome {
        sites: vec![site()],
        failing_tests: vec!["one".to_owned(), "two".to_owned()],
        ..Outcome::default()
    };
    outcome.sites[0].angelic.clear();
    let all = "The search found no change of one condition that fixes a failing test.";
    assert!(outcome.why_not().unwrap().starts_with(all));
    outcome.not_targeted = vec!["one".to_owned()];
    let why = outcome.why_not().unwrap();
    let named =
        format!("The search was only for `two`; other failing tests do not count here. {all}");
    assert!(why.starts_with(&named), "{why}");
    assert!(human(&outcome).contains(&named), "{}", human(&outcome));
}

#[test]
fn a_reason_shared_by_several_sites_is_given_once() {
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
            "at 4 places, but no condition found there makes it pass without breaking another: src/lib.rs:4:8, src/lib.rs:6:8 and \
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
fn a_failure_shown_in_the_report_is_not_repeated_as_a_warning() {
    let mut outcome = Outcome {
        complaints: vec![Complaint {
            test: "odd".to_owned(),
            why: "crashes".to_owned(),
        }],
        ..Outcome::default()
    };
    outcome.warnings = vec!["`odd` crashes".to_owned(), "`even` is flaky".to_owned()];
    assert!(human(&outcome).contains("  `odd` crashes\n"));
    assert!(outcome.own_warnings().eq(&outcome.warnings[1..]));
    // No report describes how the tests fail.
    outcome.ending = Ending::Interrupted;
    assert!(outcome.own_warnings().eq(&outcome.warnings));
}

#[test]
fn the_end_names_what_could_not_be_read() {
    let outcome = Outcome {
        unread: vec!["a.c: line 3: `f` cannot be parsed".to_owned()],
        ..Outcome::default()
    };
    let end = "Not searched: a.c: line 3: `f` cannot be parsed.";
    assert!(human(&outcome).ends_with(&format!("{end}\n")));
    assert!(outcome.why_not().unwrap().ends_with(end));
}

#[test]
fn without_an_angelic_site_localization_is_the_reason() {
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
            "reaches a place that `--kind guard --file 'a b.rs'` allow; `cargo nopol list --kind guard --file 'a b.rs'` shows"
        ),
        "{narrowed}"
    );
    outcome.narrowed_by = vec!["--kind condition".to_owned()];
    outcome.sites = vec![site()];
    outcome.sites[0].angelic.clear();
    let localization = outcome.why_not().unwrap();
    assert!(
        localization.starts_with(
            "The search found no change of one condition that fixes a failing test. Failing tests reach one place. No failing test passes when the condition is forced there"
        ),
        "{localization}"
    );
    assert!(
        localization.ends_with("If two conditions must change at once, try `--multi`."),
        "{localization}"
    );
    assert!(
        localization.contains("Early exits were not tried, because `--kind` does not name `guard`. The fault may lie elsewhere: `--kind arithmetic`"),
        "{localization}"
    );
    outcome.narrowed_by = vec!["--quick".to_owned()];
    let quick = outcome.why_not().unwrap();
    assert!(
        quick.ends_with(
            "No failing test passes when the condition is forced there. `--quick` tries no early exits. The fault may lie elsewhere: `--kind arithmetic` examines \
             integer expressions; missing calls and assignments are not searched for. Without `--quick`, more is tried."
        ),
        "{quick}"
    );
    outcome.narrowed_by.clear();
    assert!(
        outcome
            .why_not()
            .unwrap()
            .contains("because none is known there")
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
        exits.contains("Failing tests reach 3 places. No failing test passes when the condition is forced or an early exit is taken at any one of them"),
        "{exits}"
    );
    assert!(
        exits.contains(
            "The early exits tried were `return None` and `break`; returning any other value was not tried. The fault may lie elsewhere"
        ),
        "{exits}"
    );
    outcome.tried_pairs = true;
    // If the reason says it already, nothing else does.
    assert_eq!(outcome.pairs_in_vain(), None);
    let pairs = outcome.why_not().unwrap();
    assert!(
        pairs.contains("No pair of conditions that was tried helps either."),
        "{pairs}"
    );
    // If no site has a condition, the report mentions no condition.
    outcome.sites.remove(0);
    let none = outcome.why_not().unwrap();
    assert!(
        none.starts_with("The search found no new condition that fixes a failing test. Failing tests reach no condition that may be changed, only 2 places for an early exit. No failing test passes when an early exit is taken at any one of them. The early exits"),
        "{none}"
    );
    outcome.narrowed_by = vec!["--kind guard".to_owned(), "--quick".to_owned()];
    let narrowed = outcome.why_not().unwrap();
    assert!(
        narrowed.contains(
            "fixes a failing test. Failing tests reach 2 places for an early exit. No failing"
        ),
        "{narrowed}"
    );
    outcome.narrowed_by = vec!["--kind precondition".to_owned()];
    for (number, reached) in [
        (
            1,
            "one statement that could get a new `if`. No failing test passes when it is skipped.",
        ),
        (
            2,
            "2 statements that could get a new `if`. No failing test passes when any one of them is skipped.",
        ),
    ] {
        let skipped = |line| SiteReport {
            kind: "precondition",
            ..guard(line, "next();")
        };
        let statements = Outcome {
            sites: (0..number).map(skipped).collect(),
            narrowed_by: outcome.narrowed_by.clone(),
            ..Outcome::default()
        };
        let why = statements.why_not().unwrap();
        assert!(
            why.contains(&format!("Failing tests reach {reached}")),
            "{why}"
        );
    }
    outcome.narrowed_by.clear();
    for untrue in [
        "small edits",
        "two conditions",
        "--multi",
        "Forcing the condition",
    ] {
        assert!(!none.contains(untrue), "{none}");
    }
    let computed = SiteReport {
        kind: "arithmetic",
        ..guard(9, "a + 1")
    };
    outcome.sites.push(computed.clone());
    let computing = outcome.why_not().unwrap();
    assert!(
        computing.contains(
            "at any one of them, and small edits of integer expressions do not help either. The early"
        ),
        "{computing}"
    );
    assert!(!computing.contains("--kind arithmetic"), "{computing}");
    outcome.sites = vec![computed];
    assert!(
        outcome
            .why_not()
            .unwrap()
            .contains("reach no place of another kind")
    );
    outcome.narrowed_by = vec!["--kind arithmetic".to_owned()];
    assert!(
        outcome
            .why_not()
            .unwrap()
            .contains("Conditions were not examined, because of `--kind arithmetic`.")
    );
}

#[test]
fn options_that_leave_no_place_are_the_reason() {
    let mut outcome = Outcome {
        scope: Scope {
            places: Some(0),
            ..Scope::default()
        },
        ..Outcome::default()
    };
    let why = |outcome: &Outcome| outcome.why_not().unwrap();
    assert!(why(&outcome).starts_with("The program has no place that may be changed. Code in"));
    outcome.narrowed_by = vec!["--only-in-diff".to_owned()];
    assert_eq!(
        why(&outcome),
        "`--only-in-diff` leaves no place that may be changed."
    );
    outcome.scope.is_unchanged = true;
    assert_eq!(
        why(&outcome),
        "`--only-in-diff` leaves no place that may be changed: no source line has uncommitted changes."
    );
    outcome.share = Some((2, 3));
    outcome.scope.is_unchanged = false;
    assert_eq!(
        why(&outcome),
        "Together, `--only-in-diff --shard 2/3` leave no place that may be changed."
    );
    outcome.share = None;
    outcome.narrowed_by = vec!["--kind guard".to_owned(), "--quick".to_owned()];
    assert_eq!(
        why(&outcome),
        "Together, `--kind guard --quick` leave no place that may be changed. `--quick` tries no early exits."
    );
    outcome.narrowed_by = vec!["--only-in-diff".to_owned()];
    // There are places, but no failing test reaches one.
    outcome.scope.places = Some(4);
    assert!(
        why(&outcome).starts_with("No failing test reaches a place that `--only-in-diff` allows")
    );
}

#[test]
fn a_localization_does_not_mention_patches() {
    let mut outcome = Outcome {
        scope: Scope {
            places: Some(3),
            is_localization: true,
            ..Scope::default()
        },
        narrowed_by: vec!["--kind arithmetic".to_owned()],
        ..Outcome::default()
    };
    assert_eq!(
        human(&outcome),
        "No place found.\nOnly outcomes of conditions and statements can be forced, and integer expressions have none; `cargo nopol --kind arithmetic` looks for edits of them.\n"
    );
    outcome.narrowed_by.clear();
    outcome.sites = vec![site()];
    outcome.sites[0].angelic.clear();
    assert_eq!(
        human(&outcome),
        "No place found.\nFailing tests reach one place. No failing test passes when the condition is forced there.\n"
    );
}

#[test]
fn a_time_limit_advises_options_that_every_language_has() {
    let outcome = Outcome {
        ending: Ending::TimeLimit,
        message: Some("the time limit was reached in the phase `building`".to_owned()),
        ..Outcome::default()
    };
    let said = super::human::render(&outcome);
    assert!(said.contains("Restrict the tests (--failing) or"), "{said}");
}
