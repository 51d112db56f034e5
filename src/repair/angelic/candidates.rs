//! Step three: synthesize expressions that explain the contexts of each site.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use nopol_basics::count;
use nopol_expr::{Binding, Expr, Spec};
use nopol_process::run::suite::TestIndex;
use nopol_process::run::{How, Sequence, When, pool};
use nopol_source::kind::Form;
use nopol_source::{Condition, Site, Sources};
use nopol_synth::weights::WEIGHTS;
use nopol_synth::{EditKind, Limits, Stop};

use super::derivation::{self, clauses_of};
use super::evidence::{Explanation, Observed};
use super::order::guards_first;
use super::recording::RecordedSite;
use super::targets_of;
use crate::contexts::{self, Problem, Recorded};
use crate::exchange::ProblemFile;
use crate::localize::angelic::AngelicSite;
use crate::patch::render::Style;
use crate::repair::fix::{Fix, SiteEdit};
use crate::repair::knowledge::Knowledge;
use crate::repair::panics::Panics;
use crate::repair::place;
use crate::repair::ranking::by_cost;
use crate::repair::session::Session;

/// Most candidates per site that are judged, indexed by [`Claim`].
const MOST_PER_SITE: [usize; 4] = [10, 8, 5, 3];
/// z3's `rlimit` for all sites, specs and levels together: about five seconds on one core.
const SOLVER_BUDGET: u32 = 60_000_000;
/// Levels of a search that finds nothing, if the pool has two integer types.
const LEVELS: u32 = 14;

/// An edit that explains what was recorded at its site.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub edit: SiteEdit,
    /// Failing tests that it should cure.
    pub targets: Vec<TestIndex>,
    /// How its condition was found; `None` for a last resort.
    pub kind: Option<EditKind>,
    /// How much it explains.
    claim: Claim,
}

/// How much of what was recorded a candidate explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// Every recorded evaluation.
    All,
    /// A cure of each failing test, but not every evaluation of passing tests.
    Cures,
    /// Only some of the changed outcomes in failing tests: where a test has several cures, the recorded one may be an
    /// accident.
    Change,
    /// As `Change`, and not every evaluation of passing tests either. Some of those may not matter.
    ChangeOnly,
}

impl Claim {
    const fn of(is_relaxed: bool, disagrees: bool) -> Self {
        match (is_relaxed, disagrees) {
            (false, false) => Self::All,
            (false, true) => Self::Cures,
            (true, false) => Self::Change,
            (true, true) => Self::ChangeOnly,
        }
    }
}

impl From<Candidate> for Fix {
    fn from(candidate: Candidate) -> Self {
        Self {
            targets: candidate.targets,
            cost: candidate.edit.cost,
            edits: vec![candidate.edit],
        }
    }
}

/// What all candidates of one site share.
struct At<'s> {
    site: &'s Site,
    found: &'s AngelicSite,
    targets: &'s [TestIndex],
    /// How much less a patch costs here because a failing test panics here.
    bonus: u32,
}

/// Synthesizes at every site. Returns the candidates of each site, best first.
///
/// # Errors
/// If the run is stopped.
pub(super) fn synthesize(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
    places: &[RecordedSite],
) -> Result<Vec<Vec<Candidate>>> {
    let runner = session.runner;
    let phase = session
        .progress
        .start("synthesizing", places.len(), runner.runs());
    let share = SOLVER_BUDGET / u32::try_from(places.len().max(1))?;
    let rlimit = (share / LEVELS).min(Limits::default().rlimit);
    let observed = pool::map(session.settings.jobs(), places, |place| {
        session.copies.plain.supervisor.check()?;
        Ok(observed_at(session, place))
    })?;
    if session.settings.dump.is_some() {
        let problems = places.iter().zip(&observed);
        let problems = problems.flat_map(|(place, observed)| {
            problem_files(&session.site(place.found.site).id, &observed.problem)
        });
        knowledge.problems.extend(problems);
    }
    let spectrum = &knowledge.spectrum;
    let panics = Panics::at(session, knowledge, targets);
    let places_observed: Vec<_> = places.iter().zip(&observed).collect();
    let results = pool::map(
        session.settings.jobs(),
        &places_observed,
        |(RecordedSite { found, .. }, observed)| {
            session.copies.plain.supervisor.check()?;
            let at = At {
                site: session.site(found.site),
                found,
                targets: &targets_of(spectrum, found, targets),
                bonus: panics.bonus(session.sources, found.site),
            };
            let result = synthesize_at(session, &at, observed, rlimit);
            phase.step();
            result
        },
    )?;
    let mut candidates = Vec::new();
    for (place, (of_site, reason)) in places.iter().zip(results) {
        if let Some(reason) = reason.filter(|_| of_site.is_empty()) {
            let id = &session.site(place.found.site).id;
            knowledge.notes.set_reason(id, &reason);
        }
        candidates.push(of_site);
    }
    let number = candidates.iter().map(Vec::len).sum();
    let sites = candidates.iter().filter(|of_site| !of_site.is_empty());
    let sites = count(sites.count(), "place");
    let result = format!("{} at {sites}", count(number, "condition"));
    session.progress.finish(phase, runner.runs(), &result);
    Ok(candidates)
}

fn observed_at(session: &Session, place: &RecordedSite) -> Arc<Observed> {
    let (sources, recorded) = (session.sources, &place.recorded);
    let site = session.site(place.found.site);
    let problem = contexts::problem(sources, site, recorded);
    Arc::new(Observed::new(sources, site, problem, recorded))
}

/// The specs of a problem in the order in which they are solved, each with the extra cost of its candidates.
fn specs(problem: &Problem) -> impl Iterator<Item = (&Spec, u32)> {
    let strict = problem.specs.iter().map(|spec| (spec, 0));
    let relaxed = problem.relaxed.iter();
    strict.chain(relaxed.map(|spec| (spec, WEIGHTS.fix.relaxed)))
}

/// The problem of each spec. Files are named after the site.
fn problem_files(site: &str, problem: &Problem) -> impl Iterator<Item = ProblemFile> {
    let numbered = (1..).zip(specs(problem));
    numbered.map(move |(nth, (spec, _))| {
        ProblemFile::new(&format!("{site}-{nth}"), spec, &problem.pool)
    })
}

fn synthesize_at(
    session: &Session,
    at: &At,
    observed: &Arc<Observed>,
    rlimit: u32,
) -> Result<(Vec<Candidate>, Option<String>)> {
    let limits = Limits {
        engine: session.settings.engine,
        rlimit,
        stop: Stop::when(session.copies.plain.supervisor.stopped()),
        ..Limits::default()
    };
    let check = || Ok(session.copies.plain.supervisor.check()?);
    let (mut candidates, reason) = explaining(session.sources, at, observed, &limits, &check)?;
    if !session.settings.no_trivial {
        candidates.extend(at.trivial(session.sources, observed));
    }
    Ok((candidates, reason))
}

/// The edits that explain the contexts of a site, which may be simulated rather than recorded.
///
/// # Errors
/// None: nothing stops this search.
pub(super) fn of_contexts(
    sources: &Sources,
    found: &AngelicSite,
    targets: &[TestIndex],
    recorded: &Arc<Recorded>,
) -> Result<(Arc<Observed>, Vec<Candidate>)> {
    let site = &sources.sites[found.site];
    let problem = contexts::problem(sources, site, recorded);
    let observed = Arc::new(Observed::new(sources, site, problem, recorded));
    let at = At {
        site,
        found,
        targets,
        bonus: 0,
    };
    let limits = Limits {
        rlimit: (SOLVER_BUDGET / LEVELS).min(Limits::default().rlimit),
        ..Limits::default()
    };
    let (candidates, _) = explaining(sources, &at, &observed, &limits, &|| Ok(()))?;
    Ok((observed, candidates))
}

/// The candidates of a site to judge, and the first reason why a spec has none. The search ends when `check` fails.
fn explaining(
    sources: &Sources,
    at: &At,
    observed: &Arc<Observed>,
    limits: &Limits,
    check: &dyn Fn() -> Result<()>,
) -> Result<(Vec<Candidate>, Option<String>)> {
    let problem = &observed.problem;
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut reason = None;
    let strict = u32::try_from(problem.specs.len().max(1)).unwrap_or(u32::MAX);
    for (spec, penalty) in specs(problem) {
        check()?;
        // A relaxed spec is worth edits only: the tests refute what the solver finds for it.
        let rlimit = match penalty {
            0 => limits.rlimit / strict,
            _ => 0,
        };
        let limits = Limits {
            rlimit,
            ..limits.clone()
        };
        let synthesis = nopol_synth::synthesize(spec, &problem.pool, &limits);
        check()?;
        reason = reason.or(synthesis.reason);
        let made = synthesis.candidates.into_iter();
        candidates.extend(made.map(|made| at.candidate(observed, spec, made, penalty)));
    }
    let language = sources.language;
    let strange = |condition: &Condition| {
        let tree = condition.tree(language);
        tree.map_or(0, |tree| {
            language.strange_comparisons(sources, at.site, tree)
        })
    };
    let known = strange(&at.site.text.as_str().into());
    candidates.retain(|candidate| strange(&candidate.edit.condition) <= known);
    let in_order = |a: &Candidate, b: &Candidate| by_cost(&a.edit, &b.edit);
    candidates.sort_by(in_order);
    // A candidate that explains several specs keeps its lowest cost.
    let mut texts = BTreeSet::new();
    candidates.retain(|candidate| texts.insert(candidate.edit.condition.to_string()));
    candidates = diversify_kinds(candidates);
    // Each claim has a quota, so that cheap edits which explain less cannot crowd out those that explain everything.
    let mut places = MOST_PER_SITE;
    candidates.retain(|candidate| {
        let left = &mut places[candidate.claim as usize];
        let is_kept = *left > 0;
        *left = left.saturating_sub(1);
        is_kept
    });
    candidates.sort_by(in_order);
    Ok((candidates, reason))
}

impl At<'_> {
    /// A synthesized expression as an edit of the site.
    fn candidate(
        &self,
        observed: &Arc<Observed>,
        spec: &Spec,
        mut made: nopol_synth::Candidate,
        penalty: u32,
    ) -> Candidate {
        let (site, problem) = (self.site, &observed.problem);
        let style = Style {
            language: observed.language,
            pool: &problem.pool,
            old: &problem.old_texts,
            suffixed: false,
        };
        let synthesized = made.expr.clone();
        if !spec.old_is_impure {
            let text = |expr: &Expr| style.text(expr, Binding::Or);
            made.expr = guards_first(&made.expr, observed.language, &text);
        }
        let written = match (site.asserts(), &made.expr) {
            (true, Expr::Not(holds)) => (**holds).clone(),
            (true, fails) => fails.clone().not(),
            (false, expr) => expr.clone(),
        };
        let old = spec.old.as_ref();
        let why = derivation::words(&made.kind, old, &synthesized, &made.expr, &written);
        let condition = style.text(&written, site.min_binding);
        let condition = without_constant(&site.text, condition);
        let condition = observed.language.with_joined_patterns(condition);
        // The report explains the synthesized clauses, of which the text may have fewer.
        let is_short = observed
            .language
            .parse(&condition)
            .is_some_and(|tree| contexts::clauses(&written).len() > clauses_of(&tree));
        let why = match is_short {
            true if why.starts_with("new condition ") => "new condition, simplified".to_owned(),
            true => format!("{why}; the result was simplified"),
            false => why,
        };
        let suffixed = Style {
            suffixed: true,
            ..style
        };
        let switched = suffixed.text(&made.expr, site.min_binding);
        let soft = spec.rows.iter().filter(|row| !row.hard);
        let shown: u64 = soft.map(|row| u64::from(row.weight)).sum();
        let disagrees = match made.soft_violated {
            0 => 0,
            violated => {
                let share = WEIGHTS.fix.disagrees_throughout * u64::from(violated)
                    / (shown + WEIGHTS.fix.smoothing);
                let cost = WEIGHTS.fix.disagrees + u32::try_from(share).unwrap_or(u32::MAX);
                // An early exit that returns the same value as the code after it changes nothing, so disagreement
                // counts less.
                if site.kind.is_early_exit() {
                    cost / 2
                } else {
                    cost
                }
            }
        };
        let goes_on = |expr: &Expr| match (expr, &spec.old) {
            (Expr::Or(old, _), Some(known)) => **old == *known,
            _ => false,
        };
        let longer = match site.kind.info().is_loop && goes_on(&made.expr) {
            true => WEIGHTS.fix.longer_loop,
            false => 0,
        };
        let extra = place::of(site) + longer + penalty + disagrees;
        let common = place::common(self.found.suspiciousness, site.kind);
        let cost = (made.cost + extra + common).saturating_sub(self.bonus);
        Candidate {
            kind: Some(made.kind.clone()),
            claim: Claim::of(penalty > 0, made.soft_violated > 0),
            targets: self.targets.to_vec(),
            edit: SiteEdit {
                site: self.found.site,
                function: site.function,
                suspiciousness: self.found.suspiciousness,
                condition: condition.into(),
                switched,
                cost,
                why,
                is_loose: penalty > 0 || made.soft_violated > 0,
                is_trivial: false,
                evidence: Arc::new(Explanation {
                    observed: Arc::clone(observed),
                    expr: made.expr,
                    written,
                    soft_violated: made.soft_violated,
                }),
            },
        }
    }

    /// The last resort: a constant outcome that cures every test. Removing a `break` or `continue` is an ordinary
    /// edit instead: unlike other statements, a jump has no effect that the tests might fail to check.
    fn trivial(&self, sources: &Sources, observed: &Arc<Observed>) -> Option<Candidate> {
        let (site, found) = (self.site, self.found);
        let file = &sources.files[site.file];
        let cures = |value: bool| {
            let is_it = |sequence: &Sequence| match sequence.as_slice() {
                [only] => only.when == When::Always && only.how == How::Set(value),
                _ => false,
            };
            !found.cures.is_empty() && found.cures.values().all(|cures| cures.iter().any(is_it))
        };
        let value = [true, false].into_iter().find(|value| cures(*value))?;
        let (problem, expr) = observed.problem.with_constant(value);
        let observed = Observed::new(sources, site, problem, &observed.recorded);
        let is_jump = matches!(site.text.trim(), "break;" | "continue;") && !value;
        let removes_jump = site.kind.form().skips() && is_jump;
        let (base, why) = match (removes_jump, site.kind.form()) {
            (true, _) => (WEIGHTS.fix.jump_removed, "statement removed".into()),
            (_, Form::Wrap) => (
                WEIGHTS.fix.last_resort,
                "last resort, statement removed".into(),
            ),
            (_, Form::Replace | Form::Leave | Form::Branch | Form::Narrow | Form::Compute) => (
                WEIGHTS.fix.last_resort,
                format!("last resort, always {}", value != site.asserts()),
            ),
        };
        Some(Candidate {
            kind: None,
            claim: Claim::ChangeOnly,
            targets: self.targets.to_vec(),
            edit: SiteEdit {
                site: found.site,
                function: site.function,
                suspiciousness: found.suspiciousness,
                condition: observed
                    .language
                    .truth(file, value != site.asserts())
                    .into(),
                switched: value.to_string(),
                cost: base
                    + (place::of(site) + place::common(found.suspiciousness, site.kind))
                        .saturating_sub(self.bonus),
                why,
                is_loose: !removes_jump,
                is_trivial: !removes_jump,
                evidence: Arc::new(Explanation {
                    observed: Arc::new(observed),
                    written: expr.clone(),
                    expr,
                    soft_violated: 0,
                }),
            },
        })
    }
}

/// Drops the constant that a condition extends: `false || x` becomes `x`.
fn without_constant(old: &str, condition: String) -> String {
    let idle = match old {
        "false" => "false || ",
        "true" => "true && ",
        _ => return condition,
    };
    match condition.strip_prefix(idle) {
        Some(rest) => rest.to_owned(),
        None => condition,
    }
}

/// Diversifies the candidates of a site by kind of edit: another operator is as good an idea as the tenth added clause.
fn diversify_kinds(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut better: BTreeMap<Option<EditKind>, u32> = BTreeMap::new();
    let mut ranked: Vec<(u32, Candidate)> = Vec::new();
    for candidate in candidates {
        let of_kind = better.entry(candidate.kind.clone()).or_default();
        ranked.push((
            candidate.edit.cost + WEIGHTS.fix.same_kind * *of_kind,
            candidate,
        ));
        *of_kind += 1;
    }
    ranked.sort_by_key(|(cost, _)| *cost);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::without_constant;

    #[test]
    fn an_extended_constant_is_dropped() {
        let text = |old, condition: &str| without_constant(old, condition.to_owned());
        assert_eq!(text("false", "false || a < b"), "a < b");
        assert_eq!(text("true", "true && !a"), "!a");
        assert_eq!(text("a", "false || a"), "false || a");
        assert_eq!(text("false", "a || b"), "a || b");
    }
}
