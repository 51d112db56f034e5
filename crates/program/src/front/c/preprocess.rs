//! The preprocessor: directives, and which parts of a file count.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;

use super::attributes;
use super::completion;
use super::condition;
use super::lex::{self, Token, TokenKind};
use super::macros::{Constant, Macro, Macros, Unsupported};
use super::source::Source;
use crate::ir::Span;

/// The headers of C's library that are known.
const KNOWN: [&str; 8] = [
    "stdio.h",
    "stdlib.h",
    "string.h",
    "ctype.h",
    "limits.h",
    "stdbool.h",
    "stdint.h",
    "assert.h",
];
/// How deep files may include each other.
const DEEPEST: u32 = 40;

/// The tokens of one translation unit, which begins with this file. What may change the meaning of a program without being a
/// statement is an error unless `is_lenient`.
pub(super) fn unit(
    files: &[(Utf8PathBuf, String)],
    file: usize,
    is_lenient: bool,
    deadline: Deadline,
) -> Result<Vec<Token>, Unsupported> {
    let mut preprocessor = Preprocessor {
        is_lenient,
        ..Preprocessor::new(files)
    };
    preprocessor.macros.deadline = deadline;
    preprocessor.file(file)?;
    if !is_lenient {
        attributes::check(&preprocessor.output)?;
    }
    Ok(completion::completed(&preprocessor.output))
}

/// The tokens of a text with all macros replaced, as if it were written at this place. `None` if the translation unit that
/// begins with this file does not come there.
pub(super) fn expanded(
    files: &[(Utf8PathBuf, String)],
    file: usize,
    place: Span,
    text: &str,
) -> Result<Option<Vec<Token>>, Unsupported> {
    let mut preprocessor = Preprocessor {
        wanted: Some((place, lex::tokens(text, place.file))),
        ..Preprocessor::new(files)
    };
    preprocessor.file(file)?;
    // Those that are still wanted were not reached.
    Ok(match preprocessor.wanted {
        None => Some(preprocessor.expanded),
        Some(_) => None,
    })
}

/// The files that a translation unit reads, by their numbers, with the places in each that count: tokens outside of directives,
/// and where definitions of macros begin.
pub(super) fn counted(
    files: &[(Utf8PathBuf, String)],
    file: usize,
) -> Result<BTreeMap<usize, Vec<Span>>, Unsupported> {
    let mut preprocessor = Preprocessor {
        is_lenient: true,
        counted: Some(BTreeMap::new()),
        ..Preprocessor::new(files)
    };
    preprocessor.file(file)?;
    Ok(preprocessor.counted.unwrap_or_default())
}

struct Preprocessor<'f> {
    files: &'f [(Utf8PathBuf, String)],
    macros: Macros,
    /// The macros that do not mean the same everywhere.
    changed: HashSet<Rc<str>>,
    output: Vec<Token>,
    depth: u32,
    /// Nobody computes with what it passes on.
    is_lenient: bool,
    /// Other tokens that are to be expanded as at this place.
    wanted: Option<(Span, Vec<Token>)>,
    expanded: Vec<Token>,
    /// What [`counted`] returns, if that is wanted and nothing else.
    counted: Option<BTreeMap<usize, Vec<Span>>>,
}

/// One `#if` with its alternatives.
struct Branch {
    /// Whether what surrounds it counts.
    is_outside_active: bool,
    /// Whether the current alternative counts.
    is_active: bool,
    /// Whether one has counted.
    was_active: bool,
}

impl<'f> Preprocessor<'f> {
    fn new(files: &'f [(Utf8PathBuf, String)]) -> Self {
        Self {
            files,
            macros: Macros::default(),
            changed: changed(files),
            output: Vec::new(),
            depth: 0,
            is_lenient: false,
            wanted: None,
            expanded: Vec::new(),
            counted: None,
        }
    }

    fn file(&mut self, file: usize) -> Result<(), Unsupported> {
        let Some((_, text)) = self.files.get(file) else {
            return Ok(());
        };
        let number = u32::try_from(file).unwrap_or(u32::MAX);
        let tokens = lex::tokens(text, number);
        if let Some(counted) = &mut self.counted {
            counted.entry(file).or_default();
        }
        let mut branches: Vec<Branch> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let is_directive = is_directive(&tokens, at);
            let length = tokens[at + 1..]
                .iter()
                .enumerate()
                .position(|(after, token)| {
                    if is_directive {
                        token.begins_line
                    } else {
                        is_directive_start(token, &tokens, at + 1 + after)
                    }
                })
                .map_or(tokens.len() - at, |length| length + 1);
            let part = &tokens[at..at + length];
            at += length;
            let is_active = branches.last().is_none_or(|branch| branch.is_active);
            if is_directive {
                self.directive(file, part, &mut branches)?;
            } else if is_active && let Some(counted) = &mut self.counted {
                let spans = part.iter().map(|token| token.span);
                counted.entry(file).or_default().extend(spans);
            } else if is_active {
                let end = part.last().map_or(0, |token| token.span.end);
                let is_there = |place: &Span| place.file == number && end > place.start;
                if let Some((_, tokens)) = self.wanted.take_if(|(place, _)| is_there(place)) {
                    self.expanded = self.macros.expand(&tokens, true)?;
                }
                let expanded = self.macros.expand(part, false)?;
                self.output.extend(expanded);
            }
        }
        Ok(())
    }

    fn directive(
        &mut self,
        file: usize,
        tokens: &[Token],
        branches: &mut Vec<Branch>,
    ) -> Result<(), Unsupported> {
        let [hash, name, rest @ ..] = tokens else {
            return Ok(());
        };
        let is_active = branches.last().is_none_or(|branch| branch.is_active);
        let span = Span {
            end: tokens.last().map_or(hash.span.end, |token| token.span.end),
            ..hash.span
        };
        if let Some(counted) = self
            .counted
            .as_mut()
            .filter(|_| is_active && is_definition(name))
        {
            counted.entry(file).or_default().push(hash.span);
        }
        match &*name.text {
            "if" | "ifdef" | "ifndef" => {
                let holds = is_active && self.condition(&name.text, rest, span)?;
                branches.push(Branch {
                    is_outside_active: is_active,
                    is_active: holds,
                    was_active: holds,
                });
            }
            "elif" | "else" => {
                let Some(mut branch) = branches.pop() else {
                    return Err((span, format!("there is no `#if` for this `#{}`", name.text)));
                };
                branch.is_active = branch.is_outside_active
                    && !branch.was_active
                    && (name.is("else") || self.condition("if", rest, span)?);
                branch.was_active |= branch.is_active;
                branches.push(branch);
            }
            "endif" => {
                branches.pop();
            }
            _ if !is_active => {}
            "define" => self.define(rest, span)?,
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.undefine(&name.text);
                }
            }
            "include" => self.include(file, rest, span)?,
            "pragma" => {
                let words: Vec<&str> = rest.iter().map(|token| &*token.text).collect();
                if !self.is_lenient {
                    attributes::check_pragma(&words, span)?;
                }
            }
            "line" | "ident" | "warning" => {}
            _ => return Err((span, format!("`#{}` is not supported", name.text))),
        }
        Ok(())
    }

    fn condition(&self, kind: &str, tokens: &[Token], span: Span) -> Result<bool, Unsupported> {
        match (kind, tokens) {
            ("if", _) => condition::holds(&self.macros, tokens, span),
            (_, [name, ..]) => {
                Ok(condition::is_defined(&self.macros, &name.text, span)? == (kind == "ifdef"))
            }
            (_, []) => Err((span, format!("`#{kind}` without a name"))),
        }
    }

    fn define(&mut self, tokens: &[Token], directive: Span) -> Result<(), Unsupported> {
        let Some((name, rest)) = tokens.split_first() else {
            return Err((directive, "`#define` without a name".to_owned()));
        };
        let is_assertion = |text: &str| text.contains("assert");
        if !self.is_lenient
            && name.is("NDEBUG")
            && self.files.iter().any(|(_, text)| is_assertion(text))
        {
            return Err((directive, "`#define NDEBUG` is not supported".to_owned()));
        }
        let has_parameters = rest
            .first()
            .is_some_and(|token| token.is("(") && !token.is_spaced);
        let (parameters, body) = if has_parameters {
            let Some(close) = rest.iter().position(|token| token.is(")")) else {
                return Err((
                    directive,
                    "the parameter list of the macro has no closing parenthesis".to_owned(),
                ));
            };
            let names = rest[1..close]
                .iter()
                .filter(|token| !token.is(","))
                .map(|token| token.text.clone());
            (Some(names.collect()), &rest[close + 1..])
        } else {
            (None, rest)
        };
        if !self.is_lenient && attributes::has_other_meaning(&name.text, body) {
            return attributes::other_meaning(&name.text, directive);
        }
        // Where it is used, a macro that changes may stand for something else than here.
        let changes = |token: &Token| self.changed.contains(&token.text);
        let is_constant =
            parameters.is_none() && !body.iter().any(changes) && self.macros.is_constant(body);
        let constant = if is_constant {
            self.constant(&name.text, body, directive)?
        } else {
            None
        };
        let definition = Macro {
            parameters,
            body: body.to_vec(),
            constant,
            directive,
        };
        self.macros.define(name.text.clone(), definition);
        Ok(())
    }

    /// The macro as a variable: what it stands for is parsed as an initializer.
    fn constant(
        &self,
        name: &str,
        body: &[Token],
        directive: Span,
    ) -> Result<Option<Rc<Constant>>, Unsupported> {
        let word = |text: &str| Token {
            kind: TokenKind::Word,
            text: text.into(),
            span: directive,
            begins_line: false,
            is_spaced: true,
            constant: None,
            written_in: None,
            within: Vec::new(),
        };
        let mut tokens = vec![word("int"), word("_"), word("=")];
        tokens.extend(self.macros.expand(body, false)?);
        tokens.push(word(";"));
        let source = Source::new(&tokens, false, Deadline::Never)
            .filter(|source| source.root().error().is_none());
        Ok(source.map(|source| {
            Rc::new(Constant {
                name: name.to_owned(),
                directive,
                source,
            })
        }))
    }

    /// Files in quotation marks are part of the program; the others are known, or the program has a header of that name.
    fn include(&mut self, file: usize, tokens: &[Token], span: Span) -> Result<(), Unsupported> {
        let quoted = tokens
            .first()
            .filter(|token| token.kind == TokenKind::Quoted);
        let (name, beside) = match quoted {
            Some(token) => {
                let name = token.text.trim_matches('"').to_owned();
                let folder = self.files[file].0.parent();
                let beside = folder.map(|folder| folder.join(&name));
                (name, beside)
            }
            None => {
                let name: String = tokens.iter().map(|token| &*token.text).collect();
                let name = name
                    .strip_prefix('<')
                    .and_then(|name| name.strip_suffix('>'));
                match name.filter(|name| !KNOWN.contains(name)) {
                    Some(name) => (name.to_owned(), None),
                    None => return Ok(()),
                }
            }
        };
        let name = name.as_str();
        let files = || self.files.iter().enumerate();
        let is_beside = |(_, (path, _)): &(_, &(Utf8PathBuf, _))| Some(path) == beside.as_ref();
        let found = match files().find(is_beside) {
            Some((found, _)) => Some(found),
            None => {
                let mut elsewhere = files().filter(|(_, (path, _))| path.ends_with(name));
                let found = elsewhere.next();
                if let (Some((_, (one, _))), Some((_, (other, _)))) = (found, elsewhere.next()) {
                    return Err((
                        span,
                        format!(
                            "it is not known whether the build includes `{one}` or `{other}` as `{name}`"
                        ),
                    ));
                }
                found.map(|(found, _)| found)
            }
        };
        let Some(found) = found else {
            if quoted.is_none() || KNOWN.contains(&name) {
                return Ok(());
            }
            return Err((
                span,
                format!("`{name}` is not among the files of the program"),
            ));
        };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((span, "files include each other".to_owned()));
        }
        self.file(found)?;
        self.depth -= 1;
        Ok(())
    }
}

fn is_directive(tokens: &[Token], at: usize) -> bool {
    tokens
        .get(at)
        .is_some_and(|token| is_directive_start(token, tokens, at))
}

fn is_directive_start(token: &Token, tokens: &[Token], at: usize) -> bool {
    token.begins_line
        && token.is("#")
        && tokens
            .get(at + 1)
            .is_none_or(|next| next.kind == TokenKind::Word)
}

/// Whether a directive of this name defines a macro or ends a definition.
fn is_definition(name: &Token) -> bool {
    name.is("define") || name.is("undef")
}

/// The places that [`counted`] would return if everything counted.
pub(super) fn countable(tokens: &[Token]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (at, token) in tokens.iter().enumerate() {
        if token.begins_line {
            is_inside = is_directive(tokens, at);
        }
        let begins_definition =
            || token.begins_line && tokens.get(at + 1).is_some_and(is_definition);
        if !is_inside || begins_definition() {
            found.push(token.span);
        }
    }
    found
}

/// The macros that a file defines more than once, or undefines.
fn changed(files: &[(Utf8PathBuf, String)]) -> HashSet<Rc<str>> {
    let mut changed = HashSet::new();
    for (_, text) in files {
        let tokens = lex::tokens(text, 0);
        let mut definitions: HashMap<&str, u32> = HashMap::new();
        for directive in tokens.windows(3) {
            let [hash, kind, name] = directive else {
                continue;
            };
            if hash.begins_line && hash.is("#") && (kind.is("define") || kind.is("undef")) {
                let count = definitions.entry(&name.text).or_default();
                *count += 1;
                if *count > 1 || kind.is("undef") {
                    changed.insert(name.text.clone());
                }
            }
        }
    }
    changed
}
