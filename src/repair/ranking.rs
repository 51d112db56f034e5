//! The order in which fixes are judged and shown, and the groups of failing tests that the same fixes cure.

use std::collections::{BTreeMap, BTreeSet};

use nopol_process::run::suite::TestIndex;
use nopol_source::{FunctionIndex, SiteIndex};
use nopol_synth::weights::WEIGHTS;

use super::fix::{Fix, SiteEdit};
use super::hunk::{Hunk, hunk};
use super::knowledge::Knowledge;
use super::session::Session;
use super::written;
use crate::rank::model;

/// The cost that corresponds to a score of 0.
const MIDDLE: f64 = 10_000.0;
/// The cost that corresponds to a score difference of 1.
const UNIT: f64 = 10.0;

/// Sorts fixes: better ones first, and fixes that no observation distinguishes together.
#[derive(Clone, Copy)]
pub struct Ranker<'s, 'a> {
    pub(super) session: &'s Session<'a>,
}

impl<'s, 'a> Ranker<'s, 'a> {
    pub const fn new(session: &'s Session<'a>) -> Self {
        Self { session }
    }
}

impl Ranker<'_, '_> {
    /// Plausible fixes, with costs from the learned model ([`crate::rank`]) instead of the search costs.
    pub fn ranked(&self, knowledge: &Knowledge, mut fixes: Vec<Fix>) -> Vec<Fix> {
        let scores = model::scores(&self.facts(knowledge, &fixes));
        let written = written::corrections(self.session.sources, &fixes, &scores);
        let scores = scores
            .iter()
            .zip(written)
            .map(|(of_model, of_text)| of_model + of_text);
        for (fix, score) in fixes.iter_mut().zip(scores.collect::<Vec<f64>>()) {
            let hinted = fix
                .edits
                .iter()
                .map(|edit| self.session.hints.bonus(edit.site))
                .max();
            // In the unit of the hand-set costs, and never below 0.
            fix.cost = (MIDDLE - UNIT * score - f64::from(hinted.unwrap_or(0)))
                .round()
                .clamp(0.0, 2.0 * MIDDLE) as u32;
        }
        self.distinct(fixes)
    }

    /// Drops fixes that write the same lines as a better one: a condition inside another one can be reached as either.
    fn distinct(&self, mut fixes: Vec<Fix>) -> Vec<Fix> {
        fixes.sort_by(in_order);
        let mut known = BTreeSet::new();
        fixes.retain(|fix| {
            let edits = fix.edits.iter();
            let hunks = edits.map(|edit| hunk(self.session.sources, edit));
            known.insert(hunks.collect::<Vec<Hunk>>())
        });
        fixes
    }
}

/// The score behind the cost of a ranked fix.
pub fn score(ranked: &Fix) -> f64 {
    (MIDDLE - f64::from(ranked.cost)) / UNIT
}

/// Sorts fixes best first and diversifies the order: variants of better fixes come later, because a reader wants one of
/// them and then the other places. Fixes that cure more tests come first, last resorts come last.
pub fn diversify(mut fixes: Vec<Fix>) -> Vec<Fix> {
    fixes.sort_by(in_order);
    let mut at_sites: BTreeMap<Vec<SiteIndex>, u32> = BTreeMap::new();
    let mut said: BTreeMap<Vec<(FunctionIndex, String)>, u32> = BTreeMap::new();
    let mut spread: Vec<(u32, Fix)> = Vec::new();
    for fix in fixes {
        let before = at_sites.entry(fix.sites()).or_default();
        let says = |edit: &SiteEdit| (edit.function, edit.condition.to_string());
        let same = said
            .entry(fix.edits.iter().map(says).collect())
            .or_default();
        let crowd = WEIGHTS.fix.same_site * *before + WEIGHTS.fix.same_condition * *same;
        *before += 1;
        *same += 1;
        spread.push((fix.cost + crowd, fix));
    }
    spread.sort_by(|(s, a), (t, b)| {
        let by_last_resort = a.is_trivial().cmp(&b.is_trivial());
        let by_targets = b.targets.len().cmp(&a.targets.len());
        by_last_resort
            .then(by_targets)
            .then(s.cmp(t))
            .then_with(|| by_edits(a, b))
    });
    spread.into_iter().map(|(_, fix)| fix).collect()
}

/// Fixes that cure more tests first, then cheaper ones.
pub fn in_order(a: &Fix, b: &Fix) -> std::cmp::Ordering {
    let by_targets = b.targets.len().cmp(&a.targets.len());
    by_targets.then_with(|| by_edits(a, b))
}

fn by_edits(a: &Fix, b: &Fix) -> std::cmp::Ordering {
    let of_edits = || {
        let mut edits = a.edits.iter().zip(&b.edits);
        edits.find_map(|(a, b)| Some(by_cost(a, b)).filter(|order| order.is_ne()))
    };
    a.cost
        .cmp(&b.cost)
        .then_with(|| of_edits().unwrap_or(a.edits.len().cmp(&b.edits.len())))
}

/// Cheaper edits first, then those with fewer disagreements, then those at more suspicious places.
pub fn by_cost(a: &SiteEdit, b: &SiteEdit) -> std::cmp::Ordering {
    let disagreements = |edit: &SiteEdit| edit.evidence.disagreements();
    a.cost
        .cmp(&b.cost)
        .then_with(|| disagreements(a).cmp(&disagreements(b)))
        .then(b.suspiciousness.total_cmp(&a.suspiciousness))
        .then(a.site.cmp(&b.site))
}

/// Failing tests that probably have one cause: the same fixes cure them.
#[derive(Debug)]
pub struct Group {
    pub tests: Vec<TestIndex>,
    /// Indices of the fixes, in the order of the fixes.
    pub fixes: Vec<usize>,
}

/// Groups the failing tests by fix, best first: the tests that the first fix cures, then the tests cured by the first
/// fix that cures any other test, and so on. A fix belongs to the first group that contains one of its tests. This way,
/// variants of one patch do not hide the patches for other faults.
pub fn groups(fixes: &[Fix]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: BTreeMap<TestIndex, usize> = BTreeMap::new();
    for fix in fixes {
        let mut new = fix.targets.clone();
        new.retain(|test| !group_of.contains_key(test));
        if !new.is_empty() {
            group_of.extend(new.iter().map(|test| (*test, groups.len())));
            groups.push(Group {
                tests: new,
                fixes: Vec::new(),
            });
        }
    }
    for (nth, fix) in fixes.iter().enumerate() {
        let of_tests = fix.targets.iter().map(|test| group_of[test]);
        if let Some(group) = of_tests.min() {
            groups[group].fixes.push(nth);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::{fix, tests};

    fn order(fixes: Vec<Fix>) -> Vec<String> {
        let text = |fix: Fix| fix.edits[0].condition.to_string();
        diversify(fixes).into_iter().map(text).collect()
    }

    #[test]
    fn other_places_come_before_the_second_idea_at_one_place() {
        let fixes = vec![
            fix(1, "a > b", 10, &[0]),
            fix(1, "a >= b", 11, &[0]),
            fix(1, "a != b", 12, &[0]),
            fix(2, "c", 15, &[0]),
        ];
        assert_eq!(order(fixes), ["a > b", "c", "a >= b", "a != b"]);
    }

    #[test]
    fn what_cures_more_tests_comes_first_and_last_resorts_last() {
        let mut constant = fix(3, "true", 0, &[0, 1, 2]);
        constant.edits[0].is_trivial = true;
        let fixes = vec![fix(1, "a", 5, &[0]), constant, fix(2, "b", 50, &[0, 1])];
        assert_eq!(order(fixes), ["b", "a", "true"]);
    }

    #[test]
    fn the_order_does_not_depend_on_the_order_of_finding() {
        let fixes = vec![
            fix(2, "b", 10, &[0]),
            fix(1, "a", 10, &[0]),
            fix(3, "c", 10, &[0]),
        ];
        let reversed = fixes.iter().rev().cloned().collect();
        assert_eq!(order(fixes), order(reversed));
    }

    #[test]
    fn tests_are_grouped_by_the_first_fix_that_cures_them() {
        let fixes = [
            fix(1, "a", 1, &[0, 1]),
            fix(2, "b", 2, &[1, 2]),
            fix(3, "c", 3, &[3]),
            fix(4, "d", 4, &[2]),
        ];
        let groups = groups(&fixes);
        let cured: Vec<_> = groups.iter().map(|group| group.tests.clone()).collect();
        assert_eq!(cured, [tests(&[0, 1]), tests(&[2]), tests(&[3])]);
        // A fix is in the group of its first test.
        let fixes: Vec<_> = groups.iter().map(|group| group.fixes.clone()).collect();
        assert_eq!(fixes, [vec![0, 1], vec![3], vec![2]]);
    }
}
