//! Changes of a routine, and the routine with them.

use super::ir::{Atom, Comparison, Insertion, Instruction, Routine, StatementId};

/// A change of a routine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// Another leaf.
    Leaf {
        /// The statement.
        statement: StatementId,
        /// The number of the leaf.
        leaf: usize,
        /// What is there instead.
        atom: Atom,
    },
    /// Another comparison.
    Comparison {
        /// The statement.
        statement: StatementId,
        /// The number of the comparison.
        number: usize,
        /// How it compares instead.
        comparison: Comparison,
    },
    /// A statement that is left out: its guard is false.
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
        match change {
            Change::Leaf {
                statement,
                leaf,
                atom,
            } => {
                let statement = patched.statements.get_mut(*statement);
                if let Some(leaf) = statement.and_then(|statement| statement.leaves.get_mut(*leaf))
                {
                    leaf.atom = atom.clone();
                }
            }
            Change::Comparison {
                statement,
                number,
                comparison,
            } => {
                let statement = patched.statements.get_mut(*statement);
                if let Some(compared) =
                    statement.and_then(|statement| statement.comparisons.get_mut(*number))
                {
                    compared.comparison = *comparison;
                }
            }
            Change::Skip(skipped) => {
                for (at, instruction) in patched.code.iter_mut().enumerate() {
                    let is_skipped = matches!(instruction,
                        Instruction::Assign(statement, _) | Instruction::Free(statement, _)
                        if statement == skipped);
                    if is_skipped {
                        *instruction = Instruction::Jump(at + 1);
                    }
                }
            }
            Change::Insert(insertion) => patched.insertions.push(insertion.clone()),
        }
    }
    patched
}
