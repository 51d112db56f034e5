//! Edits that people make in conditions, found by comparing two versions of a file: a function that stays as it was but
//! for one condition, for one `if` around statements or before them, for one guard of a pattern, or for one branch.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use anyhow::{Context, Result};
use camino::Utf8Path;
use nopol_source::rust::{self, CrateRoot};
use nopol_source::{Language, SiteKind, Sources, c};

use super::faults::whole_if;
use super::mine::extension;

/// An edit of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The function's path in its file.
    pub function: String,
    /// What was edited.
    pub what: What,
}

/// What was edited. Positions are numbers of characters of the old function's [`skeleton`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum What {
    /// A condition became another one.
    Condition {
        /// Where it begins.
        at: usize,
        old: String,
        new: String,
    },
    /// Statements were inserted: `if CONDITION { BODY }`.
    Guard {
        at: usize,
        condition: String,
        body: String,
    },
    /// Statements were enclosed: `if CONDITION { … }`.
    Wrap {
        statements: Range<usize>,
        condition: String,
    },
    /// A pattern was narrowed, by `if` in a `match` or by `&&` after a `let`.
    Narrow { at: usize, condition: String },
    /// `else if CONDITION { BODY }` was added.
    Branch {
        at: usize,
        condition: String,
        body: String,
    },
}

/// The text without white space and comments.
pub fn skeleton(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(first) = rest.chars().next() {
        let skipped = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' => {
                let end = end_of_string(rest);
                kept.push_str(&rest[..end]);
                end
            }
            other => {
                if !other.is_whitespace() {
                    kept.push(other);
                }
                other.len_utf8()
            }
        };
        rest = &rest[skipped..];
    }
    kept
}

/// The bytes of a string literal at the start of a text, without regard to raw ones.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The sources of a file in Rust.
///
/// # Errors
/// If there is no place for temporary files.
pub fn read(text: &str) -> Result<Sources> {
    read_with(Language::Rust, text, &[])
}

/// Another file, by its path.
pub type Other = (String, String);

/// Other files in Rust, as modules with made-up names.
pub fn named(texts: impl Iterator<Item = String>) -> Vec<Other> {
    let name = |(nth, text)| (format!("nopol_other_{nth}.rs"), text);
    texts.enumerate().map(name).collect()
}

/// The sources of a file, with what other files declare. Headers of C are found by the paths by which they are included.
///
/// # Errors
/// If there is no place for temporary files.
pub fn read_with(language: Language, text: &str, others: &[Other]) -> Result<Sources> {
    let dir = tempfile::tempdir()?;
    let path = Utf8Path::from_path(dir.path()).context("not UTF-8")?;
    let mut root = text.to_owned();
    for (name, other) in others {
        let file = path.join(name);
        fs::create_dir_all(file.parent().unwrap_or(path))?;
        fs::write(file, other)?;
        if language == Language::Rust {
            root += &format!("\nmod {};", name.trim_end_matches(".rs"));
        }
    }
    let file = format!("lib.{}", extension(language));
    fs::write(path.join(&file), root)?;
    if language == Language::C {
        return Ok(c::read(
            path,
            &c::language::Files::new(vec![file.into()]),
            &|_| true,
        ));
    }
    let root = CrateRoot {
        path: file.into(),
        is_test: false,
        edition_2015: false,
        has_chains: true,
    };
    Ok(rust::read(path, &[root], &|_| true))
}

/// The bytes of an `if` statement without `else`, and of what is between its braces, given its condition.
type WholeIf = fn(&str, &Range<usize>) -> Option<(Range<usize>, Range<usize>)>;

/// The same in C, where a single statement needs no braces.
fn whole_if_in_c(text: &str, condition: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let head = text[..condition.start].trim_end().strip_suffix('(')?;
    let head = head.trim_end().strip_suffix("if")?;
    let is_first = head.trim_end_matches([' ', '\t']).ends_with('\n');
    let rest = text[condition.end..].trim_start().strip_prefix(')')?;
    let body = rest.trim_start();
    let start = text.len() - body.len();
    let (inside, end) = match body.starts_with('{') {
        true => {
            let inside = block_after(text, start)?;
            let end = inside.end + 1;
            (inside, end)
        }
        false => {
            let end = start + body.find(';')? + 1;
            (start..end, end)
        }
    };
    let is_single = !text[inside.clone()].trim_start().starts_with("if");
    let is_last = !text[end..].trim_start().starts_with("else");
    (is_first && is_last && is_single).then_some((head.len()..end, inside))
}

/// A condition of a function: its text, its bytes there, and its kind.
type Condition = (String, Range<usize>, SiteKind);

/// The functions of a file by their names, each with its text and its conditions.
fn functions(sources: &Sources) -> BTreeMap<&str, (&str, Vec<Condition>)> {
    let mut functions = BTreeMap::new();
    for (index, function) in sources.functions.iter_enumerated() {
        let text = &sources.files[function.file].text[function.span.clone()];
        let start = function.span.start;
        let sites = sources.sites.iter().filter(|site| {
            let is_inside = function.span.contains(&site.span.start);
            site.function == index && site.kind.has_condition() && is_inside
        });
        let sites = sites.map(|site| {
            let span = site.span.start - start..site.span.end - start;
            (site.text.clone(), span, site.kind)
        });
        functions.insert(&*function.name, (text, sites.collect()));
    }
    functions
}

/// The edits of functions that were edited in one place.
pub fn between(old: &Sources, new: &Sources) -> Vec<Edit> {
    let whole_if = match new.language {
        Language::C => whole_if_in_c,
        Language::Rust => whole_if,
    };
    let (old, new) = (functions(old), functions(new));
    let mut found = Vec::new();
    for (name, (before, conditions)) in &old {
        let Some((after, now)) = new.get(name) else {
            continue;
        };
        let bare = skeleton(before);
        if bare != skeleton(after)
            && let Some(what) = of_function(before, &bare, conditions, after, now, whole_if)
        {
            found.push(Edit {
                function: (*name).to_owned(),
                what,
            });
        }
    }
    found
}

fn of_function(
    before: &str,
    bare: &str,
    conditions: &[Condition],
    after: &str,
    now: &[Condition],
    whole_if: WholeIf,
) -> Option<What> {
    let length = |text: &str| skeleton(text).chars().count();
    if conditions.len() == now.len() {
        for ((a, at, _), (b, there, _)) in conditions.iter().zip(now) {
            let rest = |text: &str, at: &Range<usize>| {
                (skeleton(&text[..at.start]), skeleton(&text[at.end..]))
            };
            if skeleton(a) != skeleton(b) && rest(before, at) == rest(after, there) {
                return Some(What::Condition {
                    at: length(&before[..at.start]),
                    old: a.clone(),
                    new: b.clone(),
                });
            }
        }
    }
    for (condition, at, kind) in now {
        // Without the text between two bytes it is as it was.
        let is_without = |range: &Range<usize>, kept: &str| {
            let parts = [&after[..range.start], kept, &after[range.end..]];
            parts.map(skeleton).concat() == *bare
        };
        let condition = condition.clone();
        if let Some((statement, body)) = whole_if(after, at) {
            let start = length(&after[..statement.start]);
            let inside = &after[body.clone()];
            if is_without(&statement, "") {
                return Some(What::Guard {
                    at: start,
                    condition,
                    body: inside.trim().to_owned(),
                });
            }
            if is_without(&statement, inside) {
                return Some(What::Wrap {
                    statements: start..start + length(inside),
                    condition,
                });
            }
        }
        let head = after[..at.start].trim_end();
        let joined = match kind {
            SiteKind::Guard => head.strip_suffix("if"),
            SiteKind::LetOperand => head.strip_suffix("&&"),
            _ => None,
        };
        if let Some(head) = joined
            && is_without(&(head.len()..at.end), "")
        {
            return Some(What::Narrow {
                at: length(head),
                condition,
            });
        }
        if let Some(head) = after[..at.start].trim_end().strip_suffix("else if")
            && let Some(body) = block_after(after, at.end)
            && is_without(&(head.len()..body.end + 1), "")
        {
            return Some(What::Branch {
                at: length(head),
                condition,
                body: after[body].trim().to_owned(),
            });
        }
    }
    None
}

/// What is between the braces that begin after a byte.
fn block_after(text: &str, from: usize) -> Option<Range<usize>> {
    let open = from + text[from..].find(|c: char| !c.is_whitespace())?;
    text[open..].starts_with('{').then_some(())?;
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + 1..open + at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(old: &str, new: &str) -> Vec<What> {
        let all = between(&read(old).unwrap(), &read(new).unwrap());
        all.into_iter().map(|edit| edit.what).collect()
    }

    fn function(body: &str) -> String {
        format!("fn f(a: u8, b: Option<u8>) -> u8 {{\n    {body}\n    1\n}}\n")
    }

    #[test]
    fn an_edit_in_one_place_has_its_position() {
        let text = |old: &str, new: &str| {
            let found = edits(&function(old), &function(new));
            found.first().map(|what| format!("{what:?}"))
        };
        let found = text("if a < 1 { g(); }", "// why\n    if a <= 1 { g(); }").unwrap();
        assert!(found.starts_with("Condition"), "{found}");
        let found = text("h();", "h();\n    if a == 2 {\n        return 3;\n    }").unwrap();
        assert!(
            found.contains("body: \"return 3;\"") && found.starts_with("Guard"),
            "{found}"
        );
        let found = text(
            "h();\n    g();",
            "h();\n    if a == 2 {\n        g();\n    }",
        )
        .unwrap();
        assert!(found.starts_with("Wrap"), "{found}");
        let found = text(
            "match b {\n        Some(n) => g(n),\n        _ => {}\n    }",
            "match b {\n        Some(n) if n > a => g(n),\n        _ => {}\n    }",
        )
        .unwrap();
        assert!(found.starts_with("Narrow"), "{found}");
        let found = text(
            "if a < 1 { g(); }",
            "if a < 1 { g(); } else if a > 7 { h(); }",
        )
        .unwrap();
        assert!(
            found.starts_with("Branch") && found.contains("body: \"h();\""),
            "{found}"
        );
        assert_eq!(text("if a < 1 { g(); }", "if a <= 1 { h(); }"), None);
        assert_eq!(text("g();", "g(); // why"), None);
    }

    #[test]
    fn an_edit_in_c_has_its_position() {
        let text = |old: &str, new: &str| {
            let read = |body: &str| {
                let text = format!("int f(int a, char *p)\n{{\n    {body}\n    return 1;\n}}\n");
                read_with(Language::C, &text, &[]).unwrap()
            };
            let found = between(&read(old), &read(new));
            found.first().map(|edit| format!("{:?}", edit.what))
        };
        let found = text("if (a < 1)\n        g();", "if (a <= 1)\n        g();").unwrap();
        assert!(found.contains("old: \"a < 1\", new: \"a <= 1\""), "{found}");
        let found = text("h(p);", "if (p == NULL)\n        return 0;\n    h(p);").unwrap();
        assert!(
            found.starts_with("Guard") && found.contains("body: \"return 0;\""),
            "{found}"
        );
        let found = text("h(p);", "if (p) {\n        h(p);\n    }").unwrap();
        assert!(found.starts_with("Wrap"), "{found}");
        let found = text("h(p);", "if (p)\n        h(p);").unwrap();
        assert!(found.starts_with("Wrap"), "{found}");
        assert_eq!(text("h(p);", "h(p, a);"), None);
    }
}
