//! Training, and the tables that tell what it is worth on crates that are not in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use cargo_nopol::rank::features::Feature;

use super::data::{self, Repair};
use super::fit;

#[derive(clap::Args)]
pub struct Options {
    /// Directories with repairs: NAME/truth.json and NAME/plausible.json
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// How much large weights cost
    #[arg(long, default_value_t = 2.0)]
    penalty: f64,
    /// Parts into which the crates are divided, each held back once
    #[arg(long, default_value_t = 8)]
    folds: usize,
    /// What a better candidate at the same place costs
    #[arg(long, default_value_t = 1.2)]
    crowd: f64,
    /// Show the repairs whose right candidate is not first
    #[arg(long)]
    misses: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let repairs = data::read(&options.dirs)?;
    let crates: BTreeSet<&str> = repairs.iter().map(|repair| &*repair.krate).collect();
    let fold: BTreeMap<&str, usize> = crates
        .iter()
        .enumerate()
        .map(|(nth, krate)| (*krate, nth % options.folds))
        .collect();
    let found = repairs.iter().filter(|repair| repair.has_right()).count();
    println!(
        "{} repairs of {} crates, {} with something plausible, {found} with what was there",
        repairs.len(),
        crates.len(),
        repairs
            .iter()
            .filter(|repair| !repair.rows.is_empty())
            .count()
    );
    let mut learned: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut by_hand: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    let prior = fit::prior();
    for held in 0..options.folds {
        let training: Vec<(&Repair, f64)> = repairs
            .iter()
            .filter(|repair| fold[&*repair.krate] != held)
            .map(|repair| (repair, 1.0))
            .collect();
        let weights = fit::fit(&training, options.penalty);
        for repair in repairs.iter().filter(|repair| fold[&*repair.krate] == held) {
            let own = rank(repair, &weights, options.crowd);
            let hand = rank(repair, &prior, options.crowd);
            for (sums, rank) in [(&mut learned, own), (&mut by_hand, hand)] {
                let (first, five) = sums.entry(&repair.krate).or_default();
                *first += usize::from(rank == Some(1));
                *five += usize::from(rank.is_some_and(|rank| rank <= 5));
            }
            let kind = kinds.entry(&repair.kind).or_default();
            let add = [
                true,
                repair.has_right(),
                hand == Some(1),
                hand.is_some_and(|it| it <= 5),
                own == Some(1),
                own.is_some_and(|it| it <= 5),
            ];
            for (sum, is) in kind.iter_mut().zip(add) {
                *sum += usize::from(is);
            }
            if options.misses && own != Some(1) && repair.has_right() {
                miss(repair, &weights, own);
            }
        }
    }
    let sum = |of: &BTreeMap<&str, (usize, usize)>| {
        of.values()
            .fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    };
    println!(
        "by hand: first {}, among five {}",
        sum(&by_hand).0,
        sum(&by_hand).1
    );
    println!(
        "learned: first {}, among five {}",
        sum(&learned).0,
        sum(&learned).1
    );
    for (kind, [all, found, hand, hand5, own, own5]) in kinds {
        println!(
            "{kind:14} {all:4} repairs, {found:4} have it; by hand {hand:3} {hand5:3}, learned {own:3} {own5:3}"
        );
    }
    let all: Vec<(&Repair, f64)> = repairs.iter().map(|repair| (repair, 1.0)).collect();
    let weights = fit::fit(&all, options.penalty);
    for (feature, weight) in Feature::ALL.iter().zip(&weights) {
        println!("{:24} {weight:6.2}", feature.name());
    }
    Ok(())
}

/// The rank of the first right candidate, from 1, if candidates of one place come one after the other only where
/// they are much likelier.
fn rank(repair: &Repair, weights: &[f64], crowd: f64) -> Option<usize> {
    let order = order(repair, weights, crowd);
    Some(order.iter().position(|nth| repair.right[*nth])? + 1)
}

fn order(repair: &Repair, weights: &[f64], crowd: f64) -> Vec<usize> {
    let scores: Vec<f64> = repair
        .rows
        .iter()
        .map(|row| fit::score(row, weights))
        .collect();
    let trivial = |nth: usize| repair.rows[nth][Feature::Trivial as usize] > 0.0;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut before: BTreeMap<&str, usize> = BTreeMap::new();
    let mut spread: Vec<(bool, f64, usize)> = Vec::new();
    for nth in order {
        let at = before.entry(&repair.places[nth]).or_default();
        spread.push((trivial(nth), scores[nth] - crowd * *at as f64, nth));
        *at += 1;
    }
    spread.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    spread.into_iter().map(|(_, _, nth)| nth).collect()
}

fn miss(repair: &Repair, weights: &[f64], rank: Option<usize>) {
    let order = order(repair, weights, 0.0);
    println!("\n{} ({}), rank {rank:?}", repair.name, repair.kind);
    let best_right = order.iter().find(|nth| repair.right[**nth]);
    for nth in order.iter().take(2).chain(best_right) {
        let row = &repair.rows[*nth];
        let mut parts: Vec<(f64, &str)> = Feature::ALL
            .iter()
            .map(|it| (row[*it as usize] * weights[*it as usize], it.name()))
            .filter(|(value, _)| value.abs() > 0.05)
            .collect();
        parts.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let parts: Vec<String> = parts
            .iter()
            .map(|(value, name)| format!("{name} {value:.1}"))
            .collect();
        let mark = if repair.right[*nth] { "RIGHT" } else { "     " };
        let text: String = repair.texts[*nth]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        println!(
            "  {mark} {:.2} {text}\n        {} | {}",
            fit::score(row, weights),
            repair.places[*nth].chars().take(60).collect::<String>(),
            parts.join(", ")
        );
    }
}
