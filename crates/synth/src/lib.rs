//! Synthesis of boolean expressions that explain a spec: a pure function from [`Spec`] and [`Pool`] to
//! ranked expressions (the Nopol paper, §3.4). Independent of cargo, files and processes; only `smt.rs` and
//! its submodules use z3.
//!
//! `table` turns the spec into bitsets and `atoms` lists the clauses. Two engines implement the trait in
//! `engine`: `enumerate` proposes edits of the original condition and new conditions of a few clauses, and
//! `smt` tries its levels with the solver. `redundancy` rejects redundant expressions, and `collect` keeps the
//! best of the others by the cost in `rank` and `idioms`, with the numbers of `weights`. `distinguish` decides
//! whether two conditions are equivalent, and finds a context in which they differ.

mod admit;
mod atoms;
mod collect;
mod distinguish;
mod engine;
mod enumerate;
mod idioms;
mod impure;
mod kind;
mod limits;
mod normal;
mod rank;
mod redundancy;
mod refine;
#[cfg_attr(not(feature = "z3"), path = "smt_stub.rs")]
mod smt;
mod table;
#[cfg(test)]
mod tests;
pub mod weights;

use crate::weights::WEIGHTS;
use admit::{Classes, one_sided, unanswerable};
use collect::{Accepted, Collector};
pub use distinguish::{Counterexample, Equality, covers, difference, equal, possible_difference};
pub use engine::EngineKind;
use engine::{Engine, Levels, Task};
use enumerate::{Enumerate, edits};
pub use kind::EditKind;
use nopol_expr::{Expr, Pool, Spec};
pub use redundancy::has_idle_part;
use refine::{Judge, Sample};
use smt::search::Smt;
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;
use table::{Bits, Table};

/// Whether the run was stopped, by the user or at its time limit. What a search has found then is not an answer.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Asks a function.
    pub fn when(is_stopped: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_stopped)))
    }

    fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|is_stopped| is_stopped())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_set()).finish()
    }
}

/// Bounds on the work done. Besides the stop, none of them is a clock, so that the answer is the same on every machine.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The engine to use.
    pub engine: EngineKind,
    /// Maximum number of candidates returned.
    pub candidates: usize,
    /// z3's `rlimit` for all queries of one level. Ten million take about a second; 0 disables the solver.
    pub rlimit: u32,
    /// Ends a search early. Its caller drops what it found.
    pub stop: Stop,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            engine: EngineKind::Portfolio,
            candidates: 20,
            rlimit: 15_000_000,
            stop: Stop::default(),
        }
    }
}

/// An expression that satisfies every hard row.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The condition.
    pub expr: Expr,
    /// See [`crate::weights`]; smaller is better. Comparable between sites.
    pub cost: u32,
    /// Total weight of the soft rows it violates.
    pub soft_violated: u32,
    /// How the expression was found.
    pub kind: EditKind,
}

/// The result of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Number of candidates found.
    Found(usize),
    /// A proof that no expression of this level explains the spec.
    Nothing,
    /// The solver gave up, with its reason.
    Unknown(String),
}

/// The result of [`synthesize`].
#[derive(Clone, Debug, Default)]
pub struct Synthesis {
    /// Best first, without duplicates.
    pub candidates: Vec<Candidate>,
    /// Each level tried, by name, in order.
    pub levels: Levels,
    /// A sentence that says why there is no candidate; `None` if there is one.
    pub reason: Option<String>,
}

/// Finds expressions that explain `spec`.
///
/// The first pass demands every row except soft rows that another row with the same values contradicts, since
/// no expression explains both. If it finds nothing, a second pass demands only the hard rows. Candidates that
/// violate less weight of soft rows rank higher.
pub fn synthesize(spec: &Spec, pool: &Pool, limits: &Limits) -> Synthesis {
    let classes = Classes::new(spec);
    if let Some(reason) = unanswerable(spec, pool, &classes) {
        return Synthesis {
            reason: Some(reason),
            ..Synthesis::default()
        };
    }
    let consistent = classes.consistent(spec);
    let Some(mut sample) = Sample::of(spec) else {
        return explain(spec, pool, limits, &consistent).into();
    };
    let mut judge = Judge::new(spec, &consistent);
    let mut rounds = 0;
    loop {
        let (sampled, demanded) = sample.spec(spec, &consistent);
        let mut explained = explain(&sampled, pool, limits, &demanded);
        rounds += 1;
        let all_hold = judge.refute(&mut explained.found, &mut sample);
        let is_over = rounds >= limits::MOST_ROUNDS && !explained.found.is_empty();
        if all_hold || is_over || limits.stop.is_set() {
            return explained.into();
        }
        if rounds >= limits::MOST_ROUNDS {
            return explain(spec, pool, limits, &consistent).into();
        }
    }
}

/// What a search found.
struct Explained {
    found: Vec<Accepted>,
    levels: Levels,
    reason: Option<String>,
}

impl From<Explained> for Synthesis {
    fn from(explained: Explained) -> Self {
        Self {
            candidates: explained.found.into_iter().map(Candidate::from).collect(),
            levels: explained.levels,
            reason: explained.reason,
        }
    }
}

/// As [`synthesize`], looking at all rows at once. `consistent` are those that the first pass demands.
fn explain(spec: &Spec, pool: &Pool, limits: &Limits, consistent: &Bits) -> Explained {
    let table = Table::new(spec, pool);
    let hard = Bits::from_fn(table.rows(), |row| spec.rows[row].hard);
    let atoms = OnceCell::new();
    let mut levels = Vec::new();
    let mut found = Vec::new();
    let has_demands = !hard.is_empty() || !spec.any_of.is_empty();
    let mut scopes = vec![(consistent, "")];
    if has_demands && hard != *consistent {
        scopes.push((&hard, ", failing tests only"));
    }
    let one_sided = one_sided(spec);
    // If all contexts are alike, only constants explain the rows.
    let first = spec.rows.first().map(|row| &row.values);
    let is_uniform = spec.rows.iter().all(|row| Some(&row.values) == first);
    let engines = match one_sided.is_some() || is_uniform {
        // The solver would find the constant in many spellings.
        true => EngineKind::Enumerate,
        false => limits.engine,
    };
    let engines = portfolio(engines).iter();
    let runs = engines.flat_map(|engine| scopes.iter().map(move |scope| (engine, scope)));
    for (engine, (constrained, suffix)) in runs {
        if found.is_empty() && !limits.stop.is_set() {
            let run = EngineRun {
                engine: *engine,
                rlimit: limits.rlimit,
                stop: &limits.stop,
                suffix,
                atoms: &atoms,
            };
            found = run.run(&table, constrained, &mut levels);
        }
    }
    if !found.is_empty() && hard != *consistent && !spec.old_is_impure {
        // An edit of the original condition, or a flag where there was none, that changes an outcome in passing tests
        // may still pass them. It ranks last.
        let mut near = Collector::new(&table, &hard, &limits.stop);
        let need = near.need().clone();
        let atoms = atoms.get_or_init(|| atoms::atoms(&table));
        match spec.old {
            Some(_) => _ = edits::near(&table, atoms, &need, &mut near),
            None => enumerate::flags(atoms, &need, &mut near),
        }
        let known: Vec<Expr> = found.iter().map(|found| found.expr.clone()).collect();
        let mut more = near.finish();
        more.retain(|other| other.soft_violated > 0 && !known.contains(&other.expr));
        more.sort_by_key(|other| other.cost);
        // Candidates that agree with passing tests get at least half of the list.
        more.truncate(limits::DISAGREEING.min(limits.candidates / 2));
        found.truncate(limits.candidates - more.len());
        found.extend(more);
        found.sort_by(|a, b| a.key().cmp(&b.key()));
    }
    found.truncate(limits.candidates);
    let reason = found
        .is_empty()
        .then(|| one_sided.unwrap_or_else(|| nothing_found(&levels)));
    Explained {
        found,
        levels,
        reason,
    }
}

impl From<Accepted> for Candidate {
    fn from(found: Accepted) -> Self {
        let Accepted {
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

/// The reason to report when no level has a candidate.
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

/// The engines in order. Each one runs only if those before it found nothing, because the solver takes a
/// thousand times as long to find the same.
fn portfolio(kind: EngineKind) -> &'static [&'static dyn Engine] {
    match kind {
        EngineKind::Smt => &[&Smt],
        EngineKind::Enumerate => &[&Enumerate],
        EngineKind::Portfolio => &[&Enumerate, &Smt],
    }
}

/// One run of one engine.
struct EngineRun<'a> {
    engine: &'a dyn Engine,
    /// z3's `rlimit` for one level.
    rlimit: u32,
    stop: &'a Stop,
    /// Appended to the names of levels.
    suffix: &'a str,
    /// The clauses of the table, computed on first use.
    atoms: &'a OnceCell<Vec<atoms::Atom>>,
}

impl EngineRun<'_> {
    /// Finds expressions that explain the constrained rows.
    fn run(&self, table: &Table, constrained: &Bits, levels: &mut Levels) -> Vec<Accepted> {
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
        let mut collector = Collector::new(table, constrained, self.stop);
        for (name, answer) in self.engine.search(&task, &mut collector) {
            levels.push((format!("{name}{}", self.suffix), answer));
        }
        collector.finish()
    }
}
