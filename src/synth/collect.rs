//! Gathers expressions that explain the spec, checks them and keeps the best.

use super::enumerate::same_operands;
use super::normal::normal_form;
use super::rank;
use super::table::{Bits, Need, Table};
use crate::spec::{CmpOp, Expr, Pool, Value};
use std::collections::BTreeMap;

/// How many expressions are kept while searching.
const KEPT: usize = 400;

/// How many rows are looked at before all are: nearly everything fails one of these.
const FIRST: usize = 64;

/// What is kept of an expression.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub expr: Expr,
    pub cost: u32,
    pub soft_violated: u32,
    pub why: String,
}

impl Found {
    /// What found expressions are ordered by.
    pub fn key(&self) -> (u32, u32, &Expr) {
        (self.soft_violated, self.cost, &self.expr)
    }
}

/// The best expressions so far.
pub(super) struct Collector<'a> {
    table: &'a Table<'a>,
    need: Need,
    /// The first rows that must be explained.
    first: Vec<usize>,
    /// By normal form, so that no expression is kept in two spellings.
    found: BTreeMap<String, Found>,
    accepted: usize,
}

impl<'a> Collector<'a> {
    /// Accepts what yields the expected outcome in each constrained row.
    pub fn new(table: &'a Table<'a>, constrained: &Bits) -> Self {
        Self {
            table,
            need: table.need(constrained),
            first: constrained.iter().take(FIRST).collect(),
            found: BTreeMap::new(),
            accepted: 0,
        }
    }

    /// What an expression must yield to be accepted.
    pub fn need(&self) -> &Need {
        &self.need
    }

    /// How many expressions were accepted.
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// Keeps the expression if it explains the spec.
    pub fn offer(&mut self, expr: &Expr, cost: u32, why: &str) {
        self.keep(expr, cost, why, false);
    }

    /// Keeps an edit if it explains the spec. It may have one outcome in all rows: where a limit is
    /// too low, nothing beyond the right one was ever observed.
    pub fn offer_edit(&mut self, expr: &Expr, cost: u32, why: &str) {
        self.keep(expr, cost, why, true);
    }

    fn keep(&mut self, expr: &Expr, mut cost: u32, why: &str, may_be_constant: bool) {
        let rows = &self.table.spec.rows;
        let is_wrong = |row: &usize| expr.eval_bool(&rows[*row]) != Some(rows[*row].expected);
        if self.first.iter().any(is_wrong) {
            return;
        }
        let planes = self.table.planes(expr);
        if !self.need.met_by(&planes) || !self.table.meets_groups(&planes) {
            return;
        }
        if planes.is_constant() {
            if !may_be_constant {
                return;
            }
            cost += rank::UNTESTED;
        }
        let pool = self.table.pool;
        // What the old condition has is the maintainer's business.
        let talks = |expr: &Expr| has_tautology(expr, pool) || repeats_itself(expr, pool);
        let is_empty_talk = talks(expr) && !self.table.spec.old.as_ref().is_some_and(talks);
        if is_empty_talk || has_stray_value(expr, pool) {
            return;
        }
        self.accepted += 1;
        let found = Found {
            expr: expr.clone(),
            cost,
            soft_violated: self.table.soft_violated(&planes),
            why: why.to_owned(),
        };
        let normal = normal_form(expr, pool);
        match self.found.get_mut(&normal) {
            Some(known) if known.key() <= found.key() => {}
            Some(known) => *known = found,
            None => {
                self.found.insert(normal, found);
            }
        }
        if self.found.len() > 2 * KEPT {
            self.prune();
        }
    }

    fn prune(&mut self) {
        let mut found: Vec<_> = std::mem::take(&mut self.found).into_iter().collect();
        found.sort_by(|(_, a), (_, b)| a.key().cmp(&b.key()));
        found.truncate(KEPT);
        self.found = found.into_iter().collect();
    }

    /// The expressions kept, best first.
    pub fn finish(self) -> Vec<Found> {
        let mut found: Vec<_> = self.found.into_values().collect();
        found.sort_by(|a, b| a.key().cmp(&b.key()));
        found
    }
}

/// Whether two clauses of one conjunction or disjunction compare the same two operands, or bound one
/// operand by two literals on the same side: one of them would do.
fn repeats_itself(expr: &Expr, pool: &Pool) -> bool {
    let mut clauses = Vec::new();
    match expr {
        Expr::And(..) => clauses_of(expr, true, &mut clauses),
        Expr::Or(..) => clauses_of(expr, false, &mut clauses),
        _ => {}
    }
    let repeated = clauses.iter().enumerate().any(|(at, clause)| {
        let mut earlier = clauses[..at].iter();
        earlier.any(|other| same_operands(other, clause) || same_side(other, clause, pool))
    });
    repeated || expr.children().any(|child| repeats_itself(child, pool))
}

fn clauses_of<'e>(expr: &'e Expr, conjunction: bool, clauses: &mut Vec<&'e Expr>) {
    match (expr, conjunction) {
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            clauses_of(a, conjunction, clauses);
            clauses_of(b, conjunction, clauses);
        }
        _ => clauses.push(expr),
    }
}

fn same_side(a: &Expr, b: &Expr, pool: &Pool) -> bool {
    let bound = |expr: &Expr| match expr {
        Expr::Cmp(op, left, right) => match &**right {
            Expr::Term(term) if pool.terms[*term].constant.is_some() => {
                Some((*op, (**left).clone()))
            }
            _ => None,
        },
        _ => None,
    };
    let is_upper = |op: CmpOp| matches!(op, CmpOp::Lt | CmpOp::Le);
    match (bound(a), bound(b)) {
        (Some((s, x)), Some((t, y))) => {
            x == y && s.orders() && t.orders() && is_upper(s) == is_upper(t)
        }
        _ => false,
    }
}

/// Whether a value that was seen is used where it was not seen.
fn has_stray_value(expr: &Expr, pool: &Pool) -> bool {
    match expr {
        Expr::Cmp(_, a, b) => match (&**a, &**b) {
            (Expr::Term(a), Expr::Term(b)) => {
                !pool.terms[*a].goes_with(*b) || !pool.terms[*b].goes_with(*a)
            }
            (a, b) => has_stray_value(a, pool) || has_stray_value(b, pool),
        },
        Expr::Term(term) => !pool.terms[*term].seen_in.is_empty(),
        _ => expr.children().any(|child| has_stray_value(child, pool)),
    }
}

/// Whether some comparison in the expression says nothing: a thing with itself, or whether an
/// unsigned number is at least 0.
fn has_tautology(expr: &Expr, pool: &Pool) -> bool {
    let own = match expr {
        Expr::Cmp(op, a, b) => {
            let is_zero = |expr: &Expr| match expr {
                Expr::Term(term) => match &pool.terms[*term].constant {
                    Some(Value::Int(ty, int)) => !ty.signed() && int.to_i128() == Some(0),
                    _ => false,
                },
                _ => false,
            };
            a == b
                || matches!(op, CmpOp::Ge | CmpOp::Lt) && is_zero(b)
                || matches!(op, CmpOp::Le | CmpOp::Gt) && is_zero(a)
        }
        _ => false,
    };
    own || expr.children().any(|child| has_tautology(child, pool))
}
