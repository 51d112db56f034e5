//! Expressions of a C function that may be useful as terms at other sites, and its literals.

use std::collections::BTreeSet;

use nopol_expr::Binding;
use tree_sitter::Node;

use super::access::{Reading, access, reading};
use super::condition::binding_of;
use super::early_exits::names;
use super::effects::is_pure;
use super::syntax::{field, has_directive, operator, text_of, unparenthesized, walk};
use crate::condition::one_line;
use crate::{Harvested, HarvestedKind};

/// The longest expression, in bytes, that keeps a condition readable.
const LONGEST: usize = 60;

/// Literals as written, including those in macros, in source order, without duplicates.
pub fn literals(root: Node, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut put = |literal: &str| {
        if !found.iter().any(|known| known == literal) {
            found.push(literal.to_owned());
        }
    };
    walk(root, &mut |node| {
        match node.kind() {
            "number_literal" | "char_literal" | "string_literal" => {
                let literal = text_of(node, text);
                // A masked text may have a number where there is none.
                let is_digit = |first: char| first.is_ascii_digit() || first == '.';
                if node.kind() != "number_literal" || literal.starts_with(is_digit) {
                    put(literal);
                }
                false
            }
            // The body of a macro has no syntax tree.
            "preproc_arg" => {
                let words =
                    text_of(node, text).split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
                words
                    .filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
                    .for_each(&mut put);
                false
            }
            "preproc_include" => false,
            // It asks for something, and is no quantity.
            "preproc_def" => field(node, "name", text).is_none_or(|name| !is_reserved(name)),
            _ => true,
        }
    });
    found
}

/// Whether a name belongs to the implementation, as that of `_POSIX_C_SOURCE`.
pub fn is_reserved(name: &str) -> bool {
    let rest = name.strip_prefix('_');
    rest.is_some_and(|rest| {
        rest.starts_with(|first: char| first == '_' || first.is_ascii_uppercase())
    })
}

/// The names of variables, fields and functions that are used as truth values without a comparison.
pub fn truths(root: Node, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_truth(root, &mut |node| {
        found.extend(last_name(node, text).map(str::to_owned));
    });
    found
}

/// The name of a variable, of a field, or of a called function.
pub fn last_name<'t>(node: Node, text: &'t str) -> Option<&'t str> {
    match node.kind() {
        "identifier" => Some(text_of(node, text)),
        "field_expression" => field(node, "field", text),
        "call_expression" => field(node, "function", text),
        _ => None,
    }
}

/// Calls `visit` for every expression that is used as a truth value.
pub fn each_truth<'t>(root: Node<'t>, visit: &mut impl FnMut(Node<'t>)) {
    let mut put = |node: Option<Node<'t>>| {
        if let Some(node) = node {
            visit(unparenthesized(node));
        }
    };
    walk(root, &mut |node| {
        let part = |name| node.child_by_field_name(name);
        match (node.kind(), operator(node)) {
            ("binary_expression", "&&" | "||") => {
                put(part("left"));
                put(part("right"));
            }
            ("unary_expression", "!") => put(part("argument")),
            (
                "if_statement"
                | "while_statement"
                | "do_statement"
                | "for_statement"
                | "conditional_expression",
                _,
            ) => put(part("condition")),
            _ => {}
        }
        true
    });
}

/// Whether a file includes `stdbool.h`, or uses `true` or `false`, which then some header or the compiler defines.
pub fn has_truth_names(root: Node, text: &str) -> bool {
    let mut found = false;
    walk(root, &mut |node| {
        found |= match node.kind() {
            "true" | "false" => true,
            "preproc_include" => text_of(node, text).contains("stdbool.h"),
            _ => false,
        };
        !found
    });
    found
}

/// The variables used as array indices.
pub fn indices(root: Node, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    walk(root, &mut |node| {
        let index = node.child_by_field_name("index").map(unparenthesized);
        let index = index.filter(|index| index.kind() == "identifier");
        found.extend(index.map(|index| text_of(index, text).to_owned()));
        true
    });
    found
}

/// The expressions of a body without side effects.
pub fn expressions(body: Node, text: &str, is_pure_call: &dyn Fn(&str) -> bool) -> Vec<Harvested> {
    let mut found: Vec<Harvested> = Vec::new();
    walk(body, &mut |node| {
        let operator = operator(node);
        let kind = match node.kind() {
            "binary_expression" => match operator {
                "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" => HarvestedKind::Value,
                _ => return true,
            },
            "subscript_expression" => HarvestedKind::Index,
            "pointer_expression" if text_of(node, text).starts_with('*') => HarvestedKind::Index,
            "field_expression" => HarvestedKind::Index,
            "call_expression" => HarvestedKind::Call,
            "sizeof_expression" | "declaration" => return node.kind() == "declaration",
            _ => return true,
        };
        let own = text_of(node, text);
        // The target of an assignment may not have a value yet.
        let is_target = || {
            node.parent().is_some_and(|parent| {
                parent.kind() == "assignment_expression"
                    && parent.child_by_field_name("left") == Some(node)
            })
        };
        if own.len() > LONGEST
            || is_target()
            || has_directive(own)
            || !is_pure(node, text, is_pure_call)
        {
            return true;
        }
        let (text_here, binding) = as_operand(&one_line(own));
        let one = Harvested {
            text: text_here,
            binding,
            kind: match (kind, reading(&access(own))) {
                (HarvestedKind::Index, Reading::Value) => HarvestedKind::Call,
                (kind, _) => kind,
            },
            names: names(node, text),
            holes: Vec::new(),
            calls: calls(node, text),
            getters: Vec::new(),
            receiver_methods: Vec::new(),
        };
        if !found.contains(&one) {
            found.push(one);
        }
        true
    });
    found
}

/// A text as an operand of a comparison, in parentheses if it binds less tightly.
fn as_operand(text: &str) -> (String, Binding) {
    match binding_of(text) {
        Binding::Or | Binding::And | Binding::Compare => (format!("({text})"), Binding::Atom),
        binding => (text.to_owned(), binding),
    }
}

fn calls(node: Node, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    walk(node, &mut |node| {
        if node.kind() == "call_expression" {
            found.extend(field(node, "function", text).map(str::to_owned));
        }
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    #[test]
    fn true_and_false_are_known_if_the_code_uses_them() {
        let knows = |text: &str| has_truth_names(parse(text).unwrap().root_node(), text);
        assert!(knows("#include <stdbool.h>\nint n;"));
        assert!(knows("#include \"own.h\"\nint f(void) { return true; }"));
        assert!(!knows(
            "#include <stdio.h>\n/* true */ char *s = \"false\";"
        ));
    }
}
