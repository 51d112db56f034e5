//! The parameters of a function that a test may choose without changing anything else that is seen at a site: the same call
//! with another value of such a parameter comes to the site, too, and everything else is there as it was.

use super::words::mentions;
use super::{Site, Sources};

/// Words of Rust and C by which a part of a function may run several times.
const REPEATING: [&str; 4] = ["for", "while", "loop", "do"];

/// The names of these parameters of the function of a site. What a function gets from the rest of a program, and what was read
/// before the site, may depend on other values.
pub fn of(sources: &Sources, site: &Site) -> Vec<String> {
    if !sources.language.policies().tests_call_functions {
        return Vec::new();
    }
    let function = &sources.functions[site.function];
    let text = &sources.files[site.file].text;
    let last = function.name.rsplit("::").next().unwrap_or_default();
    let head = format!("fn {last}");
    // Comments above the function name its parameters, too.
    let start = text[function.span.clone()].find(&head);
    let start = function.span.start + start.unwrap_or(0);
    let end = function.span.end;
    let (Some(before), Some(after)) = (
        text.get(start..site.span.start),
        text.get(site.span.end..end),
    ) else {
        return Vec::new();
    };
    let names = function.parameters.iter().map(|name| &*name.text);
    chosen(names, before, after)
}

/// The parameters among these that nothing reads before a site. `before` starts with the function's head, `after` is the
/// rest.
fn chosen<'n>(names: impl Iterator<Item = &'n str>, before: &str, after: &str) -> Vec<String> {
    // With another value, the condition might have ended the loop in an earlier round.
    if is_in_loop(before) {
        return Vec::new();
    }
    // A closure may be called several times.
    let may_be_in_closure = before.contains('|');
    let is_chosen = |name: &&str| {
        let read = occurrences(before, name) > 1 || may_be_in_closure && mentions(after, name);
        *name != "self" && !read
    };
    names.filter(is_chosen).map(str::to_owned).collect()
}

/// Whether a text ends in a loop's body or condition.
fn is_in_loop(text: &str) -> bool {
    let mut blocks: Vec<bool> = Vec::new();
    let mut is_head = false;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        is_head |= REPEATING.contains(&word.as_str());
        word.clear();
        match c {
            '{' => blocks.push(std::mem::take(&mut is_head)),
            '}' => _ = blocks.pop(),
            ';' => is_head = false,
            _ => {}
        }
    }
    is_head || blocks.contains(&true)
}

/// How often a word stands in a text.
fn occurrences(text: &str, word: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|part| *part == word)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters that can be chosen at the mark.
    fn at_mark(text: &str) -> Vec<String> {
        let (before, after) = text.split_once('@').unwrap();
        chosen(["a", "b"].into_iter(), before, after)
    }

    #[test]
    fn only_what_nothing_has_read_before_is_chosen() {
        assert_eq!(at_mark("fn f(a: i32, b: i32) { if @ { a } }"), ["a", "b"]);
        // `b` has become something else, or only some of its values come here.
        assert_eq!(
            at_mark("fn f(a: f64, b: f64) { let c = b.floor(); if @ { a } }"),
            ["a"]
        );
        assert_eq!(
            at_mark("fn f(a: i32, b: i32) { if b == 0 { return } if @ { a } }"),
            ["a"]
        );
        // The second round may have another `a`, and another `b` might have ended the first one.
        let in_loop = "fn f(a: i32, b: i32) { loop { if @ { break } a -= 1 } }";
        assert!(at_mark(in_loop).is_empty());
        let in_head = "fn f(a: i32, b: i32) { while @ { g(); } }";
        assert!(at_mark(in_head).is_empty());
        assert_eq!(
            at_mark("fn f(a: i32, b: i32) { for x in y { g(x); } if @ { a } }"),
            ["a", "b"]
        );
    }
}
