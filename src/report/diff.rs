//! `--format diff`: the patches' diffs and nothing else, so that the output can be piped to
//! `git apply`.

use super::Outcome;

/// The first patch's diff: two alternatives cannot both be applied.
pub fn render(outcome: &Outcome) -> String {
    outcome
        .patches
        .first()
        .map(|patch| patch.diff.clone())
        .unwrap_or_default()
}
