//! `--apply`: the only time the subject is written to.

use std::cmp::Reverse;
use std::collections::BTreeSet;
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
    let subject = Subject::load(&settings.project)?;
    let files: BTreeSet<&str> = patch.edits.iter().map(|edit| edit.file.as_str()).collect();
    let mut patched = Vec::new();
    for file in files {
        let path = subject.path_of(Utf8Path::new(file));
        if !allow_dirty && has_uncommitted_changes(&path) {
            bail!(
                "{file} has changes that git has not committed, so the patch was not applied; commit or stash them (a new file must be added first), or give --allow-dirty"
            );
        }
        let mut text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let mut edits: Vec<_> = patch
            .edits
            .iter()
            .filter(|edit| edit.file == file)
            .collect();
        // From the end, so that no edit moves another one's place.
        edits.sort_by_key(|edit| Reverse(edit.span.start));
        for edit in edits {
            if text.get(edit.span.clone()) != Some(edit.before.as_str()) {
                bail!("{file} was changed while the patch was looked for; nothing was applied");
            }
            text.replace_range(edit.span.clone(), &edit.after);
        }
        patched.push((path, text));
    }
    // Only when all of it is known to fit.
    for (path, text) in patched {
        fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
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
