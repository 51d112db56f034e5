//! Conditions of `#if`.

use super::lex::{Token, TokenKind};
use super::literals;
use super::macros::{Macros, Unsupported};
use super::names;
use crate::ir::Span;

/// Whether a macro is defined, by the program or by gcc.
pub(super) fn is_defined(macros: &Macros, name: &str, span: Span) -> Result<bool, Unsupported> {
    if macros.is_defined(name) {
        return Ok(true);
    }
    names::is_predefined(name)
        .ok_or_else(|| (span, format!("whether `{name}` is defined is not known")))
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
        Ok(value != 0)
    } else {
        Err(reader.unknown())
    }
}

/// Reads an expression.
struct Reader<'t> {
    tokens: &'t [Token],
    span: Span,
}

/// The operators, those that bind weakest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

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

    fn conditional(&mut self) -> Result<i128, Unsupported> {
        let condition = self.binary(0)?;
        if self.accept(&["?"]).is_none() {
            return Ok(condition);
        }
        let yes = self.conditional()?;
        self.accept(&[":"]).ok_or_else(|| self.unknown())?;
        let no = self.conditional()?;
        Ok(if condition == 0 { no } else { yes })
    }

    fn binary(&mut self, level: usize) -> Result<i128, Unsupported> {
        let Some(marks) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(mark) = self.accept(marks) {
            let right = self.binary(level + 1)?;
            left = apply(mark, left, right).ok_or_else(|| self.unknown())?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i128, Unsupported> {
        match self.accept(&["!", "-", "+", "~", "("]) {
            Some("!") => return Ok(i128::from(self.unary()? == 0)),
            Some("-") => return Ok(-self.unary()?),
            Some("~") => return Ok(!self.unary()?),
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
        let value = match first.kind {
            TokenKind::Number => literals::integer(&first.text).map(|(value, _)| value),
            TokenKind::Quoted => literals::character(&first.text),
            TokenKind::Word => names::predefined(&first.text),
            TokenKind::Mark => None,
        };
        self.tokens = rest;
        value.ok_or_else(|| self.unknown())
    }
}

fn apply(mark: &str, left: i128, right: i128) -> Option<i128> {
    let fits = |value: i128| i64::try_from(value).ok().map(i128::from);
    Some(match mark {
        "||" => i128::from(left != 0 || right != 0),
        "&&" => i128::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i128::from(left == right),
        "!=" => i128::from(left != right),
        "<" => i128::from(left < right),
        "<=" => i128::from(left <= right),
        ">" => i128::from(left > right),
        ">=" => i128::from(left >= right),
        "<<" => return fits(left.checked_shl(u32::try_from(right).ok().filter(|by| *by < 63)?)?),
        ">>" => left >> u32::try_from(right).ok().filter(|by| *by < 64)?,
        "+" => return fits(left + right),
        "-" => return fits(left - right),
        "*" => return fits(left.checked_mul(right)?),
        "/" => left.checked_div(right)?,
        _ => left.checked_rem(right)?,
    })
}
