//! Reports of outcomes that are made up, without style.

mod injected;

use insta::assert_snapshot;

use super::format::human;
use super::*;

/// The file that is patched.
const SOURCE: &str = "pub fn passes(score: u32, needed: u32) -> bool {\n    // Enough.\n\n    if score > needed {\n        return true;\n    }\n    false\n}\n";

const TEST: &str = "grades::tests::just_enough";

/// A condition, forced true.
fn site() -> SiteReport {
    SiteReport {
        id: "1cce2c43".to_owned(),
        kind: "condition",
        has_condition: true,
        file: "src/lib.rs".to_owned(),
        line: 4,
        column: 8,
        text: "score > needed".to_owned(),
        suspiciousness: 1.0,
        angelic: vec![angelic(AngelicHow::Constant(true))],
        reason: None,
    }
}

fn angelic(how: AngelicHow) -> AngelicReport {
    AngelicReport {
        test: TEST.to_owned(),
        how,
    }
}

/// A patch at [`site`].
pub fn patch(rank: usize, condition: &str) -> PatchReport {
    PatchReport {
        id: format!("1cce2c43-{rank}"),
        rank,
        cost: 10,
        kind: "condition",
        edits: vec![EditReport {
            file: "src/lib.rs".to_owned(),
            line: 4,
            column: 8,
            span: SOURCE.find("score >").map_or(0..0, |at| at..at + 14),
            original: SOURCE.into(),
            before: "score > needed".to_owned(),
            after: condition.to_owned(),
            condition: condition.to_owned(),
        }],
        diff: format!("@@ -4 +4 @@\n-    if score > needed {{\n+    if {condition} {{\n"),
        fixes: vec![TEST.to_owned()],
        is_trivial: false,
        evidence: Evidence::Tested,
        doubts: Vec::new(),
        why: "`>` changed to `>=`".to_owned(),
        clauses: vec![ClauseReport {
            text: condition.to_owned(),
            failing_tests: vec![TEST.to_owned()],
            passing_tests: (1..=7)
                .map(|nth| format!("grades::tests::t{nth}"))
                .collect(),
            contexts: 8,
            example: vec![
                ("score".to_owned(), "50".to_owned()),
                ("needed".to_owned(), "50".to_owned()),
            ],
            outcome: Some(true),
            only_test: None,
        }],
        tables: Vec::new(),
        differs: None,
        alternatives: Vec::new(),
        alike: 0,
        confidence: 0.62,
    }
}

/// Two patches that no test tells apart.
fn two_patches() -> Outcome {
    let mut second = patch(2, "score != needed");
    second.differs = Some(DifferenceReport {
        hints: Vec::new(),
        other: "1cce2c43-1".to_owned(),
        ranks: [2, 1],
        is_seen: false,
        context: vec![("score".to_owned(), "0".to_owned())],
        yields: Some([Some(true), Some(false)]),
    });
    Outcome {
        ending: Ending::Patched,
        failing_tests: vec![TEST.to_owned(), "grades::tests::other".to_owned()],
        sites: vec![site()],
        patches: vec![patch(1, "score >= needed"), second],
        options: " --top 2".to_owned(),
        ..Outcome::default()
    }
}

fn plain(styled: &str) -> String {
    anstream::adapter::strip_str(styled).to_string()
}

fn human(outcome: &Outcome) -> String {
    plain(&human::render(outcome))
}

fn explained(outcome: &Outcome, id: &str) -> String {
    explain::render(outcome, id).unwrap()
}

#[test]
fn patches_are_diffs_with_what_they_fix_and_what_is_open() {
    assert_snapshot!(human(&two_patches()), @"
    patch 1: a different condition here makes `grades::tests::just_enough` pass
     --> src/lib.rs:4:8
      |
    4 |     if score > needed {
      |        ^^^^^^^^^^^^^^
      |
      = note: likely (62 %): `>` changed to `>=`
      = note: more: cargo nopol explain 1cce2c43-1 --top 2
    help: change it to `score >= needed`
      |
    4 |     if score >= needed {
      |               +

    patch 2: a different condition here makes `grades::tests::just_enough` pass
     --> src/lib.rs:4:8
      |
    4 |     if score > needed {
      |        ^^^^^^^^^^^^^^
      |
      = note: likely (62 %): `>` changed to `>=`
      = note: no test distinguishes it from patch 1: with `score` = 0 the condition of patch 2 yields true, that of patch 1 false: which is right?
      = note: more: cargo nopol explain 1cce2c43-2 --top 2
    help: change it to `score != needed`
      |
    4 -     if score > needed {
    4 +     if score != needed {
      |

    2 plausible patches: each fixes the tests listed with it and breaks no other. Review before you trust: your tests may not be thorough enough to tell.
    Not fixed by any of them: `grades::tests::other`
    Apply one with `cargo nopol apply RANK`, or go through them with `cargo nopol review --top 2`.
    ");
}

#[test]
fn an_unchecked_patch_that_was_written_says_both() {
    let mut outcome = two_patches();
    outcome.patches.truncate(1);
    outcome.patches[0].evidence = Evidence::Together;
    outcome.applied = "1".parse().ok();
    assert_snapshot!(human(&outcome), @"
    patch 1: a different condition here makes `grades::tests::just_enough` pass
     --> src/lib.rs:4:8
      |
    4 |     if score > needed {
      |        ^^^^^^^^^^^^^^
      |
      = note: likely (62 %): `>` changed to `>=`
      = note: unchecked: the run was stopped before it was rebuilt alone and checked against all tests
      = note: more: cargo nopol explain 1cce2c43-1 --top 2
    help: change it to `score >= needed`
      |
    4 |     if score >= needed {
      |               +

    1 plausible patch: it was not checked against all tests. Review before you trust: your tests may not be thorough enough to tell.
    Not fixed by it: `grades::tests::other`
    Applied patch 1 to src/lib.rs. `cargo nopol undo` takes it back.
    These tests still fail: `grades::tests::other`. No patch for them was found.
    ");
}

#[test]
fn groups_have_a_heading_each() {
    let mut outcome = two_patches();
    let group = |test: &str, patch: &str| GroupReport {
        tests: vec![test.to_owned()],
        patches: vec![patch.to_owned()],
    };
    outcome.groups = vec![group("a", "1cce2c43-1"), group("b", "1cce2c43-2")];
    let text = human(&outcome);
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("Probable cause"))
        .collect();
    assert_eq!(
        headings,
        ["Probable cause 1 of 2: `a`", "Probable cause 2 of 2: `b`"]
    );
}

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
    // Where there is no condition, nothing is said of any.
    outcome.sites.remove(0);
    let none = outcome.why_not().unwrap();
    assert!(
        none.starts_with("No new condition was found that cures a failing test: leaving early helps at none of the 2 places that failing tests reach, and they reach no existing condition. The early exits"),
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
        computing.contains("reach no existing condition; small edits of integer expressions do not help, either. The early"),
        "{computing}"
    );
}

#[test]
fn errors_are_left_to_standard_error_and_other_endings_are_said() {
    let ended = |ending| {
        human(&Outcome {
            ending,
            message: Some("All 4 tests pass.".to_owned()),
            ..Outcome::default()
        })
    };
    assert_eq!(ended(Ending::CannotBuild), "");
    assert_eq!(
        ended(Ending::NothingToRepair),
        "Nothing to repair.\nAll 4 tests pass.\n"
    );
    assert_eq!(
        ended(Ending::TimeLimit),
        "The time limit was reached before anything was found.\n"
    );
    for ending in [Ending::Usage, Ending::UnusableBaseline, Ending::Internal] {
        assert!(human::is_error(ending) && ending.exit_code() > 1);
    }
}

#[test]
fn angelic_sites_are_listed_most_suspicious_first() {
    let mut other = site();
    other.suspiciousness = 0.5;
    other.kind = "precondition";
    other.angelic = [
        AngelicHow::Constant(false),
        AngelicHow::Flipped(vec![2, 4]),
        AngelicHow::First {
            evaluations: 1,
            outcome: false,
            then_opposite: false,
        },
        AngelicHow::After {
            evaluations: 3,
            outcome: false,
        },
    ]
    .map(angelic)
    .to_vec();
    let mut condition = site();
    condition.angelic.push(angelic(AngelicHow::First {
        evaluations: 2,
        outcome: true,
        then_opposite: true,
    }));
    let mut reached = site();
    reached.angelic.clear();
    let outcome = Outcome {
        ending: Ending::Localized,
        sites: vec![other, reached, condition],
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    Angelic sites, most suspicious first:
      1.000  1cce2c43  src/lib.rs:4:8  condition  score > needed
             forced true: `grades::tests::just_enough` passes
             forced true at the first 2 evaluations, then false: `grades::tests::just_enough` passes
      0.500  1cce2c43  src/lib.rs:4:8  precondition  score > needed
             skipped: `grades::tests::just_enough` passes
             skipped at evaluation 2 and 4: `grades::tests::just_enough` passes
             skipped at the first evaluation: `grades::tests::just_enough` passes
             skipped after 3 evaluations: `grades::tests::just_enough` passes
    Another site that failing tests reach is not angelic.
    ");
}

#[test]
fn tests_and_sites_are_listed() {
    let outcome = Outcome {
        ending: Ending::Listed,
        tests: vec![TEST.to_owned()],
        sites: vec![site()],
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    Tests
      grades::tests::just_enough
    Sites
      1cce2c43  src/lib.rs:4:8  condition  score > needed
    1 test, 1 site
    Places where a guard could stand are left out; `--kind guard` lists them.
    ");
}

#[test]
fn what_has_no_places_is_said_if_there_are_none() {
    let outcome = Outcome {
        ending: Ending::Listed,
        tests: vec![TEST.to_owned()],
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    Tests
      grades::tests::just_enough
    Sites
    1 test, 0 sites
    There is no condition that may be changed. Code in a `const fn` that a constant calls, in a macro's definition, in a generated file, in a proc macro and under `#[cfg(test)]` cannot be patched.
    Places where a guard could stand are left out; `--kind guard` lists them.
    ");
}

#[test]
fn a_patch_is_explained_by_its_id_or_rank() {
    let outcome = two_patches();
    assert_snapshot!(explained(&outcome, "2"), @r"
    Patch 2 (condition, src/lib.rs:4), id 1cce2c43-2

    @@ -4 +4 @@
    -    if score > needed {
    +    if score != needed {

    How it was found: `>` changed to `>=`.

    Clause `score != needed`
      decided the outcome in 8 contexts; for example it is true with score = 50, needed = 50
      in 1 failing test: `grades::tests::just_enough`
      in 7 passing tests: `grades::tests::t1`, `grades::tests::t2`, `grades::tests::t3`, `grades::tests::t4`, `grades::tests::t5` and 2 more

    Compared with patch 1: no test distinguishes them.
      With `score` = 0 the condition of patch 2 yields true, that of patch 1 false: which is right?
      A test that reaches src/lib.rs:4 with these values would decide.
    ");
    assert_eq!(explained(&outcome, "1cce2c43-2"), explained(&outcome, "2"));
    assert_eq!(explain::render(&outcome, "3"), None);
}

#[test]
fn another_patch_at_the_same_line_is_not_denied() {
    let mut outcome = two_patches();
    outcome.patches[1].differs = None;
    // One replaces more than the other.
    let span = outcome.patches[0].edits[0].span.clone();
    outcome.patches[0].edits[0].span = span.start..span.end + 1;
    let said = explained(&outcome, "2");
    assert!(said.contains("the other patches at this place"), "{said}");
    outcome.patches[0].edits[0].line += 1;
    outcome.patches[0].edits[0].span = span.end + 1..span.end + 2;
    let said = explained(&outcome, "2");
    assert!(said.contains("no other patch at this place"), "{said}");
}

#[test]
fn a_clause_that_no_test_decides_is_said_to_be_so() {
    let mut outcome = two_patches();
    outcome.patches.truncate(1);
    outcome.patches[0].clauses[0].outcome = None;
    assert_snapshot!(explained(&outcome, "1"), @r"
    Patch 1 (condition, src/lib.rs:4), id 1cce2c43-1

    @@ -4 +4 @@
    -    if score > needed {
    +    if score >= needed {

    How it was found: `>` changed to `>=`.

    Clause `score >= needed`
      no test decides it: negating it changes no recorded outcome

    There is no other patch to compare it with.
    ");
}

#[test]
fn a_site_is_explained_by_what_was_forced_and_found_there() {
    let mut outcome = two_patches();
    assert_snapshot!(explained(&outcome, "1cce2c43"), @r"
    src/lib.rs:4:8 (condition), id 1cce2c43
      score > needed

    Suspiciousness 1.000 of 1: high where failing tests go and few passing ones do.
      forced true: `grades::tests::just_enough` passes
    Patches here: 1, 2.
    ");
    assert_eq!(
        explained(&outcome, "src/lib.rs:4"),
        explained(&outcome, "1cce2c43")
    );
    outcome.patches.clear();
    let last = |outcome: &Outcome| {
        explained(outcome, "1cce2c43")
            .lines()
            .last()
            .unwrap()
            .to_owned()
    };
    assert_eq!(last(&outcome), "No patch here.");
    outcome.sites[0].reason = Some("none compiles".to_owned());
    assert_eq!(last(&outcome), "No patch here: none compiles.");
    outcome.sites[0].reason = None;
    outcome.sites[0].angelic.clear();
    let none = "No patch here: no forced outcome makes a failing test pass.";
    assert_eq!(last(&outcome), none);
}

#[test]
fn what_speaks_against_a_patch_is_said_in_one_sentence() {
    let mut doubted = patch(1, "score == 50");
    assert_eq!(doubted.doubt(), None);
    doubted.clauses[0].only_test = Some(TEST.to_owned());
    let warning = "the compiler warns: `x` is used uninitialized";
    doubted.doubts.push(warning.to_owned());
    assert_eq!(
        doubted.doubt().unwrap(),
        format!(
            "ranked lower, because with it the compiler warns: `x` is used uninitialized; `score == 50` may fit `{TEST}` and nothing else: no other test recorded this value"
        )
    );
}

#[test]
fn an_assertion_is_advised_as_one() {
    let mut asserting = patch(1, "all > 0");
    asserting.kind = "guard";
    asserting.edits[0].after = "assert!(all > 0, \"nothing\");\n    ".to_owned();
    assert_eq!(phrases::advice(&asserting), "assert that `all > 0`");
    assert!(phrases::headline(&asserting).starts_with("an assertion before this"));
    asserting.edits[0].after = "if all > 0 {\n        return None;\n    }\n    ".to_owned();
    assert_eq!(phrases::advice(&asserting), "leave early if `all > 0`");
}
