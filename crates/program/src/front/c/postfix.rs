//! Parentheses that the parser needs to read a postfix operator as C does: it takes `-a++` for `(-a)++`.

use std::collections::HashMap;

use super::lex::{Token, TokenKind};

/// Operators that the parser binds more tightly than a postfix `++`.
const PREFIXES: [&str; 4] = ["-", "+", "~", "!"];
/// Words after which an expression starts.
const BEFORE_EXPRESSIONS: [&str; 4] = ["return", "case", "else", "do"];

/// The tokens before which a parenthesis opens, and after which one closes, with how many of them.
#[derive(Debug, Default)]
pub(super) struct Parentheses {
    pub(super) opening: HashMap<usize, usize>,
    pub(super) closing: HashMap<usize, usize>,
}

/// The parentheses that these tokens need.
pub(super) fn parentheses(tokens: &[Token]) -> Parentheses {
    let mut all = Parentheses::default();
    let steps = tokens.iter().enumerate();
    for (at, _) in steps.filter(|(_, token)| token.is("++") || token.is("--")) {
        let start = operand(tokens, at);
        if let Some(start) = start.filter(|start| is_after_prefix(tokens, *start)) {
            *all.opening.entry(start).or_default() += 1;
            *all.closing.entry(at).or_default() += 1;
        }
    }
    all
}

/// The first token of the operand of the postfix operator at `at`; `None` if it is a prefix operator.
fn operand(tokens: &[Token], at: usize) -> Option<usize> {
    let mut start = at;
    loop {
        let last = start.checked_sub(1)?;
        start = match &tokens[last] {
            token if token.is("]") => opened(tokens, last, "[", "]")?,
            token if token.is(")") => {
                let open = opened(tokens, last, "(", ")")?;
                let is_call = open.checked_sub(1).is_some_and(|at| is_end(&tokens[at]));
                if !is_call {
                    return Some(open);
                }
                open
            }
            token if is_name(token) => {
                let is_member = last.checked_sub(1).filter(|dot| {
                    let dot = &tokens[*dot];
                    dot.is(".") || dot.is("->")
                });
                match is_member {
                    Some(dot) => dot,
                    None => return Some(last),
                }
            }
            _ => return None,
        };
    }
}

/// The token that opens what the one at `close` closes.
fn opened(tokens: &[Token], close: usize, open: &str, closing: &str) -> Option<usize> {
    let mut depth = 0;
    for at in (0..=close).rev() {
        if tokens[at].is(closing) {
            depth += 1;
        } else if tokens[at].is(open) {
            depth -= 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether a prefix operator stands before this token, and not one with two operands.
fn is_after_prefix(tokens: &[Token], start: usize) -> bool {
    let operator = start.checked_sub(1);
    operator.is_some_and(|at| {
        let is_one = PREFIXES.iter().any(|prefix| tokens[at].is(prefix));
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        // A parenthesis may end a cast.
        let is_binary = before.is_some_and(|it| is_end(it) && !it.is(")"));
        is_one && !is_binary
    })
}

fn is_name(token: &Token) -> bool {
    token.kind == TokenKind::Word && !BEFORE_EXPRESSIONS.iter().any(|word| token.is(word))
}

/// Whether an operand ends with this token.
fn is_end(token: &Token) -> bool {
    let is_value = token.kind == TokenKind::Number || token.kind == TokenKind::Quoted;
    is_value || is_name(token) || token.is(")") || token.is("]")
}
