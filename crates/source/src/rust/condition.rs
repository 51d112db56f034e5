//! Parses Rust conditions into trees, and derives purity and binding strength from their syntax.

use nopol_scalar::{ArithOp, BinaryOp, Binding, CmpOp, Grammar, LogicalOp};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr as Syn, UnOp};

use super::access::access;
use crate::condition::{Leaf, LeafKind, Node, Shape, one_line};

/// Parses a condition; `None` if the text is not a complete expression.
pub fn parse(text: &str) -> Option<Node> {
    let expr = syn::parse_str::<Syn>(text).ok()?;
    Some(node(&expr, text))
}

/// Whether the syntax of a condition guarantees that evaluating it has no side effects: it has only operators,
/// variables, fields, literals, and methods of std that change nothing.
pub fn is_surely_pure(text: &str) -> bool {
    syn::parse_str::<Syn>(text).is_ok_and(|expr| pure(&expr))
}

fn pure(expr: &Syn) -> bool {
    const QUERIES: [&str; 21] = [
        "len",
        "is_empty",
        "is_some",
        "is_none",
        "is_ok",
        "is_err",
        "abs",
        "unwrap",
        "as_str",
        "as_ref",
        "contains",
        "starts_with",
        "ends_with",
        "is_ascii_digit",
        "is_alphabetic",
        "is_numeric",
        "is_whitespace",
        "is_nan",
        "contains_key",
        "clone",
        "min",
    ];
    match expr {
        Syn::Path(_) | Syn::Lit(_) => true,
        Syn::Paren(inner) => pure(&inner.expr),
        Syn::Field(field) => pure(&field.base),
        Syn::Index(index) => pure(&index.expr) && pure(&index.index),
        Syn::Cast(cast) => pure(&cast.expr),
        Syn::Unary(unary) => pure(&unary.expr),
        Syn::Reference(reference) => reference.mutability.is_none() && pure(&reference.expr),
        Syn::Binary(binary) => {
            !is_assignment(&binary.op) && pure(&binary.left) && pure(&binary.right)
        }
        Syn::MethodCall(call) => {
            QUERIES.contains(&call.method.to_string().as_str())
                && pure(&call.receiver)
                && call.args.iter().all(pure)
        }
        _ => false,
    }
}

/// Whether an operator assigns.
pub fn is_assignment(op: &BinOp) -> bool {
    op.to_token_stream().to_string().ends_with('=') && cmp_op(op).is_none()
}

/// An operator that always evaluates both operands. `None` for connectives and assignments.
pub(super) fn operator(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::Add(_) => BinaryOp::Add,
        BinOp::Sub(_) => BinaryOp::Sub,
        BinOp::Mul(_) => BinaryOp::Mul,
        BinOp::Div(_) => BinaryOp::Div,
        BinOp::Rem(_) => BinaryOp::Rem,
        BinOp::BitAnd(_) => BinaryOp::And,
        BinOp::BitOr(_) => BinaryOp::Or,
        BinOp::BitXor(_) => BinaryOp::Xor,
        BinOp::Shl(_) => BinaryOp::Shl,
        BinOp::Shr(_) => BinaryOp::Shr,
        BinOp::Eq(_) => BinaryOp::Eq,
        BinOp::Ne(_) => BinaryOp::Ne,
        BinOp::Lt(_) => BinaryOp::Lt,
        BinOp::Le(_) => BinaryOp::Le,
        BinOp::Gt(_) => BinaryOp::Gt,
        BinOp::Ge(_) => BinaryOp::Ge,
        _ => return None,
    })
}

/// A connective.
pub(super) fn connective(op: &BinOp) -> Option<LogicalOp> {
    match op {
        BinOp::And(_) => Some(LogicalOp::And),
        BinOp::Or(_) => Some(LogicalOp::Or),
        _ => None,
    }
}

pub(super) fn cmp_op(op: &BinOp) -> Option<CmpOp> {
    operator(op)?.comparison()
}

pub(super) fn arith_op(op: &BinOp) -> Option<ArithOp> {
    operator(op)?.arithmetic()
}

fn node(expr: &Syn, text: &str) -> Node {
    let span = expr.span().byte_range();
    let inner = |expr: &Syn| Box::new(node(expr, text));
    let shape = match expr {
        Syn::Paren(paren) => return node(&paren.expr, text),
        Syn::Unary(unary) => match unary.op {
            UnOp::Not(_) => Shape::Not(inner(&unary.expr)),
            _ => Shape::Leaf(leaf(expr, text)),
        },
        Syn::Binary(binary) => {
            let (left, right) = (&*binary.left, &*binary.right);
            match (&binary.op, cmp_op(&binary.op), arith_op(&binary.op)) {
                (BinOp::And(_), ..) => Shape::And(inner(left), inner(right)),
                (BinOp::Or(_), ..) => Shape::Or(inner(left), inner(right)),
                (_, Some(op), _) => Shape::Cmp(op, inner(left), inner(right)),
                (_, _, Some(op)) => Shape::Arith(op, inner(left), inner(right)),
                _ => Shape::Leaf(leaf(expr, text)),
            }
        }
        _ => Shape::Leaf(leaf(expr, text)),
    };
    let text = one_line(&text[span.clone()]);
    let whole = matches!(shape, Shape::Cmp(..)).then(|| access(&text));
    Node {
        span,
        text,
        shape,
        whole,
        is_null_test: false,
    }
}

/// A leaf for an expression with the given text.
pub fn leaf_of(expr: &Syn, text: &str) -> Leaf {
    let text = one_line(text);
    Leaf {
        access: access(&text),
        text,
        kind: LeafKind::Value,
        binding: binding(expr),
    }
}

fn leaf(expr: &Syn, text: &str) -> Leaf {
    let kind = match expr {
        Syn::Lit(_) => LeafKind::Literal,
        Syn::Unary(unary) => match (&unary.op, &*unary.expr) {
            (UnOp::Neg(_), Syn::Lit(_)) => LeafKind::Literal,
            // Dereferencing a reference cannot panic. For another type, `*x` calls `Deref`.
            (UnOp::Deref(_), inner) if is_variable(inner) => LeafKind::Variable,
            _ => LeafKind::Value,
        },
        Syn::Index(_) => LeafKind::Index,
        expr if is_variable(expr) => LeafKind::Variable,
        _ => LeafKind::Value,
    };
    // White space inside a string or character literal is significant.
    let text = &text[expr.span().byte_range()];
    let text = match kind {
        LeafKind::Literal => text.to_string(),
        _ => one_line(text),
    };
    Leaf {
        access: access(&text),
        text,
        kind,
        binding: binding(expr),
    }
}

/// Whether an expression is a variable or a field of one.
pub fn is_variable(expr: &Syn) -> bool {
    match expr {
        Syn::Path(_) => true,
        Syn::Field(field) => is_variable(&field.base),
        _ => false,
    }
}

/// The binding strength of an expression's outermost operator.
pub fn binding(expr: &Syn) -> Binding {
    match expr {
        Syn::Binary(binary) => match (connective(&binary.op), operator(&binary.op)) {
            (Some(op), _) => Binding::of_logical(op),
            (_, Some(op)) => Binding::of(op, Grammar::Rust),
            // Assignments.
            (None, None) => Binding::Bits,
        },
        Syn::Cast(_) => Binding::Cast,
        Syn::Unary(_) | Syn::Reference(_) => Binding::Unary,
        Syn::Range(_)
        | Syn::Closure(_)
        | Syn::Assign(_)
        | Syn::Let(_)
        | Syn::Return(_)
        | Syn::Break(_) => Binding::Or,
        _ => Binding::Atom,
    }
}

/// The text of an equality with the opposite operator. `None` for anything else: ordered comparisons are excluded,
/// because `!(a < b)` is not `a >= b` for NaN or a user-defined partial order.
pub fn opposite(text: &str) -> Option<String> {
    let Ok(Syn::Binary(binary)) = syn::parse_str::<Syn>(text) else {
        return None;
    };
    let other = match &binary.op {
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        _ => return None,
    };
    let mut opposite = text.to_owned();
    opposite.replace_range(binary.op.span().byte_range(), other);
    Some(opposite)
}

/// The binding strength of the condition's outermost operator.
pub fn binding_of(text: &str) -> Binding {
    syn::parse_str::<Syn>(text).map_or(Binding::Or, |expr| binding(&expr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elements_of_a_compared_pair_replace_each_other() {
        let variants = parse("next.1 == &self.node && x < 1.0")
            .unwrap()
            .comparison_variants();
        let of_pair: Vec<&str> = variants
            .iter()
            .map(String::as_str)
            .filter(|text| text.starts_with("next.0"))
            .collect();
        assert_eq!(of_pair, ["next.0 == &self.node", "next.0 == next.1"]);
    }

    #[test]
    fn a_condition_becomes_a_tree_of_operators_and_leaves() {
        let tree = parse("!(a.b >  -1) && v[i+1] == 'x' || flags & 3 != 0").unwrap();
        let leaves: Vec<_> = tree.leaves().iter().map(|leaf| leaf.text.clone()).collect();
        assert_eq!(leaves, ["a.b", "-1", "v[i+1]", "'x'", "flags & 3", "0"]);
        assert_eq!(tree.leaves()[2].kind, LeafKind::Index);
        assert_eq!(tree.leaves()[4].binding, Binding::Bits);
        assert!(matches!(tree.shape, Shape::Or(..)));
    }

    #[test]
    fn only_expressions_without_effects_are_surely_pure() {
        assert!(is_surely_pure("self.items.len() > 0 && v[i] as u8 == 3"));
        assert!(!is_surely_pure("it.next().is_some()"));
        assert!(!is_surely_pure("{ x += 1; true }"));
        assert!(!is_surely_pure("check(&mut x)"));
    }
}
