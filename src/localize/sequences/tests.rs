//! Which sequences are tried, and in which order.

use super::super::fixture::{counter, text, texts, three_kinds};
use super::*;

#[test]
fn a_constant_is_tried_unless_every_evaluation_had_it() {
    let [condition, statement, exit] = three_kinds();
    let of = |site, counter| texts(&constants(site, counter));
    assert_eq!(of(&condition, counter(2, 3, false)), ["true", "false"]);
    assert_eq!(of(&condition, counter(2, 0, false)), ["false"]);
    assert_eq!(of(&condition, counter(0, 1, false)), ["true"]);
    // The condition itself panicked, so it must not be evaluated.
    assert_eq!(of(&condition, counter(2, 0, true)), ["true!", "false!"]);
    // A skipped statement and a taken exit.
    assert_eq!(of(&statement, counter(2, 0, false)), ["false!"]);
    assert_eq!(of(&exit, counter(0, 2, false)), ["true!"]);
}

#[test]
fn single_evaluations_alternate_between_both_ends() {
    let [condition, statement, _] = three_kinds();
    let of = |site, counter| texts(&singles(site, counter, None));
    let flips = ["flip@3", "flip@0", "flip@2", "flip@1"];
    assert_eq!(of(&condition, counter(2, 2, false)), flips);
    let skips = ["false!@1", "false!@0"];
    assert_eq!(of(&statement, counter(2, 0, false)), skips);
    // Either outcome for the evaluation that panicked.
    let with_panic = ["true!@1", "false!@1", "flip@0"];
    assert_eq!(of(&condition, counter(1, 0, true)), with_panic);
    assert_eq!(of(&condition, counter(0, 0, false)), [""; 0]);
}

#[test]
fn only_the_first_and_last_of_many_evaluations_are_flipped() {
    let [condition, ..] = three_kinds();
    let many = counter(1000, 0, false);
    let all = texts(&singles(&condition, many, None));
    assert_eq!(all.len(), 40);
    assert_eq!((&*all[0], &*all[1]), ("flip@999", "flip@0"));
    // If the test never ends, the number of its last evaluation is meaningless.
    let first = texts(&singles(&condition, many, Some(400)));
    assert_eq!(first.len(), 400);
    assert_eq!((&*first[0], &*first[38]), ("flip@0", "flip@38"));
}

#[test]
fn a_switch_changes_the_outcome_at_an_evaluation() {
    let [condition, statement, exit] = three_kinds();
    let of = |site, counter| texts(&switches(site, counter, false));
    let all = of(&condition, counter(1, 1, false));
    assert_eq!(
        all[..6],
        [
            "true@..1 false",
            "true@1..",
            "false@..1 true",
            "false@1..",
            "true@..2 false",
            "true@..2",
        ]
    );
    // A cured loop may iterate more often, so switches after the last recorded evaluation are tried, too.
    assert!(all.contains(&"true@..8".to_owned()) && !all.contains(&"true@..9".to_owned()));
    // At an insertion point, forcing from the last visits on comes first.
    assert_eq!(
        of(&exit, counter(0, 4, false))[..2],
        ["true!@3..", "true!@2.."]
    );
    assert_eq!(of(&statement, counter(1, 0, false)), [""; 0]);
    let all = switches(&exit, counter(0, 30, false), false);
    for (nth, sequence) in all.iter().enumerate() {
        assert!(!all[..nth].contains(sequence), "{}", text(sequence));
    }
}

#[test]
fn extensions_start_after_the_last_forced_evaluation() {
    let [condition, statement, _] = three_kinds();
    let start = vec![one(&condition, 2)];
    assert_eq!(text(&start), "flip@2");
    let of = |site, start: &Sequence, counter| texts(&further(site, start, counter));
    let longer = ["flip@2 flip@4", "flip@2 flip@3"];
    assert_eq!(of(&condition, &start, counter(5, 0, false)), longer);
    assert_eq!(of(&condition, &start, counter(3, 0, false)), [""; 0]);
    let broken = ["flip@2 true!@3", "flip@2 false!@3"];
    assert_eq!(of(&condition, &start, counter(3, 0, true)), broken);
    // The condition panicked earlier, so there is nothing to extend.
    assert_eq!(of(&condition, &start, counter(1, 0, true)), [""; 0]);
    let skips = ["false!@9", "false!@8", "false!@7", "false!@6"];
    assert_eq!(of(&statement, &Vec::new(), counter(10, 0, false)), skips);
}

#[test]
fn only_a_single_outcome_for_all_evaluations_is_constant() {
    let [condition, ..] = three_kinds();
    assert!(is_constant(&constants(&condition, counter(1, 1, false))[0]));
    assert!(!is_constant(&vec![one(&condition, 0)]));
    assert!(!is_constant(&Vec::new()));
}
