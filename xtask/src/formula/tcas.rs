//! The faulty versions of TCAS: whether the faulty lines are found, how many lines there are to read before one of them,
//! and what growing on demand costs against the formula of the whole program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use nopol_formula::faults::{FaultSets, Formula};
use nopol_program::front::c;
use nopol_program::interpret::{End, Run};
use nopol_program::ir::{Entry, Expected, PlaceId, Program, Test};

use super::{FormulaOptions, search};
use crate::tool::median;

/// The length of TCAS in the papers, in lines.
const LINES: f64 = 173.0;

/// TCAS has no loops.
const BOUND: u32 = 5;

/// A faulty version.
pub struct Version {
    pub name: String,
    pub program: Program,
    /// Its lines that the original has not, counted from 1.
    pub faulty: BTreeSet<u32>,
    /// The tests that fail.
    pub failing: Vec<Test>,
    /// How suspicious each place is.
    scores: Vec<f64>,
}

/// The versions, one after another.
pub fn versions(options: &FormulaOptions) -> Result<impl Iterator<Item = Result<Version>>> {
    let (data, checkouts) = options.tcas()?;
    let inputs = data.join("tcas/tcas_inputs.txt");
    let inputs =
        fs::read_to_string(&inputs).with_context(|| format!("cannot read {}", inputs.display()))?;
    let dir = checkouts.join("tcas");
    let original = read(&dir.join("orig"))?;
    let names = (1..=41).map(|number| format!("v{number}"));
    let names = names.filter(|name| options.only.is_empty() || options.only.contains(name));
    Ok(names.map(move |name| {
        let text = read(&dir.join(&name))?;
        let faulty = faulty(&original, &text);
        version(&name, &text, faulty, &inputs).with_context(|| format!("{name} could not be read"))
    }))
}

fn version(name: &str, text: &str, faulty: BTreeSet<u32>, inputs: &str) -> Result<Version> {
    let program = search::program("tcas.c", text)?;
    let tests = tests(&program, inputs)?;
    let runs: Vec<Run> = tests
        .iter()
        .map(|test| search::run_of(&program, test, BOUND))
        .collect();
    let failing = tests.iter().zip(&runs);
    let failing = failing.filter(|(_, run)| run.end != End::Passed);
    let failing = failing.map(|(test, _)| test.clone()).collect();
    let scores = program.places.keys().map(|place| suspicion(&runs, place));
    let scores = scores.collect();
    Ok(Version {
        name: name.to_owned(),
        program,
        faulty,
        failing,
        scores,
    })
}

impl Version {
    /// The candidates of some of its tests.
    pub fn search(&self, tests: &[Test], formula: Formula, size: usize) -> Result<FaultSets> {
        search::search(&self.program, tests, formula, BOUND, size)
    }
}

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
pub fn bench(options: &FormulaOptions) -> Result<()> {
    println!(
        "| version | failing | at once, s | candidates | line found | alone: line found | same sets | EXAM, % | solving, s \
         (program) | all, s (program) |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut rows = Vec::new();
    for version in versions(options)? {
        let version = version?;
        let row = measure(&version, options.size)
            .with_context(|| format!("{} could not be measured", version.name))?;
        println!("{}", line(&version.name, &row));
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

fn measure(version: &Version, size: usize) -> Result<Row> {
    let (program, faulty) = (&version.program, &version.faulty);
    let mut row = Row {
        failing: version.failing.len(),
        ..Row::default()
    };
    let all = version.search(&version.failing, Formula::OnDemand, size)?;
    let found = lines_of(program, &all, &version.scores);
    row.at_once = (
        all.total,
        all.candidates.len(),
        found
            .iter()
            .any(|lines| lines.iter().any(|line| faulty.contains(line))),
    );
    for test in &version.failing {
        let test = std::slice::from_ref(test);
        let on_demand = version.search(test, Formula::OnDemand, size)?;
        let whole = version.search(test, Formula::Whole, size)?;
        row.on_demand.0 += on_demand.solving;
        row.on_demand.1 += on_demand.total;
        row.whole.0 += whole.solving;
        row.whole.1 += whole.total;
        row.same += usize::from(search::sets(&on_demand) == search::sets(&whole));
        let lines = lines_of(program, &on_demand, &version.scores);
        if let Some(before) = lines_before(&lines, faulty) {
            row.hits += 1;
            row.exam += before / LINES;
        }
    }
    Ok(row)
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
fn lines_of(program: &Program, found: &FaultSets, scores: &[f64]) -> Vec<BTreeSet<u32>> {
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
