//! Finds the calls in an expression of C, in the order in which they are evaluated, so that each can be made by hand
//! ([`super::call`]) and replaced by its value. All else of an expression is left to gdb.

use std::time::Duration;

use super::subject::Subject;
use super::{Error, Result};

/// Operators of more than one character, the longest first.
const OPERATORS: [&str; 22] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=",
];

const ASSIGNMENTS: [&str; 11] = [
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
];

/// Words before parentheses in which nothing is evaluated.
const UNEVALUATED: [&str; 7] = [
    "sizeof",
    "_Alignof",
    "alignof",
    "__alignof__",
    "typeof",
    "__typeof__",
    "offsetof",
];

/// Words that begin a type.
const TYPE_WORDS: [&str; 15] = [
    "struct", "union", "enum", "const", "volatile", "unsigned", "signed", "void", "char", "short",
    "int", "long", "float", "double", "_Bool",
];

impl Subject {
    /// The expression with its calls made and replaced by what they returned. What is not evaluated is not called.
    ///
    /// # Errors
    /// If a call cannot be made or does not return, or gdb refuses a part.
    pub(super) fn settled(&mut self, expression: &str, limit: Duration) -> Result<String> {
        let tokens = tokens(expression);
        self.settle(&tokens, limit)
    }

    fn settle(&mut self, tokens: &[&str], limit: Duration) -> Result<String> {
        if !may_call(tokens) {
            return Ok(tokens.join(" "));
        }
        let split = |at: usize| (&tokens[..at], &tokens[at + 1..]);
        let first =
            |operators: &[&str]| top_level(tokens).find(|at| operators.contains(&tokens[*at]));
        let last = |operators: &[&str]| {
            let all = top_level(tokens).filter(|at| operators.contains(&tokens[*at]));
            all.last()
        };
        if let Some(at) = last(&[","]) {
            let (before, after) = split(at);
            let before = self.settle(before, limit)?;
            self.gdb.evaluate(&before)?;
            return self.settle(after, limit);
        }
        if let Some(at) = first(&ASSIGNMENTS) {
            let (target, value) = split(at);
            let target = self.settle(target, limit)?;
            let value = self.settle(value, limit)?;
            return Ok(format!("{target} {} {value}", tokens[at]));
        }
        if let Some(at) = first(&["?"]) {
            let (condition, rest) = split(at);
            let otherwise = alternative(rest).ok_or_else(|| Error::Refused {
                message: "there is a `?` without its `:`".to_owned(),
            })?;
            let chosen = match self.holds(condition, limit)? {
                true => &rest[..otherwise],
                false => &rest[otherwise + 1..],
            };
            return Ok(format!("({})", self.settle(chosen, limit)?));
        }
        for (operator, decides) in [("||", true), ("&&", false)] {
            let Some(at) = last(&[operator]) else {
                continue;
            };
            let (left, right) = split(at);
            let holds = match self.holds(left, limit)? {
                holds if holds == decides => holds,
                _ => self.holds(right, limit)?,
            };
            return Ok(u8::from(holds).to_string());
        }
        self.settle_operands(tokens, limit)
    }

    fn holds(&mut self, condition: &[&str], limit: Duration) -> Result<bool> {
        let condition = self.settle(condition, limit)?;
        Ok(self.gdb.evaluate(&format!("!({condition})"))? == "0")
    }

    /// An expression whose operators evaluate all of their operands.
    fn settle_operands(&mut self, tokens: &[&str], limit: Duration) -> Result<String> {
        let mut done: Vec<String> = Vec::new();
        // Where the operand begins that what follows may belong to.
        let mut operand: Option<usize> = None;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let end = at + group(&tokens[at..]);
            let inner = tokens.get(at + 1..end - 1).unwrap_or_default();
            match *token {
                "(" => match operand {
                    Some(start) if !self.is_type(&done[start..].join(" "))? => {
                        let function = done.drain(start..).collect::<Vec<_>>().join(" ");
                        let mut arguments = Vec::new();
                        for argument in split_at_commas(inner) {
                            arguments.push(self.settle(argument, limit)?);
                        }
                        done.push(self.call(&function, &arguments, limit)?);
                    }
                    _ => {
                        operand = Some(done.len());
                        let is_type = inner.first().is_some_and(|word| TYPE_WORDS.contains(word));
                        done.push(match is_type {
                            true => format!("({})", inner.join(" ")),
                            false => format!("({})", self.settle(inner, limit)?),
                        });
                    }
                },
                "[" => done.push(format!("[{}]", self.settle(inner, limit)?)),
                word if UNEVALUATED.contains(&word) => {
                    let end = at + 1 + group(tokens.get(at + 1..).unwrap_or_default());
                    operand = Some(done.len());
                    done.push(tokens[at..end.min(tokens.len())].join(" "));
                    at = end;
                    continue;
                }
                "." | "->" => done.push((*token).to_owned()),
                word if is_operand(word) => {
                    let continues = done.last().is_some_and(|last| last == "." || last == "->");
                    if operand.is_none() || !continues {
                        operand = Some(done.len());
                    }
                    done.push(word.to_owned());
                }
                operator => {
                    operand = operand.filter(|_| matches!(operator, "++" | "--"));
                    done.push(operator.to_owned());
                }
            }
            at = end;
        }
        Ok(done.join(" "))
    }

    /// Whether something in parentheses is a type, to which what follows is converted.
    fn is_type(&mut self, text: &str) -> Result<bool> {
        let inner = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'));
        let Some(inner) = inner else {
            return Ok(false);
        };
        match self.gdb.evaluate(&format!("sizeof ({inner})")) {
            Ok(_) => {}
            Err(Error::Refused { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
        match self.gdb.evaluate(inner) {
            Err(Error::Refused { message }) => Ok(message.contains("type")),
            Err(error) => Err(error),
            Ok(_) => Ok(false),
        }
    }
}

/// Whether anything in parentheses follows an operand: a call, or what is converted.
fn may_call(tokens: &[&str]) -> bool {
    let mut pairs = tokens.windows(2);
    pairs.any(|pair| pair[1] == "(" && (is_operand(pair[0]) || [")", "]"].contains(&pair[0])))
}

fn is_operand(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphanumeric() || "_$\"'".contains(first))
}

/// The places of the tokens that are in no brackets.
fn top_level<'t>(tokens: &'t [&str]) -> impl Iterator<Item = usize> + 't {
    let mut depth = 0_i32;
    (0..tokens.len()).filter(move |at| {
        depth += i32::from(["(", "[", "{"].contains(&tokens[*at]));
        let is_outside = depth == 0;
        depth -= i32::from([")", "]", "}"].contains(&tokens[*at]));
        is_outside
    })
}

/// Where the `:` is that belongs to a `?` before these tokens.
fn alternative(tokens: &[&str]) -> Option<usize> {
    let mut open = 1;
    top_level(tokens).find(|at| {
        open += i32::from(tokens[*at] == "?") - i32::from(tokens[*at] == ":");
        open == 0
    })
}

/// How many tokens a bracket and what is in it are; one if it is none.
fn group(tokens: &[&str]) -> usize {
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(["(", "[", "{"].contains(token));
        depth -= i32::from([")", "]", "}"].contains(token));
        if depth <= 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn split_at_commas<'a, 't>(tokens: &'a [&'t str]) -> Vec<&'a [&'t str]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in top_level(tokens).filter(|at| tokens[*at] == ",") {
        parts.push(&tokens[start..at]);
        start = at + 1;
    }
    if !tokens.is_empty() {
        parts.push(&tokens[start..]);
    }
    parts
}

/// The tokens of an expression.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => quoted(rest),
            _ if first.is_alphanumeric() || "_$".contains(first) => {
                let is_number = first.is_ascii_digit();
                let end = rest.find(|c: char| {
                    !c.is_alphanumeric() && c != '_' && c != '$' && !(is_number && c == '.')
                });
                end.unwrap_or(rest.len())
            }
            _ => {
                let operator = OPERATORS
                    .iter()
                    .find(|operator| rest.starts_with(**operator));
                operator.map_or(first.len_utf8(), |operator| operator.len())
            }
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// How long a text or character in quotes is.
fn quoted(text: &str) -> usize {
    let mut characters = text.char_indices();
    let quote = characters.next().map(|(_, quote)| quote);
    while let Some((at, character)) = characters.next() {
        if Some(character) == quote {
            return at + 1;
        }
        if character == '\\' {
            characters.next();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{alternative, group, may_call, split_at_commas, tokens, top_level};

    #[test]
    fn expressions_are_taken_apart() {
        let all = tokens(r#"f("a, (b", x->y) != 'c' ? a<<=1.5 : g[2]"#);
        assert_eq!(all[..7], ["f", "(", "\"a, (b\"", ",", "x", "->", "y"]);
        assert!(may_call(&all));
        assert_eq!(group(&all[1..]), 7);
        assert_eq!(split_at_commas(&all[2..7]).len(), 2);
        let question = top_level(&all).find(|at| all[*at] == "?").unwrap();
        let rest = &all[question + 1..];
        assert_eq!(rest[alternative(rest).unwrap()..][..2], [":", "g"]);
        assert!(!may_call(&tokens("a * (b + c) - (-d)")));
    }
}
