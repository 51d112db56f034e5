//! Puts faults into routines as section 7.1 of Wolverine2 says: a variable of an expression, or a field, is replaced by another
//! one, and statements are removed. For benchmarks and tests.

use super::ir::{Atom, Path, Removal, Routine, StatementId};
use super::patch::{Change, patched};
use super::space::Space;

/// A row of numbers that is the same for the same seed.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// Begins with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below this one.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let most = u64::try_from(most.max(1)).unwrap_or(u64::MAX);
        usize::try_from((self.0 >> 11) % most).unwrap_or(0)
    }
}

/// All mutations: of each leaf of an expression, another variable or another field.
pub fn mutations(routine: &Routine) -> Vec<Change> {
    let mut all = Vec::new();
    for (statement, of) in routine.statements.iter_enumerated() {
        if of.is_locked {
            continue;
        }
        for (number, leaf) in of.leaves.iter().enumerate() {
            let (Atom::Read(path), Some(_)) = (&leaf.atom, leaf.span) else {
                continue;
            };
            let mut others: Vec<Path> = Vec::new();
            for base in &of.scope {
                others.push(Path {
                    base: *base,
                    fields: path.fields.clone(),
                });
            }
            let most = routine
                .records
                .iter()
                .map(|record| record.fields.len())
                .max();
            for at in 0..path.fields.len() {
                for field in 0..most.unwrap_or(0) {
                    let mut other = path.clone();
                    other.fields[at] = field;
                    others.push(other);
                }
            }
            for other in others {
                if other != *path && routine.type_of(&other) == Some(leaf.ty) {
                    all.push(Change::Leaf {
                        statement,
                        leaf: number,
                        atom: Atom::Read(other),
                    });
                }
            }
        }
    }
    all
}

/// All statements that can be removed and synthesized again.
pub fn deletions(routine: &Routine) -> Vec<StatementId> {
    let statements = routine.statements.iter_enumerated();
    let found = statements.filter(|(id, statement)| {
        let [target, value] = statement.leaves.as_slice() else {
            return false;
        };
        let is_plain = statement.removal != Removal::No && !statement.is_locked;
        let Atom::Read(path) = &target.atom else {
            return false;
        };
        let without = patched(routine, &[Change::Skip(*id)]);
        let insertions = Space::whole(&without).insertions;
        is_plain
            && target.span.is_some()
            && value.span.is_some()
            && insertions.targets.iter().any(|(other, _)| other == path)
            && insertions
                .values
                .iter()
                .any(|(other, _)| *other == value.atom)
    });
    found.map(|(id, _)| id).collect()
}

/// So many mutations and so many deletions, drawn at random, no two in one statement.
pub fn faults(
    draw: &mut Draw,
    mutations: &[Change],
    deletions: &[StatementId],
    (mutated, deleted): (usize, usize),
) -> Vec<Change> {
    let mut faults: Vec<Change> = Vec::new();
    let is_free = |faults: &[Change], statement: Option<StatementId>| {
        faults.iter().all(|fault| fault.statement() != statement)
    };
    for _ in 0..100 {
        if faults.len() == mutated || mutations.is_empty() {
            break;
        }
        let fault = &mutations[draw.below(mutations.len())];
        if is_free(&faults, fault.statement()) {
            faults.push(fault.clone());
        }
    }
    for _ in 0..100 {
        if faults.len() >= mutated + deleted || deletions.is_empty() {
            break;
        }
        let statement = deletions[draw.below(deletions.len())];
        if is_free(&faults, Some(statement)) {
            faults.push(Change::Skip(statement));
        }
    }
    faults
}
