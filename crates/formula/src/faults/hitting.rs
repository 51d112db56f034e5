//! Sets of places that have one in every core, the smallest first. A core is a set of places of which one must compute something
//! else for some test to pass. Candidates are such sets, and every such set that is not a candidate gives another core: the
//! duality of minimal correction sets and minimal unsatisfiable sets (Reiter 1987), as MaxHS and SMUS search with it. The
//! solver here knows only cores. The solvers that know programs are asked about one set at a time, with all other places
//! as they are, which leaves them little to search.

use std::collections::BTreeMap;

use nopol_program::ir::PlaceId;

use crate::circuit::cnf::{Lit, Patience, Solver, Unknown};
use crate::circuit::count::at_least;
use crate::circuit::{Bit, Circuit};

/// The cores that are known.
pub struct Hitting {
    circuit: Circuit,
    solver: Solver,
    places: BTreeMap<PlaceId, Bit>,
    /// Signals that at least 1, 2, … places are in the set.
    counts: Vec<Bit>,
    is_exhausted: bool,
    /// While this holds, no set is proposed that was postponed.
    postponing: Bit,
    postponed: usize,
}

impl Hitting {
    /// Sets of these places, without any core yet. A set has at most `most` places.
    pub fn new(places: impl Iterator<Item = PlaceId>, most: usize, patience: Patience) -> Self {
        let mut circuit = Circuit::default();
        let places: BTreeMap<PlaceId, Bit> = places.map(|place| (place, circuit.input())).collect();
        let bits: Vec<Bit> = places.values().copied().collect();
        let counts = at_least(&mut circuit, &bits, most.saturating_add(1).min(bits.len()));
        let postponing = circuit.input();
        let mut solver = Solver::patient(patience);
        for bit in &bits {
            solver.literal(&circuit, *bit);
        }
        Self {
            circuit,
            solver,
            places,
            counts,
            is_exhausted: false,
            postponing,
            postponed: 0,
        }
    }

    /// One of these places must be in the set.
    pub fn require(&mut self, core: &[PlaceId]) {
        let clause = self.clause(core, true);
        self.solver.require(&clause);
    }

    /// Not all of these places may be in the set.
    pub fn block(&mut self, set: &[PlaceId]) {
        let clause = self.clause(set, false);
        self.solver.require(&clause);
    }

    /// This set is proposed again once there is no other of its size.
    pub fn postpone(&mut self, set: &[PlaceId]) {
        let mut clause = self.clause(set, false);
        clause.push(!self.solver.literal(&self.circuit, self.postponing));
        self.solver.require(&clause);
        self.postponed += 1;
    }

    /// Whether sets were postponed since this was last asked; they are proposed again from now on.
    pub fn resume(&mut self) -> bool {
        self.postponing = self.circuit.input();
        std::mem::take(&mut self.postponed) > 0
    }

    fn clause(&mut self, places: &[PlaceId], is_in: bool) -> Vec<Lit> {
        let bits = places.iter().filter_map(|place| self.places.get(place));
        let (solver, circuit) = (&mut self.solver, &self.circuit);
        bits.map(|bit| {
            let lit = solver.literal(circuit, *bit);
            if is_in { lit } else { !lit }
        })
        .collect()
    }

    /// A set of at most this many places that has one in every core and includes none that is blocked.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn next(&mut self, size: usize) -> Result<Option<Vec<PlaceId>>, Unknown> {
        let larger = self.counts.get(size).copied();
        let larger = larger.map(|more| !self.solver.literal(&self.circuit, more));
        let mut assumptions: Vec<Lit> = larger.into_iter().collect();
        assumptions.push(self.solver.literal(&self.circuit, self.postponing));
        if self.solver.check(&assumptions)? {
            let all = self.places.iter();
            let set = all.filter(|(_, bit)| self.solver.value(**bit));
            return Ok(Some(set.map(|(place, _)| *place).collect()));
        }
        // What no number of places makes possible is not possible at all.
        self.is_exhausted = larger.is_none_or(|larger| !self.solver.core().contains(&larger));
        Ok(None)
    }

    /// Whether larger sets would not be found either.
    pub const fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}
