//! A canonical spelling of conditions that are equivalent whatever their operands are.

use nopol_expr::CmpOp;
use nopol_source::condition::{Node, Shape};
use nopol_source::one_step::opposite_call;
use nopol_source::{Condition, Language};

use super::change::number;

/// The canonical spelling: equal for conditions that are recognized as equivalent.
pub fn canonical(language: Language, condition: &Condition) -> String {
    match condition.tree(language) {
        Some(tree) => {
            // In C, a number without a point may be compared with a fraction.
            let is_whole = language == Language::Rust;
            spelled(tree, true, is_whole)
        }
        None => squeezed(condition),
    }
}

/// The spelling of a node if `holds`, or of its negation.
fn spelled(node: &Node, holds: bool, is_whole: bool) -> String {
    match &node.shape {
        Shape::Not(inner) => spelled(inner, !holds, is_whole),
        Shape::And(..) | Shape::Or(..) => {
            let is_and = matches!(node.shape, Shape::And(..));
            let mut all: Vec<String> = node
                .clauses(is_and)
                .into_iter()
                .map(|clause| spelled(clause, holds, is_whole))
                .collect();
            all.sort();
            all.dedup();
            let by = if is_and == holds { "&&" } else { "||" };
            format!("({})", all.join(by))
        }
        Shape::Cmp(op, a, b) => {
            let op = if holds { *op } else { op.negated() };
            compared(op, &squeezed(&a.text), &squeezed(&b.text), is_whole)
        }
        Shape::Leaf(_) | Shape::Arith(..) => {
            let text = squeezed(&node.text);
            match text.strip_suffix(".is_empty()") {
                Some(of) => {
                    let op = if holds { CmpOp::Eq } else { CmpOp::Ne };
                    compared(op, &format!("{of}.len()"), "0", is_whole)
                }
                None => match opposite_call(&text) {
                    Some(positive) if text.ends_with("is_none()") || text.ends_with("is_err()") => {
                        negated(&positive, holds)
                    }
                    _ => negated(&text, !holds),
                },
            }
        }
    }
}

fn negated(text: &str, is_negated: bool) -> String {
    let not = if is_negated { "!" } else { "" };
    format!("{not}{text}")
}

/// A comparison with its literal on the right, or with its operands sorted, and with as few operators as possible.
fn compared(op: CmpOp, a: &str, b: &str, is_whole: bool) -> String {
    if number(a).is_some() && number(b).is_none() || number(b).is_none() && b < a {
        return compared(op.mirrored(), b, a, is_whole);
    }
    if let Some(value) = number(b) {
        let is_length = a.ends_with("len()") || a.ends_with("count()");
        return match op {
            CmpOp::Gt if is_length && value == 0 => format!("{a}!=0"),
            CmpOp::Ge if is_length && value == 1 => format!("{a}!=0"),
            CmpOp::Lt if is_length && value == 1 => format!("{a}==0"),
            CmpOp::Le if is_length && value == 0 => format!("{a}==0"),
            CmpOp::Gt if is_whole => format!("{a}>={}", value + 1),
            CmpOp::Le if is_whole => format!("{a}<{}", value + 1),
            _ => format!("{a}{}{value}", op.token()),
        };
    }
    format!("{a}{}{b}", op.token())
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_conditions_have_one_spelling() {
        let canonical = |text: &str| canonical(Language::Rust, &text.into());
        for (a, b) in [
            ("a < b", "b > a"),
            ("!(a < b)", "a >= b"),
            ("a > 1", "a >= 2"),
            ("!x.is_empty()", "x.len() > 0"),
            ("!(a && b)", "!b || !a"),
            ("a && (b && c)", "c && a && b"),
            ("!x.is_some()", "x.is_none()"),
            ("!(x.is_err() && a)", "x.is_ok() || !a"),
        ] {
            assert_eq!(canonical(a), canonical(b), "{a} and {b}");
        }
        assert_ne!(canonical("a < b"), canonical("a <= b"));
        assert_ne!(canonical("a && b"), canonical("a || b"));
        assert_ne!(canonical("x.is_some()"), canonical("x.is_ok()"));
    }
}
