//! What the text of an expression or a type shows without anything around it.

use nopol_expr::{IntType, Type};

/// What a text without white space calls last, and with which arguments.
pub(super) fn called(text: &str) -> Option<(&str, Vec<&str>)> {
    let inside = text.strip_suffix(')')?;
    let mut depth = 1_usize;
    let mut commas = Vec::new();
    let open = inside.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => depth -= 1,
            ',' if depth == 1 => commas.push(at),
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let mut arguments = Vec::new();
    let mut from = open + 1;
    for end in commas.into_iter().rev().chain([inside.len()]) {
        let argument = inside[from..end].trim_start_matches(['&', '*']);
        if !argument.is_empty() {
            arguments.push(argument);
        }
        from = end + 1;
    }
    Some((&text[..open], arguments))
}

/// A type without its path and its parameters.
pub(super) fn head_of(plain: &str) -> &str {
    let head = plain.split('<').next().unwrap_or(plain);
    match head.rsplit("::").next().unwrap_or(head) {
        "String" => "str",
        head => head,
    }
}

/// The type of a literal without a type of its own.
pub(super) fn literal(text: &str) -> Option<Type> {
    match text {
        "true" | "false" => Some(Type::Bool),
        _ if text.starts_with("b'") => Some(Type::Int(IntType::U8)),
        _ if text.starts_with('\'') => Some(Type::Char),
        _ if text.starts_with('"') => Some(Type::Str),
        _ if text.contains('.') => Some(Type::F64),
        // The other operand has it.
        _ => None,
    }
}

/// The enum and the variant that a path names.
pub fn variant(text: &str) -> Option<(String, String)> {
    let text = bare(text);
    let path = text.split(['(', '{']).next().unwrap_or_default();
    let (head, name) = path.rsplit_once("::")?;
    let head = head.rsplit("::").next().unwrap_or(head);
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    let is_constant = name.chars().all(|c| !c.is_lowercase()) && name.len() > 1;
    (is_type(head) && is_type(name) && !is_constant).then(|| (head.to_owned(), name.to_owned()))
}

/// A text without white space, references, and what does not change a value.
pub fn bare(text: &str) -> String {
    let mut text: String = text.split_whitespace().collect();
    for idle in [
        ".as_ref()",
        ".as_str()",
        ".as_deref()",
        ".as_bytes()",
        ".clone()",
        ".borrow()",
        ".to_owned()",
    ] {
        text = text.replace(idle, "");
    }
    let mut inner = text.trim_start_matches(['&', '*']);
    while let Some(inside) = inner.strip_prefix('(').and_then(|it| it.strip_suffix(')'))
        && !inside.contains(['(', ')'])
    {
        inner = inside.trim_start_matches(['&', '*']);
    }
    inner.to_owned()
}
