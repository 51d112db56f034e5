//! `--format diff`: only a diff, so that the output can be piped to `git apply`.

use super::Outcome;

/// The diff of the first patch. Alternative patches cannot be applied together.
pub fn render(outcome: &Outcome) -> String {
    outcome
        .patches
        .first()
        .map(|patch| patch.diff.clone())
        .unwrap_or_default()
}
