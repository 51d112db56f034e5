//! Masks calls of macros that stand for something else than an expression: attributes, as in `PRINTF_LIKE(1, 2)`, types, as
//! in `LIST_HEAD(, item) items;`, and statements or declarations that no semicolon follows. The macros are recognized by
//! their definitions. Worth trying only for text that cannot be parsed.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{closing, code, end_before, start_after, word_before, write};
use super::macros::Macro;
use super::masks::is_part;
use super::specifiers::stands_for_specifiers;

/// The macros with parameters of a program.
#[derive(Debug)]
pub struct Calls {
    by_name: BTreeMap<String, Stands>,
}

/// What calls of a macro stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Attributes,
    Type,
    Other,
}

impl Calls {
    /// The calls of these macros. `specifiers` are the macros without parameters that stand for specifiers.
    pub fn of(macros: &[Macro], specifiers: &BTreeSet<String>) -> Self {
        let mut by_name = BTreeMap::new();
        for of in macros.iter().filter(|of| of.parameters.is_some()) {
            let stands = stands(&of.body, specifiers);
            let known = by_name.entry(of.name.clone()).or_insert(stands);
            // On a system without such attributes, it stands for nothing.
            if *known != stands {
                *known = Stands::Other;
            }
        }
        Self { by_name }
    }

    /// The text with such calls masked. `None` if there are none.
    pub fn masked(&self, text: &str) -> Option<String> {
        let code = code(text);
        let mut masked = text.as_bytes().to_vec();
        for open in (0..code.len()).filter(|at| code[*at] == b'(') {
            let name = word_before(&code, open);
            let stands = name.and_then(|name| {
                let known = std::str::from_utf8(&code[name.clone()]).ok()?;
                Some((name, *self.by_name.get(known)?))
            });
            let Some((name, stands)) = stands else {
                continue;
            };
            let Some(close) = closing(&code, open) else {
                continue;
            };
            let whole = name.start..close + 1;
            match stands {
                Stands::Attributes => write(&mut masked, whole, b""),
                Stands::Type if starts_word(&code, close + 1) => write(&mut masked, whole, b"int"),
                _ if is_loose(&code, name.start, close + 1) => write(&mut masked, whole, b";"),
                _ => {}
            }
        }
        String::from_utf8(masked)
            .ok()
            .filter(|masked| masked != text)
    }
}

fn stands(body: &str, specifiers: &BTreeSet<String>) -> Stands {
    let first = body.split(|c| !is_part(c)).next().unwrap_or_default();
    match first {
        _ if stands_for_specifiers(body, specifiers) => Stands::Attributes,
        "struct" | "union" | "enum" if !body.ends_with(';') => Stands::Type,
        _ => Stands::Other,
    }
}

/// Whether a name, or a pointer to something, comes next.
fn starts_word(code: &[u8], at: usize) -> bool {
    let next = code.get(start_after(code, at));
    next.is_some_and(|byte| is_part(char::from(*byte)) || *byte == b'*')
}

/// Whether a call stands where a statement or a declaration starts, and another one follows without a semicolon.
fn is_loose(code: &[u8], start: usize, end: usize) -> bool {
    let before = end_before(code, start).checked_sub(1).map(|at| code[at]);
    let next = code.get(start_after(code, end));
    matches!(before, None | Some(b';' | b'{' | b'}' | b')' | b':'))
        && next.is_none_or(|byte| is_part(char::from(*byte)) || *byte == b'}')
}

#[cfg(test)]
mod tests {
    use super::super::macros;
    use super::*;
    use crate::c::syntax::parse;

    #[test]
    fn calls_are_masked_by_what_they_stand_for() {
        let definitions = "#define LIKE(a, b) __attribute__((format(printf, a, b)))\n\
            #define HEAD(name, type) struct name { struct type *first; }\n\
            #define SWAP(a, b) { int t = a; a = b; b = t; }\n\
            #define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define TABLE(x) int table_##x[] = { 1 };\n";
        let calls = Calls::of(&macros::of(definitions), &BTreeSet::new());
        for (text, expected) in [
            (
                "static void LIKE(1, 2)\nf(int a) { }",
                "static void           \nf(int a) { }",
            ),
            (
                "struct s { HEAD(, item) items; };",
                "struct s { int          items; };",
            ),
            (
                "int f(int a) { SWAP(a, b) return a; }",
                "int f(int a) { ;          return a; }",
            ),
            (
                "int f(int a) { if (a) SWAP(a, b) }",
                "int f(int a) { if (a) ;          }",
            ),
            ("TABLE(x)\nint f(void);", ";       \nint f(void);"),
        ] {
            let masked = calls.masked(text).unwrap();
            assert_eq!(masked, expected);
            assert!(!parse(&masked).unwrap().root_node().has_error(), "{masked}");
        }
        for text in [
            "int f(int a) { SWAP(a, b); return MAX(a, 1) + 1; }",
            "int f(int a) { a = MAX(a, 2); g(MAX(a, b)); }",
        ] {
            assert_eq!(calls.masked(text), None, "{text}");
        }
    }
}
