//! Pairs of conditions, the facts known about their contexts, and the results of comparing them.

use std::collections::BTreeSet;

use nopol_expr::{ArithFailure, Expr, Pool, Row, TermId, Type, Value};

use super::axioms::{self, Axiom};

/// How two conditions compare over all contexts.
#[derive(Clone, Debug, PartialEq)]
pub enum Equality {
    /// They are defined in the same contexts and have the same value there.
    Proved,
    /// They differ in this context.
    Differ(Counterexample),
    /// Undecided: the solver gave up, or is not built in.
    Unknown,
}

/// A context in which two conditions differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The value of each term that the two use, except literals, in order of appearance; `None` is undefined.
    pub values: Vec<(TermId, Option<Value>)>,
    /// The outcome of each of the two; `None` if it panics.
    pub yields: [Option<bool>; 2],
    /// How the arithmetic of one that panics fails; `None` if it panics because a value is undefined.
    pub failures: [Option<ArithFailure>; 2],
}

/// Two conditions, and the facts known about their contexts.
#[cfg_attr(
    not(feature = "z3"),
    expect(dead_code, reason = "some of it only the solver needs")
)]
pub(crate) struct Pair<'a> {
    pub exprs: [&'a Expr; 2],
    pub pool: &'a Pool,
    pub rows: &'a [Row],
    /// The axioms that concern the pair.
    pub axioms: Vec<Axiom>,
    /// The terms used, except literals, in order of appearance.
    pub used: Vec<TermId>,
    /// The terms used and the terms that axioms relate to them.
    pub related: BTreeSet<TermId>,
    /// The terms used that may get other values than a row has.
    pub varied: Vec<TermId>,
    /// Terms used that had the same value in every row, and many values.
    pub tied: Vec<[TermId; 2]>,
    /// Whether they differ only where the second one has a value: [`crate::covers`].
    pub is_covering: bool,
}

/// The values that two terms must have shared before they count as tied: fewer may be an accident of the tests.
const MANY_VALUES: usize = 4;

impl<'a> Pair<'a> {
    /// The pair; `None` unless both are conditions over the pool.
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
            varied: used.clone(),
            used,
            related,
            tied: Vec::new(),
            is_covering: false,
        })
    }

    /// With the ties between its terms: what was the same in every row is probably one thing under two names (`n` and
    /// what it was computed from), and a context in which it differs is one that no program reaches.
    pub fn tied(mut self) -> Self {
        for (at, a) in self.used.iter().enumerate() {
            for b in &self.used[at + 1..] {
                let ty = self.pool.terms[*a].ty;
                if ty != Type::Bool && ty == self.pool.terms[*b].ty && self.are_tied(*a, *b) {
                    self.tied.push([*a, *b]);
                }
            }
        }
        self
    }

    /// With nothing varied but these terms, and of them only those that nothing else depends on: no other term used reads
    /// the same variable or was tied to it.
    pub fn varying(mut self, inputs: &BTreeSet<TermId>) -> Self {
        let terms = &self.pool.terms;
        let is_read_by = |name: &str, other: &TermId| terms[*other].access.names().contains(&name);
        let is_free = |term: &TermId| {
            let root = terms[*term].access.root();
            let mut others = self.used.iter().filter(|other| *other != term);
            inputs.contains(term)
                && root.is_some_and(|name| !others.any(|other| is_read_by(name, other)))
        };
        let free: Vec<TermId> = self.used.iter().copied().filter(is_free).collect();
        let is_bound = |term: &TermId| {
            let mut ties = self.tied.iter().filter(|tied| tied.contains(term));
            ties.any(|tied| tied.iter().any(|other| !free.contains(other)))
        };
        self.varied = free.iter().copied().filter(|it| !is_bound(it)).collect();
        self
    }

    fn are_tied(&self, a: TermId, b: TermId) -> bool {
        let value = |row: &'a Row, term: TermId| row.values.get(term).and_then(Option::as_ref);
        let mut seen: Vec<&Value> = Vec::new();
        for row in self.rows {
            let (this, other) = (value(row, a), value(row, b));
            if this != other {
                return false;
            }
            if let Some(this) = this
                && seen.len() < MANY_VALUES
                && !seen.contains(&this)
            {
                seen.push(this);
            }
        }
        seen.len() == MANY_VALUES
    }

    /// The difference of the pair in a row; `None` if the two agree there.
    pub fn context(&self, row: &Row) -> Option<Counterexample> {
        let yields = self.exprs.map(|expr| expr.eval_bool(row));
        let value = |term: &TermId| (*term, row.values.get(*term).cloned().flatten());
        let is_compared = !self.is_covering || yields[1].is_some();
        (is_compared && yields[0] != yields[1]).then(|| Counterexample {
            values: self.used.iter().map(value).collect(),
            yields,
            failures: self.exprs.map(|expr| expr.culprit(row).map(|(_, how)| how)),
        })
    }

    pub fn observed(&self) -> Option<Counterexample> {
        self.rows.iter().find_map(|row| self.context(row))
    }
}
