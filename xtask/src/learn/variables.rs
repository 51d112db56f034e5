//! `cargo xtask learn variables`: which of the visible variables people ask about, learned from the conditions and clauses
//! that they added ([`cargo_nopol::rank::variables`]). Nothing is built or run.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cargo_nopol::rank::model::shares;
use cargo_nopol::rank::variables::{FEATURES, Place, Row, asked};
use nopol_basics::hash;
use nopol_source::Language;

use super::edits::{What, skeleton};
use super::mine::{Mined, Objects};

#[derive(clap::Args)]
pub struct VariablesOptions {
    /// What `learn mine` wrote
    #[arg(value_name = "FILE")]
    edits: PathBuf,
    /// One of so many parts of the repositories is held back
    #[arg(long, default_value_t = 5)]
    parts: usize,
}

/// Bytes of a function that are read.
const MOST_BYTES: usize = 20_000;
/// How much large weights cost.
const PENALTY: f64 = 2.0;
const STEPS: usize = 400;

/// The variables at a place, and whether people asked about each.
struct Choice {
    repository: PathBuf,
    rows: Vec<Row>,
    asked: Vec<bool>,
    /// The relevance of what people asked, by the weights in use.
    relevance: f64,
    is_wrap: bool,
}

/// What was added: a condition, or a clause to one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Added {
    Condition,
    Clause,
}

pub fn run(options: &VariablesOptions) -> Result<()> {
    let text = fs::read_to_string(&options.edits)
        .with_context(|| format!("cannot read {}", options.edits.display()))?;
    let edits: Vec<Mined> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    for (added, name) in [
        (Added::Condition, "conditions where there was none"),
        (Added::Clause, "clauses added to a condition"),
    ] {
        let choices = choices(&edits, added)?;
        let is_held_back = |choice: &&Choice| {
            let name = choice.repository.display().to_string();
            let number = u64::from_str_radix(&hash::short(&name), 16).unwrap_or_default();
            number.is_multiple_of(options.parts as u64)
        };
        let (held_back, learned): (Vec<&Choice>, Vec<&Choice>) =
            choices.iter().partition(is_held_back);
        let weights = fit(&learned);
        let repositories: BTreeSet<_> = choices.iter().map(|it| &it.repository).collect();
        println!(
            "{name}: {} of {} repositories, {} held back",
            choices.len(),
            repositories.len(),
            held_back.len()
        );
        println!(
            "    first by chance {:.2}, learned {:.2}",
            first(&held_back, &[0.0; FEATURES]),
            first(&held_back, &weights)
        );
        for is_wrap in [false, true] {
            let of_kind = choices.iter().filter(|it| it.is_wrap == is_wrap);
            let all: Vec<f64> = of_kind.map(|it| it.relevance).collect();
            println!(
                "    mean relevance by the weights in use, {}: {:.2} ({})",
                if is_wrap {
                    "wrapped statements"
                } else {
                    "others"
                },
                all.iter().sum::<f64>() / all.len().max(1) as f64,
                all.len()
            );
        }
        let weights: Vec<String> = weights.iter().map(|it| format!("{it:.2}")).collect();
        println!("    [{}]", weights.join(", "));
    }
    Ok(())
}

fn choices(edits: &[Mined], added: Added) -> Result<Vec<Choice>> {
    let mut objects: Option<(PathBuf, Objects)> = None;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for mined in edits {
        let Some((at, old, condition, body)) = addition(&mined.what, added) else {
            continue;
        };
        if !seen.insert((&mined.repository, &mined.function, condition.clone())) {
            continue;
        }
        if objects
            .as_ref()
            .is_none_or(|(of, _)| *of != mined.repository)
        {
            objects = Some((mined.repository.clone(), Objects::of(&mined.repository)?));
        }
        let (_, of_repository) = objects.as_mut().context("no repository")?;
        let Some(text) = of_repository.text(&mined.blob)? else {
            continue;
        };
        let first: usize = text
            .split_inclusive('\n')
            .take(mined.line - 1)
            .map(str::len)
            .sum();
        let function = &text[first..];
        let end = (MOST_BYTES..function.len()).find(|end| function.is_char_boundary(*end));
        let function = &function[..end.unwrap_or(function.len())];
        let Some(span) = span(function, at, old) else {
            continue;
        };
        let language = match mined.path.ends_with(".rs") {
            true => Language::Rust,
            false => Language::C,
        };
        let wrapped = self::wrapped(function, &mined.what, span.start);
        let body = wrapped.or(body);
        let span = span.start..span.start + wrapped.map_or(span.len(), str::len);
        let place = Place::new(language, function, span, body);
        let asked: BTreeSet<&str> = asked(language, &condition).collect();
        let variables = place.variables();
        let choice = Choice {
            relevance: place.relevance(&condition),
            is_wrap: matches!(mined.what, What::Wrap { .. }),
            repository: mined.repository.clone(),
            rows: variables
                .iter()
                .map(|variable| place.row(variable))
                .collect(),
            asked: variables
                .iter()
                .map(|variable| asked.contains(variable))
                .collect(),
        };
        if choice.asked.contains(&true) && choice.asked.contains(&false) {
            found.push(choice);
        }
    }
    Ok(found)
}

/// The statements that were enclosed, which begin at a byte.
fn wrapped<'f>(function: &'f str, what: &What, start: usize) -> Option<&'f str> {
    let What::Wrap { statements, .. } = what else {
        return None;
    };
    let rest = &function[start..];
    let ends = rest.match_indices([';', '}']).map(|(end, _)| end + 1);
    let number = |end: &usize| skeleton(&rest[..*end]).chars().count();
    let end = ends
        .into_iter()
        .find(|end| number(end) >= statements.len())?;
    Some(&rest[..end])
}

/// Where something was added, in characters of the skeleton; the condition that was there; what was added; and what it
/// controls, if that was added, too.
fn addition(what: &What, added: Added) -> Option<(usize, &str, String, Option<&str>)> {
    match (what, added) {
        (
            What::Guard {
                at,
                condition,
                body,
            },
            Added::Condition,
        ) => {
            let words = ["return", "continue", "break", "bail!", "panic!", "goto"];
            let leaves = words.iter().any(|word| body.contains(word));
            leaves.then(|| (*at, "", condition.clone(), Some(body.as_str())))
        }
        (
            What::Wrap {
                statements,
                condition,
            },
            Added::Condition,
        ) => Some((statements.start, "", condition.clone(), Some(""))),
        (What::Condition { at, old, new }, Added::Clause) => {
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (before, after) = (plain(old), plain(new));
            let rest = match (after.strip_prefix(&before), after.strip_suffix(&before)) {
                (Some(rest), _) => rest.strip_prefix(" && ").or(rest.strip_prefix(" || ")),
                (_, Some(rest)) => rest.strip_suffix(" && ").or(rest.strip_suffix(" || ")),
                _ => None,
            };
            rest.map(|clause| (*at, old.as_str(), clause.to_owned(), None))
        }
        _ => None,
    }
}

/// The bytes of a condition, or of the place of one, that begins after so many characters of the skeleton.
fn span(function: &str, at: usize, old: &str) -> Option<Range<usize>> {
    let starts: Vec<usize> = function.char_indices().map(|(start, _)| start).collect();
    let number = |start: usize| skeleton(&function[..start]).chars().count();
    let from = *starts.get(starts.partition_point(|start| number(*start) < at))?;
    let text = match old {
        // What begins with the next character of the skeleton.
        "" => skeleton(&function[from..]).chars().next()?.to_string(),
        old => old.to_owned(),
    };
    let mut found = function[from..]
        .match_indices(&text)
        .map(|(start, _)| from + start);
    // It may also stand in a comment.
    let start = found.find(|start| {
        number(*start) == at && number(*start + text.chars().next().map_or(0, char::len_utf8)) > at
    })?;
    Some(start..start + old.len())
}

/// Weights with which the variables that people asked about are likely, by gradient ascent.
fn fit(choices: &[&Choice]) -> Row {
    let mut weights = [0.0; FEATURES];
    for _ in 0..STEPS {
        let mut gradient = [0.0; FEATURES];
        for choice in choices {
            let asked = choice.asked.iter().filter(|is| **is).count() as f64;
            let all = shares(&scores(choice, &weights));
            for ((row, share), is_asked) in choice.rows.iter().zip(all).zip(&choice.asked) {
                let wanted = if *is_asked { 1.0 / asked } else { 0.0 };
                for (slope, value) in gradient.iter_mut().zip(row) {
                    *slope += (wanted - share) * value;
                }
            }
        }
        for (weight, slope) in weights.iter_mut().zip(gradient) {
            *weight += 2.0 / choices.len().max(1) as f64 * (slope - PENALTY * *weight);
        }
    }
    weights
}

fn scores(choice: &Choice, weights: &Row) -> Vec<f64> {
    let score = |row: &Row| {
        row.iter()
            .zip(weights)
            .map(|(value, weight)| value * weight)
            .sum()
    };
    choice.rows.iter().map(score).collect()
}

/// The share of the choices of which the likeliest variable was asked about; of several that are as likely, the share.
fn first(choices: &[&Choice], weights: &Row) -> f64 {
    let of = |choice: &&Choice| {
        let scores = scores(choice, weights);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = scores
            .iter()
            .zip(&choice.asked)
            .filter(|(score, _)| **score >= most - 1e-9);
        let (all, right) = best.fold((0, 0), |(all, right), (_, is)| {
            (all + 1, right + usize::from(*is))
        });
        f64::from(right as u32) / f64::from(all.max(1))
    };
    choices.iter().map(of).sum::<f64>() / choices.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_clause_is_found_at_its_condition() {
        let what = What::Condition {
            at: 10,
            old: "a > 1".to_owned(),
            new: "a > 1\n && b.is_empty()".to_owned(),
        };
        let (_, old, clause, _) = addition(&what, Added::Clause).unwrap();
        assert_eq!((old, &*clause), ("a > 1", "b.is_empty()"));
        let function = "fn f(a: u8) { // if a > 1\n    if a > 1 {} }";
        let at = skeleton("fn f(a: u8) { if").chars().count();
        let span = span(function, at, "a > 1").unwrap();
        assert_eq!(span.start, function.rfind("a > 1").unwrap());
    }
}
