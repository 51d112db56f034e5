//! One-step edits of a condition: the changes of a maintainer who only looks at the line. They are derived from the
//! condition's text alone, so they need neither values nor types of its operands. The compiler and the tests judge them.
//! Unaffected text keeps the author's spelling.

mod alternatives;
pub mod arithmetic;
pub mod borrowed;
mod grouping;
mod literals;
pub mod null_guard;
mod opposites;
pub mod overflow;
mod parallel;
mod positions;
mod step;

use std::collections::BTreeSet;
use std::ops::Range;

use super::clauses::{self, Around};
use super::condition::{Leaf, LeafKind, Node, Shape, is_enclosed, is_unordered};
use super::words::{mentions, words};
use literals::{kind, neighbours, number};
use nopol_expr::{ArithOp, Binding, CmpOp};
use opposites::opposites;
pub use opposites::{are_opposite, opposite_call};
pub use step::Step;

/// An edit, with the edited condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneStep {
    /// What it changes.
    pub step: Step,
    /// The edited condition.
    pub text: String,
}

/// What the code around a condition offers for edits.
#[derive(Clone, Copy, Debug)]
pub struct Nearby<'a> {
    /// Literals of the function.
    pub literals: &'a [String],
    /// The text in which a name must occur before it replaces another.
    pub names: &'a str,
    /// The context for clauses that resemble existing ones.
    pub around: Around<'a>,
    /// C: names of pointers. If two pointers are compared for equality, no edit compares them by order.
    pub pointers: &'a BTreeSet<String>,
}

/// Most literals that replace another one.
const MOST_LITERALS: usize = 4;

/// Every one-step edit of a condition with this text, in the order of its parts, without duplicates. An edited
/// condition that binds less tightly than `required` gets parentheses.
pub fn one_step_edits(
    condition: &Node,
    text: &str,
    required: Binding,
    nearby: Nearby,
) -> Vec<OneStep> {
    let mut edits = Edits {
        text,
        nearby,
        found: Vec::new(),
        is_shared: false,
    };
    edits.boolean(condition, required);
    edits.all_operators(condition);
    edits.parallel(condition, required);
    edits.found
}

struct Edits<'a> {
    text: &'a str,
    nearby: Nearby<'a>,
    found: Vec<OneStep>,
    /// Whether code inside the brackets of an operand is edited as a site of its own.
    is_shared: bool,
}

impl Edits<'_> {
    /// Adds the condition with these replacements, which do not overlap.
    fn put(&mut self, step: Step, mut replacements: Vec<(Range<usize>, String)>) {
        replacements.sort_by_key(|(range, _)| (range.start, range.end));
        let mut text = self.text.to_owned();
        for (range, new) in replacements.into_iter().rev() {
            text.replace_range(range, &new);
        }
        if text != self.text && self.found.iter().all(|known| known.text != text) {
            self.found.push(OneStep { step, text });
        }
    }

    /// Replaces a node by `new`, which binds like `binding`. It gets parentheses if the place requires more.
    fn replace(
        &mut self,
        step: Step,
        node: &Node,
        new: String,
        binding: Binding,
        required: Binding,
    ) {
        let is_enclosed = self.is_enclosed(&node.span);
        let new = match binding < required && !is_enclosed {
            true => format!("({new})"),
            false => new,
        };
        self.put(step, vec![(node.span.clone(), new)]);
    }

    /// Replaces a connective by one of its sides, and drops parentheses that are no longer needed.
    fn keep(&mut self, node: &Node, kept: &Node, required: Binding) {
        let text = self.source(kept);
        let enclosed = self.text[..node.span.start].trim_end().strip_suffix('(');
        let rest = self.text[node.span.end..].trim_start().strip_prefix(')');
        match (enclosed, rest) {
            (Some(before), Some(after)) if binding(kept) >= required => {
                let whole = before.len()..self.text.len() - after.len();
                self.put(Step::ClauseDropped, vec![(whole, text)]);
            }
            _ => self.replace(Step::ClauseDropped, node, text, binding(kept), required),
        }
    }

    /// Whether a node has parentheses of its own.
    fn is_enclosed(&self, span: &Range<usize>) -> bool {
        is_enclosed(self.text, span)
    }

    fn source(&self, node: &Node) -> String {
        self.text[node.span.clone()].to_owned()
    }

    /// The bytes of an operator between two operands. `None` if a comment may contain the operator, too.
    fn operator(&self, a: &Node, b: &Node, token: &str) -> Option<Range<usize>> {
        let gap = self.text.get(a.span.end..b.span.start)?;
        let at = a.span.end + gap.find(token)?;
        (!gap.contains("//") && !gap.contains("/*")).then_some(at..at + token.len())
    }

    /// Edits of a node that yields a truth value.
    fn boolean(&mut self, node: &Node, required: Binding) {
        match &node.shape {
            Shape::Not(inner) => {
                let text = self.source(inner);
                self.replace(Step::NegationRemoved, node, text, binding(inner), required);
                match inner.shape {
                    // A negated leaf would be the leaf without its negation, which was tried already.
                    Shape::Leaf(_) => self.operand(inner),
                    _ => self.boolean(inner, Binding::Unary),
                }
            }
            Shape::And(a, b) | Shape::Or(a, b) => {
                let is_and = matches!(node.shape, Shape::And(..));
                self.connective(node, a, b, is_and, required);
                self.regroup(node, required);
                for kept in [a, b] {
                    self.keep(node, kept, required);
                }
                let below = match is_and {
                    true => Binding::And,
                    false => Binding::Or,
                };
                self.boolean(a, below);
                self.boolean(b, below);
                self.negate(node, required);
            }
            Shape::Cmp(op, a, b) => self.comparison(*op, a, b),
            Shape::Leaf(_) | Shape::Arith(..) => {
                if !is_literal(node) {
                    self.negate(node, required);
                    self.short_circuit(node, required);
                }
                self.operand(node);
            }
        }
    }

    /// A bit operator on truth values evaluates both operands, unlike a connective.
    fn short_circuit(&mut self, node: &Node, required: Binding) {
        let text = self.source(node);
        for (bits, connective, binding) in [("|", "||", Binding::Or), ("&", "&&", Binding::And)] {
            let [at] = arithmetic::outside(&text, &format!(" {bits} "))[..] else {
                continue;
            };
            let (a, b) = (&text[..at], &text[at + bits.len() + 2..]);
            let new = format!("{a} {connective} {b}");
            self.replace(Step::ShortCircuit, node, new, binding, required);
        }
    }

    fn negate(&mut self, node: &Node, required: Binding) {
        let text = self.source(node);
        if let Some(opposite) = opposite_call(&text) {
            let binding = binding(node);
            self.replace(Step::Negated, node, opposite, binding, required);
            return;
        }
        let negated = match binding(node) < Binding::Unary {
            true => format!("!({text})"),
            false => format!("!{text}"),
        };
        self.replace(Step::Negated, node, negated, Binding::Unary, required);
    }

    fn connective(&mut self, node: &Node, a: &Node, b: &Node, is_and: bool, required: Binding) {
        let (old, new, step) = match is_and {
            true => ("&&", "||", Step::AndToOr),
            false => ("||", "&&", Step::OrToAnd),
        };
        let Some(at) = self.operator(a, b, old) else {
            return;
        };
        let mut replacements = vec![(at, new.to_owned())];
        let mut enclose = |span: &Range<usize>| {
            replacements.push((span.start..span.start, "(".to_owned()));
            replacements.push((span.end..span.end, ")".to_owned()));
        };
        if is_and && required > Binding::Or && !self.is_enclosed(&node.span) {
            enclose(&node.span);
        }
        for side in [a, b] {
            let is_looser = matches!(side.shape, Shape::Or(..)) && !is_and;
            if is_looser && !self.is_enclosed(&side.span) {
                enclose(&side.span);
            }
        }
        if is_guard(&self.source(a), &self.source(b)) && binding(a) > binding(node) {
            let turned = parallel::negated(&self.source(a), binding(a));
            let with_turned = std::iter::once((a.span.clone(), turned));
            let turned = replacements.iter().cloned().chain(with_turned).collect();
            self.put(Step::GuardTurned, turned);
        }
        self.put(step, replacements);
    }

    /// Changes all comparisons with an operator at once, if there are several.
    fn all_operators(&mut self, condition: &Node) {
        let compared = condition.compared();
        for (old, new) in [
            (CmpOp::Lt, CmpOp::Le),
            (CmpOp::Gt, CmpOp::Ge),
            (CmpOp::Le, CmpOp::Lt),
            (CmpOp::Ge, CmpOp::Gt),
        ] {
            let of_it = compared.iter().filter(|(_, op, ..)| *op == old);
            let at = of_it.map(|(_, _, a, b)| self.operator(a, b, old.token()));
            let Some(places) = at.collect::<Option<Vec<_>>>() else {
                continue;
            };
            if places.len() > 1 {
                let replace = |at| (at, new.token().to_owned());
                self.put(
                    Step::AllOperators,
                    places.into_iter().map(replace).collect(),
                );
            }
        }
    }

    fn comparison(&mut self, op: CmpOp, a: &Node, b: &Node) {
        let is_number = |node: &Node| match &node.shape {
            Shape::Leaf(leaf) => number(&leaf.text).is_some() || leaf.text.ends_with(".len()"),
            Shape::Arith(..) => true,
            _ => false,
        };
        let is_of_numbers = is_number(a) || is_number(b);
        let is_pointer = |node: &Node| match &node.shape {
            Shape::Leaf(leaf) => {
                let name = leaf.access.last_name();
                name.is_some_and(|name| self.nearby.pointers.contains(name))
            }
            _ => false,
        };
        let has_no_order = is_unordered(&self.source(a))
            || is_unordered(&self.source(b))
            || is_sign(a)
            || is_sign(b)
            || is_pointer(a) && is_pointer(b);
        let is_ordered = op.orders() || !has_no_order;
        if let Some(at) = self.operator(a, b, op.token()) {
            for other in CmpOp::ALL {
                if other != op && (is_ordered || !other.orders()) {
                    let mut replaced = vec![(at.clone(), other.token().to_owned())];
                    // `n as u32 < 7` would parse as the start of generic arguments.
                    if other == CmpOp::Lt && binding(a) == Binding::Cast {
                        replaced.push((a.span.clone(), format!("({})", self.source(a))));
                    }
                    self.put(Step::Operator(op, other), replaced);
                }
            }
        }
        for (side, other) in [(a, b), (b, a)] {
            if is_literal(side) && is_sign(other) {
                continue;
            }
            self.operand(side);
            // Only numbers are moved by 1. Next to a literal, the literal is changed instead.
            if is_of_numbers && !is_literal(side) && !is_literal(other) {
                for sign in ["+ 1", "- 1"] {
                    let text = self.source(side);
                    let text = match binding(side) < Binding::Add {
                        true => format!("({text}) {sign}"),
                        false => format!("{text} {sign}"),
                    };
                    let sum = Binding::Add;
                    self.replace(Step::OperandOffByOne, side, text, sum, sum);
                }
            }
        }
    }

    /// Edits inside an operand.
    fn operand(&mut self, node: &Node) {
        match &node.shape {
            Shape::Leaf(leaf) => self.leaf(node, leaf),
            Shape::Arith(op, a, b) => {
                let (token, inverse) = match op {
                    ArithOp::Add => ("+", "-"),
                    ArithOp::Sub => ("-", "+"),
                    ArithOp::Mul => ("*", "/"),
                    ArithOp::Div => ("/", "*"),
                    ArithOp::Rem => ("%", "/"),
                };
                if let Some(at) = self.operator(a, b, token) {
                    self.put(Step::ArithmeticOperator, vec![(at, inverse.to_owned())]);
                }
                for kept in [a, b] {
                    let text = self.source(kept);
                    let required = match binding(kept) < binding(node) {
                        true => Binding::Atom,
                        false => Binding::Or,
                    };
                    self.replace(Step::ArithmeticDropped, node, text, binding(kept), required);
                }
                if matches!(op, ArithOp::Sub | ArithOp::Div | ArithOp::Rem) {
                    let exchanged = vec![
                        (a.span.clone(), self.source(b)),
                        (b.span.clone(), self.source(a)),
                    ];
                    if binding(a) == Binding::Atom && binding(b) == Binding::Atom {
                        self.put(Step::Exchanged, exchanged);
                    }
                }
                self.operand(a);
                self.operand(b);
            }
            Shape::Not(inner) => self.operand(inner),
            Shape::And(a, b) | Shape::Or(a, b) | Shape::Cmp(_, a, b) => {
                self.operand(a);
                self.operand(b);
            }
        }
    }

    fn leaf(&mut self, node: &Node, leaf: &Leaf) {
        if leaf.kind == LeafKind::Literal {
            self.literal(node, &leaf.text);
            return;
        }
        let text = self.source(node);
        let inside = match self.is_shared {
            true => Vec::new(),
            false => positions::inner_neighbours(&text),
        };
        for (range, beside) in inside {
            let at = node.span.start + range.start..node.span.start + range.end;
            self.put(Step::OperandOffByOne, vec![(at, beside)]);
        }
        let ends = match self.is_shared {
            true => Vec::new(),
            false => positions::ends(&text),
        };
        for (range, beside) in ends {
            let at = node.span.start + range.start..node.span.start + range.end;
            self.put(Step::ConstantOffByOne, vec![(at, beside)]);
        }
        if !self.is_shared {
            self.alternatives(node);
        }
        let depths = arithmetic::depths(&text);
        for word in words(&text) {
            if self.is_shared && depths[word.start] > 0 {
                continue;
            }
            let old = &text[word.clone()];
            // Lengths in bytes may be meant in characters.
            let after = &text[word.end..];
            let is_about_text = || {
                let marks = ["char", "chars", "char_indices", "str", "String"];
                marks
                    .iter()
                    .any(|it| mentions(self.nearby.around.function, it))
            };
            if old == "len"
                && is_about_text()
                && text[..word.start].ends_with('.')
                && after.starts_with("()")
            {
                let at = node.span.start + word.start..node.span.start + word.end;
                self.put(Step::Opposite, vec![(at, "chars().count".to_owned())]);
            }
            // Arguments, and values that a closure yields.
            let is_quoted = || {
                let mut literals = clauses::literals(&text).into_iter();
                literals.any(|literal| literal.contains(&word.start))
            };
            if matches!(old, "true" | "false") && depths[word.start] > 0 && !is_quoted() {
                let at = node.span.start + word.start..node.span.start + word.end;
                let other = (old == "false").to_string();
                self.put(Step::Constant, vec![(at, other)]);
            }
            for new in opposites(old, self.nearby.names) {
                let at = node.span.start + word.start..node.span.start + word.end;
                self.put(Step::Opposite, vec![(at, new)]);
            }
        }
    }

    fn literal(&mut self, node: &Node, old: &str) {
        for (step, new) in neighbours(old) {
            self.put(step, vec![(node.span.clone(), new)]);
        }
        let literals = self.nearby.literals.iter();
        let alike = literals.filter(|other| kind(other) == kind(old) && *other != old);
        for other in alike.take(MOST_LITERALS) {
            // The number may get another type here, so it takes the suffix of the old one.
            let other = match (number(old), number(other)) {
                (Some((_, suffix)), Some((value, _))) => format!("{value}{suffix}"),
                _ => other.clone(),
            };
            self.put(Step::Constant, vec![(node.span.clone(), other)]);
        }
    }
}

/// Whether a clause may guard another one: both mention the same variable or field.
fn is_guard(clause: &str, guarded: &str) -> bool {
    words(clause)
        .into_iter()
        .filter(|name| !clause[name.end..].starts_with('('))
        .map(|name| &clause[name])
        .filter(|name| *name != "self")
        .any(|name| mentions(guarded, name))
}

pub(crate) fn binding(node: &Node) -> Binding {
    match &node.shape {
        Shape::Leaf(leaf) => leaf.binding,
        Shape::Not(_) => Binding::Unary,
        Shape::And(..) => Binding::And,
        Shape::Or(..) => Binding::Or,
        Shape::Cmp(..) => Binding::Compare,
        Shape::Arith(op, ..) => op.binding(),
    }
}

fn is_sign(node: &Node) -> bool {
    matches!(&node.shape, Shape::Leaf(leaf) if leaf.access.is_sign())
}

fn is_literal(node: &Node) -> bool {
    matches!(&node.shape, Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal)
}

#[cfg(test)]
mod tests;
