//! Synthesis of a boolean expression that explains a spec: a pure function from [`Spec`] and
//! [`Pool`] to ranked expressions (papers/nopol.txt §3.4). Knows nothing of cargo, files or
//! processes; only `smt.rs` and its parts know z3.
//!
//! `table` turns the spec into bitsets and `atoms` lists the clauses. Behind the trait in `engine`,
//! `enumerate` proposes what is near the old condition and new conditions of a few clauses, and `smt`
//! goes through its levels with the solver. `collect` keeps the best by the cost in `rank` and
//! `habits`, with the numbers of `weights`. `distinguish` says whether two conditions are one, and where they differ.

mod admit;
mod atoms;
mod collect;
mod distinguish;
mod engine;
mod enumerate;
mod habits;
mod impure;
mod kind;
mod limits;
mod normal;
mod rank;
mod sense;
#[cfg_attr(not(feature = "z3"), path = "smt_stub.rs")]
mod smt;
mod table;
#[cfg(test)]
mod tests;

use crate::spec::{Expr, Pool, Spec};
use crate::weights::WEIGHTS;
use admit::{consistent, one_sided, unanswerable};
use collect::{Collector, Found};
pub use distinguish::{Context, Equality, difference, equal};
pub use engine::EngineKind;
use engine::{Engine, Levels, Task};
use enumerate::{Enumerate, edits};
pub use kind::EditKind;
use smt::search::Smt;
use std::cell::OnceCell;
use table::{Bits, Table};

/// Bounds on the work done; none of them is a clock, so that the answer is the same everywhere.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Who looks.
    pub engine: EngineKind,
    /// How many candidates are returned at most.
    pub candidates: usize,
    /// z3's `rlimit` for one level: the sum of its queries. Ten million take about a second; with
    /// 0 the solver is not asked.
    pub rlimit: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            engine: EngineKind::Portfolio,
            candidates: 20,
            rlimit: 15_000_000,
        }
    }
}

/// An expression that satisfies every hard row.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub expr: Expr,
    /// See [`crate::weights`]; smaller is better. Comparable between sites.
    pub cost: u32,
    /// Summed weight of the soft rows it violates.
    pub soft_violated: u32,
    /// How the expression was found.
    pub kind: EditKind,
}

/// What became of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// That many candidates.
    Found(usize),
    /// Proved: no expression of this level explains the spec.
    Nothing,
    /// The solver gave up, with its reason.
    Unknown(String),
}

/// The result of [`synthesize`].
#[derive(Clone, Debug, Default)]
pub struct Synthesis {
    /// Best first, no two equal.
    pub candidates: Vec<Candidate>,
    /// Each level tried, by name, in order.
    pub levels: Levels,
    /// Why there is no candidate, in a sentence; `None` if there is one.
    pub reason: Option<String>,
}

/// Finds expressions that explain `spec`.
///
/// First every row must be explained, but for soft ones whose values call for another outcome
/// elsewhere: no expression explains both. If nothing does that, only the hard rows must be. The
/// less soft rows a candidate violates, by weight, the better it is.
pub fn synthesize(spec: &Spec, pool: &Pool, limits: &Limits) -> Synthesis {
    if let Some(reason) = unanswerable(spec, pool) {
        return Synthesis {
            reason: Some(reason),
            ..Synthesis::default()
        };
    }
    let table = Table::new(spec, pool);
    let consistent = consistent(spec);
    let hard = Bits::from_fn(table.rows(), |row| spec.rows[row].hard);
    let atoms = OnceCell::new();
    let mut levels = Vec::new();
    let mut found = Vec::new();
    let demands = !hard.is_empty() || !spec.any_of.is_empty();
    let mut scopes = vec![(&consistent, "")];
    if demands && hard != consistent {
        scopes.push((&hard, ", failing tests only"));
    }
    let one_sided = one_sided(spec);
    // Where all contexts are alike there are only constants, too.
    let first = spec.rows.first().map(|row| &row.values);
    let is_uniform = spec.rows.iter().all(|row| Some(&row.values) == first);
    let engines = match one_sided.is_some() || is_uniform {
        // The solver would find the constant in many forms.
        true => EngineKind::Enumerate,
        false => limits.engine,
    };
    let engines = portfolio(engines).iter();
    let searches = engines.flat_map(|engine| scopes.iter().map(move |scope| (engine, scope)));
    for (engine, (constrained, suffix)) in searches {
        if found.is_empty() {
            let search = Search {
                engine: *engine,
                rlimit: limits.rlimit,
                suffix,
                atoms: &atoms,
            };
            found = search.pass(&table, constrained, &mut levels);
        }
    }
    if !found.is_empty() && hard != consistent && !spec.old_is_impure {
        // What is near the old condition and disagrees with passing tests at one place may still
        // pass them; it comes last.
        let mut near = Collector::new(&table, &hard);
        let need = near.need().clone();
        let atoms = atoms.get_or_init(|| atoms::atoms(&table));
        edits::near(&table, atoms, &need, &mut near);
        let known: Vec<Expr> = found.iter().map(|found| found.expr.clone()).collect();
        let mut more = near.finish();
        more.retain(|other| other.soft_violated > 0 && !known.contains(&other.expr));
        more.sort_by_key(|other| other.cost);
        // What agrees has at least half of the places.
        more.truncate(limits::DISAGREEING.min(limits.candidates / 2));
        found.truncate(limits.candidates - more.len());
        found.extend(more);
        found.sort_by(|a, b| a.key().cmp(&b.key()));
    }
    found.truncate(limits.candidates);
    let candidates: Vec<_> = found.into_iter().map(Candidate::from).collect();
    let reason = candidates
        .is_empty()
        .then(|| one_sided.unwrap_or_else(|| nothing_found(&levels)));
    Synthesis {
        candidates,
        levels,
        reason,
    }
}

impl From<Found> for Candidate {
    fn from(found: Found) -> Self {
        let Found {
            expr,
            cost,
            soft_violated,
            kind,
        } = found;
        Self {
            expr,
            cost,
            soft_violated,
            kind,
        }
    }
}

/// The reason to give when every level was tried in vain.
fn nothing_found(levels: &Levels) -> String {
    let unknown = levels
        .iter()
        .find(|(_, answer)| matches!(answer, Answer::Unknown(_)));
    match unknown {
        Some((level, Answer::Unknown(reason))) => {
            format!(
                "no condition was found; the search at the level \"{level}\" ended early ({reason})"
            )
        }
        _ => "no condition over the values captured there explains the outcomes".into(),
    }
}

/// The engines in the order in which they are asked; the next one only where the last one found
/// nothing, for the solver takes a thousand times as long to find the same.
fn portfolio(kind: EngineKind) -> &'static [&'static dyn Engine] {
    match kind {
        EngineKind::Smt => &[&Smt],
        EngineKind::Enumerate => &[&Enumerate],
        EngineKind::Portfolio => &[&Enumerate, &Smt],
    }
}

/// One search by one engine.
struct Search<'a> {
    engine: &'a dyn Engine,
    /// z3's `rlimit` for one level.
    rlimit: u32,
    /// Added to the names of levels.
    suffix: &'a str,
    /// The clauses of the table searched in, once somebody needs them.
    atoms: &'a OnceCell<Vec<atoms::Atom>>,
}

impl Search<'_> {
    /// Finds what explains the constrained rows.
    fn pass(&self, table: &Table, constrained: &Bits, levels: &mut Levels) -> Vec<Found> {
        if table.spec.old_is_impure {
            return impure::beside(self, table, constrained, levels);
        }
        let base = match table.spec.old {
            Some(_) => WEIGHTS.edit.replaced,
            None => WEIGHTS.edit.new,
        };
        let task = Task {
            table,
            constrained,
            base,
            rlimit: self.rlimit,
            atoms: self.atoms,
        };
        let mut collector = Collector::new(table, constrained);
        for (name, answer) in self.engine.search(&task, &mut collector) {
            levels.push((format!("{name}{}", self.suffix), answer));
        }
        collector.finish()
    }
}
