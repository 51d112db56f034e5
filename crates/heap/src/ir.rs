//! Programs as sequences of guarded statements Γ with a map Λ to the source (Wolverine2, section 3). One function is kept,
//! with all its calls inlined, as a row of instructions with jumps: a statement's guard is what must hold for control to
//! reach it. Front ends are those of [`nopol_program`]; [`super::lower`] makes this of what they read.

use nopol_scalar::CmpOp;

use std::collections::{BTreeMap, BTreeSet};

use nopol_basics::index;
use nopol_program::ir::{
    self, BinaryOp, Dialect, Outside, Overflow, PointerKind, Record, RecordId, Scalar, Span,
};
use typed_index_collections::TiVec;

use super::patch::Change;
use super::state::Value;

index! {
    /// A variable, in [`Routine::variables`].
    VariableId
}

index! {
    /// A statement, in [`Routine::statements`].
    StatementId
}

index! {
    /// A loop of a routine.
    LoopId
}

index! {
    /// A place where a statement can be inserted, in [`Routine::slots`].
    SlotId
}

/// A function, ready to be run and to be changed.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// The language that it is written in.
    pub dialect: Dialect,
    /// The structures.
    pub records: TiVec<RecordId, Record>,
    /// The variables: globals, parameters, locals, and those of called functions.
    pub variables: TiVec<VariableId, Variable>,
    /// The parameters, in order.
    pub parameters: Vec<VariableId>,
    /// What it returns, as a variable.
    pub result: Option<VariableId>,
    /// Γ: what is executed.
    pub code: Vec<Instruction>,
    /// Λ: where the statements are written.
    pub statements: TiVec<StatementId, Statement>,
    /// Where statements can be inserted.
    pub slots: TiVec<SlotId, Slot>,
    /// The statements that evaluate the loops' conditions.
    pub loops: TiVec<LoopId, StatementId>,
    /// The lines of `break`, `continue` and `return`, counted from 1, by their jumps in `code`: a debugger stops there.
    pub jumps: BTreeMap<usize, u32>,
    /// What a patch inserts, in order.
    pub insertions: Vec<Insertion>,
    /// Changes that the language does not allow.
    pub refused: Vec<Change>,
    /// The statements of which only the effect is known.
    pub concrete: Vec<Concrete>,
}

/// A statement that is not modelled: what it does is seen.
#[derive(Clone, Debug)]
pub struct Concrete {
    /// The statement.
    pub statement: StatementId,
    /// Its last line, counted from 1.
    pub last: u32,
    /// What is not modelled in it.
    pub outside: Outside,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source. Fields of variables that are structures are variables named `v.f`.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// What kind of pointer it is, if it is one.
    pub access: PointerKind,
    /// The variable that it is in the program, and the cell of it.
    pub origin: Option<(ir::VariableId, u32)>,
    /// Whether it is a global variable.
    pub is_global: bool,
    /// Whether it belongs to a called function or to the translation: states do not show it.
    pub is_hidden: bool,
}

/// What a variable or a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A number.
    Number(Scalar),
    /// A pointer to a structure.
    Pointer(RecordId),
}

impl Type {
    /// A value as this type holds it: numbers wrap, and a `bool` is 0 or 1.
    pub fn fit(self, value: Value) -> Value {
        match (value, self) {
            (Value::Number(number), Self::Number(scalar)) => Value::Number(fit(scalar, number)),
            _ => value,
        }
    }
}

/// A number as a type holds it.
pub fn fit(scalar: Scalar, number: i128) -> i128 {
    match scalar {
        Scalar::Bool => i128::from(number != 0),
        Scalar::Int(_) | Scalar::Pointer => scalar.wrap(number),
    }
}

/// A variable, or what is reached from it through fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// The variable.
    pub base: VariableId,
    /// The fields, by their numbers in their records.
    pub fields: Vec<usize>,
}

impl Path {
    /// The variable itself.
    pub const fn of(base: VariableId) -> Self {
        Self {
            base,
            fields: Vec::new(),
        }
    }
}

/// What a leaf of an expression is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The null pointer.
    Null,
    /// A number.
    Number(i128),
    /// What a path leads to.
    Read(Path),
}

/// An expression. Leaves are numbered from left to right, within a statement from its target on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A leaf: its number in the statement.
    Leaf(usize),
    /// A number or null that is not written as such, as in `if (p)`.
    Implied(Atom),
    /// A new node with unknown fields.
    Fresh(RecordId, Filling),
    /// An operator between numbers, with the type of its result and what a result that does not fit it is.
    Arithmetic(BinaryOp, Overflow, Scalar, Box<Term>, Box<Term>),
    /// A number as another type has it.
    Convert(Scalar, Box<Term>),
    /// One of two values.
    Choose(Box<Condition>, Box<Term>, Box<Term>),
}

/// What is in a new node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Nothing that is known, as after `malloc`.
    Unknown,
    /// Zeros, as after `calloc`.
    Zero,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always, or never.
    Constant(bool),
    /// A comparison: its number in the statement.
    Compare {
        /// The number of the comparison in the statement, in [`Statement::comparisons`].
        number: usize,
        /// The left side.
        left: Term,
        /// The right side.
        right: Term,
    },
    /// The opposite.
    Not(Box<Condition>),
    /// Both; the second one is evaluated only if the first one holds.
    And(Box<Condition>, Box<Condition>),
    /// One of both; the second one is evaluated only if the first one does not hold.
    Or(Box<Condition>, Box<Condition>),
}

/// What is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// The variable exists from here on, with an unknown value.
    Declare(VariableId),
    /// An assignment. Its target is leaf 0 of the statement, which is always a path.
    Assign(StatementId, Term),
    /// Empties what this leaf of the statement, which an assignment before it read: it is moved out of, as by `take()`.
    Clear(StatementId, usize),
    /// Goes on if the condition holds, and else at the other instruction, which comes later.
    Test(StatementId, Condition, usize),
    /// The condition of a loop: goes to `body` or to `exit`.
    Head {
        /// The statement whose condition it is.
        statement: StatementId,
        /// The loop.
        id: LoopId,
        /// The condition.
        condition: Condition,
        /// Where its body begins.
        body: usize,
        /// What comes after it.
        exit: usize,
    },
    /// Goes to an instruction that comes later.
    Jump(usize),
    /// Goes back to the head of a loop.
    Back(usize),
    /// Gives a node back.
    Free(StatementId, Term),
    /// Evaluates a term for its faults only, as an argument of `printf`.
    Use(StatementId, Term),
    /// Prints something: which text is not modelled.
    Print,
    /// Does what it was seen to do.
    Concrete(StatementId),
    /// Ends the program.
    Halt,
    /// A place for a statement.
    Slot(SlotId),
}

/// What a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An assignment.
    Assignment,
    /// A variable's initializer: an assignment whose target is fixed.
    Initializer,
    /// The condition of a branch.
    Guard,
    /// The condition of a loop.
    LoopGuard,
    /// What the function returns.
    Return,
    /// A call of `free` or of something that prints.
    Call,
    /// Something that is not modelled.
    Concrete,
}

/// A statement of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: Kind,
    /// The expression: what is assigned, returned or tested.
    pub span: Span,
    /// The whole statement; of a branch or a loop also what is in it.
    pub whole: Span,
    /// The line it begins in, counted from 1.
    pub line: u32,
    /// Its text on one line; of a branch or a loop its header.
    pub text: String,
    /// The leaves of its expressions.
    pub leaves: Vec<Leaf>,
    /// The comparisons in it.
    pub comparisons: Vec<Compared>,
    /// The variables that can be named there.
    pub scope: Vec<VariableId>,
    /// Whether it must stay as it is: it is in another function, or comes from a macro.
    pub is_locked: bool,
    /// What goes if it is removed.
    pub removal: Removal,
}

/// What goes from the source if a statement is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It cannot be removed: it is no assignment, or more than it would go.
    No,
    /// This text.
    Goes(Span),
    /// The statement, in whose place an empty block must be: it is the body of a branch or a loop.
    Emptied,
}

/// A leaf of a statement's expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// What it is.
    pub atom: Atom,
    /// The type of its value.
    pub ty: Type,
    /// What kind of pointer is expected, if it is one.
    pub access: PointerKind,
    /// Where it is written. `None` if it cannot be replaced.
    pub span: Option<Span>,
}

/// A comparison in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// How it compares.
    pub comparison: CmpOp,
    /// Whether numbers are compared.
    pub is_of_numbers: bool,
    /// The whole comparison.
    pub span: Span,
    /// Its operator; none if it is not written as a comparison, as in `if (p)`.
    pub operator: Option<Span>,
}

/// A place where a statement can be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The byte of the source where the text goes.
    pub at: Span,
    /// The line of the statement or brace that follows it, counted from 1.
    pub line: u32,
    /// Whether a closing brace follows.
    pub is_last: bool,
    /// The variables that can be named there.
    pub scope: Vec<VariableId>,
}

/// A statement that a patch inserts: `target = value;`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Insertion {
    /// Where.
    pub slot: SlotId,
    /// What is assigned to.
    pub target: Path,
    /// What is assigned.
    pub value: Atom,
}

impl Routine {
    /// The first of the statements that are written as one, as a call and its arguments are.
    pub fn unit(&self, id: StatementId) -> StatementId {
        let of = &self.statements[id];
        let is_guard = |kind| matches!(kind, Kind::Guard | Kind::LoopGuard);
        let found = self.statements.iter_enumerated().find(|(_, other)| {
            other.whole == of.whole
                && is_guard(other.kind) == is_guard(of.kind)
                && other.is_locked == of.is_locked
        });
        found.map_or(id, |(first, _)| first)
    }

    /// The statements of the function itself, by the first of those that are written as one.
    pub fn units(&self) -> BTreeSet<StatementId> {
        let own = self.statements.iter_enumerated();
        let own = own.filter(|(_, statement)| !statement.is_locked);
        own.map(|(id, _)| self.unit(id)).collect()
    }

    /// The type of what a path leads to. `None` if there is no such path.
    pub fn type_of(&self, path: &Path) -> Option<Type> {
        let mut ty = self.variables.get(path.base)?.ty;
        for field in &path.fields {
            let Type::Pointer(record) = ty else {
                return None;
            };
            ty = self.field_type(record, *field)?;
        }
        Some(ty)
    }

    /// The type of a field.
    pub fn field_type(&self, record: RecordId, field: usize) -> Option<Type> {
        let field = self.records.get(record)?.fields.get(field)?;
        match field.points_to {
            Some(record) => Some(Type::Pointer(record)),
            None => Some(Type::Number(field.scalar)).filter(|_| field.scalar.bits() > 0),
        }
    }
}
