//! From the share that the model gives a candidate to the probability that it is right: a line between their log-odds
//! (Platt, 1999), fitted to candidates of crates that were held back.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use cargo_nopol::rank::model::log_odds;

use super::data::Repair;
use super::fit;

/// A candidate that would be shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The log-odds of its share.
    odds: f64,
    is_right: bool,
    is_first: bool,
}

/// Patches shown for a run.
const SHOWN: usize = 5;

/// What would be shown of a repair.
pub fn shown(repair: &Repair, weights: &[f64], order: &[usize]) -> Vec<Shown> {
    let shares = fit::probabilities(&repair.rows, weights);
    let mut shown = Vec::new();
    for (rank, nth) in order.iter().take(SHOWN).enumerate() {
        shown.push(Shown {
            odds: log_odds(shares[*nth]),
            is_right: repair.right[*nth],
            is_first: rank == 0,
        });
    }
    shown
}

/// Slope and intercept of the line, by Newton's method; a step that makes it worse is halved.
pub fn fit(shown: &[Shown]) -> (f64, f64) {
    let mut line = (1.0, 0.0);
    for _ in 0..50 {
        // A small penalty keeps the line in place where everything is right, or nothing.
        let (mut g, mut h) = ([(line.0 - 1.0) * 0.1, line.1 * 0.1], [0.1, 0.0, 0.1]);
        for it in shown {
            let p = probability(it.odds, line);
            let error = p - f64::from(u8::from(it.is_right));
            let w = p * (1.0 - p);
            g[0] += error * it.odds;
            g[1] += error;
            h[0] += w * it.odds * it.odds;
            h[1] += w * it.odds;
            h[2] += w;
        }
        let determinant = h[0] * h[2] - h[1] * h[1];
        let step = (
            (h[2] * g[0] - h[1] * g[1]) / determinant,
            (h[0] * g[1] - h[1] * g[0]) / determinant,
        );
        let before = loss(shown, line);
        let mut length = 1.0;
        let mut next = line;
        while length > 1e-6 {
            next = (line.0 - length * step.0, line.1 - length * step.1);
            if loss(shown, next) <= before {
                break;
            }
            length /= 2.0;
        }
        line = next;
    }
    line
}

/// What [`fit`] makes small: how improbable the line finds what was right and what was wrong, and the penalty.
fn loss(shown: &[Shown], line: (f64, f64)) -> f64 {
    let of_one = |it: &Shown| {
        let p = probability(it.odds, line).clamp(1e-12, 1.0 - 1e-12);
        -(if it.is_right { p } else { 1.0 - p }).ln()
    };
    let all: f64 = shown.iter().map(of_one).sum();
    all + 0.05 * ((line.0 - 1.0).powi(2) + line.1.powi(2))
}

fn probability(odds: f64, (slope, intercept): (f64, f64)) -> f64 {
    1.0 / (1.0 + (-(slope * odds + intercept)).exp())
}

/// The limits of the groups into which confidences are put.
const LIMITS: [f64; 8] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75];

/// By group: the mean confidence, the share that is right, and how many there are.
fn groups(shown: &[Shown], line: (f64, f64)) -> Vec<(f64, f64, usize)> {
    let mut groups = Vec::new();
    for (nth, from) in LIMITS.iter().enumerate() {
        let to = LIMITS.get(nth + 1).copied().unwrap_or(1.1);
        let of = |it: &&Shown| (*from..to).contains(&probability(it.odds, line));
        let own: Vec<&Shown> = shown.iter().filter(of).collect();
        let number = own.len();
        if number > 0 {
            let mean = own.iter().map(|it| probability(it.odds, line)).sum::<f64>() / number as f64;
            let right = own.iter().filter(|it| it.is_right).count() as f64 / number as f64;
            groups.push((mean, right, number));
        }
    }
    groups
}

/// A table of confidences against how often they were right, and the Brier score.
pub fn table(shown: &[Shown], line: (f64, f64)) -> String {
    let mut text =
        String::from("| confidence, mean | right | candidates |\n| ---: | ---: | ---: |\n");
    for (mean, right, number) in groups(shown, line) {
        let _ = writeln!(
            text,
            "| {:.0} % | {:.0} % | {number} |",
            100.0 * mean,
            100.0 * right
        );
    }
    let error =
        |it: &Shown| (probability(it.odds, line) - f64::from(u8::from(it.is_right))).powi(2);
    let first = shown.iter().filter(|it| it.is_first);
    let (number, sum) = first.fold((0, 0.0), |(number, sum), it| (number + 1, sum + error(it)));
    let _ = writeln!(
        text,
        "Brier score of first patches {:.3}",
        sum / f64::from(number.max(1))
    );
    text
}

/// The same as a figure.
pub fn plot(shown: &[Shown], line: (f64, f64), path: &Path) -> Result<()> {
    let points = groups(shown, line);
    let points = points
        .into_iter()
        .map(|(mean, right, _)| (100.0 * mean, 100.0 * right));
    crate::svg::reliability(path, &points.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_follows_what_was_right() {
        let shown: Vec<Shown> = (0..200)
            .map(|nth| Shown {
                odds: if nth < 100 { 2.0 } else { -2.0 },
                // 50 of 100 where the model said 88 %, 5 of 100 where it said 12 %.
                is_right: if nth < 100 { nth < 50 } else { nth < 105 },
                is_first: false,
            })
            .collect();
        let line = fit(&shown);
        assert!((probability(2.0, line) - 0.5).abs() < 0.03, "{line:?}");
        assert!((probability(-2.0, line) - 0.05).abs() < 0.03, "{line:?}");
    }
}
