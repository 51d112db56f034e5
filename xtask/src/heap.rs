//! `cargo xtask bench heap`: the programs of `fixtures/heap` with injected faults.

mod plots;
mod spectrum;
mod tables;
mod version;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::Args;
use nopol_heap::benchmark::{Faulty, Listed, Subject};
use nopol_heap::confine::Confinement;
use nopol_heap::inject::Draw;
use nopol_heap::repair::Strategy;

use version::{Row, Way, measure};

/// What `cargo xtask bench heap` takes.
#[derive(Args)]
pub struct HeapBenchOptions {
    /// Only these programs, such as `b01`; may be given several times [default: all]
    #[arg(long, value_name = "PROGRAM")]
    only: Vec<String>,

    /// Faulty versions of each program and class
    #[arg(long, value_name = "N", default_value_t = 40)]
    count: usize,

    /// Programs at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Search by section, unconfined and by AlgVar, too, and say how much slower that is
    #[arg(long, conflicts_with = "growth")]
    against: bool,

    /// Inject up to this many mutations, and show how the time grows
    #[arg(long, value_name = "FAULTS")]
    growth: Option<usize>,

    /// End a search after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    limit: u64,

    /// Draw the figures into this directory
    #[arg(long, value_name = "DIR")]
    plots: Option<Utf8PathBuf>,

    /// Print every version
    #[arg(long)]
    verbose: bool,
}

/// The classes: mutated and deleted.
const CLASSES: [(usize, usize); 4] = [(1, 0), (1, 1), (2, 0), (2, 1)];

/// The paper's main algorithm, confined by its localization.
const OURS: Way = Way {
    confinement: Confinement::Suspects,
    strategy: Strategy::Bounds,
};

/// What is compared, the main algorithm first.
const WAYS: [(&str, Way); 4] = [
    ("localized", OURS),
    (
        "by section",
        Way {
            confinement: Confinement::Section,
            ..OURS
        },
    ),
    (
        "unconfined",
        Way {
            confinement: Confinement::Nothing,
            ..OURS
        },
    ),
    (
        "AlgVar",
        Way {
            strategy: Strategy::Selectors(1),
            ..OURS
        },
    ),
];

/// Prints the tables.
pub fn bench(options: &HeapBenchOptions) -> Result<()> {
    let directory = Utf8PathBuf::from("fixtures/heap");
    let list = fs::read_to_string(directory.join("programs.json"))
        .context("run this in the project's root")?;
    let listed: Vec<Listed> = serde_json::from_str(&list)?;
    let listed: Vec<Listed> = listed
        .into_iter()
        .filter(|of| options.only.is_empty() || options.only.contains(&of.id))
        .collect();
    let classes: Vec<(usize, usize)> = match options.growth {
        Some(most) => (1..=most).map(|mutated| (mutated, 0)).collect(),
        None => CLASSES.to_vec(),
    };
    let ways = if options.against {
        &WAYS[..]
    } else {
        &WAYS[..1]
    };
    let rows = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(of) = listed.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match Subject::new(of, &directory.join("programs")) {
                        Ok(subject) => program(&subject, options, &classes, ways, &rows),
                        Err(error) => eprintln!("{}: {error}", of.id),
                    }
                }
            });
        }
    });
    let mut rows: Vec<Row> = rows.into_inner().unwrap_or_default();
    rows.sort_by(|a, b| (&a.program, a.class).cmp(&(&b.program, b.class)));
    tables::repairs(&rows, &classes, 0);
    tables::localization(&rows, &classes);
    if options.against {
        let names: Vec<&str> = WAYS.iter().map(|(name, _)| *name).collect();
        tables::speed(&rows, &classes, &names);
    }
    tables::slowest(&rows);
    if let Some(directory) = &options.plots {
        fs::create_dir_all(directory)?;
        match options.growth {
            Some(_) => plots::growth(directory, &rows, classes.len())?,
            None => plots::effort(directory, &rows)?,
        }
    }
    Ok(())
}

fn program(
    subject: &Subject,
    options: &HeapBenchOptions,
    classes: &[(usize, usize)],
    ways: &[(&str, Way)],
    rows: &Mutex<Vec<Row>>,
) {
    let limit = Duration::from_secs(options.limit);
    let ways: Vec<Way> = ways.iter().map(|(_, way)| *way).collect();
    for (class, faults) in classes.iter().enumerate() {
        let seed = subject.id.bytes().fold(class as u64, |seed, byte| {
            seed.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let mut draw = Draw::new(seed);
        for number in 0..options.count {
            let Some(faulty) = subject.faulty(&mut draw, *faults) else {
                eprintln!(
                    "{}: no faults of class {} {number}",
                    subject.id,
                    tables::name(*faults)
                );
                break;
            };
            let row = measure(subject, class, &faulty, &ways, limit);
            for searched in &row.searched {
                if options.verbose || !searched.is_equal {
                    println!(
                        "{} class {} number {number}: {}, {:.0} ms, {} widenings, {}, effort {:.2}",
                        subject.id,
                        tables::name(*faults),
                        searched.outcome,
                        searched.seconds * 1000.0,
                        searched.widenings,
                        if searched.is_equal {
                            "equal"
                        } else {
                            "different"
                        },
                        row.effort.ours,
                    );
                }
            }
            if !row.searched[0].is_repaired() {
                print!("{}", difference(subject, &faulty));
            }
            if let Ok(mut rows) = rows.lock() {
                rows.push(row);
            }
        }
    }
}

/// What the faults are, as a diff.
fn difference(subject: &Subject, faulty: &Faulty) -> String {
    let texts = subject.reference.texts.iter().zip(&faulty.loaded.texts);
    let diffs = texts.map(|(before, after)| {
        let diff = similar::TextDiff::from_lines(before.as_str(), after.as_str());
        diff.unified_diff().context_radius(1).to_string()
    });
    diffs.collect()
}
