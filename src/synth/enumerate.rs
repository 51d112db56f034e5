//! New conditions of one or two clauses, exhaustively: what the solver finds one model at a time
//! is found here in order of cost.

use super::atoms::Atom;
use super::collect::Collector;
use super::engine::{Engine, Levels, Task};
use super::table::{BoolOp, Need};
use super::{Answer, edits, rank};
use crate::spec::Expr;

/// How many clauses are paired at most, cheapest first.
const PAIRED: usize = 1500;
/// How many pairs are accepted at most, in order of cost.
const PAIRS: usize = 2000;

/// What is near the old condition, then new conditions.
pub(super) struct Enumerate;

impl Engine for Enumerate {
    fn search(&self, task: &Task, collector: &mut Collector) -> Levels {
        let mut levels = Levels::new();
        let mut record = |name: &str, accepted: usize| {
            let answer = match accepted {
                0 => Answer::Nothing,
                _ => Answer::Found(accepted),
            };
            levels.push((name.to_owned(), answer));
        };
        let need = collector.need().clone();
        if edits::near(task.table, task.atoms(), &need, collector) {
            record("one edit of the old condition", collector.accepted());
            if collector.accepted() == 0 {
                edits::two_edits(task.table, task.atoms(), &need, collector);
                // Only the cheapest edits are extended, so finding nothing proves nothing.
                if collector.accepted() > 0 {
                    record(
                        "an edit of the old condition and a clause added",
                        collector.accepted(),
                    );
                }
            }
        }
        let edited = collector.accepted();
        single(task.atoms(), &need, task.base, collector);
        record("one clause", collector.accepted() - edited);
        let alone = collector.accepted();
        pairs(task.atoms(), &need, task.base, collector);
        if collector.accepted() > alone {
            record("two clauses", collector.accepted() - alone);
        }
        levels
    }
}

/// Offers every clause that alone meets `need`.
pub(super) fn single(atoms: &[Atom], need: &Need, base: u32, collector: &mut Collector) {
    for atom in atoms.iter().filter(|atom| need.met_by(&atom.planes)) {
        let why = match &atom.expr {
            Expr::Cmp(..) => "new condition: one comparison",
            _ => "new condition: a boolean",
        };
        collector.offer_checked(atom.expr.clone(), base + atom.cost, why);
    }
}

/// Offers every conjunction and disjunction of two clauses that meets `need`, neither of which
/// would do alone.
pub(super) fn pairs(atoms: &[Atom], need: &Need, base: u32, collector: &mut Collector) {
    for op in [BoolOp::And, BoolOp::Or] {
        // The left clause decides alone where it stops the evaluation; the right one where the
        // left one must let it pass.
        let part = |fits: &dyn Fn(&Atom) -> bool| -> Vec<&Atom> {
            let fitting = atoms
                .iter()
                .filter(|atom| fits(atom) && !need.met_by(&atom.planes));
            fitting.take(PAIRED).collect()
        };
        let lefts = part(&|atom| need.allows_left(op, &atom.planes));
        let rights = part(&|atom| need.allows_right(op, &atom.planes));
        let mut accepted = 0;
        'search: for sum in 0..lefts.len() + rights.len() {
            // Diagonals go roughly from cheap to dear pairs.
            for left in sum.saturating_sub(rights.len().saturating_sub(1))..=sum {
                let (Some(left), Some(right)) = (lefts.get(left), rights.get(sum - left)) else {
                    continue;
                };
                // Two comparisons of the same operands are one comparison.
                let one = same_operands(&left.expr, &right.expr);
                if one || !need.met_by_pair(op, &left.planes, &right.planes) {
                    continue;
                }
                let (a, b) = (left.expr.clone(), right.expr.clone());
                let (expr, own, why) = match op {
                    BoolOp::And => (
                        a.and(b),
                        rank::AND,
                        "new condition: two clauses that must both hold",
                    ),
                    _ => (
                        a.or(b),
                        rank::OR,
                        "new condition: two clauses one of which must hold",
                    ),
                };
                collector.offer_checked(expr, base + own + left.cost + right.cost, why);
                accepted += 1;
                if accepted == PAIRS {
                    break 'search;
                }
            }
        }
    }
}

/// Whether both are comparisons of the same two operands.
pub(super) fn same_operands(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Cmp(_, a, b), Expr::Cmp(_, c, d)) => a == c && b == d || a == d && b == c,
        _ => false,
    }
}
