//! The confidence in each family, given all families that cure one of the same tests.

use std::collections::BTreeSet;

use nopol_process::run::suite::TestIndex;
use nopol_synth::weights::WEIGHTS;

use super::bounds;
use super::families::Family;
use super::fix::Fix;
use super::knowledge::Knowledge;
use super::ranking::Ranker;
use super::ranking::score;
use crate::rank::{features, model};

impl Ranker<'_, '_> {
    /// Adds the confidence in each member of these families, which are in their final order.
    pub fn rate(&self, knowledge: &Knowledge, families: &mut [Family]) {
        let most = self.most(knowledge, families);
        self.add_confidence(families, &most);
        share_confidence(families);
        pool_confidence(families);
        hold_down(families, &most);
    }

    /// The upper bound on the confidence in each member of each family.
    fn most(&self, knowledge: &Knowledge, families: &[Family]) -> Vec<Vec<f64>> {
        let members: Vec<Fix> = families.iter().flat_map(Family::members).cloned().collect();
        let case = self.facts(knowledge, &members);
        let rows = features::rows(&case);
        let language = self.session.sources.language;
        let (failing, none) = (self.targets(), BTreeSet::new());
        let mut of_members = members.iter().zip(&case.candidates).zip(&rows);
        let mut most = |family: &Family| -> Vec<f64> {
            // Another shard may cure tests that this one does not.
            let failing = self.session.settings.shard.map_or(&failing, |_| &none);
            let partial = most_of_partial(failing, &family.best, families);
            let members = of_members.by_ref().take(1 + family.others.len());
            members
                .map(|((fix, candidate), row)| {
                    let own = bounds::most(language, candidate, row);
                    match fix.memorises() {
                        true => own.min(WEIGHTS.confidence.unlikely),
                        false => own.min(partial),
                    }
                })
                .collect()
        };
        families.iter().map(&mut most).collect()
    }

    /// The failing tests for which patches are searched.
    fn targets(&self) -> BTreeSet<TestIndex> {
        let wanted = &self.session.settings.failing;
        let is_wanted = |test: &TestIndex| {
            wanted.is_empty()
                || wanted
                    .iter()
                    .any(|it| self.session.tests[*test].matches(it))
        };
        self.session
            .baseline
            .failing()
            .into_iter()
            .filter(is_wanted)
            .collect()
    }

    fn add_confidence(&self, families: &mut [Family], most: &[Vec<f64>]) {
        let language = self.session.sources.language;
        let (learned, shift) = (model::of(language), bounds::shift(language));
        let scores = |family: &Family| family.members().map(score).collect::<Vec<f64>>();
        let confidences = families.iter().zip(most).map(|(family, most)| {
            let own = scores(family);
            let rivals = families.iter().filter(|other| {
                let mut targets = other.best.targets.iter();
                !std::ptr::eq(*other, family) && targets.any(|it| family.best.targets.contains(it))
            });
            let all: Vec<f64> = own.iter().copied().chain(rivals.flat_map(scores)).collect();
            let shares = model::shares(&all).into_iter();
            let rated = most.iter().zip(shares);
            // The rivals may be worthless, so the share alone says little.
            let rated =
                rated.map(|(most, share)| hundredths(learned.confidence(share, shift).min(*most)));
            rated.collect::<Vec<f64>>()
        });
        let confidences: Vec<Vec<f64>> = confidences.collect();
        for (family, confidence) in families.iter_mut().zip(confidences) {
            family.confidence = confidence;
        }
    }
}

/// The upper bound on the confidence in a patch that does not cure all failing tests. If another patch also cures the
/// others, this one is hardly right. If none does, the others may have another cause, or this patch is wrong.
fn most_of_partial(failing: &BTreeSet<TestIndex>, fix: &Fix, families: &[Family]) -> f64 {
    let own: BTreeSet<TestIndex> = fix.targets.iter().copied().collect();
    let all: Vec<BTreeSet<TestIndex>> = families
        .iter()
        .filter(|family| !family.best.is_trivial())
        .map(|family| family.best.targets.iter().copied().collect())
        .collect();
    let is_exceeded = all
        .iter()
        .any(|other| own.is_subset(other) && own != *other);
    let mut left = failing.difference(&own);
    let is_incurable = left.any(|test| !all.iter().any(|other| other.contains(test)));
    match () {
        () if is_exceeded => WEIGHTS.confidence.unlikely,
        () if is_incurable => WEIGHTS.confidence.usual,
        () => 1.0,
    }
}

/// Applies the upper bounds again after sharing and pooling, and keeps confidences falling along families that cure the
/// same tests.
fn hold_down(families: &mut [Family], most: &[Vec<f64>]) {
    for (family, most) in families.iter_mut().zip(most) {
        for (confidence, most) in family.confidence.iter_mut().zip(most) {
            *confidence = confidence.min(*most);
        }
    }
    let is_compared = |a: &Family, b: &Family| a.best.targets == b.best.targets;
    for run in families.chunk_by_mut(is_compared) {
        bounds::fall(
            run.iter_mut()
                .filter_map(|family| family.confidence.first_mut()),
        );
    }
}

/// At most one of the fixes that cure a test is what a maintainer would write. Scales each family's confidence by the
/// probability that none before it is right, so that their sum is at most 1.
fn share_confidence(families: &mut [Family]) {
    for nth in 1..families.len() {
        let (before, rest) = families.split_at_mut(nth);
        let family = &mut rest[0];
        let rivals = before.iter().filter(|other| {
            let mut targets = other.best.targets.iter();
            targets.any(|it| family.best.targets.contains(it))
        });
        let taken: f64 = rivals.filter_map(|other| other.confidence.first()).sum();
        for confidence in &mut family.confidence {
            *confidence = hundredths(*confidence * (1.0 - taken).max(0.0));
        }
    }
}

/// Families are not ordered by confidence alone: a second idea at one place comes after other places, and in C hand-set
/// costs decide. So that a percentage never contradicts the order, neighbours of which the later one is likelier share
/// their mean (isotonic regression by pooling adjacent violators), which keeps the sum. Families that cure other tests,
/// and last resorts, come later for other reasons and are not compared.
fn pool_confidence(families: &mut [Family]) {
    let is_compared = |a: &Family, b: &Family| {
        a.best.targets == b.best.targets && a.best.is_trivial() == b.best.is_trivial()
    };
    for run in families.chunk_by_mut(is_compared) {
        // Sums and sizes of the pools so far.
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for family in &*run {
            let mut pool = (family.confidence.first().copied().unwrap_or(0.0), 1);
            while let Some(&(sum, size)) = pools.last()
                && sum * (pool.1 as f64) < pool.0 * size as f64
            {
                pools.pop();
                pool = (sum + pool.0, size + pool.1);
            }
            pools.push(pool);
        }
        let means = pools
            .into_iter()
            .flat_map(|(sum, size)| std::iter::repeat_n(hundredths(sum / size as f64), size));
        for (family, mean) in run.iter_mut().zip(means) {
            if let Some(first) = family.confidence.first_mut() {
                *first = mean;
            }
        }
    }
}

/// Rounds to hundredths, so that every machine prints the same digits.
fn hundredths(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::{fix, tests};

    fn family(confidence: f64, targets: &[u32], is_trivial: bool) -> Family {
        let mut best = fix(1, "a", 1, targets);
        best.edits[0].is_trivial = is_trivial;
        Family {
            best,
            others: Vec::new(),
            confidence: vec![confidence, 0.5],
        }
    }

    #[test]
    fn families_that_cure_one_test_share_a_confidence_of_at_most_one() {
        let mut families = [
            family(0.6, &[0], false),
            family(0.5, &[0, 1], false),
            family(0.5, &[1], false),
            family(0.9, &[0], true),
            family(1.0, &[0], false),
            family(1.0, &[2], false),
        ];
        share_confidence(&mut families);
        let all: Vec<f64> = families.iter().map(|it| it.confidence[0]).collect();
        assert_eq!(all, [0.6, 0.2, 0.4, 0.18, 0.02, 1.0]);
        assert_eq!(families[1].confidence[1], 0.2);
    }

    #[test]
    fn no_percentage_contradicts_the_order() {
        let mut families = [
            family(0.7, &[0], false),
            family(0.3, &[0], false),
            family(0.2, &[0], false),
            family(0.4, &[0], false),
            family(0.1, &[0], false),
            family(0.9, &[1], false),
            family(0.2, &[0], true),
        ];
        pool_confidence(&mut families);
        let all: Vec<f64> = families.iter().map(|it| it.confidence[0]).collect();
        assert_eq!(all, [0.7, 0.3, 0.3, 0.3, 0.1, 0.9, 0.2]);
    }

    #[test]
    fn a_patch_that_cures_fewer_tests_than_another_or_not_all_is_bounded() {
        let failing: BTreeSet<TestIndex> = tests(&[0, 1, 2]).into_iter().collect();
        let most = |families: &[Family]| -> Vec<f64> {
            let most = |family: &Family| most_of_partial(&failing, &family.best, families);
            families.iter().map(most).collect()
        };
        let bounds = &WEIGHTS.confidence;
        let all = [family(0.5, &[0, 1, 2], false), family(0.5, &[0, 1], false)];
        assert_eq!(most(&all), [1.0, bounds.unlikely]);
        // First, two of three tests cured and no patch for the third; then two causes, each with its own patch.
        assert_eq!(most(&[family(0.9, &[0, 1], false)]), [bounds.usual]);
        let causes = [family(0.9, &[0, 1], false), family(0.9, &[2], false)];
        assert_eq!(most(&causes), [1.0, 1.0]);
    }

    #[test]
    fn a_bound_holds_after_pooling_and_in_the_order() {
        let mut families = [family(0.1, &[0], false), family(0.5, &[0], false)];
        pool_confidence(&mut families);
        hold_down(&mut families, &[vec![0.1, 0.1], vec![0.67, 0.67]]);
        let all: Vec<f64> = families.iter().map(|it| it.confidence[0]).collect();
        assert_eq!(all, [0.1, 0.1]);
    }
}
