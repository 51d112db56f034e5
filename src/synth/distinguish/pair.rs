//! Two conditions, what can be known about the contexts they are evaluated in, and how they compare.

use super::axioms::{self, Axiom};
use crate::spec::{Expr, Pool, Row, TermId, Type, Value};
use std::collections::BTreeSet;

/// How two conditions compare over all contexts.
#[derive(Clone, Debug, PartialEq)]
pub enum Equality {
    /// They are defined in the same contexts and have the same value there.
    Proved,
    /// They differ here.
    Differ(Context),
    /// The solver gave up, or is not built in.
    Unknown,
}

/// A context in which two conditions differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The value of each term the two use, literals aside, in order of appearance; `None` is
    /// undefined.
    pub values: Vec<(TermId, Option<Value>)>,
    /// What each of the two yields; `None` where it panics.
    pub yields: [Option<bool>; 2],
}

/// Two conditions, and what can be known about contexts they are evaluated in.
#[cfg_attr(
    not(feature = "z3"),
    expect(dead_code, reason = "some of it only the solver needs")
)]
pub(in crate::synth) struct Pair<'a> {
    pub exprs: [&'a Expr; 2],
    pub pool: &'a Pool,
    pub rows: &'a [Row],
    /// What holds in every context, as far as the pair is concerned.
    pub axioms: Vec<Axiom>,
    /// The terms used, literals aside, in order of appearance.
    pub used: Vec<TermId>,
    /// Those, and the ones the axioms tie to them.
    pub related: BTreeSet<TermId>,
}

impl<'a> Pair<'a> {
    /// `None` if the two are no conditions over the pool.
    pub fn new(a: &'a Expr, b: &'a Expr, pool: &'a Pool, rows: &'a [Row]) -> Option<Self> {
        if [a, b].map(|expr| expr.ty(pool)) != [Some(Type::Bool); 2] {
            return None;
        }
        let mut used: Vec<TermId> = Vec::new();
        for term in a.terms().into_iter().chain(b.terms()) {
            if pool.terms[term].constant.is_none() && !used.contains(&term) {
                used.push(term);
            }
        }
        let mut axioms = axioms::axioms(pool, rows);
        let related = axioms::related(&used.iter().copied().collect(), &axioms);
        axioms.retain(|axiom| axiom.terms().iter().all(|term| related.contains(term)));
        Some(Self {
            exprs: [a, b],
            pool,
            rows,
            axioms,
            used,
            related,
        })
    }

    /// What a row shows of the pair; `None` if the two agree there.
    pub fn context(&self, row: &Row) -> Option<Context> {
        let yields = self.exprs.map(|expr| expr.eval_bool(row));
        let value = |term: &TermId| (*term, row.values.get(*term).cloned().flatten());
        (yields[0] != yields[1]).then(|| Context {
            values: self.used.iter().map(value).collect(),
            yields,
        })
    }

    pub fn observed(&self) -> Option<Context> {
        self.rows.iter().find_map(|row| self.context(row))
    }
}
