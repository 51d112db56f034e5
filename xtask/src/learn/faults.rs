//! Faults of our own in a crate, one at a time: the inverse of what people do to conditions. Each is repaired by the
//! tool, and what it knew of all plausible candidates is kept together with what was there before the fault.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_source::clauses::{self, Around};
use nopol_source::one_step::{Nearby, Step, one_step_edits};
use nopol_source::rust::{self, CrateRoot};
use nopol_source::{Site, SiteKind, Sources};
use serde::{Deserialize, Serialize};

use crate::generate::Random;
use crate::tool;

#[derive(clap::Args)]
pub struct FaultyOptions {
    /// A checkout of the crate; it is copied
    #[arg(long, value_name = "DIR")]
    checkout: PathBuf,
    /// The root file of the crate that gets the faults, relative to the checkout
    #[arg(long, value_name = "FILE", default_value = "src/lib.rs")]
    root: Utf8PathBuf,
    /// Where to keep FAULT/truth.json and FAULT/plausible.json, and the copy
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Faults that some test notices
    #[arg(long, default_value_t = 40)]
    number: usize,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1200)]
    seconds: u64,
    /// What the faults are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only faults of this kind; may be given several times
    #[arg(long, value_name = "KIND", value_enum)]
    kind: Vec<Kind>,
    /// Seconds for each run of the tool
    #[arg(long, value_name = "SECONDS", default_value_t = 90)]
    limit: u64,
    /// The cargo-nopol to run [default: the release build of this repository]
    #[arg(long, value_name = "PATH")]
    tool: Option<PathBuf>,
    /// Passed on to the tool; may be given several times
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    tool_arg: Vec<String>,
}

/// What a fault was made by; its repair is the inverse.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
pub enum Kind {
    Operator,
    Constant,
    Connective,
    ClauseDropped,
    ClauseAdded,
    Negation,
    Operand,
    GuardDropped,
    Unwrapped,
    /// Several changes at once; only people make it.
    Other,
}

impl Kind {
    /// How often each is drawn, relative to the others.
    const DRAWN: [(Self, usize); 9] = [
        (Self::ClauseDropped, 24),
        (Self::Operator, 18),
        (Self::GuardDropped, 16),
        (Self::Unwrapped, 8),
        (Self::Operand, 10),
        (Self::Negation, 8),
        (Self::Constant, 8),
        (Self::ClauseAdded, 4),
        (Self::Connective, 4),
    ];

    /// How often people mend each: 400 changes of one condition, or of one `if` around statements or before them, in the
    /// newest 1500 commits of 31 of the repositories in `docs/benchmarks.md` (`learn histories`, 2026-11-23). Of those that
    /// exchange an operand, 168, nearly all rename something; 10 is an estimate of the others.
    pub const AS_PEOPLE_DO: [(Self, usize); 9] = [
        (Self::GuardDropped, 61),
        (Self::ClauseDropped, 31),
        (Self::Unwrapped, 29),
        (Self::Operator, 13),
        (Self::ClauseAdded, 10),
        (Self::Operand, 10),
        (Self::Constant, 2),
        (Self::Negation, 1),
        (Self::Connective, 1),
    ];

    fn of(step: Step) -> Self {
        match step {
            Step::Operator(..) | Step::AllOperators => Self::Operator,
            Step::AndToOr
            | Step::OrToAnd
            | Step::Regrouped
            | Step::GuardTurned
            | Step::ShortCircuit => Self::Connective,
            Step::ClauseDropped => Self::ClauseDropped,
            Step::NegationRemoved | Step::Negated => Self::Negation,
            Step::ConstantOffByOne | Step::Constant => Self::Constant,
            Step::OperandOffByOne
            | Step::ArithmeticOperator
            | Step::ArithmeticDropped
            | Step::OverflowAvoided
            | Step::Exchanged
            | Step::Opposite
            | Step::Sibling
            | Step::Name
            | Step::AlternativeAdded
            | Step::AlternativesAdded
            | Step::AlternativeRemoved => Self::Operand,
            Step::Parallel | Step::Borrowed(_) | Step::NullGuard => Self::ClauseAdded,
        }
    }
}

/// What was there before a fault.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Truth {
    pub krate: String,
    pub kind: Kind,
    pub file: String,
    pub line: usize,
    /// The function, as in the dump.
    pub function: String,
    /// Byte of the place in the faulty function's text.
    pub at: usize,
    /// The condition.
    pub condition: String,
    /// What replaces it in the faulty program; empty if there is nothing.
    pub fault: String,
    /// The statements of a guard, or those that the condition was about.
    pub body: String,
    /// How the run ended, seconds, and whether anything was found.
    pub outcome: String,
    pub seconds: f64,
}

impl Truth {
    /// Of a program whose right candidates are known otherwise (`right.json`); those of one `group` are held back together.
    pub fn of_program(group: &str, outcome: &str, seconds: f64) -> Self {
        Self {
            krate: group.to_owned(),
            kind: Kind::Other,
            file: String::new(),
            line: 0,
            function: String::new(),
            at: 0,
            condition: String::new(),
            fault: String::new(),
            body: String::new(),
            outcome: outcome.to_owned(),
            seconds,
        }
    }
}

/// A fault.
struct Fault {
    kind: Kind,
    file: Utf8PathBuf,
    line: usize,
    function: String,
    /// Bytes of the file, and of the function in it.
    span: Range<usize>,
    start: usize,
    condition: String,
    text: String,
    body: String,
}

pub fn run(options: &FaultyOptions) -> Result<()> {
    let tool = tool::chosen(options.tool.as_ref())?;
    let krate = options
        .checkout
        .file_name()
        .context("the checkout has no name")?;
    let krate = krate.to_string_lossy().into_owned();
    fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    let copy = out.join("copy");
    if !copy.exists() {
        tool::copy(&options.checkout, &copy, &|path| {
            let name = path.file_name()?;
            (name != "target" && name != ".git").then_some(name)
        })?;
    }
    let copy = Utf8PathBuf::try_from(copy)?;
    let root = CrateRoot {
        path: options.root.clone(),
        is_test: false,
        edition_2015: false,
        has_chains: false,
    };
    let sources = rust::read(&copy, &[root], &|_| true);
    let already = failing(options, &tool, &copy)?;
    if let Some(test) = already.first() {
        bail!(
            "{krate} fails {} tests without any fault, {test} first: it cannot tell whether a fault is repaired. Choose \
             tests that pass, such as by `--tool-arg=--lib`",
            already.len()
        );
    }
    let mut faults = faults(&sources);
    if !options.kind.is_empty() {
        faults.retain(|kind, _| options.kind.contains(kind));
    }
    let mut random = Random(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let start = Instant::now();
    let mut kept = 0;
    let mut tried = 0;
    let mut used: BTreeMap<(Utf8PathBuf, usize), usize> = BTreeMap::new();
    while kept < options.number && start.elapsed().as_secs() < options.seconds {
        let Some(fault) = draw(&mut faults, &mut random) else {
            break;
        };
        let times = used.entry((fault.file.clone(), fault.line)).or_default();
        *times += 1;
        if *times > 2 {
            continue;
        }
        tried += 1;
        let dir = out.join(format!("{krate}-{tried:03}"));
        if repair(options, &tool, &copy, &dir, &krate, &fault)? {
            kept += 1;
        }
    }
    println!(
        "{krate}: {kept} of {tried} faults noticed, {} s",
        start.elapsed().as_secs()
    );
    Ok(())
}

/// The tests that fail in the crate as it is.
fn failing(options: &FaultyOptions, tool: &Path, copy: &Utf8Path) -> Result<Vec<String>> {
    let mut command = Command::new(tool);
    command.args(["nopol", "localize", "--format", "json"]);
    command.args(["--time-limit", &options.limit.to_string()]);
    command
        .args(&options.tool_arg)
        .current_dir(copy)
        .stderr(Stdio::null());
    let limit = Duration::from_secs(options.limit + 30);
    let text = tool::within(tool::as_from_a_shell(&mut command), limit)?.unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let tests = report["failing_tests"].as_array();
    let names = tests.into_iter().flatten().map(ToString::to_string);
    Ok(names.collect())
}

/// Draws a kind, then a fault of that kind.
fn draw(faults: &mut BTreeMap<Kind, Vec<Fault>>, random: &mut Random) -> Option<Fault> {
    faults.retain(|_, of_kind| !of_kind.is_empty());
    let weights = Kind::DRAWN
        .iter()
        .filter(|(kind, _)| faults.contains_key(kind));
    let all: usize = weights.clone().map(|(_, weight)| weight).sum();
    if all == 0 {
        return None;
    }
    let mut at = random.below(all);
    for (kind, weight) in weights {
        if at < *weight {
            let of_kind = faults.get_mut(kind)?;
            let nth = random.below(of_kind.len());
            return Some(of_kind.swap_remove(nth));
        }
        at -= weight;
    }
    None
}

/// Repairs one fault; whether some test noticed it.
fn repair(
    options: &FaultyOptions,
    tool: &Path,
    copy: &Utf8Path,
    dir: &Path,
    krate: &str,
    fault: &Fault,
) -> Result<bool> {
    let path = copy.join(&fault.file);
    let original = fs::read_to_string(&path)?;
    let mut faulty = original.clone();
    faulty.replace_range(fault.span.clone(), &fault.text);
    fs::write(&path, faulty)?;
    let mut command = Command::new(tool);
    command.args([
        "nopol",
        "--format",
        "json",
        "--top",
        "1",
        "--no-cache",
        "--dump",
    ]);
    command
        .arg(dir)
        .args(["--time-limit", &options.limit.to_string()]);
    command
        .args(&options.tool_arg)
        .current_dir(copy)
        .stderr(Stdio::null());
    let start = Instant::now();
    let limit = Duration::from_secs(options.limit + 30);
    let output = tool::within(tool::as_from_a_shell(&mut command), limit);
    let seconds = start.elapsed().as_secs_f64();
    fs::write(&path, original)?;
    let text = output?.unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let outcome = report["outcome"].as_str().unwrap_or("none").to_owned();
    let is_noticed = report["failing_tests"]
        .as_array()
        .is_some_and(|tests| !tests.is_empty());
    println!(
        "{krate} {:?} {}:{} {outcome} {seconds:.1} s",
        fault.kind, fault.file, fault.line
    );
    if !is_noticed {
        return Ok(false);
    }
    fs::create_dir_all(dir)?;
    // Of the dump only the candidates are wanted.
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.file_name().is_none_or(|name| name != "plausible.json") {
            fs::remove_file(path)?;
        }
    }
    let truth = Truth {
        krate: krate.to_owned(),
        kind: fault.kind,
        file: fault.file.to_string(),
        line: fault.line,
        function: fault.function.clone(),
        at: fault.span.start - fault.start,
        condition: fault.condition.clone(),
        fault: fault.text.clone(),
        body: fault.body.clone(),
        outcome,
        seconds,
    };
    fs::write(
        dir.join("truth.json"),
        serde_json::to_string_pretty(&truth)?,
    )?;
    Ok(true)
}

/// Every fault that can be made, by kind.
fn faults(sources: &Sources) -> BTreeMap<Kind, Vec<Fault>> {
    let mut faults: BTreeMap<Kind, Vec<Fault>> = BTreeMap::new();
    for site in &sources.sites {
        if !site.kind.has_condition() {
            continue;
        }
        for fault in at_condition(sources, site) {
            faults.entry(fault.kind).or_default().push(fault);
        }
    }
    faults
}

fn at_condition(sources: &Sources, site: &Site) -> Vec<Fault> {
    let file = &sources.files[site.file];
    let function = &sources.functions[site.function];
    let fault = |kind: Kind, span: Range<usize>, text: String, body: &str| Fault {
        kind,
        file: file.path.clone(),
        line: site.line,
        function: function.name.clone(),
        span,
        start: function.span.start,
        condition: site.text.clone(),
        text,
        body: body.trim().to_owned(),
    };
    let Some(tree) = sources.language.parse(&site.text) else {
        return Vec::new();
    };
    let nearby = Nearby {
        literals: &function.literals,
        names: &file.text,
        around: Around {
            function: &file.text[function.span.clone()],
            file: &file.text,
            kin: &clauses::kin(sources),
            literals: [&function.literals, &file.literals],
        },
        pointers: &sources.pointers,
    };
    let edits = one_step_edits(&tree, &site.text, site.min_binding, nearby);
    let mut found: Vec<Fault> = edits
        .into_iter()
        .map(|edit| fault(Kind::of(edit.step), site.span.clone(), edit.text, ""))
        .collect();
    // A clause of another condition of the function.
    let others = sources.sites.iter().filter(|other| {
        other.function == site.function && other.kind.has_condition() && other.text != site.text
    });
    let added = others
        .take(3)
        .flat_map(|other| ["&&", "||"].map(|by| format!("({}) {by} ({})", site.text, other.text)));
    found.extend(added.map(|text| fault(Kind::ClauseAdded, site.span.clone(), text, "")));
    if site.kind == SiteKind::If
        && let Some((statement, body)) = whole_if(&file.text, &site.span)
    {
        let inside = &file.text[body];
        let last = inside.trim_end().lines().last().unwrap_or("").trim_start();
        let leaves = ["return", "continue", "break", "panic!", "Err("];
        match leaves.iter().any(|word| last.starts_with(word)) {
            // What a guard does besides leaving has to be guessed whole; nobody would.
            true if inside.trim().contains('\n') => {}
            true => found.push(fault(Kind::GuardDropped, statement, String::new(), inside)),
            false => found.push(fault(
                Kind::Unwrapped,
                statement,
                inside.trim().to_owned(),
                inside,
            )),
        }
    }
    found
}

/// The bytes of an `if` statement without `else`, and of what is between its braces, given its condition.
pub fn whole_if(text: &str, condition: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let before = text[..condition.start].strip_suffix("if ")?;
    let starts = before.trim_end_matches([' ', '\t']);
    if !starts.ends_with('\n') {
        return None;
    }
    let after = &text[condition.end..];
    let open = condition.end + after.find(|c: char| !c.is_whitespace())?;
    if !text[open..].starts_with('{') {
        return None;
    }
    let mut depth = 0_usize;
    let close = text[open..].char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let close = open + close?.0;
    let rest = text[close + 1..].trim_start();
    (!rest.starts_with("else")).then_some((before.len()..close + 1, open + 1..close))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_if_ends_at_its_brace() {
        let text = "fn f() {\n    if a { return 1; }\n    2\n}";
        let at = text.find("a {").unwrap();
        let (statement, body) = whole_if(text, &(at..at + 1)).unwrap();
        assert_eq!(&text[statement], "if a { return 1; }");
        assert_eq!(&text[body], " return 1; ");
        let with_else = "\n if a { b() } else { c() }";
        assert_eq!(whole_if(with_else, &(5..6)), None);
    }
}
