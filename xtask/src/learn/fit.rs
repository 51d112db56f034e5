//! A log-linear model: among the plausible candidates of a repair, each is right with a probability proportional to
//! the exponential of a weighted sum of its features. Fitted by gradient ascent on the logarithm of the probability
//! that one of the right ones is drawn, with a penalty on large weights; weights whose sign is given stay on their side.

use cargo_nopol::rank::features::{Feature, Row, Sign};
use cargo_nopol::rank::model::shares;

use super::data::Repair;

/// Weights, by feature.
pub type Weights = Vec<f64>;

/// Steps of the ascent.
const STEPS: usize = 600;
/// Length of the first steps.
const RATE: f64 = 0.05;
/// What the cost set by hand counts before anything is learned.
pub const PRIOR_COST: f64 = -1.0;

/// The weights with which only the cost set by hand counts.
pub fn by_hand() -> Weights {
    let mut weights = vec![0.0; Feature::ALL.len()];
    weights[Feature::Cost as usize] = PRIOR_COST;
    weights
}

/// What is believed before anything is learned: the cost set by hand, and what sense says of forms that are too rare in
/// the data to be learned.
pub fn prior() -> Weights {
    let mut weights = by_hand();
    for (feature, weight) in [
        (Feature::Idle, -3.0),
        (Feature::CallsAgain, -1.0),
        (Feature::LiteralOfTest, -1.0),
        (Feature::Unwraps, -0.5),
        (Feature::RemainderOrdered, -0.5),
        (Feature::KinOfCondition, 0.5),
        (Feature::SidesAlike, 0.7),
        (Feature::OrdersValues, -0.3),
        (Feature::BoundsTwice, -1.0),
        (Feature::AlikeBody, 0.3),
        (Feature::BodyInTest, 1.0),
    ] {
        weights[feature as usize] = weight;
    }
    weights
}

/// Fits weights to repairs, each of which counts as much as its importance.
pub fn fit(repairs: &[(&Repair, f64)], penalty: f64) -> Weights {
    fit_from(repairs, penalty, &prior(), &[])
}

/// As [`fit`], from other weights than the prior, and without changing those of some features.
pub fn fit_from(
    repairs: &[(&Repair, f64)],
    penalty: f64,
    prior: &[f64],
    fixed: &[Feature],
) -> Weights {
    let mut weights = prior.to_vec();
    let (mut mean, mut square) = (vec![0.0; weights.len()], vec![0.0; weights.len()]);
    let total: f64 = repairs.iter().map(|(_, importance)| importance).sum();
    for step in 1..=STEPS {
        let mut gradient = vec![0.0; weights.len()];
        for (repair, importance) in repairs.iter().filter(|(repair, _)| repair.has_right()) {
            let all = probabilities(&repair.rows, &weights);
            let right: f64 = all
                .iter()
                .zip(&repair.right)
                .map(|(p, is)| if *is { *p } else { 0.0 })
                .sum();
            for ((row, p), is_right) in repair.rows.iter().zip(&all).zip(&repair.right) {
                let wanted = if *is_right { p / right.max(1e-12) } else { 0.0 };
                for (slope, value) in gradient.iter_mut().zip(row) {
                    *slope += importance * (wanted - p) * value;
                }
            }
        }
        for (nth, slope) in gradient.iter_mut().enumerate() {
            *slope = *slope / total - penalty * (weights[nth] - prior[nth]) / total;
        }
        // Adam (Kingma and Ba, 2015).
        let rate = RATE / (1.0 + step as f64 / 200.0);
        for nth in 0..weights.len() {
            mean[nth] = 0.9 * mean[nth] + 0.1 * gradient[nth];
            square[nth] = 0.999 * square[nth] + 0.001 * gradient[nth].powi(2);
            let m = mean[nth] / (1.0 - 0.9_f64.powi(step as i32));
            let s = square[nth] / (1.0 - 0.999_f64.powi(step as i32));
            weights[nth] += rate * m / (s.sqrt() + 1e-9);
            weights[nth] = match Feature::ALL[nth].sign() {
                Sign::Plus => weights[nth].max(0.0),
                Sign::Minus => weights[nth].min(0.0),
                Sign::Any => weights[nth],
            };
            if fixed.contains(&Feature::ALL[nth]) {
                weights[nth] = prior[nth];
            }
        }
    }
    weights
}

/// The score of a candidate.
pub fn score(row: &Row, weights: &[f64]) -> f64 {
    row.iter()
        .zip(weights)
        .map(|(value, weight)| value * weight)
        .sum()
}

/// The probability of each candidate.
pub fn probabilities(rows: &[Row], weights: &[f64]) -> Vec<f64> {
    let scores: Vec<f64> = rows.iter().map(|row| score(row, weights)).collect();
    shares(&scores)
}
