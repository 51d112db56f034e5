//! The model: a weighted sum of features, learned from repairs with known right answers (`cargo xtask learn`). The
//! probability that a candidate is right is proportional to the exponential of its sum.

use nopol_source::Language;

use super::facts::Case;
use super::features::{self, Feature};
use super::learned::{C, RUST};

/// The learned parameters for one language.
#[derive(Clone, Copy, Debug)]
pub struct Learned {
    /// The weights that are not 0.
    pub weights: &'static [(Feature, f64)],
    /// Slope and intercept of the line that maps the model's log-odds to the log-odds of being right.
    pub calibration: (f64, f64),
}

/// Hand-set weights, of features that the training set cannot teach. In its Rust repairs, a string that only the
/// failing test has is always also a literal of that test ([`Feature::LiteralOfTest`]); its C programs read numbers.
/// Chains of three comparisons, panics that a condition prevents, comparisons of truth values, and guards of an access
/// or a difference are too rare in it.
const BY_HAND: [(Feature, f64); 11] = [
    (Feature::TextSingledOut, -1.0),
    (Feature::NumberSingledOut, -1.0),
    (Feature::OperatorOfChain, 1.2),
    (Feature::AsksForPanic, 3.0),
    (Feature::PreventsPanic, 1.5),
    (Feature::ComparesTruth, -1.0),
    (Feature::GuardOff, -3.0),
    // The logarithm of the ratio of the two jumps: see `features/edit/loops.rs`.
    (Feature::BreaksFor, -1.1),
    (Feature::ContinuesOpenLoop, -2.4),
    // Of 580 clauses that people added to a condition, 1 compares with such a number; of 907 guards, none does.
    (Feature::EqualsNumber, -1.5),
    // Of 7065 edits, 2 add a variable to a sum like this, and 777 add a clause.
    (Feature::TermAdded, -1.5),
];

/// Hand-set weights for Rust only, where they were counted. In students' C programs, other operators are confused as
/// well.
const BY_HAND_RUST: [(Feature, f64); 11] = [
    // Below 1, because other features contain part of this information.
    (Feature::Relevant, 0.7),
    // Of 1013 conditions that people changed, none turned an ordered comparison into an equality; 15 changed between
    // strict and inclusive.
    (Feature::OrderToEquality, -2.0),
    // Where people replaced one operand, 196 new operands shared a word with the old one and 78 did not, although far
    // more candidates do not.
    (Feature::OperandAlike, 1.0),
    // Short comparisons with a number look as if people had written them (`repair::written`), but a relation of
    // variables that explains as much is likelier: `back < len` is likelier than `back <= 2`.
    (Feature::LiteralFromElsewhere, -0.8),
    (Feature::OrderWithLiteral, -0.5),
    // Of nine guards that people put before a subtraction, three test whether the subtraction is possible.
    (Feature::GuardsExactly, 2.0),
    // Of 282 clauses that people added by `||` to a condition without negations, 23 are negated or compare by `!=`; of
    // 312 that they added by `&&`, 138. Where the condition has negations, 16 of 63 that were added by `||`. A negated
    // truth value counts half, because orders, which are as rare, have no such weight.
    (Feature::OrsNegated, -1.9),
    // Of 15 010 changed lines with a condition, in ten repositories, 1200 contain a method of the standard library that
    // has an opposite, and one swaps it. Of 684 with an order, 20 change between strict and inclusive.
    (Feature::OppositeMethod, -4.0),
    // Of 465 clauses that were added there, 104 are queries. None is added in this way to a query of the same receiver.
    (Feature::AsksAgain, -2.0),
    // Two of the 465 unwrap something.
    (Feature::Unwraps, -1.0),
    // Set without counting: helpers of tests are reached by many failing tests, but are seldom at fault.
    (Feature::ForTests, -2.0),
];

/// Hand-set weights for C only.
const BY_HAND_C: [(Feature, f64); 4] = [
    // As in Rust: made-up contexts cannot teach that clauses which only describe the failing tests are wrong.
    (Feature::SeveralAdded, -0.2),
    (Feature::LiteralOfTest, -1.0),
    // Half of what made-up contexts teach, which compare no places.
    (Feature::Relevant, 0.4),
    // Of the fixes of 40 bugs in C projects, 5 are a new test of a pointer.
    (Feature::PreventsPanic, 1.5),
];

/// The score of each candidate of a case; larger is likelier.
pub fn scores(case: &Case) -> Vec<f64> {
    let learned = of(case.language());
    let rows = features::rows(case);
    let score = |row: &features::Row| {
        let weighted = learned.weights.iter().chain(by_hand(case.language()));
        weighted
            .map(|(feature, weight)| row[*feature as usize] * weight)
            .sum()
    };
    rows.iter().map(score).collect()
}

/// The hand-set weights. If a feature also has a learned weight, both count.
pub fn by_hand(language: Language) -> impl Iterator<Item = &'static (Feature, f64)> {
    let of_language: &[(Feature, f64)] = match language {
        Language::Rust => &BY_HAND_RUST,
        Language::C => &BY_HAND_C,
    };
    BY_HAND.iter().chain(of_language)
}

/// The learned parameters of a language.
pub fn of(language: Language) -> &'static Learned {
    match language {
        Language::C => &C,
        Language::Rust => &RUST,
    }
}

impl Learned {
    /// The probability that a candidate is right, given its share ([`shares`]) among all plausible ones. It differs
    /// from the share, because a patch that nobody proposed may be right. `shift` is added to the log-odds if fewer
    /// patches are right than in the training.
    pub fn confidence(&self, share: f64, shift: f64) -> f64 {
        let (slope, intercept) = self.calibration;
        1.0 / (1.0 + (-(slope * log_odds(share) + intercept + shift)).exp())
    }
}

/// The log-odds of a share. They are limited, because even the only plausible candidate is not certain.
pub fn log_odds(share: f64) -> f64 {
    let share = share.clamp(0.001, 0.95);
    (share / (1.0 - share)).ln()
}

/// The share of each score (softmax). The shares add up to 1.
pub fn shares(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

#[cfg(test)]
mod tests {
    use nopol_synth::weights::WEIGHTS;

    use super::*;
    use crate::rank::facts::{Candidate, EditFacts, FunctionText};
    use crate::rank::features::Sign;

    /// The scores of edits of a condition in a function, each with its cost.
    fn scores_of(text: &str, before: &str, edits: &[(&str, u32)]) -> Vec<f64> {
        let at = text.find(before).unwrap();
        let edited = |(after, cost): &(&str, u32)| Candidate {
            edits: vec![EditFacts {
                span: at..at + before.len(),
                ..EditFacts::of_condition(before, after)
            }],
            cost: *cost,
            cures: 1,
            is_trivial: false,
        };
        scores(&Case {
            functions: vec![FunctionText {
                text: text.to_owned(),
                ..FunctionText::default()
            }],
            candidates: edits.iter().map(edited).collect(),
            ..Case::default()
        })
    }

    #[test]
    fn removing_a_clause_is_likelier_than_changing_the_connective() {
        let text = "fn f(is_open: bool, is_new: bool) { if is_open && is_new { g(); } }";
        let edits = [
            ("is_new", WEIGHTS.edit.dropped),
            ("is_open || is_new", WEIGHTS.edit.connective),
        ];
        let scores = scores_of(text, "is_open && is_new", &edits);
        assert!(scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn a_clause_added_by_or_is_rarely_negative() {
        let text = "fn f(tok: Tok) { if is_open(tok) { g(); } }";
        let edits = [
            "is_open(tok) || tok == Tok::Bang",
            "is_open(tok) || tok != Tok::Comma",
            "is_open(tok) && tok != Tok::Comma",
        ];
        let edits = edits.map(|after| (after, WEIGHTS.edit.clause));
        let scores = scores_of(text, "is_open(tok)", &edits);
        assert!(scores[0] > scores[1] && scores[2] > scores[1], "{scores:?}");
    }

    #[test]
    fn a_method_is_rarely_replaced_by_its_opposite() {
        let text = "fn f(v: &[u8], n: u8) { if n == 2 && v.iter().all(is_zero) { g(); } }";
        let edits = [
            "n == 2 && v.iter().all(is_zero) && n > 1",
            "n == 2 && v.iter().any(is_zero)",
        ];
        let edits = edits.map(|after| (after, WEIGHTS.edit.clause));
        let scores = scores_of(text, "n == 2 && v.iter().all(is_zero)", &edits);
        assert!(scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn a_helper_of_tests_is_less_likely_at_fault() {
        let function = |file: &str| FunctionText {
            name: "read".to_owned(),
            file: file.to_owned(),
            text: "fn read(n: u32, least: u32) { if n > least { g(); } }".to_owned(),
        };
        let edit = |function: usize| Candidate {
            edits: vec![EditFacts {
                function,
                ..EditFacts::of_condition("n > least", "n >= least")
            }],
            ..Candidate::default()
        };
        let case = Case {
            functions: vec![function("src/test_utils.rs"), function("src/latest.rs")],
            candidates: vec![edit(0), edit(1)],
            ..Case::default()
        };
        let scores = scores(&case);
        assert!(scores[1] > scores[0], "{scores:?}");
    }

    #[test]
    fn weights_have_the_sign_that_common_sense_demands() {
        for (feature, weight) in RUST.weights.iter().chain(C.weights) {
            match feature.sign() {
                Sign::Plus => assert!(*weight > 0.0, "{}", feature.name()),
                Sign::Minus => assert!(*weight < 0.0, "{}", feature.name()),
                Sign::Any => {}
            }
        }
    }

    #[test]
    fn shares_are_proportional_to_exponentials() {
        let shares = shares(&[1.0, 1.0, -700.0]);
        assert!((shares[0] - 0.5).abs() < 1e-9 && shares[2] < 1e-9);
    }
}
