//! Weights from people's edits with contexts that were made up (`learn simulate`). The repairs that the weights in use were
//! learned from are not read again, so these weights are the start, and distance from them costs. A fifth of the
//! repositories is held back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use cargo_nopol::rank::features::Feature;
use cargo_nopol::rank::model;
use nopol_basics::hash;
use nopol_source::Language;

use super::{TrainOptions, code, miss, order};
use crate::learn::calibration::{self, Shown};
use crate::learn::data::{self, Repair};
use crate::learn::fit::{self, Weights};

/// One of so many parts of the repositories is held back, and one of so many others to choose a penalty.
const PARTS: u64 = 5;

/// What simulated contexts cannot teach: the test, the place, and how much the recorded contexts say. [`model::by_hand`] stays as
/// well.
const FIXED: [Feature; 25] = [
    // Terms with values drawn one by one make added clauses look worse than they are.
    Feature::AndAdded,
    Feature::OrAdded,
    Feature::SeveralAdded,
    Feature::AddedFirst,
    Feature::Dropped,
    Feature::Cost,
    Feature::Suspiciousness,
    Feature::PanicsHere,
    Feature::PanicsInFunction,
    Feature::TestCalls,
    Feature::TestNamed,
    Feature::Cures,
    Feature::Checks,
    Feature::BodyInTest,
    Feature::LiteralOfTest,
    Feature::Unobserved,
    Feature::Loose,
    Feature::ChangesPassing,
    Feature::ChangesAllFailing,
    Feature::OneOutcome,
    Feature::Agreeing,
    Feature::SingledOut,
    Feature::FewMeet,
    Feature::Trivial,
    Feature::TwoPlaces,
];

pub fn run(path: &Path, options: &TrainOptions) -> Result<()> {
    let repairs = read(path, options)?;
    let others = match &options.held_back {
        Some(path) => Some(read(path, options)?),
        None => None,
    };
    let is_held_back = |repair: &&Repair| part(repair).is_multiple_of(PARTS);
    let (held_back, training): (Vec<&Repair>, Vec<&Repair>) = match &others {
        Some(others) => (others.iter().collect(), repairs.iter().collect()),
        None => repairs.iter().partition(is_held_back),
    };
    let number = |of: &[&Repair]| {
        let names: BTreeSet<&str> = of.iter().map(|it| &*it.krate).collect();
        format!("{} edits of {} repositories", of.len(), names.len())
    };
    println!("{}, held back: {}", number(&training), number(&held_back));
    let language = language(&repairs)?;
    let used = in_use(language);
    let fixed = fixed(language, &options.only)?;
    let start = match options.from_rust {
        true => in_use(Language::Rust),
        false => used.clone(),
    };
    let fit = |of: &[&Repair], penalty: f64| {
        let weighed: Vec<(&Repair, f64)> = of.iter().map(|repair| (*repair, 1.0)).collect();
        fit::fit_from(&weighed, penalty, &start, &fixed)
    };
    for penalty in &options.penalties {
        let mut ranks: Vec<usize> = Vec::new();
        let mut likelihood = 0.0;
        for (tried, weights) in held_in_turn(&training, &|of| fit(of, *penalty)) {
            ranks.extend(tried.iter().map(|repair| rank(repair, &weights)));
            likelihood += tried
                .iter()
                .map(|it| log_likelihood(it, &weights))
                .sum::<f64>();
        }
        println!(
            "penalty {penalty}: {}, mean log-likelihood {:.3}",
            line(&ranks),
            likelihood / ranks.len().max(1) as f64
        );
    }
    let weights = fit(&training, options.penalty);
    for (name, part) in [("training", &training), ("held back", &held_back)] {
        println!("{name}:");
        table(part, &used, &weights);
    }
    let shown = |repair: &Repair, weights: &[f64]| {
        calibration::shown(repair, weights, &order(repair, weights, 0.0))
    };
    let before: Vec<Shown> = training.iter().flat_map(|it| shown(it, &used)).collect();
    let after: Vec<Shown> = held_in_turn(&training, &|of| fit(of, options.penalty))
        .iter()
        .flat_map(|(tried, weights)| tried.iter().flat_map(|it| shown(it, weights)))
        .collect();
    let [before, after] = [before, after].map(|shown| calibration::fit(&shown));
    let known = model::of(language).calibration;
    let confidence = carried_over(known, before, after);
    println!("    calibration {before:.3?} -> {after:.3?}, so {known:.3?} -> {confidence:.3?}");
    for (feature, (old, new)) in Feature::ALL.iter().zip(used.iter().zip(&weights)) {
        if (old - new).abs() >= 0.1 {
            println!("    {:20} {old:6.2} -> {new:6.2}", feature.name());
        }
    }
    if options.misses {
        for repair in &training {
            let rank = rank(repair, &weights);
            if rank > 1 {
                miss(repair, &weights, Some(rank));
            }
        }
    }
    if let Some(to) = &options.write {
        ensure!(
            options.without.is_empty(),
            "weights without some features are not written"
        );
        fs::write(to, file(language, &training, &weights, confidence, options))?;
    }
    Ok(())
}

/// The features whose weights stay as they are: all others, if some are named.
fn fixed(language: Language, only: &[String]) -> Result<Vec<Feature>> {
    let is_named = |feature: &Feature| only.iter().any(|name| name == feature.name());
    let is_by_hand = |feature: &Feature| model::by_hand(language).any(|(it, _)| it == feature);
    for name in only {
        let known = Feature::ALL.iter().find(|feature| feature.name() == name);
        ensure!(
            known.is_some_and(|it| !is_by_hand(it)),
            "{name} is no feature with a learned weight"
        );
    }
    let stays = |feature: &Feature| match only {
        [] => FIXED.contains(feature) || is_by_hand(feature),
        _ => !is_named(feature),
    };
    Ok(Feature::ALL.iter().copied().filter(stays).collect())
}

/// The one language of repairs.
fn language(repairs: &[Repair]) -> Result<Language> {
    let mut languages = repairs.iter().map(|repair| repair.language);
    let first = languages.next().unwrap_or_default();
    ensure!(
        languages.all(|language| language == first),
        "the edits are of several languages"
    );
    Ok(first)
}

/// A number of a repository by which it is put into a part.
fn part(repair: &Repair) -> u64 {
    u64::from_str_radix(&hash::short(&repair.krate), 16).unwrap_or_default()
}

/// Each part of the training, with the weights that are fitted to the other parts.
fn held_in_turn<'r>(
    training: &[&'r Repair],
    fit: &dyn Fn(&[&Repair]) -> Weights,
) -> Vec<(Vec<&'r Repair>, Weights)> {
    let of_part = |held| {
        let is_held = |repair: &&Repair| part(repair) / PARTS % PARTS == held;
        let (tried, others): (Vec<&Repair>, Vec<&Repair>) =
            training.iter().copied().partition(is_held);
        let weights = fit(&others);
        (tried, weights)
    };
    (0..PARTS).map(of_part).collect()
}

/// The line that turns the shares by other weights into confidences as the line in use does with those by the weights in use:
/// a share by these and one by those after which as many patches were right get the same confidence.
fn carried_over(in_use: (f64, f64), before: (f64, f64), after: (f64, f64)) -> (f64, f64) {
    let (slope, intercept) = in_use;
    let scale = slope / before.0;
    (scale * after.0, scale * (after.1 - before.1) + intercept)
}

/// Edits with both right and wrong candidates, without the features that are left out.
fn read(path: &Path, options: &TrainOptions) -> Result<Vec<Repair>> {
    let mut repairs = data::read_simulated(path)?;
    for row in repairs.iter_mut().flat_map(|repair| &mut repair.rows) {
        for feature in Feature::ALL {
            if options.without.iter().any(|name| name == feature.name()) {
                row[*feature as usize] = 0.0;
            }
        }
    }
    repairs.retain(|repair| repair.has_right() && repair.right.contains(&false));
    Ok(repairs)
}

/// The weights that the tool uses.
fn in_use(language: Language) -> Weights {
    let mut weights = vec![0.0; Feature::ALL.len()];
    for (feature, weight) in model::of(language)
        .weights
        .iter()
        .chain(model::by_hand(language))
    {
        weights[*feature as usize] += *weight;
    }
    weights
}

fn rank(repair: &Repair, weights: &[f64]) -> usize {
    // All candidates are of one place, so crowding them changes nothing.
    let order = order(repair, weights, 0.0);
    order
        .iter()
        .position(|nth| repair.right[*nth])
        .unwrap_or(order.len())
        + 1
}

fn log_likelihood(repair: &Repair, weights: &[f64]) -> f64 {
    let all = fit::probabilities(&repair.rows, weights);
    let right = all.iter().zip(&repair.right).filter(|(_, is)| **is);
    right.map(|(p, _)| p).sum::<f64>().max(1e-12).ln()
}

fn line(ranks: &[usize]) -> String {
    let all = ranks.len().max(1) as f64;
    let first = ranks.iter().filter(|rank| **rank == 1).count();
    let five = ranks.iter().filter(|rank| **rank <= 5).count();
    let reciprocal: f64 = ranks.iter().map(|rank| 1.0 / *rank as f64).sum();
    format!(
        "first {first} of {} ({:.1} %), among five {five} ({:.1} %), mean reciprocal rank {:.3}",
        ranks.len(),
        100.0 * first as f64 / all,
        100.0 * five as f64 / all,
        reciprocal / all
    )
}

/// Before and after, by kind of edit.
fn table(repairs: &[&Repair], before: &[f64], after: &[f64]) {
    let mut kinds: BTreeMap<&str, [Vec<usize>; 2]> = BTreeMap::new();
    for repair in repairs {
        for kind in [&*repair.kind, "~ all"] {
            let ranks = kinds.entry(kind).or_default();
            ranks[0].push(rank(repair, before));
            ranks[1].push(rank(repair, after));
        }
    }
    for (kind, [before, after]) in &kinds {
        println!("    {kind:15} before: {}", line(before));
        println!("    {:15} after:  {}", "", line(after));
    }
    let mean = |weights: &[f64]| {
        let all: f64 = repairs.iter().map(|it| log_likelihood(it, weights)).sum();
        all / repairs.len().max(1) as f64
    };
    println!(
        "    mean log-likelihood {:.3} -> {:.3}",
        mean(before),
        mean(after)
    );
}

/// The file of weights.
fn file(
    language: Language,
    repairs: &[&Repair],
    weights: &[f64],
    calibration: (f64, f64),
    options: &TrainOptions,
) -> String {
    let repositories: BTreeSet<&str> = repairs.iter().map(|it| &*it.krate).collect();
    let mut weights = weights.to_vec();
    for (feature, weight) in model::by_hand(language) {
        weights[*feature as usize] -= *weight;
    }
    let own = |of: Language| {
        let learned = model::of(of);
        let mut own = vec![0.0; Feature::ALL.len()];
        for (feature, weight) in learned.weights {
            own[*feature as usize] = *weight;
        }
        match of == language {
            true => code(&weights, calibration),
            false => code(&own, learned.calibration),
        }
    };
    let only = match &*options.only {
        [] => String::new(),
        names => format!("--only {} ", names.join(",")),
    };
    let changed = match language {
        Language::C => "C",
        Language::Rust => "Rust",
    };
    format!(
        "//! The weights for {changed} by `cargo xtask learn train --simulated FILE {only}--penalty {} --write src/rank/learned.rs`, from {}\n\
         //! edits that people made in {} repositories, with contexts that were made up; do not edit.\n\n\
         #![allow(clippy::approx_constant, reason = \"weights that look like well-known numbers\")]\n\n\
         use super::features::Feature;\nuse super::model::Learned;\n\n/// For Rust.\npub const RUST: Learned = {};\n\n\
         /// For C.\npub const C: Learned = {};\n",
        options.penalty,
        repairs.len(),
        repositories.len(),
        own(Language::Rust),
        own(Language::C),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_move_towards_what_is_right_except_those_that_are_fixed() {
        let row = |feature: Feature| {
            let mut row = [0.0; Feature::ALL.len()];
            row[feature as usize] = 1.0;
            row[Feature::FewMeet as usize] = f64::from(u8::from(feature == Feature::Call));
            row
        };
        let repair = Repair {
            name: String::new(),
            krate: String::new(),
            language: Language::Rust,
            kind: String::new(),
            rows: vec![row(Feature::Parallel), row(Feature::Call)],
            right: vec![true, false],
            places: vec![String::new(); 2],
            texts: vec![String::new(); 2],
        };
        let start = in_use(Language::Rust);
        let fit = |penalty| fit::fit_from(&[(&repair, 1.0)], penalty, &start, &FIXED);
        let moved =
            |weights: &[f64], feature: Feature| weights[feature as usize] - start[feature as usize];
        let free = fit(0.1);
        assert!(moved(&free, Feature::Parallel) > 0.3);
        assert!(moved(&free, Feature::Call) < -0.3);
        assert!(moved(&free, Feature::FewMeet).abs() < 1e-12);
        assert!(moved(&fit(1000.0), Feature::Parallel) < 0.05);
        assert_eq!(
            (
                rank(&repair, &free),
                rank(&repair, &[0.0; Feature::ALL.len()])
            ),
            (1, 1)
        );
    }
    #[test]
    fn the_same_odds_of_being_right_get_the_same_confidence() {
        let (in_use, before, after) = ((0.8, -0.1), (1.6, 0.4), (1.2, -0.2));
        let (slope, intercept) = carried_over(in_use, before, after);
        for odds in [-2.0, 0.0, 1.5] {
            // The share by the old weights with which as many were right.
            let old = (after.0 * odds + after.1 - before.1) / before.0;
            let confidence = in_use.0 * old + in_use.1;
            assert!((slope * odds + intercept - confidence).abs() < 1e-9);
        }
        assert_eq!(carried_over(in_use, before, before), in_use);
    }

    #[test]
    fn only_the_weights_of_named_features_change() {
        let stays = fixed(Language::Rust, &["Dropped".to_owned()]).unwrap();
        assert_eq!(stays.len() + 1, Feature::ALL.len());
        assert!(!stays.contains(&Feature::Dropped));
        assert!(
            fixed(Language::Rust, &[])
                .unwrap()
                .contains(&Feature::Dropped)
        );
        assert!(fixed(Language::Rust, &["GuardOff".to_owned()]).is_err());
        assert!(fixed(Language::Rust, &["Unheard".to_owned()]).is_err());
    }
}
