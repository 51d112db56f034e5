//! Describes, in a sentence, values for which a condition cannot be computed. [`partial`] finds them.

use std::collections::BTreeSet;

use nopol_expr::{ArithOp, Binding, Expr, Row, Term, TermId, Type, Value};
use nopol_source::{Language, write};

use super::evidence::text;
use super::partial::{self, Failure};
use crate::patch::render::Style;

/// What is known at the place where a condition is computed.
pub struct Computed<'a> {
    /// How conditions are written there, and the pool of their terms.
    pub style: Style<'a>,
    /// The recorded contexts.
    pub rows: &'a [Row],
    /// Terms whose values a caller can choose.
    pub inputs: &'a BTreeSet<TermId>,
    /// The expression computed there now, if any.
    pub old: Option<&'a Expr>,
}

impl Computed<'_> {
    /// A context in which an expression cannot be computed although the old one can. Values of sizes count if
    /// `has_sizes`.
    pub fn new_failure<'e>(&self, written: &'e Expr, has_sizes: bool) -> Option<Failure<'e>> {
        let failure = self.failure(written, self.old, has_sizes)?;
        // An old condition that is a single term, such as one with `&` or `|`, already fails in the parts that it
        // contains.
        let part = self.style.text(failure.part, Binding::Or);
        let is_old = self.old.is_some_and(|old| match old {
            Expr::Term(_) => self.style.text(old, Binding::Or).contains(&part),
            _ => false,
        });
        (!is_old).then_some(failure)
    }

    /// A warning about values for which an expression cannot be computed, as a clause. If the old expression fails for
    /// them as well, warns only if they can occur, or if usual numbers overflow: products of two variables, sums in 8
    /// or 16 bits, and unsigned differences of values that a caller chooses.
    pub fn caution(&self, written: &Expr) -> Option<String> {
        if let Some(failure) = self.new_failure(written, true) {
            return Some(self.sentence(&failure));
        }
        self.old?;
        let failure = self.failure(written, None, true)?;
        if !failure.can_occur && !self.overflows_soon(failure.part) {
            return None;
        }
        let sentence = self.sentence(&failure);
        Some(format!("{sentence}; the old condition fails there, too"))
    }

    /// As [`Self::caution`], only for values that can occur and for which the old expression can be computed.
    pub fn possible_caution(&self, written: &Expr) -> Option<String> {
        let failure = self.new_failure(written, true);
        let failure = failure.filter(|failure| failure.can_occur)?;
        Some(self.sentence(&failure))
    }

    fn failure<'e>(
        &self,
        written: &'e Expr,
        old: Option<&Expr>,
        has_sizes: bool,
    ) -> Option<Failure<'e>> {
        if self.style.language != Language::Rust {
            return None;
        }
        let (pool, inputs) = (self.style.pool, self.inputs);
        partial::failure(written, old, pool, self.rows, inputs, has_sizes)
    }

    fn overflows_soon(&self, part: &Expr) -> bool {
        let Expr::Arith(op, a, b) = part else {
            return false;
        };
        let pool = self.style.pool;
        let has_variables = [a, b]
            .into_iter()
            .all(|operand| partial::is_variable(operand, pool));
        let Some(Type::Int(ty)) = part.ty(pool) else {
            return false;
        };
        let is_chosen = part.terms().iter().any(|term| self.inputs.contains(term));
        has_variables
            && match op {
                ArithOp::Mul => true,
                ArithOp::Add => ty.bits() <= 16,
                ArithOp::Sub => !ty.signed() && is_chosen,
                ArithOp::Div | ArithOp::Rem => false,
            }
    }

    fn sentence(&self, failure: &Failure) -> String {
        let values = failure
            .values
            .iter()
            .map(|(term, value)| self.named(*term, value));
        let values = values.collect::<Vec<_>>().join(", ");
        let part = self.style.text(failure.part, Binding::Or);
        let [does, would] = match failure.is_division {
            true => ["divides by zero", "would divide by zero"],
            false => ["overflows", "would overflow"],
        };
        let [these, it] = match failure.values.len() {
            1 => ["this value", "it"],
            _ => ["these values", "they"],
        };
        let has_values = |row: &Row| {
            let mut terms = failure.values.iter();
            terms.all(|(term, _)| row.values[*term].is_some())
        };
        let unseen = match (failure.is_recorded, self.rows.iter().any(has_values)) {
            (true, _) => String::new(),
            (false, true) => format!("; no recorded context has {these}"),
            (false, false) => "; no values were recorded there".to_owned(),
        };
        match failure.can_occur {
            true => format!("computing `{part}` {does} with {values}{unseen}"),
            false => format!(
                "computing `{part}` {would} with {values}{unseen}, and {it} may be impossible"
            ),
        }
    }

    fn named(&self, term: TermId, value: &Value) -> String {
        let term: &Term = &self.style.pool.terms[term];
        let value = text(term, Some(value));
        format!("`{}` = {value}", write::text(&term.access))
    }
}
