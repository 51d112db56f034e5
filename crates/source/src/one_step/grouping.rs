//! Moves parentheses: `a || b && c` to `(a || b) && c`, if the author forgot which connective binds more tightly.

use std::ops::Range;

use nopol_expr::Binding;

use super::{Edits, Step};
use crate::condition::{Node, Shape};

/// The text to replace: all of a node with two connectives, or a part of it.
struct Regrouping<'n> {
    at: Range<usize>,
    node: &'n Node,
    /// The binding strength below which the replacement needs parentheses.
    required: Binding,
}

impl<'a> Edits<'a> {
    /// Groups the operands of two nested connectives the other way.
    pub(super) fn regroup(&mut self, node: &Node, required: Binding) {
        let (a, b, is_and) = match &node.shape {
            Shape::And(a, b) => (&**a, &**b, true),
            Shape::Or(a, b) => (&**a, &**b, false),
            _ => return,
        };
        let below = match is_and {
            true => Binding::And,
            false => Binding::Or,
        };
        // In `x || a || b && c`, the group takes the last two operands, or all three.
        let mut before = vec![(a, required)];
        before.extend(operands(a, is_and).pop().map(|last| (last, below)));
        for (left, required) in before {
            let at = self.extent(left).start..self.extent(b).end;
            let place = Regrouping { at, node, required };
            // In `a || b && c && d`, the group takes the first two operands, or three.
            let inner = operands(b, !is_and);
            for end in 1..inner.len() {
                let group = self.grouped(&[left], &inner[..end], is_and);
                self.group(&place, "", group, self.after(inner[end - 1], b));
            }
            let inner = operands(left, !is_and);
            for start in 1..inner.len() {
                let group = self.grouped(&inner[start..], &[b], is_and);
                self.group(&place, self.before(inner[start], left), group, "");
            }
        }
    }

    /// Operands on both sides of a connective as one group. `None` if anything else is between them.
    fn grouped(&self, left: &[&Node], right: &[&Node], is_and: bool) -> Option<String> {
        let text = |nodes: &[&Node]| {
            let (first, last) = (self.extent(nodes.first()?), self.extent(nodes.last()?));
            let text = &self.text[first.start..last.end];
            // Operands that shared a pair of parentheses need one again.
            Some(match is_and && nodes.len() > 1 {
                true => format!("({text})"),
                false => text.to_owned(),
            })
        };
        let (end, start) = (
            self.extent(left.last()?).end,
            self.extent(right.first()?).start,
        );
        let bare = self.text.get(end..start)?.replace(['(', ')'], "");
        let token = if is_and { "&&" } else { "||" };
        (bare.trim() == token).then_some(())?;
        let (left, right) = (text(left)?, text(right)?);
        Some(match is_and {
            true => format!("{left}{bare}{right}"),
            false => format!("({left}{bare}{right})"),
        })
    }

    /// The text of a node after one of its operands.
    fn after(&self, operand: &Node, node: &Node) -> &'a str {
        &self.text[self.extent(operand).end..node.span.end]
    }

    /// The text of a node before one of its operands.
    fn before(&self, operand: &Node, node: &Node) -> &'a str {
        &self.text[node.span.start..self.extent(operand).start]
    }

    /// Replaces a place by a group and the text beside it, in parentheses if needed.
    fn group(&mut self, place: &Regrouping, first: &str, group: Option<String>, rest: &str) {
        let Some(group) = group else {
            return;
        };
        let Regrouping { at, node, required } = place;
        // The outer connective becomes the inner one, and the reverse.
        let binding = match node.shape {
            Shape::And(..) => Binding::Or,
            _ => Binding::And,
        };
        let new = format!("{first}{group}{rest}");
        let around = match *at == node.span {
            true => self.extent(node),
            false => at.clone(),
        };
        let replacement = match (binding < *required, around == *at) {
            (true, true) => (around, format!("({new})")),
            (true, false) => (at.clone(), new),
            (false, _) => (around, new),
        };
        self.put(Step::Regrouped, vec![replacement]);
    }

    /// The bytes of a node, including the parentheses around it.
    fn extent(&self, node: &Node) -> Range<usize> {
        let span = &node.span;
        match self.is_enclosed(span) {
            true => {
                let before = self.text[..span.start].trim_end();
                let after = self.text[span.end..].trim_start();
                before.len() - 1..self.text.len() - after.len() + 1
            }
            false => span.clone(),
        }
    }
}

/// The operands of a chain of one connective, left to right. Empty if the node is no such chain.
fn operands(node: &Node, is_and: bool) -> Vec<&Node> {
    match node.clauses(is_and) {
        one if one.len() == 1 => Vec::new(),
        several => several,
    }
}
