//! The pointers that a crash may be due to: those that the function dereferences in which a test crashes, and what other
//! functions pass to it as such.

use std::collections::BTreeSet;

use crate::words::words;
use crate::{FunctionIndex, Sources};

/// The pointers that may be null where a test crashes in a function, as texts without white space, each with the function in
/// which it is written.
pub fn null_guards(sources: &Sources, crashed: FunctionIndex) -> BTreeSet<(FunctionIndex, String)> {
    let function = &sources.functions[crashed];
    let text = text_of(sources, crashed);
    let own = dereferenced(sources, text);
    let mut found: BTreeSet<(FunctionIndex, String)> = own
        .iter()
        .map(|pointer| (crashed, pointer.clone()))
        .collect();
    let is_pointer = |ty: &str| ty.ends_with(['*', ']']) || sources.pointer_types.contains(ty);
    let parameters: Vec<usize> = (function.parameters.iter().enumerate())
        .filter(|(_, name)| {
            own.contains(&name.text) || name.ty.as_ref().is_some_and(|ty| is_pointer(&ty.plain))
        })
        .map(|(nth, _)| nth)
        .collect();
    for (index, _) in sources.functions.iter_enumerated() {
        for arguments in calls(text_of(sources, index), &function.name) {
            let passed = parameters.iter().filter_map(|nth| arguments.get(*nth));
            // What is passed by its address may itself be the null pointer.
            let paths = passed.map(|argument| argument.trim_start_matches('&'));
            found.extend(
                paths
                    .filter(|path| is_path(path))
                    .map(|path| (index, path.to_owned())),
            );
        }
    }
    found
}

fn text_of(sources: &Sources, index: FunctionIndex) -> &str {
    let function = &sources.functions[index];
    sources.files[function.file]
        .text
        .get(function.span.clone())
        .unwrap_or_default()
}

/// What a text dereferences: `p->`, `p[`, `*p`, for names that are pointers somewhere in the program.
fn dereferenced(sources: &Sources, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("->") {
        found.extend(path_before(text, at));
    }
    for range in words(text) {
        let name = &text[range.clone()];
        if !sources.pointers.contains(name) {
            continue;
        }
        let before = text[..range.start].trim_end();
        if text[range.end..].starts_with('[') {
            found.extend(path_before(text, range.end));
        } else if let Some(before) = before.strip_suffix('*')
            && before
                .trim_end()
                .ends_with(['(', '=', ',', ';', '{', '!', '+', '-', '<', '>', '&', '|'])
        {
            found.insert(name.to_owned());
        }
    }
    found.retain(|path| is_path(path));
    found
}

/// The variable with its members and elements that ends before a byte.
fn path_before(text: &str, end: usize) -> Option<String> {
    let bytes = text.as_bytes();
    let mut start = end;
    let mut depth = 0_usize;
    while start > 0 {
        let byte = bytes[start - 1];
        match byte {
            b']' => depth += 1,
            b'[' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            b'.' | b'_' => {}
            b'>' if start > 1 && bytes[start - 2] == b'-' => start -= 1,
            byte if byte.is_ascii_alphanumeric() => {}
            _ => break,
        }
        start -= 1;
    }
    let path: String = text.get(start..end)?.split_whitespace().collect();
    (!path.is_empty()).then_some(path)
}

/// The arguments of each call of a function, without white space.
fn calls(text: &str, name: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for range in words(text)
        .into_iter()
        .filter(|range| &text[range.clone()] == name)
    {
        let Some(rest) = text[range.end..].trim_start().strip_prefix('(') else {
            continue;
        };
        let (mut depth, mut arguments, mut argument) = (0_usize, Vec::new(), String::new());
        for c in rest.chars() {
            match c {
                ')' | ',' if depth == 0 => arguments.push(std::mem::take(&mut argument)),
                c if c.is_whitespace() => {}
                c => argument.push(c),
            }
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => break,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        found.push(arguments);
    }
    found
}

/// Whether a text is a variable with members and elements.
fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.->[]".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_part)
        && text != "NULL"
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::c::language::Files;

    #[test]
    fn a_crash_may_be_due_to_what_is_dereferenced_or_passed() {
        let text = "struct s { struct s *next; char *name; int n; };\n\
            int length(struct s *s, int i)\n{\n    char c = *s->name;\n    return s->next->n + s->name[i] + c;\n}\n\
            int twice(struct s *a, struct s b)\n{\n    return length(a->next, b.n) + length(&b, (1, 2));\n}\n";
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.c"), text).unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let sources = crate::c::read(root, &Files::new(vec!["a.c".into()]), &|_| true);
        let mut functions = sources.functions.iter_enumerated();
        let (crashed, _) = functions
            .find(|(_, function)| function.name == "length")
            .unwrap();
        let found = null_guards(&sources, crashed);
        let of = |name: &str| -> Vec<&str> {
            let is_it = |index: FunctionIndex| sources.functions[index].name == name;
            let texts = found.iter().filter(|(index, _)| is_it(*index));
            texts.map(|(_, text)| text.as_str()).collect()
        };
        assert_eq!(of("length"), ["s", "s->name", "s->next"]);
        assert_eq!(of("twice"), ["a->next", "b"]);
    }
}
