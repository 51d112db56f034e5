//! Counterexample-guided search, level by level: the solver sees a few rows, each expression it proposes is
//! evaluated on all rows, and a row that the expression violates is added to the solver.

use nopol_expr::Expr;

use super::library::{self, Level, Library};
use super::{Encoding, Verdict, isolated};
use crate::Answer;
use crate::collect::Collector;
use crate::engine::{Engine, Levels, Task};
use crate::kind::EditKind;
use crate::rank;
use crate::table::{Bits, Table};
use crate::weights::WEIGHTS;

/// Expressions taken from one level.
const MODELS: usize = 30;

/// Share of the limit that is spent on further expressions after the first.
const FURTHER: u32 = 20;

/// The solver alone.
pub(crate) struct Smt;

impl Engine for Smt {
    /// Tries the levels in order, up to the first with an expression and, with a smaller budget, the one after it.
    fn search(&self, task: &Task, collector: &mut Collector) -> Levels {
        let mut levels = Levels::new();
        if task.rlimit == 0 {
            return levels;
        }
        let mut rlimit = task.rlimit;
        for level in library::levels(task.table) {
            let Some((answer, found)) = search(level, task.table, task.constrained, rlimit) else {
                continue;
            };
            let name = level.name();
            let is_last = rlimit < task.rlimit;
            if matches!(answer, Answer::Found(_)) {
                rlimit = task.rlimit / FURTHER;
            }
            let kind = EditKind::NewAtLevel(name.clone());
            for expr in found {
                collector.offer(&expr, cost(&expr, task), &kind);
            }
            levels.push((name, answer));
            if is_last {
                break;
            }
        }
        levels
    }
}

/// The cost of an expression. One that contains the original condition is priced as that with a clause added.
fn cost(expr: &Expr, task: &Task) -> u32 {
    let of = |expr: &Expr| rank::expr_cost(expr, task.table.pool);
    match &task.table.spec.old {
        Some(old) if contains(expr, old) => WEIGHTS.edit.clause + of(expr) - of(old),
        _ => task.base + of(expr),
    }
}

fn contains(expr: &Expr, part: &Expr) -> bool {
    expr == part || expr.children().any(|child| contains(child, part))
}

/// Searches the level for expressions with the expected outcome in the constrained rows. `None` if the level
/// does not apply.
fn search(
    level: Level,
    table: &Table,
    constrained: &Bits,
    rlimit: u32,
) -> Option<(Answer, Vec<Expr>)> {
    let library = Library::new(level, table)?;
    Some(isolated(move || {
        let mut encoding = Encoding::new(&library, rlimit);
        let mut examples = Examples::new(table, constrained);
        for row in &examples.shown {
            encoding.phi_func(*row);
        }
        let mut found = Vec::new();
        let mut constants = 0;
        let answer = loop {
            let wiring = match encoding.phi_patch() {
                Verdict::Found(wiring) => wiring,
                Verdict::Nothing if found.is_empty() => break Answer::Nothing,
                Verdict::Unknown(reason) if found.is_empty() => break Answer::Unknown(reason),
                Verdict::Nothing | Verdict::Unknown(_) => break Answer::Found(found.len()),
            };
            let expr = wiring.expr(&library);
            match examples.against(&expr) {
                Some(row) if examples.shown.contains(&row) => {
                    break Answer::Unknown("the solver's semantics disagree with ours".to_owned());
                }
                Some(row) => {
                    examples.shown.push(row);
                    encoding.phi_func(row);
                }
                None => {
                    encoding.exclude(&wiring);
                    if table.planes(&expr).is_constant() {
                        constants += 1;
                        if constants == MODELS {
                            break Answer::Unknown("only constants were found".to_owned());
                        }
                        continue;
                    }
                    if found.is_empty() {
                        encoding.limit(rlimit / FURTHER);
                    }
                    found.push(expr);
                    if found.len() == MODELS {
                        break Answer::Found(found.len());
                    }
                }
            }
        };
        (answer, found)
    }))
}

/// The rows the solver was shown, and how often each row refuted a proposal.
struct Examples<'a> {
    table: &'a Table<'a>,
    constrained: &'a Bits,
    shown: Vec<usize>,
    refuted: Vec<u32>,
}

impl<'a> Examples<'a> {
    fn new(table: &'a Table<'a>, constrained: &'a Bits) -> Self {
        Self {
            table,
            constrained,
            shown: start(table, constrained),
            refuted: vec![0; table.rows()],
        }
    }

    /// The row to show next: among those that the expression violates, the first of those that most proposals
    /// violated. Such a row excludes more expressions than one that only this proposal violates, so fewer rows are
    /// needed.
    fn against(&mut self, expr: &Expr) -> Option<usize> {
        let mut worst: Option<usize> = None;
        for at in self.constrained.iter() {
            let row = &self.table.spec.rows[at];
            if expr.eval_bool(row) == Some(row.expected) {
                continue;
            }
            self.refuted[at] += 1;
            if worst.is_none_or(|worst| self.refuted[at] > self.refuted[worst]) {
                worst = Some(at);
            }
        }
        worst
    }
}

/// The initial rows: two of each outcome, hard ones first.
fn start(table: &Table, constrained: &Bits) -> Vec<usize> {
    let rows = &table.spec.rows;
    let mut order: Vec<usize> = constrained.iter().collect();
    order.sort_by_key(|row| !rows[*row].hard);
    let mut chosen = Vec::new();
    for outcome in [true, false] {
        chosen.extend(
            order
                .iter()
                .filter(|row| rows[**row].expected == outcome)
                .take(2),
        );
    }
    chosen
}
