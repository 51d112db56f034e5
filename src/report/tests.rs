//! Reports of invented outcomes, without styles.

mod explained;
mod injected;
mod unpatched;

use insta::assert_snapshot;

use super::format::{FORMATS, human};
use super::*;

/// The file to patch.
const SOURCE: &str = "pub fn passes(score: u32, needed: u32) -> bool {\n    // Enough.\n\n    if score > needed {\n        return true;\n    }\n    false\n}\n";

const TEST: &str = "grades::tests::just_enough";

/// The site of a condition that was forced to be true.
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
            mark: None,
            original: SOURCE.into(),
            before: "score > needed".to_owned(),
            after: condition.to_owned(),
            condition: condition.to_owned(),
        }],
        diff: format!("@@ -4 +4 @@\n-    if score > needed {{\n+    if {condition} {{\n"),
        fixes: vec![TEST.to_owned()],
        is_trivial: false,
        evidence: Assurance::Tested,
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
            only_among_passing: false,
        }],
        tables: Vec::new(),
        differs: None,
        alternatives: Vec::new(),
        failing_examples: Vec::new(),
        unrecorded: Vec::new(),
        alike: 0,
        confidence: 0.62,
    }
}

/// Two patches that no test distinguishes.
fn two_patches() -> Outcome {
    let mut second = patch(2, "score != needed");
    second.differs = Some(DifferenceReport {
        hints: Vec::new(),
        other: "1cce2c43-1".to_owned(),
        ranks: [2, 1],
        is_seen: false,
        context: vec![("score".to_owned(), "0".to_owned())],
        yields: Some([Some(true), Some(false)]),
        failures: [None, None],
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

#[test]
fn patches_are_diffs_with_what_they_fix_and_what_is_open() {
    assert_snapshot!(human(&two_patches()), @"
    patch 1: a different condition here makes `grades::tests::just_enough` pass
     --> src/lib.rs:4:8
      |
    4 |     if score > needed {
      |        ^^^^^^^^^^^^^^
      |
      = note: likely (62%): `>` changed to `>=`
      = note: more: cargo nopol explain 1cce2c43-1 --top 2
    help: change it to `score >= needed`
      |
    4 |     if score >= needed {
      |               +

    patch 2, 62%: src/lib.rs:4: change it to `score != needed`
    Patches 1 and 2 disagree when `score` is 0 (false / true). Which do you want?
    `--full` shows all patches in full.

    2 plausible patches: each fixes its tests (see `--full`) and breaks no other. Review them before you trust them: your tests may be too weak to show that they are wrong.
    None of them fixes `grades::tests::other`.
    Apply one by its number, as in `cargo nopol apply 1`, or go through them with `cargo nopol review --top 2`.
    ");
}

#[test]
fn every_patch_is_shown_in_full_on_request() {
    let mut outcome = two_patches();
    outcome.is_full = true;
    let text = human(&outcome);
    let second = &text[text.find("patch 2").unwrap()..];
    let second = &second[..second.find("2 plausible").unwrap()];
    assert_snapshot!(second, @"
    patch 2: a different condition here makes `grades::tests::just_enough` pass
     --> src/lib.rs:4:8
      |
    4 |     if score > needed {
      |        ^^^^^^^^^^^^^^
      |
      = note: likely (62%): `>` changed to `>=`
      = note: no test distinguishes this patch from patch 1. Patches 1 and 2 disagree when `score` is 0 (false / true). Which do you want?
      = note: more: cargo nopol explain 1cce2c43-2 --top 2
    help: change it to `score != needed`
      |
    4 -     if score > needed {
    4 +     if score != needed {
      |
    ");
}

#[test]
fn very_unlikely_patches_are_only_counted() {
    let mut outcome = two_patches();
    outcome.patches[1].confidence = 0.004;
    let text = human(&outcome);
    assert!(
        text.contains("1 more patch is rated below 1%; `--full` shows all patches in full."),
        "{text}"
    );
    assert!(!text.contains("score != needed"), "{text}");
    for format in FORMATS {
        let report = format.render(&outcome).unwrap().report;
        let name = format.name();
        if ["sarif", "gitlab", "rdjson", "rdjsonl", "rustc"].contains(&name) {
            assert!(report.contains("score >= needed"), "{name}");
            assert!(!report.contains("score != needed"), "{name}");
        }
    }
    outcome.patches[0].confidence = 0.004;
    assert!(human(&outcome).contains("(under 1%)"));
}

#[test]
fn tests_have_short_names_for_people_and_whole_names_for_programs() {
    let mut outcome = two_patches();
    outcome.names = TestNames::new([(TEST.to_owned(), "just_enough".to_owned())]);
    outcome.warnings = vec![format!("`{TEST}` is flaky")];
    for format in FORMATS {
        let text = format.render(&outcome).unwrap().report;
        let is_exact = ["json", "junit", "outcome", "diff"].contains(&format.name());
        assert!(text.contains("just_enough") || format.name() == "diff");
        assert_eq!(
            text.contains(TEST),
            is_exact && format.name() != "diff",
            "{}: {text}",
            format.name()
        );
    }
}

#[test]
fn the_diff_of_a_test_report_keeps_its_tabs() {
    let mut outcome = two_patches();
    outcome.patches[0].diff = "-\ta\n".to_owned();
    outcome.failing_tests = outcome.patches[0].fixes.clone();
    let junit = FORMATS.iter().find(|format| format.name() == "junit");
    let text = junit.unwrap().render(&outcome).unwrap().report;
    assert!(text.contains("\n-&#9;a\n"), "{text}");
}

#[test]
fn an_overflow_may_decide_between_patches() {
    let mut outcome = two_patches();
    let differs = outcome.patches[1].differs.as_mut().unwrap();
    differs.yields = Some([None, Some(false)]);
    differs.failures = [Some("overflows".to_owned()), None];
    let question = "Patches 1 and 2 disagree when `score` is 0 (false / overflows)";
    assert!(human(&outcome).contains(question));
    let context = ContextReport {
        context: vec![("score".to_owned(), "0".to_owned())],
        yields: [Some(false), None],
        failures: [None, Some("divides by zero".to_owned())],
    };
    assert_eq!(
        context.sentence(),
        "When `score` is 0, it divides by zero and the patch yields false."
    );
}

#[test]
fn an_applied_unchecked_patch_is_reported_as_both() {
    let mut outcome = two_patches();
    outcome.patches.truncate(1);
    outcome.patches[0].evidence = Assurance::Together;
    outcome.applied = "1".parse().ok();
    assert_snapshot!(human(&outcome), @"
    patch 1: a different condition here makes `grades::tests::just_enough` pass
     --> src/lib.rs:4:8
      |
    4 |     if score > needed {
      |        ^^^^^^^^^^^^^^
      |
      = note: likely (62%): `>` changed to `>=`
      = note: unchecked: the search was stopped before this patch was built on its own and checked against all tests
      = note: more: cargo nopol explain 1cce2c43-1 --top 2
    help: change it to `score >= needed`
      |
    4 |     if score >= needed {
      |               +

    1 patch: it was not checked against all tests. Review it before you trust it: your tests may be too weak to show that it is wrong.
    It does not fix `grades::tests::other`.
    Applied patch 1 to src/lib.rs. `cargo nopol undo` reverts it.
    This test still fails: `grades::tests::other`. No patch for it was found.
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
        [
            "Probable cause 1 of 2, failing test `a`:",
            "Probable cause 2 of 2, failing test `b`:"
        ]
    );
}

#[test]
fn errors_go_to_standard_error_and_other_endings_are_reported() {
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
    let reached = SiteReport {
        line: 9,
        angelic: Vec::new(),
        ..site()
    };
    let outcome = Outcome {
        ending: Ending::Localized,
        // Two exits at one place are one place.
        sites: vec![other, reached.clone(), reached, condition],
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    Places where a forced outcome makes a failing test pass, most suspicious first:
      1.000  1cce2c43  src/lib.rs:4:8  condition  score > needed
             forced true: `grades::tests::just_enough` passes
             forced true at the first 2 evaluations, then false: `grades::tests::just_enough` passes
      0.500  1cce2c43  src/lib.rs:4:8  precondition  score > needed
             always skipped: `grades::tests::just_enough` passes
             skipped only at evaluations 2 and 4: `grades::tests::just_enough` passes
             skipped only at the first evaluation: `grades::tests::just_enough` passes
             skipped only after 3 evaluations: `grades::tests::just_enough` passes
    Some rows share a position: 2 rows, 1 position.
    At 1 other place that failing tests reach, no forced outcome makes a test pass.
    ");
}

#[test]
fn tests_and_sites_are_listed() {
    let new = |kind, text: &str| SiteReport {
        kind,
        has_condition: false,
        text: text.to_owned(),
        ..site()
    };
    let outcome = Outcome {
        ending: Ending::Listed,
        tests: vec![TEST.to_owned()],
        sites: vec![
            site(),
            new("guard", "return None;"),
            new("condition", "365"),
        ],
        scope: Scope {
            places: Some(5),
            unlisted: 4,
            ..Scope::default()
        },
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    Tests
      grades::tests::just_enough
    Places
      1cce2c43  src/lib.rs:4:8  condition  score > needed
      1cce2c43  src/lib.rs:4:8  guard  insert `return None;`
      1cce2c43  src/lib.rs:4:8  condition  insert a condition before `365`
    1 test, 3 places
    Places for an early exit are left out; `--kind guard` lists them.
    ");
}

#[test]
fn code_without_places_is_named_if_there_are_no_places() {
    let outcome = Outcome {
        ending: Ending::Listed,
        tests: vec![TEST.to_owned()],
        scope: Scope {
            places: Some(0),
            ..Scope::default()
        },
        ..Outcome::default()
    };
    assert_snapshot!(human(&outcome), @r"
    Tests
      grades::tests::just_enough
    Places
    1 test, 0 places
    The program has no place that may be changed. Code in a `const fn` that a constant calls, in a macro's definition (except its conditions), in a generated file, in a proc macro, in an example or benchmark, under `#[cfg(test)]` and below a comment `nopol: skip` cannot be patched.
    ");
}

#[test]
fn doubts_about_a_patch_are_one_sentence() {
    let mut doubted = patch(1, "score == 50");
    assert_eq!(doubted.doubt(), None);
    doubted.clauses[0].only_test = Some(TEST.to_owned());
    let warning = "the compiler warns: `x` is used uninitialized";
    doubted.doubts.push(warning.to_owned());
    assert_eq!(
        doubted.doubt().unwrap(),
        format!(
            "ranked lower: with this patch the compiler warns: `x` is used uninitialized; `score == 50` may overfit `{TEST}`: no other test has this value here"
        )
    );
}

#[test]
fn an_assertion_is_described_as_an_assertion() {
    let mut asserting = patch(1, "all > 0");
    asserting.kind = "guard";
    asserting.edits[0].after = "assert!(all > 0, \"nothing\");\n    ".to_owned();
    assert_eq!(phrases::advice(&asserting), "assert that `all > 0`");
    assert!(phrases::headline(&asserting).starts_with("an assertion before this"));
    asserting.edits[0].after = "if all > 0 {\n        return None;\n    }\n    ".to_owned();
    assert_eq!(phrases::advice(&asserting), "return early if `all > 0`");
    for (body, advice) in [
        ("continue 'rows;", "skip this iteration if `all > 0`"),
        ("break;", "leave the loop if `all > 0`"),
        (
            "return Err(\"continue\".into());",
            "return early if `all > 0`",
        ),
        ("goto out;", "leave early if `all > 0`"),
    ] {
        asserting.edits[0].after = format!("if all > 0 {{\n        {body}\n    }}\n    ");
        assert_eq!(phrases::advice(&asserting), advice);
    }
    // In C there may be no braces.
    for (body, advice) in [
        ("return 0;", "return early if `all > 0`: `return 0;`"),
        ("break;", "leave the loop if `all > 0`"),
        ("goto out;", "leave early if `all > 0`: `goto out;`"),
        ("return ';';", "return early if `all > 0`: `return ';';`"),
        (
            "return \"\\\";\";",
            "return early if `all > 0`: `return \"\\\";\";`",
        ),
    ] {
        for after in ["", "next = all;\n    "] {
            let text = format!("if (all > 0)\n        {body}\n    {after}");
            asserting.edits[0].after = text;
            assert_eq!(phrases::whole_advice(&asserting), advice);
        }
        asserting.edits[0].after = format!("if (all > 0) {{\n        {body}\n    }}\n    ");
        assert_eq!(phrases::whole_advice(&asserting), advice);
    }
}

/// Nothing is claimed of tests if none was run.
#[test]
fn a_patch_that_meets_a_specification_was_not_tested() {
    let outcome = |number: usize| Outcome {
        ending: Ending::Patched,
        patches: (1..=number)
            .map(|rank| PatchReport {
                evidence: Assurance::Asserted,
                fixes: Vec::new(),
                ..patch(rank, "a")
            })
            .collect(),
        ..Outcome::default()
    };
    let markdown = |number| format::MARKDOWN.render(&outcome(number)).unwrap().report;
    let one = markdown(1);
    assert!(one.contains("| | confidence | place | fixes |"), "{one}");
    assert!(one.contains("| not tested |\n"), "{one}");
    assert!(
        one.contains("\nNo test was run with it. Review it"),
        "{one}"
    );
    assert!(markdown(2).contains("\nNo test was run with them. "));
    assert!(human(&outcome(1)).contains("1 patch: no test was run with it."));
}

#[test]
fn a_search_that_hides_its_patches_has_found_some() {
    let outcome = Outcome {
        message: Some("m".to_owned()),
        hidden_by: Some("--min-confidence 0.9".to_owned()),
        ..Outcome::default()
    };
    assert!(human(&outcome).starts_with("No patch to show.\n"));
    assert_eq!(
        outcome.found_none(),
        "hid all its patches (--min-confidence 0.9)"
    );
    assert_eq!(Outcome::default().found_none(), "found no patch");
    let repaired = Outcome {
        ending: Ending::NothingToRepair,
        ..Outcome::default()
    };
    assert_eq!(repaired.found_none(), "found nothing to repair");
}

/// A patch that only inserts text must not be described as a change of an existing condition.
#[test]
fn an_added_branch_and_a_narrowed_pattern_are_named_as_such() {
    let with = |before: &str, after: &str| {
        let mut patch = patch(1, "score == 0");
        patch.edits[0].before = before.to_owned();
        patch.edits[0].after = after.to_owned();
        [phrases::headline(&patch), phrases::advice(&patch)]
    };
    let fixes = format!("makes {} pass", markup::code(TEST));
    for (before, after, headline, advice) in [
        (
            "",
            " else if score == 0 {\n    }",
            "another branch here",
            "add a branch for `score == 0`",
        ),
        (
            "",
            " if score == 0",
            "a condition for this pattern",
            "match this only if `score == 0`",
        ),
        (
            "score > needed",
            "score == 0",
            "a different condition here",
            "change it to `score == 0`",
        ),
    ] {
        assert_eq!(
            with(before, after),
            [format!("{headline} {fixes}"), advice.to_owned()]
        );
    }
}

#[test]
fn the_page_has_files_as_headings_of_a_diff_and_conditions_of_several_lines_as_blocks() {
    let mut outcome = two_patches();
    outcome.patches[0].diff =
        "--- a/q.sql\n+++ b/q.sql\n@@ -4,2 +4,2 @@\n--- old\n+++ new\n same\n".to_owned();
    outcome.sites[0].text = "score > needed\n            && needed\n                > 0".to_owned();
    let page = FORMATS.iter().find(|it| it.name() == "html").unwrap();
    let page = page.render(&outcome).unwrap().report;
    for (class, line) in [
        ("file", "--- a/q.sql"),
        ("file", "+++ b/q.sql"),
        ("minus", "--- old"),
        ("plus", "+++ new"),
    ] {
        let line = format!("<span class=\"{class}\">{line}</span>");
        assert!(page.contains(&line), "{line} is not in {page}");
    }
    let block = "<pre><span>score &gt; needed</span><span>&amp;&amp; needed</span><span>    &gt; 0</span></pre>";
    assert!(page.contains(block), "{page}");
}

#[test]
fn a_patch_at_two_places_is_described_as_such() {
    let mut both = patch(1, "score == 0");
    both.edits.push(both.edits[0].clone());
    let headline = phrases::headline(&both);
    assert!(
        headline.starts_with("a change at 2 places makes "),
        "{headline}"
    );
    let advice = "change them to `score == 0` and `score == 0`";
    assert_eq!(phrases::advice(&both), advice);
}
