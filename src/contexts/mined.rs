//! Mined constants, from the values of terms in recorded contexts: a character, byte or text where the
//! outcome must change, or the roundest number between the values that expect one outcome and those that
//! expect the other.

use std::collections::HashMap;

use nopol_expr::{Access, CmpOp, Int, IntType, Origin, Pool, Reading, Term, TermId, Type, Value};
use nopol_source::condition::{LeafKind, Node, Shape};
use nopol_source::{Site, Sources};

use super::Recorded;
use super::captures::Captures;
use super::limits;
use super::rows::{changed, old};
use super::terms::binding_of_literal;

/// The mined constants of the pool's terms, without those that are constants of the pool.
pub fn constants(
    sources: &Sources,
    site: &Site,
    recorded: &Recorded,
    captures: &Captures,
    tree: Option<&Node>,
    pool: &Pool,
) -> Vec<Term> {
    let literals = &sources.files[site.file].literals;
    let own = &sources.functions[site.function].literals;
    let hex = own.iter().find(|text| text.starts_with("0x"));
    let style = LiteralStyle {
        bytes: literals.iter().any(|text| text.starts_with("b'")),
        hex: hex.is_some(),
        upper: hex.is_some_and(|text| text.contains(|digit| matches!(digit, 'A'..='F'))),
    };
    let compared = tree.map_or_else(Vec::new, Node::compared);
    let mut found: HashMap<Value, Vec<TermId>> = HashMap::new();
    let mut order = Vec::new();
    for (id, term) in pool.terms.iter_enumerated() {
        let is_number = !matches!(
            term.reading,
            Reading::Converted | Reading::Flag | Reading::Sign
        );
        let is_usable = term.constant.is_none() && term.ty != Type::Bool && is_number;
        // C reads characters through an index, so they count as variables.
        let is_near = term.origin <= Origin::Query || term.reading == Reading::Character;
        if !(is_usable && is_near) {
            continue;
        }
        let mut limits = limits(
            &Values::of(term, recorded, captures),
            limit_of(term, &compared),
        );
        if term.reading == Reading::Character || term.ty == Type::Char {
            // A condition on a letter is often meant for both cases.
            let other: Vec<Value> = limits.iter().filter_map(Value::other_case).collect();
            limits.extend(other);
        }
        for value in limits {
            let has_term =
                |other: &Term| other.ty == term.ty && other.constant.as_ref() == Some(&value);
            if pool.terms.iter().any(has_term) {
                continue;
            }
            let mined_from = found.entry(value).or_insert_with_key(|value| {
                order.push(value.clone());
                Vec::new()
            });
            mined_from.push(id);
        }
    }
    let terms = order
        .into_iter()
        .take(limits::MOST_MINED)
        .filter_map(|value| {
            let mined_from = found.remove(&value)?;
            let (text, ty) = (literal(&value, style), value.ty());
            Some(Term {
                binding: binding_of_literal(&text),
                constant: Some(value),
                mined_from,
                ..Term::new(Access::literal(text), ty, Origin::Mined)
            })
        });
    terms.collect()
}

/// A term's values by expected outcome.
pub(super) struct Values {
    /// Where the outcome must change to false, and to true.
    pub changed: [Vec<Value>; 2],
    /// Where the outcome stays false, and stays true.
    pub kept: [Vec<Value>; 2],
}

impl Values {
    /// Those of a term in the contexts of a site.
    pub fn of(term: &Term, recorded: &Recorded, captures: &Captures) -> Self {
        let column = captures.column(term);
        let mut values = Self {
            changed: [Vec::new(), Vec::new()],
            kept: [Vec::new(), Vec::new()],
        };
        let passing = recorded.passing.iter().flat_map(|(_, contexts)| contexts);
        let passing = passing.map(|context| (context, context.outcome, false));
        let cured = recorded
            .cured
            .values()
            .flatten()
            .flat_map(|cure| &cure.contexts);
        let cured = cured.map(|context| (context, context.outcome, changed(context)));
        let uncured = recorded.uncured.iter().flatten();
        let uncured = uncured.map(|context| (context, !old(context), true));
        for (context, outcome, is_changed) in passing.chain(cured).chain(uncured) {
            let value = column.value(context).filter(|value| value.ty() == term.ty);
            let Some(value) = value else {
                continue;
            };
            let list = match is_changed {
                true => &mut values.changed[usize::from(outcome)],
                false => &mut values.kept[usize::from(outcome)],
            };
            if !list.contains(&value) {
                list.push(value);
            }
        }
        values
    }
}

/// How numbers are written near a site.
#[derive(Clone, Copy)]
struct LiteralStyle {
    /// Bytes as `b'x'`, somewhere in the file.
    bytes: bool,
    /// Numbers as `0x2a`, somewhere in the function.
    hex: bool,
    /// Hexadecimal digits in upper case.
    upper: bool,
}

/// To which side the limit of a comparison belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LimitOf {
    /// As in `n <= 4` and `n > 4`.
    Lower,
    /// As in `n < 5` and `n >= 5`.
    Upper,
}

/// To which side the limit belongs in the first comparison of a term with a literal; `None` if there is none.
fn limit_of(term: &Term, compared: &[(&Node, CmpOp, &Node, &Node)]) -> Option<LimitOf> {
    let is_it =
        |node: &Node| matches!(&node.shape, Shape::Leaf(leaf) if leaf.access == term.access);
    let is_literal =
        |node: &Node| matches!(&node.shape, Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal);
    let of_it = |(_, op, a, b): &(&Node, CmpOp, &Node, &Node)| {
        let op = match (is_it(a) && is_literal(b), is_literal(a) && is_it(b)) {
            (true, _) => *op,
            (_, true) => op.mirrored(),
            _ => return None,
        };
        match op {
            CmpOp::Le | CmpOp::Gt => Some(LimitOf::Lower),
            CmpOp::Lt | CmpOp::Ge => Some(LimitOf::Upper),
            CmpOp::Eq | CmpOp::Ne => None,
        }
    };
    compared.iter().find_map(of_it)
}

/// The limits between values; `limit_of` says to which side that of the original condition belongs, so that its operator
/// can stay.
fn limits(values: &Values, limit_of: Option<LimitOf>) -> Vec<Value> {
    let mut limits = Vec::new();
    for outcome in 0..2 {
        let changed = &values.changed[outcome];
        let Some(first) = changed.first() else {
            continue;
        };
        if changed.len() <= limits::MOST_EQUAL && !matches!(first.ty(), Type::F32 | Type::F64) {
            limits.extend(changed.iter().filter(|value| is_short(value)).cloned());
        }
        limits.extend(only_between(changed, &values.kept[1 - outcome]).cloned());
        if !first.ty().ordered() || first.ty() == Type::Char {
            continue;
        }
        let least = extreme(changed.iter(), CmpOp::Lt);
        let greatest = extreme(changed.iter(), CmpOp::Gt);
        let others = || values.kept[1 - outcome].iter();
        for (end, op, outward) in [
            (least, CmpOp::Lt, CmpOp::Gt),
            (greatest, CmpOp::Gt, CmpOp::Lt),
        ] {
            let Some(end) = end else { continue };
            // The nearest value beyond `end` that expects the other outcome.
            let beyond = others().filter(|other| other.compare(op, end) == Some(true));
            match extreme(beyond, outward) {
                Some(other) => {
                    let end_is = match op {
                        CmpOp::Gt => LimitOf::Lower,
                        _ => LimitOf::Upper,
                    };
                    if limit_of.is_some_and(|side| side != end_is) {
                        limits.extend(roundest_beyond(other, end));
                    }
                    limits.extend(roundest(other, end));
                    limits.extend(power_of_two(other, end));
                }
                None => limits.push(end.clone()),
            }
        }
    }
    limits.dedup();
    limits
}

/// The one value where the outcome stays, if it changes for lower and for higher ones: `n != 6`.
fn only_between<'v>(changed: &[Value], kept: &'v [Value]) -> Option<&'v Value> {
    let [only] = kept else { return None };
    let lies = |op| {
        changed
            .iter()
            .any(|value| value.compare(op, only) == Some(true))
    };
    let is_number = matches!(only, Value::Int(..));
    (is_number && lies(CmpOp::Lt) && lies(CmpOp::Gt)).then_some(only)
}

/// Whether a value is short enough for a condition. A text of several words is test data rather than a case
/// of its own.
fn is_short(value: &Value) -> bool {
    const LONGEST: usize = 8;
    match value {
        Value::Str(text) => {
            let letters = text.chars().count();
            letters < 2 || letters <= LONGEST && !text.contains(char::is_whitespace)
        }
        _ => true,
    }
}

/// The least (`<`) or greatest (`>`) value.
fn extreme<'a>(values: impl Iterator<Item = &'a Value>, op: CmpOp) -> Option<&'a Value> {
    values
        .filter(|value| value.compare(CmpOp::Eq, value) == Some(true))
        .reduce(|a, b| if b.compare(op, a) == Some(true) { b } else { a })
}

/// The number with the fewest digits from `end` towards `other`, and among several the one nearest `end`: the
/// original limit is on the other side of `end`, and a small change is likelier than a large one.
fn roundest(other: &Value, end: &Value) -> Option<Value> {
    match (other, end) {
        (Value::Int(ty, other), Value::Int(_, end)) => {
            let round = round_int(other.to_i128()?, end.to_i128()?);
            Some(Value::Int(*ty, Int::from_i128(round)))
        }
        (Value::F64(other), Value::F64(end)) => {
            let round = round_float(f64::from_bits(*other), f64::from_bits(*end))?;
            Some(Value::F64(round.to_bits()))
        }
        (Value::F32(other), Value::F32(end)) => {
            let (other, end) = (f32::from_bits(*other), f32::from_bits(*end));
            let round = round_float(other.into(), end.into())? as f32;
            let is_between = other.min(end) <= round && round <= other.max(end);
            is_between.then_some(Value::F32(round.to_bits()))
        }
        _ => None,
    }
}

/// As [`roundest`], of the integers from the one after `end` up to and including `other`.
fn roundest_beyond(other: &Value, end: &Value) -> Option<Value> {
    let (Value::Int(ty, other), Value::Int(_, end)) = (other, end) else {
        return None;
    };
    let (other, end) = (other.to_i128()?, end.to_i128()?);
    let step = (other - end).signum();
    let round = round_int(other, end.checked_add(step)?);
    Some(Value::Int(*ty, Int::from_i128(round)))
}

/// The power of two between two numbers, excluding `other`, and among several the one nearest `other`.
fn power_of_two(other: &Value, end: &Value) -> Option<Value> {
    let (Value::Int(ty, other), Value::Int(_, end)) = (other, end) else {
        return None;
    };
    let (other, end) = (other.to_i128()?, end.to_i128()?);
    // From 16 on, since smaller powers are no rounder than other numbers.
    let mut powers = (4..127).map(|exponent| 1 << exponent);
    let power = match other < end {
        true => powers.find(|power| *power > other && *power <= end),
        false => powers.rfind(|power| *power < other && *power >= end),
    };
    power.map(|power| Value::Int(*ty, Int::from_i128(power)))
}

fn round_int(other: i128, end: i128) -> i128 {
    let mut best = end;
    let mut unit: i128 = 10;
    loop {
        // The multiple nearest `end` on the side of `other`.
        let below = end.div_euclid(unit).saturating_mul(unit);
        let multiple = match other < end || below == end {
            true => below,
            false => below.saturating_add(unit),
        };
        if multiple < other.min(end) || multiple > other.max(end) {
            return best;
        }
        best = multiple;
        match unit.checked_mul(10) {
            Some(larger) if best != 0 => unit = larger,
            _ => return best,
        }
    }
}

fn round_float(other: f64, end: f64) -> Option<f64> {
    let (low, high) = (other.min(end), other.max(end));
    if !low.is_finite() || !high.is_finite() {
        return None;
    }
    // Formatted and parsed again, so that the value is exactly that of its text.
    (0..17).find_map(|digits| {
        let scale = 10f64.powi(digits);
        let multiple = match other < end {
            true => (end * scale).floor(),
            false => (end * scale).ceil(),
        };
        let text = format!("{:.*}", digits as usize, multiple / scale);
        let round: f64 = text.parse().ok()?;
        // `+ 0.0` turns −0.0 into 0.0.
        (low <= round && round <= high).then_some(round + 0.0)
    })
}

/// The value as a literal.
fn literal(value: &Value, style: LiteralStyle) -> String {
    let Value::Int(ty, int) = value else {
        return value.to_string();
    };
    match int.to_i128() {
        Some(byte @ 0..128) if style.bytes && *ty == IntType::U8 => {
            let escaped = std::ascii::escape_default(byte as u8).to_string();
            format!("b'{escaped}'")
        }
        Some(number @ 16..) if style.hex && style.upper => format!("{number:#X}"),
        Some(number @ 16..) if style.hex => format!("{number:#x}"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_on_the_side_that_the_old_operator_asks_for() {
        let int = |value| Value::Int(IntType::I32, Int::from_i128(value));
        let values = Values {
            changed: [vec![], vec![int(1), int(4)]],
            kept: [vec![int(5), int(9)], vec![int(0)]],
        };
        assert!(!limits(&values, Some(LimitOf::Lower)).contains(&int(5)));
        assert!(limits(&values, Some(LimitOf::Upper)).contains(&int(5)));
        assert_eq!(roundest_beyond(&int(9), &int(4)), Some(int(5)));
        assert_eq!(roundest_beyond(&int(9), &int(8)), Some(int(9)));
        assert_eq!(roundest_beyond(&int(1), &int(12)), Some(int(10)));
        assert_eq!(roundest_beyond(&int(17), &int(42)), Some(int(40)));

        let op = |text: &str| {
            let tree = nopol_source::Language::C.parse(text).unwrap();
            let access = nopol_source::Language::C.access("n");
            let term = Term::new(access, Type::Int(IntType::I32), Origin::Variable);
            limit_of(&term, &tree.compared())
        };
        assert_eq!(op("a && n < 1"), Some(LimitOf::Upper));
        assert_eq!(op("1 < n"), Some(LimitOf::Lower));
        assert_eq!((op("n < m"), op("n == 1")), (None, None));
    }

    #[test]
    fn the_only_number_that_is_right_is_a_constant() {
        let int = |value| Value::Int(IntType::Usize, Int::from_i128(value));
        let with = |kept: Vec<Value>| Values {
            changed: [vec![], vec![int(4), int(7)]],
            kept: [kept, vec![]],
        };
        assert!(limits(&with(vec![int(6)]), None).contains(&int(6)));
        assert!(!limits(&with(vec![int(5), int(6)]), None).contains(&int(6)));
        assert!(!limits(&with(vec![int(9)]), None).contains(&int(9)));
    }

    #[test]
    fn the_number_with_the_fewest_digits_nearest_the_end_is_taken() {
        assert_eq!(round_int(17, 42), 40);
        assert_eq!(round_int(42, 17), 20);
        assert_eq!(round_int(39, 37), 37);
        assert_eq!(round_int(-3, 5), 0);
        assert_eq!(round_int(-120, -95), -100);
        assert_eq!(round_int(1200, 950), 1000);
        let byte = |byte| Value::Int(IntType::U8, Int::from_i128(byte));
        assert_eq!(power_of_two(&byte(0x7f), &byte(0xe2)), Some(byte(0x80)));
        assert_eq!(power_of_two(&byte(0xe2), &byte(0x1f)), Some(byte(0x80)));
        assert_eq!(power_of_two(&byte(0x30), &byte(0x21)), None);
        assert_eq!(round_float(0.8125, 0.791), Some(0.8));
        assert_eq!(round_float(0.6, 0.731), Some(0.7));
        assert_eq!(round_float(0.2, -0.3), Some(0.0));
        assert_eq!(round_float(2.5, 3.75), Some(3.0));
        assert_eq!(round_float(f64::INFINITY, 1.0), None);
    }
}
