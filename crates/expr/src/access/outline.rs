//! Outlines: the tokens of an access from left to right, in the detail that ranking and edits need: names
//! and numbers, the steps between them, and the ends of calls. An outline is built from the tree, or from
//! the text of an access without a tree.

use super::{Access, Infix, Payload, Prefix, Query, Reach};
use crate::{ArithOp, CmpOp};

/// A word or a mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// An identifier.
    Name(String),
    /// A number.
    Number(String),
    /// A step to a member of a value.
    Member,
    /// A step to a member through a pointer.
    Through,
    /// The start of an index.
    Index,
    /// The start of arguments or of a group.
    Open,
    /// The end of arguments or of a group.
    Close,
    /// Any other character.
    Mark(char),
}

/// The tokens of an access.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Outline(pub Vec<Token>);

impl Outline {
    /// Number of steps.
    pub fn steps(&self) -> usize {
        let is_step =
            |token: &&Token| matches!(token, Token::Member | Token::Through | Token::Index);
        self.0.iter().filter(is_step).count()
    }

    /// Whether there is a step to a field or a method.
    pub fn has_member(&self) -> bool {
        let mut tokens = self.0.iter();
        tokens.any(|token| matches!(token, Token::Member | Token::Through))
    }

    /// Whether there is a call, or a group.
    pub fn has_call(&self) -> bool {
        self.0.contains(&Token::Open)
    }

    /// Whether a call, or a group, is read last.
    pub fn ends_in_call(&self) -> bool {
        self.0.last() == Some(&Token::Close)
    }

    /// Whether it begins with a name, and no literal in quotes is in it.
    pub fn begins_with_name(&self) -> bool {
        let is_quote = |token: &Token| matches!(token, Token::Mark('\'' | '"'));
        match self.0.first() {
            Some(Token::Name(name)) => {
                name.starts_with(char::is_alphabetic) && !self.0.iter().any(is_quote)
            }
            _ => false,
        }
    }

    /// The tokens before and after the last member. A member behind a pointer takes precedence.
    pub fn around_last_member(&self) -> Option<(&[Token], &[Token])> {
        let last = |step: &Token| self.0.iter().rposition(|token| token == step);
        let at = last(&Token::Through).or_else(|| last(&Token::Member))?;
        Some((&self.0[..at], &self.0[at + 1..]))
    }

    /// The outline with all names and numbers erased.
    pub fn shape(mut self) -> Self {
        for token in &mut self.0 {
            if let Token::Name(word) | Token::Number(word) = token {
                word.clear();
            }
        }
        self
    }

    fn put(&mut self, access: &Access) {
        match access {
            Access::Variable(path) => self.path(path),
            Access::Literal(literal) => self.0.extend_from_slice(&literal.outline.0),
            Access::Opaque(_, outline) => self.0.extend_from_slice(&outline.0),
            Access::Written(_, tree) | Access::Contents(tree) => self.put(tree),
            Access::Field(of, reach, name) => {
                self.put(of);
                self.0.push(match reach {
                    Reach::Direct => Token::Member,
                    Reach::Through => Token::Through,
                });
                self.word(name);
            }
            Access::Query(of, Query::StringLength) => {
                self.word(Query::StringLength.label());
                self.arguments([&**of]);
            }
            Access::Query(of, query) => self.method(of, query.label(), &[]),
            Access::Method(of, name, arguments) => self.method(of, name, arguments),
            Access::Payload(of, payload) => {
                self.put(of);
                for name in payload.labels() {
                    self.called(name, &[]);
                }
            }
            Access::Call(of, arguments) => {
                self.put(of);
                self.arguments(arguments);
            }
            Access::Variant(of, pattern) => {
                self.word("matches");
                self.0.extend([Token::Mark('!'), Token::Open]);
                self.put(of);
                self.0.push(Token::Mark(','));
                self.0.extend(Self::of_text(pattern).0);
                self.0.push(Token::Close);
            }
            Access::Index(of, index) => {
                self.put(of);
                self.0.push(Token::Index);
                self.put(index);
                self.0.push(Token::Mark(']'));
            }
            Access::Cast(of, ty) => {
                self.put(of);
                self.word("as");
                self.0.extend(Self::of_text(ty).0);
            }
            Access::Prefix(prefix, of) => {
                self.0.push(Token::Mark(match prefix {
                    Prefix::Deref => '*',
                    Prefix::Reference => '&',
                    Prefix::Not => '!',
                    Prefix::Minus => '-',
                    Prefix::Complement => '~',
                }));
                self.put(of);
            }
            Access::Infix(op, a, b) => {
                self.put(a);
                self.0.extend(op.marks().iter().copied().map(Token::Mark));
                self.put(b);
            }
            Access::Group(inner) => self.arguments([&**inner]),
        }
    }

    fn word(&mut self, word: &str) {
        self.0
            .push(match word.starts_with(|c: char| c.is_ascii_digit()) {
                true => Token::Number(word.to_owned()),
                false => Token::Name(word.to_owned()),
            });
    }

    fn path(&mut self, path: &str) {
        self.0.extend(Self::of_text(path).0);
    }

    fn method(&mut self, of: &Access, name: &str, arguments: &[Access]) {
        self.put(of);
        self.called(name, arguments);
    }

    fn called(&mut self, name: &str, arguments: &[Access]) {
        self.0.push(Token::Member);
        self.word(name);
        self.arguments(arguments);
    }

    fn arguments<'a>(&mut self, arguments: impl IntoIterator<Item = &'a Access>) {
        self.0.push(Token::Open);
        for (nth, argument) in arguments.into_iter().enumerate() {
            if nth > 0 {
                self.0.push(Token::Mark(','));
            }
            self.put(argument);
        }
        self.0.push(Token::Close);
    }

    /// The outline of a text without a tree.
    pub fn of_text(text: &str) -> Self {
        let mut outline = Self::default();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                '-' if rest.starts_with("->") => 2,
                _ => first.len_utf8(),
            };
            match first {
                _ if is_word(first) => outline.word(&rest[..length]),
                '-' if length == 2 => outline.0.push(Token::Through),
                '.' => outline.0.push(Token::Member),
                '[' => outline.0.push(Token::Index),
                '(' => outline.0.push(Token::Open),
                ')' => outline.0.push(Token::Close),
                _ => outline.0.push(Token::Mark(first)),
            }
            rest = rest[length..].trim_start();
        }
        outline
    }
}

/// The number in the leading digits of a literal, if that is 0 or 1. A sign, a point and anything after the
/// digits are ignored.
pub fn glance(literal: &str) -> Option<u8> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '-' || c == '.';
    let digits = literal.find(|c| !is_digit(c));
    let text = digits.map_or(literal, |end| &literal[..end]);
    match text
        .strip_suffix(".0")
        .unwrap_or(text)
        .trim_end_matches('.')
    {
        "0" => Some(0),
        "1" => Some(1),
        _ => None,
    }
}

impl Access {
    /// The tokens of the outline, in order.
    pub fn outline(&self) -> Outline {
        let mut outline = Outline::default();
        outline.put(self);
        outline
    }
}

impl Query {
    /// The name of the query in outlines.
    fn label(self) -> &'static str {
        match self {
            Self::Len => "len",
            Self::IsEmpty => "is_empty",
            Self::IsSome => "is_some",
            Self::IsNone => "is_none",
            Self::IsOk => "is_ok",
            Self::IsErr => "is_err",
            Self::Capacity => "capacity",
            Self::StringLength => "strlen",
        }
    }
}

impl Payload {
    fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Moved => &["unwrap"],
            Self::Borrowed => &["as_ref", "unwrap"],
            Self::BorrowedMutably => &["as_mut", "unwrap"],
        }
    }
}

impl Infix {
    /// The marks of the operator.
    fn marks(self) -> &'static [char] {
        match self {
            Self::Compare(CmpOp::Eq) => &['=', '='],
            Self::Compare(CmpOp::Ne) => &['!', '='],
            Self::Compare(CmpOp::Lt) => &['<'],
            Self::Compare(CmpOp::Le) => &['<', '='],
            Self::Compare(CmpOp::Gt) => &['>'],
            Self::Compare(CmpOp::Ge) => &['>', '='],
            Self::Arith(ArithOp::Add) => &['+'],
            Self::Arith(ArithOp::Sub) => &['-'],
            Self::Arith(ArithOp::Mul) => &['*'],
            Self::Arith(ArithOp::Div) => &['/'],
            Self::Arith(ArithOp::Rem) => &['%'],
            Self::And => &['&', '&'],
            Self::Or => &['|', '|'],
            Self::BitAnd => &['&'],
            Self::BitOr => &['|'],
            Self::BitXor => &['^'],
            Self::ShiftLeft => &['<', '<'],
            Self::ShiftRight => &['>', '>'],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_a_tree_is_that_of_its_text() {
        let x = || Access::variable("x");
        let index = Access::Index(Box::new(x().field("items")), Box::new(x()));
        let payload = Access::Payload(Box::new(index), Payload::Borrowed);
        assert_eq!(
            payload.outline(),
            Outline::of_text("x.items[x].as_ref().unwrap()")
        );
        assert_eq!(payload.outline().steps(), 4);
        assert!(payload.outline().ends_in_call());
        let variant = Access::Variant(Box::new(x()), "A::B(..)".to_owned());
        assert_eq!(variant.outline(), Outline::of_text("matches!(x, A::B(..))"));
        let through = Access::Field(Box::new(x()), Reach::Through, "n".to_owned());
        assert_eq!(through.outline(), Outline::of_text("x->n"));
        let sum = x().infix(Infix::Arith(ArithOp::Add), x().query(Query::StringLength));
        assert_eq!(sum.outline(), Outline::of_text("x + strlen(x)"));
    }

    #[test]
    fn a_literal_is_no_name() {
        let is_name = |text: &str| Outline::of_text(text).begins_with_name();
        assert!(is_name("LIMIT") && is_name("rest.len()"));
        assert!(!is_name("1_u8") && !is_name("b'x'") && !is_name("-LIMIT"));
    }

    #[test]
    fn a_shape_is_what_is_left_without_names_and_numbers() {
        let shape = |text: &str| Outline::of_text(text).shape();
        assert_eq!(shape("a[i] + 1"), shape("bc[ j ]+ 20"));
        assert_ne!(shape("a.0"), shape("a.b"));
    }
}
