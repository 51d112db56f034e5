//! Original conditions with side effects. Each is evaluated exactly once and first, so a candidate is
//! `old && X`, `old || X` or `!old`, and only X is searched for.

use std::cell::OnceCell;

use nopol_expr::{Row, Spec, TermId};

use super::EngineRun;
use super::admit::Classes;
use super::collect::{Accepted, Collector};
use super::engine::Levels;
use super::enumerate::edits;
use super::kind::EditKind;
use super::table::{Bits, Table};
use crate::weights::WEIGHTS;

/// Finds `old && X`, `old || X` and `!old`. X explains the rows in which it is evaluated, and the original
/// condition alone must explain the others.
pub(super) fn beside(
    run: &EngineRun,
    table: &Table,
    constrained: &Bits,
    levels: &mut Levels,
) -> Vec<Accepted> {
    let spec = table.spec;
    let Some(old) = &spec.old else {
        return Vec::new();
    };
    let mut collector = Collector::new(table, constrained, run.stop);
    edits::of_impure(old, &mut collector);
    let mut rows = Vec::new();
    for row in constrained.iter() {
        rows.push(spec.rows[row].clone());
    }
    for conjunction in [true, false] {
        let (mut open, mut decided) = (Vec::new(), true);
        for row in &rows {
            match old.eval_bool(row) {
                Some(value) if value == conjunction => open.push(without(row, &old.terms())),
                value => decided &= value == Some(row.expected),
            }
        }
        let one_sided = open.iter().all(|row| row.expected == conjunction);
        let beside = Spec {
            rows: open,
            any_of: Vec::new(),
            old: None,
            old_is_impure: false,
        };
        if !decided || one_sided || beside.is_one_sided() || Classes::new(&beside).are_mixed() {
            continue;
        }
        let inner = Table::new(&beside, table.pool);
        let every = Bits::from_fn(inner.rows(), |_| true);
        let form = if conjunction {
            ", after `old &&`"
        } else {
            ", after `old ||`"
        };
        let inner_run = EngineRun {
            suffix: &format!("{form}{}", run.suffix),
            atoms: &OnceCell::new(),
            ..*run
        };
        for found in inner_run.run(&inner, &every, levels) {
            let cost = found.cost - WEIGHTS.edit.new + WEIGHTS.edit.clause;
            let expr = match conjunction {
                true => old.clone().and(found.expr),
                false => old.clone().or(found.expr),
            };
            collector.offer(&expr, cost, &EditKind::ClauseAddedAfter);
        }
    }
    collector.finish()
}

/// The row without the values of some terms.
fn without(row: &Row, terms: &[TermId]) -> Row {
    let mut row = row.clone();
    let values = row.values_mut();
    for term in terms {
        if let Some(value) = values.get_mut(*term) {
            *value = None;
        }
    }
    row
}
