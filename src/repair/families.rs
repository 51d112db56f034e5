//! Families: candidates that neither the tests nor the recorded contexts distinguish, and that differ only in one
//! clause, one operator or the place within a function. A reader wants to see the best of them, not five variants of
//! one idea. Different exits are different ideas: `continue` and `return` agree only in the tests at hand.

use std::collections::BTreeMap;

use nopol_source::condition::{Node, Shape};
use nopol_source::{Form, Language, SiteIndex};
use nopol_synth::weights::WEIGHTS;

use super::fix::{Fix, SiteEdit};
use super::knowledge::Knowledge;
use super::ranking::{Ranker, diversify, in_order};
use crate::rank::canonical::canonical;

/// Most members of a family.
const MOST_MEMBERS: usize = 20;

/// Candidates that no observation distinguishes, best first.
#[derive(Clone, Debug)]
pub struct Family {
    /// The member that is shown.
    pub best: Fix,
    /// The others.
    pub others: Vec<Fix>,
    /// The probability of each member, best first, that a maintainer would write it, 0 to 1. Empty before
    /// [`Ranker::rate`].
    pub confidence: Vec<f64>,
}

impl Family {
    /// All members, best first.
    pub fn members(&self) -> impl Iterator<Item = &Fix> {
        std::iter::once(&self.best).chain(&self.others)
    }
}

impl Ranker<'_, '_> {
    /// Groups fixes into families, best first; a second family at one place comes after other places. Of fixes that are
    /// proved equal, or of which one covers the other, it keeps one. Drops fixes that only add a clause which no test
    /// asks for.
    pub fn families(&self, knowledge: &Knowledge, mut fixes: Vec<Fix>) -> Vec<Family> {
        fixes.sort_by(in_order);
        // The canonical spelling of each condition.
        let mut read: BTreeMap<(SiteIndex, String), String> = BTreeMap::new();
        let mut families: Vec<Family> = Vec::new();
        for fix in fixes {
            for edit in &fix.edits {
                let key = (edit.site, edit.condition.to_string());
                read.entry(key)
                    .or_insert_with(|| canonical(self.session.sources.language, &edit.condition));
            }
            let spelled = |edit: &SiteEdit| read[&(edit.site, edit.condition.to_string())].as_str();
            let mut others = families.iter_mut();
            if let Some(family) = others.find(|family| is_same(&family.best, &fix, &spelled)) {
                // The model ranks meanings; the hand-set costs choose the spelling.
                if is_observed(&fix) && spelling(&fix) < spelling(&family.best) {
                    let cost = family.best.cost;
                    family.best = Fix { cost, ..fix };
                }
                continue;
            }
            // A fix that cannot be computed for some values but otherwise has the same outcomes is the same idea,
            // written worse.
            let mut others = families.iter_mut();
            if others.any(|family| covers(&family.best, &fix)) {
                continue;
            }
            if let Some(family) = families.iter_mut().find(|it| covers(&fix, &it.best)) {
                let cost = family.best.cost;
                family.best = Fix { cost, ..fix };
                continue;
            }
            let mut others = families.iter();
            let language = self.session.sources.language;
            let is_idle = |family: &Family| {
                adds_idle_clause(&family.best, &fix)
                    && !self.keeps_old_clause(&family.best, &fix, language)
            };
            if others.any(is_idle) {
                continue;
            }
            // Of two fixes that no observation distinguishes, the one that can be computed for more values represents
            // both.
            let mut others = families.iter_mut();
            let is_partial = fails(&fix);
            let twin = others
                .find(|family| agrees(&family.best, &fix) && fails(&family.best) != is_partial);
            if let Some(family) = twin.filter(|family| family.others.len() + 1 < MOST_MEMBERS) {
                let cost = family.best.cost;
                let other = match is_partial {
                    true => fix,
                    false => std::mem::replace(&mut family.best, Fix { cost, ..fix }),
                };
                family.others.push(other);
                continue;
            }
            let mut others = families.iter_mut();
            match others.find(|family| self.is_like(&family.best, &fix)) {
                Some(family) if family.others.len() + 1 < MOST_MEMBERS => family.others.push(fix),
                Some(_) => {}
                None => families.push(Family {
                    best: fix,
                    others: Vec::new(),
                    confidence: Vec::new(),
                }),
            }
        }
        for family in &mut families {
            self.put_simplest_first(knowledge, family);
        }
        let best = diversify(families.iter().map(|family| family.best.clone()).collect());
        let place = |family: &Family| best.iter().position(|fix| fix.is_text_of(&family.best));
        families.sort_by_key(place);
        families
    }

    /// Whether a fix keeps a clause of an old condition that another fix at the same places drops.
    fn keeps_old_clause(&self, dropping: &Fix, fix: &Fix, language: Language) -> bool {
        let mut edits = dropping.edits.iter().zip(&fix.edits);
        edits.any(|(dropping, edit)| {
            let has = |edit: &SiteEdit, clause: &Node| {
                let all = edit.condition.tree(language).map(Node::all_clauses);
                all.is_some_and(|all| all.iter().any(|other| other.text == clause.text))
            };
            let old = language.parse(&self.session.site(edit.site).text);
            let mut old = old.iter().flat_map(Node::all_clauses);
            old.any(|clause| has(edit, clause) && !has(dropping, clause))
        })
    }

    /// Whether two fixes belong to one family.
    fn is_like(&self, a: &Fix, b: &Fix) -> bool {
        if a.edits.len() != b.edits.len()
            || a.targets != b.targets
            || a.is_trivial() != b.is_trivial()
        {
            return false;
        }
        let is_equal =
            |(a, b): &(&SiteEdit, &SiteEdit)| a.site == b.site && a.condition == b.condition;
        let mut different = a.edits.iter().zip(&b.edits).filter(|pair| !is_equal(pair));
        // Of two conditions changed together, only one may differ.
        let (Some((a, b)), None) = (different.next(), different.next()) else {
            return false;
        };
        let (at, other) = (self.session.site(a.site), self.session.site(b.site));
        if a.function != b.function || at.kind.form() != other.kind.form() {
            return false;
        }
        let [one, another] = [a, b].map(|edit| edit.condition.tree(self.session.sources.language));
        let is_condition = |near: fn(&Node, &Node) -> bool| match (one, another) {
            (Some(one), Some(another)) => near(one, another),
            _ => a.condition == b.condition,
        };
        if a.site == b.site {
            return a.evidence.agrees(&*b.evidence) != Some(false) && is_condition(is_near);
        }
        // At different places, only an operator may differ.
        match at.kind.form() {
            // Two existing expressions are two ideas.
            Form::Replace | Form::Compute => false,
            // A different exit is a different idea.
            Form::Leave | Form::Branch => at.body == other.body && is_condition(has_same_operands),
            Form::Wrap | Form::Narrow => is_condition(has_same_operands),
        }
    }
}

/// Whether two conditions differ in one clause, with an operand in common, or in one `&&` or `||`.
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

/// Whether two fixes are proved equivalent, by their evidence or by their canonical spelling.
fn is_same<'s>(a: &Fix, b: &Fix, spelled: &dyn Fn(&SiteEdit) -> &'s str) -> bool {
    let mut edits = a.edits.iter().zip(&b.edits);
    a.sites() == b.sites()
        && edits.all(|(a, b)| spelled(a) == spelled(b) || a.evidence.equals(&*b.evidence))
}

/// Whether a fix is proved to have the outcome of another wherever the other can be computed.
fn covers(fix: &Fix, other: &Fix) -> bool {
    let mut edits = fix.edits.iter().zip(&other.edits);
    agrees(fix, other) && edits.all(|(a, b)| a.evidence.covers(&*b.evidence))
}

/// Whether the new condition cannot be computed for some values for which the old one can.
fn fails(fix: &Fix) -> bool {
    fix.edits.iter().any(|edit| edit.evidence.is_partial())
}

/// Whether two fixes change the same conditions, cure the same tests and have the same outcomes in every recorded context.
fn agrees(a: &Fix, b: &Fix) -> bool {
    let mut edits = a.edits.iter().zip(&b.edits);
    a.sites() == b.sites()
        && a.targets == b.targets
        && a.is_trivial() == b.is_trivial()
        && edits.all(|(a, b)| a.evidence.agrees(&*b.evidence) == Some(true))
}

/// Whether contexts were recorded for every edit of a fix. Then the report can explain it.
fn is_observed(fix: &Fix) -> bool {
    let mut edits = fix.edits.iter();
    edits.all(|edit| edit.evidence.support().is_some())
}

/// The hand-set cost of a spelling. Of equal conditions it prefers `n == 0` to `n <= 0` and `n < 1`, which are equal to
/// it only for unsigned numbers.
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

/// Whether a fix adds a clause to a better one, and no observation asks for that clause.
fn adds_idle_clause(better: &Fix, fix: &Fix) -> bool {
    let mut edits = better.edits.iter().zip(&fix.edits);
    better.sites() == fix.sites()
        && edits.all(|(better, edit)| edit.evidence.adds_idle_clause_to(&*better.evidence))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn another_clause_is_another_idea() {
        assert!(!near("a > 0 && next >= b", "a > 0 && other == c"));
        assert!(!near("a > 0", "!a.is_empty()"));
        assert!(!near("a > 0 && b", "a > 1 && c"));
        assert!(!near("a == b", "!(a && b)"));
    }
}
