//! The enumerator: edits of the original condition first, then new conditions of increasing size. It works on
//! bitsets of rows, whereas the solver finds one model at a time.

mod alternatives;
mod cover;
pub(super) mod edits;
mod grouping;
mod operands;
mod sums;

use nopol_expr::Expr;

use super::Answer;
use super::atoms::Atom;
use super::collect::Collector;
use super::engine::{Engine, Levels, Task};
use super::kind::EditKind;
use super::table::{BoolOp, FALSE, Need, TRUE, UNDEFINED};
use crate::limits;
use crate::weights::WEIGHTS;

/// Searches edits of the original condition, then new conditions.
pub(super) struct Enumerate;

impl Engine for Enumerate {
    fn search(&self, task: &Task, collector: &mut Collector) -> Levels {
        let mut levels = Levels::new();
        let record = |levels: &mut Levels, name: &str, accepted: usize| {
            let answer = match accepted {
                0 => Answer::Nothing,
                _ => Answer::Found(accepted),
            };
            levels.push((name.to_owned(), answer));
        };
        let need = collector.need().clone();
        if edits::near(task.table, task.atoms(), &need, collector) {
            record(
                &mut levels,
                "one edit of the old condition",
                collector.accepted(),
            );
            let single = collector.accepted();
            if single < limits::FEW_EDITS {
                edits::two_edits(task.table, task.atoms(), &need, collector);
                let both = collector.accepted() - single;
                // Only the cheapest edits are extended, so finding nothing proves nothing.
                if both > 0 {
                    let name = "an edit of the old condition and a clause added";
                    record(&mut levels, name, both);
                }
            }
            if collector.accepted() == 0 {
                cover::added(task.table, task.atoms(), &need, collector);
                if collector.accepted() > 0 {
                    let name = "two clauses added to the old condition";
                    record(&mut levels, name, collector.accepted());
                }
            }
        }
        let edited = collector.accepted();
        single(task.atoms(), &need, task.base, collector);
        record(&mut levels, "one clause", collector.accepted() - edited);
        let mut known = collector.accepted();
        let mut stage = |name: &str, search: &dyn Fn(&mut Collector), collector: &mut Collector| {
            search(collector);
            let fresh = collector.accepted() - known;
            known = collector.accepted();
            // These searches are bounded, so finding nothing proves nothing.
            if fresh > 0 {
                levels.push((name.to_owned(), Answer::Found(fresh)));
            }
        };
        let clauses = |atoms: &[Atom], number: usize, collector: &mut Collector| {
            for op in [BoolOp::And, BoolOp::Or] {
                cover::combinations(atoms, &need, op, number, task.base, collector);
            }
        };
        let plain = task.atoms();
        let search = |found: &mut Collector| guarded(plain, &need, task.base, found);
        stage(
            "two clauses, the second evaluated only where the first makes it safe",
            &search,
            collector,
        );
        stage("two clauses", &|found| clauses(plain, 2, found), collector);
        if collector.accepted() > 0 || collector.is_stopped() {
            return levels;
        }
        let sums = sums::atoms(task.table, &need);
        let search = |found: &mut Collector| single(&sums, &need, task.base, found);
        stage("one clause with a sum", &search, collector);
        stage(
            "three clauses",
            &|found| clauses(plain, 3, found),
            collector,
        );
        let search = |found: &mut Collector| cover::nested(plain, &need, task.base, found);
        stage("three clauses with both `&&` and `||`", &search, collector);
        if collector.accepted() == 0 && !sums.is_empty() {
            let mut both = [sums, plain.to_vec()].concat();
            both.sort_by(|a, b| (a.cost, &a.expr).cmp(&(b.cost, &b.expr)));
            stage(
                "two clauses with a sum",
                &|found| clauses(&both, 2, found),
                collector,
            );
        }
        levels
    }
}

/// Offers every partially undefined clause after every guard that stops exactly where it is undefined.
fn guarded(atoms: &[Atom], need: &Need, base: u32, collector: &mut Collector) {
    let is_partial = |atom: &&Atom| !atom.planes.plane(UNDEFINED).is_empty();
    let partial: Vec<&Atom> = atoms.iter().filter(is_partial).collect();
    for guard in atoms.iter().filter(|atom| !is_partial(atom)) {
        for atom in &partial {
            let undefined = atom.planes.plane(UNDEFINED);
            for (op, stop) in [(BoolOp::And, FALSE), (BoolOp::Or, TRUE)] {
                let fits = guard.planes.plane(stop) == undefined
                    && need.met_by_pair(op, &guard.planes, &atom.planes);
                if fits {
                    let (a, b) = (guard.expr.clone(), atom.expr.clone());
                    let (expr, own) = match op {
                        BoolOp::And => (a.and(b), WEIGHTS.part.and),
                        _ => (a.or(b), WEIGHTS.part.or),
                    };
                    let cost = base + own + guard.cost + atom.cost;
                    collector.offer(&expr, cost, &EditKind::NewGuard);
                }
            }
        }
    }
}

/// Offers every boolean term, or its negation, that meets `need` on its own, as a condition where there was none.
pub(super) fn flags(atoms: &[Atom], need: &Need, collector: &mut Collector) {
    let is_flag = |atom: &&Atom| !matches!(atom.expr, Expr::Cmp(..));
    let flags: Vec<Atom> = atoms.iter().filter(is_flag).cloned().collect();
    single(&flags, need, WEIGHTS.edit.new, collector);
}

/// Offers every clause that meets `need` on its own.
fn single(atoms: &[Atom], need: &Need, base: u32, collector: &mut Collector) {
    for atom in atoms.iter().filter(|atom| need.met_by(&atom.planes)) {
        let kind = match &atom.expr {
            Expr::Cmp(..) => EditKind::NewComparison,
            _ => EditKind::NewBoolean,
        };
        collector.offer(&atom.expr, base + atom.cost, &kind);
    }
}
