//! The model: a weighted sum of features, learned from repairs whose right answer is known (`cargo xtask learn`). Among
//! the candidates of a run each is right with a probability proportional to the exponential of its sum.

use nopol_source::Language;

use super::facts::Case;
use super::features::{self, Feature};
use super::learned::{C, RUST};

/// What was learned for one language.
#[derive(Clone, Copy, Debug)]
pub struct Learned {
    /// The weights that are not 0.
    pub weights: &'static [(Feature, f64)],
    /// Slope and intercept of the line that turns the log-odds of the model into those of being right.
    pub calibration: (f64, f64),
}

/// What is set by hand. In the repairs that the weights of Rust were learned from, text that only the failing test
/// has stands in that test as a literal, too ([`Feature::LiteralOfTest`]); in the programs of C, numbers are read.
/// Chains of three comparisons, panics that a condition prevents, comparisons of truth values and guards of an
/// access or a difference are too rare there to learn anything from.
const BY_HAND: [(Feature, f64); 12] = [
    (Feature::TextSingledOut, -1.0),
    (Feature::NumberSingledOut, -1.0),
    (Feature::OperatorOfChain, 1.2),
    (Feature::AsksForPanic, 3.0),
    (Feature::PreventsPanic, 1.5),
    (Feature::ComparesTruth, -1.0),
    (Feature::GuardOff, -3.0),
    // The logarithms of how often the other word stands there.
    (Feature::BreaksFor, -1.1),
    (Feature::ContinuesOpenLoop, -2.4),
    // Of 580 clauses that people added to a condition 1 asks whether something is such a number, of 907 guards none.
    (Feature::EqualsNumber, -1.5),
    // Of 7065 edits 2 put a variable into a sum like that, and 777 added a clause.
    (Feature::TermAdded, -1.5),
    // A logarithm of probabilities, of which other features know a part.
    (Feature::Relevant, 0.7),
];

/// The same for Rust only: they were counted there. In programs of C that students wrote, other operators are exchanged as well.
const BY_HAND_RUST: [(Feature, f64); 5] = [
    // Of 1013 conditions that people changed, none turned an order into an equality; 15 changed what an order includes.
    (Feature::OrderToEquality, -2.0),
    // Where one operand was replaced, 196 new ones shared a word with it and 78 did not, of which there are many more.
    (Feature::OperandAlike, 1.0),
    // A short comparison with a number reads as if people had written it (`repair::written`), but a relation of variables that
    // explains as much is likelier: `back < len` before `back <= 2`.
    (Feature::LiteralFromElsewhere, -0.8),
    (Feature::OrderWithLiteral, -0.5),
    // Of nine guards that people put before a subtraction three ask whether it is possible.
    (Feature::GuardsExactly, 2.0),
];

/// The score of each candidate of a case: larger is likelier.
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

/// The weights that are set by hand. Where a feature has a learned weight as well, both count.
pub fn by_hand(language: Language) -> impl Iterator<Item = &'static (Feature, f64)> {
    let of_language: &[(Feature, f64)] = match language {
        Language::Rust => &BY_HAND_RUST,
        Language::C => &[],
    };
    BY_HAND.iter().chain(of_language)
}

/// What was learned for a language.
pub fn of(language: Language) -> &'static Learned {
    match language {
        Language::C => &C,
        Language::Rust => &RUST,
    }
}

impl Learned {
    /// The probability that a candidate is right, given its share ([`shares`]) of all plausible ones, where as many patches are
    /// right as in the training or, by `shift` in the log-odds, fewer. Others may be right that nobody proposed, so it is not
    /// the share itself.
    pub fn confidence(&self, share: f64, shift: f64) -> f64 {
        let (slope, intercept) = self.calibration;
        1.0 / (1.0 + (-(slope * log_odds(share) + intercept + shift)).exp())
    }
}

/// The logarithm of the odds of a share. That nothing else is plausible does not make the only candidate certain, so
/// there is an upper limit.
pub fn log_odds(share: f64) -> f64 {
    let share = share.clamp(0.001, 0.95);
    (share / (1.0 - share)).ln()
}

/// The share of each score: all of them together make 1.
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

    #[test]
    fn a_removed_clause_is_likelier_than_another_connective() {
        let text = "fn f(is_open: bool, is_new: bool) { if is_open && is_new { g(); } }";
        let before = "is_open && is_new";
        let at = text.find(before).unwrap();
        let edited = |after: &str, cost: u32| Candidate {
            edits: vec![EditFacts {
                span: at..at + before.len(),
                ..EditFacts::of_condition(before, after)
            }],
            cost,
            cures: 1,
            is_trivial: false,
        };
        let case = Case {
            functions: vec![FunctionText {
                text: text.to_owned(),
                ..FunctionText::default()
            }],
            candidates: vec![
                edited("is_new", WEIGHTS.edit.dropped),
                edited("is_open || is_new", WEIGHTS.edit.connective),
            ],
            ..Case::default()
        };
        let scores = scores(&case);
        assert!(scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn weights_have_the_sign_that_sense_demands() {
        for (feature, weight) in RUST.weights.iter().chain(C.weights) {
            match feature.sign() {
                Sign::Plus => assert!(*weight > 0.0, "{}", feature.name()),
                Sign::Minus => assert!(*weight < 0.0, "{}", feature.name()),
                Sign::Any => {}
            }
        }
    }

    #[test]
    fn shares_make_one() {
        let shares = shares(&[1.0, 1.0, -700.0]);
        assert!((shares[0] - 0.5).abs() < 1e-9 && shares[2] < 1e-9);
    }
}
