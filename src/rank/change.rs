//! What an edit changes, derived only from the trees of the old and the new condition. So it does not matter who
//! proposed the edit: a synthesizer, a one-step edit, or a person in the history of a program.

use nopol_expr::CmpOp;
use nopol_source::condition::{LeafKind, Node, Shape};
use nopol_source::one_step::{are_opposite, opposite_call};

/// The kind of a change.
#[derive(Clone, Debug)]
pub enum Change<'t> {
    /// Only the spelling.
    Nothing,
    /// A comparison operator.
    Operator(CmpOp, CmpOp),
    /// `&&` to `||` or the reverse, where the first operand may also be negated; `|` to `||`; or regrouping by
    /// parentheses.
    Connective,
    /// Clauses were added with this connective.
    Added {
        /// Whether the connective is `&&`.
        is_and: bool,
        /// The added clauses.
        clauses: Vec<&'t Node>,
        /// Whether they come before all others.
        is_first: bool,
    },
    /// Clauses were removed.
    Dropped,
    /// A part was negated, or a negation removed.
    Negated,
    /// A number replaced by its neighbour.
    NextConstant,
    /// A literal replaced by another.
    Constant,
    /// 1 added to or subtracted from an operand.
    OffByOne,
    /// Another term added to or subtracted from an operand, or other arithmetic.
    Arithmetic,
    /// An operand replaced.
    Operand {
        /// The replaced operand.
        old: &'t Node,
        /// The new operand.
        new: &'t Node,
    },
    /// Several changes at once, or a change of no other kind.
    Replaced,
}

/// The change from one condition to another.
pub fn change<'t>(old: &'t Node, new: &'t Node) -> Change<'t> {
    if old.text == new.text {
        return Change::Nothing;
    }
    if let (Shape::Not(inner), _) = (&old.shape, &new.shape)
        && inner.text == new.text
    {
        return Change::Negated;
    }
    if let Shape::Not(inner) = &new.shape
        && inner.text == old.text
    {
        return Change::Negated;
    }
    for is_and in [true, false] {
        let (before, after) = (old.clauses(is_and), new.clauses(is_and));
        if before.len() == 1 && after.len() == 1 {
            continue;
        }
        if let Some(change) = of_clauses(&before, &after, is_and) {
            return change;
        }
    }
    if is_short_circuit(&old.text, &new.text) || is_regrouped(&old.text, &new.text) {
        return Change::Connective;
    }
    match (&old.shape, &new.shape) {
        (Shape::And(a, b), Shape::Or(c, d)) | (Shape::Or(a, b), Shape::And(c, d))
            if b.text == d.text && (a.text == c.text || is_negation(a, c)) =>
        {
            Change::Connective
        }
        (Shape::Not(a), Shape::Not(b)) => change(a, b),
        (Shape::Cmp(p, a, b), Shape::Cmp(q, c, d)) => {
            if a.text == c.text && b.text == d.text {
                Change::Operator(*p, *q)
            } else if a.text == d.text && b.text == c.text {
                match p.mirrored() == *q {
                    true => Change::Nothing,
                    false => Change::Operator(*p, q.mirrored()),
                }
            } else if p == q && a.text == c.text {
                of_operands(b, d)
            } else if p == q && b.text == d.text {
                of_operands(a, c)
            } else if p.mirrored() == *q && a.text == d.text {
                of_operands(b, c)
            } else if p.mirrored() == *q && b.text == c.text {
                of_operands(a, d)
            } else {
                Change::Replaced
            }
        }
        (Shape::Leaf(_), Shape::Leaf(_)) if differ_in_one_name(&old.text, &new.text) => {
            Change::Operand { old, new }
        }
        _ => Change::Replaced,
    }
}

/// Whether two texts differ only in one variable, field, method name or literal.
fn differ_in_one_name(a: &str, b: &str) -> bool {
    let is_name = |middle: Vec<&str>| !middle.iter().any(|it| matches!(*it, "(" | "[" | ","));
    let (old, new) = differing(a, b);
    is_name(old) && is_name(new)
}

/// Whether two operands differ only in the name of one method of the standard library, and the methods have opposite
/// results, such as `all` and `any`.
pub fn swaps_methods(old: &str, new: &str) -> bool {
    match differing(old, new) {
        (old, new) if old.len() == 1 && new.len() == 1 => are_opposite(old[0], new[0]),
        _ => false,
    }
}

/// The tokens of two texts without their common start and end.
fn differing<'t>(a: &'t str, b: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut a, mut b) = (tokens(a), tokens(b));
    let pairs = a.iter().zip(&b);
    let start = pairs.take_while(|(a, b)| a == b).count();
    let pairs = a[start..].iter().rev().zip(b[start..].iter().rev());
    let end = pairs.take_while(|(a, b)| a == b).count();
    for tokens in [&mut a, &mut b] {
        tokens.truncate(tokens.len() - end);
        tokens.drain(..start);
    }
    (a, b)
}

/// Splits a text into names, numbers, and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_part(first) {
            true => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    tokens
}

/// Whether one condition is the other with a connective instead of a bit operator.
fn is_short_circuit(a: &str, b: &str) -> bool {
    let mut pairs = [("|", "||"), ("&", "&&")].into_iter();
    pairs.any(|(bits, connective)| {
        let [bits, connective] = [bits, connective].map(|token| format!(" {token} "));
        a.replacen(&bits, &connective, 1) == b || b.replacen(&bits, &connective, 1) == a
    })
}

/// Whether two conditions differ only in parentheses.
fn is_regrouped(a: &str, b: &str) -> bool {
    let bare = |text: &str| -> String {
        let is_kept = |c: &char| !c.is_whitespace() && !matches!(c, '(' | ')');
        text.chars().filter(is_kept).collect()
    };
    bare(a) == bare(b)
}

/// Whether the texts of two conditions are each other's negations.
fn is_negation(a: &Node, b: &Node) -> bool {
    match (&a.shape, &b.shape) {
        (Shape::Not(inner), _) if inner.text == b.text => true,
        (_, Shape::Not(inner)) => inner.text == a.text,
        (Shape::Cmp(p, a, b), Shape::Cmp(q, c, d)) => {
            p.negated() == *q && a.text == c.text && b.text == d.text
        }
        _ => opposite_call(&a.text).is_some_and(|opposite| opposite == *b.text),
    }
}

/// The change from one list of clauses to another. `None` if it is of no single kind.
fn of_clauses<'t>(before: &[&'t Node], after: &[&'t Node], is_and: bool) -> Option<Change<'t>> {
    let has = |all: &[&Node], one: &Node| all.iter().any(|other| other.text == one.text);
    let new: Vec<&Node> = after
        .iter()
        .copied()
        .filter(|it| !has(before, it))
        .collect();
    let gone: Vec<&Node> = before
        .iter()
        .copied()
        .filter(|it| !has(after, it))
        .collect();
    match (&*new, &*gone) {
        // Several clauses at once go only where a condition is rewritten.
        ([], [_]) if !after.is_empty() => Some(Change::Dropped),
        ([_, ..], []) if after.len() > before.len() => Some(Change::Added {
            is_and,
            is_first: after.first().is_some_and(|first| !has(before, first)),
            clauses: new,
        }),
        ([new], [old]) if before.len() == after.len() => Some(change(old, new)),
        _ => None,
    }
}

/// The change from one numeric expression to another.
pub fn of_numbers<'t>(old: &'t Node, new: &'t Node) -> Change<'t> {
    if let (Shape::Arith(p, a, b), Shape::Arith(q, c, d)) = (&old.shape, &new.shape) {
        match (a.text == c.text, b.text == d.text) {
            (true, true) => return Change::Arithmetic,
            (true, false) if p == q => return of_numbers(b, d),
            (false, true) if p == q => return of_numbers(a, c),
            _ => {}
        }
    }
    of_operands(old, new)
}

/// The change from one operand to another.
fn of_operands<'t>(old: &'t Node, new: &'t Node) -> Change<'t> {
    if let Shape::Arith(_, a, b) = &new.shape {
        let other = match (a.text == old.text, b.text == old.text) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        };
        return match other {
            Some(other) if other.text == "1" => Change::OffByOne,
            Some(_) => Change::Arithmetic,
            None => match is_literal(old) {
                true => Change::Operand { old, new },
                false => Change::Arithmetic,
            },
        };
    }
    if let Shape::Arith(_, a, b) = &old.shape
        && (a.text == new.text || b.text == new.text)
    {
        return match a.text == "1" || b.text == "1" {
            true => Change::OffByOne,
            false => Change::Arithmetic,
        };
    }
    match is_literal(old) && is_literal(new) {
        false => Change::Operand { old, new },
        true => match (number(&old.text), number(&new.text)) {
            (Some(a), Some(b)) if a.abs_diff(b) == 1 => Change::NextConstant,
            _ => Change::Constant,
        },
    }
}

/// Whether a node is a literal.
pub fn is_literal(node: &Node) -> bool {
    matches!(&node.shape, Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal)
}

/// The value of an integer literal, without its type suffix.
pub fn number(text: &str) -> Option<i128> {
    let text = text.replace('_', "");
    let digits = text.trim_start_matches('-');
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let value: i128 = digits[..end].parse().ok()?;
    let rest = &digits[end..];
    let is_suffix = rest.is_empty() || rest.starts_with(['u', 'i', 'L', 'U']);
    is_suffix.then_some(if text.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use nopol_source::Language;

    use super::*;

    fn name(old: &str, new: &str) -> String {
        let parse = |text: &str| Language::Rust.parse(text).unwrap();
        let text = format!("{:?}", change(&parse(old), &parse(new)));
        let end = text.find([' ', '{']).unwrap_or(text.len());
        text[..end].to_owned()
    }

    #[test]
    fn kinds_of_changes_are_distinguished() {
        for (old, new, expected) in [
            ("a < b", "a <= b", "Operator(Lt,"),
            ("a < b", "b >= a", "Operator(Lt,"),
            ("a < b", "b > a", "Nothing"),
            ("a.b.c()", "a.d.c()", "Operand"),
            ("flag", "self.other", "Operand"),
            ("s.f('a')", "s.f(\"a\")", "Operand"),
            ("s.f('a')", "s.g('b')", "Replaced"),
            ("a || s.f('a')", "a || t.g(n)", "Replaced"),
            ("a && b", "a || b", "Connective"),
            ("i >= n || a[i]", "i < n && a[i]", "Connective"),
            ("x.is_some() && y", "x.is_none() || y", "Connective"),
            ("!a && b", "a || b", "Connective"),
            ("(a == 0) | b.c()", "(a == 0) || b.c()", "Connective"),
            ("a || b && c", "(a || b) && c", "Connective"),
            ("x && (a || b && c)", "x && (a || b) && c", "Connective"),
            ("a", "a && b < c", "Added"),
            ("a || b", "a || b || c", "Added"),
            ("a && b && c", "a && c", "Dropped"),
            ("a && b && c && d", "d", "Replaced"),
            ("a && b < c", "a && b <= c", "Operator(Lt,"),
            ("a", "!a", "Negated"),
            ("!a && b", "a && b", "Negated"),
            ("a == 1", "a == 2", "NextConstant"),
            ("a == 1", "a == 7", "Constant"),
            ("a < b", "a < b + 1", "OffByOne"),
            ("a < b - 1", "a < b", "OffByOne"),
            ("a < b", "a < c", "Operand"),
            ("a < b", "a < b + c", "Arithmetic"),
            ("x.is_some()", "y.is_some()", "Operand"),
            ("a < b", "c && d", "Replaced"),
        ] {
            assert_eq!(name(old, new), expected, "{old} to {new}");
        }
    }

    #[test]
    fn opposite_methods_are_swapped_only_if_nothing_else_changes() {
        assert!(swaps_methods("v.iter().all(f)", "v.iter().any(f)"));
        assert!(!swaps_methods("v.iter().all(f)", "w.iter().any(f)"));
        assert!(!swaps_methods("v.iter().all(f)", "w.iter().all(f)"));
        assert!(!swaps_methods("left.len()", "right.len()"));
    }

    #[test]
    fn numbers_have_a_value_whatever_their_type() {
        assert_eq!(number("1_000u32"), Some(1000));
        assert_eq!(number("-3"), Some(-3));
        assert_eq!(number("0x10"), None);
        assert_eq!(number("1.5"), None);
    }
}
