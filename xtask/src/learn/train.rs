//! Training, and the tables that tell what it is worth on crates that are not in it.

mod simulated;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use cargo_nopol::rank::features::Feature;

use super::calibration::{self, Shown};
use super::data::{self, Repair};
use super::faults::Kind;
use super::fit::{self, Weights};

#[derive(clap::Args)]
pub struct TrainOptions {
    /// Directories with repairs: NAME/truth.json and NAME/plausible.json
    #[arg(required_unless_present = "simulated", value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The same for C programs, from `bench c --facts DIR`
    #[arg(long, value_name = "DIR")]
    c: Vec<PathBuf>,
    /// Let the weights learned for C decide, and not only how sure the costs set by hand are
    #[arg(long)]
    learned_c: bool,
    /// Directories with repairs on which it is only tried; crates that are in both are held back for it
    #[arg(long, value_name = "DIR")]
    tried_on: Vec<PathBuf>,
    /// What `learn simulate` wrote: the weights in use are changed towards it, and nothing else is read
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dirs", "c"])]
    simulated: Option<PathBuf>,
    /// The same of other repositories, on which the weights are only tried; without it, a fifth of the repositories is held back
    #[arg(long, value_name = "FILE", requires = "simulated")]
    held_back: Option<PathBuf>,
    /// Change only the weights of these features, and also of those that are otherwise left as they are
    #[arg(
        long,
        requires = "simulated",
        value_name = "FEATURE",
        value_delimiter = ','
    )]
    only: Vec<String>,
    /// Begin with the weights for Rust
    #[arg(long, requires = "simulated")]
    from_rust: bool,
    /// Compare penalties on the part of `--simulated` that is not held back
    #[arg(long, requires = "simulated", value_delimiter = ',')]
    penalties: Vec<f64>,
    /// How much large weights cost
    #[arg(long, default_value_t = 2.0)]
    penalty: f64,
    /// Parts into which the crates are divided, each held back once
    #[arg(long, default_value_t = 10)]
    folds: usize,
    /// What each better candidate at the same place costs
    #[arg(long, default_value_t = 0.6)]
    crowd: f64,
    /// Features that are left out, to see what they are worth
    #[arg(long, value_name = "FEATURE")]
    without: Vec<String>,
    /// Use only this share of the training repairs
    #[arg(long, default_value_t = 1.0)]
    share: f64,
    /// Show the repairs whose right candidate is not first
    #[arg(long)]
    misses: bool,
    /// Write the weights to this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Draw confidence against how often it was right
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// How often the right candidate was first, among five, and there at all.
#[derive(Clone, Copy, Default)]
struct Counts {
    repairs: usize,
    there: usize,
    first: usize,
    five: usize,
}

impl Counts {
    fn add(&mut self, repair: &Repair, rank: Option<usize>) {
        self.repairs += 1;
        self.there += usize::from(repair.has_right());
        self.first += usize::from(rank == Some(1));
        self.five += usize::from(rank.is_some_and(|rank| rank <= 5));
    }

    fn line(self) -> String {
        let percent = |part: usize| 100.0 * part as f64 / self.repairs.max(1) as f64;
        format!(
            "first {} of {} ({:.0} %), among five {} ({:.0} %), there at all {} ({:.0} %)",
            self.first,
            self.repairs,
            percent(self.first),
            self.five,
            percent(self.five),
            self.there,
            percent(self.there)
        )
    }
}

/// What was learned for one language.
struct Fitted {
    repairs: Vec<Repair>,
    weights: Weights,
    /// Of the calibration.
    line: (f64, f64),
    /// The same where only the costs set by hand count.
    line_by_hand: (f64, f64),
}

pub fn run(options: &TrainOptions) -> Result<()> {
    if let Some(path) = &options.simulated {
        return simulated::run(path, options);
    }
    let rust = learned(&options.dirs, &options.tried_on, options)?;
    if let Some(path) = &options.plot {
        calibration::plot(&rust.1, rust.0.line, path)?;
    }
    if options.c.is_empty() {
        anyhow::ensure!(options.write.is_none(), "--write needs --c");
        return Ok(());
    }
    println!("\nC:");
    let (mut c, _) = learned(&options.c, &[], options)?;
    if !options.learned_c {
        c.weights = fit::by_hand();
        c.line = c.line_by_hand;
    }
    if let Some(path) = &options.write {
        fs::write(path, file(&rust.0, &c, options))?;
    }
    Ok(())
}

/// Learns from the repairs in `dirs`, and tells what that is worth on those that are held back.
fn learned(
    dirs: &[PathBuf],
    tried_on: &[PathBuf],
    options: &TrainOptions,
) -> Result<(Fitted, Vec<Shown>)> {
    let mut repairs = data::read(dirs)?;
    let mut others = data::read(tried_on)?;
    for repair in repairs.iter_mut().chain(&mut others) {
        for feature in Feature::ALL {
            if options.without.iter().any(|name| name == feature.name()) {
                repair
                    .rows
                    .iter_mut()
                    .for_each(|row| row[*feature as usize] = 0.0);
            }
        }
    }
    let crates: BTreeSet<&str> = repairs.iter().chain(&others).map(|it| &*it.krate).collect();
    let fold: BTreeMap<&str, usize> = crates
        .iter()
        .enumerate()
        .map(|(nth, krate)| (*krate, nth % options.folds))
        .collect();
    println!("{} repairs of {} crates", repairs.len(), crates.len());
    let prior = fit::by_hand();
    let mut by_hand = Counts::default();
    let mut learned = Counts::default();
    let mut kinds: BTreeMap<&str, [Counts; 2]> = BTreeMap::new();
    let mut elsewhere = [Counts::default(); 2];
    let mut shown: Vec<Shown> = Vec::new();
    for held in 0..options.folds {
        let is_held = |repair: &&Repair| fold[&*repair.krate] == held;
        let training: Vec<&Repair> = repairs.iter().filter(|repair| !is_held(repair)).collect();
        let number = (training.len() as f64 * options.share).round() as usize;
        // Every nth, so that all crates stay in.
        let chosen = (0..number).map(|nth| training[nth * training.len() / number.max(1)]);
        let weights = fit::fit(&weighed(chosen.collect()), options.penalty);
        for repair in repairs.iter().filter(is_held) {
            let (hand, own) = (
                rank(repair, &prior, options.crowd),
                rank(repair, &weights, options.crowd),
            );
            by_hand.add(repair, hand);
            learned.add(repair, own);
            let kind = kinds.entry(&repair.kind).or_default();
            kind[0].add(repair, hand);
            kind[1].add(repair, own);
            shown.extend(calibration::shown(
                repair,
                &weights,
                &order(repair, &weights, options.crowd),
            ));
            if options.misses && own != Some(1) && repair.has_right() {
                miss(repair, &weights, own);
            }
        }
        for repair in others.iter().filter(is_held) {
            let (hand, own) = (
                rank(repair, &prior, options.crowd),
                rank(repair, &weights, options.crowd),
            );
            elsewhere[0].add(repair, hand);
            elsewhere[1].add(repair, own);
            if options.misses && own != Some(1) && repair.has_right() {
                miss(repair, &weights, own);
            }
        }
    }
    println!("by hand: {}", by_hand.line());
    println!("learned: {}", learned.line());
    for (kind, [hand, own]) in &kinds {
        println!(
            "{kind:14} by hand: {}\n{:14} learned: {}",
            hand.line(),
            "",
            own.line()
        );
    }
    if !others.is_empty() {
        println!("elsewhere, by hand: {}", elsewhere[0].line());
        println!("elsewhere, learned: {}", elsewhere[1].line());
    }
    let line = calibration::fit(&shown);
    print!("{}", calibration::table(&shown, line));
    let weights = fit::fit(&weighed(repairs.iter().collect()), options.penalty);
    let of_prior =
        |repair| calibration::shown(repair, &prior, &order(repair, &prior, options.crowd));
    let by_hand: Vec<Shown> = repairs.iter().flat_map(of_prior).collect();
    let fitted = Fitted {
        line_by_hand: calibration::fit(&by_hand),
        repairs,
        weights,
        line,
    };
    Ok((fitted, shown))
}

/// Repairs with their importance: kinds of faults count as often as people make them.
fn weighed(repairs: Vec<&Repair>) -> Vec<(&Repair, f64)> {
    let of_kind = |kind: &str| repairs.iter().filter(|repair| repair.kind == kind).count() as f64;
    let wanted: f64 = Kind::AS_PEOPLE_DO
        .iter()
        .map(|(_, weight)| *weight as f64)
        .sum();
    let importance = |repair: &Repair| {
        let weight = Kind::AS_PEOPLE_DO
            .iter()
            .find(|(kind, _)| format!("{kind:?}") == repair.kind);
        // Bugs that people made count as they are.
        weight.map_or(1.0, |(_, weight)| {
            let share = of_kind(&repair.kind) / repairs.len() as f64;
            (*weight as f64 / wanted / share).clamp(0.3, 3.0)
        })
    };
    repairs
        .iter()
        .map(|repair| (*repair, importance(repair)))
        .collect()
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
        let value = |it: &Feature| row[*it as usize] * weights[*it as usize];
        let mut parts: Vec<(f64, &str)> = Feature::ALL
            .iter()
            .map(|it| (value(it), it.name()))
            .collect();
        parts.retain(|(value, _)| value.abs() > 0.05);
        parts.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let parts: Vec<String> = parts
            .iter()
            .map(|(value, name)| format!("{name} {value:.1}"))
            .collect();
        let mark = if repair.right[*nth] { "right" } else { "" };
        let text: Vec<&str> = repair.texts[*nth].split_whitespace().collect();
        let place: String = repair.places[*nth].chars().take(60).collect();
        println!(
            "  {mark:5} {:.2} {}\n        {place} | {}",
            fit::score(row, weights),
            text.join(" "),
            parts.join(", ")
        );
    }
}

/// The file of weights.
fn file(rust: &Fitted, c: &Fitted, options: &TrainOptions) -> String {
    let crates: BTreeSet<&str> = rust.repairs.iter().map(|repair| &*repair.krate).collect();
    let crates: Vec<&str> = crates.into_iter().collect();
    let problems: BTreeSet<&str> = c.repairs.iter().map(|repair| &*repair.krate).collect();
    format!(
        "//! Generated by `cargo xtask learn train DIR… --c DIR --penalty {} --write src/rank/learned.rs`; do not edit.\n//!\n\
         //! {} repairs, hash of their names and features {:016x}, of these crates: {}.\n//!\n\
         //! {} repairs in C, hash {:016x}, of {} problems of Codeflaws.\n\n\
         #![allow(clippy::approx_constant, reason = \"weights that look like well-known numbers\")]\n\n\
         use super::features::Feature;\nuse super::model::Learned;\n\n/// For Rust.\npub const RUST: Learned = {};\n\n\
         /// For C.\npub const C: Learned = {};\n",
        options.penalty,
        rust.repairs.len(),
        hash(&rust.repairs),
        crates.join(", "),
        c.repairs.len(),
        hash(&c.repairs),
        problems.len(),
        rust.code(),
        c.code(),
    )
}

impl Fitted {
    /// As a Rust expression.
    fn code(&self) -> String {
        code(&self.weights, self.line)
    }
}

/// Weights and the line of their calibration as a Rust expression.
fn code(weights: &[f64], (slope, intercept): (f64, f64)) -> String {
    let digits = |number: f64| (number * 1000.0).round() / 1000.0;
    let mut text = "Learned {\n    weights: &[\n".to_owned();
    for (feature, weight) in Feature::ALL.iter().zip(weights) {
        // Three digits say enough, and what rounds to nothing is nothing.
        if weight.abs() >= 0.0005 {
            let name = feature.name();
            let _ = writeln!(text, "        (Feature::{name}, {:?}),", digits(*weight));
        }
    }
    let line = (digits(slope), digits(intercept));
    text + &format!("    ],\n    calibration: {line:?},\n}}")
}

/// FNV-1a over everything that the training reads.
fn hash(repairs: &[Repair]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for repair in repairs {
        add(repair.name.as_bytes());
        for (row, right) in repair.rows.iter().zip(&repair.right) {
            row.iter()
                .for_each(|value| add(&value.to_bits().to_le_bytes()));
            add(&[u8::from(*right)]);
        }
    }
    hash
}
