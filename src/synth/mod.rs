//! Synthesis of a boolean expression that explains a spec: a pure function from [`Spec`] and
//! [`Pool`] to ranked expressions (papers/nopol.txt §3.4). Knows nothing of cargo, files or
//! processes; only `smt.rs` and its parts know z3.
//!
//! `table` turns the spec into bitsets and `atoms` lists the clauses; `edits` proposes what is near
//! the old condition, `enumerate` new conditions of one or two clauses, and `search` drives the
//! solver (`smt`) through the levels of `library`. `collect` keeps the best by the cost in `rank`.

mod atoms;
mod collect;
mod edits;
mod enumerate;
#[cfg(feature = "z3")]
mod library;
mod normal;
mod rank;
#[cfg_attr(not(feature = "z3"), path = "search_stub.rs")]
mod search;
#[cfg(feature = "z3")]
mod smt;
mod table;
#[cfg(test)]
mod tests;

use crate::spec::{Expr, Pool, Row, Spec};
use collect::{Collector, Found};
use std::collections::HashMap;
use table::{Bits, Table};

/// Bounds on the work done; none of them is a clock, so that the answer is the same everywhere.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many candidates are returned at most.
    pub candidates: usize,
    /// z3's `rlimit` for one level: the sum of its queries. Ten million take about a second; with
    /// 0 the solver is not asked.
    pub rlimit: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            candidates: 20,
            rlimit: 15_000_000,
        }
    }
}

/// An expression that satisfies every hard row.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub expr: Expr,
    /// See `rank.rs`; smaller is better. Comparable between sites.
    pub cost: u32,
    /// Summed weight of the soft rows it violates.
    pub soft_violated: u32,
    /// One clause for the reader, lower case: how the expression was found.
    pub why: String,
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
    pub levels: Vec<(String, Answer)>,
    /// Why there is no candidate, in a sentence; `None` if there is one.
    pub reason: Option<String>,
}

/// How many candidates that disagree with passing tests are returned beside those that do not.
const DISAGREEING: usize = 6;

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
    let mut levels = Vec::new();
    let mut found = pass(&table, &consistent, limits, "", &mut levels);
    let demands = !hard.is_empty() || !spec.any_of.is_empty();
    if found.is_empty() && demands && hard != consistent {
        found = pass(&table, &hard, limits, ", failing tests only", &mut levels);
    }
    if !found.is_empty() && hard != consistent {
        // What is near the old condition and disagrees with passing tests at one place may still
        // pass them; it comes last.
        let mut near = Collector::new(&table, &hard);
        let need = near.need().clone();
        edits::near(&table, &atoms::atoms(&table), &need, &mut near);
        let known: Vec<Expr> = found.iter().map(|found| found.expr.clone()).collect();
        let mut more = near.finish();
        more.retain(|other| other.soft_violated > 0 && !known.contains(&other.expr));
        more.sort_by_key(|other| other.cost);
        found.truncate(limits.candidates.saturating_sub(DISAGREEING));
        found.extend(more.into_iter().take(DISAGREEING));
        found.sort_by(|a, b| a.key().cmp(&b.key()));
    }
    found.truncate(limits.candidates);
    let candidates: Vec<_> = found.into_iter().map(Candidate::from).collect();
    let reason = candidates.is_empty().then(|| nothing_found(&levels));
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
            why,
        } = found;
        Self {
            expr,
            cost,
            soft_violated,
            why,
        }
    }
}

/// Why no expression could or should be looked for.
fn unanswerable(spec: &Spec, pool: &Pool) -> Option<String> {
    let first = spec.rows.first();
    let Some(first) = first else {
        return Some("no evaluation was recorded there, so nothing constrains a condition".into());
    };
    if spec
        .rows
        .iter()
        .any(|row| row.values.len() != pool.terms.len())
    {
        return Some("the recorded values there do not match the terms".into());
    }
    let old = spec.old.iter().flat_map(Expr::terms);
    if old.into_iter().any(|term| term >= pool.terms.len()) {
        return Some("the old condition there has parts that are no terms".into());
    }
    if contradicts(spec, |row| row.hard) {
        return Some(
            "what is captured there cannot tell apart evaluations that must have different outcomes"
                .into(),
        );
    }
    // With groups the outcomes are not given, and no constant is proposed anyway.
    (spec.any_of.is_empty() && spec.is_one_sided()).then(|| {
        let outcome = first.expected;
        format!(
            "every outcome observed there is the same, so only the constant `{outcome}` would explain it"
        )
    })
}

/// Whether two of the wanted rows have equal values and different outcomes.
fn contradicts(spec: &Spec, wanted: impl Fn(&Row) -> bool) -> bool {
    let mut outcomes = HashMap::new();
    let mut rows = spec.rows.iter().filter(|row| wanted(row));
    rows.any(|row| *outcomes.entry(&row.values).or_insert(row.expected) != row.expected)
}

/// All hard rows, and of soft rows with equal values those that no hard and no weightier row
/// contradicts.
fn consistent(spec: &Spec) -> Bits {
    /// Weight behind each outcome, `u64::MAX` for a hard row.
    type Votes = [u64; 2];
    let mut votes: HashMap<_, Votes> = HashMap::new();
    for row in &spec.rows {
        let vote = &mut votes.entry(&row.values).or_default()[usize::from(row.expected)];
        let weight = if row.hard {
            u64::MAX
        } else {
            u64::from(row.weight)
        };
        *vote = vote.saturating_add(weight);
    }
    Bits::from_fn(spec.rows.len(), |row| {
        let row = &spec.rows[row];
        let [no, yes] = votes.get(&row.values).copied().unwrap_or_default();
        row.hard || row.constrains() && row.expected == (yes >= no)
    })
}

/// The reason to give when every level was tried in vain.
fn nothing_found(levels: &[(String, Answer)]) -> String {
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

/// One search, where only the constrained rows must be explained.
fn pass(
    table: &Table,
    constrained: &Bits,
    limits: &Limits,
    suffix: &str,
    levels: &mut Vec<(String, Answer)>,
) -> Vec<Found> {
    let spec = table.spec;
    if spec.old_is_impure {
        return beside_impure(table, constrained, limits, suffix, levels);
    }
    let mut record = |name: &str, answer: Answer| levels.push((format!("{name}{suffix}"), answer));
    let mut collector = Collector::new(table, constrained);
    let need = collector.need().clone();
    let atoms = atoms::atoms(table);
    if edits::near(table, &atoms, &need, &mut collector) {
        record(
            "one edit of the old condition",
            answer(collector.accepted()),
        );
        if collector.accepted() == 0 {
            edits::two_edits(table, &atoms, &need, &mut collector);
            // Only the cheapest edits are extended, so finding nothing proves nothing.
            if collector.accepted() > 0 {
                record(
                    "an edit of the old condition and a clause added",
                    answer(collector.accepted()),
                );
            }
        }
    }
    let base = if spec.old.is_some() {
        rank::REPLACED
    } else {
        rank::NEW
    };
    let edited = collector.accepted();
    enumerate::single(&atoms, &need, base, &mut collector);
    let alone = collector.accepted();
    enumerate::pairs(&atoms, &need, base, &mut collector);
    let paired = collector.accepted() - alone;
    if paired > 0 {
        record("two clauses, enumerated", answer(paired));
    }
    // Go one level further than the first that has something, and no further.
    let last = if alone > 0 || edited > 0 {
        1
    } else if paired > 0 {
        // Two clauses do; the levels beyond hold those two, and larger ones.
        2
    } else {
        usize::MAX
    };
    // Where something is found already, the solver's part is to confirm and to add little.
    let rlimit = match last {
        usize::MAX => limits.rlimit,
        _ => limits.rlimit / 5,
    };
    search::levels(constrained, last, base, rlimit, &mut collector, &mut record);
    collector.finish()
}

fn answer(accepted: usize) -> Answer {
    match accepted {
        0 => Answer::Nothing,
        _ => Answer::Found(accepted),
    }
}

/// `old && X`, `old || X` and `!old`: X explains the rows in which it is evaluated, and the old
/// condition alone must explain the others.
fn beside_impure(
    table: &Table,
    constrained: &Bits,
    limits: &Limits,
    suffix: &str,
    levels: &mut Vec<(String, Answer)>,
) -> Vec<Found> {
    let spec = table.spec;
    let Some(old) = &spec.old else {
        return Vec::new();
    };
    let mut collector = Collector::new(table, constrained);
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
        if !decided || one_sided || beside.is_one_sided() || contradicts(&beside, |_| true) {
            continue;
        }
        let inner = Table::new(&beside, table.pool);
        let every = Bits::from_fn(inner.rows(), |_| true);
        let form = if conjunction {
            ", after `old &&`"
        } else {
            ", after `old ||`"
        };
        let suffix = format!("{form}{suffix}");
        for found in pass(&inner, &every, limits, &suffix, levels) {
            let cost = found.cost - rank::NEW + rank::CLAUSE;
            let expr = match conjunction {
                true => old.clone().and(found.expr),
                false => old.clone().or(found.expr),
            };
            collector.offer(&expr, cost, "clause added after the old condition");
        }
    }
    collector.finish()
}

/// The row without the values of some terms.
fn without(row: &Row, terms: &[usize]) -> Row {
    let mut row = row.clone();
    for term in terms {
        if let Some(value) = row.values.get_mut(*term) {
            *value = None;
        }
    }
    row
}
