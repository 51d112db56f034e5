//! Evidence for the clauses of a condition: the recorded contexts in which each clause decides the outcome.

use std::collections::BTreeMap;

use nopol_expr::{Expr, Row, TermId, Value};
use nopol_process::run::suite::TestIndex;

use super::{Problem, Recorded};

/// The contexts in which a clause decides the outcome: negating the clause would change the value of the
/// condition.
#[derive(Clone, Debug)]
pub struct ClauseEvidence {
    /// The clause.
    pub clause: Expr,
    /// The tests with such a context, and whether each fails without the patch.
    pub tests: BTreeMap<TestIndex, bool>,
    /// Number of such contexts, counted once per test.
    pub contexts: usize,
    /// One of the contexts and the value of the clause there. Contexts of failing tests come first, and
    /// among these the ones where the outcome must change.
    pub example: Option<(Row, bool)>,
}

/// Contexts that are the same in everything a condition and the old one read.
#[derive(Clone, Debug)]
pub struct Seen {
    /// One of them.
    pub row: Row,
    /// The tests with such a context, and whether each fails without the patch.
    pub tests: BTreeMap<TestIndex, bool>,
    /// What the old condition yields; `None` if there is none, or it panics.
    pub old: Option<bool>,
    /// What the condition yields.
    pub new: Option<bool>,
    /// What the clauses read that decide the outcome here.
    pub deciding: Vec<TermId>,
}

/// What a condition and the old one read, and the contexts they were recorded in: those of failing tests first, then those
/// that decide most.
pub fn table(problem: &Problem, recorded: &Recorded, expr: &Expr) -> (Vec<TermId>, Vec<Seen>) {
    let mut specs = problem.specs.iter().chain(&problem.relaxed);
    let old = specs.find_map(|spec| spec.old.as_ref());
    let mut read = expr.terms();
    read.extend(old.map(Expr::terms).unwrap_or_default());
    let mut terms: Vec<TermId> = Vec::new();
    for term in read {
        if problem.pool.terms[term].constant.is_none() && !terms.contains(&term) {
            terms.push(term);
        }
    }
    let mut clauses = Vec::new();
    clauses_of(expr, &|clause| clause, &mut clauses);
    let mut seen: Vec<(Vec<Option<Value>>, Seen)> = Vec::new();
    for (test, is_failing, row) in rows(problem, recorded) {
        let values: Vec<Option<Value>> =
            terms.iter().map(|term| row.values[*term].clone()).collect();
        if let Some((_, known)) = seen.iter_mut().find(|(known, _)| *known == values) {
            known.tests.insert(test, is_failing);
            continue;
        }
        if seen.len() == MOST_SEEN {
            continue;
        }
        let new = expr.eval_bool(&row);
        let decides = |opposite: &Expr| new.is_some() && opposite.eval_bool(&row) != new;
        let deciding = clauses.iter().filter(|(_, opposite)| decides(opposite));
        let deciding = deciding.flat_map(|(clause, _)| clause.terms()).collect();
        let old = old.and_then(|old| old.eval_bool(&row));
        let tests = BTreeMap::from([(test, is_failing)]);
        seen.push((
            values,
            Seen {
                row,
                tests,
                old,
                new,
                deciding,
            },
        ));
    }
    let mut seen: Vec<Seen> = seen.into_iter().map(|(_, seen)| seen).collect();
    seen.sort_by_key(|seen| {
        let is_failing = seen.tests.values().any(|is_failing| *is_failing);
        (!is_failing, std::cmp::Reverse(seen.deciding.len()))
    });
    (terms, seen)
}

/// Most different contexts in a table.
pub const MOST_SEEN: usize = 200;

/// The evidence for each clause of a condition, left to right.
pub fn evidence(problem: &Problem, recorded: &Recorded, expr: &Expr) -> Vec<ClauseEvidence> {
    let rows = rows(problem, recorded);
    let mut clauses = Vec::new();
    clauses_of(expr, &|clause| clause, &mut clauses);
    let evidence = clauses.into_iter().map(|(clause, opposite)| {
        let mut evidence = ClauseEvidence {
            clause,
            tests: BTreeMap::new(),
            contexts: 0,
            example: None,
        };
        for (test, is_failing, row) in &rows {
            let (Some(value), Some(own)) = (expr.eval_bool(row), evidence.clause.eval_bool(row))
            else {
                continue;
            };
            if opposite.eval_bool(row) == Some(value) {
                continue;
            }
            evidence.tests.insert(*test, *is_failing);
            evidence.contexts += 1;
            evidence.example.get_or_insert_with(|| (row.clone(), own));
        }
        evidence
    });
    evidence.collect()
}

/// The recorded contexts with the tests they are of, and whether each fails: the best examples first.
fn rows(problem: &Problem, recorded: &Recorded) -> Vec<(TestIndex, bool, Row)> {
    let mut rows: Vec<(TestIndex, bool, Row)> = Vec::new();
    let row = |context, outcome| Row {
        values: problem.columns.values(context),
        expected: outcome,
        hard: true,
        weight: 1,
    };
    for (test, cures) in &recorded.cured {
        let contexts = cures.iter().take(1).flat_map(|cure| &cure.contexts);
        rows.extend(contexts.map(|context| (*test, true, row(context, context.outcome))));
    }
    for (test, contexts) in &recorded.passing {
        rows.extend(
            contexts
                .iter()
                .map(|context| (*test, false, row(context, context.outcome))),
        );
    }
    // Changed outcomes of failing tests are the best examples, then their other outcomes.
    let is_kept = |row: &Row| {
        let old = problem
            .specs
            .iter()
            .chain(&problem.relaxed)
            .find_map(|spec| spec.old.as_ref());
        old.is_some_and(|old| old.eval_bool(row) == Some(row.expected))
    };
    rows.sort_by_key(|(_, is_failing, row)| (!is_failing, is_kept(row)));
    rows
}

/// The clauses of a condition, left to right; a negated one with its negation.
pub fn clauses(expr: &Expr) -> Vec<Expr> {
    let mut clauses = Vec::new();
    clauses_of(expr, &|clause| clause, &mut clauses);
    clauses.into_iter().map(|(clause, _)| clause).collect()
}

/// Each clause, with the whole condition in which only that clause is negated.
fn clauses_of(expr: &Expr, whole: &dyn Fn(Expr) -> Expr, clauses: &mut Vec<(Expr, Expr)>) {
    match expr {
        Expr::Not(a) if matches!(**a, Expr::Not(_) | Expr::And(..) | Expr::Or(..)) => {
            clauses_of(a, &|new| whole(new.not()), clauses);
        }
        Expr::Not(a) => clauses.push((expr.clone(), whole((**a).clone()))),
        Expr::And(a, b) => {
            clauses_of(a, &|new| whole(new.and((**b).clone())), clauses);
            clauses_of(b, &|new| whole((**a).clone().and(new)), clauses);
        }
        Expr::Or(a, b) => {
            clauses_of(a, &|new| whole(new.or((**b).clone())), clauses);
            clauses_of(b, &|new| whole((**a).clone().or(new)), clauses);
        }
        _ => clauses.push((expr.clone(), whole(expr.clone().not()))),
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::TermId;

    use super::*;

    #[test]
    fn each_clause_is_negated_in_its_place() {
        let t = |term| Expr::Term(TermId::new(term));
        let expr = t(0).and(t(1).or(t(2)).not());
        let mut clauses = Vec::new();
        clauses_of(&expr, &|clause| clause, &mut clauses);
        let clauses: Vec<_> = clauses.into_iter().collect();
        assert_eq!(clauses[0], (t(0), t(0).not().and(t(1).or(t(2)).not())));
        assert_eq!(clauses[2], (t(2), t(0).and(t(1).or(t(2).not()).not())));
    }

    #[test]
    fn a_negated_clause_has_its_negation() {
        let t = |term| Expr::Term(TermId::new(term));
        let expr = t(0).and(t(1).not());
        let mut found = Vec::new();
        clauses_of(&expr, &|clause| clause, &mut found);
        assert_eq!(found[1], (t(1).not(), t(0).and(t(1))));
    }
}
