//! `cargo nopol heap` on the programs of `fixtures/heap`, with injected faults.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use cargo_nopol::heap::benchmark::{Faulty, Listed, Subject};
use cargo_nopol::heap::confine::{Confinement, search};
use cargo_nopol::heap::inject::Draw;
use cargo_nopol::heap::repair::{Options as Search, Outcome, Strategy};
use clap::{Args, ValueEnum};

/// What `cargo xtask bench heap` takes.
#[derive(Args)]
pub struct Options {
    /// Only these programs, such as `b01`; may be given several times [default: all]
    #[arg(long, value_name = "PROGRAM")]
    only: Vec<String>,

    /// Faulty versions of each program and class
    #[arg(long, value_name = "N", default_value_t = 40)]
    count: usize,

    /// Programs at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Where changes are looked for
    #[arg(long, value_enum, value_name = "WHERE", default_value_t)]
    confinement: Where,

    /// Use the paper's AlgVar
    #[arg(long)]
    variant: bool,

    /// Print every version
    #[arg(long)]
    verbose: bool,
}

/// Where changes are looked for.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Where {
    /// Among suspicious statements first
    #[default]
    Suspects,
    /// In the parts of the function that failing runs go through
    Section,
    /// Everywhere
    Anywhere,
}

impl From<Where> for Confinement {
    fn from(place: Where) -> Self {
        match place {
            Where::Suspects => Self::Suspects,
            Where::Section => Self::Section,
            Where::Anywhere => Self::Nothing,
        }
    }
}

/// The classes: mutated and deleted.
const CLASSES: [(usize, usize); 4] = [(1, 0), (1, 1), (2, 0), (2, 1)];

/// One version's result.
struct Row {
    program: String,
    class: usize,
    seconds: f64,
    widenings: u32,
    outcome: &'static str,
    is_equal: bool,
    /// The share of the statements that are suspected.
    suspected: f64,
    /// The share of the statements to look at until all mutated ones are seen; none if one is not suspected.
    effort: Option<f64>,
}

/// Prints the tables.
pub fn bench(options: &Options) -> Result<()> {
    let directory = Utf8PathBuf::from("fixtures/heap");
    let list = fs::read_to_string(directory.join("programs.json"))
        .context("run this in the project's root")?;
    let listed: Vec<Listed> = serde_json::from_str(&list)?;
    let listed: Vec<Listed> = listed
        .into_iter()
        .filter(|of| options.only.is_empty() || options.only.contains(&of.id))
        .collect();
    let rows = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(of) = listed.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match Subject::new(of, &directory.join("programs")) {
                        Ok(subject) => program(&subject, options, &rows),
                        Err(error) => eprintln!("{}: {error}", of.id),
                    }
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap_or_default();
    table(&rows);
    Ok(())
}

fn program(subject: &Subject, options: &Options, rows: &Mutex<Vec<Row>>) {
    for (class, faults) in CLASSES.into_iter().enumerate() {
        let seed = subject.id.bytes().fold(class as u64, |seed, byte| {
            seed.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let mut draw = Draw::new(seed);
        let mut own = Vec::new();
        for number in 0..options.count {
            let Some(faulty) = subject.faulty(&mut draw, faults) else {
                eprintln!("{}: no faults of class {} {number}", subject.id, class + 1);
                break;
            };
            let row = version(subject, class, &faulty, options);
            if options.verbose || row.outcome != "repaired" || !row.is_equal {
                println!(
                    "{} class {} number {number}: {}, {:.0} ms, {} widenings, {}",
                    subject.id,
                    class + 1,
                    row.outcome,
                    row.seconds * 1000.0,
                    row.widenings,
                    if row.is_equal { "equal" } else { "different" },
                );
            }
            own.push(row);
        }
        if let Ok(mut rows) = rows.lock() {
            rows.extend(own);
        }
    }
}

fn version(subject: &Subject, class: usize, faulty: &Faulty, options: &Options) -> Row {
    let routine = &faulty.loaded.routine;
    let settings = Search {
        insertions: 1,
        strategy: match options.variant {
            true => Strategy::Selectors(1),
            false => Strategy::Bounds,
        },
    };
    let start = Instant::now();
    let found = search(
        routine,
        &faulty.triples,
        options.confinement.into(),
        settings,
    );
    let took: Duration = start.elapsed();
    let (outcome, is_equal) = match &found.repaired.result {
        Outcome::Patch(changes) => {
            let written = subject.with(&faulty.loaded, changes);
            let is_equal = written.is_ok_and(|written| {
                let others = &subject.others;
                others.iter().all(|triple| {
                    let triple = cargo_nopol::heap::benchmark::translated(
                        triple,
                        &subject.reference.routine,
                        &written.routine,
                    );
                    triple.check(&written.routine).is_ok()
                })
            });
            ("repaired", is_equal)
        }
        Outcome::Correct => ("correct", false),
        Outcome::Contradiction(_) => ("contradiction", false),
        Outcome::Exhausted => ("exhausted", false),
        Outcome::Unknown => ("unknown", false),
    };
    let ranked = found.suspects.ranked();
    let own = routine.units().len().max(1);
    let share = |count: usize| {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let share = count as f64 / own as f64;
        share
    };
    let mutated = faulty.mutated.iter();
    let places: Option<Vec<usize>> = mutated
        .map(|fault| ranked.iter().position(|id| *id == routine.unit(*fault)))
        .collect();
    let effort = places.map(|places| share(places.into_iter().max().map_or(0, |at| at + 1)));
    Row {
        suspected: share(ranked.len()),
        effort,
        program: subject.id.clone(),
        class,
        seconds: took.as_secs_f64(),
        widenings: found.repaired.widenings,
        outcome,
        is_equal,
    }
}

fn table(rows: &[Row]) {
    println!(
        "\n| class | versions | repaired | equal | median | 95 % | slowest | most widenings |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut all: Vec<(String, Vec<&Row>)> = Vec::new();
    for (class, (mutated, deleted)) in CLASSES.into_iter().enumerate() {
        let name = format!("⟨{mutated},{deleted}⟩");
        all.push((name, rows.iter().filter(|row| row.class == class).collect()));
    }
    all.push(("all".to_owned(), rows.iter().collect()));
    for (name, rows) in all {
        let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let at = |share: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a position in a list"
            )]
            let at = ((seconds.len().saturating_sub(1)) as f64 * share).round() as usize;
            seconds.get(at).copied().unwrap_or(0.0) * 1000.0
        };
        let repaired = rows.iter().filter(|row| row.outcome == "repaired").count();
        println!(
            "| {name} | {} | {repaired} | {} | {:.0} ms | {:.0} ms | {:.0} ms | {} |",
            rows.len(),
            rows.iter().filter(|row| row.is_equal).count(),
            at(0.5),
            at(0.95),
            at(1.0),
            rows.iter().map(|row| row.widenings).max().unwrap_or(0),
        );
    }
    println!(
        "\n| class | all mutated statements suspected | effort ≤ 10 % | ≤ 25 % | suspected < 12 % | median suspected |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (class, (mutated, deleted)) in CLASSES.into_iter().enumerate() {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.class == class).collect();
        let share = |holds: &dyn Fn(&Row) -> bool| {
            let count = rows.iter().filter(|row| holds(row)).count();
            format!(
                "{:.1} %",
                100.0 * f64::from(u32::try_from(count).unwrap_or(0))
                    / f64::from(u32::try_from(rows.len().max(1)).unwrap_or(1))
            )
        };
        let mut suspected: Vec<f64> = rows.iter().map(|row| row.suspected).collect();
        suspected.sort_by(f64::total_cmp);
        println!(
            "| ⟨{mutated},{deleted}⟩ | {} | {} | {} | {} | {:.1} % |",
            share(&|row| row.effort.is_some()),
            share(&|row| row.effort.is_some_and(|effort| effort <= 0.1)),
            share(&|row| row.effort.is_some_and(|effort| effort <= 0.25)),
            share(&|row| row.suspected < 0.12),
            100.0 * suspected.get(suspected.len() / 2).copied().unwrap_or(0.0),
        );
    }
    let mut slow: Vec<(&str, f64)> = Vec::new();
    for row in rows {
        match slow.iter_mut().find(|(program, _)| *program == row.program) {
            Some((_, most)) => *most = most.max(row.seconds),
            None => slow.push((&row.program, row.seconds)),
        }
    }
    slow.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (program, seconds) in slow.iter().take(8) {
        println!("slowest of {program}: {seconds:.2} s");
    }
}
