//! Families: candidates that neither the tests nor the recorded contexts tell apart and that differ in one operand,
//! one operator or the place within a function. A reader wants to see the best of them, not five variants of one idea.
//! Different exits are different ideas: `continue` and `return` agree in the tests at hand only.

use std::collections::BTreeMap;

use super::fix::{Fix, SiteEdit};
use super::ranking::{diversify, in_order, score};
use super::session::Session;
use crate::rank::canonical::canonical;
use crate::rank::model;
use crate::source::condition::{Node, Shape};
use crate::source::words::plain_names;
use crate::source::{Form, SiteIndex};
use crate::weights::WEIGHTS;

/// Members that a family keeps.
const MOST_MEMBERS: usize = 20;

/// Candidates that nothing observed tells apart, best first.
#[derive(Clone, Debug)]
pub struct Family {
    /// The one that is shown.
    pub best: Fix,
    /// The others.
    pub others: Vec<Fix>,
    /// Of each member, best first, the probability that it is what a maintainer would write.
    pub confidence: Vec<f64>,
}

impl Family {
    /// All members, best first.
    pub fn members(&self) -> impl Iterator<Item = &Fix> {
        std::iter::once(&self.best).chain(&self.others)
    }
}

impl Session<'_> {
    /// Fixes as families, best first; other places come before a further family at one place. Of fixes that are proved
    /// equal one is kept, and those that only add a clause which no test asks for are dropped.
    pub fn families(&self, mut fixes: Vec<Fix>) -> Vec<Family> {
        fixes.sort_by(in_order);
        // Of each condition its tree and its canonical spelling.
        let mut read: BTreeMap<(SiteIndex, String), (Option<Node>, String)> = BTreeMap::new();
        let mut families: Vec<Family> = Vec::new();
        for fix in fixes {
            for edit in &fix.edits {
                let key = (edit.site, edit.condition.clone());
                read.entry(key).or_insert_with(|| {
                    let language = self.sources.language;
                    let tree = language.parse(&plain_names(&edit.condition));
                    (tree, canonical(language, &edit.condition))
                });
            }
            let known = |edit: &SiteEdit| &read[&(edit.site, edit.condition.clone())];
            let spelled = |edit: &SiteEdit| known(edit).1.as_str();
            let tree = |edit: &SiteEdit| known(edit).0.as_ref();
            let mut others = families.iter_mut();
            if let Some(family) = others.find(|family| is_same(&family.best, &fix, &spelled)) {
                // The model ranks meanings; how one is spelled is decided by the costs set by hand.
                if is_observed(&fix) && spelling(&fix) < spelling(&family.best) {
                    let cost = family.best.cost;
                    family.best = Fix { cost, ..fix };
                }
                continue;
            }
            let mut others = families.iter();
            if others.any(|family| adds_idle_clause(&family.best, &fix)) {
                continue;
            }
            let mut others = families.iter_mut();
            match others.find(|family| self.is_like(&family.best, &fix, &tree)) {
                Some(family) if family.others.len() + 1 < MOST_MEMBERS => family.others.push(fix),
                Some(_) => {}
                None => families.push(Family {
                    best: fix,
                    others: Vec::new(),
                    confidence: Vec::new(),
                }),
            }
        }
        self.add_confidence(&mut families);
        let best = diversify(families.iter().map(|family| family.best.clone()).collect());
        let place = |family: &Family| best.iter().position(|fix| fix.is_text_of(&family.best));
        families.sort_by_key(place);
        share_confidence(&mut families);
        pool_confidence(&mut families);
        families
    }

    /// Adds how sure the ranking is of each member, compared with all that is to cure one of the same tests.
    fn add_confidence(&self, families: &mut [Family]) {
        let learned = model::of(self.sources.language);
        let scores = |family: &Family| family.members().map(score).collect::<Vec<f64>>();
        let confidences = families.iter().map(|family| {
            let own = scores(family);
            let rivals = families.iter().filter(|other| {
                let mut targets = other.best.targets.iter();
                !std::ptr::eq(*other, family) && targets.any(|it| family.best.targets.contains(it))
            });
            let all: Vec<f64> = own.iter().copied().chain(rivals.flat_map(scores)).collect();
            let shares = model::shares(&all).into_iter().take(own.len());
            // What it is compared with may be nothing at all, which makes neither a last resort likely nor a text that one
            // test has.
            let confidence = |(fix, share): (&Fix, f64)| {
                let most = match () {
                    () if fix.is_trivial() => WEIGHTS.fix.most_of_last_resort,
                    () if fix.is_of_one_text() => WEIGHTS.fix.most_of_one_text,
                    () => 1.0,
                };
                hundredths(learned.confidence(share).min(most))
            };
            family
                .members()
                .zip(shares)
                .map(confidence)
                .collect::<Vec<f64>>()
        });
        let confidences: Vec<Vec<f64>> = confidences.collect();
        for (family, confidence) in families.iter_mut().zip(confidences) {
            family.confidence = confidence;
        }
    }

    /// Whether two fixes belong to one family.
    fn is_like<'t>(&self, a: &Fix, b: &Fix, tree: &dyn Fn(&SiteEdit) -> Option<&'t Node>) -> bool {
        if a.edits.len() != b.edits.len()
            || a.targets != b.targets
            || a.is_trivial() != b.is_trivial()
        {
            return false;
        }
        let is_equal =
            |(a, b): &(&SiteEdit, &SiteEdit)| a.site == b.site && a.condition == b.condition;
        let mut different = a.edits.iter().zip(&b.edits).filter(|pair| !is_equal(pair));
        // Of two conditions changed together, one may differ.
        let (Some((a, b)), None) = (different.next(), different.next()) else {
            return false;
        };
        let (at, other) = (self.site(a.site), self.site(b.site));
        if a.function != b.function || at.kind.form() != other.kind.form() {
            return false;
        }
        let is_condition = |near: fn(&Node, &Node) -> bool| match (tree(a), tree(b)) {
            (Some(a), Some(b)) => near(a, b),
            _ => a.condition == b.condition,
        };
        if a.site == b.site {
            return a.evidence.agrees(&*b.evidence) != Some(false) && is_condition(is_near);
        }
        // The place differs, so nothing else may but an operator.
        match at.kind.form() {
            // Two existing expressions are two ideas.
            Form::Replace | Form::Compute => false,
            // Another exit is another idea.
            Form::Leave | Form::Branch => at.body == other.body && is_condition(has_same_operands),
            Form::Wrap | Form::Narrow => is_condition(has_same_operands),
        }
    }
}

/// Of what cures a test at most one is what a maintainer would write. So each family has its confidence only in as far as none
/// before it is right, and all of them together have no more than 1.
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

/// Families are not in the order of their confidence alone: other places come before a second idea at one place, and in
/// C costs set by hand decide. So that a percentage never contradicts the order, neighbours of which the later one is
/// likelier share their mean (isotonic regression by pooling adjacent violators), which keeps the sum. What cures other
/// tests, or is a last resort, comes later for another reason, and is not compared.
fn pool_confidence(families: &mut [Family]) {
    let is_compared = |a: &Family, b: &Family| {
        a.best.targets == b.best.targets && a.best.is_trivial() == b.best.is_trivial()
    };
    for run in families.chunk_by_mut(is_compared) {
        // Sums and sizes of what is pooled so far.
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

/// The same digits on every machine.
fn hundredths(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}

/// Whether two conditions differ in one operand or in one operator.
fn is_near(a: &Node, b: &Node) -> bool {
    use Shape::{And, Cmp, Leaf, Not, Or};
    if a.text == b.text {
        return true;
    }
    match (&a.shape, &b.shape) {
        (Not(a), Not(b)) => is_near(a, b),
        (And(a, b), And(c, d)) | (Or(a, b), Or(c, d)) => {
            a.text == c.text && is_near(b, d) || b.text == d.text && is_near(a, c)
        }
        (And(a, b), Or(c, d)) | (Or(a, b), And(c, d)) => a.text == c.text && b.text == d.text,
        (Cmp(_, a, b), Cmp(_, c, d)) => {
            let shared = [(a, c), (b, d), (a, d), (b, c)];
            shared.iter().any(|(one, other)| one.text == other.text)
        }
        (Leaf(_), Leaf(_)) => true,
        _ => false,
    }
}

/// Whether two conditions differ in operators only.
fn has_same_operands(a: &Node, b: &Node) -> bool {
    use Shape::{And, Cmp, Not, Or};
    if a.text == b.text {
        return true;
    }
    match (&a.shape, &b.shape) {
        (Not(a), Not(b)) => has_same_operands(a, b),
        (And(a, b) | Or(a, b), And(c, d) | Or(c, d)) => {
            has_same_operands(a, c) && has_same_operands(b, d)
        }
        (Cmp(_, a, b), Cmp(_, c, d)) => {
            a.text == c.text && b.text == d.text || a.text == d.text && b.text == c.text
        }
        _ => false,
    }
}

/// Whether two fixes are proved to be equivalent, by what is known of what they read, or by their spellings.
fn is_same<'s>(a: &Fix, b: &Fix, spelled: &dyn Fn(&SiteEdit) -> &'s str) -> bool {
    let mut edits = a.edits.iter().zip(&b.edits);
    a.sites() == b.sites()
        && edits.all(|(a, b)| spelled(a) == spelled(b) || a.evidence.equals(&*b.evidence))
}

/// Whether contexts were recorded for all that a fix changes; then the report can explain it.
fn is_observed(fix: &Fix) -> bool {
    let mut edits = fix.edits.iter();
    edits.all(|edit| edit.evidence.support().is_some())
}

/// What the costs set by hand say of a fix. Of what is proved equal `n == 0` is preferred to `n <= 0` and `n < 1`, which
/// then can be only of a number without a sign.
fn spelling(fix: &Fix) -> u32 {
    let goes_on = |after: &str| {
        after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
    };
    let cost = |edit: &SiteEdit| {
        let mut odd = ["<= 0", "< 1"]
            .into_iter()
            .flat_map(|odd| edit.condition.split(odd).skip(1));
        let is_odd = odd.any(|after| !goes_on(after));
        edit.cost
            + if is_odd {
                WEIGHTS.edit.below_nothing
            } else {
                0
            }
    };
    fix.edits.iter().map(cost).sum()
}

/// Whether a fix only adds a clause that no test asks for to a better one.
fn adds_idle_clause(better: &Fix, fix: &Fix) -> bool {
    let mut edits = better.edits.iter().zip(&fix.edits);
    better.sites() == fix.sites()
        && edits.all(|(better, edit)| edit.evidence.adds_idle_clause_to(&*better.evidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::fix;
    use crate::source::Language;

    fn near(a: &str, b: &str) -> bool {
        let parse = |text: &str| Language::Rust.parse(text).unwrap();
        is_near(&parse(a), &parse(b))
    }

    #[test]
    fn one_operand_or_one_operator_may_differ() {
        assert!(near("a > 0 && next >= b", "a > 0 && next >= end"));
        assert!(near("a > 0 && next >= b", "a > 0 && next != b'.'"));
        assert!(near("a > 0 && b", "a > 0 || b"));
        assert!(near("!x.is_empty()", "!y.is_empty()"));
        assert!(near("a < b + 1", "a < b"));
    }

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
    fn what_cures_one_test_has_no_more_confidence_than_one_of_them_can_have() {
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
    fn another_clause_is_another_idea() {
        assert!(!near("a > 0 && next >= b", "a > 0 && other == c"));
        assert!(!near("a > 0", "!a.is_empty()"));
        assert!(!near("a > 0 && b", "a > 1 && c"));
        assert!(!near("a == b", "!(a && b)"));
    }
}
