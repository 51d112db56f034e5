//! One-step edits of a numeric expression and of an assignment that computes: another operator, one more or one less, a
//! part removed, another name of the same type. Code in the brackets of a call or a subscript is a site of its own,
//! and is edited there.

use nopol_expr::{ArithOp, Binding};

use super::{Edits, Nearby, OneStep, Step, binding, is_literal};
use crate::condition::{Node, Shape};
use crate::substitutes::Substitutes;
use crate::words::words;

/// Bit operators, each with one that it may be confused with.
const BITWISE: [(&str, &str); 5] = [
    ("<<", ">>"),
    (">>", "<<"),
    ("&", "|"),
    ("|", "&"),
    ("^", "|"),
];

/// Assignments that compute, each with one that it may be confused with. Longer ones come first.
const ASSIGNMENTS: [(&str, &str); 12] = [
    ("<<=", ">>="),
    (">>=", "<<="),
    ("+=", "-="),
    ("-=", "+="),
    ("*=", "/="),
    ("/=", "*="),
    ("%=", "/="),
    ("&=", "|="),
    ("|=", "&="),
    ("^=", "|="),
    ("++", "--"),
    ("--", "++"),
];

/// Every one-step edit of an expression with this text, without duplicates.
pub fn arithmetic_edits(
    tree: &Node,
    text: &str,
    nearby: Nearby,
    substitutes: Substitutes,
) -> Vec<OneStep> {
    let mut edits = Edits {
        text,
        nearby,
        found: Vec::new(),
        is_shared: true,
    };
    edits.operand(tree);
    edits.operators(tree);
    edits.beside(tree, Binding::Or);
    edits.bits(tree);
    edits.factors(tree);
    edits.names(tree, substitutes);
    edits.found
}

/// The edits of an assignment with this text.
pub fn assignment_edits(text: &str) -> Vec<OneStep> {
    let found = ASSIGNMENTS.iter().find_map(|(old, new)| {
        let at = *outside(text, old).first()?;
        let mut text = text.to_owned();
        text.replace_range(at..at + old.len(), new);
        Some(OneStep {
            step: Step::ArithmeticOperator,
            text,
        })
    });
    found.into_iter().collect()
}

impl Edits<'_> {
    /// Adds or subtracts 1, unless the part is a sum with a number that can be changed instead.
    fn beside(&mut self, node: &Node, required: Binding) {
        let has_number = match &node.shape {
            Shape::Arith(ArithOp::Add | ArithOp::Sub, a, b) => is_literal(a) || is_literal(b),
            Shape::Arith(..) => false,
            Shape::Leaf(_) => is_literal(node),
            _ => true,
        };
        if has_number {
            return;
        }
        for sign in ["+ 1", "- 1"] {
            let text = self.source(node);
            let text = match binding(node) < Binding::Add {
                true => format!("({text}) {sign}"),
                false => format!("{text} {sign}"),
            };
            self.replace(Step::OperandOffByOne, node, text, Binding::Add, required);
        }
    }

    /// Tries every other operator textually, so operands may be grouped differently afterwards.
    fn operators(&mut self, node: &Node) {
        let Shape::Arith(op, a, b) = &node.shape else {
            return;
        };
        if let Some(at) = self.operator(a, b, op.token()) {
            for other in ["+", "-", "*", "/", "%"] {
                self.put(
                    Step::ArithmeticOperator,
                    vec![(at.clone(), other.to_owned())],
                );
            }
        }
        self.operators(a);
        self.operators(b);
    }

    /// Adds or subtracts 1 from the operands of multiplications, divisions and remainders.
    fn factors(&mut self, node: &Node) {
        if let Shape::Arith(op, a, b) = &node.shape {
            for part in [a, b] {
                if !matches!(op, ArithOp::Add | ArithOp::Sub) {
                    self.beside(part, Binding::Unary);
                }
                self.factors(part);
            }
        }
    }

    /// Tries other bit operators.
    fn bits(&mut self, node: &Node) {
        match &node.shape {
            Shape::Arith(_, a, b) => [a, b].into_iter().for_each(|part| self.bits(part)),
            Shape::Leaf(_) => {
                let text = self.source(node);
                for (old, new) in BITWISE {
                    for at in outside(&text, &format!(" {old} ")) {
                        let start = node.span.start + at + 1;
                        let replaced = vec![(start..start + old.len(), new.to_owned())];
                        self.put(Step::ArithmeticOperator, replaced);
                    }
                }
            }
            _ => {}
        }
    }

    /// Tries other names of the same type.
    fn names(&mut self, node: &Node, substitutes: Substitutes) {
        match &node.shape {
            Shape::Arith(_, a, b) => {
                [a, b]
                    .into_iter()
                    .for_each(|part| self.names(part, substitutes));
            }
            Shape::Leaf(_) if !is_literal(node) => {
                let text = self.source(node);
                let depths = depths(&text);
                for word in words(&text) {
                    if depths[word.start] > 0 {
                        continue;
                    }
                    let at = node.span.start + word.start..node.span.start + word.end;
                    for other in substitutes.of(&text, &word) {
                        self.put(Step::Name, vec![(at.clone(), other)]);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The number of brackets that are open at each byte.
pub(super) fn depths(text: &str) -> Vec<usize> {
    let mut depth: usize = 0;
    let depths = text.bytes().map(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth
    });
    depths.collect()
}

/// The bytes at which a token occurs outside brackets. Empty if the text has comments or literals in quotes.
pub(super) fn outside(text: &str, token: &str) -> Vec<usize> {
    if text.contains("//") || text.contains("/*") || text.contains(['"', '\'']) {
        return Vec::new();
    }
    let depths = depths(text);
    let found = text.match_indices(token).map(|(at, _)| at);
    found.filter(|at| depths[*at] == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_done_with_the_opposite_operator() {
        let edits = |text| -> Vec<String> {
            let edits = assignment_edits(text).into_iter();
            edits.map(|edit| edit.text).collect()
        };
        assert_eq!(edits("a[i + 1] += f(--x)"), ["a[i + 1] -= f(--x)"]);
        assert_eq!(edits("x <<= 1"), ["x >>= 1"]);
        assert_eq!(edits("i++"), ["i--"]);
        assert_eq!(edits("--p->count"), ["++p->count"]);
        assert_eq!(edits("x = 1"), [""; 0]);
    }

    #[test]
    fn a_token_in_brackets_belongs_to_them() {
        assert_eq!(outside("a[i & 1] & f(b & c)", " & "), [8]);
        assert_eq!(outside("x /* & */ & y", " & "), [0; 0]);
    }
}
