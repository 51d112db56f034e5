//! Patches to be, in the order in which they are judged and shown, and the failing tests grouped
//! by what cures them.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::{SiteCandidate, rank};
use crate::run::suite::TestIndex;
use crate::source::SiteIndex;

/// A patch to be: a new condition at one site, or one at each of two sites.
#[derive(Clone, Debug)]
pub struct Fix {
    pub parts: Vec<SiteCandidate>,
    /// Failing tests that it is to cure.
    pub targets: Vec<TestIndex>,
    pub cost: u32,
}

impl From<SiteCandidate> for Fix {
    fn from(candidate: SiteCandidate) -> Self {
        Self {
            targets: candidate.targets.clone(),
            cost: candidate.cost,
            parts: vec![candidate],
        }
    }
}

impl Fix {
    pub fn is_trivial(&self) -> bool {
        self.parts.iter().any(|part| part.is_trivial)
    }

    pub fn is_loose(&self) -> bool {
        self.parts.iter().any(|part| part.is_loose)
    }

    pub fn sites(&self) -> Vec<SiteIndex> {
        self.parts.iter().map(|part| part.site).collect()
    }

    /// The same fix, for these tests.
    pub fn curing(&self, targets: &[TestIndex]) -> Self {
        Self {
            targets: targets.to_vec(),
            ..self.clone()
        }
    }

    /// Whether it makes the same text of the same sites.
    pub fn says_as(&self, other: &Self) -> bool {
        let says = |fix: &Self| {
            let parts = fix.parts.iter();
            parts
                .map(|part| (part.site, part.text.clone()))
                .collect::<Vec<_>>()
        };
        says(self) == says(other)
    }

    /// Whether it changes one site only, this one.
    pub fn is_only_at(&self, site: SiteIndex) -> bool {
        self.sites() == [site]
    }
}

/// Candidates at one site, and candidates of one function with one condition: each costs so much
/// more than the one before it, for most of them say the same.
const CROWDED: u32 = 7;
const REPEATED: u32 = 14;

/// The fixes best first, but so that what is like better ones comes later: of variants that the
/// tests cannot tell apart a reader wants one, and the other places. Last resorts are last; before
/// them those that cure more tests come first.
pub fn spread(mut fixes: Vec<Fix>) -> Vec<Fix> {
    fixes.sort_by(|a, b| {
        let by_targets = b.targets.len().cmp(&a.targets.len());
        by_targets.then_with(|| by_parts(a, b))
    });
    let mut at_sites: BTreeMap<Vec<SiteIndex>, u32> = BTreeMap::new();
    let mut said: BTreeMap<Vec<(usize, String)>, u32> = BTreeMap::new();
    let mut spread: Vec<(u32, Fix)> = Vec::new();
    for fix in fixes {
        let before = at_sites.entry(fix.sites()).or_default();
        let says = |part: &SiteCandidate| (part.function, part.text.clone());
        let same = said
            .entry(fix.parts.iter().map(says).collect())
            .or_default();
        let crowd = CROWDED * *before + REPEATED * *same;
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
            .then_with(|| by_parts(a, b))
    });
    spread.into_iter().map(|(_, fix)| fix).collect()
}

fn by_parts(a: &Fix, b: &Fix) -> std::cmp::Ordering {
    let of_parts = || {
        let mut parts = a.parts.iter().zip(&b.parts);
        parts.find_map(|(a, b)| Some(rank(a, b)).filter(|order| order.is_ne()))
    };
    a.cost
        .cmp(&b.cost)
        .then_with(|| of_parts().unwrap_or(a.parts.len().cmp(&b.parts.len())))
}

/// The sites that some fix changes alone.
pub fn single_sites(fixes: &[Fix]) -> BTreeSet<SiteIndex> {
    let single = fixes.iter().filter(|fix| fix.parts.len() == 1);
    single.flat_map(Fix::sites).collect()
}

/// Failing tests with one cause, as far as can be told: what cures them.
#[derive(Debug)]
pub struct Group {
    pub tests: Vec<TestIndex>,
    /// Indices of the fixes, in their order.
    pub fixes: Vec<usize>,
}

/// Groups the tests by the fixes, best first: the tests that the first fix cures, then those that
/// the first fix cures that cures any other, and so on. A fix belongs to the first group of which
/// it cures a test. So several faults do not hide behind variants of one patch.
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
