//! The patches after the first, in a line each, with a question that decides between two patches.

use std::fmt::Write;

use super::format::human::places;
use super::markup::code;
use super::phrases::{advice, inserted, percent};
use super::snippet::width;
use super::{Assurance, Outcome, PatchReport};

/// The least confidence of patches that are shown beside another one.
const LEAST_SHOWN: f64 = 0.01;

/// Most characters of a line.
const MOST: usize = 140;

/// Writes a line for each patch. The last ones, if they are very unlikely, are only counted.
pub fn write(outcome: &Outcome, patches: &[PatchReport], out: &mut String) -> std::fmt::Result {
    if patches.is_empty() {
        return Ok(());
    }
    let is_likely = |patch: &PatchReport| patch.confidence >= LEAST_SHOWN;
    let likely = patches.iter().rposition(is_likely).map_or(0, |it| it + 1);
    let (likely, unlikely) = patches.split_at(likely);
    for patch in likely {
        writeln!(out, "{}", line(patch))?;
    }
    let mut likely_ones = likely.iter();
    if let Some(question) = likely_ones.find_map(|it| outcome.deciding_question(it)) {
        writeln!(out, "{question}")?;
    }
    match unlikely.len() {
        0 => writeln!(out, "`--full` shows all patches in full.\n"),
        number => writeln!(
            out,
            "{} rated below 1%; `--full` shows all patches in full.\n",
            match number {
                1 => "1 more patch is".to_owned(),
                _ => format!("{number} more patches are"),
            }
        ),
    }
}

/// The number, the confidence, the place and the change.
fn line(patch: &PatchReport) -> String {
    let confidence = match patch.evidence.is_ranked() {
        true => percent(patch.confidence),
        false => String::new(),
    };
    let inserted = inserted(patch).map_or_else(String::new, |it| format!(": {}", code(&it)));
    let unchecked = match patch.evidence {
        Assurance::Tested => "",
        _ => ", unchecked",
    };
    let line = format!(
        "patch {}, {confidence}: {}: {}{inserted}{unchecked}",
        patch.rank,
        places(patch),
        advice(patch)
    );
    let most = width().min(MOST);
    match line.chars().count() > most {
        true => line.chars().take(most - 1).chain(['…']).collect(),
        false => line,
    }
}
