//! The common part of the written formats: their rows and terms, and how values are written with only booleans,
//! integers and reals.
//!
//! Integers are written as they are. Characters become their code points, and strings become numbers in the order
//! of the strings; both are only compared. Floats are only compared, too, so they become reals in their shortest
//! decimal form, which preserves order and equality; infinities are reals beyond every float. Variables that are
//! NaN in some row or undefined in every row are omitted.

use std::collections::{BTreeMap, BTreeSet};

use nopol_expr::{IntType, Row, TermId, Type, Value};

use super::ProblemFile;

/// The rows and terms of a problem that are written.
pub struct Vocabulary<'a> {
    /// The problem.
    pub problem: &'a ProblemFile,
    /// Rows that must be explained, alone or as one of a group.
    pub rows: Vec<usize>,
    /// Terms by type; types without a variable and boolean literals are left out.
    pub terms: BTreeMap<Type, Vec<TermId>>,
    /// Omitted variables.
    pub left_out: Vec<TermId>,
    /// Whether a variable is undefined in some row.
    pub is_partial: bool,
    strings: BTreeSet<&'a str>,
}

impl<'a> Vocabulary<'a> {
    pub fn new(problem: &'a ProblemFile) -> Self {
        let spec = &problem.spec;
        let grouped: BTreeSet<usize> = spec.any_of.iter().flatten().copied().collect();
        let rows: Vec<usize> = (0..spec.rows.len())
            .filter(|row| spec.rows[*row].hard || grouped.contains(row))
            .collect();
        let values = |term: TermId| rows.iter().map(move |row| &spec.rows[*row].values[term]);
        let mut terms: BTreeMap<Type, Vec<TermId>> = BTreeMap::new();
        let mut left_out = Vec::new();
        for (id, term) in problem.pool.terms.iter_enumerated() {
            let is_nan = values(id).flatten().any(is_nan);
            if is_nan || values(id).all(Option::is_none) {
                left_out.push(id);
            } else if term.constant.is_none() {
                terms.entry(term.ty).or_default().push(id);
            } else if let Some(same) = terms.get_mut(&term.ty).filter(|_| term.ty != Type::Bool) {
                same.push(id);
            }
        }
        let is_partial = terms
            .values()
            .flatten()
            .any(|id| values(*id).any(Option::is_none));
        let strings = (spec.rows.iter().flat_map(|row| row.values.iter().flatten()))
            .filter_map(|value| match value {
                Value::Str(text) => Some(&**text),
                _ => None,
            })
            .collect();
        Self {
            problem,
            rows,
            terms,
            left_out,
            is_partial,
            strings,
        }
    }

    /// A row of the problem.
    pub fn row(&self, row: usize) -> &'a Row {
        &self.problem.spec.rows[row]
    }

    /// Whether a term is a literal.
    pub fn is_literal(&self, term: TermId) -> bool {
        self.problem.pool.terms[term].constant.is_some()
    }

    /// `text: type` on one line, unique for each term.
    pub fn label(&self, term: TermId) -> String {
        let term = &self.problem.pool.terms[term];
        let text = nopol_source::write::text(&term.access);
        format!("{}: {}", text.escape_debug(), term.ty.name())
    }

    /// The name of a variable, without the bars around it.
    pub fn name(&self, term: TermId) -> String {
        let label = self.label(term);
        // Quoted symbols cannot contain these marks. With the index, names stay unique without them.
        match label.contains(['|', '\\']) {
            true => format!("{} #{term}", label.replace(['|', '\\'], "!")),
            false => label,
        }
    }

    /// The name of a variable, quoted.
    pub fn symbol(&self, term: TermId) -> String {
        format!("|{}|", self.name(term))
    }

    /// A value of a type as a constant of its sort.
    pub fn constant(&self, value: &Value) -> String {
        match value {
            Value::Bool(value) => value.to_string(),
            Value::Int(_, int) => signed(&int.to_string()),
            Value::Char(value) => u32::from(*value).to_string(),
            Value::Str(text) => self.strings.range(..&**text).count().to_string(),
            Value::F32(bits) => real(f64::from(f32::from_bits(*bits)), || {
                f32::from_bits(*bits).to_string()
            }),
            Value::F64(bits) => real(f64::from_bits(*bits), || f64::from_bits(*bits).to_string()),
        }
    }

    /// A comment line that lists the omitted variables; empty if there are none.
    pub fn omissions(&self) -> String {
        let labels: Vec<String> = self.left_out.iter().map(|term| self.label(*term)).collect();
        match labels.is_empty() {
            true => String::new(),
            false => format!(
                "; Left out, being NaN or undefined: {}\n",
                labels.join("; ")
            ),
        }
    }
}

fn is_nan(value: &Value) -> bool {
    match value {
        Value::F32(bits) => f32::from_bits(*bits).is_nan(),
        Value::F64(bits) => f64::from_bits(*bits).is_nan(),
        _ => false,
    }
}

/// The sort of a type's values.
pub fn sort(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "Bool",
        Type::Int(_) | Type::Char | Type::Str => "Int",
        Type::F32 | Type::F64 => "Real",
    }
}

/// The smallest and the largest value of an integer type, as constants.
pub fn bounds(ty: IntType) -> (String, String) {
    ty.bounds().map(|bound| signed(&bound.to_string())).into()
}

/// The integer types with arithmetic blocks.
pub fn integer(ty: Type) -> Option<IntType> {
    match ty {
        Type::Int(int) => Some(int),
        _ => None,
    }
}

fn real(value: f64, digits: impl FnOnce() -> String) -> String {
    let digits = match value.is_infinite() {
        // Beyond the largest f64, 1.8e308.
        true => format!("{}2{}", if value < 0.0 { "-" } else { "" }, "0".repeat(308)),
        // Both zeros are equal, and there is only one real zero.
        false if value == 0.0 => "0".to_owned(),
        false => digits(),
    };
    signed(&match digits.contains('.') {
        true => digits,
        false => format!("{digits}.0"),
    })
}

/// A number in SMT-LIB.
fn signed(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => format!("(- {digits})"),
        None => digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_exponents_and_minus_is_an_operator() {
        assert_eq!(real(-1e-7, || (-1e-7f64).to_string()), "(- 0.0000001)");
        assert_eq!(real(3.0, || "3".to_owned()), "3.0");
        assert_eq!(real(-0.0, || "-0".to_owned()), "0.0");
        assert!(real(f64::NEG_INFINITY, String::new).starts_with("(- 2000"));
        assert_eq!(
            bounds(IntType::I8),
            ("(- 128)".to_owned(), "127".to_owned())
        );
    }
}
