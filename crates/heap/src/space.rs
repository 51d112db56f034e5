//! What a repair may put in place of what: the repair space of section 7.1 of Wolverine2, from which mutations are undone.
//! A leaf is replaced by what has its type, a comparison by another one, and a statement `target = value;` is inserted.

use nopol_scalar::CmpOp;
use std::collections::BTreeSet;

use nopol_program::ir::Scalar;
use typed_index_collections::TiVec;

use super::ir::{
    Atom, Instruction, Kind, Path, Removal, Routine, Slot, SlotId, StatementId, Type, VariableId,
    fit,
};
use super::patch::Change;

/// The repair space.
#[derive(Clone, Debug)]
pub struct Space {
    /// What each statement may become.
    pub statements: TiVec<StatementId, Choices>,
    /// What may be inserted.
    pub insertions: Insertions,
}

/// What a statement may become. The first of each is what it is.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// For each leaf.
    pub leaves: Vec<Vec<Atom>>,
    /// For each comparison.
    pub comparisons: Vec<Vec<CmpOp>>,
    /// Whether it can be removed.
    pub can_skip: bool,
}

impl Choices {
    /// Whether there is a choice at all.
    pub fn is_open(&self) -> bool {
        self.can_skip
            || self.leaves.iter().any(|atoms| atoms.len() > 1)
            || self.comparisons.iter().any(|choices| choices.len() > 1)
    }
}

/// What may be inserted, and where.
#[derive(Clone, Debug, Default)]
pub struct Insertions {
    /// The slots.
    pub slots: Vec<SlotId>,
    /// What may be assigned to, with its type.
    pub targets: Vec<(Path, Type)>,
    /// What may be assigned, with its type.
    pub values: Vec<(Atom, Type)>,
}

/// What a field of an inserted path costs, in places of a list.
const PER_FIELD: usize = 10;

/// The number of fields on the longest path that is made up. Longer ones only occur where one was written.
const DEPTH: usize = 2;

impl Space {
    /// All that is possible at these statements and slots; `wanted` are numbers that the program may lack.
    pub fn new(
        routine: &Routine,
        statements: &BTreeSet<StatementId>,
        slots: &BTreeSet<SlotId>,
        wanted: &BTreeSet<i128>,
    ) -> Self {
        let mut numbers = numbers(routine);
        numbers.extend(wanted);
        let choices = routine.statements.iter_enumerated().map(|(id, statement)| {
            if statement.is_locked || !statements.contains(&id) {
                return Choices::default();
            }
            let leaves = statement.leaves.iter().enumerate().map(|(number, leaf)| {
                let mut atoms = vec![leaf.atom.clone()];
                if leaf.span.is_some() {
                    let is_target = number == 0
                        && matches!(
                            statement.kind,
                            Kind::Assignment | Kind::Initializer | Kind::Return
                        );
                    let others = others(routine, &leaf.atom, leaf.ty, &statement.scope);
                    let others = others.filter(|atom| !is_target || matches!(atom, Atom::Read(_)));
                    let others = others.filter(|atom| routine.fits(atom, leaf.access));
                    atoms.extend(others);
                    if !is_target {
                        match leaf.ty {
                            Type::Pointer(_) if routine.fits(&Atom::Null, leaf.access) => {
                                atoms.push(Atom::Null);
                            }
                            Type::Pointer(_) => {}
                            Type::Number(scalar) => atoms.extend(fitting(&numbers, scalar)),
                        }
                    }
                }
                unique(atoms)
            });
            let comparisons = statement.comparisons.iter().map(|compared| {
                // What is not written as a comparison, as in `if (n)`, can only be negated.
                let all = match compared.is_of_numbers && compared.operator.is_some() {
                    true => &CmpOp::ALL[..],
                    false => &CmpOp::ALL[..2],
                };
                // A pattern has nothing that could be another comparison.
                let is_written = compared.span.start < compared.span.end;
                let others = all
                    .iter()
                    .filter(|comparison| is_written && **comparison != compared.comparison);
                std::iter::once(&compared.comparison)
                    .chain(others)
                    .copied()
                    .collect()
            });
            Choices {
                leaves: leaves.collect(),
                comparisons: comparisons.collect(),
                can_skip: statement.removal != Removal::No,
            }
        });
        let mut statements: TiVec<StatementId, Choices> = choices.collect();
        let mut slots = slots.clone();
        for change in &routine.refused {
            match change {
                Change::Leaf {
                    statement,
                    leaf,
                    atom,
                } => {
                    if let Some(atoms) = statements[*statement].leaves.get_mut(*leaf) {
                        let own = atoms.first().cloned();
                        atoms.retain(|other| other != atom || own.as_ref() == Some(atom));
                    }
                }
                Change::Comparison {
                    statement,
                    number,
                    comparison,
                } => {
                    if let Some(all) = statements[*statement].comparisons.get_mut(*number) {
                        all.retain(|other| other != comparison);
                    }
                }
                Change::Skip(statement) => statements[*statement].can_skip = false,
                Change::Insert(insertion) => {
                    slots.remove(&insertion.slot);
                }
            }
        }
        Self {
            statements,
            insertions: insertions(routine, &slots, &numbers),
        }
    }

    /// How unlike the program changes make it: how far down they are in the lists, which begin with what is most alike, and how
    /// long the inserted paths are.
    pub fn cost(&self, changes: &[Change]) -> usize {
        let depth = |path: &Path| path.fields.len();
        let costs = changes.iter().map(|change| match change {
            Change::Leaf {
                statement,
                leaf,
                atom,
            } => {
                let atoms = self.statements[*statement].leaves[*leaf].iter();
                let alike = atoms.take_while(|other| *other != atom).count();
                alike.min(PER_FIELD * 3)
            }
            Change::Comparison { .. } => PER_FIELD / 2,
            Change::Skip(_) => PER_FIELD,
            Change::Insert(insertion) => {
                let value = match &insertion.value {
                    Atom::Read(path) => depth(path),
                    Atom::Null => 0,
                    Atom::Number(_) => 1,
                };
                PER_FIELD * (depth(&insertion.target) + value)
            }
        });
        costs.sum()
    }

    /// Leaves assignments of numbers as they are.
    pub fn close_numbers(&mut self, routine: &Routine) {
        for (id, choices) in self.statements.iter_mut_enumerated() {
            let target = routine.statements[id].leaves.first();
            let is_number = target.is_some_and(|leaf| matches!(leaf.ty, Type::Number(_)));
            let is_guard = matches!(routine.statements[id].kind, Kind::Guard | Kind::LoopGuard);
            if is_number && !is_guard {
                *choices = Choices::default();
            }
        }
        let insertions = &mut self.insertions;
        insertions
            .targets
            .retain(|(_, ty)| matches!(ty, Type::Pointer(_)));
        insertions
            .values
            .retain(|(_, ty)| matches!(ty, Type::Pointer(_)));
    }

    /// All that is possible anywhere in the routine.
    pub fn whole(routine: &Routine) -> Self {
        let statements = routine.statements.keys().collect();
        let slots = routine.slots.keys().collect();
        Self::new(routine, &statements, &slots, &BTreeSet::new())
    }
}

/// Paths of this type that may be read instead, those most alike first.
fn others<'r>(
    routine: &'r Routine,
    atom: &Atom,
    ty: Type,
    scope: &'r [VariableId],
) -> impl Iterator<Item = Atom> + use<'r> {
    let mut paths = Vec::new();
    if let Atom::Read(path) = atom {
        for base in scope {
            paths.push(Path {
                base: *base,
                fields: path.fields.clone(),
            });
        }
        for (at, _) in path.fields.iter().enumerate() {
            for field in 0..most_fields(routine) {
                let mut other = path.clone();
                other.fields[at] = field;
                paths.push(other);
            }
        }
        // A field less, a field more.
        if let [fields @ .., _] = path.fields.as_slice() {
            paths.push(Path {
                base: path.base,
                fields: fields.to_vec(),
            });
        }
        if path.fields.len() < DEPTH {
            for field in 0..most_fields(routine) {
                let mut other = path.clone();
                other.fields.push(field);
                paths.push(other);
            }
        }
    }
    paths.extend(short(routine, scope, 1));
    paths
        .into_iter()
        .filter(move |path| routine.type_of(path) == Some(ty))
        .map(Atom::Read)
}

fn most_fields(routine: &Routine) -> usize {
    let records = routine.records.iter();
    records.map(|record| record.fields.len()).max().unwrap_or(0)
}

/// All paths with at most this many fields.
fn short(routine: &Routine, scope: &[VariableId], depth: usize) -> Vec<Path> {
    let mut all: Vec<Path> = scope.iter().map(|base| Path::of(*base)).collect();
    let mut last = all.clone();
    for _ in 0..depth {
        let mut next = Vec::new();
        for path in &last {
            for field in 0..most_fields(routine) {
                let mut longer = path.clone();
                longer.fields.push(field);
                if routine.type_of(&longer).is_some() {
                    next.push(longer);
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

/// The numbers that a type can hold.
fn fitting(numbers: &BTreeSet<i128>, scalar: Scalar) -> impl Iterator<Item = Atom> + use<'_> {
    let fitting = numbers
        .iter()
        .filter(move |number| fit(scalar, **number) == **number);
    fitting.map(|number| Atom::Number(*number))
}

/// The numbers that the routine has, and the simplest ones.
fn numbers(routine: &Routine) -> BTreeSet<i128> {
    let leaves = routine
        .statements
        .iter()
        .flat_map(|statement| &statement.leaves);
    let written = leaves.filter_map(|leaf| match leaf.atom {
        Atom::Number(number) => Some(number),
        _ => None,
    });
    written.chain([0, 1]).collect()
}

fn insertions(routine: &Routine, slots: &BTreeSet<SlotId>, numbers: &BTreeSet<i128>) -> Insertions {
    let scopes = slots.iter().filter_map(|slot| routine.slots.get(*slot));
    let scope: BTreeSet<VariableId> = scopes
        .flat_map(|slot: &Slot| &slot.scope)
        .copied()
        .collect();
    let scope: Vec<VariableId> = scope.into_iter().collect();
    let typed = |path: Path| {
        let ty = routine.type_of(&path)?;
        Some((path, ty))
    };
    let written = written(routine);
    let is_usual = |path: &Path| match path.fields.as_slice() {
        // Back and forth, as in `p->next->prev`, or as it is written somewhere.
        [one, other] => one != other || written.contains(&path.fields),
        _ => true,
    };
    let targets: Vec<(Path, Type)> = short(routine, &scope, DEPTH)
        .into_iter()
        .filter(is_usual)
        .filter_map(typed)
        .collect();
    let types: BTreeSet<Type> = targets.iter().map(|(_, ty)| *ty).collect();
    let mut values: Vec<(Atom, Type)> = Vec::new();
    for (path, ty) in &targets {
        values.push((Atom::Read(path.clone()), *ty));
    }
    for ty in types {
        match ty {
            Type::Pointer(_) => values.push((Atom::Null, ty)),
            Type::Number(scalar) => {
                values.extend(fitting(numbers, scalar).map(|number| (number, ty)));
            }
        }
    }
    Insertions {
        slots: slots.iter().copied().collect(),
        targets,
        values,
    }
}

/// The fields on paths that the routine has, as rows.
fn written(routine: &Routine) -> BTreeSet<Vec<usize>> {
    let statements = routine
        .code
        .iter()
        .filter_map(|instruction| match instruction {
            Instruction::Assign(statement, _)
            | Instruction::Test(statement, ..)
            | Instruction::Head { statement, .. } => Some(*statement),
            _ => None,
        });
    let leaves = statements.flat_map(|id| &routine.statements[id].leaves);
    let paths = leaves.filter_map(|leaf| match &leaf.atom {
        Atom::Read(path) => Some(path.fields.clone()),
        _ => None,
    });
    paths.collect()
}

/// Without repetitions, in the same order.
fn unique<T: Ord + Clone>(all: Vec<T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.into_iter()
        .filter(|one| seen.insert(one.clone()))
        .collect()
}
