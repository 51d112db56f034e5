//! The old condition as a tree: operators the synthesizer knows, and leaves it must read.

use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr as Syn, UnOp};

use crate::spec::{ArithOp, Binding, CmpOp, Expr, TermId, Type};

/// How a leaf can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// `x`, `x.y`: reading it cannot panic or have an effect.
    Place,
    /// `v[i]`: reading it can panic.
    Index,
    /// Anything else that has a value.
    Value,
    Literal,
}

/// An operand of the condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// On one line.
    pub text: String,
    pub kind: LeafKind,
    pub binding: Binding,
}

/// Finds the term a leaf stands for, given the type its place asks for if that is known.
pub type Lookup<'a> = dyn FnMut(&Leaf, Option<Type>) -> Option<(TermId, Type)> + 'a;

/// A node of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Bytes in the condition's text.
    pub span: Range<usize>,
    /// The node's text on one line.
    pub text: String,
    pub shape: Shape,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Leaf(Leaf),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Cmp(CmpOp, Box<Node>, Box<Node>),
    Arith(ArithOp, Box<Node>, Box<Node>),
}

/// Parses a condition; `None` if it is not an expression on its own.
pub fn parse(text: &str) -> Option<Node> {
    let expr = syn::parse_str::<Syn>(text).ok()?;
    Some(node(&expr, text))
}

/// Whether evaluating the condition surely has no effect, as far as its syntax tells: operators,
/// places, literals, and methods of std that only look.
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

fn cmp_op(op: &BinOp) -> Option<CmpOp> {
    Some(match op {
        BinOp::Eq(_) => CmpOp::Eq,
        BinOp::Ne(_) => CmpOp::Ne,
        BinOp::Lt(_) => CmpOp::Lt,
        BinOp::Le(_) => CmpOp::Le,
        BinOp::Gt(_) => CmpOp::Gt,
        BinOp::Ge(_) => CmpOp::Ge,
        _ => return None,
    })
}

fn arith_op(op: &BinOp) -> Option<ArithOp> {
    Some(match op {
        BinOp::Add(_) => ArithOp::Add,
        BinOp::Sub(_) => ArithOp::Sub,
        BinOp::Mul(_) => ArithOp::Mul,
        BinOp::Div(_) => ArithOp::Div,
        BinOp::Rem(_) => ArithOp::Rem,
        _ => return None,
    })
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
    Node { span, text, shape }
}

/// Where there are several lines: inside a string literal white space means something.
fn one_line(text: &str) -> String {
    match text.contains('\n') {
        true => text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => text.to_owned(),
    }
}

/// A leaf for an expression whose own text is given.
pub fn leaf_of(expr: &Syn, text: &str) -> Leaf {
    Leaf {
        text: one_line(text),
        kind: LeafKind::Value,
        binding: binding(expr),
    }
}

fn leaf(expr: &Syn, text: &str) -> Leaf {
    let kind = match expr {
        Syn::Lit(_) => LeafKind::Literal,
        Syn::Unary(unary) => match (&unary.op, &*unary.expr) {
            (UnOp::Neg(_), Syn::Lit(_)) => LeafKind::Literal,
            // `*x` of a reference cannot panic; of something else it is a call.
            (UnOp::Deref(_), inner) if is_place(inner) => LeafKind::Place,
            _ => LeafKind::Value,
        },
        Syn::Index(_) => LeafKind::Index,
        expr if is_place(expr) => LeafKind::Place,
        _ => LeafKind::Value,
    };
    // Inside a string or character literal white space means something.
    let text = &text[expr.span().byte_range()];
    let text = match kind {
        LeafKind::Literal => text.to_string(),
        _ => one_line(text),
    };
    Leaf {
        text,
        kind,
        binding: binding(expr),
    }
}

/// Whether an expression is a name or a field of a place.
pub fn is_place(expr: &Syn) -> bool {
    match expr {
        Syn::Path(_) => true,
        Syn::Field(field) => is_place(&field.base),
        _ => false,
    }
}

/// How tightly an expression's text holds together.
pub fn binding(expr: &Syn) -> Binding {
    match expr {
        Syn::Binary(binary) => match &binary.op {
            BinOp::Or(_) => Binding::Or,
            BinOp::And(_) => Binding::And,
            op if cmp_op(op).is_some() => Binding::Compare,
            BinOp::Add(_) | BinOp::Sub(_) => Binding::Add,
            BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => Binding::Mul,
            _ => Binding::Bits,
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

/// The text of a comparison with the opposite operator; `None` for anything else and for orders,
/// which NaN or an order of one's own may upset.
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

/// How tightly a whole condition's text holds together.
pub fn binding_of(text: &str) -> Binding {
    syn::parse_str::<Syn>(text).map_or(Binding::Or, |expr| binding(&expr))
}

impl Node {
    /// The node as a leaf.
    fn whole(&self) -> Leaf {
        Leaf {
            text: self.text.clone(),
            kind: LeafKind::Value,
            binding: Binding::Compare,
        }
    }

    /// The comparisons, left to right.
    fn compared(&self) -> Vec<(&Self, CmpOp, &Self, &Self)> {
        match &self.shape {
            Shape::Leaf(_) | Shape::Arith(..) => Vec::new(),
            Shape::Not(a) => a.compared(),
            Shape::And(a, b) | Shape::Or(a, b) => {
                let mut all = a.compared();
                all.extend(b.compared());
                all
            }
            Shape::Cmp(op, a, b) => vec![(self, *op, a, b)],
        }
    }

    /// Every comparison as a leaf, with its own leaves, left to right.
    pub fn comparisons(&self) -> Vec<(Leaf, Vec<&Leaf>)> {
        let all = self.compared().into_iter();
        all.map(|(whole, ..)| (whole.whole(), whole.leaves()))
            .collect()
    }

    /// Every comparison with each other operator, then equalities in which a part of a tuple that is
    /// compared stands in another one's place, or is compared with it, as texts.
    pub fn comparison_variants(&self) -> Vec<String> {
        let sides = |(_, op, a, b): (&Self, CmpOp, &Self, &Self)| (op, side(a), side(b));
        let compared: Vec<(CmpOp, String, String)> =
            self.compared().into_iter().map(sides).collect();
        let mut all = Vec::new();
        for (op, left, right) in &compared {
            let others = CmpOp::ALL.into_iter().filter(|other| other != op);
            all.extend(others.map(|other| format!("{left} {} {right}", other.token())));
        }
        for (_, left, right) in &compared {
            for (one, other) in [(left, right), (right, left)] {
                if let Some(part) = other_part(one) {
                    all.extend([other, one].map(|with| format!("{part} == {with}")));
                }
            }
        }
        all
    }

    /// The leaves, left to right.
    pub fn leaves(&self) -> Vec<&Leaf> {
        match &self.shape {
            Shape::Leaf(leaf) => vec![leaf],
            Shape::Not(a) => a.leaves(),
            Shape::And(a, b) | Shape::Or(a, b) | Shape::Cmp(_, a, b) | Shape::Arith(_, a, b) => {
                let mut leaves = a.leaves();
                leaves.extend(b.leaves());
                leaves
            }
        }
    }

    /// The condition in terms. `lookup` finds the term a leaf stands for, given the type its
    /// place asks for if that is known (a literal has no type of its own). Every node converted
    /// is put into `texts` with its span. `None` if a leaf has no term or the types do not fit.
    pub fn to_expr(
        &self,
        expected: Option<Type>,
        lookup: &mut Lookup,
        texts: &mut Vec<(Expr, Range<usize>)>,
    ) -> Option<(Expr, Type)> {
        let result = match &self.shape {
            Shape::Leaf(leaf) => {
                let (term, ty) = lookup(leaf, expected)?;
                (Expr::Term(term), ty)
            }
            Shape::Not(a) => {
                let (a, ty) = a.to_expr(Some(Type::Bool), lookup, texts)?;
                (ty == Type::Bool).then_some((a.not(), Type::Bool))?
            }
            Shape::And(a, b) | Shape::Or(a, b) => {
                let (a, s) = a.to_expr(Some(Type::Bool), lookup, texts)?;
                let (b, t) = b.to_expr(Some(Type::Bool), lookup, texts)?;
                let both = match self.shape {
                    Shape::And(..) => a.and(b),
                    _ => a.or(b),
                };
                (s == Type::Bool && t == Type::Bool).then_some((both, Type::Bool))?
            }
            Shape::Cmp(op, a, b) => match Self::operands(a, b, None, lookup, texts) {
                Some((a, b, _)) => (a.cmp(*op, b), Type::Bool),
                // What is compared cannot be read, but the comparison as a whole may be.
                None => {
                    let (term, ty) = lookup(&self.whole(), Some(Type::Bool))?;
                    (Expr::Term(term), ty)
                }
            },
            Shape::Arith(op, a, b) => {
                let (a, b, ty) = Self::operands(a, b, expected, lookup, texts)?;
                (a.arith(*op, b), ty)
            }
        };
        texts.push((result.0.clone(), self.span.clone()));
        Some(result)
    }

    /// Two operands of one type: whichever is no literal tells it.
    fn operands(
        a: &Node,
        b: &Node,
        expected: Option<Type>,
        lookup: &mut Lookup,
        texts: &mut Vec<(Expr, Range<usize>)>,
    ) -> Option<(Expr, Expr, Type)> {
        let is_open = |node: &Node| {
            node.leaves()
                .iter()
                .all(|leaf| leaf.kind == LeafKind::Literal)
        };
        let (a, b, s, t) = if is_open(a) {
            let (b, t) = b.to_expr(expected, lookup, texts)?;
            let (a, s) = a.to_expr(Some(t), lookup, texts)?;
            (a, b, s, t)
        } else {
            let (a, s) = a.to_expr(expected, lookup, texts)?;
            let (b, t) = b.to_expr(Some(s), lookup, texts)?;
            (a, b, s, t)
        };
        (s == t).then_some((a, b, s))
    }
}

/// The other one of a pair, where a text is a part of one.
fn other_part(text: &str) -> Option<String> {
    let (base, part) = text.rsplit_once('.')?;
    let other = match part {
        "0" => "1",
        "1" => "0",
        _ => return None,
    };
    // `1.0` is a number.
    let is_place = base.starts_with(|first: char| !first.is_ascii_digit() && first != '-');
    is_place.then(|| format!("{base}.{other}"))
}

/// The text of a comparison's operand; a node's own text has lost the parentheses around it.
fn side(node: &Node) -> String {
    match &node.shape {
        Shape::Leaf(leaf) if leaf.binding >= Binding::Add => node.text.clone(),
        Shape::Arith(..) => node.text.clone(),
        _ => format!("({})", node.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_pair_that_is_compared_stand_for_each_other() {
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
    fn purity_is_only_claimed_for_what_only_looks() {
        assert!(is_surely_pure("self.items.len() > 0 && v[i] as u8 == 3"));
        assert!(!is_surely_pure("it.next().is_some()"));
        assert!(!is_surely_pure("{ x += 1; true }"));
        assert!(!is_surely_pure("check(&mut x)"));
    }
}
