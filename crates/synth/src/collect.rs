//! The collector checks whether proposed expressions explain the spec, and keeps the best.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use nopol_expr::Expr;

use super::Stop;
use super::idioms::{Evaluated, idiom_cost};
use super::kind::EditKind;
use super::normal::{Form, normal_form};
use super::rank;
use super::redundancy::{has_idle_part, has_invalid_operand};
use super::table::{Bits, Need, Planes, Table, UNDEFINED};
use crate::limits;
use crate::weights::WEIGHTS;

/// An accepted expression.
#[derive(Clone, Debug)]
pub(super) struct Accepted {
    pub expr: Expr,
    pub cost: u32,
    pub soft_violated: u32,
    pub kind: EditKind,
}

impl Accepted {
    /// The sort key: better expressions have smaller keys.
    pub fn key(&self) -> (u32, u32, &Expr) {
        (self.soft_violated, self.cost, &self.expr)
    }
}

impl Accepted {
    /// Merges another spelling of the same condition. The shorter spelling is kept, since maintainers prefer it
    /// even if the other one is nearer to the original condition; the lower cost is kept, too.
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
    /// Accepted expressions by normal form, so that each is kept in one spelling.
    found: BTreeMap<Form, Accepted>,
    accepted: usize,
    /// The cost from which on nothing is kept, once enough is.
    bar: u32,
    /// What the form of the original condition costs.
    old_idioms: OnceCell<i64>,
    /// Whether the original condition has a redundant part.
    old_is_redundant: OnceCell<bool>,
    stop: Stop,
}

impl<'a> Collector<'a> {
    /// A collector of expressions that have the expected outcome in each constrained row.
    pub fn new(table: &'a Table<'a>, constrained: &Bits, stop: &Stop) -> Self {
        Self {
            table,
            need: table.need(constrained),
            first: constrained.iter().take(limits::FIRST).collect(),
            found: BTreeMap::new(),
            accepted: 0,
            bar: u32::MAX,
            old_idioms: OnceCell::new(),
            old_is_redundant: OnceCell::new(),
            stop: stop.clone(),
        }
    }

    /// The cost from which on nothing more is kept.
    pub fn bar(&self) -> u32 {
        self.bar
    }

    /// Whether the run was stopped, so that nothing more is worth offering.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// The outcomes an expression must have to be accepted.
    pub fn need(&self) -> &Need {
        &self.need
    }

    /// Number of expressions accepted so far.
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// Keeps the expression if it explains the spec.
    pub fn offer(&mut self, expr: &Expr, cost: u32, kind: &EditKind) {
        self.keep(expr, cost, kind, false);
    }

    /// Keeps an edit if it explains the spec. It may have one outcome in all rows: if a limit is too low, no test
    /// may go beyond the correct one.
    pub fn offer_edit(&mut self, expr: &Expr, cost: u32, kind: &EditKind) {
        self.keep(expr, cost, kind, true);
    }

    fn keep(&mut self, expr: &Expr, mut cost: u32, kind: &EditKind, may_be_constant: bool) {
        if cost > self.bar {
            return;
        }
        let rows = &self.table.spec.rows;
        let is_wrong = |row: &usize| expr.eval_bool(&rows[*row]) != Some(rows[*row].expected);
        if self.first.iter().any(is_wrong) {
            return;
        }
        let evaluated = Evaluated::new(expr, self.table);
        let planes = &evaluated.planes;
        if !self.need.met_by(planes) || !self.table.meets_groups(planes) {
            return;
        }
        if planes.is_constant() && !self.protects_old(expr, planes) {
            if !may_be_constant {
                return;
            }
            let was_constant = |old: &Expr| self.table.planes(old).is_constant();
            cost += match self.table.spec.old.as_ref() {
                // These edits preserve most outcomes beyond the recorded contexts.
                Some(old) if is_neighbour(expr, old) => WEIGHTS.edit.untested_neighbour,
                Some(old) if extends(expr, old) => WEIGHTS.edit.untested,
                Some(old) if was_constant(old) => WEIGHTS.edit.reversed,
                _ => WEIGHTS.edit.untested,
            };
        }
        let pool = self.table.pool;
        // Redundancy of the original condition is left to its maintainer.
        let is_redundant = |expr: &Expr| has_idle_part(expr, pool);
        let old = self.table.spec.old.as_ref();
        let old_is_redundant = *self
            .old_is_redundant
            .get_or_init(|| old.is_some_and(is_redundant));
        if !old_is_redundant && is_redundant(expr) || has_invalid_operand(expr, pool) {
            return;
        }
        self.accepted += 1;
        // The form of the original condition costs nothing.
        let own = *self.old_idioms.get_or_init(|| {
            old.map_or(0, |old| {
                idiom_cost(&Evaluated::new(old, self.table), self.table)
            })
        });
        let cost = cost.saturating_add_signed(
            i32::try_from(idiom_cost(&evaluated, self.table) - own).unwrap_or_default(),
        );
        let found = Accepted {
            expr: expr.clone(),
            cost,
            soft_violated: self.table.soft_violated(planes),
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

    /// Whether a clause before the original condition keeps it from being evaluated wherever it has no outcome:
    /// `n != 0 && m / n > 2`. The original condition may have been false in all other rows.
    fn protects_old(&self, expr: &Expr, planes: &Planes) -> bool {
        let (Expr::And(clause, kept) | Expr::Or(clause, kept)) = expr else {
            return false;
        };
        let is_old = self.table.spec.old.as_ref() == Some(&**kept);
        is_old
            && planes.plane(UNDEFINED).is_empty()
            && !self.table.planes(kept).plane(UNDEFINED).is_empty()
            && !self.table.planes(clause).is_constant()
    }

    fn prune(&mut self) {
        let mut found: Vec<_> = std::mem::take(&mut self.found).into_iter().collect();
        found.sort_by(|(_, a), (_, b)| a.key().cmp(&b.key()));
        found.truncate(limits::KEPT);
        if let Some((_, worst)) = found.last()
            && worst.soft_violated == 0
        {
            self.bar = worst.cost.saturating_add(WEIGHTS.idiom.most_discount);
        }
        self.found = found.into_iter().collect();
    }

    /// The expressions kept, best first.
    pub fn finish(self) -> Vec<Accepted> {
        let mut found: Vec<_> = self.found.into_values().collect();
        found.sort_by(|a, b| a.key().cmp(&b.key()));
        found
    }
}

/// Whether a clause was added to the original condition, or its connective changed.
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

/// Whether an expression differs from the original condition only in comparisons that are strict instead of
/// inclusive, or the reverse.
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
