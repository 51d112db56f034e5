//! Conditions of `#if`.

use nopol_scalar::{BinaryOp, Grammar, IntKind, LogicalOp, Overflow, Precedence, arithmetic};

use super::lex::{Token, TokenKind};
use super::literals;
use super::macros::{Macros, Unsupported};
use super::names;
use super::types::Type;
use crate::ir::Span;
use crate::written::Operator;

/// Whether a macro is defined, by the program or by gcc.
pub(super) fn is_defined(macros: &Macros, name: &str, span: Span) -> Result<bool, Unsupported> {
    if macros.is_defined(name) {
        return Ok(true);
    }
    names::is_predefined(name)
        .ok_or_else(|| (span, format!("it is not known whether `{name}` is defined")))
}

/// Whether the condition holds.
pub(super) fn holds(macros: &Macros, tokens: &[Token], span: Span) -> Result<bool, Unsupported> {
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if !token.is("defined") {
            plain.push(token.clone());
            continue;
        }
        let in_parentheses = tokens.get(at).is_some_and(|next| next.is("("));
        let Some(name) = tokens.get(at + usize::from(in_parentheses)) else {
            return Err((span, "`defined` without a name".to_owned()));
        };
        at += if in_parentheses { 3 } else { 1 };
        let text = if is_defined(macros, &name.text, span)? {
            "1"
        } else {
            "0"
        };
        plain.push(Token {
            kind: TokenKind::Number,
            text: text.into(),
            ..name.clone()
        });
    }
    let tokens = macros.expand(&plain, true)?;
    let mut reader = Reader {
        tokens: &tokens,
        span,
    };
    let value = reader.conditional()?;
    if reader.tokens.is_empty() {
        Ok(value.is_true())
    } else {
        Err(reader.unknown())
    }
}

/// A number of a condition: all signed types act as `intmax_t`, and all others as `uintmax_t` (C11, 6.10.1).
#[derive(Clone, Copy)]
struct Number {
    value: i128,
    kind: IntKind,
}

impl Number {
    const fn int(value: i128) -> Self {
        Self {
            value,
            kind: IntKind::I64,
        }
    }

    fn truth(holds: bool) -> Self {
        Self::int(holds.into())
    }

    fn of(value: i128, ty: &Type) -> Self {
        let is_unsigned = matches!(ty, Type::Int(kind, _) if !kind.signed);
        Self {
            value,
            kind: match is_unsigned {
                true => IntKind::U64,
                false => IntKind::I64,
            },
        }
    }

    /// The value in another type.
    fn converted(self, kind: IntKind) -> Self {
        Self {
            value: kind.wrap(self.value),
            kind,
        }
    }

    const fn is_true(self) -> bool {
        self.value != 0
    }
}

/// The type that the usual arithmetic conversions give.
const fn common(a: Number, b: Number) -> IntKind {
    match a.kind.signed {
        true => b.kind,
        false => a.kind,
    }
}

/// The operator that a token is.
fn operator(token: &Token) -> Option<Operator> {
    if token.kind != TokenKind::Mark {
        return None;
    }
    let logical = LogicalOp::from_token(&token.text).map(Operator::Logical);
    logical.or_else(|| BinaryOp::from_token(&token.text).map(Operator::Binary))
}

/// How tightly it binds: more tightly the larger the number.
const fn level(operator: Operator) -> u8 {
    let precedence = match operator {
        Operator::Binary(op) => Precedence::of(op),
        Operator::Logical(op) => Precedence::of_logical(op),
    };
    precedence.level(Grammar::C)
}

/// The result of an operator. `None` if it does not fit or is not defined.
fn apply(operator: Operator, left: Number, right: Number) -> Option<Number> {
    let op = match operator {
        Operator::Logical(LogicalOp::And) => {
            return Some(Number::truth(left.is_true() && right.is_true()));
        }
        Operator::Logical(LogicalOp::Or) => {
            return Some(Number::truth(left.is_true() || right.is_true()));
        }
        Operator::Binary(op) => op,
    };
    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let kind = if is_shift {
        left.kind
    } else {
        common(left, right)
    };
    let (a, b) = match is_shift {
        true => (left.value, right.value),
        false => (kind.wrap(left.value), kind.wrap(right.value)),
    };
    // gcc shifts the bits of negative numbers.
    let wraps = !kind.signed || op == BinaryOp::Shl && a < 0;
    let overflow = if wraps {
        Overflow::Wraps
    } else {
        Overflow::Fault
    };
    let (value, fault) = arithmetic::binary(op, overflow, kind, a, b);
    let kind = match op.comparison() {
        Some(_) => IntKind::I64,
        None => kind,
    };
    fault.is_none().then_some(Number { value, kind })
}

/// Reads an expression.
struct Reader<'t> {
    tokens: &'t [Token],
    span: Span,
}

impl Reader<'_> {
    fn unknown(&self) -> Unsupported {
        (
            self.span,
            "the condition of this `#if` is not supported".to_owned(),
        )
    }

    fn accept(&mut self, marks: &[&'static str]) -> Option<&'static str> {
        let (first, rest) = self.tokens.split_first()?;
        let mark = marks.iter().copied().find(|mark| first.is(mark))?;
        self.tokens = rest;
        Some(mark)
    }

    fn conditional(&mut self) -> Result<Number, Unsupported> {
        let condition = self.binary(0)?;
        if self.accept(&["?"]).is_none() {
            return Ok(condition);
        }
        let yes = self.conditional()?;
        self.accept(&[":"]).ok_or_else(|| self.unknown())?;
        let no = self.conditional()?;
        let chosen = if condition.is_true() { yes } else { no };
        Ok(chosen.converted(common(yes, no)))
    }

    /// Reads operators of at least this level.
    fn binary(&mut self, least: u8) -> Result<Number, Unsupported> {
        let mut left = self.unary()?;
        while let Some((first, rest)) = self.tokens.split_first()
            && let Some(operator) = operator(first).filter(|operator| level(*operator) >= least)
        {
            self.tokens = rest;
            let right = self.binary(level(operator) + 1)?;
            left = apply(operator, left, right).ok_or_else(|| self.unknown())?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Number, Unsupported> {
        match self.accept(&["!", "-", "+", "~", "("]) {
            Some("!") => return Ok(Number::truth(!self.unary()?.is_true())),
            Some("-") => {
                let of = self.unary()?;
                return Ok(Number::int(-of.value).converted(of.kind));
            }
            Some("~") => {
                let of = self.unary()?;
                return Ok(Number::int(!of.value).converted(of.kind));
            }
            Some("(") => {
                let value = self.conditional()?;
                return self
                    .accept(&[")"])
                    .map(|_| value)
                    .ok_or_else(|| self.unknown());
            }
            Some(_) => return self.unary(),
            None => {}
        }
        let (first, rest) = self.tokens.split_first().ok_or_else(|| self.unknown())?;
        let typed = |(value, ty): (i128, Type)| Number::of(value, &ty);
        let value = match first.kind {
            TokenKind::Number => literals::integer(&first.text).map(typed),
            TokenKind::Quoted => literals::character(&first.text).map(Number::int),
            TokenKind::Word => names::constant(&first.text)
                .map(typed)
                .or_else(|| names::predefined(&first.text).map(Number::int)),
            TokenKind::Mark => None,
        };
        self.tokens = rest;
        value.ok_or_else(|| self.unknown())
    }
}
