//! What a program says to the compiler besides its statements: attributes, pragmas, and other meanings of words that the
//! library defines. Formulas follow none of these, so only those are accepted that change no result.

use super::lex::{Token, TokenKind};
use super::macros::Unsupported;
use crate::ir::Span;

/// Attributes that concern warnings, optimizations and linking only.
const HARMLESS: [&str; 57] = [
    "access",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "const",
    "counted_by",
    "deprecated",
    "designated_init",
    "error",
    "externally_visible",
    "fallthrough",
    "fd_arg",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "leaf",
    "likely",
    "malloc",
    "maybe_unused",
    "may_alias",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_protector",
    "noclone",
    "nodiscard",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noreturn",
    "nothrow",
    "null_terminated_string_arg",
    "pure",
    "retain",
    "returns_nonnull",
    "section",
    "sentinel",
    "stack_protect",
    "unavailable",
    "unlikely",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
    "warning",
];
/// First words of pragmas that concern messages and optimizations only.
const HARMLESS_PRAGMAS: [&[&str]; 15] = [
    &["once"],
    &["message"],
    &["region"],
    &["endregion"],
    &["mark"],
    &["STDC"],
    &["GCC", "diagnostic"],
    &["GCC", "system_header"],
    &["GCC", "poison"],
    &["GCC", "dependency"],
    &["GCC", "warning"],
    &["GCC", "error"],
    &["GCC", "unroll"],
    &["GCC", "ivdep"],
    &["clang"],
];
/// Words of the language before which no name is declared.
const NO_TYPES: [&str; 6] = ["return", "case", "else", "do", "sizeof", "goto"];

/// The first of these things in a translation unit that may change a result.
///
/// # Errors
/// If there is one.
pub(super) fn check(tokens: &[Token]) -> Result<(), Unsupported> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        match &*token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            // A name for the linker, or definitions in the language of the machine.
            "asm" | "__asm__" | "__asm" if depth == 0 => {
                return unsupported(token.span, &token.text);
            }
            "__attribute__" | "__attribute" => listed(&tokens[at + 1..], 2)?,
            "[" if tokens.get(at + 1).is_some_and(|next| next.is("[")) => {
                listed(&tokens[at..], 2)?;
            }
            "_Alignas" | "alignas" => return unsupported(token.span, &token.text),
            "_Pragma" => {
                let text = tokens.get(at + 2).map_or("", |text| &*text.text);
                let words: Vec<&str> = text.trim_matches('"').split_whitespace().collect();
                check_pragma(&words, token.span)?;
            }
            "enum" => enumeration(&tokens[at + 1..])?,
            "true" | "false" => {
                let is_type = |before: &&Token| {
                    before.kind == TokenKind::Word && !NO_TYPES.contains(&&*before.text)
                };
                if before.filter(is_type).is_some() {
                    return other_meaning(&token.text, token.span);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks the names and the values of an enumeration, of which these tokens follow the first word.
fn enumeration(tokens: &[Token]) -> Result<(), Unsupported> {
    let Some(open) = tokens.iter().take(2).position(|token| token.is("{")) else {
        return Ok(());
    };
    // `None` once a value is not a plain number.
    let mut next = Some(0);
    let mut members = tokens[open + 1..].split(|token| token.is(",") || token.is("}"));
    while let Some([name, value @ ..]) = members.next() {
        next = match value {
            [] => next,
            [_, value] => value.text.parse().ok(),
            _ => None,
        };
        let is_usual = match &*name.text {
            "true" => next == Some(1),
            "false" | "NULL" => next == Some(0),
            _ => true,
        };
        if !is_usual {
            return other_meaning(&name.text, name.span);
        }
        next = next.map(|value: i64| value.saturating_add(1));
    }
    Ok(())
}

/// Checks the names of a list in so many brackets.
fn listed(tokens: &[Token], brackets: usize) -> Result<(), Unsupported> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            text if depth == brackets && token.kind == TokenKind::Word => {
                let name = text.trim_matches('_');
                let is_prefix = tokens
                    .get(at + 1)
                    .is_some_and(|next| next.is(":") || next.is("::"));
                if !is_prefix && !HARMLESS.contains(&name) {
                    return unsupported(token.span, &format!("__attribute__(({text}))"));
                }
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    Ok(())
}

fn unsupported(span: Span, what: &str) -> Result<(), Unsupported> {
    Err((span, format!("`{what}` is not supported")))
}

/// Checks a pragma, of which these are the words.
///
/// # Errors
/// If it may change a result.
pub(super) fn check_pragma(words: &[&str], span: Span) -> Result<(), Unsupported> {
    match HARMLESS_PRAGMAS
        .iter()
        .any(|known| words.starts_with(known))
    {
        true => Ok(()),
        false => unsupported(span, &format!("#pragma {}", words.join(" "))),
    }
}

/// That a program gives another meaning to a word of the library.
///
/// # Errors
/// Always.
pub(super) fn other_meaning<T>(name: &str, span: Span) -> Result<T, Unsupported> {
    Err((
        span,
        format!("another meaning of `{name}` is not supported"),
    ))
}

/// Whether a macro of this name and with this body means something else than in the library.
pub(super) fn has_other_meaning(name: &str, body: &[Token]) -> bool {
    let body: String = body.iter().map(|token| &*token.text).collect();
    match name {
        "true" => !matches!(&*body, "1" | "(1)" | "!0" | "(!0)" | "true"),
        "false" => !matches!(&*body, "0" | "(0)" | "!1" | "(!1)" | "false"),
        "NULL" => !matches!(
            &*body,
            "0" | "(0)" | "0L" | "((void*)0)" | "(void*)0" | "((char*)0)"
        ),
        _ => false,
    }
}
