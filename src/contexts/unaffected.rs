//! Passing tests that a condition does not affect, because every recorded evaluation keeps its outcome. They
//! are not run to judge a candidate; the final check of a patch runs all tests.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use nopol_expr::{Expr, Row};
use nopol_process::run::suite::TestIndex;
use nopol_source::Site;

use super::{Problem, Recorded};

/// The distinct evaluations of a site in passing tests.
#[derive(Debug)]
pub struct Witnesses {
    rows: Vec<Row>,
    of_test: Vec<(TestIndex, BTreeSet<usize>)>,
}

impl Witnesses {
    /// The evaluations of `site` in tests of which every evaluation was recorded. Empty if the original condition
    /// has side effects, which a candidate may skip.
    pub fn of(site: &Site, problem: &Problem, recorded: &Recorded) -> Self {
        let mut witnesses = Self {
            rows: Vec::new(),
            of_test: Vec::new(),
        };
        if recorded.impure {
            return witnesses;
        }
        let own = site.kind.unconditional();
        let mut index: HashMap<_, usize> = HashMap::new();
        let is_complete = |test: &TestIndex| !recorded.incomplete.contains(test);
        let complete = (recorded.passing.iter()).filter(|(test, _)| is_complete(test));
        for (test, contexts) in complete {
            let mut rows = BTreeSet::new();
            for context in contexts {
                let values = problem.columns.values(context);
                let expected = own.unwrap_or(context.outcome);
                let key = (expected, Arc::as_ptr(&values));
                let at = *index.entry(key).or_insert(witnesses.rows.len());
                if at == witnesses.rows.len() {
                    witnesses.rows.push(Row {
                        values,
                        expected,
                        hard: false,
                        weight: 1,
                    });
                }
                rows.insert(at);
            }
            witnesses.of_test.push((*test, rows));
        }
        witnesses
    }

    /// The tests for which `expr` has the same outcomes as the original condition.
    pub fn unaffected(&self, expr: &Expr) -> BTreeSet<TestIndex> {
        let same = |row: &Row| expr.eval_bool(row) == Some(row.expected);
        let same: Vec<bool> = self.rows.iter().map(same).collect();
        let all_same = |rows: &BTreeSet<usize>| rows.iter().all(|row| same[*row]);
        let tests = self.of_test.iter().filter(|(_, rows)| all_same(rows));
        tests.map(|(test, _)| *test).collect()
    }
}
