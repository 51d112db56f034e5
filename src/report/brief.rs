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
        writeln!(out, "{}", line(patch, &part(outcome, patch)))?;
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

/// How many tests of its group a patch fixes, if not all: ` (fixes 1 of 3 tests)`.
fn part(outcome: &Outcome, patch: &PatchReport) -> String {
    let mut groups = outcome.groups.iter();
    let Some(group) = groups.find(|group| group.patches.contains(&patch.id)) else {
        return String::new();
    };
    let tests = group.tests.iter();
    let fixed = tests.filter(|test| patch.fixes.contains(test)).count();
    match fixed == group.tests.len() {
        true => String::new(),
        false => format!(" (fixes {fixed} of {} tests)", group.tests.len()),
    }
}

/// The number, the confidence, the place and the change; then `part`.
fn line(patch: &PatchReport, part: &str) -> String {
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
    let most = width().min(MOST).saturating_sub(part.len());
    let line = match line.chars().count() > most {
        true => line
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => line,
    };
    line + part
}
