//! What the report says about the subject itself: its packages, its directory in the repository, and the lines that a
//! pull request shows.

use std::fs;

use camino::Utf8Path;

use super::settings::Settings;
use crate::report::{Outcome, PackageReport};
use crate::subject::ecosystem::Package;
use crate::subject::workspace::Workspace;
use crate::subject::{SubjectError, changes};

/// Adds this to the outcome. Git runs in the working copy.
///
/// # Errors
/// [`SubjectError::Usage`] if `--diff-base` names neither a diff nor a commit.
pub fn tell(
    settings: &Settings,
    copy: &Workspace,
    outcome: &mut Outcome,
) -> Result<(), SubjectError> {
    let subject = &copy.subject;
    outcome.packages = subject
        .ecosystem
        .packages()
        .into_iter()
        .map(package)
        .collect();
    outcome.prefix = prefix(&subject.root);
    tell_shown(settings, &copy.root, &subject.root, outcome)
}

/// Adds the lines that a pull request shows. Git runs in `root`, a working copy or the subject itself.
///
/// # Errors
/// As those of [`tell`].
pub fn tell_shown(
    settings: &Settings,
    root: &Utf8Path,
    subject: &Utf8Path,
    outcome: &mut Outcome,
) -> Result<(), SubjectError> {
    outcome.diff_lines = None;
    outcome.commit = None;
    let Some(base) = &settings.diff_base else {
        return Ok(());
    };
    let wrong = |why: String| SubjectError::Usage(format!("--diff-base: {why}"));
    let shown = if Utf8Path::new(base).is_file() {
        let text = fs::read(base).map_err(|error| wrong(format!("cannot read {base}: {error}")))?;
        let text = String::from_utf8_lossy(&text);
        if !changes::is_diff(&text) {
            let why = "it has no line `+++ FILE` before a hunk; `git diff` writes a diff";
            return Err(wrong(format!("{base} is not a diff: {why}")));
        }
        changes::shown(&text)
    } else {
        let commit = changes::commit(subject, base);
        changes::shown_since(root, commit.as_ref().unwrap_or(base)).map_err(|error| {
            wrong(match changes::unnamed(root, &format!("{base}...HEAD")) {
                Some(why) => format!("`{base}` is not a file, and {why}"),
                None => format!(
                    "`{base}` is neither a file nor a commit to compare with: {error:#}. Fetch the commit and the history since (for \
                     actions/checkout, `fetch-depth: 0`), or name a file with a diff"
                ),
            })
        })?
    };
    outcome.diff_lines = Some(shown);
    outcome.commit = changes::head(subject);
    Ok(())
}

fn package(package: Package) -> PackageReport {
    PackageReport {
        id: package.id,
        dir: package.dir.into_string(),
        manifest: package.manifest.into_string(),
        target: package.target,
        target_kind: package.target_kind,
        target_file: package.target_file.into_string(),
        edition: package.edition,
    }
}

/// The path from the top of the repository to the root, with a slash at the end, or empty.
pub fn prefix(root: &Utf8Path) -> String {
    let mut dirs = root.ancestors();
    let top = dirs.find(|dir| dir.join(".git").exists());
    let below = top.and_then(|top| root.strip_prefix(top).ok());
    match below {
        Some(below) if !below.as_str().is_empty() => format!("{below}/"),
        _ => String::new(),
    }
}
