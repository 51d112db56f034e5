//! How a run grows with the subject: generated crates of many lines and of many tests, with one wrong comparison.
//! Prints a table, and draws the time in which compilers run and the time of everything else.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Deserialize;

use crate::svg::{Chart, Panel};
use crate::tool;

/// What `cargo xtask bench crates` takes.
#[derive(Args)]
pub struct CratesOptions {
    /// The tool, instead of building it
    #[arg(long, value_name = "PATH")]
    tool: Option<PathBuf>,

    /// Leave out what has more lines or tests than this
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,

    /// Where crates.svg is written
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
}

/// Lines, with a test for each hundred; then tests, in ten thousand lines beside the tests.
const LINES: [usize; 5] = [1000, 3000, 10_000, 30_000, 100_000];
const TESTS: [usize; 5] = [100, 300, 1000, 3000, 10_000];
const LINES_WITH_TESTS: usize = 10_000;
/// Lines of a module without its tests, about.
const MODULE: usize = 100;
/// Phases in which mostly compilers run.
const COMPILING: [&str; 6] = [
    "building",
    "instrumenting places",
    "recording contexts",
    "building candidates",
    "checking a patch",
    "checking patches",
];

#[derive(Deserialize)]
struct Report {
    outcome: String,
    phases: Vec<Phase>,
}

#[derive(Deserialize)]
struct Phase {
    name: String,
    seconds: f64,
}

struct Point {
    compiling: f64,
    others: f64,
}

/// Measures, prints the table and writes the figure.
pub fn bench(options: &CratesOptions) -> Result<()> {
    let tool = tool::chosen(options.tool.as_ref())?;
    println!(
        "| lines | tests | cold test, s | its processor s | nopol, s | its processor s | compiling | everything else | memory of the tool | outcome |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    let (mut by_lines, mut by_tests) = (Vec::new(), Vec::new());
    for lines in LINES.into_iter().filter(|lines| *lines <= options.most) {
        by_lines.push((lines as f64, measure(&tool, lines, lines / 100)?));
    }
    for tests in TESTS.into_iter().filter(|tests| *tests <= options.most) {
        by_tests.push((tests as f64, measure(&tool, LINES_WITH_TESTS, tests)?));
    }
    let panel = |x_label: &str, points: &[(f64, Point)], read: fn(&Point) -> f64| Panel {
        x_label: x_label.to_owned(),
        points: points.iter().map(|(x, point)| (*x, read(point))).collect(),
        extra: None,
    };
    let chart = Chart {
        title: "Seconds of a run on generated crates".to_owned(),
        panels: vec![
            panel("lines: compiling", &by_lines, |point| point.compiling),
            panel("lines: everything else", &by_lines, |point| point.others),
            panel("tests: compiling", &by_tests, |point| point.compiling),
            panel("tests: everything else", &by_tests, |point| point.others),
        ],
    };
    let path = options.out.join("crates.svg");
    fs::write(&path, chart.svg()?).with_context(|| format!("cannot write {}", path.display()))
}

fn measure(tool: &Path, lines: usize, tests: usize) -> Result<Point> {
    let dir = tempfile::tempdir()?;
    generate(dir.path(), lines, tests)?;
    let written = fs::read_dir(dir.path().join("src"))?.filter_map(|entry| {
        let text = fs::read_to_string(entry.ok()?.path()).ok()?;
        Some(text.lines().count())
    });
    let written: usize = written.sum();
    let mut test = Command::new(tool::cargo());
    test.args(["test", "--quiet"]).current_dir(dir.path());
    let cold = timed(&mut test, dir.path())?;
    fs::remove_dir_all(dir.path().join("target"))?;
    let mut repair = Command::new(tool);
    repair
        .args(["nopol", "--format", "json"])
        .current_dir(dir.path());
    let run = timed(&mut repair, dir.path())?;
    let report: Report = serde_json::from_str(&run.printed)?;
    let sum = |wanted: bool| -> f64 {
        let phases = report.phases.iter();
        let wanted = phases.filter(|phase| COMPILING.contains(&&*phase.name) == wanted);
        wanted.map(|phase| phase.seconds).sum()
    };
    let point = Point {
        compiling: sum(true),
        others: sum(false),
    };
    println!(
        "| {written} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {} MiB | {} |",
        tests + 1,
        cold.seconds,
        cold.processor,
        run.seconds,
        run.processor,
        point.compiling,
        point.others,
        run.peak_kib / 1024,
        report.outcome
    );
    Ok(point)
}

struct Timed {
    seconds: f64,
    /// Of all its processes.
    processor: f64,
    /// Of the process itself, not of those it starts.
    peak_kib: u64,
    printed: String,
}

/// Runs a command, whose output goes to a file in `dir`.
fn timed(command: &mut Command, dir: &Path) -> Result<Timed> {
    let path = dir.join("printed");
    let before = processor()?;
    let start = Instant::now();
    let mut child = tool::as_from_a_shell(command)
        .stdout(fs::File::create(&path)?)
        .stderr(Stdio::null())
        .spawn()?;
    let peak_kib = watch(&mut child)?;
    Ok(Timed {
        seconds: start.elapsed().as_secs_f64(),
        processor: processor()? - before,
        peak_kib,
        printed: fs::read_to_string(path)?,
    })
}

/// Waits for a process; the most memory that it had.
fn watch(child: &mut Child) -> Result<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = kib.unwrap_or(peak).max(peak);
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(peak)
}

/// The processor seconds of all processes that this one has waited for.
fn processor() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(micros as f64 / 1e6)
}

/// Writes a crate of about so many lines beside its tests, of which one fails: in the middle module `>=` stands for
/// `>`.
fn generate(dir: &Path, lines: usize, tests: usize) -> Result<()> {
    let modules = (lines / MODULE).max(1);
    fs::create_dir(dir.join("src"))?;
    let manifest =
        "[package]\nname = \"generated\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    fs::write(dir.join("Cargo.toml"), manifest)?;
    let mut lib = String::new();
    for module in 0..modules {
        writeln!(lib, "pub mod m{module};")?;
        let is_wrong = module == modules / 2;
        let own = tests * (module + 1) / modules - tests * module / modules;
        let text = self::module(is_wrong, own)?;
        fs::write(dir.join(format!("src/m{module}.rs")), text)?;
    }
    fs::write(dir.join("src/lib.rs"), lib)?;
    Ok(())
}

fn module(is_wrong: bool, tests: usize) -> Result<String> {
    let mut text = String::from(
        "//! Accounts.\n\npub struct Account {\n    pub balance: i64,\n    pub limit: i64,\n    pub open: bool,\n    pub notes: Vec<String>,\n}\n\nimpl Account {\n    pub fn new(limit: i64) -> Self {\n        Self { balance: 0, limit, open: true, notes: Vec::new() }\n    }\n",
    );
    for fee in 0..5 {
        let compared = if is_wrong && fee == 2 { ">=" } else { ">" };
        write!(
            text,
            "
    pub fn withdraw_{fee}(&mut self, amount: i64) -> Result<i64, String> {{
        if !self.open {{
            return Err(\"closed\".to_string());
        }}
        if amount < 0 {{
            return Err(\"negative\".to_string());
        }}
        let left = self.balance - amount;
        if left + self.limit + {fee} < 0 && amount {compared} {fee} {{
            return Err(format!(\"limit {{}}\", self.limit));
        }}
        for note in &self.notes {{
            if note.len() > 40 {{
                return Err(note.clone());
            }}
        }}
        self.balance = left;
        Ok(left)
    }}
"
        )?;
    }
    text.push_str("}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n");
    for test in 0..tests {
        let (fee, limit) = (test % 5, 10 + test);
        write!(
            text,
            "
    #[test]
    fn withdraws_{test}() {{
        let mut account = Account::new({limit});
        assert_eq!(account.withdraw_{fee}({limit}), Ok(-{limit}));
        assert!(account.withdraw_{fee}(100).is_err());
    }}
"
        )?;
    }
    if is_wrong {
        text.push_str(
            "
    #[test]
    fn a_small_amount_is_free() {
        let mut account = Account::new(0);
        account.balance = -5;
        assert_eq!(account.withdraw_2(2), Ok(-7));
        assert!(account.withdraw_2(3).is_err());
    }
",
        );
    }
    text.push_str("}\n");
    Ok(text)
}
