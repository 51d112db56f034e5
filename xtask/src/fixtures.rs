//! `cargo nopol` against one cold `cargo test`, fixture by fixture.

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
    let binary = tool::build()?;

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
            copy(&fixture, dir.path())?;
            let mut test = Command::new(&cargo);
            test.arg("test")
                .args(&expected.args)
                .current_dir(dir.path());
            tests.push(timed(&mut test)?.0);

            let dir = tempfile::tempdir()?;
            copy(&fixture, dir.path())?;
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
    command.env("RUST_BACKTRACE", "0").stderr(Stdio::null());
    // Not the cargo that runs this.
    for (name, _) in std::env::vars() {
        if name.starts_with("CARGO_") && name != "CARGO_HOME" {
            command.env_remove(name);
        }
    }
    let start = Instant::now();
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    Ok((start.elapsed().as_secs_f64(), output.stdout))
}

/// Copies a fixture, arming its manifests.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().context("no name")?;
        if path.is_dir() {
            fs::create_dir_all(to.join(name))?;
            copy(&path, &to.join(name))?;
        } else if name == "Cargo_test.toml" {
            fs::copy(&path, to.join("Cargo.toml"))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
