//! `cargo nopol` on real bugs whose human fix is known: what was found, and whether it is that fix.

mod c_project;
mod table;
mod verdicts;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Deserialize;

use crate::kept::Kept;
use crate::tool;
use table::Row;
use verdicts::Verdicts;

/// What `cargo xtask bench bugs` and `bench c-projects` take.
#[derive(Args)]
pub struct BugsOptions {
    /// Directory with cases.json
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Directory with the buggy tree of each case, named by the case's id; never written to
    #[arg(long, value_name = "DIR", required_unless_present = "from")]
    checkouts: Option<PathBuf>,

    /// Only cases whose id starts so; may be given several times [default: all]
    #[arg(long, value_name = "PREFIX")]
    only: Vec<String>,

    /// Only cases of this part of the data, such as `dev` [default: all]
    #[arg(long, value_name = "PART")]
    split: Option<String>,

    /// Where each report is kept as ID.json, and what it took as ID.seconds. A case with a report is not run again
    #[arg(long, value_name = "DIR")]
    reports: Option<PathBuf>,

    /// The cargo-nopol to run [default: the release build of this repository]
    #[arg(long, value_name = "PATH")]
    tool: Option<PathBuf>,

    /// Run nothing, read the reports kept there; without ID.seconds the phases are summed up
    #[arg(long, value_name = "DIR", conflicts_with_all = ["checkouts", "reports"])]
    from: Option<PathBuf>,

    /// Seconds for each case
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    limit: u64,

    /// Passed on to `cargo nopol`; may be given several times
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    tool_arg: Vec<String>,

    /// After the table, show the patches not judged yet and their keys for docs/bugs.json
    #[arg(long)]
    judge: bool,
}

/// One bug: what is read of `cases.json`.
#[derive(Default, Deserialize)]
struct Case {
    id: String,
    #[serde(default)]
    kind: String,
    /// Relative to the root of the tree.
    #[serde(default)]
    file: String,
    /// Of the human fix, in the fixed tree.
    line: Option<usize>,
    /// File and first line of what the fix changed, in the fixed tree.
    #[serde(default)]
    fix_hunks: Vec<(String, usize)>,
    #[serde(default)]
    before: String,
    #[serde(default)]
    after: String,
    #[serde(default)]
    guard_statement: String,
    package: Option<String>,
    /// Where the package is in the tree.
    #[serde(default)]
    package_dir: PathBuf,
    /// Arguments for cargo, separated by blanks.
    #[serde(default)]
    test_target: String,
    #[serde(default)]
    failing_tests: Vec<String>,
    /// The part of the data it belongs to.
    #[serde(default)]
    split: String,
    /// Of a C project: shell commands that build it, run its tests, and run the test that fails.
    #[serde(default)]
    build: String,
    #[serde(default)]
    test: String,
    narrow: Option<String>,
    /// A command that runs the test `{name}`, and the names of the failing test and of some others.
    each: Option<String>,
    #[serde(default)]
    names: Vec<String>,
}

/// Where the bugs are from.
#[derive(Clone, Copy, PartialEq)]
pub enum Origin {
    Crates,
    CProjects,
}

impl Origin {
    /// A person's verdicts, below the root.
    fn verdicts(self) -> &'static str {
        match self {
            Self::Crates => "docs/bugs.json",
            Self::CProjects => "docs/c-projects.json",
        }
    }
}

impl Case {
    /// Lines between a place and the nearest part of the fix; `None` in another file.
    fn distance(&self, file: &str, line: usize) -> Option<usize> {
        let hunks = self.fix_hunks.iter();
        let hunks = hunks.filter_map(|(of, line)| (*of == self.file).then_some(*line));
        let lines = hunks.chain(self.line);
        let nearest = lines.map(|fixed| fixed.abs_diff(line)).min();
        // A crate outside of the workspace is told relative to that.
        nearest.filter(|_| file.trim_start_matches("../") == self.file)
    }

    /// Whether a place is that of the human fix, as far as lines tell.
    fn is_here(&self, file: &str, line: usize) -> bool {
        self.distance(file, line)
            .is_some_and(|distance| distance <= 8)
    }
}

/// What is read of the tool's JSON.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Report {
    outcome: String,
    message: Option<String>,
    failing_tests: Vec<String>,
    /// Whether the tests are not those that `c --init` found.
    given: bool,
    sites: Vec<Site>,
    patches: Vec<Patch>,
    phases: Vec<Phase>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Site {
    file: String,
    line: usize,
    angelic: Vec<serde_json::Value>,
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Patch {
    edits: Vec<Edit>,
    diff: String,
    trivial: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Edit {
    file: String,
    line: usize,
    before: String,
    after: String,
    condition: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Phase {
    name: String,
    seconds: f64,
}

/// Runs the tool on every case, or reads what it reported, and prints the table.
pub fn bench(options: &BugsOptions, origin: Origin) -> Result<()> {
    let cases = cases(options)?;
    let verdicts = Verdicts::read(tool::root()?, origin.verdicts())?;
    let reports = options.from.as_ref().or(options.reports.as_ref());
    if let Some(dir) = reports {
        fs::create_dir_all(dir)?;
    }
    let tool = match options.from {
        Some(_) => None,
        None => Some(tool::chosen(options.tool.as_ref())?),
    };
    print!("{}", table::HEAD);
    let (mut rows, mut unjudged) = (Vec::new(), String::new());
    for case in &cases {
        let known = reports.and_then(|dir| Kept::read(dir, &case.id));
        let kept = match (known, &tool, &options.checkouts) {
            (Some(kept), ..) => Ok(kept),
            (None, Some(tool), Some(checkouts)) => {
                let kept = run(tool, &checkouts.join(&case.id), case, options, origin);
                if let (Some(dir), Some(kept)) = (reports, &kept) {
                    kept.write(dir, &case.id)?;
                }
                kept.ok_or("no checkout")
            }
            _ => Err("no report"),
        };
        let row = match kept.and_then(|kept| read(&kept).ok_or("the report cannot be read")) {
            Ok((report, seconds)) => {
                unjudged += &verdicts.unjudged(case, &report);
                Row::new(case, &report, seconds, &verdicts)
            }
            Err(why) => Row::missing(case, why),
        };
        print!("{row}");
        rows.push(row);
    }
    print!("{}", table::totals(&rows, origin));
    if options.judge {
        print!("{unjudged}");
    }
    Ok(())
}

fn cases(options: &BugsOptions) -> Result<Vec<Case>> {
    let file = options.data.join("cases.json");
    let text =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut cases: Vec<Case> = serde_json::from_str(&text)
        .with_context(|| format!("{} is no list of cases", file.display()))?;
    let only = &options.only;
    let is_named = |case: &Case| only.is_empty() || only.iter().any(|it| case.id.starts_with(it));
    cases
        .retain(|case| is_named(case) && options.split.as_ref().is_none_or(|it| case.split == *it));
    ensure!(!cases.is_empty(), "no such case in {}", file.display());
    Ok(cases)
}

/// The report and its seconds, if they can be known: a phase that fails has none.
fn read(kept: &Kept) -> Option<(Report, Option<f64>)> {
    let report: Report = serde_json::from_str(&kept.json).ok()?;
    let is_whole = ["patched", "no-patch"].contains(&&*report.outcome);
    let phases = report.phases.iter().map(|phase| phase.seconds);
    let phases = is_whole.then(|| phases.sum());
    Some((report, kept.seconds.or(phases)))
}

/// Runs the tool in a copy of a tree; `None` without a tree. Whatever goes wrong is a report.
fn run(
    tool: &Path,
    tree: &Path,
    case: &Case,
    options: &BugsOptions,
    origin: Origin,
) -> Option<Kept> {
    if !tree.is_dir() {
        return None;
    }
    eprintln!("{} …", case.id);
    let start = Instant::now();
    let kept = match origin {
        Origin::Crates => report(tool, tree, case, options),
        Origin::CProjects => c_project::report(tool, tree, case, options.limit, &options.tool_arg),
    };
    Some(
        kept.unwrap_or_else(|error| {
            Kept::failed(&format!("{error:#}"), start.elapsed().as_secs_f64())
        }),
    )
}

fn report(tool: &Path, tree: &Path, case: &Case, options: &BugsOptions) -> Result<Kept> {
    let dir = tempfile::tempdir()?;
    tool::copy(tree, dir.path(), &|path| {
        let is_built = path.ends_with("target") && path.with_file_name("Cargo.toml").is_file();
        path.file_name().filter(|_| !is_built)
    })?;
    let mut command = Command::new(tool);
    command
        .args(["nopol", "--format", "json", "--time-limit"])
        .arg(options.limit.to_string())
        .args(case.package.iter().flat_map(|name| ["-p", name]))
        .args(case.test_target.split_whitespace())
        .args((case.failing_tests.iter()).flat_map(|name| ["--failing", name]))
        .args(&options.tool_arg)
        .current_dir(dir.path().join(&case.package_dir));
    Kept::run(&mut command, options.limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_measured_against_the_nearest_part_of_the_fix_in_its_file() {
        let json =
            r#"{"id": "a", "file": "x.rs", "line": 40, "fix_hunks": [["x.rs", 20], ["y.rs", 3]]}"#;
        let case: Case = serde_json::from_str(json).unwrap();
        assert_eq!(case.distance("x.rs", 26), Some(6));
        assert!(case.is_here("x.rs", 48) && !case.is_here("x.rs", 49));
        assert!(!case.is_here("y.rs", 3));
        let bare: Case = serde_json::from_str(r#"{"id": "b"}"#).unwrap();
        assert!(!bare.is_here("x.rs", 1));
    }
}
