//! Which of the plausible candidates of a defect are right: those with which the program passes the held-out tests, too.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_nopol::rank::facts::{Candidate, Case, EditFacts};
use nopol_source::Form;

use super::programs::{compile, in_parallel};
use super::record::Record;
use crate::learn::Truth;

/// The cheapest candidates that are tried; the others count as wrong.
const MOST: usize = 60;

/// Writes into `facts`, where the tool's dump is, which candidates are right, and what `learn train` reads about a repair.
/// `passes` tells whether a program passes the held-out tests.
///
/// # Errors
/// If a file cannot be read or written, or the compiler not be started.
pub fn write(
    facts: &Path,
    source: &Path,
    compiler: &[&str],
    record: &Record,
    passes: impl Fn(&Path) -> Result<bool> + Sync,
) -> Result<()> {
    fs::create_dir_all(facts)?;
    // Without it nothing plausible was found.
    let case: Case = match fs::read_to_string(facts.join("plausible.json")) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Case::default(),
    };
    let text =
        fs::read_to_string(source).with_context(|| format!("{} is no UTF-8", source.display()))?;
    let mut order: Vec<usize> = (0..case.candidates.len()).collect();
    order.sort_by_key(|nth| case.candidates[*nth].cost);
    order.truncate(MOST);
    let is_right = |nth: &usize| -> Result<bool> {
        let Some(patched) = patched(&case, &case.candidates[*nth], &text) else {
            return Ok(false);
        };
        let dir = tempfile::tempdir()?;
        let (file, program) = (dir.path().join("patched.c"), dir.path().join("patched"));
        fs::write(&file, patched)?;
        Ok(compile(compiler, &file, &program)? && passes(&program)?)
    };
    let outcomes = in_parallel(&order, is_right)?;
    let right = order.iter().zip(outcomes);
    let mut right: Vec<usize> = right.filter_map(|(nth, is)| is.then_some(*nth)).collect();
    right.sort_unstable();
    fs::write(facts.join("right.json"), serde_json::to_string(&right)?)?;
    // Defects of one problem are held back together.
    let problem: Vec<&str> = record.id.splitn(3, '-').take(2).collect();
    let truth = Truth::of_program(&problem.join("-"), &record.outcome, record.seconds);
    fs::write(facts.join("truth.json"), serde_json::to_string(&truth)?)?;
    Ok(())
}

/// The file with a candidate in it; `None` if the candidate is for something else than this file.
fn patched(case: &Case, candidate: &Candidate, text: &str) -> Option<String> {
    let at = |edit: &EditFacts| {
        let start = text.find(&*case.functions[edit.function].text)?;
        Some(start + edit.span.start..start + edit.span.end)
    };
    let mut edits = Vec::new();
    for edit in &candidate.edits {
        let new = match edit.kind.form() {
            Form::Replace => format!("({})", edit.after),
            Form::Wrap => format!("if ({}) {{ {} }}", edit.after, edit.before),
            Form::Leave | Form::Branch => format!("if ({}) {{ {} }} ", edit.after, edit.body),
            Form::Narrow | Form::Compute => return None,
        };
        edits.push((at(edit)?, new));
    }
    // From the end, so that no edit shifts another one's span.
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut patched = text.to_owned();
    for (span, new) in edits {
        patched.get(span.clone())?;
        patched.replace_range(span, &new);
    }
    Some(patched)
}
