//! Proof-guided repair: Algorithm 1 of Wolverine2 (section 4). The search begins with no change allowed; a proof that this is
//! impossible says which of the bounds to widen, small changes before large ones; one that needs no bound says that the
//! specification contradicts itself or is beyond the repair space.
//!
//! Differences from the paper: of the bounds that a proof needs, the lowest is widened, and only among equal ones the priority
//! decides, so that guards do not take all turns. A repair is made as small as possible before it is returned. Only one triple
//! that fails is encoded at first, and one more whenever a candidate fails it; the machine judges all.

use super::closeness::{Answer, Bound, Closeness};
use super::encode::Query;
use super::ir::Routine;
use super::patch::{Change, patched};
use super::problem::{Control, Triple};
use super::space::Space;
use super::until::Until;

/// Most widenings of one search.
pub const MOST_WIDENINGS: u32 = 10;

/// Most candidates that fail on other triples.
const MOST_CANDIDATES: u32 = 60;

/// Most repairs of one size that are compared.
const MOST_ALIKE: u32 = 12;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct HeapOptions<'u> {
    /// Most statements that may be inserted.
    pub insertions: usize,
    /// Most changes in all.
    pub most: u32,
    /// How the bounds are widened.
    pub strategy: Strategy,
    /// When the search ends.
    pub until: Until<'u>,
}

/// How a search goes on after a proof that there is no repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The paper's main algorithm: one more change of the kind that the proof points at.
    Bounds,
    /// AlgVar: one choice that the proof points at becomes free, drawn with this seed.
    Selectors(u64),
}

impl Default for HeapOptions<'_> {
    fn default() -> Self {
        Self {
            insertions: 1,
            most: u32::MAX,
            strategy: Strategy::Bounds,
            until: Until::default(),
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// What became of it.
    pub result: HeapOutcome,
    /// How often the bounds were widened.
    pub widenings: u32,
    /// How many queries were made.
    pub queries: u32,
}

/// What became of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeapOutcome {
    /// Nothing has to be changed.
    Correct,
    /// These changes fulfil all triples.
    Patch(Vec<Change>),
    /// These triples cannot be fulfilled together by any change of the space.
    Contradiction(Vec<usize>),
    /// The bounds were widened as often as allowed.
    Exhausted,
    /// The solver gave up, a run is too large for it, or there was no time left.
    Unknown,
}

/// Searches for changes with which the routine fulfils all triples.
pub fn repair(
    routine: &Routine,
    triples: &[Triple],
    space: &Space,
    options: HeapOptions<'_>,
) -> Repaired {
    super::encode::isolated(|| Search::new(routine, triples, space, options).run())
}

struct Search<'s> {
    routine: &'s Routine,
    triples: &'s [Triple],
    space: &'s Space,
    query: Query<'s>,
    /// The triples that are encoded, in the order in which they were.
    encoded: Vec<usize>,
    options: HeapOptions<'s>,
    widenings: u32,
    queries: u32,
}

impl<'s> Search<'s> {
    fn new(
        routine: &'s Routine,
        triples: &'s [Triple],
        space: &'s Space,
        options: HeapOptions<'s>,
    ) -> Self {
        Self {
            routine,
            triples,
            space,
            query: Query::new(routine, space, options.insertions, options.until),
            encoded: Vec::new(),
            options,
            widenings: 0,
            queries: 0,
        }
    }

    fn run(mut self) -> Repaired {
        let result = self.result();
        Repaired {
            result,
            widenings: self.widenings,
            queries: self.queries,
        }
    }

    fn result(&mut self) -> HeapOutcome {
        let failing = self.failing(&[]);
        let Some(smallest) = failing.iter().min_by_key(|at| self.size(**at)).copied() else {
            return HeapOutcome::Correct;
        };
        if !self.encode(smallest) {
            return HeapOutcome::Unknown;
        }
        let mut widening = Widening::new(self.options);
        for _ in 0..MOST_CANDIDATES {
            let changes = loop {
                if self.is_over() {
                    return HeapOutcome::Unknown;
                }
                self.queries += 1;
                match widening.solve(&mut self.query) {
                    Answer::Repaired(changes) => break changes,
                    Answer::Unknown => return HeapOutcome::Unknown,
                    Answer::Impossible {
                        bounds,
                        is_total,
                        selectors,
                        triples,
                    } => {
                        let is_wide = bounds.is_empty() && selectors.is_empty();
                        if is_wide && !is_total {
                            let triples = triples.iter().map(|at| self.encoded[*at]);
                            return HeapOutcome::Contradiction(triples.collect());
                        }
                        if is_wide || self.widenings == MOST_WIDENINGS {
                            return HeapOutcome::Exhausted;
                        }
                        self.widenings += 1;
                        widening.widen(&bounds, &selectors);
                    }
                }
            };
            let changes = self.smallest(&widening, changes);
            let failing = self.failing(&changes);
            if failing.is_empty() {
                return HeapOutcome::Patch(self.simplest(&widening, changes));
            }
            let new = failing.iter().filter(|at| !self.encoded.contains(at));
            match new.min_by_key(|at| self.size(**at)) {
                Some(new) => {
                    if !self.encode(*new) {
                        return HeapOutcome::Unknown;
                    }
                }
                // The formula says so and the machine does not: where nodes are allocated in another order.
                None => self.query.exclude_last(),
            }
        }
        HeapOutcome::Exhausted
    }

    /// A repair with as few changes as possible, given one.
    fn smallest(&mut self, widening: &Widening, mut changes: Vec<Change>) -> Vec<Change> {
        let Strategy::Bounds = self.options.strategy else {
            return changes;
        };
        while changes.len() > 1 && !self.is_over() {
            self.queries += 1;
            let closeness = Closeness {
                most: widening.most,
                total: u32::try_from(changes.len() - 1).unwrap_or(u32::MAX),
            };
            match self.query.solve(closeness) {
                Answer::Repaired(fewer) => changes = fewer,
                Answer::Impossible { .. } | Answer::Unknown => break,
            }
        }
        changes
    }

    /// Among the repairs with as few changes as this one, one that is closest to the program. Several often fulfil all triples,
    /// and the solver gives any of them.
    fn simplest(&mut self, widening: &Widening, first: Vec<Change>) -> Vec<Change> {
        let Strategy::Bounds = self.options.strategy else {
            return first;
        };
        let closeness = Closeness {
            most: widening.most,
            total: u32::try_from(first.len()).unwrap_or(u32::MAX),
        };
        let mut best = (self.space.cost(&first), first);
        for _ in 0..MOST_ALIKE {
            if self.is_over() {
                break;
            }
            self.query.exclude_last();
            self.queries += 1;
            let Answer::Repaired(changes) = self.query.solve(closeness) else {
                break;
            };
            let cost = self.space.cost(&changes);
            if cost < best.0 && self.failing(&changes).is_empty() {
                best = (cost, changes);
            }
        }
        best.1
    }

    fn is_over(&self) -> bool {
        self.options.until.is_over()
    }

    /// How much work a triple is.
    fn size(&self, triple: usize) -> (usize, usize) {
        let triple = &self.triples[triple];
        let rounds = match &triple.control {
            Control::Along(visits) => visits.len(),
            Control::Free => triple.before.nodes.len(),
        };
        (rounds, triple.before.nodes.len())
    }

    fn encode(&mut self, triple: usize) -> bool {
        self.encoded.push(triple);
        self.query.add(&self.triples[triple])
    }

    /// The triples that the routine does not fulfil with these changes.
    fn failing(&self, changes: &[Change]) -> Vec<usize> {
        let patched = patched(self.routine, changes);
        let triples = self.triples.iter().enumerate();
        let failing = triples.filter(|(_, triple)| triple.check(&patched).is_err());
        failing.map(|(at, _)| at).collect()
    }
}

/// How far the search has been widened.
struct Widening {
    strategy: Strategy,
    most: [u32; 3],
    /// In all; it is not widened.
    total: u32,
    free: Vec<usize>,
    drawn: u64,
}

impl Widening {
    const fn new(options: HeapOptions<'_>) -> Self {
        let drawn = match options.strategy {
            Strategy::Bounds => 0,
            Strategy::Selectors(seed) => seed,
        };
        Self {
            strategy: options.strategy,
            most: [0; 3],
            total: options.most,
            free: Vec::new(),
            drawn,
        }
    }

    fn solve(&self, query: &mut Query<'_>) -> Answer {
        match self.strategy {
            Strategy::Bounds => query.solve(Closeness {
                most: self.most,
                total: self.total,
            }),
            Strategy::Selectors(_) => query.solve_selected(&self.free),
        }
    }

    fn widen(&mut self, bounds: &[Bound], selectors: &[usize]) {
        match self.strategy {
            Strategy::Bounds => {
                let lowest = bounds
                    .iter()
                    .min_by_key(|bound| self.most[**bound as usize]);
                if let Some(bound) = lowest {
                    self.most[*bound as usize] += 1;
                }
            }
            Strategy::Selectors(_) => {
                self.drawn = self
                    .drawn
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let count = u64::try_from(selectors.len()).unwrap_or(1).max(1);
                let at = usize::try_from((self.drawn >> 33) % count).unwrap_or(0);
                self.free.extend(selectors.get(at));
            }
        }
    }
}
