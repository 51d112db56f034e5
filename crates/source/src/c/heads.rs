//! Macros that stand for the head of a statement, as in `EACH(node, list) { … }`, or for its beginning or end with a
//! brace. Their uses are not valid C before expansion. They are recognized by their definitions. The parser sees a
//! plain head of the same length instead, so offsets stay correct.

use std::collections::BTreeMap;

use super::macros::Macro;
use super::masks::{BRANCH, LOOP, call, is_part, without_typeof};
use super::syntax::parse;

/// What a macro stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    /// The head of a loop.
    Loop,
    /// The head of an `if`, which may have an `else`.
    Branch,
    /// A head with an opening brace.
    Open,
    /// A closing brace, possibly with more that belongs to the statement's end.
    Close,
}

/// The macros that stand for heads.
#[derive(Debug, Default)]
pub struct Heads {
    by_name: BTreeMap<String, (Head, Macro)>,
}

impl Heads {
    /// The macros of a program that stand for heads. With several definitions, all of them must do so.
    pub fn among(macros: &[Macro]) -> Self {
        let mut definitions: BTreeMap<&str, Vec<&Macro>> = BTreeMap::new();
        for of in macros {
            definitions.entry(&of.name).or_default().push(of);
        }
        let mut heads = Self::default();
        // The body of a macro may use other such macros.
        loop {
            let all = definitions.iter();
            let more = all.filter(|(name, _)| !heads.by_name.contains_key(**name));
            let more: Vec<_> = more
                .filter_map(|(name, bodies)| {
                    let first = (*bodies.first()?).clone();
                    Some(((*name).to_owned(), (heads.of_all(bodies)?, first)))
                })
                .collect();
            if more.is_empty() {
                return heads;
            }
            heads.by_name.extend(more);
        }
    }

    fn of_all(&self, definitions: &[&Macro]) -> Option<Head> {
        let mut all = definitions.iter();
        let kind = |of: &&Macro| Some((self.of_body(&of.body)?, of.parameters.is_some()));
        let first = kind(all.next()?)?;
        all.all(|other| kind(other) == Some(first))
            .then_some(first.0)
    }

    /// The first definition of a macro that stands for a head.
    pub fn definition(&self, name: &str) -> Option<&Macro> {
        self.by_name.get(name).map(|(_, definition)| definition)
    }

    fn of_body(&self, body: &str) -> Option<Head> {
        let body = body.split("##").map(str::trim).collect::<Vec<_>>().concat();
        let body = self.masked(&body).unwrap_or(body);
        let body = without_typeof(&body).unwrap_or(body);
        let body = body.trim();
        if body.ends_with(';') && !body.starts_with('}') {
            return None;
        }
        let is_statement = |before: &str, after: &str| {
            let tree = parse(&format!("void f(void) {{ {before} {body} {after} }}"));
            tree.is_some_and(|tree| !tree.root_node().has_error())
        };
        let has_word = |word: &str| body.split(|c| !is_part(c)).any(|part| part == word);
        if body.starts_with('}') {
            let ends = body.trim_end_matches([';', ' ']).ends_with('}') || has_word("while");
            let is_end = |before| is_statement(before, "") || is_statement(before, ";");
            return (ends && (is_end("{") || is_end("do {"))).then_some(Head::Close);
        }
        let is_known = ["for", "while", "if", "do", "switch"]
            .into_iter()
            .any(has_word);
        if !is_known || body.ends_with('}') {
            return None;
        }
        if body.ends_with('{') {
            let is_begin = is_statement("", "}") || is_statement("", "} while (0);");
            return is_begin.then_some(Head::Open);
        }
        // A call with a type among its arguments cannot be parsed, but the extent of the head is known anyway.
        let whole = ["for", "while", "if"].into_iter().find(|word| {
            let rest = body.strip_prefix(word);
            rest.is_some_and(|rest| call(rest, 0) == Some(rest.len()))
        });
        let is_branch = is_statement("", "{} else {}");
        match whole {
            Some("if") => Some(Head::Branch),
            Some(_) => Some(Head::Loop),
            None if is_branch => Some(Head::Branch),
            None => is_statement("", "{}").then_some(Head::Loop),
        }
    }

    /// The text with the uses of these macros masked. `None` if there are none.
    pub fn masked(&self, text: &str) -> Option<String> {
        let mut masked = text.as_bytes().to_vec();
        for (name, (head, definition)) in &self.by_name {
            for (at, _) in text.match_indices(name.as_str()) {
                let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
                let end = at + name.len();
                let is_use = !text[..at].ends_with(is_part)
                    && !text[end..].starts_with(is_part)
                    && !text[line..at].trim_start().starts_with('#')
                    && !text[line..at].contains("//");
                let end = match definition.parameters.is_some() {
                    true => call(text, end),
                    false => Some(end),
                };
                if let Some(end) = end.filter(|_| is_use) {
                    mask(&mut masked, at, end, *head);
                }
            }
        }
        String::from_utf8(masked)
            .ok()
            .filter(|masked| masked != text)
    }
}

/// Masks one use. A use that is too short is extended over the blanks after or before it. If that is not enough, it
/// stays.
fn mask(text: &mut [u8], mut at: usize, mut end: usize, head: Head) {
    let (heads, brace): (&[&str], _) = match head {
        Head::Loop => (&[LOOP, BRANCH], ""),
        Head::Branch => (&[BRANCH], ""),
        Head::Open => (&[LOOP, BRANCH], "{"),
        Head::Close => (&[""], "}"),
    };
    let least = heads.last().map_or(0, |head| head.len()) + brace.len();
    let is_blank = |byte: Option<&u8>| byte == Some(&b' ');
    let lines = text[at..end].iter().filter(|byte| **byte == b'\n').count();
    let room = |at: usize, end: usize| end - at - lines;
    // Code that is inserted after a brace must come after the use, so only a use without a brace may extend to its right.
    while brace.is_empty() && room(at, end) < least && is_blank(text.get(end)) {
        end += 1;
    }
    while room(at, end) < least && at > 0 && is_blank(text.get(at - 1)) {
        at -= 1;
    }
    let fits = |head: &&&str| room(at, end) >= head.len() + brace.len();
    let Some(fitting) = heads.iter().find(fits) else {
        return;
    };
    let mut head = fitting.bytes();
    for byte in &mut text[at..end] {
        if *byte != b'\n' {
            *byte = head.next().unwrap_or(b' ');
        }
    }
    if let (Some(brace), Some(last)) = (brace.bytes().next(), text.get_mut(end - 1)) {
        *last = brace;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::macros;

    fn masked(text: &str) -> Option<String> {
        Heads::among(&macros::of(text)).masked(text)
    }

    #[test]
    fn a_macro_that_stands_for_a_head_is_masked_by_one() {
        for (text, expected) in [
            (
                "#define FOR(i,n) for (i = 0; i < n; i++)\n#define MAX(a,b) ((a)>(b)?(a):(b))\nFOR(i, f(n)) { }",
                "for(;_;)     { }",
            ),
            (
                "#define A(l) \\\n  for (; l;) // all\n A(l\n  ) g();",
                "if(\n_)  g();",
            ),
            ("#define LOOP while (1)\n  LOOP g();", "  if(_)g();"),
            ("#define LOOP while (1)\nLOOP\ng();", "LOOP\ng();"),
            (
                "#define UNLESS(x) if (!(x))\nUNLESS(n > 1) g(); else h();",
                "if(_)         g(); else h();",
            ),
            (
                "#define A(l) for (; l;)\n#define ALL A(list)\nvoid f() { ALL { } }",
                "void f() {if(_){ } }",
            ),
            (
                "#define A(l) for (; l;) {\n#define END }\nA(list) g(); END",
                "if(_) { g();   }",
            ),
            (
                "#define A(p, l) for (p = of(l, typeof(*p), next); p; p = p##_next)\nA(node, a->b) g();",
                "for(;_;)      g();",
            ),
            (
                "#define A(p) p = list; while (p && (p = p->next))\nA(node) g();",
                "if(_)   g();",
            ),
        ] {
            let masked = masked(text);
            let masked = masked.as_deref().unwrap_or(text);
            assert_eq!(masked.len(), text.len());
            assert!(masked.ends_with(expected), "{masked}");
        }
        for text in [
            "#define A(x) for(;;);\nA(1)",
            "#define A(x) do { g(x); } while (0)\nA(1);",
            "#define A(x) if (x) g()\nA(1);",
            "#define A(x) ((x) + 1)\nA(1);",
            "#define A(x) for (;x;)\n#define A(x) g(x)\nA(1);",
        ] {
            assert_eq!(masked(text), None, "{text}");
        }
    }
}
