//! `explain` for the patches and sites of an outcome.

use insta::assert_snapshot;

use super::*;

fn explained(outcome: &Outcome, id: &str) -> String {
    explain::render(outcome, id).unwrap()
}

#[test]
fn a_patch_is_explained_by_its_id_or_rank() {
    let outcome = two_patches();
    assert_snapshot!(explained(&outcome, "2"), @r"
    Patch 2 (condition, src/lib.rs:4), id 1cce2c43-2

    @@ -4 +4 @@
    -    if score > needed {
    +    if score != needed {

    Change: `>` changed to `>=`.

    Clause `score != needed`
      decides the outcome in 8 contexts
      in 1 failing test: `grades::tests::just_enough`
      in 7 passing tests: `grades::tests::t1`, `grades::tests::t2`, `grades::tests::t3`, `grades::tests::t4`, `grades::tests::t5` and 2 more
      for example: true with score = 50, needed = 50

    Compared with patch 1: their conditions agree for all recorded values; no test distinguishes the patches.
      Patches 1 and 2 disagree when `score` is 0 (false / true). Which do you want?
      If this outcome affects what a test can check, a test that reaches src/lib.rs:4 with this value decides between the patches.
    ");
    assert_eq!(explained(&outcome, "1cce2c43-2"), explained(&outcome, "2"));
    assert_eq!(explain::render(&outcome, "3"), None);
}

#[test]
fn a_test_that_only_one_of_two_patches_fixes_is_named() {
    let mut outcome = two_patches();
    outcome.patches[1].differs.as_mut().unwrap().is_seen = true;
    let said = explained(&outcome, "2");
    let decides = "If this outcome affects what a test can check, a test that reaches";
    assert!(said.contains(decides), "{said}");
    let same =
        "their conditions differ for some recorded values; no test distinguishes the patches.";
    assert!(said.contains(same), "{said}");
    // Then no question is asked, because the tests say that both are right.
    assert_eq!(
        outcome.open_question(&outcome.patches[1]).unwrap(),
        "no test distinguishes this patch from patch 1"
    );
    outcome.patches[0].failing_examples = vec!["src/lib.rs - f (line 3)".to_owned()];
    let said = explained(&outcome, "2");
    let apart = "for some recorded values; both fix the same tests, but the doctest `src/lib.rs - f (line 3)` fails only with patch 1.";
    assert!(said.contains(apart), "{said}");
    assert_eq!(outcome.open_question(&outcome.patches[1]), None);
    let notes = format::human::notes(&outcome, &outcome.patches[0]);
    assert!(
        notes.contains(
            &"the doctest `src/lib.rs - f (line 3)` still fails with this patch".to_owned()
        ),
        "{notes:?}"
    );
    outcome.patches[0].evidence = Assurance::Together;
    outcome.patches[0].failing_examples.clear();
    let said = explained(&outcome, "2");
    assert!(
        said.contains("; both fix the same failing tests."),
        "{said}"
    );
    outcome.patches[0].evidence = Assurance::Tested;
    outcome.patches[0]
        .fixes
        .push(outcome.failing_tests[1].clone());
    let said = explained(&outcome, "2");
    let apart = "for some recorded values: only patch 1 fixes `grades::tests::other`.";
    assert!(said.contains(apart), "{said}");
    // A distinguishing test makes the values unnecessary.
    let differs = outcome.patches[1].differs.as_mut().unwrap();
    differs.is_seen = false;
    differs.yields = None;
    let said = explained(&outcome, "2");
    let apart = "Compared with patch 1: only patch 1 fixes `grades::tests::other`.\n";
    assert!(said.ends_with(apart), "{said}");
    outcome.patches[1].differs.as_mut().unwrap().is_seen = true;
    outcome.patches[1].fixes = outcome.failing_tests.clone();
    let said = explained(&outcome, "2");
    assert!(said.contains("no test distinguishes the patches"), "{said}");
    assert!(said.contains("differ for some recorded values"), "{said}");
    assert!(!said.contains("has no values"), "{said}");
}

#[test]
fn another_patch_on_the_same_line_is_acknowledged() {
    let mut outcome = two_patches();
    outcome.patches[1].differs = None;
    // One patch replaces more code than the other.
    let span = outcome.patches[0].edits[0].span.clone();
    outcome.patches[0].edits[0].span = span.start..span.end + 1;
    let said = explained(&outcome, "2");
    assert!(
        said.contains("with that of another patch: only conditions found"),
        "{said}"
    );
    outcome.patches[1].id = "2ddf5511-2".to_owned();
    let said = explained(&outcome, "2");
    assert!(
        said.contains(
            "not compared with that of another patch: no other patch makes a change of this kind at the same place."
        ),
        "{said}"
    );
    outcome.patches[0].edits[0].line += 1;
    outcome.patches[0].edits[0].span = span.end + 1..span.end + 2;
    let said = explained(&outcome, "2");
    assert!(said.contains("no other patch at this place"), "{said}");
}

#[test]
fn a_patch_without_recorded_values_is_described_as_such() {
    let mut outcome = two_patches();
    let patch = &mut outcome.patches[1];
    (patch.differs, patch.clauses) = (None, Vec::new());
    let said = explained(&outcome, "2");
    // Values may have been recorded for other patches at this place.
    assert!(
        said.contains("it was judged by test results alone"),
        "{said}"
    );
    assert!(!said.contains("recorded here"), "{said}");
    // The recorded values were not looked at.
    outcome.patches[1].evidence = Assurance::Together;
    let said = explained(&outcome, "2");
    let stopped = "The search was stopped before it examined the recorded values";
    assert!(said.contains(stopped), "{said}");
    assert!(
        said.ends_with("with that of another patch: the search was stopped.\n"),
        "{said}"
    );
    outcome.patches[1].evidence = Assurance::Tested;
    outcome.ending = Ending::TimeLimit;
    assert!(!explained(&outcome, "2").contains(stopped));
    outcome.patches[0].clauses.clear();
    assert!(explained(&outcome, "2").contains(stopped));
    // A formula reads no values, so their absence means nothing.
    outcome.patches[1].evidence = Assurance::Interpreted;
    let said = explained(&outcome, "2");
    assert!(!said.contains("values"), "{said}");
}

#[test]
fn a_clause_that_is_one_recorded_value_is_not_its_own_example() {
    let mut outcome = two_patches();
    let clause = &mut outcome.patches[1].clauses[0];
    clause.example = vec![(clause.text.clone(), "true".to_owned())];
    let said = explained(&outcome, "2");
    assert!(said.contains("for example, where it is true\n"), "{said}");
}

/// A comparison of values that were not recorded is a value of its own, and stands in the opposite way in some clauses.
#[test]
fn a_recorded_comparison_is_no_example_of_its_negation() {
    let mut outcome = two_patches();
    let clause = &mut outcome.patches[1].clauses[0];
    clause.text = "p != q->next".to_owned();
    clause.example = vec![("p == q->next".to_owned(), "false".to_owned())];
    let said = explained(&outcome, "2");
    let example = "for example, where it is true\n";
    assert!(said.contains(example), "{said}");
    let clause = &mut outcome.patches[1].clauses[0];
    clause.example.push(("n".to_owned(), "3".to_owned()));
    let said = explained(&outcome, "2");
    let example = "for example: true with `p == q->next` false, n = 3\n";
    assert!(said.contains(example), "{said}");
}

#[test]
fn a_removed_statement_has_no_clause() {
    let mut outcome = two_patches();
    outcome.patches[1].clauses[0].text = "false".to_owned();
    outcome.patches[1].clauses[0].example.clear();
    let said = explained(&outcome, "2");
    let reached =
        "The place is reached in 8 contexts\n  in 1 failing test: `grades::tests::just_enough`\n";
    assert!(said.contains(reached), "{said}");
    assert!(!said.contains("Clause"), "{said}");
}

#[test]
fn a_fixed_test_without_recorded_contexts_is_named() {
    let mut outcome = two_patches();
    let said = explained(&outcome, "2");
    assert!(!said.contains("No values were recorded"), "{said}");
    outcome.patches[1].unrecorded = vec!["a".to_owned()];
    let said = explained(&outcome, "2");
    assert!(
        said.contains("\nNo values were recorded here for `a`: none of the outcomes tried at this place made it pass. The patch makes it pass.\n"),
        "{said}"
    );
    outcome.patches[1].unrecorded.push("b".to_owned());
    let said = explained(&outcome, "2");
    assert!(
        said.contains("No values were recorded here for `a` and `b`: "),
        "{said}"
    );
}

#[test]
fn a_clause_that_no_test_decides_is_described_as_such() {
    let mut outcome = two_patches();
    outcome.patches.truncate(1);
    outcome.patches[0].clauses[0].outcome = None;
    assert_snapshot!(explained(&outcome, "1"), @r"
    Patch 1 (condition, src/lib.rs:4), id 1cce2c43-1

    @@ -4 +4 @@
    -    if score > needed {
    +    if score >= needed {

    Change: `>` changed to `>=`.

    Clause `score >= needed`
      no test decides it: negating it changes no recorded outcome

    There is no other patch to compare it with.
    ");
}

#[test]
fn a_site_is_explained_by_its_forced_outcomes_and_its_result() {
    let mut outcome = two_patches();
    assert_snapshot!(explained(&outcome, "1cce2c43"), @r"
    src/lib.rs:4:8 (condition), id 1cce2c43
      score > needed

    Suspiciousness 1.000 (0 to 1; high if many failing and few passing tests execute it).
      forced true: `grades::tests::just_enough` passes
    Patches 1 and 2 are here.
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
fn a_family_is_compared_by_the_tests_that_were_run_on_it() {
    let mut outcome = two_patches();
    outcome.patches[0].alike = 1;
    outcome.failing_tests.truncate(1);
    let notes = |outcome: &Outcome| format::human::notes(outcome, &outcome.patches[0])[0].clone();
    assert_eq!(
        notes(&outcome),
        "1 alternative, not built on its own; no test distinguishes it from this patch: see `explain`"
    );
    outcome.failing_tests.push("another cause".to_owned());
    outcome.has_doctests = true;
    outcome.patches[0].alike = 2;
    assert_eq!(
        notes(&outcome),
        "2 alternatives, not built on their own; every test that passes with this patch also passes with them, but no \
         doctest was run with the alternatives: see `explain`"
    );
    let said = explained(&outcome, "1");
    assert!(
        said.contains(
            "Alternatives, not built on their own (every test that passes with this patch"
        ),
        "{said}"
    );
}

#[test]
fn patches_at_different_places_are_not_distinguished_either() {
    let mut outcome = two_patches();
    outcome.patches[1].differs = None;
    assert_eq!(outcome.open_question(&outcome.patches[0]), None);
    assert_eq!(
        outcome.open_question(&outcome.patches[1]).unwrap(),
        "no test distinguishes this patch from patch 1"
    );
    outcome.patches[1].fixes.push("another".to_owned());
    assert_eq!(outcome.open_question(&outcome.patches[1]), None);
}
