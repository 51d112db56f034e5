//! Macros that stand for specifiers or attributes, or for nothing, as `local` for `static` and `API` for a visibility:
//! the parser takes their names for types. They are known by their definitions, in the program's files and headers.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::masks::{call, is_part};

/// What the bodies of such macros consist of, beside attributes and other such macros.
const SPECIFIERS: [&str; 18] = [
    "auto",
    "const",
    "extern",
    "inline",
    "register",
    "restrict",
    "static",
    "volatile",
    "_Noreturn",
    "_Thread_local",
    "__const",
    "__extension__",
    "__forceinline",
    "__inline",
    "__inline__",
    "__restrict",
    "__restrict__",
    "__thread",
];
const ATTRIBUTES: [&str; 3] = ["__attribute__", "__attribute", "__declspec"];

/// The names of such macros in these files and in the headers that they include with quotes.
pub fn known(root: &Utf8Path, files: &[Utf8PathBuf]) -> BTreeSet<String> {
    let mut bodies: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut seen: BTreeSet<Utf8PathBuf> = files.iter().cloned().collect();
    let mut waiting: Vec<Utf8PathBuf> = files.to_vec();
    while let Some(path) = waiting.pop() {
        let bytes = std::fs::read(root.join(&path)).unwrap_or_default();
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
                continue;
            };
            if let Some((name, body)) = directive.strip_prefix("define").and_then(object_like) {
                bodies.entry(name).or_default().push(body);
            }
            if let Some(header) = directive.strip_prefix("include").and_then(quoted) {
                let beside = path.parent().unwrap_or(Utf8Path::new("")).join(header);
                let found = [beside, header.into()].into_iter();
                let mut found = found.filter(|path| root.join(path).is_file());
                waiting.extend(found.next().filter(|path| seen.insert(path.clone())));
            }
        }
    }
    let mut names = BTreeSet::new();
    loop {
        let stands = |body: &String| stands_for_specifiers(body, &names);
        let more: Vec<String> = bodies
            .iter()
            .filter(|(name, bodies)| {
                // On another system it may be a word of that system, as `WINAPI`.
                let may_stand = |body: &String| stands(body) || is_word(body);
                !names.contains(*name) && bodies.iter().any(stands) && bodies.iter().all(may_stand)
            })
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more);
    }
}

/// The name and the body of an object-like macro, from what follows `#define`.
fn object_like(definition: &str) -> Option<(String, String)> {
    let definition = definition.trim();
    let end = definition.find(|c| !is_part(c));
    let (name, body) = definition.split_at(end.unwrap_or(definition.len()));
    let body = body.split("//").next().unwrap_or_default();
    let body = match body.split_once("/*") {
        Some((before, _)) => before,
        None => body,
    };
    // With a parenthesis right after its name, a macro has arguments.
    (!name.is_empty() && !body.starts_with('(')).then(|| (name.to_owned(), body.trim().to_owned()))
}

fn is_word(body: &str) -> bool {
    body.chars().all(is_part) && body.starts_with(|c: char| !c.is_ascii_digit())
}

/// The path of a header, from what follows `#include`.
fn quoted(path: &str) -> Option<&str> {
    path.trim_start().strip_prefix('"')?.split('"').next()
}

/// Whether a macro's body is specifiers, attributes and such macros only.
fn stands_for_specifiers(body: &str, names: &BTreeSet<String>) -> bool {
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = match word {
            _ if ATTRIBUTES.contains(&word) => match call(after, 0) {
                Some(end) => &after[end..],
                None => return false,
            },
            _ if SPECIFIERS.contains(&word) || names.contains(word) => after,
            _ => return false,
        }
        .trim_start();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_for_specifiers_are_known_by_their_definitions() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let source = "#include \"inc/a.h\"\n#define local static\n#define MOST 8\n#define F(x) x\n#define TYPE int\n";
        let header = "#ifndef A_H\n#define A_H\n# define API __attribute__ ((visibility (\"default\"))) // all\n#define API_INLINE static inline API\n#define SIZE\n#define SIZE 3\n#define CALL WINAPI\n#define CALL\n";
        std::fs::create_dir(root.join("inc")).unwrap();
        std::fs::write(root.join("a.c"), source).unwrap();
        std::fs::write(root.join("inc/a.h"), header).unwrap();
        let known = known(root, &["a.c".into()]);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        assert_eq!(known, ["API", "API_INLINE", "A_H", "CALL", "local"]);
    }
}
