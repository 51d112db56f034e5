//! The variables that a macro for the head of a loop declares, as `EACH(node, list)` does if it stands for
//! `for (struct node *node = (list)->first; node; node = node->next)`.

use super::heads::Heads;
use super::masks::{call, is_part, without_typeof};
use super::syntax::{parse, walk};
use super::types::declarators;
use crate::DeclaredType;

/// Maximum number of macros within each other that are expanded.
const DEEPEST: usize = 4;

/// The variables that a head declares, each with its type and whether it is initialized.
pub fn declared(head: &str, heads: &Heads) -> Vec<(String, DeclaredType, bool)> {
    let expanded = expanded(head.trim(), heads, DEEPEST);
    let expanded = without_typeof(&expanded).unwrap_or(expanded);
    let end = match expanded.trim_end().ends_with('{') {
        true => "}",
        false => "{}",
    };
    let text = format!("void f(void) {{ {expanded} {end} }}");
    let mut found = Vec::new();
    if let Some(tree) = parse(&text) {
        walk(tree.root_node(), &mut |node| {
            if node.kind() == "declaration" {
                let all = declarators(node, &text).into_iter();
                found.extend(all.map(|(name, ty, declarator)| {
                    let has_value = declarator.child_by_field_name("value").is_some();
                    (name, ty, has_value)
                }));
            }
            true
        });
    }
    found
}

/// The text with macros for heads expanded.
fn expanded(text: &str, heads: &Heads, deepest: usize) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        result += &rest[..start];
        let word = &rest[start..];
        let length = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(length);
        let definition = heads.definition(word).filter(|_| deepest > 0);
        let end = match definition.map(|of| of.parameters.is_some()) {
            Some(true) => call(after, 0),
            Some(false) => Some(0),
            None => None,
        };
        match (definition, end) {
            (Some(definition), Some(end)) => {
                let parameters = definition.parameters.as_deref().unwrap_or_default();
                let body = substituted(&definition.body, parameters, &arguments(&after[..end]));
                result += &expanded(&body, heads, deepest - 1);
                rest = &after[end..];
            }
            _ => {
                result += word;
                rest = after;
            }
        }
    }
    result + rest
}

/// The arguments of a call, without its parentheses.
fn arguments(call: &str) -> Vec<String> {
    let call = call.trim();
    let inner = call
        .strip_prefix('(')
        .and_then(|call| call.strip_suffix(')'));
    let mut depth = 0_usize;
    let mut arguments = vec![String::new()];
    for c in inner.unwrap_or_default().chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(argument) = arguments.last_mut() {
            argument.push(c);
        }
    }
    arguments
}

/// The body of a macro with arguments for its parameters, and `##` carried out.
fn substituted(body: &str, parameters: &[String], arguments: &[String]) -> String {
    let parts = body.split("##").map(|part| {
        let mut result = String::with_capacity(part.len());
        let mut rest = part.trim();
        while let Some(start) = rest.find(is_part) {
            result += &rest[..start];
            let word = &rest[start..];
            let length = word.find(|c| !is_part(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(length);
            let nth = parameters.iter().position(|name| name == word);
            let argument = nth.and_then(|nth| arguments.get(nth));
            result += argument.map_or(word, |argument| argument.trim());
            rest = after;
        }
        result + rest
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::macros;

    #[test]
    fn the_variables_of_a_head_are_those_that_its_definition_declares() {
        let heads = Heads::among(&macros::of(
            "#define EACH(n, l) for (struct node *n = (l)->head; n; n = n->next)\n\
             #define TO(i, n) for (int i = 0, end_##i = (n), last; i < end_##i; i++)\n\
             #define ALL(n) EACH(n, list(1, 2))\n\
             #define OPEN(p) for (typeof(*p) q = *p; q; q--) {\n\
             #define WALK(n, l) for (n = (l)->head; n; n = n->next)\n\
             #define FOREVER for (int round = 1; ; round++)\n",
        ));
        let declared = |head: &str| {
            let all = declared(head, &heads).into_iter();
            let all = all.map(|(name, ty, has_value)| format!("{name}: {} {has_value}", ty.plain));
            all.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(declared("EACH(n, list) "), "n: struct node* true");
        assert_eq!(declared("ALL(item)"), "item: struct node* true");
        assert_eq!(
            declared("TO(k, f(a, b))"),
            "k: int true, end_k: int true, last: int false"
        );
        assert_eq!(declared("OPEN(p)"), "q: typeof true");
        assert_eq!(declared("FOREVER"), "round: int true");
        for head in ["WALK(n, list)", "UNKNOWN(n)", "EACH"] {
            assert_eq!(declared(head), "", "{head}");
        }
    }
}
