//! Masks definitions in the style from before 1989 that the parser rejects: those of functions that return pointers, as in
//! `char *f(s) char *s; { … }`, and those without a type. Worth trying only for text that cannot be parsed.

use tree_sitter::Node;

use super::code::{closing, code, end_before, parts, start_after, word_before, write};
use super::masks::is_part;
use super::syntax::{children, text_of};
use super::types::declarators;
use crate::DeclaredType;

/// Stands for the type of a function without one, in place of the first two bytes of its name.
const TYPE: &[u8] = b"i ";

/// The text with such definitions masked. `None` if there are none.
pub fn without_odd(text: &str) -> Option<String> {
    let code = code(text);
    let mut masked = text.as_bytes().to_vec();
    let mut depth = 0_i64;
    for at in 0..code.len() {
        match code[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'(' if depth == 0 => mask(&code, &mut masked, at),
            _ => {}
        }
    }
    String::from_utf8(masked)
        .ok()
        .filter(|masked| masked != text)
}

/// Masks the definition with these parentheses, if they contain only names.
fn mask(code: &[u8], masked: &mut [u8], open: usize) {
    let Some((name, close)) = word_before(code, open).zip(closing(code, open)) else {
        return;
    };
    let is_name = |byte: &u8| is_part(char::from(*byte));
    let names = parts(code, open + 1..close);
    if !names
        .iter()
        .all(|part| code[part.clone()].iter().all(is_name))
    {
        return;
    }
    let next = code.get(start_after(code, close + 1)).copied();
    let is_old = next.is_some_and(|byte| is_name(&byte));
    if !is_old && next != Some(b'{') {
        return;
    }
    let before = end_before(code, name.start);
    match before.checked_sub(1).map(|last| code[last]) {
        Some(b'*') if is_old => {
            let is_star = |at: &usize| matches!(code[*at], b'*' | b' ' | b'\t' | b'\n' | b'\r');
            for at in (0..before).rev().take_while(is_star) {
                if code[at] == b'*' {
                    masked[at] = b' ';
                }
            }
        }
        None | Some(b';' | b'}') if name.len() > TYPE.len() => {
            masked[name.start..name.start + TYPE.len()].copy_from_slice(TYPE);
        }
        Some(_) => {
            let word = word_before(code, name.start);
            let is_storage = |word: &[u8]| word == b"static" || word == b"extern";
            if let Some(word) = word.filter(|word| is_storage(&code[word.clone()])) {
                let first = word_before(code, word.start);
                let is_first = first.is_none_or(|first| !is_name(&code[first.end - 1]));
                if is_first {
                    write(masked, word, b"int");
                }
            }
        }
        None => {}
    }
}

/// The name of a declaration, with the bytes of it that a mask of this module takes away.
pub fn whole_name<'t>(name: Node, text: &'t str) -> &'t str {
    let start = name.start_byte().checked_sub(TYPE.len());
    let whole = start.and_then(|start| text.get(start..name.end_byte()));
    let is_cut = |whole: &&str| whole.chars().all(is_part);
    whole.filter(is_cut).unwrap_or_else(|| text_of(name, text))
}

/// The type at the start of a definition, with what a mask of this module takes away. `base` is the type as parsed.
pub fn completed(base: String, ty: Node, declarator: Option<Node>, text: &str) -> String {
    let after = text.get(ty.end_byte()..).unwrap_or_default();
    let is_missing = after.starts_with(is_part) || matches!(&*base, "static" | "extern");
    let between = declarator.and_then(|it| text.get(ty.end_byte()..it.start_byte()));
    let stars = between.unwrap_or_default().matches('*').count();
    let base = if is_missing { "int" } else { &base };
    format!("{base}{}", "*".repeat(stars))
}

/// What gives a parameter its type that an old-style definition only names: a declaration before the body; without one, it
/// is an `int`.
pub fn declared<'t>(
    definition: Node<'t>,
    text: &'t str,
) -> impl Fn(&str) -> (String, DeclaredType) + 't {
    let all = children(definition).into_iter();
    let declarations = all.filter(|child| child.kind() == "declaration");
    let declared = declarations.flat_map(|declaration| declarators(declaration, text));
    let declared: Vec<_> = declared.map(|(name, ty, _)| (name, ty)).collect();
    move |name| {
        let known = declared.iter().find(|(known, _)| known == name);
        let int = || DeclaredType {
            plain: "int".to_owned(),
            is_reference: false,
        };
        let ty = known.map_or_else(int, |(_, ty)| ty.clone());
        (name.to_owned(), ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    #[test]
    fn a_name_is_cut_only_by_a_mask() {
        for (text, masked, expected) in [
            ("main() { }", "i in() { }", "main"),
            ("int ab() { }", "int ab() { }", "ab"),
            ("①a() { }", "i  a() { }", "a"),
        ] {
            let tree = parse(masked).unwrap();
            let mut names = Vec::new();
            super::super::syntax::walk(tree.root_node(), &mut |node| {
                if node.kind() == "identifier" {
                    names.push(whole_name(node, text));
                }
                true
            });
            assert_eq!(names, [expected]);
        }
    }

    #[test]
    fn definitions_without_a_type_or_with_a_pointer_are_masked() {
        for (text, expected) in [
            (
                "char *f(s, n)\nchar *s; int n;\n{ }",
                "char  f(s, n)\nchar *s; int n;\n{ }",
            ),
            ("int a;\nmain()\n{ }", "int a;\ni in()\n{ }"),
            ("static f(a) int a; { }", "int    f(a) int a; { }"),
            (
                "struct s **\nget(a)\nint a;\n{ }",
                "struct s   \nget(a)\nint a;\n{ }",
            ),
        ] {
            let masked = without_odd(text).unwrap();
            assert_eq!(masked, expected);
            assert!(!parse(&masked).unwrap().root_node().has_error(), "{masked}");
        }
        for text in [
            "char *f(void) { return g(a); }",
            "char *f(T), *g(U);",
            "int f(a) int a; { return a; }",
            "X(a);\nint b;",
        ] {
            assert_eq!(without_odd(text), None, "{text}");
        }
    }
}
