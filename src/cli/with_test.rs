//! The test that is written together with a patch: which question it answers, and what it is in the subject's files.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::apply::{edits, no_patch};
use super::current::Current;
use crate::invocation::Invocation;
use crate::repair::discriminating::{DiscriminatingTest, Patch, Question};
use crate::repair::settings::Settings;
use crate::report::terminal::Terminal;
use crate::report::{Choice, Outcome, PatchReport, RunTest};

/// Most other patches from which a test should distinguish a patch.
const MOST_RIVALS: usize = 4;
/// The most tests near which one is looked for.
const MOST_TESTS: usize = 6;

/// Looks for a test that passes with a patch and fails with another. After `--run` or `--fuzz` it is their test.
/// `alone` says how to apply the patch without a test.
///
/// # Errors
/// If there is no such patch or no other one, no test is found, or the run is stopped.
pub fn find(
    settings: &Settings,
    outcome: &Outcome,
    choice: Choice,
    quiet: bool,
    alone: &str,
) -> Result<DiscriminatingTest> {
    if let Some(RunTest { path, text }) = &outcome.run_test {
        return Ok(DiscriminatingTest {
            name: path.file_stem().unwrap_or(path.as_str()).to_owned(),
            file: path.clone(),
            is_new_file: true,
            original: String::new(),
            at: 0,
            text: text.clone(),
            fails: "the program without the patch".to_owned(),
        });
    }
    let current = Current::new(settings)?;
    let Some(question) = question(&current, outcome, choice)? else {
        bail!(
            "there is no other patch of the same cause to distinguish {} from; nothing was written. {alone}",
            choice.named()
        );
    };
    let invocation = Invocation::new(settings.clone())?;
    invocation.handle_signals()?;
    let observer = Arc::new(Terminal::new(false, quiet));
    match invocation.discriminating_test(&question, observer)? {
        Some(test) => Ok(test),
        None => bail!(
            "found no test like yours that passes with {} and fails with another patch; nothing was written. {alone}",
            choice.named()
        ),
    }
}

/// The question that a test should answer; `None` if there is no other patch.
fn question(current: &Current, outcome: &Outcome, choice: Choice) -> Result<Option<Question>> {
    let mut patches = outcome.patches.iter();
    let Some(patch) = patches.find(|patch| patch.rank == choice.rank as usize) else {
        return Err(no_patch(outcome, choice.rank));
    };
    let own = edits(patch, choice.alternative)?;
    for edit in &own {
        let file = current.file(&edit.file, &[edit])?;
        file.refuse_fixed(patch, &outcome.names)?;
    }
    let Some(own) = current.edits(&own)? else {
        bail!(
            "{} changes the same code as a patch that is applied; nothing was changed, and `undo` reverts the earlier patch",
            choice.named()
        );
    };
    let rival = |patch: &PatchReport, alternative| -> Result<Option<Patch>> {
        let edits = current.edits(&edits(patch, alternative)?)?;
        let rank = u32::try_from(patch.rank)?;
        let name = Choice { rank, alternative }.named();
        Ok(edits.map(|edits| Patch::new(name, &edits)))
    };
    let mut rivals = Vec::new();
    // The patch that the report compares with, then its own variants, then the others. Patches of another cause change
    // something else: what fails with them need not be open.
    let compared = patch.differs.as_ref().map(|differs| differs.ranks[1]);
    let (first, others): (Vec<&PatchReport>, Vec<&PatchReport>) = outcome
        .patches
        .iter()
        .filter(|other| other.rank != patch.rank)
        .filter(|other| other.fixes.iter().any(|test| patch.fixes.contains(test)))
        .partition(|other| Some(other.rank) == compared);
    rivals.extend(first.into_iter().map(|other| rival(other, None)));
    let variants = (1..).take(patch.alternatives.len());
    let variants = std::iter::once(None).chain(variants.map(Some));
    let variants = variants.filter(|variant| *variant != choice.alternative);
    rivals.extend(variants.map(|variant| rival(patch, variant)));
    rivals.extend(others.into_iter().map(|other| rival(other, None)));
    let rivals = rivals.into_iter().collect::<Result<Vec<_>>>()?;
    let rivals: Vec<Patch> = rivals.into_iter().flatten().collect();
    let passing = patch
        .clauses
        .iter()
        .flat_map(|clause| &clause.passing_tests);
    let mut tests: Vec<String> = Vec::new();
    for test in patch.fixes.iter().chain(passing) {
        if !tests.contains(test) {
            tests.push(test.clone());
        }
    }
    tests.truncate(MOST_TESTS);
    let compared = patch.differs.iter().flat_map(|differs| &differs.hints);
    let alternatives = patch.alternatives.iter().flat_map(|other| &other.hints);
    let hints = compared.chain(alternatives).cloned();
    Ok((!rivals.is_empty()).then(|| Question {
        patch: Patch::new(choice.named(), &own),
        rivals: rivals.into_iter().take(MOST_RIVALS).collect(),
        tests,
        hints: hints.collect(),
    }))
}
