//! Gathers expressions that explain the spec, checks them and keeps the best.

use super::habits::habits;
use super::kind::EditKind;
use super::normal::{Form, normal_form};
use super::rank;
use super::sense::{has_stray_value, has_tautology, repeats_itself};
use super::table::{Bits, Need, Table};
use crate::spec::Expr;
use crate::synth::limits;
use crate::weights::WEIGHTS;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What is kept of an expression.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub expr: Expr,
    pub cost: u32,
    pub soft_violated: u32,
    pub kind: EditKind,
}

impl Found {
    /// What found expressions are ordered by.
    pub fn key(&self) -> (u32, u32, &Expr) {
        (self.soft_violated, self.cost, &self.expr)
    }
}

impl Found {
    /// Takes in another spelling of the same. The shorter one is what a maintainer would write, whichever
    /// of them is nearer to the old condition.
    fn join(&mut self, other: Self) {
        let length = |found: &Self| (found.soft_violated, found.expr.size());
        let cost = self.cost.min(other.cost);
        let is_better = match length(self).cmp(&length(&other)) {
            Ordering::Equal => other.key() < self.key(),
            order => order == Ordering::Greater,
        };
        if is_better {
            *self = other;
        }
        self.cost = cost;
    }
}

/// The best expressions so far.
pub(super) struct Collector<'a> {
    table: &'a Table<'a>,
    need: Need,
    /// The first rows that must be explained.
    first: Vec<usize>,
    /// By normal form, so that no expression is kept in two spellings.
    found: BTreeMap<Form, Found>,
    accepted: usize,
}

impl<'a> Collector<'a> {
    /// Accepts what yields the expected outcome in each constrained row.
    pub fn new(table: &'a Table<'a>, constrained: &Bits) -> Self {
        Self {
            table,
            need: table.need(constrained),
            first: constrained.iter().take(limits::FIRST).collect(),
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
    pub fn offer(&mut self, expr: &Expr, cost: u32, kind: &EditKind) {
        self.keep(expr, cost, kind, false);
    }

    /// Keeps an edit if it explains the spec. It may have one outcome in all rows: where a limit is
    /// too low, nothing beyond the right one was ever observed.
    pub fn offer_edit(&mut self, expr: &Expr, cost: u32, kind: &EditKind) {
        self.keep(expr, cost, kind, true);
    }

    fn keep(&mut self, expr: &Expr, mut cost: u32, kind: &EditKind, may_be_constant: bool) {
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
            let was_constant = |old: &Expr| self.table.planes(old).is_constant();
            cost += match self.table.spec.old.as_ref() {
                // Beyond what was observed, the old condition stays as it was.
                Some(old) if is_neighbour(expr, old) => WEIGHTS.edit.untested_neighbour,
                Some(old) if extends(expr, old) => WEIGHTS.edit.untested,
                Some(old) if was_constant(old) => WEIGHTS.edit.reversed,
                _ => WEIGHTS.edit.untested,
            };
        }
        let pool = self.table.pool;
        // What the old condition has is the maintainer's business.
        let talks = |expr: &Expr| has_tautology(expr, pool) || repeats_itself(expr, pool);
        let is_empty_talk = talks(expr) && !self.table.spec.old.as_ref().is_some_and(talks);
        if is_empty_talk || has_stray_value(expr, pool) {
            return;
        }
        self.accepted += 1;
        // The old condition's habits are its own.
        let old = self.table.spec.old.as_ref();
        let own = old.map_or(0, |old| habits(old, self.table));
        let cost = cost.saturating_add_signed(
            i32::try_from(habits(expr, self.table) - own).unwrap_or_default(),
        );
        let found = Found {
            expr: expr.clone(),
            cost,
            soft_violated: self.table.soft_violated(&planes),
            kind: kind.clone(),
        };
        let normal = normal_form(expr, pool);
        match self.found.get_mut(&normal) {
            Some(known) => known.join(found),
            None => {
                self.found.insert(normal, found);
            }
        }
        if self.found.len() > 2 * limits::KEPT {
            self.prune();
        }
    }

    fn prune(&mut self) {
        let mut found: Vec<_> = std::mem::take(&mut self.found).into_iter().collect();
        found.sort_by(|(_, a), (_, b)| a.key().cmp(&b.key()));
        found.truncate(limits::KEPT);
        self.found = found.into_iter().collect();
    }

    /// The expressions kept, best first.
    pub fn finish(self) -> Vec<Found> {
        let mut found: Vec<_> = self.found.into_values().collect();
        found.sort_by(|a, b| a.key().cmp(&b.key()));
        found
    }
}

/// Whether a clause was added to the old condition, or its connective changed.
fn extends(expr: &Expr, old: &Expr) -> bool {
    match (expr, old) {
        (Expr::And(a, b), Expr::Or(c, d)) | (Expr::Or(a, b), Expr::And(c, d))
            if (a, b) == (c, d) =>
        {
            true
        }
        (Expr::And(kept, _) | Expr::Or(kept, _), _) => **kept == *old,
        _ => false,
    }
}

/// Whether an expression is the old condition but for comparisons that are strict instead of inclusive, or
/// the other way round.
fn is_neighbour(expr: &Expr, old: &Expr) -> bool {
    match (expr, old) {
        (Expr::Term(a), Expr::Term(b)) => a == b,
        (Expr::Not(a), Expr::Not(b)) => is_neighbour(a, b),
        (Expr::And(a, b), Expr::And(c, d)) | (Expr::Or(a, b), Expr::Or(c, d)) => {
            is_neighbour(a, c) && is_neighbour(b, d)
        }
        (Expr::Cmp(p, a, b), Expr::Cmp(q, c, d)) => {
            (p == q || rank::are_neighbours(*p, *q)) && is_neighbour(a, c) && is_neighbour(b, d)
        }
        (Expr::Arith(..), _) => expr == old,
        _ => false,
    }
}
