//! The choices that a repair makes, as propositional variables: of each hole, exactly one alternative.

use std::collections::BTreeMap;

use typed_index_collections::TiVec;
use z3::ast::Bool;
use z3::{Model, Solver};

use super::guard::Guard;
use crate::closeness::Bound;
use crate::ir::{Atom, Condition, Insertion, Instruction, Routine, StatementId, Term};
use crate::patch::Change;
use crate::space::Space;

/// Exactly one of several alternatives.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    /// For each alternative, whether it is chosen.
    pub(super) chosen: Vec<Bool>,
}

impl Hole {
    fn new(name: &str, alternatives: usize, solver: &Solver) -> Self {
        let chosen: Vec<Bool> = (0..alternatives)
            .map(|number| Bool::new_const(format!("{name}.{number}")))
            .collect();
        let once: Vec<(&Bool, i32)> = chosen.iter().map(|chosen| (chosen, 1)).collect();
        solver.assert(Bool::pb_eq(&once, 1));
        Self { chosen }
    }

    pub(super) fn is(&self, number: usize) -> Guard {
        Guard::If(self.chosen[number].clone())
    }

    fn choice(&self, model: &Model) -> usize {
        self.chosen
            .iter()
            .position(|chosen| {
                model
                    .eval(chosen, true)
                    .and_then(|value| value.as_bool())
                    .unwrap_or(false)
            })
            .unwrap_or(0)
    }
}

/// The choices at a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct StatementHoles {
    /// By the number of the leaf.
    pub(super) leaves: BTreeMap<usize, Hole>,
    /// By the number of the comparison.
    pub(super) comparisons: BTreeMap<usize, Hole>,
    /// Whether it is removed.
    pub(super) skipped: Option<Bool>,
}

/// A statement that may be inserted.
#[derive(Clone, Debug)]
pub(super) struct InsertedHole {
    /// Whether it is.
    pub(super) is_used: Bool,
    /// Where, of the space's slots.
    pub(super) slot: Hole,
    /// Its target, of the space's targets.
    pub(super) target: Hole,
    /// Its value, of the space's values.
    pub(super) value: Hole,
}

/// All choices.
#[derive(Debug)]
pub(super) struct Holes {
    pub(super) statements: TiVec<StatementId, StatementHoles>,
    pub(super) insertions: Vec<InsertedHole>,
    /// What is true if a choice differs from what the program has, and what it counts for.
    pub(super) selectors: Vec<(Bool, Bound)>,
}

impl Holes {
    pub(super) fn new(
        routine: &Routine,
        space: &Space,
        insertions: usize,
        solver: &Solver,
    ) -> Self {
        let mut selectors = Vec::new();
        let statements = space.statements.iter_enumerated().map(|(id, choices)| {
            let mut holes = StatementHoles::default();
            let bound = match routine.statements[id].kind {
                crate::ir::Kind::Guard | crate::ir::Kind::LoopGuard => Bound::Guard,
                _ => Bound::Statement,
            };
            for (leaf, atoms) in choices.leaves.iter().enumerate() {
                if atoms.len() > 1 {
                    let hole = Hole::new(&format!("s{id}.l{leaf}"), atoms.len(), solver);
                    selectors.push((hole.chosen[0].not(), bound));
                    holes.leaves.insert(leaf, hole);
                }
            }
            for (number, comparisons) in choices.comparisons.iter().enumerate() {
                if comparisons.len() > 1 {
                    let name = format!("s{id}.c{number}");
                    let hole = Hole::new(&name, comparisons.len(), solver);
                    selectors.push((hole.chosen[0].not(), Bound::Guard));
                    holes.comparisons.insert(number, hole);
                }
            }
            if choices.can_skip {
                let skipped = Bool::new_const(format!("s{id}.skip"));
                selectors.push((skipped.clone(), Bound::Guard));
                holes.skipped = Some(skipped);
            }
            holes
        });
        let statements: TiVec<StatementId, StatementHoles> = statements.collect();
        for (statement, left, right) in compared(routine) {
            let leaves = &space.statements[statement].leaves;
            if let (Some(lefts), Some(rights)) = (leaves.get(left), leaves.get(right)) {
                let holes = &statements[statement].leaves;
                varying(lefts, rights, (holes.get(&left), holes.get(&right)), solver);
            }
        }
        let of = &space.insertions;
        let insertions = match of.slots.is_empty() || of.targets.is_empty() {
            true => 0,
            false => insertions,
        };
        let insertions = (0..insertions).map(|number| {
            let name = format!("i{number}");
            let hole = InsertedHole {
                is_used: Bool::new_const(format!("{name}.used")),
                slot: Hole::new(&format!("{name}.slot"), of.slots.len(), solver),
                target: Hole::new(&format!("{name}.target"), of.targets.len(), solver),
                value: Hole::new(&format!("{name}.value"), of.values.len(), solver),
            };
            selectors.push((hole.is_used.clone(), Bound::Insertion));
            hole
        });
        let insertions: Vec<InsertedHole> = insertions.collect();
        for hole in &insertions {
            well_typed(hole, routine, space, solver);
        }
        // One of two equal slots comes first.
        for pair in insertions.windows(2) {
            if let [first, second] = pair {
                solver.assert(second.is_used.implies(&first.is_used));
            }
        }
        Self {
            statements,
            insertions,
            selectors,
        }
    }

    /// What a model changes.
    pub(super) fn changes(&self, space: &Space, model: &Model) -> Vec<Change> {
        let is_true = |of: &Bool| {
            model
                .eval(of, true)
                .and_then(|value| value.as_bool())
                .unwrap_or(false)
        };
        let mut changes = Vec::new();
        for (statement, holes) in self.statements.iter_enumerated() {
            if holes.skipped.as_ref().is_some_and(is_true) {
                changes.push(Change::Skip(statement));
                continue;
            }
            let choices = &space.statements[statement];
            for (leaf, hole) in &holes.leaves {
                let choice = hole.choice(model);
                if choice > 0 {
                    changes.push(Change::Leaf {
                        statement,
                        leaf: *leaf,
                        atom: choices.leaves[*leaf][choice].clone(),
                    });
                }
            }
            for (number, hole) in &holes.comparisons {
                let choice = hole.choice(model);
                if choice > 0 {
                    changes.push(Change::Comparison {
                        statement,
                        number: *number,
                        comparison: choices.comparisons[*number][choice],
                    });
                }
            }
        }
        for hole in &self.insertions {
            if is_true(&hole.is_used) {
                changes.push(Change::Insert(Insertion {
                    slot: space.insertions.slots[hole.slot.choice(model)],
                    target: space.insertions.targets[hole.target.choice(model)]
                        .0
                        .clone(),
                    value: space.insertions.values[hole.value.choice(model)].0.clone(),
                }));
            }
        }
        changes
    }

    /// Requires that some choice differs from a model.
    pub(super) fn otherwise(&self, model: &Model) -> Bool {
        let is_true = |of: &Bool| {
            model
                .eval(of, true)
                .and_then(|value| value.as_bool())
                .unwrap_or(false)
        };
        let mut different = Vec::new();
        let mut differ = |hole: &Hole| different.push(hole.chosen[hole.choice(model)].not());
        for holes in &self.statements {
            holes.leaves.values().for_each(&mut differ);
            holes.comparisons.values().for_each(&mut differ);
        }
        for hole in self.insertions.iter().filter(|hole| is_true(&hole.is_used)) {
            differ(&hole.slot);
            differ(&hole.target);
            differ(&hole.value);
        }
        let flags = self.statements.iter().flat_map(|holes| &holes.skipped);
        let flags = flags.chain(self.insertions.iter().map(|hole| &hole.is_used));
        for flag in flags {
            different.push(match is_true(flag) {
                true => flag.not(),
                false => flag.clone(),
            });
        }
        Bool::or(&different.iter().collect::<Vec<_>>())
    }
}

/// The leaves that are compared with each other: the statement, and their numbers.
fn compared(routine: &Routine) -> Vec<(StatementId, usize, usize)> {
    fn walk(
        condition: &Condition,
        statement: StatementId,
        all: &mut Vec<(StatementId, usize, usize)>,
    ) {
        match condition {
            Condition::Constant(_) => {}
            Condition::Compare { left, right, .. } => {
                if let (Term::Leaf(left), Term::Leaf(right)) = (left, right) {
                    all.push((statement, *left, *right));
                }
            }
            Condition::Not(inner) => walk(inner, statement, all),
            Condition::And(left, right) | Condition::Or(left, right) => {
                walk(left, statement, all);
                walk(right, statement, all);
            }
        }
    }
    let mut all = Vec::new();
    for instruction in &routine.code {
        if let Instruction::Test(statement, condition, _)
        | Instruction::Head {
            statement,
            condition,
            ..
        } = instruction
        {
            walk(condition, *statement, &mut all);
        }
    }
    all
}

/// A comparison that is changed depends on the state: nothing is compared with itself, and no constant with another one.
fn varying(
    lefts: &[Atom],
    rights: &[Atom],
    (left, right): (Option<&Hole>, Option<&Hole>),
    solver: &Solver,
) {
    let is_constant = |atom: &Atom| !matches!(atom, Atom::Read(_));
    let all = lefts.iter().enumerate();
    let pairs = all.flat_map(|one| rights.iter().enumerate().map(move |other| (one, other)));
    for ((one, of_left), (other, of_right)) in pairs {
        let varies = of_left != of_right && !(is_constant(of_left) && is_constant(of_right));
        if varies || (one, other) == (0, 0) {
            continue;
        }
        let chosen = [
            left.map(|hole| &hole.chosen[one]),
            right.map(|hole| &hole.chosen[other]),
        ];
        let not: Vec<Bool> = chosen.into_iter().flatten().map(Bool::not).collect();
        solver.assert(Bool::or(&not));
    }
}

/// What is inserted has types that fit, and names that are known there.
fn well_typed(hole: &InsertedHole, routine: &Routine, space: &Space, solver: &Solver) {
    let of = &space.insertions;
    let any = |all: Vec<&Bool>| Bool::or(&all);
    for (target, (_, ty)) in hole.target.chosen.iter().zip(&of.targets) {
        let fitting = hole.value.chosen.iter().zip(&of.values);
        let fitting = fitting.filter(|(_, (_, other))| other == ty);
        solver.assert(target.implies(any(fitting.map(|(value, _)| value).collect())));
    }
    for (slot, id) in hole.slot.chosen.iter().zip(&of.slots) {
        let scope = &routine.slots[*id].scope;
        let targets = hole.target.chosen.iter().zip(&of.targets);
        let known = targets.filter(|(_, (path, _))| scope.contains(&path.base));
        solver.assert(slot.implies(any(known.map(|(target, _)| target).collect())));
        let values = hole.value.chosen.iter().zip(&of.values);
        let known = values.filter(|(_, (atom, _))| match atom {
            Atom::Read(path) => scope.contains(&path.base),
            Atom::Null | Atom::Number(_) => true,
        });
        solver.assert(slot.implies(any(known.map(|(value, _)| value).collect())));
    }
}
