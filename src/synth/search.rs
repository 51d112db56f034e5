//! Counterexample-guided search in one level: the solver sees a few rows, each expression it
//! proposes is evaluated on all of them, and a row it fails joins the solver's.

use super::Answer;
use super::collect::Collector;
use super::library::{Level, Library};
use super::smt::{Encoding, Verdict, isolated};
use super::table::{Bits, Table};

/// How many expressions are taken from one level.
const MODELS: usize = 30;

/// Looks for expressions of the level that yield the expected outcome in the constrained rows.
/// `None` if the level does not apply.
pub(super) fn search(
    level: Level,
    table: &Table,
    constrained: &Bits,
    rlimit: u32,
) -> Option<(Answer, Vec<crate::spec::Expr>)> {
    let library = Library::new(level, table)?;
    let rows = start(table, constrained);
    Some(isolated(move || {
        let mut encoding = Encoding::new(&library, rlimit);
        let mut asserted = rows;
        for row in &asserted {
            encoding.phi_func(*row);
        }
        let mut found = Vec::new();
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

/// Offers what was found to the collector.
pub(super) fn offer(
    found: Vec<crate::spec::Expr>,
    level: Level,
    base: u32,
    collector: &mut Collector,
    table: &Table,
) {
    let why = format!("new condition from the solver: {}", level.name);
    for expr in found {
        let cost = base + super::rank::expr_cost(&expr, table.pool);
        collector.offer(&expr, cost, &why);
    }
}
