//! Our engines and cvc5 on the same synthesis problems, one process at a time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::tool::{self, median};

/// What `cargo xtask bench synthesis` takes.
#[derive(Args)]
pub struct SynthesisOptions {
    /// Directory with problems as JSON
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Python with cvc5, from xtask/cvc5-requirements.txt; without it cvc5 is left out
    #[arg(long, value_name = "PYTHON")]
    cvc5: Option<PathBuf>,

    /// Seconds for each solver and problem
    #[arg(long, default_value_t = 60.0)]
    limit: f64,

    /// Only these solvers; may be given several times [default: all]
    #[arg(long, value_name = "SOLVER", value_enum)]
    only: Vec<Solver>,

    /// Only this many problems, spread evenly
    #[arg(long, value_name = "N")]
    sample: Option<usize>,

    /// Result of each solver and problem, as JSON lines; what is in it already is not run again
    #[arg(
        long,
        value_name = "FILE",
        default_value = "target/bench-synthesis.jsonl"
    )]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Solver {
    Portfolio,
    Smt,
    Cvc5,
}

impl Solver {
    const ALL: [Self; 3] = [Self::Portfolio, Self::Smt, Self::Cvc5];

    fn name(self) -> &'static str {
        match self {
            Self::Portfolio => "portfolio",
            Self::Smt => "SMT engine alone",
            Self::Cvc5 => "cvc5 (SyGuS)",
        }
    }
}

/// What came of one solver and problem.
#[derive(Clone, Deserialize, Serialize)]
struct Record {
    problem: String,
    solver: Solver,
    /// Of solving alone; the limit where it was reached or nothing was found.
    seconds: f64,
    /// Its first answer explains every context.
    solved: bool,
    /// The first answer is right in every check context.
    first: bool,
    /// One of the first five is.
    five: bool,
    answer: Option<String>,
    peak_kib: Option<u64>,
}

/// What is read of `xtask/sygus.py`.
#[derive(Deserialize)]
struct Reply {
    seconds: f64,
    answer: Option<String>,
}

/// Runs what is not in the results file yet, and prints the table of `docs/benchmarks.md`.
pub fn bench(options: &SynthesisOptions) -> Result<()> {
    let tool = tool::chosen(None)?;
    let problems = problems(&options.data, options.sample)?;
    let mut records = known(&options.out)?;
    let scratch = tempfile::tempdir()?;
    if let Some(python) = &options.cvc5 {
        let found = Command::new(python).args(["-c", "import cvc5"]).status()?;
        ensure!(found.success(), "{} has no cvc5", python.display());
    }
    let solvers = Solver::ALL.into_iter().filter(|solver| {
        let wanted = options.only.is_empty() || options.only.contains(solver);
        wanted && (*solver != Solver::Cvc5 || options.cvc5.is_some())
    });
    for solver in solvers {
        for problem in &problems {
            let key = (solver, stem(problem));
            if records.contains_key(&key) {
                continue;
            }
            let record = match (solver, &options.cvc5) {
                (Solver::Cvc5, Some(python)) => {
                    cvc5(&tool, python, problem, scratch.path(), options.limit)?
                }
                _ => ours(&tool, problem, solver, options.limit)?,
            };
            append(&options.out, &record)?;
            records.insert(key, record);
        }
    }
    let shown = |record: &&Record| problems.iter().any(|path| stem(path) == record.problem);
    let shown: Vec<&Record> = records.values().filter(shown).collect();
    print!("{}", table(&shown, options.limit));
    Ok(())
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn problems(data: &Path, sample: Option<usize>) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(data).with_context(|| format!("cannot list {}", data.display()))?;
    let mut all: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    ensure!(!all.is_empty(), "no problems in {}", data.display());
    all.sort();
    let count = sample.unwrap_or(all.len()).clamp(1, all.len());
    let step = all.len() / count;
    Ok(all.into_iter().step_by(step).take(count).collect())
}

fn known(out: &Path) -> Result<BTreeMap<(Solver, String), Record>> {
    let text = match out.exists() {
        true => fs::read_to_string(out)?,
        false => String::new(),
    };
    let mut records = BTreeMap::new();
    for line in text.lines() {
        let record: Record = serde_json::from_str(line)
            .with_context(|| format!("{} has a line that is no result", out.display()))?;
        records.insert((record.solver, record.problem.clone()), record);
    }
    Ok(records)
}

fn append(out: &Path, record: &Record) -> Result<()> {
    use std::io::Write;
    if let Some(dir) = out.parent() {
        fs::create_dir_all(dir)?;
    }
    let mut file = fs::OpenOptions::new().create(true).append(true).open(out)?;
    writeln!(file, "{}", serde_json::to_string(record)?)?;
    Ok(())
}

/// One of our engines.
fn ours(tool: &Path, problem: &Path, solver: Solver, limit: f64) -> Result<Record> {
    let engine = if solver == Solver::Smt {
        "smt"
    } else {
        "portfolio"
    };
    let args = ["--engine", engine, "--top", "5"];
    let line = tool::synth(tool, problem, &args, Duration::from_secs_f64(limit))?;
    Ok(record(problem, solver, line, limit))
}

/// cvc5 on the problem as SyGuS-IF; what it answers is judged by us.
fn cvc5(tool: &Path, python: &Path, problem: &Path, scratch: &Path, limit: f64) -> Result<Record> {
    let long = Duration::from_secs(600);
    let dump = scratch.to_string_lossy();
    tool::synth(
        tool,
        problem,
        &["--engine", "enumerate", "--dump", &dump],
        long,
    )?;
    let mut command = Command::new(python);
    command
        .arg(tool::root()?.join("xtask/sygus.py"))
        .arg(scratch.join(format!("{}.sl", stem(problem))))
        .stderr(Stdio::null());
    // The interpreter's start is not counted against it.
    let output = tool::within(&mut command, Duration::from_secs_f64(limit + 1.0))?;
    let Some(output) = output else {
        return Ok(record(problem, Solver::Cvc5, None, limit));
    };
    let Ok(reply) = serde_json::from_str::<Reply>(&output) else {
        eprintln!("{}: cvc5 failed; counted as not solved", stem(problem));
        return Ok(record(problem, Solver::Cvc5, None, limit));
    };
    let Some(answer) = reply.answer.filter(|_| reply.seconds <= limit) else {
        return Ok(record(problem, Solver::Cvc5, None, limit));
    };
    let file = scratch.join("answer");
    fs::write(&file, &answer)?;
    let line = tool::synth(tool, problem, &["--answer", &file.to_string_lossy()], long)?;
    let line = line.with_context(|| format!("{}: cannot be read: {answer}", stem(problem)))?;
    let line = tool::Line {
        seconds: reply.seconds,
        ..line
    };
    Ok(record(problem, Solver::Cvc5, Some(line), limit))
}

fn record(problem: &Path, solver: Solver, line: Option<tool::Line>, limit: f64) -> Record {
    let line = line.unwrap_or_else(|| tool::Line {
        seconds: limit,
        candidates: Vec::new(),
        peak_kib: None,
    });
    let first = line.candidates.first();
    let solved = first.is_some_and(|first| first.explains);
    let right = |candidate: &tool::Candidate| candidate.check == Some(1.0);
    Record {
        problem: stem(problem),
        solver,
        seconds: if solved { line.seconds } else { limit },
        solved,
        first: first.is_some_and(right),
        five: line.candidates.iter().take(5).any(right),
        answer: first.map(|first| first.text.clone()),
        peak_kib: line.peak_kib,
    }
}

/// The table: a solver a line, and how much faster the portfolio is than cvc5.
fn table(records: &[&Record], limit: f64) -> String {
    let mut text = String::from(
        "| solver | solved | median | worst | first is right, s / h | one of five is, s / h | peak memory |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for solver in Solver::ALL {
        let of: Vec<&Record> = records
            .iter()
            .copied()
            .filter(|r| r.solver == solver)
            .collect();
        if of.is_empty() {
            continue;
        }
        let mut seconds: Vec<f64> = of.iter().map(|record| record.seconds).collect();
        let worst = seconds.iter().copied().fold(0.0, f64::max);
        let share = |family: char, right: &dyn Fn(&Record) -> bool| {
            let family = of
                .iter()
                .filter(|record| record.problem.starts_with(family));
            let (count, right) = family.fold((0, 0), |(count, sum), record| {
                (count + 1, sum + u32::from(right(record)))
            });
            format!("{right} of {count}")
        };
        let both = |right: &dyn Fn(&Record) -> bool| {
            format!("{} / {}", share('s', right), share('h', right))
        };
        let peak = of.iter().filter_map(|record| record.peak_kib).max();
        text += &format!(
            "| {} | {} of {} | {} | {} | {} | {} | {} |\n",
            solver.name(),
            of.iter().filter(|record| record.solved).count(),
            of.len(),
            time(median(&mut seconds), limit),
            time(worst, limit),
            both(&|record| record.first),
            both(&|record| record.five),
            peak.map_or("–".to_owned(), |kib| format!(
                "{:.0} MiB",
                kib as f64 / 1024.0
            )),
        );
    }
    match speed_up(records) {
        Some((factor, count)) => {
            text + &format!(
                "\nGeometric mean of (time of cvc5 / time of the portfolio) over {count} problems, what \
                 is not solved counted as {limit} s: {factor:.0}\n"
            )
        }
        None => text,
    }
}

fn time(seconds: f64, limit: f64) -> String {
    match seconds {
        seconds if seconds >= limit => format!("> {limit} s"),
        seconds if seconds < 1.0 => format!("{:.1} ms", 1000.0 * seconds),
        seconds => format!("{seconds:.1} s"),
    }
}

/// Over the problems both were run on.
fn speed_up(records: &[&Record]) -> Option<(f64, usize)> {
    let seconds = |solver: Solver| -> BTreeMap<&str, f64> {
        let of = records.iter().filter(|record| record.solver == solver);
        of.map(|record| (record.problem.as_str(), record.seconds))
            .collect()
    };
    let theirs = seconds(Solver::Cvc5);
    let logarithms: Vec<f64> = seconds(Solver::Portfolio)
        .into_iter()
        .filter_map(|(problem, ours)| Some((theirs.get(problem)? / ours).ln()))
        .collect();
    let count = logarithms.len();
    (count > 0).then(|| ((logarithms.iter().sum::<f64>() / count as f64).exp(), count))
}
