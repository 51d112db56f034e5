//! Counterexample-guided search in one level: the solver sees a few rows, each expression it
//! proposes is evaluated on all of them, and a row it fails joins the solver's.

use super::Answer;
use super::collect::Collector;
use super::engine::{Engine, Levels, Task};
use super::library::{LEVELS, Level, Library};
use super::rank;
use super::smt::{Encoding, Verdict, isolated};
use super::table::{Bits, Table};
use crate::spec::Expr;

/// How many expressions are taken from one level.
const MODELS: usize = 30;

/// What part of the limit may be spent on looking for more once something is found.
const FURTHER: u32 = 20;

/// The solver alone.
pub(super) struct Smt;

impl Engine for Smt {
    /// Tries the levels in order, up to the one after the first that has something.
    fn search(&self, task: &Task, collector: &mut Collector) -> Levels {
        let mut levels = Levels::new();
        let mut last = usize::MAX;
        if task.rlimit == 0 {
            return levels;
        }
        for (index, level) in LEVELS.into_iter().enumerate() {
            if index > last {
                break;
            }
            let Some((answer, found)) = search(level, task.table, task.constrained, task.rlimit)
            else {
                continue;
            };
            if matches!(answer, Answer::Found(_)) {
                last = last.min(index + 1);
            }
            let why = format!("new condition: {}", level.name);
            for expr in found {
                let cost = task.base + rank::expr_cost(&expr, task.table.pool);
                collector.offer(&expr, cost, &why);
            }
            levels.push((level.name.to_owned(), answer));
        }
        levels
    }
}

/// Looks for expressions of the level that yield the expected outcome in the constrained rows.
/// `None` if the level does not apply.
fn search(
    level: Level,
    table: &Table,
    constrained: &Bits,
    rlimit: u32,
) -> Option<(Answer, Vec<Expr>)> {
    let library = Library::new(level, table)?;
    let rows = start(table, constrained);
    Some(isolated(move || {
        let mut encoding = Encoding::new(&library, rlimit);
        let mut asserted = rows;
        for row in &asserted {
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
            let fails = |row: &usize| {
                let row = &table.spec.rows[*row];
                expr.eval_bool(row) != Some(row.expected)
            };
            let violated = constrained.iter().find(fails);
            match violated {
                Some(row) if asserted.contains(&row) => {
                    break Answer::Unknown("the solver's semantics disagree with ours".to_owned());
                }
                Some(row) => {
                    asserted.push(row);
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

/// A few rows to begin with: two of each outcome, hard ones first.
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
