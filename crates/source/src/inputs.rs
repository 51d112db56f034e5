//! Parameters whose values a test can choose without changing anything else at a site: the same call with another value
//! of the parameter still reaches the site, and everything else is the same there.

use super::words::mentions;
use super::{Site, Sources};

/// Keywords of Rust and C that let code run several times.
const REPEATING: [&str; 4] = ["for", "while", "loop", "do"];

/// The names of these parameters, for the function of a site. Values from the rest of the program, or read before the
/// site, may depend on the parameter, so a parameter that is read before the site does not count.
pub fn of(sources: &Sources, site: &Site) -> Vec<String> {
    if !sources.language.policies().tests_call_functions {
        return Vec::new();
    }
    let function = &sources.functions[site.function];
    let text = &sources.files[site.file].text;
    let last = function.name.rsplit("::").next().unwrap_or_default();
    let head = format!("fn {last}");
    // Comments above the function may mention its parameters, so start at its head.
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

/// The parameters among these that nothing reads before a site. `before` is the text from the function's head to the
/// site, `after` is the rest of the function.
fn chosen<'n>(names: impl Iterator<Item = &'n str>, before: &str, after: &str) -> Vec<String> {
    // With another value, the condition might have ended the loop in an earlier iteration.
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

/// Whether a text ends inside the body or the condition of a loop.
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

/// How often a word occurs in a text.
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
    fn only_parameters_not_read_before_can_be_chosen() {
        assert_eq!(at_mark("fn f(a: i32, b: i32) { if @ { a } }"), ["a", "b"]);
        // `b` has been converted, or only some of its values reach the site.
        assert_eq!(
            at_mark("fn f(a: f64, b: f64) { let c = b.floor(); if @ { a } }"),
            ["a"]
        );
        assert_eq!(
            at_mark("fn f(a: i32, b: i32) { if b == 0 { return } if @ { a } }"),
            ["a"]
        );
        // In the second iteration, `a` may differ, and another `b` might have ended the first one.
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
