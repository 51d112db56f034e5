//! Macros: what they stand for, and putting it in their place.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use nopol_basics::deadline::Deadline;

use super::LATE;
use super::lex::{Token, TokenKind, Within};
use super::names;
use super::source::Source;
use crate::ir::Span;

/// A macro that stands for a constant. It is not substituted: its value may be wrong, so it is a variable.
#[derive(Debug)]
pub(super) struct Constant {
    /// Its name.
    pub(super) name: String,
    /// The directive.
    pub(super) directive: Span,
    /// What it stands for, as the initializer of a variable.
    pub(super) source: Source,
}

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// The names of its parameters, if it has a list of them.
    pub(super) parameters: Option<Vec<Rc<str>>>,
    /// What it stands for.
    pub(super) body: Vec<Token>,
    /// The constant, if it is one.
    pub(super) constant: Option<Rc<Constant>>,
    /// The directive that defines it.
    pub(super) directive: Span,
}

/// The macros that are defined.
#[derive(Debug, Default)]
pub(super) struct Macros {
    by_name: HashMap<Rc<str>, Macro>,
    /// How many were expanded.
    expansions: Cell<u32>,
    /// When to give up: an expansion may be very large.
    pub(super) deadline: Deadline,
}

/// One expansion of a macro.
struct Expansion<'t> {
    number: u32,
    directive: Span,
    /// Where the call is: its tokens.
    call: &'t [Token],
    /// The same as one span of the file.
    span: Span,
}

/// What a macro needs that is not supported: where, and why.
pub(super) type Unsupported = (Span, String);

impl Macros {
    /// Defines a macro.
    pub(super) fn define(&mut self, name: Rc<str>, definition: Macro) {
        self.by_name.insert(name, definition);
    }

    /// Forgets a macro.
    pub(super) fn undefine(&mut self, name: &str) {
        self.by_name.remove(name);
    }

    /// Whether there is a macro of this name.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The tokens with all macros but constants replaced; those too if `all`.
    pub(super) fn expand(&self, tokens: &[Token], all: bool) -> Result<Vec<Token>, Unsupported> {
        let mut output = Vec::new();
        self.expand_within(tokens, all, &mut Vec::new(), &mut output)?;
        Ok(output)
    }

    /// `within`: the macros whose bodies these tokens are from; they are not replaced again.
    fn expand_within(
        &self,
        tokens: &[Token],
        all: bool,
        within: &mut Vec<Rc<str>>,
        output: &mut Vec<Token>,
    ) -> Result<(), Unsupported> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if self.deadline.is_over() {
                return Err((token.span, LATE.to_owned()));
            }
            let definition = match self.by_name.get(&token.text) {
                Some(definition)
                    if token.kind == TokenKind::Word && !within.contains(&token.text) =>
                {
                    definition
                }
                _ => {
                    output.push(token.clone());
                    continue;
                }
            };
            if let Some(constant) = definition.constant.as_ref().filter(|_| !all) {
                output.push(Token {
                    constant: Some(constant.clone()),
                    ..token.clone()
                });
                continue;
            }
            let start = at - 1;
            let mut span = token.span;
            self.expansions.set(self.expansions.get() + 1);
            let number = self.expansions.get();
            let expansion = |at: usize, span: Span| Expansion {
                number,
                directive: definition.directive,
                call: &tokens[start..at],
                span,
            };
            let body = if let Some(parameters) = &definition.parameters {
                if !tokens.get(at).is_some_and(|next| next.is("(")) {
                    output.push(token.clone());
                    continue;
                }
                let (arguments, close) = arguments(tokens, at).ok_or_else(|| {
                    (
                        token.span,
                        format!(
                            "the call of the macro `{}` has no closing parenthesis",
                            token.text
                        ),
                    )
                })?;
                at = close + 1;
                span.end = span.end.max(tokens[close].span.end);
                let is_empty =
                    parameters.is_empty() && arguments.iter().all(|argument| argument.is_empty());
                let is_variadic = parameters.iter().any(|name| name.ends_with("..."));
                if is_variadic || definition.body.iter().any(|it| it.is("__VA_ARGS__")) {
                    return Err((
                        span,
                        format!(
                            "the macro `{}` takes any number of arguments, which is not supported",
                            token.text
                        ),
                    ));
                }
                if arguments.len() != parameters.len() && !is_empty {
                    return Err((
                        span,
                        format!(
                            "the macro `{}` is called with the wrong number of arguments",
                            token.text
                        ),
                    ));
                }
                let mut expanded = Vec::new();
                for argument in arguments {
                    let mut tokens = Vec::new();
                    self.expand_within(argument, all, within, &mut tokens)?;
                    expanded.push(tokens);
                }
                substitute(
                    &definition.body,
                    parameters,
                    &expanded,
                    &expansion(at, span),
                )?
            } else {
                substitute(&definition.body, &[], &[], &expansion(at, span))?
            };
            within.push(token.text.clone());
            self.expand_within(&body, all, within, output)?;
            within.pop();
        }
        Ok(())
    }

    /// Whether these tokens stand for the same constant wherever they are put: one number or name of a constant, perhaps
    /// with a sign, or anything made of those in parentheses.
    pub(super) fn is_constant(&self, body: &[Token]) -> bool {
        let body = match body {
            [sign, rest @ ..] if ["-", "+", "~", "!"].iter().any(|mark| sign.is(mark)) => rest,
            _ => body,
        };
        match body {
            [only] => self.is_operand(only),
            [open, inner @ .., close] if open.is("(") && close.is(")") => {
                let mut depth = 0_i32;
                let mut operands = 0;
                for token in inner {
                    depth += i32::from(token.is("(")) - i32::from(token.is(")"));
                    operands += i32::from(self.is_operand(token));
                    let is_known = match token.kind {
                        TokenKind::Mark => !["{", "}", ";", "=", "[", "]", "++", "--"]
                            .iter()
                            .any(|mark| token.is(mark)),
                        TokenKind::Word => {
                            names::is_integer_keyword(&token.text) || self.is_operand(token)
                        }
                        _ => self.is_operand(token),
                    };
                    if depth < 0 || !is_known {
                        return false;
                    }
                }
                operands > 0
            }
            _ => false,
        }
    }

    fn is_operand(&self, token: &Token) -> bool {
        match token.kind {
            TokenKind::Number => names::is_integer(&token.text),
            TokenKind::Quoted => token.text.starts_with('\''),
            TokenKind::Word => match self.by_name.get(&token.text) {
                Some(definition) => definition.constant.is_some(),
                None => names::constant(&token.text).is_some(),
            },
            TokenKind::Mark => false,
        }
    }
}

/// The arguments of the call whose parenthesis opens at this token, and the token that closes it.
fn arguments(tokens: &[Token], open: usize) -> Option<(Vec<&[Token]>, usize)> {
    let mut arguments = Vec::new();
    let mut depth = 0_u32;
    let mut start = open + 1;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
            if depth == 0 {
                arguments.push(&tokens[start..at]);
                return Some((arguments, at));
            }
        } else if token.is(",") && depth == 1 {
            arguments.push(&tokens[start..at]);
            start = at + 1;
        }
    }
    None
}

impl Expansion<'_> {
    /// A part of the macro's body.
    fn part(&self, token: &Token) -> Within {
        Within {
            expansion: self.number,
            span: token.span,
            directive: self.directive,
            call: self.span,
        }
    }

    /// Where the call is in the bodies of other macros.
    fn around(&self) -> Vec<Within> {
        let (Some(first), Some(last)) = (self.call.first(), self.call.last()) else {
            return Vec::new();
        };
        let ends = first.within.iter().filter_map(|within| {
            let last = last.place_in(Some(within.expansion))?;
            let span = Span {
                end: last.end.max(within.span.end),
                ..within.span
            };
            Some(Within { span, ..*within })
        });
        ends.collect()
    }
}

/// The body with the arguments in it. What the body adds is, in the file, where the call is.
fn substitute(
    body: &[Token],
    parameters: &[Rc<str>],
    arguments: &[Vec<Token>],
    expansion: &Expansion<'_>,
) -> Result<Vec<Token>, Unsupported> {
    let mut output = Vec::new();
    for token in body {
        if token.is("#") || token.is("##") {
            return Err((
                expansion.span,
                format!("`{}` in a macro is not supported", token.text),
            ));
        }
        match parameters
            .iter()
            .position(|name| token.kind == TokenKind::Word && *name == token.text)
        {
            Some(parameter) => {
                let argument = arguments.get(parameter).into_iter().flatten().cloned();
                output.extend(argument.map(|mut argument| {
                    argument.within.push(expansion.part(token));
                    argument
                }));
            }
            None => {
                let mut within = vec![expansion.part(token)];
                within.extend(expansion.around());
                output.push(Token {
                    span: expansion.span,
                    written_in: Some(expansion.number),
                    within,
                    ..token.clone()
                });
            }
        }
    }
    Ok(output)
}
