//! The original condition as a tree: its inner nodes are operators that the synthesizer knows, its leaves are read as
//! terms. Each language has its own parser ([`Language::parse`](super::Language::parse)).

use std::ops::Range;

use nopol_expr::access::is_mark;
use nopol_expr::{Access, ArithOp, Binding, CmpOp, Expr, TermId, Type};

use super::{Language, write};

/// How a leaf can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// `x`, `x.y`: reading it cannot panic and has no side effects.
    Variable,
    /// `v[i]`: reading it can panic.
    Index,
    /// Any other expression that has a value.
    Value,
    /// A literal.
    Literal,
}

/// An operand of the condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The text on one line.
    pub text: String,
    /// What it reads.
    pub access: Access,
    /// How it can be captured.
    pub kind: LeafKind,
    /// How tightly its text binds.
    pub binding: Binding,
}

/// Finds the term of a leaf, given the type that its context requires, if known.
pub type Lookup<'a> = dyn FnMut(&Leaf, Option<Type>) -> Option<(TermId, Type)> + 'a;

/// A node of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Bytes in the condition's text.
    pub span: Range<usize>,
    /// The node's text on one line.
    pub text: String,
    /// The node's operator and operands.
    pub shape: Shape,
    /// The whole comparison as an access. `None` for other nodes.
    pub whole: Option<Access>,
    /// Whether it is a null test with `!=`.
    pub is_null_test: bool,
}

/// A part of a condition, expressed in terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub expr: Expr,
    /// Bytes in the condition's text.
    pub span: Range<usize>,
    /// The spans of its two operands, without the parentheses around them. `None` unless the part is an infix operator
    /// with its operands.
    pub operands: Option<[Range<usize>; 2]>,
    /// See [`Node::is_null_test`].
    pub is_null_test: bool,
}

/// A part of the original condition in its original spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The part.
    pub expr: Expr,
    /// Its text in the source.
    pub text: String,
    /// The bytes of its operands in that text. See [`Part::operands`].
    pub operands: Option<[Range<usize>; 2]>,
    /// See [`Node::is_null_test`].
    pub is_null_test: bool,
}

impl Spelling {
    /// The spelling of a part in the text of a condition.
    pub fn new(part: Part, condition: &str) -> Self {
        let start = part.span.start;
        let within = |span: Range<usize>| span.start - start..span.end - start;
        Self {
            expr: part.expr,
            text: condition[part.span].to_owned(),
            operands: part.operands.map(|spans| spans.map(within)),
            is_null_test: part.is_null_test,
        }
    }
}

/// The operator of a node, or a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An operand.
    Leaf(Leaf),
    /// `!a`.
    Not(Box<Node>),
    /// `a && b`.
    And(Box<Node>, Box<Node>),
    /// `a || b`.
    Or(Box<Node>, Box<Node>),
    /// A comparison.
    Cmp(CmpOp, Box<Node>, Box<Node>),
    /// Arithmetic.
    Arith(ArithOp, Box<Node>, Box<Node>),
}

/// The text on one line. A text without line breaks stays unchanged, because white space inside a string literal is
/// significant.
pub fn one_line(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let lines = text.lines().map(str::split_whitespace);
    let lines = lines.map(|words| words.collect::<Vec<_>>().join(" "));
    let mut joined = String::with_capacity(text.len());
    for line in lines.filter(|line| !line.is_empty()) {
        if line.starts_with(')') && joined.ends_with(',') && ends_in_call(&joined) {
            joined.pop();
        }
        let is_close = joined.is_empty()
            || joined.ends_with(['(', '['])
            || line.starts_with(['.', '?', ')', ']']) && !line.starts_with("..");
        if !is_close {
            joined.push(' ');
        }
        joined.push_str(&line);
    }
    joined
}

/// Whether the open parenthesis at the end of a text starts arguments, not a tuple.
fn ends_in_call(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                return text[..at].ends_with(|c: char| c.is_alphanumeric() || "_>!".contains(c));
            }
            '(' | '[' | '{' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Whether a value is not usually compared by order: a truth value, a string, a variant of an enum, or a character
/// other than the end of a range ([`is_mark`]).
pub fn is_unordered(text: &str) -> bool {
    let text = text.trim_start_matches(['&', '*', '(']);
    let head = text.split(['(', '{', ' ']).next().unwrap_or_default();
    let last = head.rsplit("::").next().unwrap_or_default();
    let is_variant =
        last.starts_with(|c: char| c.is_uppercase()) && last.contains(|c: char| c.is_lowercase());
    is_variant || is_mark(text) || text.starts_with('"') || matches!(text, "true" | "false")
}

/// Whether the text at these bytes has parentheses of its own.
pub fn is_enclosed(text: &str, span: &Range<usize>) -> bool {
    text[..span.start].trim_end().ends_with('(') && text[span.end..].trim_start().starts_with(')')
}

impl Node {
    /// The clauses of a chain of `&&` (or of `||`, unless `is_and`), left to right. Any other node is a single clause.
    pub fn clauses(&self, is_and: bool) -> Vec<&Self> {
        match (&self.shape, is_and) {
            (Shape::And(a, b), true) | (Shape::Or(a, b), false) => {
                let mut all = a.clauses(is_and);
                all.extend(b.clauses(is_and));
                all
            }
            _ => vec![self],
        }
    }

    /// The clauses of a condition, left to right, whatever connectives join them.
    pub fn all_clauses(&self) -> Vec<&Self> {
        match &self.shape {
            Shape::And(a, b) | Shape::Or(a, b) => {
                let mut all = a.all_clauses();
                all.extend(b.all_clauses());
                all
            }
            _ => vec![self],
        }
    }

    /// The node with all its spans moved by this many bytes.
    pub fn moved(mut self, by: usize) -> Self {
        self.span = self.span.start + by..self.span.end + by;
        let moved = |node: Box<Self>| Box::new(node.moved(by));
        self.shape = match self.shape {
            Shape::Leaf(leaf) => Shape::Leaf(leaf),
            Shape::Not(a) => Shape::Not(moved(a)),
            Shape::And(a, b) => Shape::And(moved(a), moved(b)),
            Shape::Or(a, b) => Shape::Or(moved(a), moved(b)),
            Shape::Cmp(op, a, b) => Shape::Cmp(op, moved(a), moved(b)),
            Shape::Arith(op, a, b) => Shape::Arith(op, moved(a), moved(b)),
        };
        self
    }

    /// The whole node as a single leaf.
    fn whole(&self) -> Leaf {
        Leaf {
            text: self.text.clone(),
            access: self
                .whole
                .clone()
                .unwrap_or_else(|| write::opaque(&self.text)),
            kind: LeafKind::Value,
            binding: Binding::Compare,
        }
    }

    /// The comparisons, left to right.
    pub fn compared(&self) -> Vec<(&Self, CmpOp, &Self, &Self)> {
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

    /// Every comparison as a single leaf, with the leaves inside it, left to right.
    pub fn comparisons(&self) -> Vec<(Leaf, Vec<&Leaf>)> {
        let all = self.compared().into_iter();
        all.map(|(whole, ..)| (whole.whole(), whole.leaves()))
            .collect()
    }

    /// Variants of the comparisons, as texts: each comparison with every other operator, then equalities
    /// that use the other element of a compared pair, or compare the two elements with each other.
    pub fn comparison_variants(&self) -> Vec<String> {
        let sides = |(_, op, a, b): (&Self, CmpOp, &Self, &Self)| (op, side(a), side(b));
        let compared: Vec<(CmpOp, String, String)> =
            self.compared().into_iter().map(sides).collect();
        let mut all = Vec::new();
        for (op, left, right) in &compared {
            let has_order = op.orders() || !(is_unordered(left) || is_unordered(right));
            let others = CmpOp::ALL
                .into_iter()
                .filter(|other| other != op && (has_order || !other.orders()));
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

    /// The condition as an expression over terms. `lookup` finds the term of a leaf, given the type that its context
    /// requires, if known (a literal has no type of its own). Every converted node is added to `parts`. `None` if a
    /// leaf has no term, or types do not match.
    pub fn to_expr(
        &self,
        language: Language,
        expected: Option<Type>,
        lookup: &mut Lookup,
        parts: &mut Vec<Part>,
    ) -> Option<(Expr, Type)> {
        let spans = |a: &Node, b: &Node| Some([a.span.clone(), b.span.clone()]);
        let mut operands = match &self.shape {
            Shape::Leaf(_) | Shape::Not(_) => None,
            Shape::And(a, b) | Shape::Or(a, b) | Shape::Cmp(_, a, b) | Shape::Arith(_, a, b) => {
                spans(a, b)
            }
        };
        let result = match &self.shape {
            Shape::Leaf(leaf) => {
                let (term, ty) = lookup(leaf, expected)?;
                (Expr::Term(term), ty)
            }
            Shape::Not(a) => {
                let (a, ty) = a.to_expr(language, Some(Type::Bool), lookup, parts)?;
                (ty == Type::Bool).then_some((a.not(), Type::Bool))?
            }
            Shape::And(a, b) | Shape::Or(a, b) => {
                let (a, s) = a.to_expr(language, Some(Type::Bool), lookup, parts)?;
                let (b, t) = b.to_expr(language, Some(Type::Bool), lookup, parts)?;
                let both = match self.shape {
                    Shape::And(..) => a.and(b),
                    _ => a.or(b),
                };
                (s == Type::Bool && t == Type::Bool).then_some((both, Type::Bool))?
            }
            Shape::Cmp(op, a, b) => {
                let known = parts.len();
                let compared = Self::operands(language, a, b, None, lookup, parts);
                let compared = compared.map(|(a, b, _)| a.cmp(*op, b)).or_else(|| {
                    operands = None;
                    parts.truncate(known);
                    Self::zero_test(language, *op, [a, b], lookup, parts)
                });
                match compared {
                    Some(compared) => (compared, Type::Bool),
                    // The operands have no terms, but the comparison as a whole may have one.
                    None => {
                        parts.truncate(known);
                        let (term, ty) = lookup(&self.whole(), Some(Type::Bool))?;
                        (Expr::Term(term), ty)
                    }
                }
            }
            Shape::Arith(op, a, b) => {
                let (a, b, ty) = Self::operands(language, a, b, expected, lookup, parts)?;
                (a.arith(*op, b), ty)
            }
        };
        parts.push(Part {
            expr: result.0.clone(),
            span: self.span.clone(),
            operands,
            is_null_test: self.is_null_test,
        });
        Some(result)
    }

    /// C: a truth value compared with 0, such as a null test of a pointer.
    fn zero_test(
        language: Language,
        op: CmpOp,
        operands: [&Node; 2],
        lookup: &mut Lookup,
        parts: &mut Vec<Part>,
    ) -> Option<Expr> {
        let is_zero = |node: &&&Node| match &node.shape {
            Shape::Leaf(leaf) => leaf.kind == LeafKind::Literal && leaf.text == "0",
            _ => false,
        };
        let (zeros, others): (Vec<&Node>, Vec<&Node>) =
            operands.iter().partition(|node| is_zero(node));
        let ([_], [tested]) = (&zeros[..], &others[..]) else {
            return None;
        };
        let known = parts.len();
        let (tested, ty) = tested.to_expr(language, Some(Type::Bool), lookup, parts)?;
        match op {
            _ if ty != Type::Bool => None,
            CmpOp::Eq => Some(tested.not()),
            // As with `NULL`, the part is the whole test.
            CmpOp::Ne => {
                parts.truncate(known);
                Some(tested)
            }
            CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => None,
        }
    }

    /// Two operands and their common type. It is the type of an operand that is not a literal, or in C the result of
    /// the usual arithmetic conversions.
    fn operands(
        language: Language,
        a: &Node,
        b: &Node,
        expected: Option<Type>,
        lookup: &mut Lookup,
        parts: &mut Vec<Part>,
    ) -> Option<(Expr, Expr, Type)> {
        let has_only_literals = |node: &Node| {
            node.leaves()
                .iter()
                .all(|leaf| leaf.kind == LeafKind::Literal)
        };
        let known = parts.len();
        let mut both = |first: Option<Type>, second: Option<Type>, parts: &mut Vec<_>| {
            let (a, b, s, t) = if has_only_literals(a) {
                let (b, t) = b.to_expr(language, first, lookup, parts)?;
                let (a, s) = a.to_expr(language, second.or(Some(t)), lookup, parts)?;
                (a, b, s, t)
            } else {
                let (a, s) = a.to_expr(language, first, lookup, parts)?;
                let (b, t) = b.to_expr(language, second.or(Some(s)), lookup, parts)?;
                (a, b, s, t)
            };
            Some((a, b, s, t))
        };
        let (left, right, s, t) = both(expected, None, parts)?;
        if s == t {
            return Some((left, right, s));
        }
        let common = language.common_type(s, t)?;
        parts.truncate(known);
        let (left, right, s, t) = both(Some(common), Some(common), parts)?;
        (s == t).then_some((left, right, s))
    }
}

/// The other element of a pair: `x.1` for `x.0`.
fn other_part(text: &str) -> Option<String> {
    let (base, part) = text.rsplit_once('.')?;
    let other = match part {
        "0" => "1",
        "1" => "0",
        _ => return None,
    };
    // `1.0` is a number, not a field.
    let is_field = base.starts_with(|first: char| !first.is_ascii_digit() && first != '-');
    is_field.then(|| format!("{base}.{other}"))
}

/// The text of a comparison's operand, in parentheses if needed. A node's own text has none.
fn side(node: &Node) -> String {
    match &node.shape {
        Shape::Leaf(leaf) if leaf.binding >= Binding::Add => node.text.clone(),
        Shape::Arith(..) => node.text.clone(),
        _ => format!("({})", node.text),
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn lines_are_joined_as_people_would_write_them() {
        for (text, wanted) in [
            (
                "a\n    .b\n    .f(\n        c,\n        d,\n    )?",
                "a.b.f(c, d)?",
            ),
            ("a\n    && f(b\n    ..c)", "a && f(b ..c)"),
            ("x == (\n    a,\n)", "x == (a,)"),
        ] {
            assert_eq!(one_line(text), wanted);
        }
    }
}
