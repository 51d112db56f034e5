//! What a candidate must explain: typed terms, their values in each context, and the outcome the
//! condition must have there (papers/nopol.txt §3.3). Knows nothing of files, processes, syntax
//! or solvers.

pub mod access;
pub mod expr;
pub mod value;

use typed_index_collections::TiVec;

pub use access::{Access, Outline, Query, glance};
pub use expr::{Expr, TermId};
pub use value::{ArithOp, CmpOp, Int, IntType, Type, Value};

/// Where a term comes from; earlier ones make better conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// An operand of the old condition, or that whole condition.
    Old,
    /// A local variable or parameter.
    Variable,
    /// A field of a variable.
    Field,
    /// A state query: `len`, `is_empty`, `is_some`, … (§3.3.3), or a payload behind one.
    Query,
    /// −1, 0 or 1, `true` or `false` of the paper's first strategy for constants (§3.3.1).
    Constant,
    /// A constant with a name.
    Named,
    /// A literal of the enclosing function.
    FunctionLiteral,
    /// An expression that is computed nearby.
    Harvested,
    /// A call, or a comparison of values that are no scalars, as a whole.
    Call,
    /// A literal of the enclosing file.
    FileLiteral,
    /// A number, character or text that was seen there and separates the outcomes.
    Seen,
}

/// How tightly a term holds together when it becomes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    Or,
    And,
    Compare,
    /// `|`, `^`, `&`, `<<`: binds tighter than a comparison, looser than arithmetic.
    Bits,
    Add,
    Mul,
    Cast,
    Unary,
    /// A name, literal, call, field, index or parenthesised expression.
    Atom,
}

/// A leaf of synthesized expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it reads; unique together with the type.
    pub access: Access,
    pub ty: Type,
    pub origin: Origin,
    pub binding: Binding,
    /// The value where it is the same in every context by its nature (a literal).
    pub constant: Option<Value>,
    /// How its negation is written where that is not with `!`: `a != b` for `a == b`.
    pub negation: Option<Access>,
    /// For a value that was seen: the terms that it was seen in or between whose values it lies.
    /// It is compared with these only.
    pub seen_in: Vec<TermId>,
    /// What it computes, where that can be said in other terms: `a - b` for a term read as a whole.
    pub definition: Option<Expr>,
    pub reading: Reading,
}

/// How a term's value comes of what was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// It is what was read.
    #[default]
    Exact,
    /// A string of C, which is read under its text in quotes; the text alone means the pointer.
    Quoted,
    /// It is promoted, as every operand of C of a type narrower than `int`.
    Promoted,
    /// The same of a character: it is compared with characters.
    Character,
    /// A number that only says yes or no: it is asked for its truth, and compared with others of its kind.
    Flag,
    /// It is converted because the other operand has this type, or because truth is asked for, as C does.
    Converted,
}

impl Term {
    /// A term that was read as it is.
    pub fn new(access: Access, ty: Type, origin: Origin) -> Self {
        Self {
            access,
            ty,
            origin,
            binding: Binding::Atom,
            constant: None,
            negation: None,
            seen_in: Vec::new(),
            definition: None,
            reading: Reading::Exact,
        }
    }

    /// Whether it has its type by itself, and not only beside another operand.
    pub fn is_typed(&self) -> bool {
        self.constant.is_none() && self.reading != Reading::Converted
    }
}

/// The leaves available at one site. Rows hold their values in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    pub terms: TiVec<TermId, Term>,
}

impl Pool {
    /// Whether two terms may be compared: a value that was seen only with where it was seen.
    pub fn go_together(&self, a: TermId, b: TermId) -> bool {
        let goes = |one: TermId, other: TermId| {
            let seen_in = &self.terms[one].seen_in;
            seen_in.is_empty() || seen_in.contains(&other)
        };
        goes(a, b) && goes(b, a) && self.have_type(&[a, b])
    }

    /// Whether operands have their type by what is written: one has it by itself, if any is converted.
    pub fn have_type(&self, operands: &[TermId]) -> bool {
        let mut terms = operands.iter().map(|term| &self.terms[*term]);
        let is_converted =
            |term: &Term| term.reading == Reading::Converted && term.ty != Type::Bool;
        !terms.clone().any(is_converted) || terms.any(Term::is_typed)
    }
}

/// One (context, expected outcome) pair: `C_{l,m,n}` and `O_{l,m,n}` of §3.3, deduplicated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Value of each term of the pool; `None` is undefined.
    pub values: TiVec<TermId, Option<Value>>,
    /// What the condition must yield here.
    pub expected: bool,
    /// Rows of failing tests must be satisfied; rows of passing tests only rank, for the suite
    /// itself decides about those.
    pub hard: bool,
    /// How many (test, evaluation) pairs stand behind a row. A row of weight 0 constrains nothing:
    /// it only shows which values occur.
    pub weight: u32,
}

impl Row {
    /// Whether a candidate is held against this row.
    pub fn constrains(&self) -> bool {
        self.hard || self.weight > 0
    }
}

/// The synthesis problem of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    pub rows: Vec<Row>,
    /// Groups of rows of which at least one each must have its outcome: where a failing test
    /// passes because a condition has one value throughout, some evaluation must change, but not
    /// every one.
    pub any_of: Vec<Vec<usize>>,
    /// The old condition, as far as it can be told in terms; `None` at a statement site.
    pub old: Option<Expr>,
    /// The old condition has side effects: a candidate must evaluate it exactly once and first,
    /// so it may only be `old && X`, `old || X` or `!old`, where `old` is then a single term.
    pub old_is_impure: bool,
}

impl Spec {
    /// Whether every row, or every hard row, expects the same outcome; such a spec is explained
    /// by a constant and by little else.
    pub fn is_one_sided(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.expected == self.rows[0].expected)
    }
}
