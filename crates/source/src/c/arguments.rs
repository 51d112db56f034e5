//! Masks arguments of macros that are no expressions: types, as in `va_arg(list, char *)`, operators, and missing
//! arguments. Calls beside a string, which must stand for strings, and calls that must stand for `case` are masked, too.
//! Worth trying only for text that cannot be parsed.

use std::ops::Range;

use super::code::{blank, closing, code, end_before, parts, start_after, word_before, write};

/// Words before parentheses that are no names of functions or macros.
const KEYWORDS: [&str; 21] = [
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "case",
    "do",
    "else",
    "_Alignof",
    "alignof",
    "__alignof__",
    "typeof",
    "__typeof__",
    "__typeof",
    "_Generic",
    "_Atomic",
    "_Alignas",
    "__attribute__",
    "__attribute",
    "__declspec",
];
/// Words that a name follows without being declared.
const BEFORE_CALLS: [&str; 4] = ["return", "else", "do", "case"];
/// Words of types with several words.
const TYPE_WORDS: [&str; 9] = [
    "struct", "union", "enum", "unsigned", "signed", "long", "short", "const", "volatile",
];

/// The text with such arguments and calls masked. `None` if there are none.
pub fn without_odd(text: &str) -> Option<String> {
    let code = code(text);
    let mut masked = text.as_bytes().to_vec();
    let mut depth = 0_i64;
    for at in 0..code.len() {
        match code[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            // The parameters of a declaration are types, too.
            b'(' if depth > 0 => {
                if let Some((name, close)) = call(&code, at) {
                    mask(&code, &mut masked, name, at + 1..close);
                }
            }
            _ => {}
        }
    }
    String::from_utf8(masked)
        .ok()
        .filter(|masked| masked != text)
}

/// The name before the parenthesis at the byte `open`, and the parenthesis that closes it, if that is a call.
fn call(code: &[u8], open: usize) -> Option<(Range<usize>, usize)> {
    let name = word_before(code, open)?;
    let is = |words: &[&str], word: &Range<usize>| {
        words.iter().any(|it| it.as_bytes() == &code[word.clone()])
    };
    let is_declared = word_before(code, name.start).is_some_and(|word| !is(&BEFORE_CALLS, &word));
    if is(&KEYWORDS, &name) || is_declared {
        return None;
    }
    let close = closing(code, open)?;
    Some((name, close))
}

fn mask(code: &[u8], masked: &mut [u8], name: Range<usize>, inside: Range<usize>) {
    let before = end_before(code, name.start);
    let after = start_after(code, inside.end + 1);
    let is_quote = |at: usize| code.get(at) == Some(&b'"');
    if is_quote(after) || before > 0 && is_quote(before - 1) {
        write(masked, name.start..inside.end + 1, b"\"\"");
        return;
    }
    // In an expression, a question mark would come before the call.
    let is_label = code.get(after) == Some(&b':') && code.get(after + 1) != Some(&b':');
    if is_label && before > 0 && matches!(code[before - 1], b';' | b'{' | b'}') {
        write(masked, name.start..inside.end + 1, b"case 0");
        return;
    }
    let parts = parts(code, inside.clone());
    if &code[name] == b"offsetof" {
        // The parser knows this name, but only fields of the type itself.
        if let Some(member) = parts.get(1) {
            let is_end = |byte: &u8| matches!(byte, b'.' | b'[');
            let length = code[member.clone()].iter().position(is_end);
            blank(&mut masked[member.start + length.unwrap_or(member.len())..member.end]);
        }
        return;
    }
    for (nth, part) in parts.iter().enumerate() {
        let own = &code[part.clone()];
        if own.is_empty() && parts.len() > 1 {
            // A comma beside it.
            let at = match nth {
                0 => parts[0].end..parts[1].start,
                _ => parts[nth - 1].end..part.start,
            };
            let comma = code[at.clone()].iter().position(|byte| *byte == b',');
            masked[at.start + comma.unwrap_or(0)] = b' ';
        } else if is_operator(own) && (parts.len() > 1 || own != b"*") {
            write(masked, part.clone(), b"0");
        } else if is_type(own) && own.len() > 1 {
            // A block: the parser accepts it as an argument, and nothing takes it for an expression.
            write(masked, part.clone(), b"{}");
        }
    }
}

fn is_operator(argument: &[u8]) -> bool {
    !argument.is_empty() && argument.iter().all(|byte| b"<>=!+-*/%&|^".contains(byte))
}

/// Whether an argument can only be a type.
fn is_type(argument: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(argument) else {
        return false;
    };
    let has_pointer = text.contains("(*)") && text.ends_with(')');
    let spaced = text.replace('*', " * ");
    let all: Vec<&str> = spaced.split_whitespace().collect();
    let is_word = |word: &&str| {
        word.chars().all(super::masks::is_part) && !word.starts_with(|c: char| c.is_ascii_digit())
    };
    let Some(first) = all.first().filter(|word| is_word(word)) else {
        return false;
    };
    if has_pointer {
        return true;
    }
    if !all.iter().all(|word| *word == "*" || is_word(word)) {
        return false;
    }
    let (words, stars): (Vec<&str>, Vec<&str>) = all.iter().partition(|word| is_word(word));
    let is_pointer = match stars.is_empty() {
        true => false,
        // Nothing but qualifiers follows the last star.
        false => {
            let after = all.rsplit(|word| *word == "*").next().unwrap_or_default();
            after
                .iter()
                .all(|word| matches!(*word, "const" | "volatile" | "restrict"))
        }
    };
    is_pointer
        || stars.is_empty()
            && words.len() > 1
            && (TYPE_WORDS.contains(first) || words[1..].iter().any(|it| TYPE_WORDS.contains(it)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    fn masked_body(body: &str) -> Option<String> {
        let text = format!("void f(char *, int) {{ {body} }}");
        let masked = without_odd(&text)?;
        assert!(masked.starts_with("void f(char *, int) { ") && masked.len() == text.len());
        assert!(!parse(&masked).unwrap().root_node().has_error(), "{masked}");
        Some(masked[22..masked.len() - 2].to_owned())
    }

    #[test]
    fn arguments_that_are_no_expressions_are_masked() {
        for (body, expected) in [
            ("p = va_arg(l, char *);", "p = va_arg(l, {}    );"),
            (
                "if (!NEW(n, struct s)) return;",
                "if (!NEW(n, {}      )) return;",
            ),
            (
                "return cast(unsigned int, n);",
                "return cast({}          , n);",
            ),
            (
                "g(T *const, a * b, \"int *\");",
                "g({}      , a * b, \"int *\");",
            ),
            (
                "h = va_arg(l, void (*)(int));",
                "h = va_arg(l, {}           );",
            ),
            ("if (cmp(&a, &b, >=)) g();", "if (cmp(&a, &b, 0 )) g();"),
            ("relation(<=);", "relation(0 );"),
            ("n = NEXT(tree, , e);", "n = NEXT(tree  , e);"),
            ("n = NEXT(, e);", "n = NEXT(  e);"),
            (
                "e(l, QL(\"a\") \" must \" QL(\"b\"));",
                "e(l, \"\"      \" must \" \"\"     );",
            ),
            (
                "n = offsetof(struct s, a.b[1]);",
                "n = offsetof(struct s, a     );",
            ),
            (
                "switch (n) { OPCODE(ADD): g(); OPCODE(SUB) : { g(); } }",
                "switch (n) { case 0     : g(); case 0      : { g(); } }",
            ),
        ] {
            assert_eq!(masked_body(body).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn expressions_and_declarations_stay() {
        for body in [
            "int g(char *); if (a && f(b * c, *d)) return;",
            "n = sizeof(char *) + sizeof(struct s);",
            "g();",
            "g(\"a, , b\", ',');",
            "n = a ? b ? c : f(d) : f(e);",
        ] {
            assert_eq!(masked_body(body), None, "{body}");
        }
    }
}
