//! What `cargo nopol faults` found, in the user's terms: places with lines and texts, values as text, paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use nopol_basics::{agree, count};
use nopol_formula::faults::{Candidate, FaultSets, FaultsOutcome, Limit};
use nopol_program::interpret::{End, Evaluated, Run, Value};
use nopol_program::ir::{Dialect, FunctionId, Place, PlaceId, PlaceKind, Test};
use nopol_program::text;
use nopol_program::visit::{Repeats, pointers, reached, repeats};
use serde::Serialize;

use super::FaultsRequest;
use super::left_out::LeftOut;
use super::load::Loaded;
use super::short;
use super::{bounds, elements};
use crate::report::Ended;
use crate::report::markup::code;
use crate::report::phrases::listed;

/// What a search for faults found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Localization {
    /// How it ended.
    pub outcome: Ended,
    /// Why it ended so, if that needs words.
    pub message: Option<String>,
    /// The tests that no formula is made of.
    pub left_out: Vec<LeftOut>,
    /// The failing tests, with how each ends.
    pub failing: Vec<Failing>,
    /// How many tests pass.
    pub passing: usize,
    /// The largest size up to which the candidates are complete.
    pub complete_to: usize,
    /// Most iterations of a loop, and most activations of a function at once.
    pub bound: u32,
    /// Within which runs candidates were looked for, as the end of a sentence: those that do not go beyond the bound.
    #[serde(skip)]
    pub within: String,
    /// Whether the formula is of the failing runs only, so that other candidates are possible at every size.
    #[serde(skip)]
    pub is_partial: bool,
    /// The candidates, the likeliest first.
    pub candidates: Vec<ShownCandidate>,
    /// Where the functions of failing runs compute pointers or references, which are never candidates.
    pub pointers: Vec<ShownPlace>,
    /// Where they write values of several parts as a whole, such as structures, which are never candidates either.
    pub wholes: Vec<ShownPlace>,
    /// Where they leave a value out, such as `None`: that it would have to be there can be a candidate, but not the value.
    pub absent: Vec<ShownPlace>,
    /// What the user should know besides, a sentence each.
    pub warnings: Vec<String>,
    /// What was done, and how long it took.
    pub phases: Vec<Phase>,
    /// What the formula was like.
    pub formula: Statistics,
}

impl Localization {
    /// The result for a program that is outside of the subset, for this reason.
    pub fn outside(reason: String) -> Self {
        Self {
            outcome: Ended::Outside,
            message: Some(reason),
            ..Self::default()
        }
    }
}

/// A failing test.
#[derive(Clone, Debug, Serialize)]
pub struct Failing {
    /// Its name.
    pub name: String,
    /// Why it fails.
    pub reason: String,
    /// Whether it was not followed to its end: then it counts as failing, but may pass.
    pub may_not_end: bool,
}

impl Failing {
    /// What happens to it, as a line of a report.
    pub fn line(&self) -> String {
        let what = match self.may_not_end {
            true => "may not end",
            false => "fails",
        };
        format!("{} {what}: {}", code(&self.name), self.reason)
    }
}

/// A part of the work.
#[derive(Clone, Debug, Serialize)]
pub struct Phase {
    /// What.
    pub name: &'static str,
    /// How long.
    pub seconds: f64,
}

/// What a formula was like.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Statistics {
    /// How many failing tests are in it; the candidates hold for the others, too.
    pub tests: usize,
    /// How often angelic programs were extended.
    pub refinements: usize,
    /// How often a solver was asked.
    pub checks: usize,
    /// How many gates it has.
    pub gates: usize,
}

/// A candidate.
#[derive(Clone, Debug, Serialize)]
pub struct ShownCandidate {
    /// How many places it has.
    pub size: usize,
    /// The places.
    pub places: Vec<ShownPlace>,
    /// How much failing tests go through its places and passing ones do not (Ochiai, from 0 to 1); of several places
    /// the least.
    pub suspiciousness: f64,
    /// The values that the places must have, test by test, in the order of the run.
    pub values: Vec<ShownValue>,
    /// The angelic run of the first failing test: every place it goes through.
    pub path: Vec<Step>,
    /// The tests that pass with these values.
    pub tests: Vec<String>,
}

impl ShownCandidate {
    /// The values that one of its places must have, in words: in the order of the run, as in `true, then false`. One text if
    /// they are the same in all tests, otherwise one for each test that needs other values, with its name. If the place is
    /// evaluated more often than that, each value has its evaluations, and the others keep theirs.
    pub fn values_at(&self, place: usize) -> Vec<String> {
        let of_test = |(at, test): (usize, &String)| {
            let values = self.values.iter();
            let values = values.filter(|value| value.place == place && value.test == *test);
            let values: Vec<&ShownValue> = values.filter(|value| value.changed).collect();
            (!values.is_empty()).then(|| (at, in_words(&values)))
        };
        let tests = self.tests.iter().enumerate();
        let texts: Vec<(usize, String)> = tests.filter_map(of_test).collect();
        match texts.split_first() {
            Some(((_, first), others))
                if texts.len() == self.tests.len()
                    && others.iter().all(|(_, other)| other == first) =>
            {
                vec![first.clone()]
            }
            _ => {
                let texts = texts.into_iter();
                texts
                    .map(|(at, text)| format!("{text} in {}", code(&self.tests[at])))
                    .collect()
            }
        }
    }
}

/// Whether an angelic place has another value than the program computes there, or one where it computes none.
fn is_changed(evaluated: &Evaluated) -> bool {
    let same = (evaluated.value, evaluated.index) == evaluated.original;
    !same || evaluated.spares_fault
}

/// Values of a place in one run, with their evaluations unless these are obvious.
fn in_words(values: &[&ShownValue]) -> String {
    let all = values.first().map_or(0, |value| value.evaluations);
    let alike = values.chunk_by(|a, b| a.to_string() == b.to_string());
    let alike: Vec<&[&ShownValue]> = alike.collect();
    let is_obvious = values.len() == all && (alike.len() == all || alike.len() == 1);
    let texts = alike.iter().take(MOST).enumerate().map(|(at, alike)| {
        let of = if at == 0 {
            format!(" of {all}")
        } else {
            String::new()
        };
        match is_obvious {
            true => alike[0].to_string(),
            false => format!("{} ({}{of})", alike[0], evaluations(alike)),
        }
    });
    let texts: Vec<String> = texts.collect();
    let more = if alike.len() > MOST { ", …" } else { "" };
    format!("{}{more}", texts.join(", then "))
}

/// The evaluations that have these values: `evaluations 1 and 5 to 7`.
fn evaluations(values: &[&ShownValue]) -> String {
    let ranges = values.chunk_by(|a, b| a.evaluation + 1 == b.evaluation);
    let ranges: Vec<String> = ranges
        .flat_map(|range| match (range[0].evaluation, range.len()) {
            (first, 1) => vec![first.to_string()],
            (first, 2) => vec![first.to_string(), (first + 1).to_string()],
            (first, more) => vec![format!("{first} to {}", first + more - 1)],
        })
        .collect();
    let noun = agree(values.len(), "evaluation", "evaluations");
    match ranges.len() > MOST {
        true => format!("{noun} {}, …", ranges[..MOST].join(", ")),
        false => format!("{noun} {}", listed(&ranges)),
    }
}

/// Most values of a run, and most ranges of evaluations of each, that are shown in words.
const MOST: usize = 4;

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownPlace {
    /// The file, relative to the subject's root.
    pub file: String,
    /// The line of its statement, counted from 1.
    pub line: u32,
    /// The column of its expression, counted from 1.
    pub column: u32,
    /// The statement.
    pub text: String,
    /// The same, shortened around the expression if it is long.
    #[serde(skip)]
    pub short: String,
    /// The expression, if the statement computes something else, too: an argument of a call, for one.
    pub part: Option<String>,
}

/// An angelic value.
#[derive(Clone, Debug, Serialize)]
pub struct ShownValue {
    /// The test.
    pub test: String,
    /// The number of the place among the candidate's, counted from 0.
    pub place: usize,
    /// The value.
    pub value: String,
    /// How the language writes it, if it is a character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
    /// The element that it is written to, if an element is.
    pub index: Option<i128>,
    /// The same as the source would write it, such as `t[3]`, if the program sets another one in one of the runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// Which evaluation of the place in the run of the test has this value, counted from 1.
    pub evaluation: usize,
    /// How many evaluations of the place there are in that run.
    pub evaluations: usize,
    /// Whether the program computes another value there, or none. In evaluations that are not listed it computes its own.
    pub changed: bool,
}

impl Display for ShownValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(element) = &self.element {
            write!(f, "{element} = ")?;
        }
        f.write_str(self.literal.as_ref().unwrap_or(&self.value))
    }
}

/// A place on the path of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The statement.
    pub text: String,
    /// The same, shortened around what is computed if it is long.
    #[serde(skip)]
    pub short: String,
    /// The value.
    pub value: String,
    /// How the language writes it, if it is a character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
    /// Whether it is angelic.
    pub angelic: bool,
}

/// What was found at a request, for the user. `score` gives the suspiciousness of a place.
pub fn shown(
    loaded: &Loaded,
    request: &FaultsRequest,
    tests: &[Test],
    found: &FaultSets,
    score: &dyn Fn(PlaceId) -> f64,
) -> Localization {
    let mut candidates: Vec<ShownCandidate> = found
        .candidates
        .iter()
        .map(|candidate| candidate_of(loaded, tests, candidate, score))
        .collect();
    // Smaller sets first, then likelier ones; otherwise in the order of the source.
    candidates.sort_by(|a, b| {
        let places = |candidate: &ShownCandidate| -> Vec<(String, u32, u32)> {
            let places = candidate.places.iter();
            places
                .map(|place| (place.file.clone(), place.line, place.column))
                .collect()
        };
        let by_score = b.suspiciousness.total_cmp(&a.suspiciousness);
        a.size
            .cmp(&b.size)
            .then(by_score)
            .then_with(|| places(a).cmp(&places(b)))
    });
    let (outcome, message) = match found.outcome {
        FaultsOutcome::Localized => (Ended::Localized, None),
        FaultsOutcome::None if found.complete_to == 0 => (
            Ended::None,
            Some(format!(
                "the failing {} no place where another value could be tried",
                agree(tests.len(), "test reaches", "tests reach")
            )),
        ),
        FaultsOutcome::None if !request.formula.is_exact() => {
            (Ended::None, Some(none_on_path(tests.len())))
        }
        FaultsOutcome::None => (Ended::None, Some(none(loaded, request, tests, found))),
        FaultsOutcome::Limit(limit) => (Ended::Limit, Some(ended_by(limit, loaded, request))),
    };
    Localization {
        outcome,
        message,
        complete_to: match request.formula.is_exact() {
            true => found.complete_to,
            false => 0,
        },
        bound: loaded.bound,
        within: bounds::within(repeated(loaded, tests), loaded.bound),
        is_partial: !request.formula.is_exact(),
        candidates,
        formula: Statistics {
            tests: found.encoded.len(),
            refinements: found.refinements,
            checks: found.checks,
            gates: found.gates,
        },
        ..Localization::default()
    }
}

/// That a formula of the failing runs alone has no candidate.
fn none_on_path(tests: usize) -> String {
    format!(
        "the {} of the failing {} {} no candidate; `--formula on-demand` also considers what else the program may do",
        agree(tests, "path", "paths"),
        agree(tests, "test", "tests"),
        agree(tests, "has", "have"),
    )
}

/// What the runs of these tests may do several times.
fn repeated(loaded: &Loaded, tests: &[Test]) -> Repeats {
    let entries = tests.iter().map(|test| test.entry.function());
    repeats(
        &loaded.program,
        &reached(&loaded.program, entries.collect()).functions,
    )
}

/// That no other values make the tests pass, and what would look for more.
fn none(loaded: &Loaded, request: &FaultsRequest, tests: &[Test], found: &FaultSets) -> String {
    let repeats = repeated(loaded, tests);
    let within = bounds::within(repeats, loaded.bound);
    let more = [
        // Otherwise all places together were tried.
        (found.complete_to >= request.size).then_some("a larger --size tries more places at once"),
        repeats
            .any()
            .then_some("a larger --bound allows longer runs"),
    ];
    let more: Vec<&str> = more.into_iter().flatten().collect();
    let more = match more.is_empty() {
        true => String::new(),
        false => format!("; {}", more.join(", and ")),
    };
    format!(
        "no other values at {} make the failing {} pass{within}{more}",
        match found.complete_to {
            1 => "a single place".to_owned(),
            some => format!("up to {}", count(some, "place")),
        },
        agree(tests.len(), "test", "tests"),
    )
}

/// That a limit ended the search, and what helps.
fn ended_by(limit: Limit, loaded: &Loaded, request: &FaultsRequest) -> String {
    let bound = loaded.bound;
    match limit {
        Limit::Time => super::late(request.time_limit, "the search"),
        Limit::Gates => format!("{limit}; a --bound below {bound} makes the formula smaller"),
        Limit::Steps => format!("{limit}; a --bound below {bound} ends such runs earlier"),
        Limit::Decisions => limit.to_string(),
    }
}

fn candidate_of(
    loaded: &Loaded,
    tests: &[Test],
    candidate: &Candidate,
    score: &dyn Fn(PlaceId) -> f64,
) -> ShownCandidate {
    let mut values = Vec::new();
    let mut names = Vec::new();
    // Where an element would have to be set that the program does not set there.
    let is_moved =
        |evaluated: &&Evaluated| evaluated.is_angelic && evaluated.index != evaluated.original.1;
    let runs = candidate.runs.values();
    let moved: BTreeSet<PlaceId> = runs
        .flat_map(|run| run.evaluated.iter().filter(is_moved))
        .map(|evaluated| evaluated.instance.place)
        .collect();
    for (number, run) in &candidate.runs {
        let test = &tests[*number].name;
        names.push(test.clone());
        let mut evaluations: BTreeMap<PlaceId, usize> = BTreeMap::new();
        let numbered = run.evaluated.iter().map(|evaluated| {
            let number = evaluations.entry(evaluated.instance.place).or_default();
            *number += 1;
            (*number, evaluated)
        });
        let numbered: Vec<(usize, &Evaluated)> = numbered.collect();
        for (evaluation, evaluated) in numbered {
            if !evaluated.is_angelic {
                continue;
            }
            let place = candidate
                .places
                .iter()
                .position(|place| *place == evaluated.instance.place);
            values.push(ShownValue {
                evaluation,
                changed: is_changed(evaluated),
                evaluations: evaluations[&evaluated.instance.place],
                test: test.clone(),
                place: place.unwrap_or_default(),
                value: text_of(loaded, evaluated),
                literal: literal(loaded, evaluated),
                index: evaluated.index,
                element: evaluated.index.and_then(|index| {
                    moved.get(&evaluated.instance.place)?;
                    let place = &loaded.program.places[evaluated.instance.place];
                    let expression = expression(loaded, place).unwrap_or_default();
                    Some(elements::element(&place.text, &expression, index))
                }),
            });
        }
    }
    let first: Option<&Run> = candidate.runs.values().next();
    let path = first.map(|run| {
        run.evaluated
            .iter()
            .map(|evaluated| step(loaded, evaluated))
            .collect()
    });
    let scores = candidate.places.iter().map(|place| score(*place));
    ShownCandidate {
        size: candidate.places.len(),
        places: candidate
            .places
            .iter()
            .map(|place| shown_place(loaded, &loaded.program.places[*place]))
            .collect(),
        suspiciousness: scores.fold(1.0, f64::min),
        values,
        path: path.unwrap_or_default(),
        tests: names,
    }
}

/// Where the functions that failing tests go through compute pointers, where they write values of several parts as a whole,
/// and where they leave a value out, each in the order of the source.
pub fn not_examined(loaded: &Loaded) -> [Vec<ShownPlace>; 3] {
    let program = &loaded.program;
    let functions = entered(loaded);
    let pointers = pointers(program).into_iter();
    let pointers = pointers.map(|place| &program.places[place]);
    let pointers = pointers.chain(&program.references).collect();
    let wholes = program.wholes.iter().collect();
    let absent = program.absent.iter().collect();
    [pointers, wholes, absent].map(|places: Vec<&Place>| {
        let reached = places
            .into_iter()
            .filter(|place| place.function.is_none_or(|it| functions.contains(&it)));
        let mut shown: Vec<ShownPlace> = reached.map(|place| shown_place(loaded, place)).collect();
        shown.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        shown
    })
}

/// The functions that failing tests go through. Of those without a place a run does not tell; they count if they may be
/// called.
fn entered(loaded: &Loaded) -> BTreeSet<FunctionId> {
    let program = &loaded.program;
    let function = |place: &Place| place.function;
    let failing = loaded.failing().into_iter();
    let failing = failing.map(|test| test.entry.function());
    let mut entered: BTreeSet<FunctionId> = reached(program, failing.collect())
        .functions
        .into_iter()
        .collect();
    let with_places = program.places.iter().filter_map(function);
    with_places.for_each(|function| _ = entered.remove(&function));
    let runs = loaded.covered.iter().zip(&loaded.ends);
    let failing = runs.filter(|(_, end)| **end != End::Passed);
    let covered = failing.flat_map(|(covered, _)| covered.ones());
    let covered = covered.map(|place| &program.places[PlaceId::from(place)]);
    entered.extend(covered.filter_map(function));
    entered
}

/// What a place computes, as the source has it, on one line.
fn expression(loaded: &Loaded, place: &Place) -> Option<String> {
    let span = place.span;
    let text = loaded.texts.get(span.file as usize)?;
    let text = text.get(span.start as usize..span.end as usize)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn shown_place(loaded: &Loaded, place: &Place) -> ShownPlace {
    let file = loaded.program.files.get(place.span.file as usize);
    let text = expression(loaded, place);
    ShownPlace {
        file: file.map(ToString::to_string).unwrap_or_default(),
        line: place.line,
        column: place.column,
        text: place.text.clone(),
        short: short::around(
            &place.text,
            &(place.offset..place.offset + text.as_ref().map_or(0, String::len)),
        ),
        part: text.filter(|text| {
            place.kind != PlaceKind::Condition && !is_value(&place.text, place.offset, text)
        }),
    }
}

/// Whether an expression, which begins after so many bytes, is all that a statement computes: an initializer, what is assigned
/// or returned, or the last expression.
fn is_value(statement: &str, offset: usize, expression: &str) -> bool {
    let statement = statement.trim_end_matches(';').trim_end();
    let before = statement.strip_suffix(expression);
    before.is_some_and(|before| {
        let before = before.trim_end();
        let is_last = before.len() == offset || before.is_empty();
        // Several variables may be initialized.
        let is_assigned = before.ends_with('=') && !before.contains(',');
        is_last && (before.is_empty() || before == "return" || is_assigned)
    })
}

fn step(loaded: &Loaded, evaluated: &Evaluated) -> Step {
    let place = shown_place(loaded, &loaded.program.places[evaluated.instance.place]);
    let part = place.part.as_deref().map(short::beginning);
    let described = |text: &str| match &part {
        Some(part) => format!("`{part}` in {text}"),
        None => text.to_owned(),
    };
    Step {
        file: place.file,
        line: place.line,
        text: described(&place.text),
        short: described(&place.short),
        value: text_of(loaded, evaluated),
        literal: literal(loaded, evaluated),
        angelic: evaluated.is_angelic,
    }
}

/// How the language writes a character, and C a member of an enumeration.
fn literal(loaded: &Loaded, evaluated: &Evaluated) -> Option<String> {
    let place = &loaded.program.places[evaluated.instance.place];
    match (evaluated.value, loaded.program.dialect) {
        (Value::Number(number), dialect) if place.is_character => text::character(dialect, number),
        (Value::Number(number), Dialect::C) => named(place, number),
        _ => None,
    }
}

/// How the source names a value of a place.
fn named(place: &Place, number: i128) -> Option<String> {
    let mut names = place.names.iter();
    let named = names.find(|(value, _)| *value == number);
    named.map(|(_, name)| name.clone())
}

fn text_of(loaded: &Loaded, evaluated: &Evaluated) -> String {
    let place = &loaded.program.places[evaluated.instance.place];
    match evaluated.value {
        Value::Number(number) if place.kind == PlaceKind::Condition => (number != 0).to_string(),
        // In C these are numbers, and their names stand beside them.
        Value::Number(number) if loaded.program.dialect == Dialect::C => number.to_string(),
        Value::Number(number) => named(place, number).unwrap_or_else(|| number.to_string()),
        Value::Pointer(None) => "null".to_owned(),
        Value::Pointer(Some(_)) => "an address".to_owned(),
    }
}
