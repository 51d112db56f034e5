//! `--apply`: the only code that writes to the subject.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::Utf8Path;

use crate::repair::settings::Settings;
use crate::report::{Choice, EditReport, Outcome, PatchReport};
use crate::subject::Subject;

/// Writes this patch, or an alternative to it, into the subject.
///
/// # Errors
/// If there is no such patch, or a file has uncommitted changes or has changed since it was read.
pub fn apply(
    settings: &Settings,
    outcome: &Outcome,
    choice: Choice,
    allow_dirty: bool,
) -> Result<()> {
    let Choice { rank, alternative } = choice;
    let Some(patch) = outcome
        .patches
        .iter()
        .find(|patch| patch.rank == rank as usize)
    else {
        bail!(
            "there is no patch {rank} to apply: {} found; nothing was changed",
            outcome.patches.len()
        );
    };
    if !patch.is_checked {
        bail!(
            "patch {rank} was not checked before the run was stopped, so it was not applied; apply its diff with `git apply`, or run again"
        );
    }
    let edits = edits(patch, alternative)?;
    let subject = Subject::load(&settings.project)?;
    let files: BTreeSet<&str> = edits.iter().map(|edit| edit.file.as_str()).collect();
    let mut patched = Vec::new();
    for file in files {
        let path = subject.path_of(Utf8Path::new(file));
        let path = path
            .canonicalize_utf8()
            .with_context(|| format!("cannot find {path}"))?;
        if !allow_dirty {
            refuse_dirty(file, &path)?;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let mut edits: Vec<_> = edits.iter().filter(|edit| edit.file == file).collect();
        if edits.iter().any(|edit| *edit.original != *text) {
            bail!("{file} was changed while the patch was looked for; nothing was applied");
        }
        // From the end of the file, so that no edit shifts another one's span.
        edits.sort_by_key(|edit| Reverse(edit.span.start));
        let mut text = text;
        for edit in edits {
            text.replace_range(edit.span.clone(), &edit.after);
        }
        patched.push((path, text));
    }
    // Nothing is written until every edit is known to apply.
    for (path, text) in patched {
        fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// The edits of a patch, or of an alternative to it.
fn edits(patch: &PatchReport, alternative: Option<u32>) -> Result<Vec<EditReport>> {
    let Some(number) = alternative else {
        return Ok(patch.edits.clone());
    };
    let Some(other) = patch.alternatives.get(number as usize - 1) else {
        bail!(
            "patch {} has no alternative {number}: {} listed; nothing was changed",
            patch.rank,
            patch.alternatives.len()
        );
    };
    let edits = patch.edits_of(other);
    edits.context("an alternative changes another file than its patch")
}

/// Refuses a file with uncommitted changes, or whose state git cannot determine. Outside a repository nothing
/// is uncommitted.
fn refuse_dirty(file: &str, path: &Utf8Path) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    let is_in_repository = dir.ancestors().any(|dir| dir.join(".git").exists());
    let mut command = Command::new("git");
    command
        .args(["--no-optional-locks", "status", "--porcelain", "--"])
        .arg(path);
    let output = command.current_dir(dir).output();
    let why = match output {
        Ok(output) if output.status.success() && output.stdout.is_empty() => return Ok(()),
        Ok(output) if output.status.success() => bail!(
            "{file} has changes that git has not committed, so the patch was not applied; commit or stash them (a new file must be added first), or give --allow-dirty"
        ),
        _ if !is_in_repository => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    bail!(
        "git cannot tell whether {file} has uncommitted changes ({why}), so the patch was not applied; see to that, or give --allow-dirty"
    )
}
