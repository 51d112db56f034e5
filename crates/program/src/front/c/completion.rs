//! Tokens that the grammar needs where it cannot know what a name is, or which old programs leave out.

use std::collections::HashSet;

use super::lex::{Token, TokenKind};
use super::names;

/// The tokens with what they lack.
pub(super) fn completed(tokens: &[Token]) -> Vec<Token> {
    let types = defined_types(tokens);
    let values = values(tokens, &types);
    let mut output = Vec::with_capacity(tokens.len());
    let mut depth = 0_i32;
    let mut is_start = true;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let follows = |text: &str| tokens.get(at + 1).is_some_and(|next| next.is(text));
        if is_start && is_name(token) && follows("(") {
            output.push(word("int", token));
        }
        // `(name) - 1` is a cast if the name is a type, and `(const name)` can only be one.
        let is_in_parentheses = before.is_some_and(|before| before.is("(")) && follows(")");
        if is_in_parentheses && types.contains(&*token.text) && !is_call(tokens, at) {
            output.push(word("const", token));
        }
        if values.contains(&at) {
            output.push(token.clone());
        }
        depth += i32::from(token.is("{")) + i32::from(token.is("("));
        depth -= i32::from(token.is("}")) + i32::from(token.is(")"));
        is_start = depth == 0 && (token.is("}") || token.is(";"));
        output.push(token.clone());
    }
    output
}

/// The parentheses around a value that the grammar would take for a cast, because what follows may be a unary operator, as
/// in `(a) - b`. In parentheses of its own, which are written at the same place, it can only be a value.
fn values(tokens: &[Token], types: &HashSet<&str>) -> HashSet<usize> {
    let mut values = HashSet::new();
    // Where the open parentheses are, and whether there is one thing in each.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is("(") {
            open.push((at, true));
        } else if [",", ";", "{", "}"].iter().any(|mark| token.is(mark)) {
            if let Some((_, is_one)) = open.last_mut() {
                *is_one = false;
            }
        } else if token.is(")")
            && let Some((start, is_one)) = open.pop()
        {
            let first = &tokens[start + 1];
            let is_value = is_name(first)
                && !types.contains(&*first.text)
                && !names::is_type(&first.text)
                && !is_call(tokens, start + 1);
            let may_be_unary = |next: &Token| ["+", "-", "*", "&"].iter().any(|op| next.is(op));
            if is_one && is_value && tokens.get(at + 1).is_some_and(may_be_unary) {
                values.extend([start, at]);
            }
        }
    }
    values
}

/// The names after `typedef`.
fn defined_types(tokens: &[Token]) -> HashSet<&str> {
    let mut types = HashSet::new();
    let mut tokens = tokens.iter();
    while tokens.any(|token| token.is("typedef")) {
        let mut depth = 0_u32;
        let mut name = None;
        for token in tokens.by_ref() {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && [";", ",", "[", ")"].iter().any(|mark| token.is(mark)) {
                types.extend(name.take());
                if token.is(";") {
                    break;
                }
            }
            name = is_name(token).then_some(&*token.text);
        }
    }
    types
}

fn is_name(token: &Token) -> bool {
    token.kind == TokenKind::Word && !names::is_keyword(&token.text)
}

/// Whether the parenthesis before this token is that of a call.
fn is_call(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(2).and_then(|before| tokens.get(before));
    before.is_some_and(is_name)
}

fn word(text: &str, before: &Token) -> Token {
    Token {
        kind: TokenKind::Word,
        text: text.into(),
        constant: None,
        ..before.clone()
    }
}
