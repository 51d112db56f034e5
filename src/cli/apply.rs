//! `--apply`: the only time the subject is written to.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::Utf8Path;

use crate::repair::settings::Settings;
use crate::report::Outcome;
use crate::subject::Subject;

/// Writes the patch of this rank into the subject.
///
/// # Errors
/// If there is no such patch, the file has uncommitted changes, or has changed since it was read.
pub fn apply(settings: &Settings, outcome: &Outcome, rank: u32, allow_dirty: bool) -> Result<()> {
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
    let subject = Subject::load(&settings.cargo)?;
    for edit in &patch.edits {
        let path = subject.path_of(Utf8Path::new(&edit.file));
        if !allow_dirty && has_uncommitted_changes(&path) {
            bail!(
                "{} has uncommitted changes, so the patch was not applied; commit or stash them, or give --allow-dirty",
                edit.file
            );
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        if text.get(edit.span.clone()) != Some(edit.before.as_str()) {
            bail!(
                "{} was changed while the patch was looked for; nothing was applied",
                edit.file
            );
        }
        let patched = format!(
            "{}{}{}",
            &text[..edit.span.start],
            edit.after,
            &text[edit.span.end..]
        );
        fs::write(&path, patched).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// Whether git knows the file and has another version of it; without git nothing is uncommitted.
fn has_uncommitted_changes(path: &Utf8Path) -> bool {
    let Some(dir) = path.parent() else {
        return false;
    };
    Command::new("git")
        .args(["status", "--porcelain", "--"])
        .arg(path)
        .current_dir(dir)
        .output()
        .is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}
