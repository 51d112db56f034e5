//! `cargo nopol` against one cold `cargo test`, fixture by fixture.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::tool::{self, median};

/// What is read of the tool's JSON.
#[derive(Deserialize)]
struct Report {
    outcome: String,
    builds: u32,
    patches: Vec<serde_json::Value>,
    phases: Vec<Phase>,
}

#[derive(Deserialize)]
struct Phase {
    name: String,
    seconds: f64,
    runs: u64,
}

/// What is read of a fixture's expectation.
#[derive(Deserialize)]
struct Expected {
    args: Vec<String>,
}

/// Prints the table of `docs/benchmarks.md` as Markdown: medians of `runs` runs, each in a fresh
/// copy with an empty target directory, the two commands in turn.
pub fn bench(runs: usize) -> Result<()> {
    let (root, cargo) = (tool::root()?, tool::cargo());
    let binary = tool::chosen(None)?;

    println!(
        "| fixture | cold `cargo test` | `cargo nopol` | ratio | outcome | patches | builds | forced runs | ms each |"
    );
    println!("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |");
    let mut ratios = Vec::new();
    let mut names: Vec<PathBuf> = fs::read_dir(root.join("fixtures"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    names.sort();
    for fixture in names {
        let name = fixture
            .file_name()
            .context("no name")?
            .to_string_lossy()
            .into_owned();
        let expected: Expected =
            serde_json::from_str(&fs::read_to_string(fixture.join("expected.json"))?)?;
        let (mut tests, mut repairs, mut last) = (Vec::new(), Vec::new(), None);
        for _ in 0..runs {
            let dir = tempfile::tempdir()?;
            tool::copy(&fixture, dir.path(), &armed)?;
            let mut test = Command::new(&cargo);
            test.arg("test")
                .args(&expected.args)
                .current_dir(dir.path());
            tests.push(timed(&mut test)?.0);

            let dir = tempfile::tempdir()?;
            tool::copy(&fixture, dir.path(), &armed)?;
            let mut repair = Command::new(&binary);
            repair
                .args(["nopol", "--format", "json"])
                .args(&expected.args)
                .current_dir(dir.path());
            let (seconds, stdout) = timed(&mut repair)?;
            repairs.push(seconds);
            last = Some(serde_json::from_slice::<Report>(&stdout)?);
        }
        let report = last.context("no runs")?;
        let (test, repair) = (median(&mut tests), median(&mut repairs));
        ratios.push(repair / test);
        let forced = report
            .phases
            .iter()
            .find(|phase| phase.name == "forcing outcomes");
        let (count, each) = forced.map_or((0, 0.0), |phase| {
            (
                phase.runs,
                1000.0 * phase.seconds / phase.runs.max(1) as f64,
            )
        });
        println!(
            "| `{name}` | {test:.2} s | {repair:.2} s | {:.1} | {} | {} | {} | {count} | {each:.1} |",
            repair / test,
            report.outcome,
            report.patches.len(),
            report.builds,
        );
    }
    println!("\nMedian ratio: {:.1}", median(&mut ratios));
    Ok(())
}

fn timed(command: &mut Command) -> Result<(f64, Vec<u8>)> {
    tool::as_from_a_shell(command).stderr(Stdio::null());
    let start = Instant::now();
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    Ok((start.elapsed().as_secs_f64(), output.stdout))
}

/// The name of a fixture's file in a copy, where its manifests are armed.
fn armed(path: &Path) -> Option<&OsStr> {
    let name = path.file_name()?;
    Some(if name == "Cargo_test.toml" {
        OsStr::new("Cargo.toml")
    } else {
        name
    })
}
