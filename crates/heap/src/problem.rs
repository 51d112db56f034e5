//! What a repair must fulfil: Hoare triples over parts of runs, from a given state to a wanted one (Wolverine2, section 5.2.1).
//! They come from states that a person asserts, or from recorded runs of a reference.

use super::effect::Effects;
use super::ir::{LoopId, Routine};
use super::machine::{Fault, Machine, Point};
use super::memory::{Entity, Memory};
use super::state::Value;

/// How control goes at the head of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visit {
    /// The loop.
    pub id: LoopId,
    /// Whether its body is entered.
    pub enters: bool,
}

/// How control goes within a triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// Past these heads of loops, in this order. If the triple begins at a head, that is the first one.
    Along(Vec<Visit>),
    /// As the conditions say.
    Free,
}

/// From this state to that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triple {
    /// Where it begins.
    pub from: Point,
    /// The state there.
    pub before: Memory,
    /// How control goes.
    pub control: Control,
    /// Where it ends.
    pub to: Point,
    /// The state there. What is unknown there may have any value.
    pub after: Memory,
    /// What statements that are not modelled did on the way.
    pub effects: Effects,
}

/// Why a triple does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The run faults.
    Fault(Fault),
    /// The condition of a loop has another outcome, or another loop is reached.
    Control,
    /// Other values at the end.
    Values(Vec<Entity>),
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The state at the beginning.
    pub before: Memory,
    /// The heads of loops that it passes, each with the state before the condition is evaluated.
    pub visits: Vec<(Visit, Memory)>,
    /// The state at the end.
    pub after: Memory,
}

impl Recording {
    /// Runs a routine from a state on.
    ///
    /// # Errors
    /// If the run faults.
    pub fn new(routine: &Routine, before: Memory) -> Result<Self, Fault> {
        let mut machine = Machine::new(routine, before.clone());
        let mut visits = Vec::new();
        while let Point::Head(id) = machine.advance(None)? {
            let memory = machine.memory.clone();
            let enters = machine.decide(None)?;
            visits.push((Visit { id, enters }, memory));
        }
        Ok(Self {
            before,
            visits,
            after: machine.memory,
        })
    }

    /// One triple from each state to the next one.
    pub fn triples(&self) -> Vec<Triple> {
        let mut triples = Vec::new();
        let mut from: Option<(Visit, &Memory)> = None;
        let ends = self
            .visits
            .iter()
            .map(|(visit, memory)| (Some(*visit), memory));
        for (visit, memory) in ends.chain([(None, &self.after)]) {
            triples.push(Triple {
                from: from.map_or(Point::Start, |(visit, _)| Point::Head(visit.id)),
                before: from.map_or(&self.before, |(_, memory)| memory).clone(),
                control: Control::Along(from.iter().map(|(visit, _)| *visit).collect()),
                to: visit.map_or(Point::End, |visit| Point::Head(visit.id)),
                after: memory.clone(),
                effects: Effects::new(),
            });
            from = visit.map(|visit| (visit, memory));
        }
        triples
    }

    /// One triple over the whole run, without a word about loops.
    pub fn whole(&self) -> Triple {
        Triple {
            from: Point::Start,
            before: self.before.clone(),
            control: Control::Free,
            to: Point::End,
            after: self.after.clone(),
            effects: Effects::new(),
        }
    }
}

impl Triple {
    /// Whether a routine fulfils it.
    ///
    /// # Errors
    /// If it does not: why.
    pub fn check(&self, routine: &Routine) -> Result<(), Failure> {
        let mut machine = self.machine(routine);
        self.run(&mut machine)?;
        let wrong = self.mismatches(routine, &machine.memory);
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(Failure::Values(wrong)),
        }
    }

    /// A run that is about to begin.
    pub fn machine<'r>(&self, routine: &'r Routine) -> Machine<'r> {
        let mut machine = Machine::at(routine, self.before.clone(), self.from);
        machine.effects.clone_from(&self.effects);
        machine
    }

    /// Runs from the beginning to the end. A condition with another outcome than wanted is a failure, but the run goes on
    /// as wanted.
    ///
    /// # Errors
    /// If control does not go as wanted or the run faults.
    pub fn run(&self, machine: &mut Machine<'_>) -> Result<(), Failure> {
        let mut is_as_wanted = true;
        match &self.control {
            Control::Along(visits) => {
                for visit in visits {
                    if machine.advance(None).map_err(Failure::Fault)? != Point::Head(visit.id) {
                        return Err(Failure::Control);
                    }
                    let holds = machine.decide(Some(visit.enters)).map_err(Failure::Fault)?;
                    is_as_wanted &= holds == visit.enters;
                }
                let end = machine.advance(Some(self.to)).map_err(Failure::Fault)?;
                is_as_wanted &= end == self.to;
            }
            Control::Free => {
                while let Point::Head(_) = machine.advance(Some(self.to)).map_err(Failure::Fault)? {
                    machine.decide(None).map_err(Failure::Fault)?;
                }
            }
        }
        match is_as_wanted {
            true => Ok(()),
            false => Err(Failure::Control),
        }
    }

    /// The entities that have other values than wanted.
    pub fn mismatches(&self, routine: &Routine, memory: &Memory) -> Vec<Entity> {
        self.wanted(routine)
            .into_iter()
            .filter(|(entity, value)| memory.get(*entity) != *value)
            .map(|(entity, _)| entity)
            .collect()
    }

    /// The values that are wanted at the end.
    pub fn wanted(&self, routine: &Routine) -> Vec<(Entity, Value)> {
        self.after
            .entities(routine)
            .into_iter()
            .map(|entity| (entity, self.after.get(entity)))
            .filter(|(_, value)| *value != Value::Unknown)
            .collect()
    }
}
