//! Which candidates restore what was there before a fault: the same condition, whatever its spelling, at the same
//! place.

use cargo_nopol::rank::change::{clauses, number};
use cargo_nopol::rank::facts::{Candidate, Case, EditFacts};
use cargo_nopol::source::condition::{Node, Shape};
use cargo_nopol::source::{Form, Language};
use cargo_nopol::spec::CmpOp;

use super::faults::{Kind, Truth};

/// Whether a candidate restores what was there.
pub fn restores(case: &Case, candidate: &Candidate, truth: &Truth) -> bool {
    let [edit] = &*candidate.edits else {
        return false;
    };
    let function = &case.functions[edit.function];
    if function.name != truth.function || function.file != truth.file {
        return false;
    }
    let (from, to) = (edit.span.start.min(truth.at), edit.span.start.max(truth.at));
    let is_same_place = function
        .text
        .get(from..to)
        .is_some_and(|it| it.trim().is_empty());
    let is_same_condition = canonical(&edit.after) == canonical(&truth.condition);
    is_same_place && is_same_condition && is_form(edit, truth)
}

fn is_form(edit: &EditFacts, truth: &Truth) -> bool {
    match truth.kind {
        Kind::GuardDropped => {
            edit.kind.form() == Form::Leave && bare(&edit.body) == bare(&truth.body)
        }
        Kind::Unwrapped => {
            edit.kind.form() == Form::Wrap && bare(&edit.before) == bare(&truth.body)
        }
        _ => edit.kind.form() == Form::Replace,
    }
}

/// Statements without white space and without the last semicolon.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.trim_end_matches(';').to_owned()
}

/// One spelling for conditions that mean the same.
pub fn canonical(text: &str) -> String {
    match Language::Rust.parse(text) {
        Some(tree) => spelled(&tree, true),
        None => bare(text),
    }
}

/// The spelling of a node, or of its negation.
fn spelled(node: &Node, holds: bool) -> String {
    match &node.shape {
        Shape::Not(inner) => spelled(inner, !holds),
        Shape::And(..) | Shape::Or(..) => {
            let is_and = matches!(node.shape, Shape::And(..));
            let mut all: Vec<String> = clauses(node, is_and)
                .into_iter()
                .map(|clause| spelled(clause, holds))
                .collect();
            all.sort();
            all.dedup();
            let by = if is_and == holds { "&&" } else { "||" };
            format!("({})", all.join(by))
        }
        Shape::Cmp(op, a, b) => {
            let op = if holds { *op } else { op.negated() };
            compared(op, &bare(&a.text), &bare(&b.text))
        }
        Shape::Leaf(_) | Shape::Arith(..) => {
            let text = bare(&node.text);
            match text.strip_suffix(".is_empty()") {
                Some(of) => {
                    let op = if holds { CmpOp::Eq } else { CmpOp::Ne };
                    compared(op, &format!("{of}.len()"), "0")
                }
                None if holds => text,
                None => format!("!{text}"),
            }
        }
    }
}

/// A comparison with the literal on the right and only some of the operators.
fn compared(op: CmpOp, a: &str, b: &str) -> String {
    if number(a).is_some() && number(b).is_none() || number(b).is_none() && b < a {
        return compared(op.mirrored(), b, a);
    }
    if let Some(value) = number(b) {
        let is_length = a.ends_with("len()") || a.ends_with("count()");
        return match op {
            CmpOp::Gt if is_length && value == 0 => format!("{a}!=0"),
            CmpOp::Ge if is_length && value == 1 => format!("{a}!=0"),
            CmpOp::Lt if is_length && value == 1 => format!("{a}==0"),
            CmpOp::Le if is_length && value == 0 => format!("{a}==0"),
            CmpOp::Gt => format!("{a}>={}", value + 1),
            CmpOp::Le => format!("{a}<{}", value + 1),
            _ => format!("{a}{}{value}", op.token()),
        };
    }
    format!("{a}{}{b}", op.token())
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn what_means_the_same_is_spelled_the_same() {
        for (a, b) in [
            ("a < b", "b > a"),
            ("!(a < b)", "a >= b"),
            ("a > 1", "a >= 2"),
            ("!x.is_empty()", "x.len() > 0"),
            ("!(a && b)", "!b || !a"),
            ("a && (b && c)", "c && a && b"),
        ] {
            assert_eq!(canonical(a), canonical(b), "{a} and {b}");
        }
        assert_ne!(canonical("a < b"), canonical("a <= b"));
        assert_ne!(canonical("a && b"), canonical("a || b"));
    }
}
