//! How a file tests whether a pointer is null, so that patches use the same form.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::files::Parsed;
use super::harvest::{each_truth, last_name};
use super::syntax::{operator, text_of, unparenthesized, walk};
use super::types::{Declarations, declarators};
use crate::NullTest;

/// The expression that a comparison compares with `NULL` or 0, and with which of these. Only with `NULL` is it certain
/// to be a pointer.
pub fn tested<'t>(comparison: Node<'t>, text: &str) -> Option<(NullTest, Node<'t>)> {
    let is_test = matches!(operator(comparison), "==" | "!=");
    if comparison.kind() != "binary_expression" || !is_test {
        return None;
    }
    let side = |name| comparison.child_by_field_name(name).map(unparenthesized);
    let (left, right) = (side("left")?, side("right")?);
    [(right, left), (left, right)]
        .into_iter()
        .find_map(|(nothing, tested)| match text_of(nothing, text) {
            "NULL" => Some((NullTest::Null, tested)),
            "0" => Some((NullTest::Zero, tested)),
            _ => None,
        })
}

/// The names of all variables, parameters and fields of the program that are declared as pointers.
pub fn pointers(parsed: &[Parsed], declarations: &Declarations) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for Parsed { text, tree, .. } in parsed {
        walk(tree.root_node(), &mut |node| {
            if matches!(
                node.kind(),
                "declaration" | "parameter_declaration" | "field_declaration"
            ) {
                let all = declarators(node, text).into_iter();
                let pointers = all.filter(|(_, ty, _)| declarations.is_pointer(&ty.plain));
                names.extend(pointers.map(|(name, ..)| name));
            }
            true
        });
    }
    names
}

/// The most frequent form of null tests in a file. Of equally frequent forms, the shortest.
pub fn usual(root: Node, text: &str, pointers: &BTreeSet<String>) -> NullTest {
    let is_pointer = |node: Node| last_name(node, text).is_some_and(|name| pointers.contains(name));
    let (mut truths, mut nulls, mut zeros) = (0, 0, 0);
    each_truth(root, &mut |node| truths += usize::from(is_pointer(node)));
    walk(root, &mut |node| {
        match tested(node, text) {
            Some((NullTest::Null, _)) => nulls += 1,
            Some((NullTest::Zero, tested)) => zeros += usize::from(is_pointer(tested)),
            _ => {}
        }
        true
    });
    match truths.max(nulls).max(zeros) {
        most if most == truths => NullTest::Truth,
        most if most == nulls => NullTest::Null,
        _ => NullTest::Zero,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    fn usual(text: &str) -> NullTest {
        let tree = parse(text).unwrap();
        let pointers = BTreeSet::from(["p".to_owned(), "next".to_owned()]);
        super::usual(tree.root_node(), text, &pointers)
    }

    #[test]
    fn the_most_frequent_form_of_null_tests_is_found() {
        let within = |body: &str| format!("int f(void) {{ {body} }}");
        for (body, wanted) in [
            ("return n;", NullTest::Truth),
            ("if (p && n == 0) return !p->next;", NullTest::Truth),
            ("while (p != NULL) p = p->next;", NullTest::Null),
            ("if (NULL == p || !n || n) return 1;", NullTest::Null),
            ("return p->next == 0 || p != 0 || n;", NullTest::Zero),
            ("if (n == 0 || n != 0) return !p;", NullTest::Truth),
        ] {
            assert_eq!(usual(&within(body)), wanted, "{body}");
        }
    }
}
