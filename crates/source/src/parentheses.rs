//! Parentheses that compilers ask for: with `-Wparentheses`, gcc and clang warn about `a || b && c`, and with `-Werror`
//! that is an error.

use super::condition::{Node, Shape, is_enclosed};

/// The text of a condition with parentheses around each conjunction that is an operand of a disjunction.
pub fn around_conjunctions(condition: &Node, text: &str) -> String {
    let bare = bare_conjunctions(condition, text).into_iter();
    let mut places: Vec<(usize, char)> = bare
        .flat_map(|node| [(node.span.start, '('), (node.span.end, ')')])
        .collect();
    places.sort_unstable();
    let mut with = text.to_owned();
    for (at, parenthesis) in places.into_iter().rev() {
        with.insert(at, parenthesis);
    }
    with
}

/// The conjunctions that are operands of disjunctions and have no parentheses.
pub fn bare_conjunctions<'n>(condition: &'n Node, text: &str) -> Vec<&'n Node> {
    let mut bare = Vec::new();
    collect(condition, text, &mut bare);
    bare
}

fn collect<'n>(node: &'n Node, text: &str, bare: &mut Vec<&'n Node>) {
    match &node.shape {
        Shape::Leaf(_) | Shape::Arith(..) | Shape::Cmp(..) => {}
        Shape::Not(a) => collect(a, text, bare),
        Shape::And(a, b) => [a, b].into_iter().for_each(|it| collect(it, text, bare)),
        Shape::Or(a, b) => {
            for part in [a, b] {
                if matches!(part.shape, Shape::And(..)) && !is_enclosed(text, &part.span) {
                    bare.push(part);
                }
                collect(part, text, bare);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::around_conjunctions;
    use crate::Language;

    #[test]
    fn a_conjunction_in_a_disjunction_gets_parentheses() {
        for (text, wanted) in [
            ("a || b && c", "a || (b && c)"),
            ("a && b || c && d || e", "(a && b) || (c && d) || e"),
            ("a || (b && c)", "a || (b && c)"),
            ("!(a && b || c)", "!((a && b) || c)"),
            ("a && (b || c && d)", "a && (b || (c && d))"),
            (
                "a % 4 == 0 && b || f(a && b)",
                "(a % 4 == 0 && b) || f(a && b)",
            ),
            ("a && b", "a && b"),
        ] {
            let tree = Language::C.parse(text).unwrap();
            assert_eq!(around_conjunctions(&tree, text), wanted, "{text}");
        }
    }
}
