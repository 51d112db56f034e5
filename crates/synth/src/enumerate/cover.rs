//! Conjunctions and disjunctions of up to three clauses with one level of nesting, found as set covers of rows
//! instead of by crossing all pairs.
//!
//! In a conjunction, every clause must hold wherever the whole must hold, and wherever the whole must fail some
//! clause must fail. Few clauses meet the first requirement. The search branches on the row that the fewest of
//! them cover, so it tries few combinations. Disjunctions are the same with true and false exchanged.

use nopol_expr::Expr;

use super::edits::edited;
use crate::atoms::Atom;
use crate::collect::Collector;
use crate::kind::EditKind;
use crate::limits;
use crate::redundancy::same_operands;
use crate::table::{Bits, BoolOp, FALSE, Need, Planes, TRUE, Table, UNDEFINED};
use crate::weights::WEIGHTS;

/// A clause and the rows it covers.
struct Clause<'a> {
    atom: &'a Atom,
    covers: Bits,
}

/// Offers combinations by `op` of exactly this number of clauses that meet `need`, where every clause is needed.
pub(super) fn combinations(
    atoms: &[Atom],
    need: &Need,
    op: BoolOp,
    clauses: usize,
    base: u32,
    collector: &mut Collector,
) {
    let mut search = CoverSearch::new(atoms, need, op);
    let wanted = search.wanted.clone();
    search.cover(&wanted, clauses, &mut Vec::new(), &mut |expr, cost| {
        let kind = match op {
            BoolOp::And => EditKind::NewConjunction(clauses),
            _ => EditKind::NewDisjunction(clauses),
        };
        collector.offer(&expr, base + cost, &kind);
    });
}

/// Offers two clauses added to the original condition by one connective, where both are needed: `old || n == 0 || m == 0`.
pub(super) fn added(table: &Table, atoms: &[Atom], need: &Need, collector: &mut Collector) {
    let Some(old) = edited(table) else {
        return;
    };
    for op in [BoolOp::And, BoolOp::Or] {
        let rest = need.of_right(op, &table.planes(old));
        let mut search = CoverSearch::new(atoms, &rest, op);
        let wanted = search.wanted.clone();
        search.cover(&wanted, 2, &mut Vec::new(), &mut |both, cost| {
            if let Expr::And(first, second) | Expr::Or(first, second) = both {
                let (expr, _) = join(op, old.clone(), *first);
                let (expr, _) = join(op, expr, *second);
                collector.offer(&expr, WEIGHTS.edit.clause + cost, &EditKind::ClausesAdded);
            }
        });
    }
}

/// Offers `a && (b || c)` and `a || b && c`.
pub(super) fn nested(atoms: &[Atom], need: &Need, base: u32, collector: &mut Collector) {
    for (outer, inner) in [(BoolOp::And, BoolOp::Or), (BoolOp::Or, BoolOp::And)] {
        let firsts = CoverSearch::new(atoms, need, outer).clauses;
        for first in firsts.iter().take(limits::MOST_OUTER) {
            let rest = need.of_right(outer, &first.atom.planes);
            let mut search = CoverSearch::new(atoms, &rest, inner);
            let wanted = search.wanted.clone();
            search.cover(&wanted, 2, &mut Vec::new(), &mut |group, cost| {
                let (expr, own) = join(outer, first.atom.expr.clone(), group);
                let cost = base + own + first.atom.cost + cost + WEIGHTS.part.group;
                collector.offer(&expr, cost, &EditKind::NewGroup);
            });
        }
    }
}

fn join(op: BoolOp, a: Expr, b: Expr) -> (Expr, u32) {
    match op {
        BoolOp::And => (a.and(b), WEIGHTS.part.and),
        _ => (a.or(b), WEIGHTS.part.or),
    }
}

struct CoverSearch<'a> {
    need: &'a Need,
    op: BoolOp,
    /// The clauses that may be combined, cheapest first.
    clauses: Vec<Clause<'a>>,
    /// The rows that must be covered: some clause must decide the outcome there.
    wanted: Bits,
    tried: usize,
    offered: usize,
}

impl<'a> CoverSearch<'a> {
    fn new(atoms: &'a [Atom], need: &'a Need, op: BoolOp) -> Self {
        let (stops, passes) = match op {
            BoolOp::And => (FALSE, TRUE),
            _ => (TRUE, FALSE),
        };
        let wanted = need.forbids(passes);
        let kept = need.forbids(stops);
        let mut clauses: Vec<Clause> = Vec::new();
        let mut seen: std::collections::HashMap<(Bits, Bits), usize> = Default::default();
        for atom in atoms {
            let [of_stop, undefined] = [stops, UNDEFINED].map(|plane| atom.planes.plane(plane));
            let is_right = of_stop.is_disjoint(&kept) && undefined.is_disjoint(&kept);
            if !is_right {
                continue;
            }
            let covers = of_stop.and(&wanted);
            // A clause that covers every row is a solution on its own, unless it needs a guard.
            let is_idle = covers.is_empty() || covers == wanted && need.met_by(&atom.planes);
            if is_idle {
                continue;
            }
            let alike = seen
                .entry((covers.clone(), undefined.and(&wanted)))
                .or_default();
            *alike += 1;
            if *alike <= limits::PER_COVER {
                clauses.push(Clause { atom, covers });
            }
        }
        Self {
            need,
            op,
            clauses,
            wanted,
            tried: 0,
            offered: 0,
        }
    }

    /// Chooses up to `left` further clauses until the open rows are covered.
    fn cover(
        &mut self,
        open: &Bits,
        left: usize,
        chosen: &mut Vec<usize>,
        offer: &mut dyn FnMut(Expr, u32),
    ) {
        let Some(row) = self.hardest(open) else {
            return;
        };
        for index in 0..self.clauses.len() {
            if self.tried >= limits::MOST_TRIED || self.offered >= limits::MOST_OFFERED {
                return;
            }
            let clause = &self.clauses[index];
            if !clause.covers.contains(row) {
                continue;
            }
            let taken =
                |other: &usize| same_operands(&self.clauses[*other].atom.expr, &clause.atom.expr);
            if chosen.contains(&index) || chosen.iter().any(taken) {
                continue;
            }
            self.tried += 1;
            let rest = open.minus(&clause.covers);
            chosen.push(index);
            match (left, rest.is_empty()) {
                (1, false) => {}
                // Fewer clauses cover the rows; the remaining ones can only be guards.
                (_, true) => self.finish(chosen, left - 1, offer),
                _ => self.cover(&rest, left - 1, chosen, offer),
            }
            chosen.pop();
        }
    }

    /// The open row that the fewest clauses cover.
    fn hardest(&self, open: &Bits) -> Option<usize> {
        let coverers = |row: &usize| {
            let covering = self
                .clauses
                .iter()
                .filter(|clause| clause.covers.contains(*row));
            covering.count()
        };
        // Checking the first eight rows is enough.
        open.iter().take(8).min_by_key(coverers)
    }

    /// Offers the chosen clauses, those that are always defined first. If that order is undefined somewhere and
    /// one clause is left to choose, a guard may come first.
    fn finish(&mut self, chosen: &[usize], left: usize, offer: &mut dyn FnMut(Expr, u32)) {
        let mut order = chosen.to_vec();
        order.sort_by_key(|index| {
            let atom = self.clauses[*index].atom;
            (!atom.planes.plane(UNDEFINED).is_empty(), atom.cost, *index)
        });
        if let Some(planes) = self.planes(&order)
            && self.need.met_by(&planes)
        {
            if left == 0 {
                self.put(&order, offer);
            }
            return;
        }
        if left == 0 {
            return;
        }
        for guard in 0..self.clauses.len() {
            if self.offered >= limits::MOST_OFFERED {
                return;
            }
            if order.contains(&guard)
                || !self.clauses[guard].atom.planes.plane(UNDEFINED).is_empty()
            {
                continue;
            }
            self.tried += 1;
            let mut guarded = vec![guard];
            guarded.extend(&order);
            let met = self
                .planes(&guarded)
                .is_some_and(|planes| self.need.met_by(&planes));
            if met && left == 1 {
                self.put(&guarded, offer);
            }
        }
    }

    fn planes(&self, order: &[usize]) -> Option<Planes> {
        let mut parts = order.iter().map(|index| &self.clauses[*index].atom.planes);
        let first = parts.next()?.clone();
        Some(parts.fold(first, |left, right| left.combine(self.op, right)))
    }

    fn put(&mut self, order: &[usize], offer: &mut dyn FnMut(Expr, u32)) {
        let mut parts = order.iter().map(|index| self.clauses[*index].atom);
        let Some(first) = parts.next() else { return };
        let mut whole = (first.expr.clone(), first.cost);
        for atom in parts {
            let (expr, own) = join(self.op, whole.0, atom.expr.clone());
            whole = (expr, whole.1 + own + atom.cost);
        }
        self.offered += 1;
        offer(whole.0, whole.1);
    }
}
