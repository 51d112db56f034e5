//! A kept outcome survives completely, and no other text is read as one.

mod damaged;

use std::sync::Arc;

use super::*;
use crate::report::{
    AlternativeReport, AngelicHow, AngelicReport, Assurance, ClauseReport, Complaint,
    ContextReport, ContextRow, ContextTable, DifferenceReport, EditReport, Ending, FaultPlace,
    FaultReport, GroupReport, PackageReport, PatchReport, Phase, Reach, RunTest, SiteReport,
    TestNames,
};

/// An outcome with something in every field that is kept.
fn full() -> Outcome {
    let how = [
        AngelicHow::Constant(true),
        AngelicHow::Flipped(vec![2, 5]),
        AngelicHow::First {
            evaluations: 3,
            outcome: false,
            then_opposite: true,
        },
        AngelicHow::After {
            evaluations: 1,
            outcome: true,
        },
    ];
    let text: Arc<str> = "if score > needed { ü }".into();
    let edit = |file: &str| EditReport {
        file: file.to_owned(),
        line: 1,
        column: 4,
        span: 3..17,
        mark: Some(3..8),
        original: Arc::clone(&text),
        before: "score > needed".to_owned(),
        after: "score >= needed".to_owned(),
        condition: "score >= needed".to_owned(),
    };
    let patch = PatchReport {
        id: "ab-cd".to_owned(),
        rank: 1,
        cost: 17,
        kind: "condition",
        edits: vec![edit("a.rs"), edit("b.rs")],
        diff: "--- a\n+++ b\n".to_owned(),
        fixes: vec!["t".to_owned()],
        is_trivial: true,
        evidence: Assurance::Tested,
        doubts: vec!["d".to_owned()],
        why: "`>` changed to `>=`".to_owned(),
        clauses: vec![ClauseReport {
            text: "score >= needed".to_owned(),
            failing_tests: vec!["t".to_owned()],
            passing_tests: vec!["u".to_owned()],
            contexts: 3,
            example: vec![("score".to_owned(), "50".to_owned())],
            outcome: Some(true),
            only_test: Some("t".to_owned()),
            only_among_passing: false,
        }],
        unrecorded: vec!["t".to_owned()],
        tables: vec![ContextTable {
            names: vec!["n".to_owned()],
            rows: vec![ContextRow {
                values: vec!["3".to_owned()],
                deciding: vec![true],
                test: "t".to_owned(),
                tests: 2,
                is_failing: true,
                before: None,
                after: Some(false),
            }],
            more: 1,
        }],
        differs: Some(DifferenceReport {
            hints: vec!["2".to_owned()],
            other: "ab-ef".to_owned(),
            ranks: [1, 2],
            is_seen: true,
            context: vec![("needed".to_owned(), "51".to_owned())],
            yields: Some([Some(false), None]),
            failures: [None, Some("overflows".to_owned())],
        }),
        alternatives: vec![AlternativeReport {
            hints: vec!["3".to_owned()],
            id: "1cce2c43-2".to_owned(),
            condition: "score != needed".to_owned(),
            change: "`score != needed` on line 1".to_owned(),
            why: "`>` changed to `!=`".to_owned(),
            diff: "-\n+\n".to_owned(),
            edits: vec![EditReport {
                file: "b.rs".to_owned(),
                line: 1,
                column: 4,
                span: 9..10,
                mark: None,
                original: "".into(),
                before: ">".to_owned(),
                after: "!=".to_owned(),
                condition: "score != needed".to_owned(),
            }],
            differs: Some(ContextReport {
                context: vec![("score".to_owned(), "0".to_owned())],
                yields: [Some(false), Some(true)],
                failures: [None, None],
            }),
        }],
        failing_examples: vec!["src/a.rs - f".to_owned()],
        alike: 4,
        confidence: 0.62,
    };
    Outcome {
        ending: Ending::Patched,
        message: Some("m".to_owned()),
        warnings: vec!["w".to_owned()],
        unread: vec!["u".to_owned()],
        names: TestNames::new([("a::a::t".to_owned(), "t".to_owned())]),
        run_test: Some(RunTest {
            path: "tests/t.rs".into(),
            text: "t".to_owned(),
        }),
        tests: vec!["t".to_owned()],
        failing_tests: vec!["t".to_owned()],
        not_targeted: Vec::new(),
        failing_examples: vec!["e".to_owned()],
        has_doctests: true,
        passing_tests: vec!["p".to_owned()],
        complaints: vec![Complaint {
            test: "t".to_owned(),
            why: "c".to_owned(),
        }],
        flaky_tests: vec!["f".to_owned()],
        files: [("a.rs".to_owned(), "text".into())].into(),
        sites: vec![SiteReport {
            id: "ab".to_owned(),
            kind: "guard",
            has_condition: true,
            file: "a.rs".to_owned(),
            line: 1,
            column: 4,
            text: "score > needed".to_owned(),
            suspiciousness: 0.1 + 0.2,
            angelic: how
                .map(|how| AngelicReport {
                    test: "t".to_owned(),
                    how,
                })
                .to_vec(),
            reason: Some("r".to_owned()),
        }],
        patches: vec![patch],
        faults: vec![FaultReport {
            rank: 1,
            places: vec![FaultPlace {
                file: "a.rs".to_owned(),
                line: 1,
                column: 4,
                text: "score > needed".to_owned(),
                values: vec!["true".to_owned()],
            }],
            tests: vec!["t".to_owned()],
            suspiciousness: 0.5,
        }],
        groups: vec![GroupReport {
            tests: vec!["t".to_owned()],
            patches: vec!["ab-cd".to_owned()],
        }],
        phases: vec![Phase {
            name: "building".into(),
            seconds: 0.3,
            runs: 4,
        }],
        builds: 2,
        applied: None,
        is_refused: false,
        command: "cargo nopol c",
        options: " --top 1".to_owned(),
        place: String::new(),
        narrowed_by: vec!["--kind guard".to_owned()],
        scope: crate::report::Scope {
            places: Some(7),
            unlisted: 2,
            is_unchanged: true,
            is_localization: true,
        },
        tried_pairs: true,
        hidden_by: Some("--min-confidence 0.9".to_owned()),
        is_disturbed: true,
        packages: vec![PackageReport {
            id: "i".to_owned(),
            dir: "d".to_owned(),
            manifest: "m".to_owned(),
            target: "x".to_owned(),
            target_kind: "lib".to_owned(),
            target_file: "f".to_owned(),
            edition: "2024".to_owned(),
        }],
        prefix: "sub/".to_owned(),
        diff_lines: Some([("a.rs".to_owned(), vec![1..=4])].into()),
        commit: Some("c0ffee".to_owned()),
        share: Some((2, 3)),
        made_lock: Some("0123".to_owned()),
        made_files: ["a.o".to_owned()].into(),
        reach: Reach::default(),
        is_full: false,
    }
}

fn text(outcome: &Outcome) -> Option<String> {
    let dependencies = Dependencies::from([("settings".to_owned(), "12".to_owned())]);
    render(outcome, &dependencies, &BTreeSet::new(), 7)
}

#[test]
fn an_outcome_is_read_as_it_was_written() {
    let last = parse(&text(&full()).unwrap()).unwrap();
    assert_eq!(format!("{:#?}", last.outcome), format!("{:#?}", full()));
    assert_eq!(last.ended, 7);
    assert_eq!(last.dependencies["settings"], "12");
}

#[test]
fn damaged_or_foreign_text_is_not_read() {
    let good = text(&full()).unwrap();
    assert!(good.len() > 500);
    for end in (0..good.len()).filter(|end| good.is_char_boundary(*end)) {
        assert!(parse(&good[..end]).is_none(), "{}", &good[..end]);
    }
    for (from, to) in [
        ("\"version\":9", "\"version\":5"),
        ("\"condition\"", "\"fortune\""),
        (
            "\"original\":\"if score > needed { ü }\"",
            "\"original\":\"if\"",
        ),
        ("\"end\":17", "\"end\":99"),
        ("\"end\":17", "\"end\":21"),
        ("\"end\":10", "\"end\":99"),
        ("cargo nopol c", "rm"),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good, "{from}");
        assert!(parse(&bad).is_none(), "{to}");
    }
}

#[test]
fn outcomes_with_patches_or_of_complete_searches_are_kept() {
    let kept = |ending, patches| {
        let outcome = Outcome {
            ending,
            patches,
            ..full()
        };
        text(&outcome).map(|text| parse(&text).unwrap().outcome.ending)
    };
    for ending in [
        Ending::Internal,
        Ending::Usage,
        Ending::NothingToRepair,
        Ending::Listed,
    ] {
        assert_eq!(kept(ending, full().patches), None);
    }
    for ending in [Ending::TimeLimit, Ending::Interrupted] {
        assert_eq!(kept(ending, full().patches), Some(ending));
        assert_eq!(kept(ending, Vec::new()), None);
    }
    assert_eq!(kept(Ending::NoPatch, Vec::new()), Some(Ending::NoPatch));
}
