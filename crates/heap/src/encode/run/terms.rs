//! What is evaluated in a run: conditions, terms, paths and new nodes. The conditions under which nothing faults are required
//! along the way.

use nopol_program::ir::RecordId;
use nopol_scalar::CmpOp;

use super::{Locations, MOST_CASES, Node, Run, TooLarge, fitted};
use crate::encode::cases::Cases;
use crate::encode::guard::Guard;
use crate::ir::{Atom, Condition, Filling, Path, StatementId, Term, Type};
use crate::machine::arithmetic;
use crate::memory::Entity;
use crate::state::{NodeId, Value};

impl Run<'_> {
    pub(super) fn condition(
        &mut self,
        statement: StatementId,
        condition: &Condition,
        live: &Guard,
    ) -> Result<Guard, TooLarge> {
        Ok(match condition {
            Condition::Constant(holds) => Guard::known(*holds),
            Condition::Not(inner) => self.condition(statement, inner, live)?.not(),
            Condition::And(first, second) => {
                let first = self.condition(statement, first, live)?;
                let second = self.condition(statement, second, &live.and(&first))?;
                first.and(&second)
            }
            Condition::Or(first, second) => {
                let first = self.condition(statement, first, live)?;
                let second = self.condition(statement, second, &live.and(&first.not()))?;
                first.or(&second)
            }
            Condition::Compare {
                number,
                left,
                right,
            } => {
                let left = self.term(statement, left, live)?;
                let right = self.term(statement, right, live)?;
                self.spend(left.len() * right.len())?;
                self.compare(statement, *number, &left, &right, live)
            }
        })
    }

    fn compare(
        &mut self,
        statement: StatementId,
        number: usize,
        left: &Cases,
        right: &Cases,
        live: &Guard,
    ) -> Guard {
        let (holes, space) = (self.holes, self.space);
        let choices: Vec<(CmpOp, Guard)> =
            match holes.statements[statement].comparisons.get(&number) {
                Some(hole) => {
                    let all = &space.statements[statement].comparisons[number];
                    let all = all.iter().enumerate();
                    all.map(|(at, comparison)| (*comparison, hole.is(at)))
                        .collect()
                }
                None => {
                    let compared = self.routine.statements[statement].comparisons[number];
                    vec![(compared.comparison, Guard::Always)]
                }
            };
        let mut holds = Guard::Never;
        for (one, when) in left.iter() {
            for (other, also) in right.iter() {
                let both = when.and(also);
                if *one == Value::Unknown || *other == Value::Unknown {
                    self.require(live.and(&both).not());
                    continue;
                }
                let ordering = one.cmp(other);
                for (comparison, chosen) in &choices {
                    if comparison.holds(Some(ordering)) {
                        holds = holds.or(&both.and(chosen));
                    }
                }
            }
        }
        holds
    }

    pub(super) fn term(
        &mut self,
        statement: StatementId,
        term: &Term,
        live: &Guard,
    ) -> Result<Cases, TooLarge> {
        Ok(match term {
            Term::Leaf(leaf) => self.leaf(statement, *leaf, live),
            Term::Implied(atom) => self.atom(atom, live),
            Term::Fresh(record, filling) => self.allocate(*record, *filling, live),
            Term::Convert(scalar, inner) => {
                let inner = self.term(statement, inner, live)?;
                fitted(&inner, Type::Number(*scalar))
            }
            Term::Arithmetic(op, overflow, scalar, left, right) => {
                let left = self.term(statement, left, live)?;
                let right = self.term(statement, right, live)?;
                self.spend(left.len() * right.len())?;
                let mut result = Cases::none();
                for (one, when) in left.iter() {
                    for (other, also) in right.iter() {
                        let both = when.and(also);
                        match arithmetic((*op, *overflow), *scalar, *one, *other) {
                            Ok(value) => result.add(value, &both),
                            Err(_) => self.require(live.and(&both).not()),
                        }
                    }
                }
                if result.len() > MOST_CASES {
                    return Err(TooLarge);
                }
                result
            }
            Term::Choose(condition, then, otherwise) => {
                let holds = self.condition(statement, condition, live)?;
                let then = self.term(statement, then, &live.and(&holds))?;
                let otherwise = self.term(statement, otherwise, &live.and(&holds.not()))?;
                Cases::choose(&holds, &then, &otherwise)
            }
        })
    }

    pub(super) fn leaf(&mut self, statement: StatementId, leaf: usize, live: &Guard) -> Cases {
        let (holes, space, routine) = (self.holes, self.space, self.routine);
        let Some(hole) = holes.statements[statement].leaves.get(&leaf) else {
            let leaf = &routine.statements[statement].leaves[leaf];
            return fitted(&self.atom(&leaf.atom, live), leaf.ty);
        };
        let mut cases = Cases::none();
        for (number, atom) in space.statements[statement].leaves[leaf].iter().enumerate() {
            let chosen = hole.is(number);
            let value = self.atom(atom, &live.and(&chosen));
            cases.add_all(&value, &chosen);
        }
        fitted(&cases, routine.statements[statement].leaves[leaf].ty)
    }

    pub(super) fn atom(&mut self, atom: &Atom, live: &Guard) -> Cases {
        match atom {
            Atom::Null => Cases::known(Value::Null),
            Atom::Number(number) => Cases::known(Value::Number(*number)),
            Atom::Read(path) => {
                let locations = self.locate(path, live);
                if let [(entity, Guard::Always)] = locations.as_slice() {
                    return self.get(*entity);
                }
                let mut cases = Cases::none();
                for (entity, when) in locations {
                    let held = self.get(entity);
                    self.work = self.work.saturating_sub(held.len());
                    cases.add_all(&held, &when);
                }
                cases
            }
        }
    }

    pub(super) fn get(&self, entity: Entity) -> Cases {
        match entity {
            Entity::Variable(variable) => self.variables[variable].clone(),
            // Of nodes of unknown structures nothing is known.
            Entity::Field(node, field) => self.nodes[node.0 as usize]
                .fields
                .get(field)
                .cloned()
                .unwrap_or_else(|| Cases::known(Value::Unknown)),
            Entity::Freed(_) => Cases::none(),
        }
    }

    /// What a path leads to. That nothing else is followed than nodes is required.
    pub(super) fn locate(&mut self, path: &Path, live: &Guard) -> Locations {
        let mut locations: Locations = vec![(Entity::Variable(path.base), Guard::Always)];
        let mut ty = self.routine.variables[path.base].ty;
        for field in &path.fields {
            let Type::Pointer(record) = ty else {
                return Vec::new();
            };
            let mut next: Locations = Vec::new();
            for (entity, when) in &locations {
                let held = self.get(*entity);
                self.work = self.work.saturating_sub(held.len());
                for (value, also) in held.iter() {
                    let both = when.and(also);
                    let node = match value {
                        Value::Node(node) => self.nodes.get(node.0 as usize).map(|of| (*node, of)),
                        _ => None,
                    };
                    let Some((id, of)) = node.filter(|(_, of)| of.record == record) else {
                        self.require(live.and(&both).not());
                        continue;
                    };
                    let freed = live.and(&both).and(&of.is_freed);
                    let entity = Entity::Field(id, *field);
                    match next.iter_mut().find(|(other, _)| *other == entity) {
                        Some((_, guard)) => *guard = guard.or(&both),
                        None => next.push((entity, both)),
                    }
                    self.require(freed.not());
                }
            }
            locations = next;
            match self.routine.field_type(record, *field) {
                Some(next) => ty = next,
                None => return Vec::new(),
            }
        }
        locations
    }

    /// A new node: the next one, whichever that is after what was allocated before.
    pub(super) fn allocate(&mut self, record: RecordId, filling: Filling, live: &Guard) -> Cases {
        let mut fresh = Cases::none();
        let mut counts: Vec<(u32, Guard)> = Vec::new();
        let mut count = |number: u32, when: Guard| {
            if when.is_never() {
                return;
            }
            match counts.iter_mut().find(|(other, _)| *other == number) {
                Some((_, guard)) => *guard = guard.or(&when),
                None => counts.push((number, when)),
            }
        };
        for (before, when) in std::mem::take(&mut self.counts) {
            count(before + 1, when.and(live));
            count(before, when.and(&live.not()));
            fresh.add(Value::Node(NodeId(before)), &when);
            while self.nodes.len() <= before as usize {
                let node = self.unused(record, filling);
                self.nodes.push(node);
            }
        }
        self.counts = counts;
        fresh
    }

    /// A node to which nothing points yet.
    pub(super) fn unused(&self, record: RecordId, filling: Filling) -> Node {
        let fields = 0..self.routine.records[record].fields.len();
        let fields = fields.map(|field| {
            let value = match (filling, self.routine.field_type(record, field)) {
                (Filling::Zero, Some(Type::Pointer(_))) => Value::Null,
                (Filling::Zero, Some(Type::Number(_))) => Value::Number(0),
                _ => Value::Unknown,
            };
            Cases::known(value)
        });
        Node {
            record,
            fields: fields.collect(),
            is_freed: Guard::Never,
            is_fixed: false,
        }
    }
}
