//! Edits of an expression that overflows: it is computed by a method of the standard library that defines the result
//! (Rust), or in a wider or an unsigned type (C).

use nopol_expr::{ArithOp, Binding};

use super::{OneStep, Step, binding, is_literal};
use crate::Language;
use crate::condition::{Node, Shape};

/// Prefixes of methods that define the result of an overflow, likelier first: the nearest number, or the lowest bits.
const METHODS: [&str; 2] = ["saturating", "wrapping"];

/// Types that hold more than an `int`, likelier first.
const WIDER: [&str; 2] = ["long long", "unsigned"];

/// The edits of an expression or condition with this text, some part of which does not fit its type. Products that a
/// condition compares are left to other edits: `n == 0 || m == 0` is clearer than `n.saturating_mul(m) == 0`.
pub fn overflow_edits(tree: &Node, text: &str, language: Language) -> Vec<OneStep> {
    let mut nodes = vec![tree];
    let mut found: Vec<OneStep> = Vec::new();
    let is_condition = !matches!(tree.shape, Shape::Arith(..));
    while let Some(node) = nodes.pop() {
        let (of_node, parts) = match &node.shape {
            Shape::Leaf(_) => continue,
            Shape::Not(inner) => {
                nodes.push(inner);
                continue;
            }
            Shape::And(a, b) | Shape::Or(a, b) => (Vec::new(), [b, a]),
            Shape::Cmp(_, a, b) => {
                let is_whole = node.span == tree.span;
                (guarded(node, text, language, is_whole), [b, a])
            }
            Shape::Arith(op, a, b) => match language {
                Language::Rust if *op == ArithOp::Mul && is_condition => (Vec::new(), [b, a]),
                Language::Rust => (by_method(node, text), [b, a]),
                Language::C => (widened(*op, a, b, text), [b, a]),
            },
        };
        nodes.extend(parts.map(|part| &**part));
        for (replaced, new) in of_node {
            let (before, after) = (&text[..replaced.span.start], &text[replaced.span.end..]);
            let text = format!("{before}{new}{after}");
            if found.iter().all(|known| known.text != text) {
                let step = Step::OverflowAvoided;
                found.push(OneStep { step, text });
            }
        }
    }
    found
}

/// As [`overflow_edits`], for an assignment that computes: `a -= b` becomes `a = a.saturating_sub(b)`.
pub fn overflow_edits_of_assignment(text: &str, language: Language) -> Vec<OneStep> {
    let operators = [ArithOp::Add, ArithOp::Sub, ArithOp::Mul];
    let found = operators.into_iter().find_map(|op| {
        let (place, operand) = text.split_once(&format!("{}=", op.token()))?;
        Some((place.trim(), name(op)?, operand.trim()))
    });
    let Some((place, name, operand)) = found.filter(|_| language == Language::Rust) else {
        return Vec::new();
    };
    let receiver = match place.starts_with('*') {
        true => format!("({place})"),
        false => place.to_owned(),
    };
    let edit = |how| OneStep {
        step: Step::OverflowAvoided,
        text: format!("{place} = {receiver}.{how}_{name}({operand})"),
    };
    METHODS.map(edit).into()
}

/// The operator's part of the method names. `None` if its result nearly always fits.
const fn name(op: ArithOp) -> Option<&'static str> {
    match op {
        ArithOp::Add => Some("add"),
        ArithOp::Sub => Some("sub"),
        ArithOp::Mul => Some("mul"),
        ArithOp::Div | ArithOp::Rem => None,
    }
}

/// The operator of a node as a method call, alone and together with the operators of its left side:
/// `a.saturating_sub(b).saturating_sub(1)`.
fn by_method<'n>(node: &'n Node, text: &str) -> Vec<(&'n Node, String)> {
    let both = |how| [false, true].map(|is_whole| with_methods(node, text, how, is_whole));
    let all = METHODS.into_iter().flat_map(both).flatten();
    all.map(|new| (node, new)).collect()
}

/// `None` if the operator cannot overflow, or its left side is a literal, for which a method call would leave the type
/// open.
fn with_methods(node: &Node, text: &str, how: &str, is_whole: bool) -> Option<String> {
    let Shape::Arith(op, a, b) = &node.shape else {
        return None;
    };
    let name = name(*op).filter(|_| !is_literal(a))?;
    let own = &text[a.span.clone()];
    let within = is_whole.then(|| with_methods(a, text, how, true)).flatten();
    let receiver = match within {
        Some(text) => text,
        None if binding(a) < Binding::Atom => format!("({own})"),
        None => own.to_owned(),
    };
    Some(format!(
        "{receiver}.{how}_{name}({})",
        &text[b.span.clone()]
    ))
}

/// A comparison that is evaluated only if its differences are not negative: `a >= b && a - b > c`, or
/// `a < b || a - b > c`.
fn guarded<'n>(
    node: &'n Node,
    text: &str,
    language: Language,
    is_whole: bool,
) -> Vec<(&'n Node, String)> {
    let Shape::Cmp(_, left, right) = &node.shape else {
        return Vec::new();
    };
    let compared = &text[node.span.clone()];
    let guard = |side: &Node| {
        let Shape::Arith(ArithOp::Sub, a, b) = &side.shape else {
            return Vec::new();
        };
        let (a, b) = (&text[a.span.clone()], &text[b.span.clone()]);
        let or = format!("{a} < {b} || {compared}");
        let or = if is_whole { or } else { format!("({or})") };
        vec![format!("{a} >= {b} && {compared}"), or]
    };
    let guards = [left, right].into_iter().flat_map(|side| guard(side));
    let guards = guards.filter(|_| language == Language::Rust);
    guards.map(|new| (node, new)).collect()
}

/// Casts the first operand of a chain to a wider type, in which the others are then computed.
fn widened<'n>(op: ArithOp, a: &'n Node, b: &'n Node, text: &str) -> Vec<(&'n Node, String)> {
    let is_chain = matches!(a.shape, Shape::Arith(..));
    let first = [a, b].into_iter().find(|operand| !is_literal(operand));
    let Some(first) = first.filter(|_| name(op).is_some() && !is_chain) else {
        return Vec::new();
    };
    let own = &text[first.span.clone()];
    let cast = |ty| match binding(first) < Binding::Cast {
        true => format!("({ty})({own})"),
        false => format!("({ty}){own}"),
    };
    WIDER.map(|ty| (first, cast(ty))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, language: Language) -> Vec<String> {
        let tree = language.parse(text).unwrap();
        let edits = overflow_edits(&tree, text, language);
        edits.into_iter().map(|edit| edit.text).collect()
    }

    #[test]
    fn operators_become_methods_that_define_overflow() {
        assert_eq!(
            texts("a.len() - b", Language::Rust),
            ["a.len().saturating_sub(b)", "a.len().wrapping_sub(b)"]
        );
        assert_eq!(
            texts("*n - 1 - k", Language::Rust),
            [
                "(*n - 1).saturating_sub(k)",
                "(*n).saturating_sub(1).saturating_sub(k)",
                "(*n - 1).wrapping_sub(k)",
                "(*n).wrapping_sub(1).wrapping_sub(k)",
                "(*n).saturating_sub(1) - k",
                "(*n).wrapping_sub(1) - k",
            ]
        );
        assert_eq!(
            texts("x && n > m - 1", Language::Rust),
            [
                "x && m >= 1 && n > m - 1",
                "x && (m < 1 || n > m - 1)",
                "x && n > m.saturating_sub(1)",
                "x && n > m.wrapping_sub(1)"
            ]
        );
        assert!(texts("1 + n / 2", Language::Rust).is_empty());
        assert!(texts("n * m == 0", Language::Rust).is_empty());
        assert_eq!(texts("n * m", Language::Rust).len(), 2);
    }

    #[test]
    fn operands_are_computed_in_a_wider_type() {
        assert_eq!(
            texts("a * b - c", Language::C),
            ["(long long)a * b - c", "(unsigned)a * b - c"]
        );
        assert_eq!(
            texts("2 * v[i]", Language::C),
            ["2 * (long long)v[i]", "2 * (unsigned)v[i]"]
        );
    }

    #[test]
    fn an_assignment_names_its_place_twice() {
        let texts = |text| {
            let edits = overflow_edits_of_assignment(text, Language::Rust);
            edits.into_iter().map(|it| it.text).collect::<Vec<_>>()
        };
        assert_eq!(
            texts("*left -= used"),
            [
                "*left = (*left).saturating_sub(used)",
                "*left = (*left).wrapping_sub(used)"
            ]
        );
        assert!(texts("n /= 2").is_empty());
    }
}
