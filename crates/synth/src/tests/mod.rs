//! Tests of synthesis as a whole, and a builder for their specs.

mod bad;
#[cfg(feature = "z3")]
mod distinguish;
mod examples;
mod honesty;
#[cfg(feature = "z3")]
mod levels;
mod many_rows;
mod properties;

use nopol_expr::{
    Access, ArithOp, CmpOp, Expr, Int, IntType, Origin, Pool, Row, Spec, Term, TermId, Type, Value,
    Values,
};
use nopol_source::{Language, write};

use super::{Limits, Synthesis, synthesize};

/// A spec under construction.
#[derive(Clone, Debug, Default)]
struct Problem {
    pool: Pool,
    spec: Spec,
}

impl Problem {
    /// Adds a term other than a literal.
    fn term(mut self, text: &str, ty: Type, origin: Origin) -> Self {
        self.pool
            .terms
            .push(Term::new(Language::Rust.access(text), ty, origin));
        self
    }

    /// Adds the literals −1 (if signed), 0 and 1 of an integer type.
    fn constants(mut self, ty: IntType) -> Self {
        for number in [0, 1, -1].map(Int::from_i128) {
            if number.fits(ty) {
                self.pool.terms.push(Term {
                    constant: Some(Value::Int(ty, number)),
                    ..Term::new(
                        Access::literal(number.to_string()),
                        Type::Int(ty),
                        Origin::Constant,
                    )
                });
            }
        }
        self
    }

    fn old(mut self, old: Expr) -> Self {
        self.spec.old = Some(old);
        self
    }

    /// Adds a row, given the values of all terms other than literals.
    fn row(self, values: &[Option<Value>], expected: bool) -> Self {
        self.weighted(values, expected, true, 1)
    }

    fn soft(self, values: &[Option<Value>], expected: bool, weight: u32) -> Self {
        self.weighted(values, expected, false, weight)
    }

    fn weighted(
        mut self,
        values: &[Option<Value>],
        expected: bool,
        hard: bool,
        weight: u32,
    ) -> Self {
        let mut given = values.iter().cloned();
        let values = self.pool.terms.iter().map(|term| match &term.constant {
            Some(value) => Some(value.clone()),
            None => given.next().flatten(),
        });
        let values = values.collect::<Values>().into();
        self.spec.rows.push(Row {
            values,
            expected,
            hard,
            weight,
        });
        self
    }

    fn solve(&self) -> Synthesis {
        synthesize(&self.spec, &self.pool, &Limits::default())
    }

    /// The candidates as text, best first.
    fn answers(&self) -> Vec<String> {
        let candidates = self.solve().candidates;
        candidates
            .iter()
            .map(|candidate| self.show(&candidate.expr))
            .collect()
    }

    fn show(&self, expr: &Expr) -> String {
        let nested = |expr: &Expr| match expr {
            Expr::And(..) | Expr::Or(..) => format!("({})", self.show(expr)),
            _ => self.show(expr),
        };
        match expr {
            Expr::Term(term) => write::text(&self.pool.terms[*term].access),
            Expr::Not(a) => match &**a {
                Expr::Term(_) => format!("!{}", self.show(a)),
                _ => format!("!({})", self.show(a)),
            },
            Expr::And(a, b) => format!("{} && {}", nested(a), nested(b)),
            Expr::Or(a, b) => format!("{} || {}", nested(a), nested(b)),
            Expr::Cmp(op, a, b) => format!("{} {} {}", nested(a), op.token(), nested(b)),
            Expr::Arith(op, a, b) => format!("{} {} {}", nested(a), op.token(), nested(b)),
        }
    }
}

fn int(ty: IntType, value: i128) -> Option<Value> {
    Some(Value::Int(ty, Int::from_i128(value)))
}

fn i32(value: i128) -> Option<Value> {
    int(IntType::I32, value)
}

fn usize(value: i128) -> Option<Value> {
    int(IntType::Usize, value)
}

fn f64(value: f64) -> Option<Value> {
    Some(Value::F64(value.to_bits()))
}

fn bool(value: bool) -> Option<Value> {
    Some(Value::Bool(value))
}

fn term(index: u32) -> Expr {
    Expr::Term(TermId::new(index))
}

fn cmp(a: u32, op: CmpOp, b: u32) -> Expr {
    term(a).cmp(op, term(b))
}
