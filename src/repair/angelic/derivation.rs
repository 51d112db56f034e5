//! Describes how a condition came about. The words fit the condition as written: an assertion has the negation of the
//! synthesized condition, and guards are moved before the clauses that they protect.

use nopol_expr::Expr;
use nopol_synth::EditKind;

use crate::contexts;

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
        ) => format!("{kind}, negated"),
        _ if !kind.is_new() && moves(old, made, ordered) => {
            format!("{kind}, and clauses reordered")
        }
        _ => kind.to_string(),
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
    fn a_condition_without_its_old_single_term_is_new() {
        let kind = EditKind::AndClauseAdded(Box::new(EditKind::Operand));
        let made = term(1).or(term(2));
        let of = |old: &Expr| words(&kind, Some(old), &made, &made, &made);
        assert_eq!(of(&term(0)), "new condition: 2 clauses joined by `||`");
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
