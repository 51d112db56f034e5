//! `cargo nopol faults` on the faulty versions of TCAS: whether the faulty lines are found, how many lines there are to
//! read before one of them, and what growing on demand costs against the formula of the whole program.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cargo_nopol::formula::encode::Extent;
use cargo_nopol::formula::faults::{Formula, Found, Options as Search, localize};
use cargo_nopol::formula::front::c;
use cargo_nopol::formula::interpret::{End, Limits, Run, run};
use cargo_nopol::formula::ir::{Entry, Expected, PlaceId, Program, Test};
use cargo_nopol::formula::position::Positions;
use clap::Args;

use crate::tool::median;

/// What `cargo xtask bench formula` takes.
#[derive(Args)]
pub struct Options {
    /// Directory with tcas/tcas_inputs.txt
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Directory with the programs: tcas/orig/tcas.c, tcas/v1/tcas.c …
    #[arg(long, value_name = "DIR")]
    checkouts: PathBuf,

    /// Only these versions, such as `v1`; may be given several times [default: all]
    #[arg(long, value_name = "VERSION")]
    only: Vec<String>,

    /// Most places in a candidate
    #[arg(long, value_name = "N", default_value_t = 2)]
    size: usize,
}

/// The length of TCAS in the papers, in lines.
const LINES: f64 = 173.0;

/// TCAS has no loops.
const BOUND: u32 = 5;

const LIMITS: Limits = Limits {
    bound: BOUND,
    steps: 100_000,
    implicit: true,
};

/// What was measured of a version.
#[derive(Default)]
struct Row {
    failing: usize,
    /// All failing tests at once: seconds, candidates, and whether a faulty line is in one.
    at_once: (f64, usize, bool),
    /// Of the failing tests, one at a time: how many have a faulty line in a candidate, and the same candidates either way.
    hits: usize,
    same: usize,
    /// The share of lines to read before a faulty one, summed.
    exam: f64,
    /// Seconds in the solver and in all, on demand and with the formula of the program.
    on_demand: (f64, f64),
    whole: (f64, f64),
}

/// Prints the table.
pub fn bench(options: &Options) -> Result<()> {
    let inputs = options.data.join("tcas/tcas_inputs.txt");
    let inputs =
        fs::read_to_string(&inputs).with_context(|| format!("cannot read {}", inputs.display()))?;
    let dir = options.checkouts.join("tcas");
    let original = read(&dir.join("orig"))?;
    println!(
        "| version | failing | at once, s | candidates | line found | alone: line found | same sets | EXAM, % | solving, s \
         (program) | all, s (program) |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut rows = Vec::new();
    for number in 1..=41 {
        let version = format!("v{number}");
        if !options.only.is_empty() && !options.only.contains(&version) {
            continue;
        }
        let text = read(&dir.join(&version))?;
        let row = measure(&text, &faulty(&original, &text), &inputs, options.size)
            .with_context(|| format!("{version} could not be measured"))?;
        println!("{}", line(&version, &row));
        rows.push(row);
    }
    println!("{}", line("all", &sum(&rows)));
    let mut times: Vec<f64> = rows.iter().map(|row| row.at_once.0).collect();
    let most = times.iter().copied().fold(0.0, f64::max);
    println!(
        "\nAll failing tests at once: {:.2} s in the median, {most:.2} s at most.",
        median(&mut times)
    );
    Ok(())
}

fn read(dir: &Path) -> Result<String> {
    let path = dir.join("tcas.c");
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The lines of a version that the original has not, counted from 1.
fn faulty(original: &str, version: &str) -> BTreeSet<u32> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let known: BTreeSet<String> = original.lines().map(words).collect();
    let lines = (1..).zip(version.lines());
    lines
        .filter(|(_, line)| !known.contains(&words(line)))
        .map(|(number, _)| number)
        .collect()
}

fn measure(text: &str, faulty: &BTreeSet<u32>, inputs: &str, size: usize) -> Result<Row> {
    let program = match c::read(&[("tcas.c".into(), text.to_owned())]) {
        Ok(program) => program,
        Err(outside) => bail!("{outside}"),
    };
    let tests = tests(&program, inputs)?;
    let runs: Vec<Run> = tests.iter().map(|test| run_of(&program, test)).collect();
    let fails = |run: &Run| run.end != End::Passed;
    let failing: Vec<Test> = tests
        .iter()
        .zip(&runs)
        .filter(|(_, run)| fails(run))
        .map(|(test, _)| test.clone())
        .collect();
    let scores = program.places.keys().map(|place| suspicion(&runs, place));
    let scores: Vec<f64> = scores.collect();
    let mut row = Row {
        failing: failing.len(),
        ..Row::default()
    };
    let all = search(&program, &failing, Formula::OnDemand, size)?;
    let found = lines_of(&program, &all, &scores);
    row.at_once = (
        all.total,
        all.candidates.len(),
        found
            .iter()
            .any(|lines| lines.iter().any(|line| faulty.contains(line))),
    );
    for test in &failing {
        let test = std::slice::from_ref(test);
        let on_demand = search(&program, test, Formula::OnDemand, size)?;
        let whole = search(&program, test, Formula::Whole, size)?;
        row.on_demand.0 += on_demand.solving;
        row.on_demand.1 += on_demand.total;
        row.whole.0 += whole.solving;
        row.whole.1 += whole.total;
        row.same += usize::from(sets(&on_demand) == sets(&whole));
        let lines = lines_of(&program, &on_demand, &scores);
        if let Some(before) = lines_before(&lines, faulty) {
            row.hits += 1;
            row.exam += before / LINES;
        }
    }
    Ok(row)
}

fn run_of(program: &Program, test: &Test) -> Run {
    run(
        program,
        test,
        &LIMITS,
        &mut Positions::default(),
        &HashMap::new(),
    )
}

/// The tests whose arguments the program can take: twelve, with a layer that there is.
fn tests(program: &Program, inputs: &str) -> Result<Vec<Test>> {
    let main = c::main_of(program).context("there is no `main`")?;
    let mut tests = Vec::new();
    for line in inputs.lines().filter(|line| !line.starts_with('#')) {
        let (id, rest) = line
            .split_once(':')
            .context("a line of the inputs has no number")?;
        let (words, expected) = rest
            .split_once("=>")
            .context("a line of the inputs expects nothing")?;
        let words: Vec<&str> = words.split_whitespace().collect();
        let layer = words.get(6).and_then(|layer| layer.parse::<i64>().ok());
        if words.len() < 12 || !layer.is_some_and(|layer| (0..4).contains(&layer)) {
            continue;
        }
        let arguments = std::iter::once("./tcas").chain(words);
        tests.push(Test {
            name: id.trim().to_owned(),
            entry: Entry::Main {
                main,
                arguments: arguments.map(|word| word.as_bytes().to_vec()).collect(),
                input: Vec::new(),
                output: Some(Expected {
                    bytes: format!("{}\n", expected.trim()).into_bytes(),
                    words: false,
                }),
                exit: 0,
            },
        });
    }
    Ok(tests)
}

fn search(program: &Program, tests: &[Test], formula: Formula, size: usize) -> Result<Found> {
    let extent = Extent {
        bound: BOUND,
        implicit: LIMITS.implicit,
        gates: 30_000_000,
        deadline: None,
    };
    let options = Search {
        extent,
        formula,
        size,
    };
    match localize(program, tests, &BTreeMap::new(), options) {
        Ok(found) => Ok(found),
        Err(trouble) => bail!("{trouble:?}"),
    }
}

fn sets(found: &Found) -> BTreeSet<&[PlaceId]> {
    found
        .candidates
        .iter()
        .map(|candidate| &*candidate.places)
        .collect()
}

/// How much failing tests go through a place and passing ones do not (Ochiai).
fn suspicion(runs: &[Run], place: PlaceId) -> f64 {
    let (mut failing, mut passing, mut all) = (0.0, 0.0, 0.0_f64);
    for run in runs {
        let goes = run
            .evaluated
            .iter()
            .any(|evaluated| evaluated.instance.place == place);
        let fails = run.end != End::Passed;
        all += f64::from(u8::from(fails));
        failing += f64::from(u8::from(fails && goes));
        passing += f64::from(u8::from(!fails && goes));
    }
    match failing {
        0.0 => 0.0,
        _ => failing / (all * (failing + passing)).sqrt(),
    }
}

/// The lines of the candidates, grouped by their rank: those of one group are equally likely.
fn lines_of(program: &Program, found: &Found, scores: &[f64]) -> Vec<BTreeSet<u32>> {
    let mut groups: BTreeMap<(usize, u64), BTreeSet<u32>> = BTreeMap::new();
    for candidate in &found.candidates {
        let score = candidate
            .places
            .iter()
            .map(|place| scores[usize::from(*place)])
            .fold(1.0, f64::min);
        // From the likeliest down; scores are between 0 and 1, so their bits are in order.
        let rank = (candidate.places.len(), u64::MAX - score.to_bits());
        let lines = candidate
            .places
            .iter()
            .map(|place| program.places[*place].line);
        groups.entry(rank).or_default().extend(lines);
    }
    groups.into_values().collect()
}

/// How many lines are read up to a faulty one: of equally likely ones half.
fn lines_before(groups: &[BTreeSet<u32>], faulty: &BTreeSet<u32>) -> Option<f64> {
    let mut read: BTreeSet<u32> = BTreeSet::new();
    for group in groups {
        let new: BTreeSet<u32> = group.difference(&read).copied().collect();
        if new.iter().any(|line| faulty.contains(line)) {
            return Some(read.len() as f64 + (new.len() as f64 + 1.0) / 2.0);
        }
        read.extend(new);
    }
    None
}

fn sum(rows: &[Row]) -> Row {
    let mut all = Row::default();
    for row in rows {
        all.failing += row.failing;
        all.at_once.0 += row.at_once.0;
        all.at_once.1 += row.at_once.1;
        all.hits += row.hits;
        all.same += row.same;
        all.exam += row.exam;
        all.on_demand.0 += row.on_demand.0;
        all.on_demand.1 += row.on_demand.1;
        all.whole.0 += row.whole.0;
        all.whole.1 += row.whole.1;
    }
    all.at_once.2 = rows.iter().all(|row| row.at_once.2);
    all
}

fn line(name: &str, row: &Row) -> String {
    let exam = match row.hits {
        0 => "–".to_owned(),
        hits => format!("{:.1}", 100.0 * row.exam / hits as f64),
    };
    format!(
        "| {name} | {} | {:.2} | {} | {} | {} | {} | {exam} | {:.2} ({:.2}) | {:.2} ({:.2}) |",
        row.failing,
        row.at_once.0,
        row.at_once.1,
        if row.at_once.2 { "yes" } else { "no" },
        row.hits,
        row.same,
        row.on_demand.0,
        row.whole.0,
        row.on_demand.1,
        row.whole.1,
    )
}
