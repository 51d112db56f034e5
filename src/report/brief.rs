//! The patches after the first, in a line each, with a question that decides between two patches.

use std::fmt::Write;

use super::format::human::places;
use super::grouped::likely;
use super::phrases::{percent, whole_advice};
use super::snippet::width;
use super::{Assurance, Outcome, PatchReport};

/// Most characters of a line.
const MOST: usize = 140;

/// Writes a line for each patch of a group but the first. The last ones, if they are very unlikely, are only counted.
pub fn write(outcome: &Outcome, group: &[PatchReport], out: &mut String) -> std::fmt::Result {
    if group.len() < 2 {
        return Ok(());
    }
    let (likely, unlikely) = group.split_at(likely(group));
    let likely = &likely[1..];
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
    let unchecked = match patch.evidence {
        Assurance::Tested => "",
        _ => ", unchecked",
    };
    let last_resort = match patch.is_trivial {
        true => ", a last resort",
        false => "",
    };
    let line = format!(
        "patch {}, {confidence}: {}: {}{last_resort}{unchecked}",
        patch.rank,
        places(patch),
        whole_advice(patch)
    );
    let most = width().min(MOST);
    match line.chars().count() > most {
        true => line.chars().take(most - 1).chain(['…']).collect(),
        false => line,
    }
}
