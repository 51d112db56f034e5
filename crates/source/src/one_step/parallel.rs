//! Clauses that are added because they resemble existing ones ([`clauses`]), and clauses replaced by such ones.

use nopol_expr::{Binding, CmpOp};

use super::{Edits, Step, binding};
use crate::clauses;
use crate::condition::{Node, Shape};

/// Most clauses added that resemble those of the condition.
const MOST_LIKE: usize = 10;

impl Edits<'_> {
    /// Adds clauses that resemble those of the condition, first by its own connective.
    pub(super) fn parallel(&mut self, condition: &Node, required: Binding) {
        let by_and = !matches!(condition.shape, Shape::Or(..));
        let of_condition = condition.all_clauses();
        // Each with its position among the variants of its clause.
        let mut made: Vec<(usize, String, Binding)> = Vec::new();
        for clause in &of_condition {
            let text = self.source(clause);
            let alike = clauses::like(&text, self.nearby.around).into_iter();
            let alike = alike.filter(|like| !compares_with_itself(like));
            for (nth, like) in alike.enumerate() {
                // A clause that differs only in a number is left to `Step::Constant`, which uses only the function's
                // numbers.
                if without_numbers(&like) != without_numbers(&text) {
                    self.put(Step::Sibling, vec![(clause.span.clone(), like.clone())]);
                }
                made.push((nth, like, binding(clause)));
            }
        }
        // Take turns, so that no clause crowds out the variants of others.
        made.sort_by_key(|(nth, ..)| *nth);
        made.truncate(MOST_LIKE);
        for (is_and, is_same) in [
            (by_and, true),
            (!by_and, true),
            (by_and, false),
            (!by_and, false),
        ] {
            for (_, clause, binds) in &made {
                let (token, own) = match is_and {
                    true => ("&&", Binding::And),
                    false => ("||", Binding::Or),
                };
                let clause = match is_same {
                    true if *binds < own => format!("({clause})"),
                    true => clause.clone(),
                    false => negated(clause, *binds),
                };
                let old = self.source(condition);
                let old = match binding(condition) < own {
                    true => format!("({old})"),
                    false => old,
                };
                // `n == 1 && n == 2` never holds, `n != 1 || n != 2` always holds, and in `n > 1 && n > 2` one clause
                // is redundant.
                let idle = if is_and { " == " } else { " != " };
                let mut operators = [idle, " < ", " <= ", " > ", " >= "].into_iter();
                let is_idle = operators.any(|operator| {
                    let left = |text: &str| Some(text.split_once(operator)?.0.to_owned());
                    let mut known = of_condition.iter().filter_map(|it| left(&self.source(it)));
                    left(&clause).is_some_and(|left| known.any(|other| other == left))
                });
                if is_idle {
                    continue;
                }
                let new = format!("{old} {token} {clause}");
                self.replace(Step::Parallel, condition, new, own, required);
            }
        }
    }
}

/// Whether both sides of a comparison are the same.
fn compares_with_itself(clause: &str) -> bool {
    let sides = |op: CmpOp| clause.split_once(&format!(" {} ", op.token()));
    let mut sides = CmpOp::ALL.into_iter().filter_map(sides);
    sides.any(|(left, right)| left.trim() == right.trim())
}

/// A text without its numbers. Digits in names stay.
fn without_numbers(text: &str) -> String {
    let mut is_in_name = false;
    let is_kept = |c: &char| {
        is_in_name = c.is_alphabetic() || *c == '_' || is_in_name && c.is_ascii_digit();
        is_in_name || !c.is_ascii_digit()
    };
    text.chars().filter(is_kept).collect()
}

/// The negation of a clause, as people would write it.
pub(super) fn negated(clause: &str, binds: Binding) -> String {
    if let Some(inner) = clause.strip_prefix('!').filter(|_| binds == Binding::Unary) {
        return inner.to_owned();
    }
    if binds > Binding::Compare {
        return format!("!{clause}");
    }
    // Find a comparison operator with spaces around it, outside strings and parentheses.
    let mut depth = 0;
    let mut quote = None;
    for (at, c) in clause.char_indices() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ' ') if depth == 0 => {
                let rest = &clause[at + 1..];
                let mut all = CmpOp::ALL.into_iter();
                let found = all.find(|op| rest.starts_with(&format!("{} ", op.token())));
                if let Some(op) = found {
                    let (left, right) = (&clause[..at], &rest[op.token().len()..]);
                    return format!("{left} {}{right}", op.negated().token());
                }
            }
            _ => {}
        }
    }
    format!("!({clause})")
}
