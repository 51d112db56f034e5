//! The form of conditions, for the features of edits.

use nopol_expr::{ArithOp, CmpOp};
use nopol_source::condition::{Node, Shape};
use nopol_source::idle::has_idle_part;

use super::Feature;
use crate::rank::change::is_literal;

/// The comparisons of a condition: operator, left and right side.
pub fn comparisons(node: &Node) -> Vec<(CmpOp, &Node, &Node)> {
    let all = node.compared().into_iter();
    all.map(|(_, op, a, b)| (op, a, b)).collect()
}

/// Number of comparisons that compare the truth value of a comparison or a connective.
pub fn truths_compared(node: &Node) -> usize {
    let is_truth = |side: &Node| {
        matches!(
            side.shape,
            Shape::And(..) | Shape::Or(..) | Shape::Cmp(..) | Shape::Not(..)
        )
    };
    let all = comparisons(node).into_iter();
    all.filter(|(_, a, b)| is_truth(a) || is_truth(b)).count()
}

/// How negative a clause is: 1 if it compares by `!=`, a half if it is negated. `n != 0` says that there is something.
pub fn negativity(clause: &Node) -> f64 {
    match &clause.shape {
        Shape::Cmp(CmpOp::Ne, a, b) if [a, b].iter().any(|side| side.text == "0") => 0.0,
        Shape::Cmp(CmpOp::Ne, ..) => 1.0,
        Shape::Not(_) => 0.5,
        _ => 0.0,
    }
}

pub fn of_operator(from: CmpOp, to: CmpOp) -> Feature {
    use CmpOp::{Ge, Gt, Le, Lt};
    match (from, to) {
        (Lt, Le) | (Gt, Ge) => Feature::ToInclusive,
        (Le, Lt) | (Ge, Gt) => Feature::ToStrict,
        _ if to == from.negated() => Feature::OperatorNegated,
        _ if from.orders() && to.orders() => Feature::OperatorMirrored,
        _ if from.orders() => Feature::OrderToEquality,
        _ => Feature::EqualityToOrder,
    }
}

/// Whether a node is a literal, or `Some` or `Ok` of a literal.
pub fn is_constant(node: &Node) -> bool {
    let text = node
        .text
        .strip_prefix("Some(")
        .or(node.text.strip_prefix("Ok("));
    let inner = text.and_then(|text| text.strip_suffix(')'));
    let inner = inner.map(|text| text.trim_start_matches('&'));
    is_literal(node)
        || inner.is_some_and(|text| {
            let starts = text.starts_with(|c: char| c.is_ascii_digit() || "'\"".contains(c));
            starts || text.starts_with("b'") || text.starts_with('-')
        })
}

/// The leaves of a condition, left to right.
pub fn leaf_nodes<'t>(node: &'t Node, found: &mut Vec<&'t Node>) {
    match &node.shape {
        Shape::Leaf(_) => found.push(node),
        Shape::Not(a) => leaf_nodes(a, found),
        Shape::And(a, b) | Shape::Or(a, b) | Shape::Cmp(_, a, b) | Shape::Arith(_, a, b) => {
            leaf_nodes(a, found);
            leaf_nodes(b, found);
        }
    }
}

/// Whether a remainder is compared by order, although people usually test whether it is 0.
pub fn orders_remainder(node: &Node) -> bool {
    let is_remainder = |node: &Node| matches!(node.shape, Shape::Arith(ArithOp::Rem, ..));
    let all = comparisons(node);
    all.iter()
        .any(|(op, a, b)| op.orders() && (is_remainder(a) || is_remainder(b)))
}

pub fn has_arithmetic(node: &Node) -> bool {
    match &node.shape {
        Shape::Leaf(_) => false,
        Shape::Arith(..) => true,
        Shape::Not(a) => has_arithmetic(a),
        Shape::And(a, b) | Shape::Or(a, b) | Shape::Cmp(_, a, b) => {
            has_arithmetic(a) || has_arithmetic(b)
        }
    }
}

/// Whether a condition is a literal, or a part of it never decides the outcome.
pub fn is_idle(node: &Node) -> bool {
    match &node.shape {
        Shape::Leaf(leaf) => matches!(&*leaf.text, "true" | "false" | "1" | "0"),
        Shape::Not(a) => is_idle(a),
        _ => has_idle_part(node),
    }
}

/// Whether two clauses bound one operand from the same side, so that one of them is redundant.
pub fn bounds_twice(node: &Node) -> bool {
    let bounds: Vec<(bool, &str)> = comparisons(node)
        .into_iter()
        .filter(|(op, _, b)| op.orders() && is_literal(b))
        .map(|(op, a, _)| (matches!(op, CmpOp::Lt | CmpOp::Le), &*a.text))
        .collect();
    let is_again = |(at, bound): (usize, &(bool, &str))| bounds[..at].contains(bound);
    bounds.iter().enumerate().any(is_again)
}

/// Whether a clause that `&&` adds is a query, such as `d.is_one()`, of the receiver of another query in the condition.
/// Both together rarely hold. If `||` adds it, both queries are negated.
pub fn asks_again(old: &Node, clause: &Node, is_and: bool) -> bool {
    let Some(receiver) = asked(clause, is_and) else {
        return false;
    };
    let mut before = old.clauses(is_and).into_iter();
    before.any(|other| asked(other, is_and) == Some(receiver))
}

/// The receiver of a clause that is a query without arguments, or a negated one if it is not `positive`.
fn asked(clause: &Node, positive: bool) -> Option<&str> {
    let query = match (&clause.shape, positive) {
        (Shape::Not(inner), false) => inner,
        (_, true) => clause,
        _ => return None,
    };
    let Shape::Leaf(leaf) = &query.shape else {
        return None;
    };
    let (receiver, _) = leaf.text.strip_suffix("()")?.rsplit_once('.')?;
    Some(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_and_redundant_conditions_are_idle() {
        let idle = |text: &str| is_idle(&nopol_source::Language::Rust.parse(text).unwrap());
        assert!(idle("n == 1 && n == 2") && idle("n != 1 || n != 2"));
        assert!(idle("a && b && !a") && idle("x < x") && idle("true && a"));
        assert!(!idle("n == 1 || n == 2") && !idle("a && b"));
    }

    #[test]
    fn a_second_query_of_one_receiver_is_found() {
        let parse = |text: &str| nopol_source::Language::Rust.parse(text).unwrap();
        let asks = |old: &str, new: &str, is_and| asks_again(&parse(old), &parse(new), is_and);
        assert!(asks("d.is_zero()", "d.is_one()", true));
        assert!(asks("n > 1 && d.is_zero()", "d.is_one()", true));
        assert!(asks("!d.is_zero()", "!d.is_one()", false));
        assert!(!asks("d.is_zero()", "!d.is_one()", true));
        assert!(!asks("d.is_zero()", "d.is_one()", false));
        assert!(!asks("d.is_zero()", "e.is_one()", true));
    }

    #[test]
    fn a_second_bound_on_one_side_is_found() {
        let twice = |text: &str| bounds_twice(&nopol_source::Language::Rust.parse(text).unwrap());
        assert!(twice("n > 1 && n > 2") && twice("n < 9 || n <= 4"));
        assert!(!twice("n > 1 && n < 4") && !twice("n > 1 && m > 2") && !twice("n > m && n > 2"));
    }
}
