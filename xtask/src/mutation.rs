//! `cargo nopol mutate` on the faulty versions of TCAS: which of them mutations make equal to the original for all inputs,
//! and what it costs to find out, with each way of ruling programs out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use nopol_formula::encode::Extent;
use nopol_formula::mutate::must::Prune;
use nopol_formula::mutate::space::Unmutated;
use nopol_formula::mutate::{
    Level, MutateOptions, MutateOutcome, MutateRepairs, Space, Specification, repairs,
};
use nopol_program::front::c;
use nopol_program::ir::{FunctionId, Program};
use nopol_program::visit::needs;

use crate::tool::median;

/// What `cargo xtask bench mutate` takes.
#[derive(Args)]
pub struct MutationOptions {
    /// Directory with the programs: tcas/orig/tcas.c, tcas/v1/tcas.c …
    #[arg(long, value_name = "DIR")]
    checkouts: PathBuf,

    /// Only these versions, such as `v1`; may be given several times [default: all]
    #[arg(long, value_name = "VERSION")]
    only: Vec<String>,

    /// Most statements that a repair changes
    #[arg(long, value_name = "N", default_value_t = 2)]
    size: usize,

    /// The levels
    #[arg(long, value_name = "N", default_values_t = [1, 2, 3])]
    level: Vec<u8>,

    /// Also compare the ways of ruling programs out
    #[arg(long)]
    prunes: bool,

    /// Stop a search after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
}

/// What TCAS reads, in this order.
const INPUTS: [&str; 12] = [
    "Cur_Vertical_Sep",
    "High_Confidence",
    "Two_of_Three_Reports_Valid",
    "Own_Tracked_Alt",
    "Own_Tracked_Alt_Rate",
    "Other_Tracked_Alt",
    "Alt_Layer_Value",
    "Up_Separation",
    "Down_Separation",
    "Other_RAC",
    "Other_Capability",
    "Climb_Inhibit",
];

/// Prints the tables.
pub fn bench(options: &MutationOptions) -> Result<()> {
    let dir = options.checkouts.join("tcas");
    let original = read(&dir.join("orig"))?;
    let mut versions = Vec::new();
    for number in 1..=41 {
        let version = format!("v{number}");
        if options.only.is_empty() || options.only.contains(&version) {
            let text = read(&dir.join(&version))?;
            let pair =
                Pair::new(&text, &original).with_context(|| format!("{version} cannot be read"))?;
            versions.push((version, pair));
        }
    }
    for &level in &options.level {
        repaired(options, &versions, level)?;
    }
    if options.prunes {
        compare(options, &versions)?;
    }
    Ok(())
}

/// Prints which versions are repaired at a level.
fn repaired(options: &MutationOptions, versions: &[(String, Pair)], level: u8) -> Result<()> {
    println!(
        "\nLevel {level}:\n\n| version | outcome | mutations | repairs | statements | first, s | all, s | examined | proofs |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut first, mut whole) = (Vec::new(), Vec::new());
    for (version, pair) in versions {
        let prune = Prune::of(level_of(level));
        let (space, found) = search(options, pair, level, prune, options.size)?;
        let at = found.repairs.first();
        let seconds = at.map(|repair| repair.after.as_secs_f64());
        println!(
            "| {version} | {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            outcome(&found),
            space.choices.len(),
            found.repairs.len(),
            at.map_or_else(String::new, |repair| repair.made.len().to_string()),
            seconds.map_or_else(String::new, |seconds| format!("{seconds:.2}")),
            found.total.as_secs_f64(),
            found.examined,
            found.asked,
        );
        first.extend(seconds);
        whole.push(found.total.as_secs_f64());
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    println!(
        "\nLevel {level}: {} of {} repaired, the first repair after {:.2} s in the mean and {:.2} s at most; a whole search {:.2} s in the \
         mean, {:.2} s in the median, {:.2} s at most.",
        first.len(),
        versions.len(),
        mean(&first),
        first.iter().copied().fold(0.0, f64::max),
        mean(&whole),
        median(&mut whole.clone()),
        whole.iter().copied().fold(0.0, f64::max),
    );
    Ok(())
}

fn outcome(found: &MutateRepairs) -> &'static str {
    match found.outcome {
        MutateOutcome::Repaired => "repaired",
        MutateOutcome::None if found.is_exhausted => "none of any size",
        MutateOutcome::None => "none",
        MutateOutcome::Limit => "limit",
        MutateOutcome::Unjudged { .. } => "unjudged",
        MutateOutcome::Right { .. } | MutateOutcome::Vacuous => "equal",
    }
}

/// Prints what each way of ruling programs out costs: all searches together.
fn compare(options: &MutationOptions, versions: &[(String, Pair)]) -> Result<()> {
    println!(
        "\n| level | size | ruled out | searches ended | programs examined | proofs | seconds |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    for (level, size) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        for (name, prune) in [
            ("none", Prune::Nothing),
            ("slice", Prune::Slice),
            ("core", Prune::Core),
            ("run", Prune::Run),
        ] {
            let (mut ended, mut examined, mut asked) = (0, 0, 0);
            let mut total = Duration::ZERO;
            for (_, pair) in versions {
                let (_, found) = search(options, pair, level, prune, size)?;
                ended += usize::from(found.outcome != MutateOutcome::Limit);
                examined += found.examined;
                asked += found.asked;
                total += found.total;
            }
            println!(
                "| {level} | {size} | {name} | {ended} of {} | {examined} | {asked} | {:.1} |",
                versions.len(),
                total.as_secs_f64()
            );
        }
    }
    Ok(())
}

const fn level_of(level: u8) -> Level {
    match level {
        1 => Level::One,
        2 => Level::Two,
        _ => Level::Three,
    }
}

fn search(
    options: &MutationOptions,
    pair: &Pair,
    level: u8,
    prune: Prune,
    size: usize,
) -> Result<(Space, MutateRepairs)> {
    let level = level_of(level);
    let mutations = (level, prune == Prune::Run);
    let space = Space::new(&pair.program, &pair.texts, &pair.kept, mutations);
    // TCAS has no loops.
    let extent = Extent {
        deadline: Some(Instant::now() + Duration::from_secs(options.timeout)).into(),
        ..Extent::new(2, true)
    };
    let specification = Specification::Function {
        function: pair.function,
        reference: Some(pair.reference),
    };
    let search = MutateOptions {
        extent,
        size,
        prune,
    };
    match repairs(&space, &specification, search) {
        Ok(found) => Ok((space, found)),
        Err(trouble) => bail!("{trouble:?}"),
    }
}

/// A version with the original beside it, under other names.
struct Pair {
    program: Program,
    texts: Vec<String>,
    function: FunctionId,
    reference: FunctionId,
    kept: Unmutated,
}

impl Pair {
    fn new(version: &str, original: &str) -> Result<Self> {
        let names = names(original)?;
        let texts = [
            format!("{version}\n{}", harness()),
            renamed(&format!("{original}\n{}", harness()), &names),
        ];
        let files = [
            ("version.c".into(), texts[0].clone()),
            ("original.c".into(), texts[1].clone()),
        ];
        let program = match c::read(&files) {
            Ok(program) => program,
            Err(outside) => bail!("{outside}"),
        };
        let named = |name: &str| {
            let mut functions = program.functions.iter_enumerated();
            let found = functions.find(|(_, function)| function.name == name);
            found.map(|(id, _)| id).context("a function is missing")
        };
        let (function, reference) = (named("advised")?, named("advised_original")?);
        let needs = needs(&program, reference);
        let mut kept = Unmutated {
            functions: needs.functions,
            variables: needs.variables,
            types: false,
            reached: None,
        };
        kept.functions.insert(function);
        Ok(Self {
            texts: texts.to_vec(),
            function,
            reference,
            kept,
            program,
        })
    }
}

/// A function that gives TCAS its inputs and returns its advice.
fn harness() -> String {
    let parameters: Vec<String> = INPUTS
        .iter()
        .enumerate()
        .map(|(at, _)| format!("int input_{at}"))
        .collect();
    let inputs: Vec<String> = INPUTS
        .iter()
        .enumerate()
        .map(|(at, name)| format!("    {name} = input_{at};\n"))
        .collect();
    format!(
        "int advised({})\n{{\n{}    initialize();\n    return alt_sep_test();\n}}\n",
        parameters.join(", "),
        inputs.concat()
    )
}

/// What a file defines: functions, variables and macros, and the function of the harness.
fn names(text: &str) -> Result<BTreeSet<String>> {
    let program = match c::read(&[("tcas.c".into(), text.to_owned())]) {
        Ok(program) => program,
        Err(outside) => bail!("{outside}"),
    };
    let functions = program
        .functions
        .iter()
        .map(|function| function.name.clone());
    let variables = program
        .variables
        .iter()
        .filter(|variable| variable.is_global);
    let defined = text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("#define")?;
        name.split_whitespace().next().map(str::to_owned)
    });
    let mut names: BTreeSet<String> = functions
        .chain(variables.map(|variable| variable.name.clone()))
        .chain(defined)
        .collect();
    names.insert("advised".to_owned());
    Ok(names)
}

/// A text with other names for these.
fn renamed(text: &str, names: &BTreeSet<String>) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        result.push_str(&rest[..at]);
        let end = rest[at..]
            .find(|c| !is_part(c))
            .map_or(rest.len(), |end| at + end);
        let word = &rest[at..end];
        result.push_str(word);
        if names.contains(word) {
            result.push_str("_original");
        }
        rest = &rest[end..];
    }
    result + rest
}

fn read(dir: &Path) -> Result<String> {
    let path = dir.join("tcas.c");
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}
