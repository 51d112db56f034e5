//! How the time and the memory of our synthesis grow with variables and contexts: generated
//! problems, the portfolio in a process of its own for each, two figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::generate;
use crate::svg::{Chart, Panel};
use crate::tool::{self, median};

/// What `cargo xtask bench curves` takes.
#[derive(Args)]
pub struct CurvesOptions {
    /// Problems for each size
    #[arg(long, value_name = "N", default_value_t = 6)]
    problems: u64,

    /// Seconds for each problem
    #[arg(long, default_value_t = 300.0)]
    limit: f64,

    /// Where synthesis-time.svg and synthesis-memory.svg are written
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
}

const VARIABLES: [usize; 8] = [5, 10, 15, 20, 25, 30, 35, 40];
const CONTEXTS: [usize; 7] = [10, 30, 100, 300, 1000, 3000, 10000];
/// Fixed while the other grows.
const FIXED: (usize, usize) = (20, 200);
const LARGEST: (usize, usize) = (40, 1000);

/// What was measured at one size.
struct Point {
    seconds: f64,
    mebibytes: f64,
}

/// Measures, prints the table and writes the figures.
pub fn bench(options: &CurvesOptions) -> Result<()> {
    let tool = tool::chosen(None)?;
    println!("| variables | contexts | solved | median time | peak memory |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    let measure = |variables, contexts| measure(&tool, variables, contexts, options);
    let mut by_variables = Vec::new();
    for variables in VARIABLES {
        by_variables.push((variables, measure(variables, FIXED.1)?));
    }
    let mut by_contexts = Vec::new();
    for contexts in CONTEXTS {
        by_contexts.push((contexts, measure(FIXED.0, contexts)?));
    }
    let largest = measure(LARGEST.0, LARGEST.1)?;
    fs::create_dir_all(&options.out)?;
    type Read = fn(&Point) -> f64;
    let figures: [(&str, &str, Read); 2] = [
        ("time", "median time in seconds", |point| point.seconds),
        ("memory", "peak memory in MiB", |point| point.mebibytes),
    ];
    for (name, what, read) in figures {
        let points = |points: &[(usize, Point)]| -> Vec<(f64, f64)> {
            points
                .iter()
                .map(|(size, point)| (*size as f64, read(point)))
                .collect()
        };
        let chart = Chart {
            title: format!("Synthesis on generated problems: {what}"),
            panels: vec![
                Panel {
                    x_label: format!("variables ({} contexts)", FIXED.1),
                    points: points(&by_variables),
                    extra: None,
                },
                Panel {
                    x_label: format!("contexts ({} variables)", FIXED.0),
                    points: points(&by_contexts),
                    extra: Some((
                        (LARGEST.1 as f64, read(&largest)),
                        format!("{} variables", LARGEST.0),
                    )),
                },
            ],
        };
        let path = options.out.join(format!("synthesis-{name}.svg"));
        fs::write(&path, chart.svg()?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn measure(
    tool: &Path,
    variables: usize,
    contexts: usize,
    options: &CurvesOptions,
) -> Result<Point> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("problem.json");
    let (mut seconds, mut peak, mut solved) = (Vec::new(), 0, 0);
    for seed in 0..options.problems {
        fs::write(
            &file,
            generate::problem(seed, variables, contexts).to_string(),
        )?;
        let limit = Duration::from_secs_f64(options.limit);
        let line = tool::synth(tool, &file, &[], limit)?;
        seconds.push(line.as_ref().map_or(options.limit, |line| line.seconds));
        if let Some(line) = line {
            peak = peak.max(line.peak_kib.unwrap_or(0));
            solved += u32::from(line.candidates.first().is_some_and(|first| first.explains));
        }
    }
    let point = Point {
        seconds: median(&mut seconds),
        mebibytes: peak as f64 / 1024.0,
    };
    println!(
        "| {variables} | {contexts} | {solved} of {} | {:.1} ms | {:.0} MiB |",
        options.problems,
        1000.0 * point.seconds,
        point.mebibytes
    );
    Ok(point)
}
