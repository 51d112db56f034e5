//! `cargo xtask learn simulate`: what a run would have to choose from, had people's edits of conditions been bugs with tests.
//! For each edit contexts are made up in which its condition differs from the one before (failing tests), and some in which
//! it does not (passing tests); the synthesizer and the one-step edits propose candidates, and those that agree with all
//! contexts are kept, each marked as right or not. Nothing is built or run. The lines quote the programs of others, so the
//! file stays outside of this repository.

mod draw;
mod in_c;
mod known;
mod state;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use cargo_nopol::contexts::{Cure, Recorded};
use cargo_nopol::rank::canonical::canonical;
use cargo_nopol::rank::change::{Change, change};
use cargo_nopol::rank::facts::Case;
use cargo_nopol::repair::simulated;
use nopol_basics::hash;
use nopol_process::run::suite::TestIndex;
use nopol_process::run::trace::Context as Recording;
use nopol_source::clauses::{self, Around, Kin};
use nopol_source::condition::Node;
use nopol_source::one_step::{Nearby, one_step_edits};
use nopol_source::words::plain_names;
use nopol_source::{Language, Site, SiteIndex, Sources};
use serde::{Deserialize, Serialize};

use self::draw::{Random, Source};
use self::state::Context;
use self::values::Values;
use super::edits::{self, What};
use super::expressible::surroundings::Surroundings;
use super::expressible::{aside, leaves, site, space};
use super::mine::Mined;

#[derive(clap::Args)]
pub struct SimulateOptions {
    /// What `learn mine` wrote
    #[arg(value_name = "FILE")]
    edits: PathBuf,
    /// Where the cases go, one JSON object a line
    #[arg(long, value_name = "FILE")]
    write: PathBuf,
    /// Also edits of commits whose message does not speak of a mistake
    #[arg(long)]
    all: bool,
    /// Only so many, spread over the file
    #[arg(long, value_name = "NUMBER")]
    most: Option<usize>,
    /// Print the edits that are left out for this reason
    #[arg(long, value_name = "REASON")]
    list: Option<String>,
}

/// An edit with the candidates that its contexts allow.
#[derive(Serialize, Deserialize)]
pub struct Simulated {
    /// Where it was made.
    pub name: String,
    pub repository: String,
    /// What was edited.
    pub kind: String,
    /// The candidates at its place.
    pub case: Case,
    /// Those that people wrote, by their numbers.
    pub right: Vec<usize>,
}

/// Contexts that are drawn until there are enough, and those in which a right condition has to be the same.
const MOST_DRAWN: usize = 3000;
const MORE: usize = 2000;
/// New operands of an edit.
const MOST_FRESH: usize = 4;

pub fn run(options: &SimulateOptions) -> Result<()> {
    let text = fs::read_to_string(&options.edits)
        .with_context(|| format!("cannot read {}", options.edits.display()))?;
    let edits: Vec<Mined> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut seen = BTreeSet::new();
    let mut is_wanted = |mined: &Mined| {
        let is_kind = match &mined.what {
            What::Condition { .. } | What::Wrap { .. } => true,
            What::Guard { body, .. } => leaves(body),
            What::Narrow { .. } | What::Branch { .. } => false,
        };
        is_kind
            && (options.all || aside::is_fix(&mined.subject))
            && seen.insert((
                mined.repository.clone(),
                mined.function.clone(),
                format!("{:?}", mined.what),
            ))
    };
    let wanted: Vec<&Mined> = edits.iter().filter(|mined| is_wanted(mined)).collect();
    let step = options
        .most
        .map_or(1, |most| (wanted.len() / most.max(1)).max(1));
    let mut out = BufWriter::new(File::create(&options.write)?);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut surroundings: Option<(PathBuf, Surroundings)> = None;
    let start = Instant::now();
    let mut number = 0;
    for mined in wanted.into_iter().step_by(step) {
        number += 1;
        if surroundings
            .as_ref()
            .is_none_or(|(of, _)| *of != mined.repository)
        {
            let of = Surroundings::of(&mined.repository)?;
            surroundings = Some((mined.repository.clone(), of));
        }
        let (_, around) = surroundings.as_mut().context("no repository")?;
        let result = match simulated(around, mined)? {
            Ok(simulated) => {
                serde_json::to_writer(&mut out, &simulated)?;
                out.write_all(b"\n")?;
                out.flush()?;
                "kept"
            }
            Err(reason) => reason,
        };
        if options.list.as_deref() == Some(result) {
            println!("{}:{} {:?}", mined.path, mined.line, mined.what);
        }
        *counts.entry(result).or_default() += 1;
    }
    out.flush()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{number} edits in {seconds:.0} s");
    for (result, number) in &counts {
        println!("    {result:40} {number:6}");
    }
    Ok(())
}

/// The case of an edit, or why there is none.
fn simulated(around: &mut Surroundings, mined: &Mined) -> Result<Result<Simulated, &'static str>> {
    if let Some(reason) = hopeless(language_of(mined), &mined.what) {
        return Ok(Err(reason));
    }
    let Some(text) = around.text(&mined.blob)? else {
        return Ok(Err("no text"));
    };
    let function: Vec<&str> = text.lines().skip(mined.line - 1).take(40).collect();
    let language = language_of(mined);
    let others = match language {
        Language::C => around.headers(mined, &text)?,
        Language::Rust => {
            let others = around.of_file(mined, &text, &function.join("\n"))?;
            edits::named(others.iter().map(|text| declarations(text)))
        }
    };
    let sources = edits::read_with(language, &text, &others)?;
    let index = match site(&sources, mined) {
        Some(Ok(index)) => index,
        Some(Err(_)) => return Ok(Err("no such place or exit is proposed")),
        None => return Ok(Err("the place is not found again")),
    };
    let Some(edit) = Edit::new(&sources, index, &mined.what) else {
        return Ok(Err("a condition is not read"));
    };
    edit.simulated(mined)
}

/// The language of the file that was edited.
fn language_of(mined: &Mined) -> Language {
    match mined.path.ends_with(".c") {
        true => Language::C,
        false => Language::Rust,
    }
}

/// A file as rustfmt lays it out without what its functions do: of other files only what they declare matters, and reading the
/// rest takes most of the time.
fn declarations(text: &str) -> String {
    let mut kept = String::with_capacity(text.len() / 2);
    let mut is_head = false;
    let mut end: Option<String> = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        let code = &line[depth..];
        if let Some(close) = &end {
            if line != close {
                continue;
            }
            end = None;
        }
        is_head |= code.starts_with("fn ") || code.starts_with("pub") && code.contains(" fn ");
        kept += line;
        kept.push('\n');
        if is_head && line.ends_with('{') {
            end = Some(format!("{}}}", &line[..depth]));
        }
        is_head &= !line.ends_with(['{', ';', '}']);
    }
    kept
}

/// Why no pool has what a condition needs, if its text shows that.
fn hopeless(language: Language, what: &What) -> Option<&'static str> {
    let (old, new) = match what {
        What::Condition { old, new, .. } => (old.as_str(), new),
        What::Guard { condition, .. }
        | What::Wrap { condition, .. }
        | What::Narrow { condition, .. }
        | What::Branch { condition, .. } => ("", condition),
    };
    let parse = |text: &str| language.parse(&plain(language, text));
    let Some(tree) = parse(new) else {
        return Some("a condition is not read");
    };
    let old = parse(old);
    let known = old.as_ref().map_or_else(Vec::new, Node::leaves);
    let leaves = tree.leaves().into_iter();
    let fresh: Vec<&str> = leaves
        .filter(|leaf| !known.iter().any(|it| it.text == leaf.text))
        .map(|leaf| leaf.text.as_str())
        .collect();
    let is_computed = |text: &&str| {
        if language == Language::C {
            return false;
        }
        let is_macro = text.contains("!(") && !text.starts_with("matches!(");
        is_macro
            || text.contains("![")
            || text.contains(['{', '?'])
            || text.contains(".map(")
            || text.contains('|') && !text.starts_with("matches!(")
    };
    match () {
        () if fresh.iter().any(is_computed) => Some("a term that is not in the pool"),
        () if fresh.len() > MOST_FRESH => Some("too much is changed"),
        () => None,
    }
}

/// A condition as parsers read it: raw names of Rust are plain ones.
fn plain(language: Language, text: &str) -> String {
    match language {
        Language::C => text.to_owned(),
        Language::Rust => plain_names(text),
    }
}

/// An edit at its site.
struct Edit<'s> {
    sources: &'s Sources,
    index: SiteIndex,
    site: &'s Site,
    kin: Kin,
    /// `None` where there was no condition.
    old: Option<Node>,
    new: Node,
}

/// A context that was drawn, and the outcome that it should have.
struct Drawn {
    context: Context,
    old: bool,
    new: bool,
}

impl<'s> Edit<'s> {
    fn new(sources: &'s Sources, index: SiteIndex, what: &What) -> Option<Self> {
        let language = sources.language;
        let parse = |text: &str| language.parse(&plain(language, text));
        let site = &sources.sites[index];
        let (old, new) = match what {
            What::Condition { old, new, .. } => (Some(parse(old)?), new),
            What::Guard { condition, .. }
            | What::Wrap { condition, .. }
            | What::Narrow { condition, .. }
            | What::Branch { condition, .. } => (None, condition),
        };
        Some(Self {
            kin: space::kin(sources),
            old,
            new: parse(new)?,
            sources,
            index,
            site,
        })
    }

    fn simulated(&self, mined: &Mined) -> Result<Result<Simulated, &'static str>> {
        let kind = self.kind(&mined.what);
        if self.site.asserts() {
            return Ok(Err("an assertion"));
        }
        if kind == "same" {
            return Ok(Err("the same condition in other words"));
        }
        let language = self.sources.language;
        let mut values = values::at(self.sources, self.site);
        for text in self.one_step() {
            if let Some(tree) = language.parse(&text) {
                values.extend(&tree);
            }
        }
        if self
            .old
            .as_ref()
            .is_some_and(|old| !values.is_readable(old))
        {
            return Ok(Err("the old condition has no values"));
        }
        if !values.is_readable(&self.new) {
            return Ok(Err("a term that is not in the pool"));
        }
        let repository = mined.repository.display().to_string();
        let name = format!(
            "{} {} {}:{} {}",
            repository, mined.commit, mined.path, mined.line, mined.function
        );
        let mut random = Random::new(hash::fnv1a(&name));
        let literals = &self.sources.functions[self.site.function].literals;
        let variables = values.variables().to_vec();
        let source = Source::new(language, &variables, literals, &mut random);
        let [failing, passing] = self.drawn(&*values, &source, &mut random);
        if failing.is_empty() {
            return Ok(Err("no context distinguishes the conditions"));
        }
        if passing.len() < 3 {
            return Ok(Err("the conditions agree nowhere"));
        }
        let recorded = Arc::new(self.recorded(&*values, &failing, &passing));
        let mut case = simulated::case(self.sources, self.index, &self.kin, &recorded)?;
        let all: Vec<&Drawn> = failing.iter().chain(&passing).collect();
        case.candidates.retain(|candidate| {
            let tree = candidate.edits[0].after.tree(language);
            let agrees = |tree: &Node| {
                let mut drawn = all.iter();
                drawn.all(|it| values.outcome(tree, &it.context) == Some(it.new))
            };
            !candidate.is_trivial
                && tree.is_some_and(|tree| values.names_callables(tree) && agrees(tree))
        });
        // Conditions that differ only beyond some constant differ.
        let mut literals = literals.clone();
        let candidates = case.candidates.iter();
        let texts = candidates.map(|candidate| candidate.edits[0].after.to_string());
        for text in texts.chain([self.new.text.clone()]) {
            let of_text = clauses::literals(&text).into_iter();
            literals.extend(of_text.map(|at| text[at].to_owned()));
        }
        literals.sort();
        literals.dedup();
        let source = Source::new(language, &variables, &literals, &mut random);
        let more: Vec<Context> = (0..MORE).map(|_| source.context(&mut random)).collect();
        let wanted: Vec<Option<bool>> = more
            .iter()
            .map(|context| values.outcome(&self.new, context))
            .collect();
        let spelled = canonical(language, &self.new.text.as_str().into());
        let is_right = |nth: &usize| {
            let after = &case.candidates[*nth].edits[0].after;
            let is_equal = |tree: &Node| {
                let mut all = more.iter().zip(&wanted);
                all.all(|(context, wanted)| {
                    wanted.is_none() || values.outcome(tree, context) == *wanted
                })
            };
            canonical(language, after) == spelled || after.tree(language).is_some_and(is_equal)
        };
        let right: Vec<usize> = (0..case.candidates.len()).filter(is_right).collect();
        Ok(match right.len() {
            0 => Err("no candidate is right"),
            number if number == case.candidates.len() => Err("every candidate is right"),
            _ => Ok(Simulated {
                name,
                repository,
                kind: kind.to_owned(),
                case,
                right,
            }),
        })
    }

    /// What kind of edit it is.
    fn kind(&self, what: &What) -> &'static str {
        let Some(old) = &self.old else {
            return match what {
                What::Wrap { .. } => "wrap",
                _ => "guard",
            };
        };
        match change(old, &self.new) {
            Change::Nothing => "same",
            Change::Added { .. } => "clause added",
            Change::Operator(..) => "operator",
            Change::NextConstant | Change::Constant => "constant",
            _ => "clause changed",
        }
    }

    /// The one-step edits, as texts.
    fn one_step(&self) -> Vec<String> {
        let Some(old) = &self.old else {
            return Vec::new();
        };
        let function = &self.sources.functions[self.site.function];
        let file = &self.sources.files[self.site.file];
        let nearby = Nearby {
            literals: &function.literals,
            names: &file.text,
            around: Around {
                function: &file.text[function.span.clone()],
                file: &file.text,
                kin: &self.kin,
                literals: [&function.literals, &file.literals],
            },
            pointers: &self.sources.pointers,
        };
        let text = plain(self.sources.language, &self.site.text);
        let edits = one_step_edits(old, &text, self.site.min_binding, nearby);
        edits.into_iter().map(|edit| edit.text).collect()
    }

    /// Contexts of failing and of passing tests.
    fn drawn(&self, values: &dyn Values, source: &Source, random: &mut Random) -> [Vec<Drawn>; 2] {
        let wanted = [1 + random.below(3), 3 + random.below(6)];
        let mut found: [Vec<Drawn>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..MOST_DRAWN {
            let context = source.context(random);
            let old = match &self.old {
                Some(old) => values.outcome(old, &context),
                None => self.site.kind.unconditional(),
            };
            let (Some(old), Some(new)) = (old, values.outcome(&self.new, &context)) else {
                continue;
            };
            let of = usize::from(old == new);
            // Passing tests see both outcomes of a condition.
            let same = found[of].iter().filter(|it| it.old == old).count();
            let is_left_out = of == 1 && self.old.is_some() && same + 1 >= wanted[of];
            if found[of].len() < wanted[of] && !is_left_out {
                found[of].push(Drawn { context, old, new });
            }
            if found[0].len() == wanted[0] && found[1].len() == wanted[1] {
                break;
            }
        }
        found
    }

    /// The contexts as a run records them, each of a test of its own.
    fn recorded(&self, values: &dyn Values, failing: &[Drawn], passing: &[Drawn]) -> Recorded {
        let recording = |drawn: &Drawn, outcome: bool| {
            let values = values.recorded(&drawn.context).into_iter();
            Recording {
                site: self.index,
                outcome,
                old: self.old.is_some().then_some(drawn.old),
                count: 1,
                values: values
                    .map(|(read, value)| (Arc::new(read), value))
                    .collect(),
            }
        };
        let mut recorded = Recorded::default();
        let mut tests = (0..).map(TestIndex::new);
        for (drawn, test) in failing.iter().zip(&mut tests) {
            let cure = Cure {
                constant: true,
                contexts: vec![recording(drawn, drawn.new)],
            };
            recorded.cured.insert(test, vec![cure]);
        }
        for (drawn, test) in passing.iter().zip(tests) {
            recorded
                .passing
                .push((test, vec![recording(drawn, drawn.old)]));
        }
        recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
struct Item { size: usize, name: String, is_open: bool }
fn f(item: &Item, text: &str, at: usize, other: usize) -> usize {
    if at < other { return g(text, at); }
    if text.len() > 4 || item.is_open { return 2; }
    1
}
";

    fn simulated(old: &str, new: &str) -> Result<Simulated, &'static str> {
        let sources = edits::read(TEXT).unwrap();
        let mut sites = sources.sites.iter_enumerated();
        let (index, _) = sites.find(|(_, site)| site.text == old).unwrap();
        let mined = Mined {
            repository: "somewhere".into(),
            commit: "c".to_owned(),
            subject: "Fix".to_owned(),
            path: "lib.rs".to_owned(),
            blob: "b".to_owned(),
            line: 3,
            function: "f".to_owned(),
            what: What::Condition {
                at: 0,
                old: old.to_owned(),
                new: new.to_owned(),
            },
        };
        let edit = Edit::new(&sources, index, &mined.what).unwrap();
        edit.simulated(&mined).unwrap()
    }

    #[test]
    fn what_people_wrote_is_among_what_explains_the_contexts() {
        for (new, kind) in [
            ("at <= other", "operator"),
            ("at < other && !item.is_open", "clause added"),
        ] {
            let found = simulated("at < other", new).unwrap();
            assert_eq!(found.kind, kind);
            assert!(found.right.len() < found.case.candidates.len());
            let right = &found.case.candidates[found.right[0]].edits[0];
            let spelled = |text: &str| canonical(Language::Rust, &text.into());
            assert_eq!(spelled(&right.after), spelled(new));
            let support = right.support.unwrap();
            assert!(support.failing > 0 && support.changed_passing == 0);
            // The same edit has the same case.
            let again = serde_json::to_string(&simulated("at < other", new).unwrap()).unwrap();
            assert_eq!(serde_json::to_string(&found).unwrap(), again);
        }
    }

    #[test]
    fn only_declarations_of_other_files_are_read() {
        let text = "impl A {\n    pub fn f(\n        a: u8,\n    ) -> u8 {\n        if a > 1 {\n        }\n    }\n\n    fn g();\n}\nstruct B {\n    c: u8,\n}\n";
        let without = "impl A {\n    pub fn f(\n        a: u8,\n    ) -> u8 {\n    }\n\n    fn g();\n}\nstruct B {\n    c: u8,\n}\n";
        assert_eq!(declarations(text), without);
    }

    #[test]
    fn an_edit_that_needs_more_than_the_pool_has_is_left_out() {
        let reason = |new: &str| simulated("at < other", new).err();
        let not_there = Some("a term that is not in the pool");
        assert_eq!(reason("at < other && unknown(text) > 2"), not_there);
        assert_eq!(reason("at < unseen"), not_there);
        assert_eq!(
            reason("other > at"),
            Some("the same condition in other words")
        );
    }
}
