//! Describes how a condition came about. The words fit the condition as written: an assertion has the negation of the
//! synthesized condition, and guards are moved before the clauses that they protect.

use nopol_expr::Expr;
use nopol_source::condition::{Node, Shape};
use nopol_source::one_step::Step;
use nopol_synth::EditKind;

use crate::contexts;
use crate::repair::described::GUARDED;

/// What was changed. `made` is the condition synthesized from `old`, `ordered` is `made` with guards moved before the
/// clauses that they protect, and `written` is `ordered` or its negation.
pub(super) fn words(
    kind: &EditKind,
    old: Option<&Expr>,
    made: &Expr,
    ordered: &Expr,
    written: &Expr,
) -> String {
    if takes_an_operand(kind) && !keeps(old, made) {
        return new(made).to_string();
    }
    match (kind, written) {
        (
            EditKind::NewConjunction(_)
            | EditKind::NewDisjunction(_)
            | EditKind::NewGroup
            | EditKind::NewGuard,
            Expr::Not(_),
        ) => format!("{}, negated{}", change(kind, old, made), guarded(kind)),
        _ if !kind.is_new() && moves(old, made, ordered) => {
            format!("{}, and clauses reordered", change(kind, old, made))
        }
        _ => format!("{}{}", change(kind, old, made), guarded(kind)),
    }
}

/// What an edit changes, with numbers that its kind does not have.
fn change(kind: &EditKind, old: Option<&Expr>, made: &Expr) -> String {
    let number = |of: fn(&Expr) -> usize| [old.map_or(0, of), of(made)];
    match kind {
        EditKind::ClauseDropped => removed(number(clauses)),
        EditKind::GuardTurned => turned(number(conjunctions)),
        EditKind::ClausesAdded => "2 clauses added to the old condition".to_owned(),
        EditKind::AndClauseAdded(edit) => {
            // It makes up for one that is removed.
            let first = match (&**edit, number(clauses)) {
                (EditKind::ClauseDropped, [before, after]) => removed([before + 1, after]),
                _ => change(edit, old, made),
            };
            format!("{first}, and a clause added")
        }
        EditKind::NewGuard => new(made).to_string(),
        EditKind::NewGroup => "new condition with 3 clauses joined by `&&` and `||`".to_owned(),
        _ => kind.to_string(),
    }
}

/// What a step changes in the text of a condition.
pub(super) fn of_step(step: Step, old: &Node, new: Option<&Node>) -> String {
    let number = |of: fn(&Node) -> usize| [of(old), new.map_or(0, of)];
    match (step, new) {
        (Step::ClauseDropped, Some(_)) => removed(number(clauses_of)),
        (Step::GuardTurned, Some(_)) => turned(number(conjunctions_of)),
        _ => step.to_string(),
    }
}

/// That clauses are removed, given their numbers before and after.
fn removed([before, after]: [usize; 2]) -> String {
    match before.saturating_sub(after) {
        0 | 1 => "clause removed".to_owned(),
        removed => format!("{removed} clauses removed"),
    }
}

/// That the outcome is turned where a guard decides, given the numbers of `&&` before and after.
fn turned([before, after]: [usize; 2]) -> String {
    let [old, new] = match before < after {
        true => ["||", "&&"],
        false => ["&&", "||"],
    };
    format!("`{old}` changed to `{new}`, and its left operand negated")
}

/// The end of the words for a condition of two clauses of which the first protects the second.
fn guarded(kind: &EditKind) -> &'static str {
    match kind {
        EditKind::NewGuard => GUARDED,
        _ => "",
    }
}

fn clauses(expr: &Expr) -> usize {
    contexts::clauses(expr).len()
}

fn conjunctions(expr: &Expr) -> usize {
    match expr {
        Expr::And(a, b) => 1 + conjunctions(a) + conjunctions(b),
        Expr::Or(a, b) => conjunctions(a) + conjunctions(b),
        Expr::Not(a) => conjunctions(a),
        _ => 0,
    }
}

/// Number of clauses in a condition.
pub(super) fn clauses_of(tree: &Node) -> usize {
    match &tree.shape {
        Shape::And(a, b) | Shape::Or(a, b) => clauses_of(a) + clauses_of(b),
        Shape::Not(a) => clauses_of(a),
        _ => 1,
    }
}

fn conjunctions_of(tree: &Node) -> usize {
    match &tree.shape {
        Shape::And(a, b) => 1 + conjunctions_of(a) + conjunctions_of(b),
        Shape::Or(a, b) => conjunctions_of(a) + conjunctions_of(b),
        Shape::Not(a) => conjunctions_of(a),
        _ => 0,
    }
}

/// Whether an operand is the only part of the old condition that the edit changes or keeps.
fn takes_an_operand(kind: &EditKind) -> bool {
    match kind {
        EditKind::Operand => true,
        EditKind::AndClauseAdded(edit) => takes_an_operand(edit),
        _ => false,
    }
}

/// Whether part of the old condition is left. An old condition that is a single term could not be split, or asks only
/// one question.
fn keeps(old: Option<&Expr>, made: &Expr) -> bool {
    match (old, made) {
        // One term replaced by another is a changed operand.
        (Some(Expr::Term(_)), Expr::Term(_)) => true,
        (Some(Expr::Term(old)), _) => made.terms().contains(old),
        _ => true,
    }
}

/// The kind of a condition that keeps nothing of the old one.
fn new(made: &Expr) -> EditKind {
    match (made, contexts::clauses(made).len()) {
        (Expr::Cmp(..), _) => EditKind::NewComparison,
        (Expr::And(..), clauses) => EditKind::NewConjunction(clauses),
        (Expr::Or(..), clauses) => EditKind::NewDisjunction(clauses),
        _ => EditKind::NewBoolean,
    }
}

/// Whether clauses other than the added ones change their order.
fn moves(old: Option<&Expr>, made: &Expr, ordered: &Expr) -> bool {
    if made == ordered {
        return false;
    }
    let old = old.map_or_else(Vec::new, contexts::clauses);
    let [made, ordered] = [made, ordered].map(contexts::clauses);
    let adds = made.len() > old.len();
    let is_compared = |clause: &&Expr| !adds || old.contains(clause);
    let (before, after) = (made.iter(), ordered.iter());
    before.filter(is_compared).ne(after.filter(is_compared))
}

#[cfg(test)]
mod tests {
    use nopol_expr::TermId;

    use super::*;

    fn term(number: u32) -> Expr {
        Expr::Term(TermId::new(number))
    }

    #[test]
    fn an_asserted_negation_is_described_as_negated() {
        let both = term(0).and(term(1));
        let kind = EditKind::NewConjunction(2);
        let of = |written: &Expr| words(&kind, None, &both, &both, written);
        assert!(of(&both).ends_with("2 clauses joined by `&&`"));
        assert!(of(&both.clone().not()).ends_with("2 clauses joined by `&&`, negated"));
        let either = EditKind::NewDisjunction(3);
        let of = words(&either, None, &both, &both, &both.clone().not());
        assert!(of.ends_with("3 clauses joined by `||`, negated"), "{of}");
    }

    #[test]
    fn removed_clauses_are_counted() {
        let old = term(0).and(term(1)).and(term(2)).and(term(3));
        let of = |kind: &EditKind, made: &Expr| words(kind, Some(&old), made, made, made);
        let dropped = EditKind::ClauseDropped;
        let (one, three) = (term(0).and(term(1)).and(term(2)), term(0));
        assert_eq!(of(&dropped, &one), "clause removed");
        assert_eq!(of(&dropped, &three), "3 clauses removed");
        let also = EditKind::AndClauseAdded(Box::new(dropped));
        let replaced = term(0).and(term(4));
        assert_eq!(
            of(&also, &replaced),
            "3 clauses removed, and a clause added"
        );
        let parse = |text: &str| nopol_source::Language::Rust.parse(text).unwrap();
        let (old, new) = (parse("a && b && (c || d)"), parse("a"));
        let of = |step| of_step(step, &old, Some(&new));
        assert_eq!(of(Step::ClauseDropped), "3 clauses removed");
        assert_eq!(of(Step::NegationRemoved), "negation removed");
    }

    #[test]
    fn a_turned_guard_is_described_as_it_was_and_is() {
        let kind = EditKind::GuardTurned;
        let (either, both) = (term(0).or(term(1)), term(0).not().and(term(1)));
        let of = |old: &Expr, made: &Expr| words(&kind, Some(old), made, made, made);
        assert_eq!(
            of(&either, &both),
            "`||` changed to `&&`, and its left operand negated"
        );
        assert_eq!(
            of(&both, &either),
            "`&&` changed to `||`, and its left operand negated"
        );
        let parse = |text: &str| nopol_source::Language::Rust.parse(text).unwrap();
        assert_eq!(
            of_step(Step::GuardTurned, &parse("a || b"), Some(&parse("!a && b"))),
            "`||` changed to `&&`, and its left operand negated"
        );
    }

    /// What only recorded contexts show is claimed only for the tests.
    #[test]
    fn a_guard_protects_the_second_clause_in_the_tests() {
        let both = term(0).and(term(1));
        let of = |written: &Expr| words(&EditKind::NewGuard, None, &both, &both, written);
        let said = of(&both);
        assert_eq!(
            said,
            "new condition with 2 clauses joined by `&&`; in the tests, the second clause is evaluated only where it can be computed"
        );
        let negated = of(&both.clone().not());
        assert!(negated.contains("joined by `&&`, negated; in the tests"));
        assert!(said.ends_with(GUARDED));
    }

    #[test]
    fn a_condition_without_its_old_single_term_is_new() {
        let kind = EditKind::AndClauseAdded(Box::new(EditKind::Operand));
        let made = term(1).or(term(2));
        let of = |old: &Expr| words(&kind, Some(old), &made, &made, &made);
        assert_eq!(of(&term(0)), "new condition with 2 clauses joined by `||`");
        assert_eq!(of(&term(1)), "operand changed, and a clause added");
        assert_eq!(
            of(&term(0).and(term(3))),
            "operand changed, and a clause added"
        );
        let operand = words(
            &EditKind::Operand,
            Some(&term(0)),
            &term(1),
            &term(1),
            &term(1),
        );
        assert_eq!(operand, "operand changed");
    }

    #[test]
    fn a_moved_clause_is_mentioned_and_an_added_one_is_not() {
        let old = term(0).and(term(1));
        let of = |kind: &EditKind, made: &Expr, ordered: &Expr| {
            words(kind, Some(&old), made, ordered, ordered)
        };
        let (made, ordered) = (term(2).and(term(1)), term(1).and(term(2)));
        let operand = EditKind::Operand;
        assert_eq!(of(&operand, &made, &made), "operand changed");
        let moved = of(&operand, &made, &ordered);
        assert_eq!(moved, "operand changed, and clauses reordered");
        let (made, ordered) = (old.clone().and(term(2)), term(2).and(old.clone()));
        let added = EditKind::ClauseAdded;
        assert_eq!(of(&added, &made, &ordered), added.to_string());
        let turned = term(2).and(term(1).and(term(0)));
        assert!(of(&added, &made, &turned).ends_with("reordered"));
    }
}
