//! A localization as text for people, and as JSON.

pub mod mutation;

use std::fmt::Write;

use nopol_basics::{agree, all, count};
use serde::Serialize;

use super::at_most;
use super::left_out;
use super::localization::{Localization, ShownCandidate, ShownPlace, Step};
use super::short;
use crate::report::markup::code;
use crate::report::phrases::sentence;

/// Most lines named in a sentence.
const FEW: usize = 5;

/// Most candidates, values and steps of a path shown to people.
const MANY: usize = 20;

/// A result as JSON, with a line break at the end.
///
/// # Errors
/// Never, in fact: all of it can be written.
pub fn json(shown: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(shown)? + "\n")
}

/// The localization as text. `top` candidates at most; the first one is explained.
pub fn human(shown: &Localization, top: usize) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, shown, top);
    text
}

fn write(text: &mut String, shown: &Localization, top: usize) -> std::fmt::Result {
    let left_out = left_out::sentences(&shown.left_out);
    for sentence in left_out.iter().chain(&shown.warnings) {
        writeln!(text, "note: {sentence}")?;
    }
    for failing in shown.failing.iter().take(MANY) {
        writeln!(text, "{}", failing.line())?;
    }
    if let Some(others @ 1..) = shown.failing.len().checked_sub(MANY) {
        writeln!(
            text,
            "… and {} {}",
            count(others, "other test"),
            agree(others, "fails", "fail")
        )?;
    }
    if let Some(message) = &shown.message {
        writeln!(text, "{}", sentence(message))?;
    }
    for sentence in not_examined(shown) {
        writeln!(text, "note: {sentence}")?;
    }
    let Some(first) = shown.candidates.first() else {
        return Ok(());
    };
    let number = shown.candidates.len();
    let sizes = shown.candidates.iter().map(|candidate| candidate.size);
    let most = shown.complete_to.max(sizes.max().unwrap_or(first.size));
    writeln!(
        text,
        "\n{} of {}{}; different values {} make {} pass{}\n",
        count(number, "set"),
        match (number, most) {
            (1, 1) => "one place".to_owned(),
            (_, 1) => "one place each".to_owned(),
            _ => at_most(most, "place"),
        },
        shown.within,
        match (number, most) {
            (1, _) => "there",
            (_, 1) => "at any one of these places",
            _ => "at all places of any one set",
        },
        all(shown.failing.len(), "failing test"),
        if shown.outcome.is_cut() || shown.is_partial {
            " (there may be more sets):"
        } else {
            ":"
        },
    )?;
    for (rank, candidate) in (1..).zip(shown.candidates.iter().take(top)) {
        row(text, rank, candidate)?;
    }
    if number > top {
        writeln!(
            text,
            "     … and {} more (--top {number} shows {})",
            number - top,
            agree(number - top, "it", "them")
        )?;
    }
    if let Some(test) = first.tests.first() {
        writeln!(text, "\nThe run of {} with set 1:\n", code(test))?;
        path(text, &first.path)?;
    }
    Ok(())
}

/// Which places are never examined, each kind in a sentence.
pub fn not_examined(shown: &Localization) -> impl Iterator<Item = String> {
    let kinds = [
        ("pointers and references were not examined", &shown.pointers),
        (
            "structs, tuples and other compound values were examined only where the source builds them from their parts; not examined",
            &shown.wholes,
        ),
        (
            "for a `None` that should be a `Some`, the value in it was not examined",
            &shown.absent,
        ),
    ];
    kinds.into_iter().filter_map(|(what, places)| {
        let lines = lines(places)?;
        Some(format!("{what}: {lines}"))
    })
}

/// The first lines of these places; `None` if there are none.
fn lines(places: &[ShownPlace]) -> Option<String> {
    let mut lines: Vec<String> = places
        .iter()
        .map(|place| format!("{}:{}", place.file, place.line))
        .collect();
    lines.dedup();
    let more = lines.len().saturating_sub(FEW);
    lines.truncate(FEW);
    if lines.is_empty() {
        return None;
    }
    let others = match more {
        0 => String::new(),
        _ => format!(" and {}", count(more, "other line")),
    };
    Some(format!("{}{others}", lines.join(", ")))
}

fn row(text: &mut String, rank: usize, candidate: &ShownCandidate) -> std::fmt::Result {
    for (number, place) in candidate.places.iter().enumerate() {
        let label = if number == 0 {
            format!("{rank:4}")
        } else {
            "   &".to_owned()
        };
        let mut values = candidate.values_at(number);
        let more = if values.len() > 4 { "; …" } else { "" };
        values.truncate(4);
        writeln!(
            text,
            "{label}  {}:{}:{}  {}\n        {}would have to be {}{more}",
            place.file,
            place.line,
            place.column,
            place.short,
            match &place.part {
                Some(part) => format!("`{}` ", short::beginning(part)),
                None => String::new(),
            },
            values.join("; "),
        )?;
    }
    Ok(())
}

fn path(text: &mut String, path: &[Step]) -> std::fmt::Result {
    let value = |step: &'_ Step| step.literal.clone().unwrap_or_else(|| step.value.clone());
    let width = path
        .iter()
        .map(|step| value(step).chars().count())
        .max()
        .unwrap_or(0);
    // The end is where the test is decided; a long path is cut in the middle.
    let cut = path.len().saturating_sub(2 * MANY);
    for (at, step) in path.iter().enumerate() {
        if cut > 0 && at == MANY {
            writeln!(text, "  … {} …", count(cut, "statement"))?;
        }
        if cut > 0 && (MANY..MANY + cut).contains(&at) {
            continue;
        }
        let mark = if step.angelic { '*' } else { ' ' };
        writeln!(
            text,
            "{mark} {:>width$} │ {:>4} │ {}",
            value(step),
            step.line,
            step.short
        )?;
    }
    Ok(())
}
