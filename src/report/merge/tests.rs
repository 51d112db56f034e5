//! Merged outcomes of shards.

use super::*;
use crate::report::Assurance;
use crate::report::tests::patch;

fn shard(tests: &[&str], patches: Vec<(u32, PatchReport)>) -> Outcome {
    let tests: Vec<String> = tests.iter().map(ToString::to_string).collect();
    let patches: Vec<PatchReport> = patches
        .into_iter()
        .map(|(cost, patch)| PatchReport {
            cost,
            fixes: tests.clone(),
            ..patch
        })
        .collect();
    Outcome {
        ending: match patches.is_empty() {
            true => Ending::NoPatch,
            false => Ending::Patched,
        },
        failing_tests: tests.clone(),
        groups: vec![GroupReport {
            tests,
            patches: patches.iter().map(|patch| patch.id.clone()).collect(),
        }],
        patches,
        warnings: vec!["same".to_owned()],
        builds: 3,
        ..Outcome::default()
    }
}

fn numbered<const N: usize>(outcomes: [Outcome; N]) -> [Outcome; N] {
    let mut number = 0;
    outcomes.map(|outcome| {
        number += 1;
        Outcome {
            share: Some((number, N as u64)),
            ..outcome
        }
    })
}

fn named(rank: usize, id: &str) -> PatchReport {
    PatchReport {
        id: id.to_owned(),
        ..patch(rank, id)
    }
}

fn ids(outcome: &Outcome) -> Vec<(usize, &str)> {
    let patches = outcome.patches.iter();
    patches.map(|patch| (patch.rank, &*patch.id)).collect()
}

#[test]
fn the_cheapest_best_patches_come_first_in_any_order_of_the_shards() {
    let a = shard(&["t"], vec![(10, named(1, "a1")), (40, named(2, "a2"))]);
    let b = shard(&["t"], vec![(20, named(1, "b1")), (15, named(2, "b2"))]);
    let none = shard(&["t"], Vec::new());
    let [a, none, b] = numbered([a, none, b]);
    let merged = merge(&[a.clone(), none.clone(), b.clone()], 3).unwrap();
    assert_eq!(ids(&merged), [(1, "a1"), (2, "b1"), (3, "b2")]);
    assert_eq!(merged.groups[0].patches, ["a1", "b1", "b2"]);
    assert_eq!((merged.ending, merged.builds), (Ending::Patched, 9));
    assert_eq!(merged.warnings, ["same", SHARED]);
    let turned = merge(&[b, none, a], 3).unwrap();
    assert_eq!(ids(&turned), ids(&merged));
}

#[test]
fn open_questions_use_the_new_ranks_of_patches() {
    let beside = |patch: PatchReport, other: &str, ranks: [usize; 2]| PatchReport {
        differs: Some(DifferenceReport {
            other: other.to_owned(),
            ranks,
            is_seen: false,
            context: Vec::new(),
            yields: None,
            failures: [None, None],
            hints: Vec::new(),
        }),
        ..patch
    };
    let one = beside(named(1, "b1"), "b2", [1, 2]);
    let two = beside(named(2, "b2"), "b1", [2, 1]);
    let a = shard(&["t"], vec![(10, named(1, "a1"))]);
    let b = shard(&["t"], vec![(20, one), (30, two)]);
    let shards = numbered([a, b]);
    let ranks = |top| -> Vec<Option<[usize; 2]>> {
        let merged = merge(&shards, top).unwrap();
        let differs = merged.patches.into_iter().map(|patch| patch.differs);
        differs.map(|it| it.map(|it| it.ranks)).collect()
    };
    assert_eq!(ranks(5), [None, Some([2, 3]), Some([3, 2])]);
    // The other patch is gone.
    assert_eq!(ranks(2), [None, None]);
}

#[test]
fn last_resorts_come_last_and_a_stopped_shard_is_reported() {
    let mut trivial = named(1, "trivial");
    trivial.is_trivial = true;
    let a = shard(&["t"], vec![(1, trivial)]);
    let mut b = shard(&["t"], vec![(50, named(1, "b"))]);
    b.ending = Ending::TimeLimit;
    let merged = merge(&numbered([a, b]), 5).unwrap();
    assert_eq!(ids(&merged), [(1, "b"), (2, "trivial")]);
    assert_eq!(merged.ending, Ending::TimeLimit);
}

#[test]
fn outcomes_of_different_searches_are_refused() {
    let shards = numbered([shard(&["t"], Vec::new()), shard(&["u"], Vec::new())]);
    let error = merge(&shards, 5).unwrap_err();
    assert!(
        error.to_string().contains("not shards of one search"),
        "{error}"
    );
    assert!(merge(&[], 5).is_err());
}

#[test]
fn each_shard_is_needed_once_and_a_whole_search_is_its_only_shard() {
    let whole = shard(&["t"], Vec::new());
    assert!(merge(std::slice::from_ref(&whole), 5).is_ok());
    assert!(merge(&[whole.clone(), whole.clone()], 5).is_err());
    let shards: [Outcome; 30] = numbered(std::array::from_fn(|_| whole.clone()));
    assert!(merge(&shards, 5).is_ok());
    let said = |shards: &[Outcome]| merge(shards, 5).unwrap_err().to_string();
    assert!(said(&shards[1..]).contains("shard 1/30 is missing; "));
    assert!(said(&shards[..2]).contains("11/30, 12/30 and more are missing; "));
    assert!(
        said(&[shards[0].clone(), whole])
            .contains("one file is a shard of 30, another a shard of 1")
    );
}

#[test]
fn the_shard_is_removed_from_the_options() {
    for (of_shard, of_all) in [
        (" --shard 1/3", ""),
        (
            " --top 9 --shard=2/3 --file 'src/*.rs'",
            " --top 9 --file 'src/*.rs'",
        ),
        (" --shard 2/3 -- --shard 1/2", " -- --shard 1/2"),
        ("", ""),
    ] {
        assert_eq!(without_shard(of_shard), of_all);
    }
}

#[test]
fn tested_patches_come_first_and_percentages_of_one_cause_fall() {
    let sure = |rank, id, confidence| PatchReport {
        confidence,
        ..named(rank, id)
    };
    let unchecked = PatchReport {
        evidence: Assurance::Together,
        ..sure(1, "unchecked", 0.6)
    };
    let trivial = PatchReport {
        is_trivial: true,
        ..sure(1, "trivial", 0.1)
    };
    let a = shard(&["t"], vec![(10, unchecked)]);
    let b = shard(&["t"], vec![(20, sure(1, "b", 0.4)), (30, trivial)]);
    let c = shard(&["t"], vec![(25, sure(1, "c", 0.67))]);
    let merged = merge(&numbered([a, b, c]), 5).unwrap();
    let shown: Vec<(&str, f64)> = merged
        .patches
        .iter()
        .map(|patch| (&*patch.id, patch.confidence))
        .collect();
    assert_eq!(
        shown,
        [
            ("b", 0.4),
            ("c", 0.4),
            ("trivial", 0.02),
            ("unchecked", 0.02)
        ]
    );
}

#[test]
fn a_failing_test_has_one_cause_and_patches_that_cure_fewer_tests_are_later_guesses() {
    let both = shard(&["a", "b"], vec![(30, named(1, "both"))]);
    let one = Outcome {
        failing_tests: both.failing_tests.clone(),
        ..shard(&["b"], vec![(10, named(1, "one"))])
    };
    let merged = merge(&numbered([one, both]), 5).unwrap();
    assert_eq!(merged.groups.len(), 1, "{:?}", merged.groups);
    assert_eq!(merged.groups[0].tests, ["a", "b"]);
    assert_eq!(ids(&merged), [(1, "both"), (2, "one")]);
    assert!(merged.patches[1].confidence <= CURES_FEWER);
    let unlikely = nopol_synth::weights::WEIGHTS.confidence.unlikely;
    assert_eq!(CURES_FEWER, unlikely);
}

#[test]
fn causes_are_ordered_by_cheapest_patch_and_an_uncured_test_bounds_all_confidences() {
    let likely = |tests: &[&str], cost: u32, id: &str| {
        let patch = PatchReport {
            confidence: 0.6,
            evidence: Assurance::Tested,
            ..named(1, id)
        };
        let all = ["a", "b", "c"].map(str::to_owned).to_vec();
        Outcome {
            failing_tests: all,
            ..shard(tests, vec![(cost, patch)])
        }
    };
    let of = |shards: &[Outcome]| -> Vec<(String, f64)> {
        let merged = merge(shards, 5).unwrap();
        let patches = merged.patches.into_iter();
        patches.map(|it| (it.id, it.confidence)).collect()
    };
    let shards = numbered([likely(&["a"], 20, "x"), likely(&["b"], 10, "y")]);
    let both = [("y".to_owned(), 0.3), ("x".to_owned(), 0.3)];
    assert_eq!(of(&shards), both);
    let shards = numbered([likely(&["a"], 20, "x"), likely(&["b", "c"], 30, "y")]);
    let all = [("y".to_owned(), 0.6), ("x".to_owned(), 0.6)];
    assert_eq!(of(&shards), all);
}
