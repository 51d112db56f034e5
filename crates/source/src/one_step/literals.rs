//! Neighbours of literals, and kinds of literals.

use super::Step;

/// The value of a decimal number, and the text after its digits (its type suffix).
pub(super) fn number(text: &str) -> Option<(i128, &str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let is_type = suffix.is_empty() || suffix.starts_with(['i', 'u', 'l', 'U', 'L']);
    let is_octal = digits.len() > 1 && digits.starts_with('0');
    let value: i128 = digits.parse().ok().filter(|_| is_type && !is_octal)?;
    match text.starts_with('-') {
        true => Some((-value, suffix)),
        false => Some((value, suffix)),
    }
}

/// The neighbours of a literal: the numbers before and after it, or the other truth value.
pub(super) fn neighbours(text: &str) -> Vec<(Step, String)> {
    match text {
        "true" => return vec![(Step::Constant, "false".to_owned())],
        "false" => return vec![(Step::Constant, "true".to_owned())],
        _ => {}
    }
    let Some((value, suffix)) = number(text) else {
        return Vec::new();
    };
    let beside = [value.checked_add(1), value.checked_sub(1)];
    let beside = beside.into_iter().flatten();
    let beside = beside.map(|value| (Step::ConstantOffByOne, format!("{value}{suffix}")));
    beside.collect()
}

/// The kind of a literal. Literals of different kinds do not replace each other.
pub(super) fn kind(text: &str) -> char {
    match text.chars().next() {
        Some(first) if first.is_ascii_digit() || first == '-' => '0',
        Some(first @ ('"' | '\'')) => first,
        _ => ' ',
    }
}
