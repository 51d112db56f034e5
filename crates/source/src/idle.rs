//! Conditions with a part that never holds, always holds, or is redundant beside another part: `x == A && x == B`,
//! `0 > 1`, `(a || b) && a`.

use std::cmp::Ordering;

use nopol_scalar::{CmpOp, IntType};

use super::Name;
use super::condition::{LeafKind, Node, Shape};

/// Whether some conjunction contradicts itself, some disjunction always holds, a comparison always has the same
/// outcome, arithmetic has no effect (such as division by 1), or a clause is a literal or redundant beside another one.
/// The synthesizer has the same check for expressions (`nopol_synth::has_idle_part`), whose types and values it knows.
pub fn has_idle_part(node: &Node) -> bool {
    contradicts(node, true) || has_superfluous(node)
}

/// Whether a part is redundant.
fn has_superfluous(node: &Node) -> bool {
    let is_literal = |node: &Node| matches!(&*node.text, "true" | "false" | "1" | "0");
    let (own, parts): (bool, Vec<&Node>) = match &node.shape {
        Shape::Leaf(_) => return false,
        Shape::Not(a) => (false, vec![a]),
        Shape::Cmp(_, a, b) => (a.text == b.text, vec![a, b]),
        Shape::Arith(op, a, b) => (op.is_idle(number(a), number(b)), vec![a, b]),
        Shape::And(..) | Shape::Or(..) => {
            let is_and = matches!(node.shape, Shape::And(..));
            let clauses = node.clauses(is_and);
            let mut pairs = clauses
                .iter()
                .flat_map(|a| clauses.iter().map(move |b| (*a, *b)))
                .filter(|(a, b)| !std::ptr::eq(*a, *b));
            let own = clauses.iter().any(|clause| is_literal(clause))
                || pairs.any(|(a, b)| is_enough(a, b, is_and) || is_known_in(a, b));
            (own, clauses)
        }
    };
    own || parts.into_iter().any(has_superfluous)
}

/// Whether one of two clauses of a chain makes the other redundant.
fn is_enough(a: &Node, b: &Node, is_and: bool) -> bool {
    if implies(a, b) {
        return true;
    }
    let compared = |node: &Node| match &node.shape {
        Shape::Cmp(op, a, b) => match (number(a), number(b)) {
            (None, Some(value)) => Some((a.text.clone(), *op, value)),
            (Some(value), None) => Some((b.text.clone(), op.mirrored(), value)),
            _ => None,
        },
        _ => None,
    };
    match (compared(a), compared(b)) {
        (Some((x, op, value)), Some((y, other, of_other))) => {
            x == y && CmpOp::are_idle([(op, value), (other, of_other)], is_and)
        }
        _ => a.text == b.text,
    }
}

/// Whether one comparison implies another one of the same operands: `n < m` implies `n <= m`.
fn implies(a: &Node, b: &Node) -> bool {
    let (Shape::Cmp(op, x, y), Shape::Cmp(other, z, w)) = (&a.shape, &b.shape) else {
        return false;
    };
    let other = match (
        x.text == z.text && y.text == w.text,
        x.text == w.text && y.text == z.text,
    ) {
        (true, _) => *other,
        (_, true) => other.mirrored(),
        _ => return false,
    };
    matches!(
        (op, other),
        (CmpOp::Lt, CmpOp::Le | CmpOp::Ne)
            | (CmpOp::Gt, CmpOp::Ge | CmpOp::Ne)
            | (CmpOp::Eq, CmpOp::Le | CmpOp::Ge)
    )
}

/// Whether one clause also occurs inside another one, where its outcome is already known: `a` in `a && (b || a)`,
/// `a && (b || !a)` and `(c || b && a) && a`.
fn is_known_in(one: &Node, other: &Node) -> bool {
    let parts: &[&Node] = match &other.shape {
        Shape::And(a, b) | Shape::Or(a, b) => &[a, b],
        Shape::Not(a) => &[a],
        _ => &[],
    };
    let mut parts = parts.iter();
    parts.any(|part| part.text == one.text || is_known_in(one, part))
}

/// The value of a number literal.
fn number(node: &Node) -> Option<i128> {
    match &node.shape {
        Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => {
            let digits: String = leaf.text.chars().filter(|c| *c != '_').collect();
            digits.parse().ok()
        }
        _ => None,
    }
}

/// Whether a comparison of a variable or a length with a number has the same outcome for all values of the declared
/// type: `b > 255` if `b` is a `u8`.
pub fn is_constant_by_type(node: &Node, names: &[Name]) -> bool {
    let Shape::Cmp(op, a, b) = &node.shape else {
        return false;
    };
    let (op, variable, value) = match (number(a), number(b)) {
        (None, Some(value)) => (*op, a, value),
        (Some(value), None) => (op.mirrored(), b, value),
        _ => return false,
    };
    let is_length = variable.text.ends_with(".len()") || variable.text.ends_with(".count()");
    // The nearest variable with a name shadows the others.
    let named = names.iter().find(|name| name.text == variable.text);
    let ty = named.and_then(|name| name.ty.as_ref());
    let range = match ty {
        _ if is_length => range("usize"),
        Some(ty) => range(&ty.plain),
        None => None,
    };
    let Some((least, greatest)) = range else {
        return false;
    };
    let holds = |at: i128| op.holds(Some(at.cmp(&value)));
    match op {
        CmpOp::Eq | CmpOp::Ne => value < least || value > greatest,
        _ => holds(least) == holds(greatest),
    }
}

/// The least and the greatest value of an integer type of Rust, or of an unsigned type of C.
fn range(ty: &str) -> Option<(i128, i128)> {
    let words: String = ty.chars().filter(|c| !c.is_whitespace()).collect();
    let int = match &*words {
        "uint8_t" | "unsignedchar" => IntType::U8,
        "uint16_t" | "unsignedshort" => IntType::U16,
        "uint32_t" | "unsigned" | "unsignedint" => IntType::U32,
        "uint64_t" | "size_t" | "unsignedlong" | "unsignedlonglong" => IntType::U64,
        name => IntType::from_name(name).filter(|int| int.bits() < 128)?,
    };
    Some((int.kind().least(), int.kind().greatest()))
}

/// Whether some conjunction of a node contradicts itself, some disjunction always holds, or a comparison is decided.
/// The same for the negation of the node, unless `holds`.
fn contradicts(node: &Node, holds: bool) -> bool {
    let (is_and, parts) = match &node.shape {
        Shape::Not(inner) => return contradicts(inner, !holds),
        Shape::And(a, b) => (true, [a, b]),
        Shape::Or(a, b) => (false, [a, b]),
        Shape::Cmp(_, a, b) => return is_decided(&a.text, &b.text),
        Shape::Leaf(_) | Shape::Arith(..) => return false,
    };
    let mut clauses = Vec::new();
    collect(node, is_and, holds, &mut clauses);
    // The negation of a disjunction that always holds is a conjunction that contradicts itself.
    let wanted = is_and == holds;
    let exclude = |(a, of_a): &(Question, Option<Order>), (b, of_b): &(Question, Option<Order>)| {
        let by_order = match (of_a, of_b) {
            (Some(a), Some(b)) => a.excludes(b, wanted),
            _ => false,
        };
        by_order
            || match wanted {
                true => a.excludes(b),
                false => a.negated().excludes(&b.negated()),
            }
    };
    let mut pairs = clauses
        .iter()
        .enumerate()
        .flat_map(|(at, a)| clauses[at + 1..].iter().map(move |b| (a, b)));
    pairs.any(|(a, b)| exclude(a, b)) || parts.iter().any(|part| contradicts(part, holds))
}

/// Whether the outcome of comparing two operands is known without running the program.
fn is_decided(a: &str, b: &str) -> bool {
    let is_literal = |text: &str| is_constant(text.strip_prefix('-').unwrap_or(text));
    is_literal(a) && is_literal(b)
}

/// Methods that test the start and the end of a string.
const STARTS: &str = ".starts_with";
const ENDS: &str = ".ends_with";

/// Whether one of two literals starts with the other.
fn one_starts(a: &str, b: &str) -> bool {
    let (a, b) = (contents(a), contents(b));
    a.starts_with(b) || b.starts_with(a)
}

/// Whether one of two literals ends with the other.
fn one_ends(a: &str, b: &str) -> bool {
    let (a, b) = (contents(a), contents(b));
    a.ends_with(b) || b.ends_with(a)
}

/// The text between the quotes of a literal.
fn contents(literal: &str) -> &str {
    let mut chars = literal.chars();
    match (chars.next(), chars.next_back()) {
        (Some('"' | '\''), Some('"' | '\'')) => chars.as_str(),
        _ => literal,
    }
}

/// What a clause tests: whether one text equals another, starts or ends with it (`value`), or any other property (no
/// `value`). `holds` is the outcome that makes the clause true.
struct Question {
    what: String,
    value: Option<String>,
    holds: bool,
}

impl Question {
    fn negated(&self) -> Self {
        Self {
            what: self.what.clone(),
            value: self.value.clone(),
            holds: !self.holds,
        }
    }

    /// Whether the two cannot hold together.
    fn excludes(&self, other: &Self) -> bool {
        if self.what != other.what {
            return false;
        }
        match (&self.value, &other.value) {
            (Some(a), Some(b)) if a != b => {
                let are_disjoint = match () {
                    () if self.what.ends_with(STARTS) => !one_starts(a, b),
                    () if self.what.ends_with(ENDS) => !one_ends(a, b),
                    () => true,
                };
                self.holds && other.holds && is_constant(a) && is_constant(b) && are_disjoint
            }
            (a, b) => a == b && self.holds != other.holds,
        }
    }
}

/// The orders of two operands that a comparison accepts. NaN, which has no order, is ignored.
struct Order {
    of: [String; 2],
    /// For less, equal and greater.
    accepts: [bool; 3],
}

impl Order {
    fn of(op: CmpOp, a: String, b: String, holds: bool) -> Self {
        let (op, of) = match a <= b {
            true => (op, [a, b]),
            false => (op.mirrored(), [b, a]),
        };
        let orders = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        Self {
            of,
            accepts: orders.map(|order| op.holds(Some(order)) == holds),
        }
    }

    /// Whether no order is accepted by both. Unless `wanted`: whether no order is rejected by both.
    fn excludes(&self, other: &Self, wanted: bool) -> bool {
        let mut both = self.accepts.iter().zip(&other.accepts);
        self.of == other.of && both.all(|(a, b)| *a != wanted || *b != wanted)
    }
}

/// Adds the questions of a conjunction or disjunction.
fn collect(node: &Node, is_and: bool, holds: bool, found: &mut Vec<(Question, Option<Order>)>) {
    match &node.shape {
        Shape::And(a, b) if is_and => {
            collect(a, is_and, holds, found);
            collect(b, is_and, holds, found);
        }
        Shape::Or(a, b) if !is_and => {
            collect(a, is_and, holds, found);
            collect(b, is_and, holds, found);
        }
        _ => found.extend(question(node, holds)),
    }
}

fn question(node: &Node, holds: bool) -> Option<(Question, Option<Order>)> {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    match &node.shape {
        Shape::Not(inner) => question(inner, !holds),
        Shape::Leaf(_) => {
            let text = squeezed(&node.text);
            let asked = [STARTS, ENDS].into_iter().find_map(|method| {
                let (of, argument) = text.strip_suffix(')')?.rsplit_once(&format!("{method}("))?;
                is_constant(argument).then(|| (format!("{of}{method}"), argument.to_owned()))
            });
            let question = match asked {
                Some((what, literal)) => Question {
                    what,
                    value: Some(literal),
                    holds,
                },
                None => Question {
                    what: text,
                    value: None,
                    holds,
                },
            };
            Some((question, None))
        }
        Shape::Cmp(op, a, b) => {
            let (op, a, b) = match is_constant(&a.text) {
                true => (op.mirrored(), b, a),
                false => (*op, a, b),
            };
            let (what, value) = (squeezed(&a.text), squeezed(&b.text));
            let value = without_type(&value).to_owned();
            let order = Order::of(op, what.clone(), value.clone(), holds);
            let question = match op.orders() {
                true => Question {
                    what: format!("{what}{}{value}", op.token()),
                    value: None,
                    holds,
                },
                false => Question {
                    what,
                    value: Some(value),
                    holds: holds == (op == CmpOp::Eq),
                },
            };
            Some((question, Some(order)))
        }
        _ => None,
    }
}

/// A number without its type suffix: `0` for `0u64`.
fn without_type(text: &str) -> &str {
    let ends = ["8", "16", "32", "64", "128", "size"];
    let of = ends.iter().find_map(|end| text.strip_suffix(end));
    let number = of.and_then(|of| of.strip_suffix(['u', 'i']));
    let is_number = |it: &&str| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    number
        .filter(|it| it.starts_with(|first: char| first.is_ascii_digit()))
        .filter(is_number)
        .unwrap_or(text)
}

/// Whether a text names a single value: a literal, or a path to a variant. A named constant does not count, because it
/// may equal another one.
fn is_constant(text: &str) -> bool {
    let is_literal = text.starts_with(|c: char| c.is_ascii_digit() || c == '\'' || c == '"');
    let last = text.rsplit("::").next().unwrap_or_default();
    let is_variant = text.contains("::")
        && last.starts_with(|c: char| c.is_ascii_uppercase())
        && last.chars().any(|c| c.is_ascii_lowercase())
        && last.chars().all(char::is_alphanumeric);
    is_literal || is_variant
}

#[cfg(test)]
mod tests {
    use super::{has_idle_part, is_constant_by_type};
    use crate::{DeclaredType, Language, Name};

    #[test]
    fn a_comparison_decided_by_its_type_is_constant() {
        let name = |text: &str, ty: &str| Name {
            text: text.to_owned(),
            ty: Some(DeclaredType {
                plain: ty.to_owned(),
                is_reference: false,
            }),
        };
        let names = [name("b", "u8"), name("i", "i32"), name("n", "size_t")];
        for (text, wanted) in [
            ("b > 255", true),
            ("b >= 255", false),
            ("b < 0", true),
            ("0 <= b", true),
            ("b == 256", true),
            ("b != 255", false),
            ("n < 0", true),
            ("n < 1", false),
            ("i < 0", false),
            ("v.len() >= 0", true),
            ("v.len() > 0", false),
            ("other < 0", false),
        ] {
            let node = Language::Rust.parse(text).unwrap();
            assert_eq!(is_constant_by_type(&node, &names), wanted, "{text}");
        }
    }

    #[test]
    fn idle_parts_are_found_wherever_they_are() {
        for (text, wanted) in [
            ("m == M::Gold && m == M::None", true),
            ("t > 19 || m == M::Gold && m != M::Gold", true),
            ("c != 'a' || c != 'b'", true),
            ("!(n == 1 && n == 2)", true),
            ("a && (b || !a)", true),
            ("(c || b && a) && a", true),
            ("a && !a", true),
            ("n == 1 || n == 2", false),
            ("n != 1 && n != 2", false),
            ("m == M::MAX && m == M::LIMIT", false),
            ("n == a && n == b", false),
            ("n < 1 && n > 2", true),
            ("n <= zero || n > zero", true),
            ("n < m && m <= n", true),
            ("a && (n < m || m < n || n == m)", false),
            ("n < m && n == m", true),
            ("n < m || n > m", false),
            ("n < m && m >= n", true),
            ("n != m || n > m", true),
            ("n < v.len() && n <= v.len()", true),
            ("n <= m && m <= n", false),
            ("n == 0 || n != 0u64", true),
            ("0 == 1", true),
            ("(!a || b(n)) && !a", true),
            ("c || !(a && (a || b))", true),
            ("a || a && b", true),
            ("(a || b) && (a || c)", false),
            ("(a || b) && c", false),
            ("a && -1 < 0", true),
            ("n == -1", false),
            (r#"s.starts_with("0x") && s.starts_with("0X")"#, true),
            (r#"s.starts_with("-") && s.starts_with("--")"#, false),
            (r#"s.ends_with(';') && !s.ends_with(".;")"#, false),
            (r#"s.starts_with('a') || s.starts_with('b')"#, false),
        ] {
            let tree = Language::Rust.parse(text).unwrap();
            assert_eq!(has_idle_part(&tree), wanted, "{text}");
        }
    }
}
