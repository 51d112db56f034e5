//! Plans: what the runtime in the subject has to do in one run, and the environment that tells it.

use std::collections::BTreeSet;
use std::time::Duration;

use camino::Utf8Path;
use nopol_basics::hash::fnv1a;
use nopol_basics::index::SiteIndex;
use nopol_instrument::layout::env;

use super::confine::Circumstances;

/// The outcome that is forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// This outcome.
    Set(bool),
    /// The opposite of what the condition yields.
    Flip,
}

/// The evaluations of a site, counted from 0 in each thread, to which a forced outcome applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    /// At every evaluation.
    Always,
    /// At the evaluation with this number, from 0.
    At(u32),
    /// All evaluations before this one.
    Until(u32),
    /// This evaluation and all later ones.
    From(u32),
}

/// A forced outcome, and when it applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Forced {
    /// The outcome.
    pub how: How,
    /// The evaluations that get it.
    pub when: When,
    /// Do not evaluate the condition at all, because it would panic. Otherwise the condition is evaluated and
    /// its outcome is overridden, which keeps its side effects.
    pub blind: bool,
}

/// Everything that is forced at a site in one run. The first entry that covers an evaluation applies to it.
pub type Sequence = Vec<Forced>;

/// What the runtime in the subject has to do in one run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The number of sites to trace; `None` turns tracing off.
    pub sites: Option<usize>,
    /// Outcomes to force, by site.
    pub force: Vec<(SiteIndex, Sequence)>,
    /// Sites at which contexts are recorded.
    pub capture: Vec<SiteIndex>,
    /// Distinct contexts recorded per site and outcome; the runtime's own limit unless given.
    pub rows: Option<u32>,
    /// What is not recorded, see [`Trace::evaluating`](super::trace::Trace::evaluating).
    pub without: BTreeSet<String>,
    /// The selected candidate of each site, as (site, candidate number).
    pub select: Vec<(SiteIndex, u32)>,
    /// Budget of steps: loop iterations and evaluations.
    pub fuel: Option<u64>,
    /// Wall-clock limit: the safety net behind `fuel`.
    pub timeout: Duration,
    /// Which random numbers the run gets, where the runtime is linked in: runs with the same number get the same ones.
    pub draw: u64,
    /// The counterexample that the test runs on, from 1; `None` for generated input.
    pub replay: Option<usize>,
    /// The ways in which the run is not confined.
    pub circumstances: Circumstances,
}

/// Candidates to try where a traced program arrives.
#[derive(Clone, Copy, Debug)]
pub struct Trials<'a> {
    /// The sets to try, each as (site, candidate number).
    pub sets: &'a [Vec<(SiteIndex, u32)>],
    /// The longest time of a run with a set.
    pub limit: Duration,
}

/// The environment variables that have processes trace this many sites, and behind them the trials, for
/// [`Trace::read_by_program`].
///
/// [`Trace::read_by_program`]: super::trace::Trace::read_by_program
pub fn tracing(trace: &Utf8Path, sites: usize, trials: Trials) -> [(String, String); 5] {
    let sets: Vec<String> = trials.sets.iter().map(|set| selection(set)).collect();
    let counters = sites + trials.sets.len();
    [
        (env::BY_PROGRAM, String::new()),
        (env::TRACE, trace.to_string()),
        (env::SITES, counters.to_string()),
        (env::TRIALS, sets.join("+")),
        (env::TRIAL_LIMIT, trials.limit.as_millis().to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
}

/// Selected candidates as in [`env::SELECT`].
fn selection(select: &[(SiteIndex, u32)]) -> String {
    let pair = |(site, number): &(SiteIndex, u32)| format!("{site}={number}");
    select.iter().map(pair).collect::<Vec<String>>().join(",")
}

impl Plan {
    /// The environment variables that configure the runtime; none if it has nothing to do.
    pub(super) fn env(&self, trace: &Utf8Path, test: &str, log: u64) -> Vec<(String, String)> {
        let list = |items: Vec<String>| items.join(",");
        let mut vars = Vec::new();
        let mut set = |name: &str, value: String| vars.push((name.to_string(), value));
        if let Some(sites) = self.sites {
            set(env::TRACE, trace.to_string());
            set(env::SITES, sites.to_string());
            let log = if self.capture.is_empty() { 0 } else { log };
            set(env::LOG, log.to_string());
        }
        if self.force.iter().any(|(_, sequence)| !sequence.is_empty()) {
            let pair = |(site, forced): &(SiteIndex, Forced)| {
                let how = match (forced.how, forced.blind) {
                    (How::Set(true), false) => 't',
                    (How::Set(false), false) => 'f',
                    (How::Set(true), true) => 'T',
                    (How::Set(false), true) => 'F',
                    (How::Flip, _) => 'x',
                };
                let when = match forced.when {
                    When::Always => String::new(),
                    When::At(at) => format!("@{at}"),
                    When::Until(end) => format!("@..{end}"),
                    When::From(start) => format!("@{start}.."),
                };
                format!("{site}={how}{when}")
            };
            let each = |(site, forced): &(SiteIndex, Sequence)| {
                let site = *site;
                forced
                    .iter()
                    .map(move |forced| (site, *forced))
                    .collect::<Vec<_>>()
            };
            let pairs: Vec<(SiteIndex, Forced)> = self.force.iter().flat_map(each).collect();
            let pairs = pairs.iter().map(pair);
            set(env::FORCE, list(pairs.collect()));
        }
        if !self.capture.is_empty() {
            set(
                env::CAPTURE,
                list(self.capture.iter().map(SiteIndex::to_string).collect()),
            );
        }
        if let Some(rows) = self.rows {
            set(env::ROWS, rows.to_string());
        }
        if !self.without.is_empty() {
            let hexadecimal = |text: &String| -> String {
                text.bytes().map(|byte| format!("{byte:02x}")).collect()
            };
            set(
                env::WITHOUT,
                list(self.without.iter().map(hexadecimal).collect()),
            );
        }
        if !self.select.is_empty() {
            set(env::SELECT, selection(&self.select));
        }
        if let Some(fuel) = self.fuel {
            set(env::FUEL, fuel.to_string());
        }
        if !vars.is_empty() {
            // Each test gets its own seed, so that tests running in parallel do not generate the same names.
            let seed = fnv1a(test).wrapping_add(self.draw);
            vars.push((env::SEED.to_string(), seed.to_string()));
        }
        if let Some(replay) = self.replay {
            vars.push((env::REPLAY.to_string(), replay.to_string()));
        }
        vars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_with_a_plan_get_variables_and_each_test_has_its_own_seed() {
        let seed = |plan: &Plan, test| {
            let vars = plan.env(Utf8Path::new("trace"), test, 1 << 20);
            let mut seeds = vars.into_iter().filter(|(name, _)| name == env::SEED);
            seeds.next().map(|(_, value)| value)
        };
        let plain = Plan::default();
        assert!(
            plain
                .env(Utf8Path::new("trace"), "test", 1 << 20)
                .is_empty()
        );
        let traced = Plan {
            sites: Some(3),
            ..Plan::default()
        };
        let selected = Plan {
            select: vec![(SiteIndex::new(1), 2)],
            ..Plan::default()
        };
        assert!(seed(&traced, "test").is_some());
        assert_eq!(seed(&traced, "test"), seed(&selected, "test"));
        assert_ne!(seed(&traced, "test"), seed(&traced, "other"));
    }
}
