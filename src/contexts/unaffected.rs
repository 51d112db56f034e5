//! Which passing tests an expression cannot touch: those whose every recorded evaluation goes on as
//! it did. They need not be run to judge it; the build of a patch by itself runs them all.

use std::collections::{BTreeSet, HashMap};

use super::{Problem, Recorded};
use crate::run::suite::TestIndex;
use crate::source::Site;
use crate::spec::{Expr, Row};

/// The evaluations that passing tests make at one site, each distinct one once.
#[derive(Debug)]
pub struct Witnesses {
    rows: Vec<Row>,
    of_test: Vec<(TestIndex, BTreeSet<usize>)>,
}

impl Witnesses {
    /// Those of `site`; none where contexts are missing, or where a condition that need not be
    /// evaluated any more has side effects.
    pub fn of(site: &Site, problem: &Problem, recorded: &Recorded) -> Self {
        let mut witnesses = Self {
            rows: Vec::new(),
            of_test: Vec::new(),
        };
        if recorded.impure || recorded.dropped > 0 {
            return witnesses;
        }
        let own = site.kind.unconditional();
        let mut index: HashMap<_, usize> = HashMap::new();
        for (test, contexts) in &recorded.passing {
            let mut rows = BTreeSet::new();
            for context in contexts {
                let values = problem.columns.values(context);
                let expected = own.unwrap_or(context.outcome);
                let key = (expected, values.clone());
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

    /// The tests for which nothing changes if `expr` decides at the site.
    pub fn unaffected(&self, expr: &Expr) -> BTreeSet<TestIndex> {
        let same = |row: &Row| expr.eval_bool(row) == Some(row.expected);
        let same: Vec<bool> = self.rows.iter().map(same).collect();
        let all_same = |rows: &BTreeSet<usize>| rows.iter().all(|row| same[*row]);
        let tests = self.of_test.iter().filter(|(_, rows)| all_same(rows));
        tests.map(|(test, _)| *test).collect()
    }
}
