//! Specifications of conditions: typed terms, their values in each context, and the outcome expected
//! there (the Nopol paper, §3.3). Independent of files, processes, syntax and solvers.

pub mod access;
pub mod expr;
pub mod value;

use std::sync::Arc;

use typed_index_collections::TiVec;

pub use access::{Access, Outline, Query, glance};
pub use expr::{ArithFailure, Expr, TermId};
pub use nopol_scalar::{ArithOp, Binding, CmpOp, Int, IntType};
pub use value::{Type, Value};

/// Where a term comes from. Terms of earlier origins make better conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// An operand of the original condition, or the whole original condition.
    Old,
    /// A local variable or parameter.
    Variable,
    /// A field of a variable.
    Field,
    /// A state query: `len`, `is_empty`, `is_some`, … (§3.3.3), or a payload behind one.
    Query,
    /// −1, 0, 1, `true` or `false`: the paper's first strategy for constants (§3.3.1).
    Constant,
    /// A named constant.
    Named,
    /// A literal of the enclosing function.
    FunctionLiteral,
    /// An expression computed nearby.
    Harvested,
    /// A call, or a whole comparison of values that are not scalars.
    Call,
    /// A question to a value of the standard library that nothing nearby asks.
    Guessed,
    /// A literal of the enclosing file.
    FileLiteral,
    /// A mined constant: a number, character or text from recorded contexts that separates the outcomes.
    Mined,
}

/// A leaf of synthesized expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What it reads. No two terms have the same access and type.
    pub access: Access,
    /// Type of the term as an operand.
    pub ty: Type,
    /// Where it comes from.
    pub origin: Origin,
    /// Its precedence.
    pub binding: Binding,
    /// Its value, if it is a literal or a named constant.
    pub constant: Option<Value>,
    /// Its negation, where that is not written with `!`: `a != b` for `a == b`.
    pub negation: Option<Access>,
    /// For a mined constant: the terms that had this value, or had values on both sides of it. It is
    /// compared with these terms only.
    pub mined_from: Vec<TermId>,
    /// The same value in other terms, if they can express it: `a - b` for a term read as a whole.
    pub definition: Option<Expr>,
    /// How its value follows from the recorded value.
    pub reading: Reading,
    /// The parameter of the function that it begins with, by position, `self` first: people compare the first with the
    /// second.
    pub parameter: Option<usize>,
}

/// How a term's value follows from the recorded value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The recorded value itself.
    #[default]
    Exact,
    /// The contents of a C string, whereas the term itself is written as the pointer.
    Quoted,
    /// Promoted to `int`, as C promotes every operand of a narrower type.
    Promoted,
    /// As `Promoted`, of a character. It is compared with characters.
    Character,
    /// A number used as a boolean. It is tested for truth, and compared with other flags.
    Flag,
    /// What `strcmp` and its kin return: a number of which only the sign means anything. It is compared with 0.
    Sign,
    /// Converted as in C: to the type of the other operand, or to a truth value.
    Converted,
    /// Whether a pointer is not null, whereas the term itself is written as the pointer. It is a clause, and is
    /// not compared with anything.
    Presence(NullTest),
    /// Whether a text has another one in this part, whereas the term itself is written as that question.
    Asked(TextPart),
}

/// How a file asks whether a pointer `p` is not null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NullTest {
    /// `p`, and `!p` for the opposite.
    #[default]
    Truth,
    /// `p != NULL`.
    Null,
    /// `p != 0`.
    Zero,
}

/// Where a text may have another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextPart {
    /// At its start.
    Start,
    /// At its end.
    End,
    /// Anywhere.
    Anywhere,
}

impl TextPart {
    /// Whether the text has the other one there.
    pub fn has(self, text: &str, other: &str) -> bool {
        match self {
            Self::Start => text.starts_with(other),
            Self::End => text.ends_with(other),
            Self::Anywhere => text.contains(other),
        }
    }

    /// The method of Rust that asks for it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Start => "starts_with",
            Self::End => "ends_with",
            Self::Anywhere => "contains",
        }
    }
}

impl Term {
    /// A term whose value is the recorded value.
    pub fn new(access: Access, ty: Type, origin: Origin) -> Self {
        Self {
            access,
            ty,
            origin,
            binding: Binding::Atom,
            constant: None,
            negation: None,
            mined_from: Vec::new(),
            definition: None,
            reading: Reading::Exact,
            parameter: None,
        }
    }

    /// Whether it stands for a pointer that is not null.
    pub fn is_presence(&self) -> bool {
        matches!(self.reading, Reading::Presence(_))
    }

    /// Whether it is the literal 0.
    fn is_zero(&self) -> bool {
        matches!(&self.constant, Some(Value::Int(_, value)) if *value == Int::from_i128(0))
    }

    /// Whether it has its type independently of the other operand.
    pub fn is_typed(&self) -> bool {
        self.constant.is_none() && self.reading != Reading::Converted
    }
}

/// The leaves available at one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// The terms, in the order of the values in rows.
    pub terms: TiVec<TermId, Term>,
}

impl Pool {
    /// Whether two terms may be compared. A mined constant is compared only with the terms it was mined
    /// from.
    pub fn may_compare(&self, a: TermId, b: TermId) -> bool {
        let allows = |one: TermId, other: TermId| {
            let Term {
                mined_from,
                reading,
                ..
            } = &self.terms[one];
            let is_sign = *reading == Reading::Sign;
            (mined_from.is_empty() || mined_from.contains(&other))
                && (!is_sign || self.terms[other].is_zero())
        };
        allows(a, b) && allows(b, a) && self.have_own_type(&[a, b])
    }

    /// Whether the written operands have their type in C: if any is converted, another one has the type
    /// itself.
    pub fn have_own_type(&self, operands: &[TermId]) -> bool {
        let mut terms = operands.iter().map(|term| &self.terms[*term]);
        let is_converted =
            |term: &Term| term.reading == Reading::Converted && term.ty != Type::Bool;
        !terms.clone().any(is_converted) || terms.any(Term::is_typed)
    }
}

/// The value of each term of a pool; `None` if undefined.
pub type Values = TiVec<TermId, Option<Value>>;

/// A context and its expected outcome, deduplicated: `C_{l,m,n}` and `O_{l,m,n}` of §3.3.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Value of each term of the pool. The rows of passing tests are in several specs of a site, with the same values.
    pub values: Arc<Values>,
    /// The outcome that the condition must have.
    pub expected: bool,
    /// Hard rows, of failing tests, must be satisfied. Soft rows, of passing tests, only affect the
    /// ranking, because the test suite itself decides about them.
    pub hard: bool,
    /// Number of (test, evaluation) pairs with this row. A soft row of weight 0 constrains nothing: it
    /// shows which values occur.
    pub weight: u32,
}

impl Row {
    /// The values, to be changed in this row only.
    pub fn values_mut(&mut self) -> &mut Values {
        Arc::make_mut(&mut self.values)
    }

    /// Whether candidates are checked against this row.
    pub fn constrains(&self) -> bool {
        self.hard || self.weight > 0
    }
}

/// The synthesis problem of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// The contexts with their expected outcomes.
    pub rows: Vec<Row>,
    /// Groups of rows, as indices. At least one row of each group must have its expected outcome: if a
    /// constant condition makes a failing test pass, some evaluation must change, but not every one.
    pub any_of: Vec<Vec<usize>>,
    /// The original condition over the terms; `None` at a statement site.
    pub old: Option<Expr>,
    /// The original condition has side effects. A candidate must evaluate it exactly once and first, so
    /// it can only be `old && X`, `old || X` or `!old`, where `old` is a single term.
    pub old_is_impure: bool,
}

impl Spec {
    /// Whether every row expects the same outcome, so that a constant explains the spec.
    pub fn is_one_sided(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.expected == self.rows[0].expected)
    }
}
