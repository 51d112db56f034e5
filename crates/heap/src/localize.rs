//! Which statements may be faulty: Algorithm 2 of Wolverine2 (section 5.2.3), by the gradient of the difference between forward and
//! backward execution.
//!
//! # The gradient without the states
//! Backward execution splits the state into one for each possible value where an entity was written before, and goes back to
//! the state before the trace at its first write (rules asgn1 and asgn2). Every split is uniform, so the difference Γ is a sum
//! over entities, and that of an entity written at w₁ < … < w_k among n values is: 0 before w₁, (n−1)/n between w₁ and w_k, and
//! after w_k 1 or 0, as the entity is wrong or right at the end. So Γ changes at w₁ and w_k if k > 1, and, if k = 1, exactly
//! if the entity is wrong; what is between w₁ and w_k is sandwiched and always suspicious. [`gradient`] says just that.
//!
//! # What [`localize`] does beyond that
//! The paper's theorem assumes that a faulty statement writes what the right one would, and says nothing about guards.
//! - Guards are suspicious if what they guard is, or if something was not written that the other branch might write. The
//!   condition of a loop is suspicious exactly if it has the wrong outcome in a state that is known to be right.
//! - A statement that should write another entity shows where that one is wrong: so a write without effect is suspicious
//!   wherever something of its type is wrong, as is one that nobody reads before it is overwritten.
//! - Of several writes of an entity, those that are overwritten are suspicious only if a suspicious statement read them: the
//!   states are known in full, so a wrong value that nobody reads and that does not last has no effect.

use std::collections::{BTreeMap, BTreeSet};

use super::ir::{Instruction, Kind, Routine, SlotId, Statement, StatementId, Type, VariableId};
use super::machine::{Event, EventKind};
use super::memory::Entity;
use super::outline::contains;
use super::problem::{Control, Failure, Triple};
use super::state::Value;
use super::until::Until;

/// The statements that may be faulty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspects {
    /// Each with its weight; larger is more suspicious.
    pub weights: BTreeMap<StatementId, u32>,
    /// Where a statement may be missing.
    pub slots: BTreeSet<SlotId>,
    /// What variables of numbers should hold and do not, if these are few numbers: a constant that is missing.
    pub numbers: BTreeSet<i128>,
}

/// Most numbers that a variable should hold for them to be taken for constants.
const MOST_NUMBERS: usize = 2;

/// Most numbers that are taken for constants.
const MOST_CONSTANTS: usize = 4;

impl Suspects {
    /// Most suspicious first; equal ones in the order of the source.
    pub fn ranked(&self) -> Vec<StatementId> {
        let mut ranked: Vec<(StatementId, u32)> = self
            .weights
            .iter()
            .map(|(id, weight)| (*id, *weight))
            .collect();
        ranked.sort_by_key(|(id, weight)| (std::cmp::Reverse(*weight), *id));
        ranked.into_iter().map(|(id, _)| id).collect()
    }

    /// All statements that are suspected, also those that are written as one with others.
    pub fn statements(&self, routine: &Routine) -> BTreeSet<StatementId> {
        let all = routine.statements.keys();
        all.filter(|id| self.weights.contains_key(&routine.unit(*id)))
            .collect()
    }

    fn mark(&mut self, statement: StatementId, weight: u32) {
        let held = self.weights.entry(statement).or_default();
        *held = (*held).max(weight);
    }
}

/// The last write of something wrong, a condition with a wrong outcome, a fault: if all it read was right.
const ROOT: u32 = 5;
/// The same, if something that it read was wrong, too.
const DIRECT: u32 = 4;
/// A write that a suspicious statement read.
const READ: u32 = 3;
/// A guard around something suspicious.
const AROUND: u32 = 2;
/// A write without effect, a guard of what was not done.
const OMITTED: u32 = 1;

/// What happened in the run of a triple.
struct Trace {
    events: Vec<Event>,
    wrong: Vec<Entity>,
    failure: Failure,
    passed: BTreeSet<SlotId>,
    /// The decisions of branches, by their places among the events.
    guards: Vec<usize>,
}

impl Trace {
    /// The trace of a triple that fails.
    fn new(routine: &Routine, triple: &Triple) -> Option<Self> {
        let mut machine = triple.machine(routine);
        machine.events = Some(Vec::new());
        let done = triple.run(&mut machine);
        let wrong = triple.mismatches(routine, &machine.memory);
        let failure = match done {
            Err(failure) => failure,
            Ok(()) if wrong.is_empty() => return None,
            Ok(()) => Failure::Values(wrong.clone()),
        };
        let events = machine.events.unwrap_or_default();
        let guards = events.iter().enumerate().filter(|(_, event)| {
            let guard = event.statement.map(|id| routine.statements[id].kind);
            matches!(event.kind, EventKind::Decided(_)) && guard == Some(Kind::Guard)
        });
        Some(Self {
            guards: guards.map(|(at, _)| at).collect(),
            events,
            wrong,
            failure,
            passed: machine.passed,
        })
    }
}

/// The paper's suspicious set of one triple: statements whose entity is wrong at the end or was written more than once.
pub fn gradient(routine: &Routine, triple: &Triple) -> BTreeSet<StatementId> {
    let Some(trace) = Trace::new(routine, triple) else {
        return BTreeSet::new();
    };
    let mut writes: BTreeMap<Entity, Vec<StatementId>> = BTreeMap::new();
    for event in &trace.events {
        if let (EventKind::Wrote { entity, .. }, Some(statement)) = (&event.kind, event.statement) {
            writes.entry(*entity).or_default().push(statement);
        }
    }
    writes
        .into_iter()
        .filter(|(entity, writers)| writers.len() > 1 || trace.wrong.contains(entity))
        .flat_map(|(_, writers)| writers)
        .filter(|statement| !routine.statements[*statement].is_locked)
        .collect()
}

/// The statements that may be to blame for the triples that fail; only some of them if there is no time for all.
pub fn localize(routine: &Routine, triples: &[Triple], until: Until<'_>) -> Suspects {
    let mut suspects = Suspects::default();
    let mut missing: BTreeMap<VariableId, BTreeSet<i128>> = BTreeMap::new();
    for triple in triples.iter().take_while(|_| !until.is_over()) {
        if let Some(trace) = Trace::new(routine, triple) {
            for (variable, number) in lacking(triple, &trace) {
                missing.entry(variable).or_default().insert(number);
            }
            Localizer {
                routine,
                triple,
                trace: &trace,
                marked: vec![false; trace.events.len()],
                suspects: &mut suspects,
                until,
            }
            .run();
        }
    }
    // A variable that should hold many numbers lacks no constant.
    missing.retain(|_, numbers| numbers.len() <= MOST_NUMBERS);
    suspects.numbers = missing.into_values().flatten().collect();
    if suspects.numbers.len() > MOST_CONSTANTS {
        suspects.numbers.clear();
    }
    // What is written as one statement is suspicious as one.
    let mut weights: BTreeMap<StatementId, u32> = BTreeMap::new();
    for (id, weight) in std::mem::take(&mut suspects.weights) {
        if !routine.statements[id].is_locked {
            let held = weights.entry(routine.unit(id)).or_default();
            *held = (*held).max(weight);
        }
    }
    suspects.weights = weights;
    suspects
}

/// The variables that should hold other numbers, with these.
fn lacking(triple: &Triple, trace: &Trace) -> Vec<(VariableId, i128)> {
    let wrong = trace.wrong.iter();
    let lacking = wrong.filter_map(|entity| match (*entity, triple.after.get(*entity)) {
        (Entity::Variable(variable), Value::Number(number)) => Some((variable, number)),
        _ => None,
    });
    lacking.collect()
}

struct Localizer<'l> {
    routine: &'l Routine,
    triple: &'l Triple,
    trace: &'l Trace,
    /// The events that are suspicious.
    marked: Vec<bool>,
    suspects: &'l mut Suspects,
    until: Until<'l>,
}

impl Localizer<'_> {
    fn run(mut self) {
        self.suspects.slots.extend(&self.trace.passed);
        let mut queue: Vec<(usize, u32)> = Vec::new();
        for entity in &self.trace.wrong {
            let write = self.last_write(*entity, usize::MAX);
            queue.extend(write.map(|at| (at, self.weight(at))));
        }
        self.wrong_decisions(&mut queue);
        if let Failure::Fault(_) = self.trace.failure {
            let last = self.trace.events.len().checked_sub(1);
            queue.extend(last.map(|at| (at, self.weight(at))));
        }
        self.omissions(&mut queue);
        while let Some((at, weight)) = queue.pop()
            && !self.until.is_over()
        {
            self.suspect(at, weight, &mut queue);
        }
    }

    /// How suspicious something wrong is, by what it read.
    fn weight(&self, at: usize) -> u32 {
        let is_right = |entity: &Entity| match self.last_write(*entity, at) {
            None => true,
            Some(writer) => self.is_cleared(*entity, writer),
        };
        match self.trace.events[at].reads.iter().all(is_right) {
            true => ROOT,
            false => DIRECT,
        }
    }

    /// Marks an event, and queues what it depends on.
    fn suspect(&mut self, at: usize, weight: u32, queue: &mut Vec<(usize, u32)>) {
        let event = &self.trace.events[at];
        if let Some(statement) = event.statement {
            self.suspects.mark(statement, weight);
        }
        if std::mem::replace(&mut self.marked[at], true) {
            return;
        }
        for entity in &event.reads {
            if let Some(writer) = self.last_write(*entity, at)
                && !self.is_cleared(*entity, writer)
            {
                queue.push((writer, READ));
            }
        }
        if let Some(statement) = event.statement {
            let inner = &self.routine.statements[statement];
            for before in self.trace.guards.iter().take_while(|before| **before < at) {
                if let Some(guard) = self.trace.events[*before].statement
                    && is_around(&self.routine.statements[guard], inner)
                {
                    queue.push((*before, AROUND));
                }
            }
        }
    }

    /// Whether the value of a write is seen at the end, and right.
    fn is_cleared(&self, entity: Entity, writer: usize) -> bool {
        let is_fault = matches!(self.trace.failure, Failure::Fault(_));
        !is_fault
            && self.last_write(entity, usize::MAX) == Some(writer)
            && self.is_wanted(entity)
            && !self.trace.wrong.contains(&entity)
    }

    /// Whether the triple says what an entity must be at the end.
    fn is_wanted(&self, entity: Entity) -> bool {
        let is_shown = match entity {
            Entity::Variable(variable) => !self.routine.variables[variable].is_hidden,
            Entity::Field(..) | Entity::Freed(_) => true,
        };
        is_shown && self.triple.after.get(entity) != Value::Unknown
    }

    /// The last write of an entity before an event.
    fn last_write(&self, wanted: Entity, before: usize) -> Option<usize> {
        let events = &self.trace.events[..before.min(self.trace.events.len())];
        events.iter().rposition(
            |event| matches!(event.kind, EventKind::Wrote { entity, .. } if entity == wanted),
        )
    }

    /// Conditions whose outcome is not the wanted one.
    fn wrong_decisions(&self, queue: &mut Vec<(usize, u32)>) {
        let is_control = matches!(self.trace.failure, Failure::Control);
        if !is_control {
            return;
        }
        let mut visits = match &self.triple.control {
            Control::Along(visits) => visits.iter(),
            Control::Free => [].iter(),
        };
        let mut is_explained = false;
        for (at, event) in self.trace.events.iter().enumerate() {
            let Some(statement) = event.statement else {
                continue;
            };
            if let EventKind::Decided(holds) = event.kind {
                let of = &self.routine.statements[statement];
                if of.kind == Kind::LoopGuard
                    && !of.is_locked
                    && visits.next().is_some_and(|visit| visit.enters != holds)
                {
                    queue.push((at, self.weight(at)));
                    is_explained = true;
                }
            }
        }
        // Another end than wanted: any guard may be to blame.
        if !is_explained {
            for (at, event) in self.trace.events.iter().enumerate() {
                if let (EventKind::Decided(_), Some(statement)) = (&event.kind, event.statement)
                    && self.routine.statements[statement].kind == Kind::Guard
                {
                    queue.push((at, DIRECT));
                }
            }
        }
    }

    /// What may have been left out, or written elsewhere.
    fn omissions(&self, queue: &mut Vec<(usize, u32)>) {
        let types: BTreeSet<Type> = self
            .trace
            .wrong
            .iter()
            .filter_map(|entity| self.type_of(*entity))
            .collect();
        if types.is_empty() && !matches!(self.trace.failure, Failure::Control) {
            return;
        }
        let is_control = matches!(self.trace.failure, Failure::Control);
        // What should have been written and was not: perhaps it was written elsewhere.
        let unwritten = self.trace.wrong.iter();
        let unwritten = unwritten.filter(|entity| self.last_write(**entity, usize::MAX).is_none());
        let unwritten: BTreeSet<Value> = unwritten
            .map(|entity| self.triple.after.get(*entity))
            .collect();
        for (at, event) in self.trace.events.iter().enumerate() {
            if self.until.is_over() {
                return;
            }
            let Some(statement) = event.statement else {
                continue;
            };
            match &event.kind {
                EventKind::Wrote {
                    entity,
                    before,
                    value,
                } => {
                    let is_typed = self.type_of(*entity).is_some_and(|ty| types.contains(&ty));
                    let is_elsewhere = unwritten.contains(value);
                    if is_typed && (is_elsewhere || self.is_without_effect(at, *entity, *before)) {
                        queue.push((at, OMITTED));
                    }
                }
                EventKind::Decided(_) => {
                    let of = &self.routine.statements[statement];
                    if of.kind == Kind::Guard && (self.may_write(of, &types) || is_control) {
                        queue.push((at, OMITTED));
                    }
                }
                EventKind::Printed(_) | EventKind::Faulted => {}
            }
        }
    }

    fn is_without_effect(&self, at: usize, entity: Entity, before: Value) -> bool {
        let later = &self.trace.events[at + 1..];
        let next = later.iter().find(|event| {
            event.reads.contains(&entity)
                || matches!(event.kind, EventKind::Wrote { entity: other, .. } if other == entity)
        });
        // What is overwritten without being read.
        if let Some(event) = next
            && !event.reads.contains(&entity)
        {
            return true;
        }
        // What was there already.
        let after = later
            .iter()
            .find_map(|event| match &event.kind {
                EventKind::Wrote {
                    entity: other,
                    before,
                    ..
                } if *other == entity => Some(*before),
                _ => None,
            })
            .unwrap_or_else(|| match self.trace.wrong.contains(&entity) {
                true => Value::Unknown,
                false => self.triple.after.get(entity),
            });
        after == before
    }

    /// Whether something of these types may be written under a guard.
    fn may_write(&self, guard: &Statement, types: &BTreeSet<Type>) -> bool {
        self.routine
            .code
            .iter()
            .any(|instruction| match instruction {
                Instruction::Assign(statement, _) => {
                    let inner = &self.routine.statements[*statement];
                    is_around(guard, inner) && types.contains(&inner.leaves[0].ty)
                }
                _ => false,
            })
    }

    fn type_of(&self, entity: Entity) -> Option<Type> {
        match entity {
            Entity::Variable(variable) => Some(self.routine.variables.get(variable)?.ty),
            Entity::Field(node, field) => {
                let node = self
                    .triple
                    .after
                    .node(node)
                    .or_else(|| self.triple.before.node(node))?;
                self.routine.field_type(node.record, field)
            }
            Entity::Freed(_) => None,
        }
    }
}

/// Whether one statement is within another one.
fn is_around(outer: &Statement, inner: &Statement) -> bool {
    outer.whole != inner.whole && contains(outer.whole, inner.whole)
}

/// The statements that the runs of failing triples go through, executed or not: those in the same bodies of loops.
pub fn section(routine: &Routine, triples: &[Triple]) -> BTreeSet<StatementId> {
    let mut reached: BTreeSet<StatementId> = BTreeSet::new();
    for triple in triples {
        if let Some(trace) = Trace::new(routine, triple) {
            reached.extend(trace.events.iter().filter_map(|event| event.statement));
        }
    }
    // What is under a guard that was reached belongs to the section, too.
    let guards: Vec<StatementId> = reached
        .iter()
        .copied()
        .filter(|id| routine.statements[*id].kind == Kind::Guard)
        .collect();
    let under = routine.statements.iter_enumerated().filter(|(_, inner)| {
        guards
            .iter()
            .any(|guard| is_around(&routine.statements[*guard], inner))
    });
    reached.extend(under.map(|(id, _)| id).collect::<Vec<_>>());
    reached
}
