//! Changes of a routine, and the routine with them.

use super::ir::{Atom, Insertion, Instruction, Routine, StatementId};
use nopol_scalar::CmpOp;

/// A change of a routine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// Another leaf.
    Leaf {
        /// The statement.
        statement: StatementId,
        /// The number of the leaf.
        leaf: usize,
        /// The replacement.
        atom: Atom,
    },
    /// Another comparison.
    Comparison {
        /// The statement.
        statement: StatementId,
        /// The number of the comparison.
        number: usize,
        /// How it compares instead.
        comparison: CmpOp,
    },
    /// A statement that is removed: its guard is false.
    Skip(StatementId),
    /// A statement more.
    Insert(Insertion),
}

impl Change {
    /// The statement that is changed; none if one is inserted.
    pub const fn statement(&self) -> Option<StatementId> {
        match self {
            Self::Leaf { statement, .. }
            | Self::Comparison { statement, .. }
            | Self::Skip(statement) => Some(*statement),
            Self::Insert(_) => None,
        }
    }
}

/// The routine with these changes. Those that it has no place for are left out.
pub fn patched(routine: &Routine, changes: &[Change]) -> Routine {
    let mut patched = routine.clone();
    for change in changes {
        change.apply(&mut patched);
    }
    patched
}

/// How to take a change back.
#[derive(Clone, Debug)]
pub enum Undo {
    /// Changes it once more.
    Change(Change),
    /// Puts these instructions back.
    Code(Vec<(usize, Instruction)>),
    /// Removes the last insertion.
    Insertion,
}

impl Change {
    /// Changes a routine in place, which is much cheaper than to copy it.
    pub fn apply(&self, routine: &mut Routine) -> Undo {
        match self {
            Self::Leaf {
                statement,
                leaf: number,
                atom,
            } => {
                let of = routine.statements.get_mut(*statement);
                let leaf = of.and_then(|statement| statement.leaves.get_mut(*number));
                Undo::Change(Self::Leaf {
                    statement: *statement,
                    leaf: *number,
                    atom: leaf.map_or_else(
                        || atom.clone(),
                        |leaf| std::mem::replace(&mut leaf.atom, atom.clone()),
                    ),
                })
            }
            Self::Comparison {
                statement,
                number,
                comparison,
            } => {
                let of = routine.statements.get_mut(*statement);
                let compared = of.and_then(|statement| statement.comparisons.get_mut(*number));
                Undo::Change(Self::Comparison {
                    statement: *statement,
                    number: *number,
                    comparison: compared.map_or(*comparison, |compared| {
                        std::mem::replace(&mut compared.comparison, *comparison)
                    }),
                })
            }
            Self::Skip(skipped) => {
                let code = routine.code.iter_mut().enumerate();
                let skipped = code.filter_map(|(at, instruction)| {
                    let is_skipped = matches!(instruction,
                        Instruction::Assign(statement, _) | Instruction::Free(statement, _)
                        if statement == skipped);
                    let jump = Instruction::Jump(at + 1);
                    is_skipped.then(|| (at, std::mem::replace(instruction, jump)))
                });
                Undo::Code(skipped.collect())
            }
            Self::Insert(insertion) => {
                routine.insertions.push(insertion.clone());
                Undo::Insertion
            }
        }
    }
}

impl Undo {
    /// Takes the last change of a routine back.
    pub fn apply(self, routine: &mut Routine) {
        match self {
            Self::Change(change) => {
                change.apply(routine);
            }
            Self::Code(code) => {
                for (at, instruction) in code {
                    routine.code[at] = instruction;
                }
            }
            Self::Insertion => {
                routine.insertions.pop();
            }
        }
    }
}
