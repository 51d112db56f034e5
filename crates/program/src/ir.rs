//! The programs that formulas are made of: typed, with explicit conversions and with total operations, each of which
//! says when it is a fault. Front ends write them ([`super::front`]), [`super::interpret`] runs them, and
//! `nopol_formula` makes circuits of them; both give every construct the meaning written here.
//!
//! # Memory
//! A variable is an object: a row of cells. A cell holds one scalar. A structure is its fields' cells one after
//! another, an array its elements' cells, so every address is an object and the number of a cell. A variable
//! declared in a loop or called function is a new object each time.
//!
//! # Faults
//! Every operation has a value even where the program would go wrong: the fault is recorded, and the run goes on.
//! A run with a fault is a failed run. This is what makes it possible to put another value in place of an expression that
//! faults. The values: overflow wraps, `x / 0` is 0, `x % 0` is `x`, a shift by the width or more takes the amount
//! modulo the width, a read outside of an object is 0 (or null), and a write outside of one does nothing.
//!
//! # Cells without a value
//! A cell of a C variable that is not initialized, and of memory from `malloc`, has no value until it is written
//! ([`Initially::Unset`]). To use it is a fault, in every run. It may be moved: what is assigned from it by a mere `Load`, `Cast`,
//! or `Copy` has no value either. A run that continues nevertheless reads 0.

mod fault;
mod scalar;
mod test;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use camino::Utf8PathBuf;
use nopol_basics::index;
pub use nopol_scalar::{BinaryOp, LogicalOp, Overflow};
use typed_index_collections::TiVec;

pub use self::fault::FaultKind;
pub use self::scalar::Scalar;
pub use self::test::{Entry, Expected, Test};
use super::written::Written;

index! {
    /// A variable of a program, in [`Program::variables`].
    VariableId
}

index! {
    /// A function of a program, in [`Program::functions`].
    FunctionId
}

index! {
    /// A place of a program, in [`Program::places`].
    PlaceId
}

index! {
    /// A change that may be made to a program: a mutation, in `nopol_formula::mutate::Space::choices`.
    ChoiceId
}

index! {
    /// A call, branch or loop. Numbers within a program, so that runs can say where they are.
    NodeId
}

index! {
    /// A structure of a program, in [`Program::records`].
    RecordId
}

/// Most cells that a run may have at once.
pub const MOST_CELLS: u32 = 1 << 22;

/// Most cells of a local array with a computed length: more may not fit the stack of a process.
pub const MOST_ROW: u32 = 1 << 20;

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The files it was read from.
    pub files: Vec<Utf8PathBuf>,
    /// The language that they are written in.
    pub dialect: Dialect,
    /// Every variable: global, local, parameter and temporary.
    pub variables: TiVec<VariableId, Variable>,
    /// Every function with a body.
    pub functions: TiVec<FunctionId, Function>,
    /// Every statement that may be wrong.
    pub places: TiVec<PlaceId, Place>,
    /// Where a value of several cells is written as a whole, such as a structure: nothing is broken there.
    pub wholes: Vec<Place>,
    /// Where a reference is written that is no place.
    pub references: Vec<Place>,
    /// Where a value is left out that could be there, such as `None`: whether it is there may be wrong, but the value is not
    /// written.
    pub absent: Vec<Place>,
    /// Every structure that a variable is or points to, directly or through fields.
    pub records: TiVec<RecordId, Record>,
    /// Every statement and block as it is written, a block before what is in it.
    pub outline: Vec<Outlined>,
    /// What is written once and stands in several places: in the arguments of a macro that uses them twice.
    pub repeated: BTreeSet<Span>,
    /// The lists in braces that initialize variables of C: the order of their items is open (C11, 6.7.9p23).
    pub lists: BTreeSet<Span>,
    /// Every operator and constant as it is written.
    pub written: Written,
    /// Initializes the global variables; runs before each test. Globals are zero before.
    pub globals: Vec<Statement>,
    /// How many [`NodeId`]s there are.
    pub nodes: u32,
    /// The values and names of its members, for each variable of an enumeration of C.
    pub members: BTreeMap<VariableId, Vec<(i128, String)>>,
    /// The functions of C that are not among [`Program::functions`], because their heads are beyond what is modelled.
    pub unread: BTreeMap<String, Outside>,
}

impl Program {
    /// Why no run can enter a function; nothing if it can.
    pub fn opaque(&self, function: FunctionId) -> Option<&Outside> {
        match self.functions.get(function)?.body.as_slice() {
            [Statement::Opaque(outside, _)] => Some(outside),
            _ => None,
        }
    }
}

/// The language of a program, for those who write parts of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// C.
    #[default]
    C,
    /// Rust.
    Rust,
}

/// What kind of pointer something is, for those who write it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointerKind {
    /// One that is followed by an operator, and may be null: C's pointers, Rust's raw ones.
    #[default]
    Raw,
    /// One that is followed without saying so, and is never null: Rust's references.
    Reference,
    /// The same, but it owns what it points to: Rust's boxes.
    Owned,
    /// A reference, or none.
    OptionalReference,
    /// A box, or none.
    OptionalOwned,
}

impl PointerKind {
    /// Whether it may be null.
    pub const fn is_nullable(self) -> bool {
        !matches!(self, Self::Reference | Self::Owned)
    }
}

/// Where something is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The index of the file in [`Program::files`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// A statement as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// From its first byte to its semicolon or brace.
    pub span: Span,
    /// What it is.
    pub kind: OutlineKind,
}

/// What a statement is, as far as its outline goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// A block in braces.
    Block,
    /// A declaration.
    Declaration,
    /// Any other statement.
    Statement,
    /// The value of a block: nothing can come after it.
    Tail,
}

/// A structure. What points to a pointer points to a structure with one field, which is named `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// How its type is written.
    pub name: String,
    /// Its scalar fields; those of structures in it are named `outer.inner`. Arrays are left out.
    pub fields: Vec<RecordField>,
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// Its name.
    pub name: String,
    /// How many cells are before it.
    pub offset: u32,
    /// What its cell holds.
    pub scalar: Scalar,
    /// The structure that it points to.
    pub points_to: Option<RecordId>,
    /// What kind of pointer it is, if it is one.
    pub access: PointerKind,
}

/// What the cells of a variable are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Something else: numbers, arrays, pointers to numbers.
    #[default]
    Other,
    /// A pointer to a structure.
    Pointer(RecordId),
    /// A structure.
    Record(RecordId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the source; temporaries have one that no source can have.
    pub name: String,
    /// The scalar that each of its cells holds.
    pub cells: Vec<Scalar>,
    /// Which structures these are, if the front end says so.
    pub shape: Shape,
    /// What kind of pointer it is, if it is one.
    pub access: PointerKind,
    /// Whether it lives as long as the program.
    pub is_global: bool,
    /// The function that alone can name it, if it lives as long as the program: it is declared there.
    pub home: Option<FunctionId>,
    /// The block or loop that alone can name it, if the front end says so and that is not a whole function.
    pub within: Option<Span>,
    /// What its cells hold when it is declared.
    pub initially: Initially,
    /// Whether nothing may write to it once the globals are initialized: a string literal of C.
    pub is_constant: bool,
    /// Whether it points to an array of C with a computed length, which ends with it ([`Builtin::Row`]).
    pub is_row: bool,
}

/// What the cells of a new object hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Initially {
    /// Zero or null.
    #[default]
    Zero,
    /// No value: to use one is a fault.
    Unset,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters: objects of one cell each, or of as many as are passed by value.
    pub parameters: Vec<VariableId>,
    /// What it returns.
    pub result: Option<Scalar>,
    /// The structure that the result points to, if the front end says so.
    pub result_points_to: Option<RecordId>,
    /// Its body.
    pub body: Vec<Statement>,
}

/// What is computed at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// The value of an assignment or of an initializer.
    Value,
    /// The condition of a branch or of a loop.
    Condition,
    /// What a function returns.
    Return,
}

/// A statement that may be wrong: all of its instances are one soft group.
#[derive(Clone, Debug)]
pub struct Place {
    /// What is computed there.
    pub kind: PlaceKind,
    /// The function; `None` for initializers of globals.
    pub function: Option<FunctionId>,
    /// The expression.
    pub span: Span,
    /// What is assigned to, if it is written.
    pub target: Option<Span>,
    /// The first line of the statement, counted from 1.
    pub line: u32,
    /// The column of the expression, in characters, counted from 1.
    pub column: u32,
    /// The statement on one line.
    pub text: String,
    /// How many bytes of that come before the expression, if it is in there.
    pub offset: usize,
    /// How the source names values that are not numbers there, such as `true` and `None`; in C the members of an enumeration.
    pub names: Vec<(i128, String)>,
    /// Whether its values are characters: of `char`, or in C of a type like it.
    pub is_character: bool,
}

/// An expression without a place of its own.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value; of a call without a result it does not matter.
    pub ty: Scalar,
    /// Where it is written.
    pub span: Span,
}

impl Expr {
    /// Whether the source has it. An initializer's list does not have the numbers of its elements.
    pub const fn is_written(&self) -> bool {
        self.span.start != self.span.end
    }
}

/// The kinds of expressions. Operands are evaluated from left to right.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer or a bool (0 or 1).
    Constant(i128),
    /// The null pointer.
    Null,
    /// What a cell holds. A fault outside of its object, or through null.
    Load(Box<Lvalue>),
    /// The address of a cell. With a number of cells, the pointer leads to a part of its object that begins there, such as an array
    /// within a structure of C: reading or writing through it outside of this part is a fault.
    Address(Box<Lvalue>, Option<u32>),
    /// One operand of the same type.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands. Of arithmetic they have the result's type (a shift amount may have another one), of a comparison
    /// they have the same type and the result is a bool. `Eq` and `Ne` also compare pointers.
    Binary(BinaryOp, Overflow, Box<Expr>, Box<Expr>),
    /// `&&` or `||` of bools: the second operand is evaluated only if it decides.
    Logical(LogicalOp, NodeId, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`: only one of the two is evaluated.
    Conditional(NodeId, Box<Expr>, Box<Expr>, Box<Expr>),
    /// The value in another integer or bool type: truncated or extended; into bool: whether it is not 0.
    Cast(Box<Expr>),
    /// A pointer moved by a signed 64-bit number of elements of this many cells.
    Offset(Box<Expr>, Box<Expr>, u32),
    /// The signed 64-bit number of elements of this many cells between two pointers into the same object; a fault if they
    /// are not.
    Distance(Box<Expr>, Box<Expr>, u32),
    /// A call of a function of the program.
    Call(NodeId, FunctionId, Vec<Expr>),
    /// A call of something the program's language has.
    Builtin(NodeId, Builtin, Vec<Expr>),
    /// Statements, then a value.
    Block(Vec<Statement>, Box<Expr>),
    /// An expression that a choice may change. As long as none is made, it is the expression itself.
    Choice(Box<Expr>, Vec<(ChoiceId, Variant)>),
}

/// Choices that are made, with the number that each brings along; 0 for those that bring none.
pub type Made = BTreeMap<ChoiceId, i128>;

/// What a choice makes of an expression.
#[derive(Clone, Debug)]
pub enum Variant {
    /// Of a binary operation: another operator between the same operands. All of them or none give a bool.
    Operator(BinaryOp),
    /// Of a logical operation: the other connective.
    Connective,
    /// Of a logical operation: only its first operand.
    First,
    /// Of a logical operation: only its second operand.
    Second,
    /// Of a bool: its opposite.
    Opposite,
    /// Another expression of the same type, which has no effects.
    Instead(Box<Expr>),
    /// Of a number: a constant of its type that the choice brings along.
    Any,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-x`, with the given overflow.
    Neg(Overflow),
    /// `~x`, or `!x` of an integer in Rust.
    BitNot,
    /// `!x` of a bool.
    Not,
}

/// What a language brings along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// A new object; its address. It has these cells, or, given an unsigned 64-bit number, so many times these cells. More than
    /// [`MOST_CELLS`] are a fault, and null.
    Allocate(Vec<Scalar>, Initially),
    /// A local array of C with a computed length: so many times these cells, given an unsigned 64-bit number; its address. Its cells
    /// have no value. None, or more than [`MOST_ROW`], are a fault, and null.
    Row(Vec<Scalar>),
    /// The number that the string at the pointer begins with, as `atoi` reads it; 0 without one, wrapped.
    ParseInt,
    /// Reads from standard input as `scanf` does: the pointers to the targets; the number of assigned ones, or -1 at
    /// the end of the input.
    Scan(Vec<Conversion>),
    /// The next byte of standard input as an `int`, or -1.
    ReadByte,
    /// Reads up to n - 1 bytes through the end of the line into a buffer (pointer, n) and ends them with 0; whether there
    /// was anything.
    ReadLine,
    /// Writes these pieces to standard output: the values for the conversions.
    Print(Vec<Conversion>),
    /// Gives an object back. Nothing here minds if it is used afterwards.
    Free,
    /// Whether two areas of memory (pointer and unsigned 64-bit number of cells, twice) have nothing in common.
    Apart,
    /// Ends the program with this exit code. Has no value.
    Exit,
}

impl Builtin {
    /// Whether it reads standard input.
    pub fn reads_input(&self) -> bool {
        matches!(self, Self::Scan(_) | Self::ReadByte | Self::ReadLine)
    }
}

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Text as it is; when reading, it must be there.
    Text(Vec<u8>),
    /// Any white space; only when reading.
    Space,
    /// A decimal integer; when reading, into a cell of this type. Printed in at least `width` characters, padded with blanks
    /// or zeros.
    Int {
        /// The type of the value.
        ty: Scalar,
        /// The least number of characters printed.
        width: u8,
        /// Whether blanks are zeros.
        zeros: bool,
        /// Whether the blanks come after it.
        left: bool,
    },
    /// One character.
    Char,
    /// A word, when reading; a string that ends with 0, when printing.
    Str,
    /// A word of at most this many bytes; only when reading.
    Word(u8),
}

impl Conversion {
    /// What the cells hold that it reads into or prints.
    pub const fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Text(_) | Self::Space => None,
            Self::Int { ty, .. } => Some(*ty),
            Self::Char | Self::Str | Self::Word(_) => Some(Scalar::CHAR),
        }
    }
}

/// A cell that can be read and written.
#[derive(Clone, Debug)]
pub enum Lvalue {
    /// The first cell of a variable.
    Variable(VariableId),
    /// What a pointer points to.
    Deref(Expr),
    /// A cell of an array of this many elements of this many cells; outside of them is a fault. `None` if how many is unknown:
    /// then only the object's end is a fault.
    Index {
        /// The first cell of the array.
        array: Box<Lvalue>,
        /// The number of the element: a signed or unsigned integer.
        index: Expr,
        /// How many elements there are.
        length: Option<u32>,
        /// How many cells each has.
        stride: u32,
    },
    /// So many cells after the first one of a structure.
    Field(Box<Lvalue>, u32),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Makes a new object for a local variable.
    Declare(VariableId),
    /// Evaluates the value, then the target's indices and pointers, then writes. At an angelic place another value is
    /// written, at another index if the outermost part of the target is one.
    Assign {
        /// The place, unless the value cannot be wrong.
        place: Option<PlaceId>,
        /// What is written to.
        target: Lvalue,
        /// The value.
        value: Expr,
    },
    /// Copies cells.
    Copy {
        /// The first cell written.
        target: Lvalue,
        /// The first cell read.
        source: Lvalue,
        /// The type of each.
        cells: Vec<Scalar>,
        /// What is written there.
        span: Span,
    },
    /// Evaluates an expression for its effects.
    Eval(Expr),
    /// A branch.
    If {
        /// The branch.
        node: NodeId,
        /// The place of its condition.
        place: Option<PlaceId>,
        /// The condition: a bool.
        condition: Expr,
        /// What is done if it holds.
        then: Vec<Statement>,
        /// What is done if it does not.
        otherwise: Vec<Statement>,
    },
    /// A loop. Each iteration evaluates the condition (in the first one only if `tests_first`), then the body, then the update,
    /// where `continue` goes.
    Loop {
        /// The loop.
        node: NodeId,
        /// The place of its condition.
        place: Option<PlaceId>,
        /// The condition: a bool.
        condition: Expr,
        /// Whether the condition is evaluated before the first iteration.
        tests_first: bool,
        /// The body.
        body: Vec<Statement>,
        /// What is done between the iterations.
        update: Vec<Statement>,
    },
    /// A block that `Break` of its node leaves.
    Breakable(NodeId, Vec<Statement>),
    /// A block of C with variables that pointers may lead to: these variables are no more there when it is left, in whatever
    /// way.
    Scope(Vec<VariableId>, Vec<Statement>),
    /// Leaves the loop or block.
    Break(NodeId),
    /// Goes to the update of the loop.
    Continue(NodeId),
    /// Leaves the function.
    Return {
        /// The place of the value.
        place: Option<PlaceId>,
        /// The value.
        value: Option<Expr>,
    },
    /// A fault unless it holds.
    Assert(Expr, FaultKind),
    /// Ends the run as one that does not count unless it holds.
    Assume(Expr),
    /// Code that the model does not cover: a run stops there, and does not pass. The debugger, which sees what such code does, gets
    /// single statements of this kind; the other readers get whole bodies of functions.
    Opaque(Box<Outside>, Span),
}

/// Something outside of the subset that formulas are made of: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The file.
    pub file: Utf8PathBuf,
    /// The line, counted from 1.
    pub line: u32,
    /// What is there, and why it is outside: ends a sentence.
    pub reason: String,
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.reason)
    }
}

impl std::error::Error for Outside {}
