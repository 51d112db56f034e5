//! Bounds on the confidence in a patch. The model compares candidates, but it knows how often the best one is right
//! only from its training set, where patches were right more often than elsewhere.

use nopol_source::Language;
use nopol_synth::weights::WEIGHTS;

use crate::rank::facts::{Candidate, EditFacts, Support};
use crate::rank::features::{Feature, Row};

/// Most changed contexts of passing tests that count as an accident.
const FEW: u32 = 1;

/// Correction of the log-odds of being right that the training gives.
pub fn shift(language: Language) -> f64 {
    match language {
        Language::Rust => WEIGHTS.confidence.shift_rust,
        Language::C => WEIGHTS.confidence.shift_c,
    }
}

/// The upper bound on the confidence in a candidate with these features, whatever its rivals are.
pub fn most(language: Language, candidate: &Candidate, row: &Row) -> f64 {
    let bounds = &WEIGHTS.confidence;
    let has_one = |features: &[Feature]| features.iter().any(|it| row[*it as usize] > 0.0);
    let changed = changed_passing(candidate);
    let is_computed = |edit: &EditFacts| edit.kind.computes();
    match () {
        // The model was not trained on integer expressions.
        () if candidate.edits.iter().any(is_computed) => bounds.usual,
        () if has_one(&[Feature::Trivial, Feature::ComparesTruth]) => bounds.unlikely,
        () if changed > bounds.disagrees => bounds.unlikely,
        () if has_one(&[
            Feature::Negated,
            Feature::OperatorNegated,
            Feature::Constant,
        ]) =>
        {
            bounds.usual
        }
        () if changed > bounds.disagrees_some => bounds.usual,
        () => surest(language),
    }
}

/// The upper bound on the confidence in any patch.
fn surest(language: Language) -> f64 {
    match language {
        Language::Rust => WEIGHTS.confidence.surest_rust,
        Language::C => WEIGHTS.confidence.surest_c,
    }
}

/// The largest share, 0 to 1, of the passing tests' contexts at one place of a candidate whose outcome changes.
fn changed_passing(candidate: &Candidate) -> f64 {
    let supports = candidate.edits.iter().filter_map(|edit| edit.support);
    let share = |support: Support| match support.changed_passing <= FEW {
        true => 0.0,
        false => f64::from(support.changed_passing) / f64::from(support.passing.max(1)),
    };
    supports.map(share).fold(0.0, f64::max)
}

/// Lowers each confidence to that of the patches before it, so that confidences never rise along the ranking.
pub fn fall<'c>(confidences: impl Iterator<Item = &'c mut f64>) {
    let mut least = f64::INFINITY;
    for confidence in confidences {
        least = least.min(*confidence);
        *confidence = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::facts::{Case, FunctionText};
    use crate::rank::features;

    /// The upper bound on the confidence in a change of a condition.
    fn bound(language: Language, before: &str, after: &str, support: Support) -> f64 {
        let edit = EditFacts {
            support: Some(support),
            ..EditFacts::of_condition(before, after)
        };
        let candidate = Candidate {
            edits: vec![edit],
            cost: 10,
            cures: 1,
            is_trivial: false,
        };
        let case = Case {
            is_c: language == Language::C,
            functions: vec![FunctionText::default()],
            candidates: vec![candidate.clone()],
            ..Case::default()
        };
        most(language, &candidate, &features::rows(&case)[0])
    }

    fn passing(changed_passing: u32) -> Support {
        Support {
            passing: 10,
            changed_passing,
            ..Support::default()
        }
    }

    #[test]
    fn no_confidence_exceeds_the_upper_bound_of_the_language() {
        let strict = |language| bound(language, "a > b", "a >= b", passing(0));
        assert_eq!(strict(Language::Rust), WEIGHTS.confidence.surest_rust);
        assert_eq!(strict(Language::C), WEIGHTS.confidence.surest_c);
    }

    #[test]
    fn a_negation_of_all_or_half_of_a_condition_is_never_likely() {
        let usual = WEIGHTS.confidence.usual;
        for (before, after) in [
            ("a", "!a"),
            ("a > b", "a <= b"),
            ("a == b", "a != b"),
            ("a > b && c", "a > b && !c"),
            ("a > b && c == d", "a > b && c != d"),
            ("a > 10", "a > 17"),
        ] {
            for language in [Language::Rust, Language::C] {
                assert_eq!(bound(language, before, after, passing(0)), usual, "{after}");
            }
        }
    }

    #[test]
    fn comparing_truth_values_or_disagreeing_with_most_contexts_is_unlikely() {
        let bounds = &WEIGHTS.confidence;
        let rust = |before, after, changed| bound(Language::Rust, before, after, passing(changed));
        assert_eq!(rust("a > b && c", "(a > b) == c", 0), bounds.unlikely);
        assert_eq!(rust("a > b", "a >= b", 6), bounds.unlikely);
        assert_eq!(rust("a > b", "a >= b", 2), bounds.usual);
        assert_eq!(rust("a > b", "a >= b", 1), bounds.surest_rust);
    }

    #[test]
    fn confidences_never_rise() {
        let mut all = [0.1, 0.4, 0.05];
        fall(all.iter_mut());
        assert_eq!(all, [0.1, 0.1, 0.05]);
    }
}
