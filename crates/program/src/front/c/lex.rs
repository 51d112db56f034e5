//! Preprocessing tokens of C.

use std::rc::Rc;

use super::macros::Constant;
use crate::ir::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A string literal or a character literal.
    Quoted,
    /// An operator or a punctuation mark.
    Mark,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Its characters.
    pub(super) text: Rc<str>,
    /// Where it is written; what comes from a macro is written where the macro is used.
    pub(super) span: Span,
    /// Whether it is the first one on its line.
    pub(super) begins_line: bool,
    /// Whether there is white space before it.
    pub(super) is_spaced: bool,
    /// The macro it names, if that macro is a constant.
    pub(super) constant: Option<Rc<Constant>>,
    /// The expansion of a macro in the body of which its characters are written; `None` if that is the file.
    pub(super) written_in: Option<u32>,
    /// Where it is in the bodies of the macros that brought it here: what takes its place, of an argument the parameter.
    pub(super) within: Vec<Within>,
}

/// A part of the body of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Within {
    /// Which expansion it is.
    pub(super) expansion: u32,
    /// Where the part is written.
    pub(super) span: Span,
    /// The definition of the macro.
    pub(super) directive: Span,
    /// Where the macro is used in the file.
    pub(super) call: Span,
}

impl Token {
    /// Where it is in the body of the macro of this expansion, or in the file.
    pub(super) fn place_in(&self, expansion: Option<u32>) -> Option<Span> {
        let Some(expansion) = expansion else {
            return Some(self.span);
        };
        let mut within = self.within.iter();
        within
            .find(|within| within.expansion == expansion)
            .map(|within| within.span)
    }

    /// Whether it is this mark or word.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != TokenKind::Quoted && &*self.text == text
    }
}

/// The operators of more than one character, the longest first.
const MARKS: [&str; 23] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "^=", "|=", "##",
];

/// The tokens of a file. What is not a token of C becomes a mark, and the parser says so.
pub(super) fn tokens(text: &str, file: u32) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut begins_line = true;
    let mut is_spaced = false;
    while at < text.len() {
        let blank = blank(&text[at..]);
        if blank > 0 && splits(&tokens, text, at, blank) {
            // The parser then says that it cannot read this.
            tokens.push(Token {
                kind: TokenKind::Mark,
                text: "\\".into(),
                span: span(file, at, at + 1),
                begins_line,
                is_spaced,
                constant: None,
                written_in: None,
                within: Vec::new(),
            });
        }
        if blank > 0 {
            begins_line |= text[at..].starts_with(['\n', '\r']);
            is_spaced = true;
            at += blank;
            continue;
        }
        let (kind, length) = token(&text[at..]);
        tokens.push(Token {
            kind,
            text: text[at..at + length].into(),
            span: span(file, at, at + length),
            begins_line,
            is_spaced,
            constant: None,
            written_in: None,
            within: Vec::new(),
        });
        at += length;
        begins_line = false;
        is_spaced = false;
    }
    tokens
}

/// The span of these bytes.
pub(super) fn span(file: u32, start: usize, end: usize) -> Span {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        file,
        start: number(start),
        end: number(end),
    }
}

/// The length of a blank or of a comment at the beginning of a text; 0 if there is none.
pub(super) fn blank(text: &str) -> usize {
    if text.starts_with("/*") {
        return text
            .get(2..)
            .and_then(|t| t.find("*/"))
            .map_or(text.len(), |end| end + 4);
    }
    if text.starts_with("//") {
        // A backslash at the end of a line continues the comment.
        let mut lines = text.match_indices('\n').map(|(end, _)| end);
        let end = lines.find(|end| {
            !text[..*end]
                .trim_end_matches([' ', '\t', '\r'])
                .ends_with('\\')
        });
        return end.unwrap_or(text.len());
    }
    if let Some(after) = text.strip_prefix('\\') {
        // Compilers allow blanks there.
        let after = after.trim_start_matches([' ', '\t', '\r']);
        if let Some(next) = after.strip_prefix('\n') {
            return text.len() - next.len();
        }
    }
    match text.chars().next() {
        Some(c) if c.is_whitespace() => c.len_utf8(),
        _ => 0,
    }
}

/// Whether a line is continued, with so many bytes at `at`, within a token, of which only the beginning is the last of these tokens.
fn splits(tokens: &[Token], text: &str, at: usize, length: usize) -> bool {
    let Some(last) = tokens.last() else {
        return false;
    };
    let rest = &text[at + length..];
    if !text[at..].starts_with('\\')
        || last.span.end as usize != at
        || blank(rest) > 0 && !rest.starts_with('/')
    {
        return false;
    }
    let joined: String = last.text.chars().chain(rest.chars().take(3)).collect();
    blank(&joined) > 0 || !rest.is_empty() && token(&joined).1 != last.text.len()
}

/// The kind and the length of the token at the beginning of a text.
fn token(text: &str) -> (TokenKind, usize) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    let second = chars.next().unwrap_or(' ');
    if first.is_ascii_digit() || first == '.' && second.is_ascii_digit() {
        return (TokenKind::Number, number(text));
    }
    if is_word(first) {
        let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
        return (TokenKind::Word, length);
    }
    if matches!(first, '"' | '\'')
        && let Some(length) = quoted(text, first)
    {
        return (TokenKind::Quoted, length);
    }
    let length = MARKS
        .iter()
        .find(|mark| text.starts_with(**mark))
        .map_or(first.len_utf8(), |mark| mark.len());
    (TokenKind::Mark, length)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn number(text: &str) -> usize {
    let mut before = ' ';
    text.find(|c: char| {
        let goes_on = is_word(c) || c == '.' || matches!(c, '+' | '-') && is_exponent(before, text);
        before = c;
        !goes_on
    })
    .unwrap_or(text.len())
}

/// Whether a sign after this character belongs to the number: `e` is a digit of hexadecimal numbers.
fn is_exponent(before: char, text: &str) -> bool {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if is_hexadecimal {
        matches!(before, 'p' | 'P')
    } else {
        matches!(before, 'e' | 'E')
    }
}

/// The length of the literal, unless the line ends before it does.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\n' => return None,
            '\\' => is_escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
