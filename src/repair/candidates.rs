//! Step three: expressions that explain the contexts of each site.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;

use super::Run;
use super::recording::Place;
use crate::contexts::{self, Problem, Recorded};
use crate::exchange;
use crate::localize::angelic::AngelicSite;
use crate::patch::render::Style;
use crate::report::count;
use crate::run::suite::TestIndex;
use crate::run::{How, Sequence, When, pool};
use crate::source::{Site, SiteIndex, SiteKind};
use crate::spec::Expr;
use crate::subject::SubjectError;
use crate::synth::{self, Limits};
use crate::weights::WEIGHTS;

/// Candidates of one site that are built and judged.
const MOST_PER_SITE: usize = 10;
/// Of those that leave something unexplained, further ones.
const MOST_LOOSE_PER_SITE: usize = 8;
/// What it costs to make a loop go on where it ended.
const LONGER: u32 = 24;

/// What a candidate costs that leaves some forced outcomes of the failing test unexplained.
const RELAXED: u32 = 4;

/// What a candidate costs that has another outcome than the old condition somewhere in a passing
/// test. The tests decide whether that matters; often a branch taken otherwise does the same.
const DISAGREES: u32 = 15;
/// What it costs further to disagree with all that passing tests show; a part of it for a part.
const CONTRARY: u64 = 40;
/// A few evaluations say little: so many are thought to agree.
const FEW: u64 = 8;

/// z3's resources for all sites, specs and levels together: some five seconds on one core.
const SOLVER_BUDGET: u32 = 60_000_000;
/// Levels a search goes through where it finds nothing, with two integer types.
const LEVELS: u32 = 14;

/// An expression for a site, as text.
#[derive(Clone, Debug)]
pub struct SiteCandidate {
    pub site: SiteIndex,
    pub function: usize,
    pub suspiciousness: f64,
    pub targets: Vec<TestIndex>,
    /// What it was found for, and from.
    pub problem: Arc<Problem>,
    pub recorded: Arc<Recorded>,
    /// When to take the branch or way out.
    pub expr: Expr,
    /// The same, or for an assertion the opposite.
    pub written: Expr,
    /// As it is shown; the opposite of the condition where that would make an assertion fail.
    pub text: String,
    /// With typed literals, for the build that has all candidates.
    pub typed: String,
    pub cost: u32,
    pub soft_violated: u32,
    /// It explains only a weaker spec, or disagrees with what passing tests show.
    pub is_loose: bool,
    /// A constant condition, or a statement that is left out.
    pub is_trivial: bool,
    pub why: String,
}

impl Run<'_> {
    /// Synthesizes at every place; the candidates of each, best first.
    pub(super) fn synthesize(&mut self, places: &[Place]) -> Result<Vec<Vec<SiteCandidate>>> {
        let phase = self
            .progress
            .start("synthesizing", places.len(), self.runner.runs());
        let share = SOLVER_BUDGET / u32::try_from(places.len().max(1))?;
        let rlimit = (share / LEVELS).min(Limits::default().rlimit);
        let targets = |found: &AngelicSite| -> Vec<TestIndex> {
            let reach = |test: &&TestIndex| self.spectrum.reaches(**test, found.site);
            match found.cures.is_empty() {
                true => self.targets.iter().filter(reach).copied().collect(),
                false => found.cures.keys().copied().collect(),
            }
        };
        let results = pool::map(self.runner.jobs, places, |Place { found, recorded }| {
            self.workspace.supervisor.check()?;
            let site = &self.sources.sites[found.site as usize];
            let result = self.synthesize_at(found, &targets(found), site, recorded, rlimit);
            phase.step();
            result
        })?;
        let mut candidates = Vec::new();
        for (place, (of_site, reason)) in places.iter().zip(results) {
            let id = &self.sources.sites[place.found.site as usize].id;
            if let Some(reason) = reason.filter(|_| of_site.is_empty()) {
                self.outcome.set_reason(id, &reason);
            }
            candidates.push(of_site);
        }
        let number = candidates.iter().map(Vec::len).sum();
        let sites = candidates.iter().filter(|of_site| !of_site.is_empty());
        let sites = count(sites.count(), "site");
        let result = format!("{} at {sites}", count(number, "candidate"));
        self.progress.finish(phase, self.runner.runs(), &result);
        Ok(candidates)
    }

    fn synthesize_at(
        &self,
        found: &AngelicSite,
        targets: &[TestIndex],
        site: &Site,
        recorded: &Arc<Recorded>,
        rlimit: u32,
    ) -> Result<(Vec<SiteCandidate>, Option<String>)> {
        let problem = Arc::new(contexts::problem(self.sources, site, recorded));
        let mut candidates: Vec<SiteCandidate> = Vec::new();
        let mut reason = None;
        let specs = u32::try_from(problem.specs.len().max(1)).unwrap_or(u32::MAX);
        let strict = problem.specs.iter().map(|spec| (spec, 0));
        let relaxed = problem.relaxed.iter().map(|spec| (spec, RELAXED));
        for (nth, (spec, penalty)) in (1..).zip(strict.chain(relaxed)) {
            if let Some(dir) = &self.settings.dump {
                let name = format!("{}-{nth}", site.id);
                exchange::dump(dir, &name, spec, &problem.pool)
                    .map_err(|error| SubjectError::Usage(format!("--dump: {error}")))?;
            }
            // What a weaker spec admits near the old condition is worth a trial; a search for more
            // would only find what the tests then refute.
            let rlimit = match penalty {
                0 => rlimit / specs,
                _ => 0,
            };
            let limits = Limits {
                engine: self.settings.engine,
                rlimit,
                ..Limits::default()
            };
            let synthesis = synth::synthesize(spec, &problem.pool, &limits);
            let soft = spec.rows.iter().filter(|row| !row.hard);
            let shown: u64 = soft.map(|row| u64::from(row.weight)).sum();
            reason = reason.or(synthesis.reason);
            for candidate in synthesis.candidates {
                let style = Style {
                    language: self.sources.language,
                    pool: &problem.pool,
                    old: &problem.old_texts,
                    suffixed: false,
                };
                let least = site.least;
                let written = match (site.asserts(), &candidate.expr) {
                    (true, Expr::Not(holds)) => (**holds).clone(),
                    (true, fails) => fails.clone().not(),
                    (false, expr) => expr.clone(),
                };
                let text = style.text(&written, least);
                let typed = Style {
                    suffixed: true,
                    ..style
                }
                .text(&candidate.expr, least);
                let disagrees = match candidate.soft_violated {
                    0 => 0,
                    violated => {
                        let share = CONTRARY * u64::from(violated) / (shown + FEW);
                        let cost = DISAGREES + u32::try_from(share).unwrap_or(u32::MAX);
                        // What leaves early with what would be returned anyway is no change.
                        if site.kind == SiteKind::Exit {
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
                let longer = match site.kind == SiteKind::While && goes_on(&candidate.expr) {
                    true => LONGER,
                    false => 0,
                };
                let extra = WEIGHTS.place.of(site) + longer;
                candidates.push(SiteCandidate {
                    site: found.site,
                    function: site.function,
                    suspiciousness: found.suspiciousness,
                    targets: targets.to_vec(),
                    problem: Arc::clone(&problem),
                    recorded: Arc::clone(recorded),
                    expr: candidate.expr,
                    written,
                    text,
                    typed,
                    cost: candidate.cost
                        + extra
                        + penalty
                        + disagrees
                        + WEIGHTS.place.common(found.suspiciousness, site.kind),
                    soft_violated: candidate.soft_violated,
                    is_loose: penalty > 0 || candidate.soft_violated > 0,
                    is_trivial: false,
                    why: candidate.kind.to_string(),
                });
            }
        }
        candidates.sort_by(rank);
        // One that explains several specs is worth what it costs where it fits best.
        let mut texts = BTreeSet::new();
        candidates.retain(|candidate| texts.insert(candidate.text.clone()));
        candidates = various(candidates);
        // Those that explain everything have most of the places, however many cheap edits explain
        // only what must be.
        let mut places = [MOST_PER_SITE, MOST_LOOSE_PER_SITE];
        candidates.retain(|candidate| {
            let left = &mut places[usize::from(candidate.is_loose)];
            let is_kept = *left > 0;
            *left = left.saturating_sub(1);
            is_kept
        });
        candidates.sort_by(rank);
        if !self.settings.no_trivial {
            candidates.extend(self.trivial(found, targets, site, recorded, &problem));
        }
        Ok((candidates, reason))
    }

    /// The last resort: the constant outcome that cures every test.
    fn trivial(
        &self,
        found: &AngelicSite,
        targets: &[TestIndex],
        site: &Site,
        recorded: &Arc<Recorded>,
        problem: &Problem,
    ) -> Option<SiteCandidate> {
        let cures = |value: bool| {
            let is_it = |sequence: &Sequence| match sequence.as_slice() {
                [only] => only.when == When::Always && only.how == How::Set(value),
                _ => false,
            };
            !found.cures.is_empty() && found.cures.values().all(|cures| cures.iter().any(is_it))
        };
        let value = [true, false].into_iter().find(|value| cures(*value))?;
        let (problem, expr) = problem.with_constant(value);
        Some(SiteCandidate {
            site: found.site,
            function: site.function,
            suspiciousness: found.suspiciousness,
            targets: targets.to_vec(),
            problem: Arc::new(problem),
            recorded: Arc::clone(recorded),
            written: expr.clone(),
            expr,
            text: (value != site.asserts()).to_string(),
            typed: value.to_string(),
            cost: TRIVIAL
                + WEIGHTS.place.of(site)
                + WEIGHTS.place.common(found.suspiciousness, site.kind),
            soft_violated: 0,
            is_loose: true,
            is_trivial: true,
            why: match site.kind {
                SiteKind::Statement | SiteKind::Run => "last resort: left out altogether".into(),
                _ => format!("last resort: always {value}"),
            },
        })
    }
}

impl SiteCandidate {
    /// Whether it has the form of the old condition, with another operator or constant.
    pub fn is_slight(&self) -> bool {
        let specs = self.problem.specs.iter().chain(&self.problem.relaxed);
        let mut old = specs.filter_map(|spec| spec.old.as_ref());
        self.cost <= SLIGHT && old.any(|old| old.size() == self.expr.size())
    }
}

/// More than a slight change costs, even if it disagrees with some passing test.
const SLIGHT: u32 = 40;

/// The cheapest first, then the one that disagrees least, then the most suspicious place.
pub fn rank(a: &SiteCandidate, b: &SiteCandidate) -> std::cmp::Ordering {
    a.cost
        .cmp(&b.cost)
        .then(a.soft_violated.cmp(&b.soft_violated))
        .then(b.suspiciousness.total_cmp(&a.suspiciousness))
        .then(a.site.cmp(&b.site))
}

/// What each candidate found in the same way as better ones costs more when places are few.
const SAME_WAY: u32 = 3;

/// The candidates of a site, best first, but so that those found in some other way come earlier:
/// another operator is no worse an idea than the tenth clause to add.
fn various(candidates: Vec<SiteCandidate>) -> Vec<SiteCandidate> {
    let mut before: BTreeMap<String, u32> = BTreeMap::new();
    let mut ranked: Vec<(u32, SiteCandidate)> = Vec::new();
    for candidate in candidates {
        let of_way = before.entry(candidate.why.clone()).or_default();
        ranked.push((candidate.cost + SAME_WAY * *of_way, candidate));
        *of_way += 1;
    }
    ranked.sort_by_key(|(cost, _)| *cost);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

/// What a last resort costs, so that it comes after everything else.
const TRIVIAL: u32 = 1000;
