//! The patches of each group of failing tests, and those that reports show unasked.

use super::{Outcome, PatchReport};

/// The least confidence of a patch that is shown after another one of its group.
const LEAST_SHOWN: f64 = 0.01;

impl Outcome {
    /// The patches of each group of failing tests, best first. Without groups, all of them.
    pub fn patches_by_group(&self) -> Vec<&[PatchReport]> {
        let is_first = |patch: &PatchReport| {
            let mut groups = self.groups.iter();
            groups.any(|group| group.patches.first() == Some(&patch.id))
        };
        let groups = self.patches.chunk_by(|_, next| !is_first(next));
        groups.collect()
    }

    /// The patches without those at the end of each group that are rated below 1 %. With `--full`, all of them.
    pub fn likely_patches(&self) -> impl Iterator<Item = &PatchReport> {
        self.patches_by_group()
            .into_iter()
            .flat_map(|group| match self.is_full {
                true => group,
                false => &group[..likely(group)],
            })
    }
}

/// How many patches of a group are shown unasked; at least one.
pub fn likely(group: &[PatchReport]) -> usize {
    let is_likely =
        |patch: &PatchReport| !patch.evidence.is_ranked() || patch.confidence >= LEAST_SHOWN;
    let last = group.iter().rposition(is_likely).unwrap_or(0);
    group.len().min(last + 1)
}
