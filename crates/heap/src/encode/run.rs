//! Runs a routine with holes over a triple: the semantics of [`crate::machine`] on values that depend on choices. This is
//! Φ_sem and Φ_spec of Wolverine2 (sections 3.1 and 4), with a path condition for each instruction as its guard.

mod terms;

use std::collections::HashMap;

use nopol_program::ir::RecordId;
use typed_index_collections::TiVec;

use super::cases::Cases;
use super::guard::Guard;
use super::holes::Holes;
use crate::effect::Effect;
use crate::ir::{Atom, Instruction, Routine, SlotId, StatementId, Term, Type, VariableId};
use crate::machine::Point;
use crate::memory::{self, Entity};
use crate::problem::{Control, Triple, Visit};
use crate::space::Space;
use crate::state::Value;
use crate::until::Until;

/// Most possible values of an entity.
const MOST_CASES: usize = 96;

/// Most rounds of a loop that a triple says nothing about, beside one for each node.
const MORE_ROUNDS: u32 = 3;

/// Most instructions of an unrolled run.
const MOST_STEPS: u32 = 3_000;

/// Most possible values of all that is read, written and compared in an unrolled run: what bounds the memory that it takes.
const MOST_WORK: usize = 1_000_000;

/// The run cannot be encoded: it is too long, an entity has too many values, or there is no time left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// A node whose fields depend on choices.
struct Node {
    record: RecordId,
    fields: Vec<Cases>,
    is_freed: Guard,
    is_fixed: bool,
}

impl Node {
    /// A node as it is known to be.
    fn known(node: &memory::Node) -> Self {
        Self {
            record: node.record,
            fields: node.fields.iter().copied().map(Cases::known).collect(),
            is_freed: Guard::known(node.is_freed),
            is_fixed: node.is_fixed,
        }
    }
}

/// A run that is being encoded.
pub(super) struct Run<'q> {
    routine: &'q Routine,
    space: &'q Space,
    holes: &'q Holes,
    variables: TiVec<VariableId, Cases>,
    nodes: Vec<Node>,
    /// How many nodes there may be, and when.
    counts: Vec<(u32, Guard)>,
    /// What must hold.
    constraints: Vec<Guard>,
    /// How often each jump back was made since its loop was entered.
    rounds: HashMap<usize, u32>,
    steps: u32,
    /// How much of [`MOST_WORK`] is left.
    work: usize,
    /// When the search ends.
    until: Until<'q>,
}

/// What a path leads to, and when.
type Locations = Vec<(Entity, Guard)>;

impl<'q> Run<'q> {
    /// What must hold of the choices for a triple to hold.
    pub(super) fn encode(
        routine: &'q Routine,
        space: &'q Space,
        holes: &'q Holes,
        triple: &Triple,
        until: Until<'q>,
    ) -> Result<Vec<Guard>, TooLarge> {
        let nodes = triple.before.nodes.iter().map(Node::known);
        let variables = triple.before.variables.iter().copied();
        let mut run = Self {
            routine,
            space,
            holes,
            variables: variables.map(Cases::known).collect(),
            counts: vec![(number(triple.before.nodes.len()), Guard::Always)],
            nodes: nodes.collect(),
            constraints: Vec::new(),
            rounds: HashMap::new(),
            steps: MOST_STEPS,
            work: MOST_WORK,
            until,
        };
        run.execute(triple)?;
        for (entity, value) in triple.wanted(routine) {
            let is_wanted = run.holds(entity, value);
            run.require(is_wanted);
        }
        Ok(run.constraints)
    }

    /// Notes how many values were handled.
    fn spend(&mut self, work: usize) -> Result<(), TooLarge> {
        self.work = self.work.checked_sub(work).ok_or(TooLarge)?;
        match self.until.is_over() {
            true => Err(TooLarge),
            false => Ok(()),
        }
    }

    fn require(&mut self, guard: Guard) {
        if !guard.is_always() {
            self.constraints.push(guard);
        }
    }

    /// When an entity has a value.
    fn holds(&self, entity: Entity, value: Value) -> Guard {
        match entity {
            Entity::Variable(variable) => self.variables[variable].is(value),
            Entity::Field(node, field) => self
                .nodes
                .get(node.0 as usize)
                .and_then(|node| node.fields.get(field))
                .map_or(Guard::Never, |cases| cases.is(value)),
            Entity::Freed(node) => {
                let freed = self.nodes.get(node.0 as usize);
                match (freed, value) {
                    (Some(node), Value::Number(0)) => node.is_freed.not(),
                    (Some(node), Value::Number(_)) => node.is_freed.clone(),
                    _ => Guard::Never,
                }
            }
        }
    }

    fn execute(&mut self, triple: &Triple) -> Result<(), TooLarge> {
        let mut visits: &[Visit] = match &triple.control {
            Control::Along(visits) => visits,
            Control::Free => &[],
        };
        let along = visits.len();
        let is_along = matches!(triple.control, Control::Along(_));
        let code = &self.routine.code;
        let mut pending: Vec<Guard> = vec![Guard::Never; code.len() + 1];
        let mut at = self.routine.position(triple.from);
        let end = match triple.to {
            Point::At(at) => Some(at),
            _ => None,
        };
        let mut live = Guard::Always;
        loop {
            self.steps = self.steps.checked_sub(1).ok_or(TooLarge)?;
            self.spend(1)?;
            live = live.or(&std::mem::replace(&mut pending[at], Guard::Never));
            if end == Some(at) && visits.is_empty() && !live.is_never() {
                self.require(live);
                return Ok(());
            }
            let Some(instruction) = code.get(at) else {
                break;
            };
            at += 1;
            if live.is_never() {
                if matches!(instruction, Instruction::Back(_)) {
                    self.rounds.remove(&at);
                }
                continue;
            }
            match instruction {
                Instruction::Declare(variable) => {
                    let unknown = Cases::known(Value::Unknown);
                    let held = &self.variables[*variable];
                    self.variables[*variable] = Cases::choose(&live, &unknown, held);
                }
                Instruction::Assign(statement, term) => self.assign(*statement, term, &live)?,
                Instruction::Clear(statement, leaf) => {
                    let emptied = self.leaf_locations(*statement, *leaf, &live);
                    self.write(&emptied, &Cases::known(Value::Null), &live)?;
                }
                Instruction::Test(statement, condition, otherwise) => {
                    let holds = self.condition(*statement, condition, &live)?;
                    pending[*otherwise] = pending[*otherwise].or(&live.and(&holds.not()));
                    live = live.and(&holds);
                }
                Instruction::Head {
                    statement,
                    id,
                    condition,
                    body,
                    exit,
                } => {
                    let is_own = !self.routine.statements[*statement].is_locked;
                    if is_along && is_own {
                        match visits {
                            [visit, rest @ ..] if visit.id == *id => {
                                visits = rest;
                                self.require(live.clone());
                                let holds =
                                    self.condition(*statement, condition, &Guard::Always)?;
                                match visit.enters {
                                    true => {
                                        self.require(holds);
                                        live = Guard::Always;
                                        at = *body;
                                    }
                                    false => {
                                        self.require(holds.not());
                                        live = Guard::Never;
                                        pending[*exit] = Guard::Always;
                                    }
                                }
                            }
                            [] if triple.to == Point::Head(*id) => {
                                self.require(live);
                                return Ok(());
                            }
                            _ => {
                                self.require(live.not());
                                live = Guard::Never;
                            }
                        }
                    } else {
                        let holds = self.condition(*statement, condition, &live)?;
                        pending[*exit] = pending[*exit].or(&live.and(&holds.not()));
                        live = live.and(&holds);
                        at = *body;
                    }
                }
                Instruction::Jump(to) => {
                    pending[*to] = pending[*to].or(&live);
                    live = Guard::Never;
                }
                Instruction::Back(to) => {
                    let goes_back = self.goes_back(*to, at, is_along, visits, triple);
                    if goes_back {
                        *self.rounds.entry(at).or_default() += 1;
                        at = *to;
                    } else {
                        self.rounds.remove(&at);
                        self.require(live.not());
                        live = Guard::Never;
                    }
                }
                Instruction::Free(statement, term) => {
                    let cases = self.term(*statement, term, &live)?;
                    self.free(&cases, &live);
                }
                Instruction::Use(statement, term) => {
                    self.term(*statement, term, &live)?;
                }
                Instruction::Concrete(_) => {
                    let visited = along - visits.len();
                    match triple.effects.get(&(visited, at - 1)) {
                        Some(effect) => self.concrete(effect, &live)?,
                        None => {
                            self.require(live.not());
                            live = Guard::Never;
                        }
                    }
                }
                Instruction::Print => {}
                Instruction::Halt => {
                    self.require(live.not());
                    live = Guard::Never;
                }
                Instruction::Slot(slot) => self.insert(*slot, &live)?,
            }
        }
        match (is_along, triple.to) {
            (true, Point::Head(_)) | (_, Point::At(_)) => self.require(Guard::Never),
            _ => self.require(live),
        }
        Ok(())
    }

    /// Whether a jump back leads to where the run goes on.
    fn goes_back(
        &self,
        to: usize,
        from: usize,
        is_along: bool,
        visits: &[Visit],
        triple: &Triple,
    ) -> bool {
        let between = self.routine.code[to..from].iter();
        let mut heads = between.filter_map(|instruction| match instruction {
            Instruction::Head { id, statement, .. } => Some((*id, *statement)),
            _ => None,
        });
        let is_own = heads
            .clone()
            .next()
            .is_some_and(|(_, statement)| !self.routine.statements[statement].is_locked);
        if is_along && is_own {
            let next = match (visits.first(), triple.to) {
                (Some(visit), _) => Some(visit.id),
                (None, Point::Head(id)) => Some(id),
                (None, Point::At(end)) => return (to..from).contains(&end),
                (None, Point::Start | Point::End) => None,
            };
            return next.is_some_and(|next| heads.any(|(id, _)| id == next));
        }
        let most = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX) + MORE_ROUNDS;
        self.rounds.get(&from).copied().unwrap_or(0) < most
    }

    fn assign(
        &mut self,
        statement: StatementId,
        term: &Term,
        live: &Guard,
    ) -> Result<(), TooLarge> {
        let skipped = self.holes.statements[statement].skipped.clone();
        let live = match skipped {
            Some(skipped) => live.and(&Guard::If(skipped).not()),
            None => live.clone(),
        };
        let value = self.term(statement, term, &live)?;
        let target = self.leaf_locations(statement, 0, &live);
        let ty = self.routine.statements[statement].leaves[0].ty;
        self.write(&target, &fitted(&value, ty), &live)
    }

    /// Where a leaf of a statement leads to.
    fn leaf_locations(&mut self, statement: StatementId, leaf: usize, live: &Guard) -> Locations {
        let routine = self.routine;
        let holes = self.holes;
        let space = self.space;
        let Some(hole) = holes.statements[statement].leaves.get(&leaf) else {
            let Some(Atom::Read(path)) = routine.statements[statement]
                .leaves
                .get(leaf)
                .map(|leaf| &leaf.atom)
            else {
                return Vec::new();
            };
            return self.locate(path, live);
        };
        let mut all: Locations = Vec::new();
        for (number, atom) in space.statements[statement].leaves[leaf].iter().enumerate() {
            if let Atom::Read(path) = atom {
                let chosen = hole.is(number);
                for (entity, when) in self.locate(path, &live.and(&chosen)) {
                    let when = when.and(&chosen);
                    match all.iter_mut().find(|(other, _)| *other == entity) {
                        Some((_, guard)) => *guard = guard.or(&when),
                        None => all.push((entity, when)),
                    }
                }
            }
        }
        all
    }

    fn write(&mut self, target: &Locations, value: &Cases, live: &Guard) -> Result<(), TooLarge> {
        for (entity, when) in target {
            let when = when.and(live);
            let held = match entity {
                Entity::Variable(variable) => &mut self.variables[*variable],
                Entity::Field(node, field) => {
                    match self.nodes[node.0 as usize].fields.get_mut(*field) {
                        Some(held) => held,
                        None => continue,
                    }
                }
                Entity::Freed(_) => continue,
            };
            *held = Cases::choose(&when, value, held);
            let count = held.len();
            if count > MOST_CASES {
                return Err(TooLarge);
            }
            self.spend(count)?;
        }
        Ok(())
    }

    /// What a statement that is not modelled was seen to do.
    fn concrete(&mut self, effect: &Effect, live: &Guard) -> Result<(), TooLarge> {
        if !effect.nodes.is_empty() {
            let known = number(effect.known);
            match self.counts.as_mut_slice() {
                [(count, _)] if *count == known && effect.known == self.nodes.len() => {
                    *count += number(effect.nodes.len());
                }
                // Which numbers its nodes have depends on what is made before.
                _ => return Err(TooLarge),
            }
            self.nodes.extend(effect.nodes.iter().map(Node::known));
        }
        for (entity, value) in &effect.values {
            self.write(&vec![(*entity, Guard::Always)], &Cases::known(*value), live)?;
        }
        Ok(())
    }

    fn free(&mut self, cases: &Cases, live: &Guard) {
        for (value, when) in cases.iter() {
            match value {
                Value::Node(node) => {
                    let when = when.and(live);
                    let node = &mut self.nodes[node.0 as usize];
                    let wrong = match node.is_fixed {
                        true => when.clone(),
                        false => node.is_freed.and(&when),
                    };
                    node.is_freed = node.is_freed.or(&when);
                    self.require(wrong.not());
                }
                Value::Null => {}
                Value::Number(_) | Value::Unknown => self.require(when.and(live).not()),
            }
        }
    }

    /// What is inserted here, if anything is.
    fn insert(&mut self, slot: SlotId, live: &Guard) -> Result<(), TooLarge> {
        let (holes, space, routine) = (self.holes, self.space, self.routine);
        let Some(number) = space.insertions.slots.iter().position(|one| *one == slot) else {
            return Ok(());
        };
        let scope = &routine.slots[slot].scope;
        for hole in &holes.insertions {
            let used = Guard::If(hole.is_used.clone()).and(&hole.slot.is(number));
            let live = live.and(&used);
            let mut values: HashMap<Type, Cases> = HashMap::new();
            for (at, (atom, ty)) in space.insertions.values.iter().enumerate() {
                if let Atom::Read(path) = atom
                    && !scope.contains(&path.base)
                {
                    continue;
                }
                let chosen = hole.value.is(at);
                let value = self.atom(atom, &live.and(&chosen));
                let cases = values.entry(*ty).or_insert_with(Cases::none);
                cases.add_all(&fitted(&value, *ty), &chosen);
            }
            let mut targets: Vec<(Type, Entity, Guard)> = Vec::new();
            for (at, (path, ty)) in space.insertions.targets.iter().enumerate() {
                if !scope.contains(&path.base) {
                    continue;
                }
                let chosen = hole.target.is(at);
                for (entity, when) in self.locate(path, &live.and(&chosen)) {
                    let when = when.and(&chosen);
                    match targets.iter_mut().find(|(_, other, _)| *other == entity) {
                        Some((.., guard)) => *guard = guard.or(&when),
                        None => targets.push((*ty, entity, when)),
                    }
                }
            }
            for (ty, entity, when) in targets {
                if let Some(cases) = values.get(&ty) {
                    self.write(&vec![(entity, when)], cases, &live)?;
                }
            }
        }
        Ok(())
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The values as they fit into a type.
pub(super) fn fitted(cases: &Cases, ty: Type) -> Cases {
    let mut fitted = Cases::none();
    for (value, when) in cases.iter() {
        fitted.add(ty.fit(*value), when);
    }
    fitted
}
