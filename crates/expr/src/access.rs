//! Accesses: what a term reads, as a tree. Captures build the trees, and only the renderer
//! ([`nopol_source::write`]) turns them into text.
//!
//! A tree represents the text including its parentheses, so two trees are equal exactly if their texts are.
//! Parsing and the spelling of steps are left to `source/rust/access.rs` and `source/c/access.rs`.

mod outline;

use nopol_scalar::{ArithOp, BinaryOp, CmpOp, LogicalOp};

pub use outline::{Outline, Token, glance};

/// A state query (the Nopol paper, §3.3.3): a method without arguments whose meaning is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Query {
    /// The number of elements, or of bytes of a string.
    Len,
    /// Whether the length is 0.
    IsEmpty,
    /// Whether an `Option` is `Some`.
    IsSome,
    /// Whether an `Option` is `None`.
    IsNone,
    /// Whether a `Result` is `Ok`.
    IsOk,
    /// Whether a `Result` is `Err`.
    IsErr,
    /// The number of elements a collection has allocated space for.
    Capacity,
    /// The length of a C string (`strlen`).
    StringLength,
}

impl Query {
    /// The query that always has the opposite value, if there is one.
    pub fn opposite(self) -> Option<Self> {
        Some(match self {
            Self::IsSome => Self::IsNone,
            Self::IsNone => Self::IsSome,
            Self::IsOk => Self::IsErr,
            Self::IsErr => Self::IsOk,
            _ => return None,
        })
    }
}

/// How the payload of an `Option` or `Result` is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Payload {
    /// By value.
    Moved,
    /// By shared reference.
    Borrowed,
    /// By mutable reference.
    BorrowedMutably,
}

/// How a field is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// By `.`.
    Direct,
    /// Through a C pointer, by `->`.
    Through,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prefix {
    /// The value behind a reference or pointer.
    Deref,
    /// A reference or pointer to the value.
    Reference,
    /// Logical negation; bitwise negation of Rust's integers.
    Not,
    /// Arithmetic negation.
    Minus,
    /// Bitwise negation in C.
    Complement,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Infix {
    /// A comparison.
    Compare(CmpOp),
    /// Arithmetic.
    Arith(ArithOp),
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
}

impl Infix {
    /// The operator's token.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Compare(op) => op.token(),
            Self::Arith(op) => op.token(),
            Self::And => LogicalOp::And.token(),
            Self::Or => LogicalOp::Or.token(),
            Self::BitAnd => BinaryOp::And.token(),
            Self::BitOr => BinaryOp::Or.token(),
            Self::BitXor => BinaryOp::Xor.token(),
            Self::ShiftLeft => BinaryOp::Shl.token(),
            Self::ShiftRight => BinaryOp::Shr.token(),
        }
    }
}

impl From<LogicalOp> for Infix {
    fn from(op: LogicalOp) -> Self {
        match op {
            LogicalOp::And => Self::And,
            LogicalOp::Or => Self::Or,
        }
    }
}

impl From<BinaryOp> for Infix {
    fn from(op: BinaryOp) -> Self {
        match op {
            BinaryOp::Eq => Self::Compare(CmpOp::Eq),
            BinaryOp::Ne => Self::Compare(CmpOp::Ne),
            BinaryOp::Lt => Self::Compare(CmpOp::Lt),
            BinaryOp::Le => Self::Compare(CmpOp::Le),
            BinaryOp::Gt => Self::Compare(CmpOp::Gt),
            BinaryOp::Ge => Self::Compare(CmpOp::Ge),
            BinaryOp::Add => Self::Arith(ArithOp::Add),
            BinaryOp::Sub => Self::Arith(ArithOp::Sub),
            BinaryOp::Mul => Self::Arith(ArithOp::Mul),
            BinaryOp::Div => Self::Arith(ArithOp::Div),
            BinaryOp::Rem => Self::Arith(ArithOp::Rem),
            BinaryOp::And => Self::BitAnd,
            BinaryOp::Or => Self::BitOr,
            BinaryOp::Xor => Self::BitXor,
            BinaryOp::Shl => Self::ShiftLeft,
            BinaryOp::Shr => Self::ShiftRight,
        }
    }
}

/// A literal as written, and what ranking needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// The literal as written.
    pub text: String,
    /// The number in its leading digits, if that is 0 or 1.
    pub glance: Option<u8>,
    /// Its tokens.
    pub outline: Outline,
}

/// What a term reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// A variable, or the path of a constant or function.
    Variable(String),
    /// A literal.
    Literal(Literal),
    /// A named or numbered field.
    Field(Box<Access>, Reach, String),
    /// A state query.
    Query(Box<Access>, Query),
    /// A call of any other method, with its arguments.
    Method(Box<Access>, String, Vec<Access>),
    /// A function call, with its arguments.
    Call(Box<Access>, Vec<Access>),
    /// The payload of an `Option` or `Result`.
    Payload(Box<Access>, Payload),
    /// Whether the value matches a pattern.
    Variant(Box<Access>, String),
    /// An element by its index.
    Index(Box<Access>, Box<Access>),
    /// The value cast to a type.
    Cast(Box<Access>, String),
    /// A prefix operator and its operand.
    Prefix(Prefix, Box<Access>),
    /// An infix operator and its operands.
    Infix(Infix, Box<Access>, Box<Access>),
    /// The contents of the string that a C pointer points to. It is written as the pointer.
    Contents(Box<Access>),
    /// A parenthesized access.
    Group(Box<Access>),
    /// An access with unusual white space, as written.
    Written(String, Box<Access>),
    /// Any other text, and its outline.
    Opaque(String, Outline),
}

/// Functions of C that compare, and say by a sign what they found.
const COMPARING: [&str; 6] = [
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcoll",
    "memcmp",
];

/// Whether a text is the literal of a character that is no end of a range: a letter or digit is one, and what is less than a
/// space or greater than a tilde is not printed.
pub fn is_mark(text: &str) -> bool {
    let character = text.strip_prefix('b').unwrap_or(text).strip_prefix('\'');
    let character = character.and_then(|rest| rest.strip_suffix('\''));
    let starts = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
    const ENDS: [&str; 4] = ["\\x7f", "\\0", " ", "~"];
    character.is_some_and(|it| !ENDS.contains(&it) && it.starts_with(starts))
}

impl Access {
    /// A variable by its name.
    pub fn variable(name: impl Into<String>) -> Self {
        Self::Variable(name.into())
    }

    /// A literal as written.
    pub fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Literal(Literal {
            glance: glance(&text),
            outline: Outline::of_text(&text),
            text,
        })
    }

    /// A field of the value.
    pub fn field(self, name: impl Into<String>) -> Self {
        Self::Field(Box::new(self), Reach::Direct, name.into())
    }

    /// A state query of the value.
    pub fn query(self, query: Query) -> Self {
        Self::Query(Box::new(self), query)
    }

    /// The value with a prefix operator.
    pub fn prefixed(self, prefix: Prefix) -> Self {
        Self::Prefix(prefix, Box::new(self))
    }

    /// `self op right`.
    pub fn infix(self, op: Infix, right: Self) -> Self {
        Self::Infix(op, Box::new(self), Box::new(right))
    }

    /// The tree without its white space.
    pub fn plain(&self) -> &Self {
        match self {
            Self::Written(_, tree) => tree.plain(),
            tree => tree,
        }
    }

    /// The receiver and the query, if this is a state query.
    pub fn as_query(&self) -> Option<(&Self, Query)> {
        match self.plain() {
            Self::Query(receiver, query) => Some((receiver, *query)),
            _ => None,
        }
    }

    /// The operator and the operands, if this is a comparison.
    pub fn as_comparison(&self) -> Option<(CmpOp, &Self, &Self)> {
        match self.plain() {
            Self::Infix(Infix::Compare(op), a, b) => Some((*op, a, b)),
            _ => None,
        }
    }

    /// The value and the type, if this is a cast.
    pub fn as_cast(&self) -> Option<(&Self, &str)> {
        match self.plain() {
            Self::Cast(of, ty) => Some((of, ty)),
            _ => None,
        }
    }

    /// Whether it is a literal.
    pub fn is_literal(&self) -> bool {
        matches!(self.plain(), Self::Literal(_))
    }

    /// The operand that the text of this one begins with. `None` for a name, a literal, and an access that
    /// begins with a mark.
    fn first(&self) -> Option<&Self> {
        match self {
            Self::Field(of, ..)
            | Self::Query(of, _)
            | Self::Method(of, ..)
            | Self::Call(of, _)
            | Self::Payload(of, _)
            | Self::Index(of, _)
            | Self::Cast(of, _)
            | Self::Infix(_, of, _)
            | Self::Written(_, of) => Some(of),
            _ => None,
        }
    }

    /// This access, the operand it begins with, the operand that one begins with, and so on.
    pub fn spine(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |access| access.first())
    }

    /// The place that is asked, if this asks something of one: `x` of `x.len()`, of `x == y` and of `x` itself.
    pub fn place(&self) -> &Self {
        match self.without_derefs().plain() {
            Self::Query(of, _)
            | Self::Method(of, ..)
            | Self::Payload(of, _)
            | Self::Variant(of, _)
            | Self::Cast(of, _)
            | Self::Infix(_, of, _) => of.place(),
            place => place,
        }
    }

    /// The access without leading `*`s.
    pub fn without_derefs(&self) -> &Self {
        match self.plain() {
            Self::Prefix(Prefix::Deref, inner) => inner.without_derefs(),
            _ => self,
        }
    }

    /// The name of the variable that it reads, or of which it reads a part.
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::Variable(name) => Some(name),
            Self::Prefix(Prefix::Deref, of) | Self::Variant(of, _) | Self::Contents(of) => {
                of.root()
            }
            other => other.first()?.root(),
        }
    }

    /// The names of the variables and fields that it reads, except `self`.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Variable(name) if name == "self" => Vec::new(),
            Self::Variable(name) => vec![name],
            Self::Literal(_) => Vec::new(),
            Self::Field(of, _, name) => [of.names(), vec![name]].concat(),
            Self::Method(of, _, arguments) => {
                let arguments = arguments.iter().flat_map(Self::names);
                of.names().into_iter().chain(arguments).collect()
            }
            Self::Call(_, arguments) => arguments.iter().flat_map(Self::names).collect(),
            Self::Index(of, other) | Self::Infix(_, of, other) => {
                [of.names(), other.names()].concat()
            }
            Self::Query(of, _)
            | Self::Payload(of, _)
            | Self::Variant(of, _)
            | Self::Cast(of, _)
            | Self::Prefix(_, of)
            | Self::Contents(of)
            | Self::Group(of)
            | Self::Written(_, of) => of.names(),
            Self::Opaque(text, _) => text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| word.starts_with(|first: char| first.is_alphabetic()))
                .filter(|word| *word != "self")
                .collect(),
        }
    }

    /// Whether it reads `of` or a part of it: a field, a query, a payload, or the value behind it.
    pub fn is_part_of(&self, of: &Self) -> bool {
        if self == of {
            return true;
        }
        let value = match self {
            Self::Query(string, Query::StringLength) => string,
            other => other,
        };
        let value = match value.without_derefs() {
            Self::Contents(string) => string,
            other => other,
        };
        let steps = value.spine().skip(1).zip(value.spine());
        value == of
            || steps
                .filter(|(_, step)| step.is_step())
                .any(|(inner, _)| inner == of)
    }

    /// Whether it adds one step on the right: a field, a query, a method or a payload.
    fn is_step(&self) -> bool {
        match self {
            Self::Field(_, reach, _) => *reach == Reach::Direct,
            Self::Query(_, query) => *query != Query::StringLength,
            Self::Method(..) | Self::Payload(..) => true,
            _ => false,
        }
    }

    /// The name of the last field, method, function or variable, if the text ends with it.
    pub fn last_name(&self) -> Option<&str> {
        match self.plain() {
            Self::Variable(name) => Some(name),
            Self::Call(of, arguments) if arguments.is_empty() => of.last_name(),
            other => other.last_member(),
        }
    }

    /// Whether it is the literal of a mark ([`is_mark`]).
    pub fn is_mark(&self) -> bool {
        matches!(self, Self::Literal(literal) if is_mark(&literal.text))
    }

    /// Whether it is a call of `strcmp` or one of its kin, of whose result only the sign means anything.
    pub fn is_sign(&self) -> bool {
        self.called().is_some_and(|name| COMPARING.contains(&name))
    }

    /// The name of the function that it calls, if it is a call.
    pub fn called(&self) -> Option<&str> {
        match self.plain() {
            Self::Call(of, _) => of.last_name(),
            _ => None,
        }
    }

    fn last_member(&self) -> Option<&str> {
        match self.plain() {
            Self::Field(_, _, name) => Some(name),
            Self::Method(_, name, arguments) if arguments.is_empty() => Some(name),
            Self::Call(of, arguments) if arguments.is_empty() => of.last_member(),
            Self::Prefix(_, of) | Self::Infix(_, _, of) => of.last_member(),
            _ => None,
        }
    }

    /// Number of steps: fields, methods and indices, as in its outline.
    pub fn steps(&self) -> usize {
        let all = |parts: &[Self]| parts.iter().map(Self::steps).sum::<usize>();
        match self {
            Self::Variable(_) => 0,
            Self::Literal(literal) => literal.outline.steps(),
            Self::Opaque(_, outline) => outline.steps(),
            Self::Query(of, Query::StringLength) => of.steps(),
            Self::Field(of, ..) | Self::Query(of, _) | Self::Payload(of, Payload::Moved) => {
                1 + of.steps()
            }
            Self::Payload(of, _) => 2 + of.steps(),
            Self::Method(of, _, arguments) => 1 + of.steps() + all(arguments),
            Self::Call(of, arguments) => of.steps() + all(arguments),
            Self::Index(of, index) => 1 + of.steps() + index.steps(),
            Self::Infix(_, a, b) => a.steps() + b.steps(),
            Self::Variant(of, text) | Self::Cast(of, text) => {
                of.steps() + text.matches(['.', '[']).count()
            }
            Self::Prefix(_, of) | Self::Contents(of) | Self::Group(of) | Self::Written(_, of) => {
                of.steps()
            }
        }
    }

    /// The values that are unwrapped along the spine, outermost first.
    pub fn unwrapped(&self) -> impl Iterator<Item = &Self> {
        self.without_derefs()
            .spine()
            .filter_map(|access| match access {
                Self::Payload(of, _) => Some(&**of),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Access {
        Access::variable("x")
    }

    #[test]
    fn questions_have_the_place_that_they_ask() {
        let field = x().field("f");
        let length = field.clone().query(Query::Len).prefixed(Prefix::Deref);
        assert_eq!(length.place(), &field);
        assert_eq!(field.place(), &field);
    }

    #[test]
    fn a_part_is_reached_by_steps_from_the_value() {
        let field = x().field("f");
        let behind = field.clone().query(Query::Len).prefixed(Prefix::Deref);
        assert!(behind.is_part_of(&field));
        assert!(behind.is_part_of(&x()));
        assert!(!field.is_part_of(&behind));
        let element = Access::Index(Box::new(x()), Box::new(Access::variable("i")));
        assert!(!element.is_part_of(&x()));
        assert!(element.clone().field("f").is_part_of(&element));
        let length = x().query(Query::StringLength);
        assert!(length.is_part_of(&x()));
        // `a + b.len()` is not a part of `a + b`.
        let sum = |b: Access| Access::variable("a").infix(Infix::Arith(ArithOp::Add), b);
        assert!(!sum(x().query(Query::Len)).is_part_of(&sum(x())));
        assert!(sum(x()).query(Query::Len).is_part_of(&sum(x())));
    }

    #[test]
    fn the_root_is_the_variable_that_everything_hangs_on() {
        let payload = Access::Payload(Box::new(x().field("f")), Payload::Borrowed);
        let behind = payload.prefixed(Prefix::Deref);
        assert_eq!(behind.root(), Some("x"));
        assert_eq!(behind.unwrapped().collect::<Vec<_>>(), [&x().field("f")]);
        let variant = Access::Variant(Box::new(x()), "A::B".to_owned());
        assert_eq!(variant.root(), Some("x"));
        assert_eq!(x().prefixed(Prefix::Minus).root(), None);
    }

    #[test]
    fn a_name_is_the_last_one_only_if_nothing_follows() {
        let call = |of: Access, arguments: Vec<Access>| Access::Call(Box::new(of), arguments);
        assert_eq!(call(x().field("f"), Vec::new()).last_name(), Some("f"));
        assert_eq!(call(x(), vec![x()]).last_name(), None);
        assert_eq!(x().prefixed(Prefix::Deref).last_name(), None);
        let behind = x().field("f").prefixed(Prefix::Deref);
        assert_eq!(behind.last_name(), Some("f"));
    }
}
