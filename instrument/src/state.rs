//! The plan of this process, read from the environment, and the functions that the macros call.
//!
//! These are never inlined: the subject is mostly compiled without optimization, and would have unoptimized copies
//! of them in every part of it.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering};
use std::sync::OnceLock;

use crate::layout::{self, env};
use crate::sample;
use crate::snapshot::Snapshot;
use crate::trace::Trace;
use crate::trials::Trials;

/// Unknown, off (the plan is empty), or on.
static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STEPS: AtomicU64 = AtomicU64::new(0);
static STATE: OnceLock<State> = OnceLock::new();

thread_local! {
    /// Set while a snapshot is taken: the subject's code that runs for it is not traced.
    pub(crate) static IN_SNAPSHOT: Cell<bool> = const { Cell::new(false) };
    /// The number of evaluations so far of each site that is forced at some evaluations only.
    static EVALUATIONS: RefCell<Vec<(u32, u32)>> = const { RefCell::new(Vec::new()) };
}

/// The plan of this process.
pub(crate) struct State {
    pub(crate) trace: Option<Trace>,
    force: Vec<Force>,
    capture: Vec<u32>,
    /// What is not recorded.
    pub(crate) without: Vec<Vec<u8>>,
    select: Vec<(u32, u32)>,
    trials: Trials,
    /// All sites that are forced, captured, selected or on trial.
    planned: Vec<u32>,
    fuel: u64,
}

/// A forced outcome.
struct Force {
    site: u32,
    /// `t`, `f`, `T`, `F` or `x`, as in [`env::FORCE`].
    how: u8,
    /// The forced evaluations, with an exclusive end; `None` means all.
    at: Option<(u32, u32)>,
}

impl Force {
    fn parse(site: u32, text: &str) -> Option<Self> {
        let (how, at) = match text.split_once('@') {
            Some((how, at)) => (how, Some(span(at)?)),
            None => (text, None),
        };
        Some(Self {
            site,
            how: *how.as_bytes().first()?,
            at,
        })
    }
}

/// `N`, `..N` or `N..`.
fn span(text: &str) -> Option<(u32, u32)> {
    if let Some(end) = text.strip_prefix("..") {
        return Some((0, end.parse().ok()?));
    }
    if let Some(start) = text.strip_suffix("..") {
        return Some((start.parse().ok()?, u32::MAX));
    }
    let at: u32 = text.parse().ok()?;
    Some((at, at.checked_add(1)?))
}

/// The number of this evaluation of a site in this thread, from 0.
fn evaluation(site: u32) -> u32 {
    EVALUATIONS.with(|evaluations| {
        let mut evaluations = evaluations.borrow_mut();
        match evaluations.iter_mut().find(|(known, _)| *known == site) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                evaluations.push((site, 0));
                0
            }
        }
    })
}

/// See [`env::WITHOUT`].
fn without() -> Vec<Vec<u8>> {
    let text = std::env::var(env::WITHOUT).unwrap_or_default();
    let named = text.split(',').filter(|name| !name.is_empty());
    let bytes = named.map(|name| {
        (0..name.len() / 2)
            .filter_map(|at| u8::from_str_radix(name.get(2 * at..2 * at + 2)?, 16).ok())
            .collect()
    });
    bytes.collect()
}

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

fn pairs(name: &str) -> Vec<(u32, String)> {
    let text = std::env::var(name).unwrap_or_default();
    text.split(',')
        .filter_map(|pair| {
            let (site, value) = pair.split_once('=')?;
            Some((site.parse().ok()?, value.to_string()))
        })
        .collect()
}

impl State {
    fn from_env() -> Self {
        let force: Vec<Force> = pairs(env::FORCE)
            .into_iter()
            .filter_map(|(site, how)| Force::parse(site, &how))
            .collect();
        let capture: Vec<u32> = std::env::var(env::CAPTURE)
            .unwrap_or_default()
            .split(',')
            .filter_map(|site| site.parse().ok())
            .collect();
        let select: Vec<(u32, u32)> = pairs(env::SELECT)
            .into_iter()
            .filter_map(|(site, value)| Some((site, value.parse().ok()?)))
            .collect();
        let forced = force.iter().map(|force| force.site);
        let selected = select.iter().map(|(site, _)| *site);
        let trials = Trials::from_env();
        Self {
            trace: Trace::from_env(),
            planned: forced
                .chain(capture.iter().copied())
                .chain(selected)
                .chain(trials.sites())
                .collect(),
            trials,
            force,
            capture,
            without: without(),
            select,
            fuel: number(env::FUEL).unwrap_or(u64::MAX),
        }
    }

    /// The forced evaluations of the sites that are not always forced.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.force.iter().filter_map(|force| force.at)
    }

    /// Rows recorded per site and outcome, at most.
    pub(crate) fn most_rows(&self) -> u32 {
        self.trace.as_ref().map_or(0, |trace| trace.most_rows)
    }

    fn is_off(&self) -> bool {
        self.trace.is_none()
            && self.force.is_empty()
            && self.select.is_empty()
            && self.fuel == u64::MAX
    }
}

/// The plan, or `None` if it is empty.
#[inline]
pub(crate) fn state() -> Option<&'static State> {
    if MODE.load(Ordering::Relaxed) == OFF {
        return None;
    }
    slow_state()
}

#[cold]
#[inline(never)]
fn init() -> &'static State {
    STATE.get_or_init(|| {
        let state = State::from_env();
        MODE.store(if state.is_off() { OFF } else { ON }, Ordering::Relaxed);
        state
    })
}

fn slow_state() -> Option<&'static State> {
    let state = STATE.get().unwrap_or_else(|| init());
    (MODE.load(Ordering::Relaxed) == ON).then_some(state)
}

/// What the plan says about one evaluation of a site.
#[derive(Clone, Copy)]
pub struct Ask {
    site: u32,
    /// Whether the evaluation is traced; false for code that runs inside a capture.
    live: bool,
    forced: Option<bool>,
    negate: bool,
    blind: bool,
}

impl Ask {
    fn free(site: u32, live: bool) -> Self {
        Self {
            site,
            live,
            forced: None,
            negate: false,
            blind: false,
        }
    }
}

/// Looks up the plan for one evaluation of the site, and counts it.
#[inline(never)]
pub fn ask(site: u32) -> Ask {
    match state() {
        None => Ask::free(site, false),
        Some(state) => ask_live(state, site),
    }
}

fn ask_live(state: &State, site: u32) -> Ask {
    if IN_SNAPSHOT.with(Cell::get) {
        sample::work();
        return Ask::free(site, false);
    }
    burn(state);
    if let Some(trace) = &state.trace {
        trace.count(site, 0);
    }
    let free = Ask::free(site, true);
    let mut of_site = state.force.iter().filter(|force| force.site == site);
    let Some(first) = of_site.clone().next() else {
        return free;
    };
    let now = match first.at {
        None => 0,
        Some(_) => evaluation(site),
    };
    let applies = |force: &&Force| match force.at {
        None => true,
        Some((start, end)) => (start..end).contains(&now),
    };
    let Some(force) = of_site.find(applies) else {
        return free;
    };
    let negate = force.how == b'x';
    Ask {
        forced: (!negate).then_some(force.how.eq_ignore_ascii_case(&b't')),
        negate,
        blind: force.how.is_ascii_uppercase(),
        ..free
    }
}

impl Ask {
    /// Whether the condition must not be evaluated.
    #[inline(never)]
    pub fn is_blind(self) -> bool {
        self.blind
    }

    /// The outcome with which the program continues. `value` is the condition's own value; it does not count if
    /// the condition was not to be evaluated.
    #[inline(never)]
    pub fn settle(self, value: bool) -> bool {
        if !self.live {
            return value;
        }
        self.settle_at(value, Snapshot::NONE)
    }

    /// As [`Ask::settle`], with what was captured there.
    pub fn settle_at(self, value: bool, snapshot: Snapshot) -> bool {
        self.settle_known((!self.blind).then_some(value), snapshot)
    }

    /// As [`Ask::settle_at`], for a condition that is evaluated in any case.
    pub fn settle_eager(self, value: bool, snapshot: Snapshot) -> bool {
        self.settle_known(Some(value), snapshot)
    }

    fn settle_known(self, value: Option<bool>, snapshot: Snapshot) -> bool {
        if !self.live {
            return value.unwrap_or(false);
        }
        let own = value.is_some_and(|value| value != self.negate);
        let outcome = self.forced.unwrap_or(own);
        self.record(outcome, value, snapshot);
        outcome
    }

    fn record(self, outcome: bool, old: Option<bool>, snapshot: Snapshot) {
        let Some(trace) = state().and_then(|state| state.trace.as_ref()) else {
            return;
        };
        trace.count(self.site, 1 + usize::from(outcome));
        if let Some(entries) = snapshot.entries() {
            let old = match old {
                None => 0,
                Some(false) => layout::OLD_KNOWN,
                Some(true) => layout::OLD_KNOWN | layout::OLD,
            };
            let outcome = if outcome { layout::OUTCOME } else { 0 };
            trace.row(self.site, outcome | old, entries);
        }
    }
}

/// A site whose own outcome is always the same.
#[inline(never)]
pub fn constant(site: u32, value: bool) -> bool {
    ask(site).settle(value)
}

/// See [`crate::here!`].
#[inline(never)]
pub fn here(first: u32, last: u32) -> bool {
    match state() {
        None => false,
        Some(state) => here_live(state, first, last),
    }
}

fn here_live(state: &State, first: u32, last: u32) -> bool {
    if IN_SNAPSHOT.with(Cell::get) {
        return false;
    }
    let is_here = |site: &u32| (first..=last).contains(site);
    if state.planned.iter().any(is_here) {
        return true;
    }
    burn(state);
    if let Some(trace) = &state.trace {
        trace.count(first, 0);
        trace.count(first, 1);
    }
    false
}

/// Whether this process records contexts of the site.
pub(crate) fn records(site: u32) -> bool {
    state().is_some_and(|state| state.capture.contains(&site))
}

/// The candidate selected at this site; 0 is the original condition.
#[inline(never)]
pub fn selected(site: u32) -> u32 {
    match state() {
        None => 0,
        Some(state) => {
            if let Some(trace) = state
                .trace
                .as_ref()
                .filter(|_| !IN_SNAPSHOT.with(Cell::get))
            {
                trace.count(site, 0);
                state.trials.arrive(site, trace);
            }
            let mut chosen = state.select.iter();
            chosen
                .find(|(at, _)| *at == site)
                .map_or(0, |(_, number)| *number)
        }
    }
}

/// Takes one loop iteration.
#[inline(never)]
pub fn tick() {
    if let Some(state) = state() {
        if IN_SNAPSHOT.with(Cell::get) {
            sample::work();
        }
        burn(state);
    }
}

/// Burns fuel for one step: a loop iteration or an evaluation. Evaluations count because a loop may be hidden in
/// the standard library, which calls the subject's `next` without end. Ends the process when the fuel is used up.
fn burn(state: &State) {
    let steps = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(trace) = &state.trace {
        trace.steps(steps);
    }
    if steps > state.fuel {
        if let Some(trace) = &state.trace {
            trace.ended(layout::ENDED_FUEL);
        }
        crate::trace::exit_now(layout::FUEL_EXIT);
    }
}
