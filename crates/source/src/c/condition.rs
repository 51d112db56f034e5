//! Parses C conditions into trees, and derives purity and binding strength from their syntax.

use std::ops::Range;

use nopol_scalar::{BinaryOp, Binding, Grammar, LogicalOp};
use tree_sitter::Node as Tree;

use super::access::{Reading, access, reading};
use super::syntax::{self, text_of};
use super::{effects, integers, masks, null_tests};
use crate::condition::{Leaf, LeafKind, Node, Shape, one_line};

/// Parses a condition; `None` if the text is not a complete expression.
pub fn parse(text: &str) -> Option<Node> {
    with(text, node)
}

/// Whether the syntax of a condition guarantees that evaluating it has no side effects: it contains no
/// assignment, and calls only pure library functions.
pub fn is_surely_pure(text: &str) -> bool {
    with(text, |tree, text| {
        effects::is_pure(tree, text, &effects::is_known_pure)
    })
    .unwrap_or(false)
}

/// The binding strength of the condition's outermost operator.
pub fn binding_of(text: &str) -> Binding {
    with(text, |tree, _| binding(tree)).unwrap_or(Binding::Or)
}

/// The text of an equality with the opposite operator; `None` for anything else.
pub fn opposite(text: &str) -> Option<String> {
    with(text, |tree, text| {
        let operator = tree.child_by_field_name("operator")?;
        let other = match (tree.kind(), text_of(operator, text)) {
            ("binary_expression", "==") => "!=",
            ("binary_expression", "!=") => "==",
            _ => return None,
        };
        let mut opposite = text[tree.byte_range()].to_owned();
        let start = operator.start_byte() - tree.start_byte();
        opposite.replace_range(start..operator.end_byte() - tree.start_byte(), other);
        Some(opposite)
    })
    .flatten()
}

/// Text before an expression that makes it parsable.
const BEFORE: &str = "int nopol(void) { return (";

/// The parentheses around a value that the grammar takes for a cast, because the next operator may be unary, as in
/// `(a)-b`. No cast is to an array or function type; a single name counts as a value unless it looks like a type.
fn enclosed_value(tree: Tree, text: &str) -> Option<Range<usize>> {
    let mut found = None;
    syntax::walk(tree, &mut |node| {
        if found.is_none() && node.kind() == "cast_expression" {
            found = value_in_cast(node, text);
        }
        found.is_none()
    });
    found
}

fn value_in_cast(cast: Tree, text: &str) -> Option<Range<usize>> {
    let ty = cast.child_by_field_name("type")?;
    let value = cast.child_by_field_name("value")?;
    let name = ty.child_by_field_name("type")?;
    let declarator = ty.child_by_field_name("declarator");
    let is_value = match declarator.map(|declarator| declarator.kind()) {
        None => !integers::is_type_word(text_of(name, text)),
        Some(kind) => matches!(
            kind,
            "abstract_array_declarator" | "abstract_function_declarator"
        ),
    };
    let is_sign = text_of(value, text).starts_with(['+', '-', '*', '&']);
    let is_name = name.kind() == "type_identifier" && ty.start_byte() == name.start_byte();
    let end = ty.end_byte() + text[ty.end_byte()..].find(')')? + 1;
    (is_value && is_sign && is_name).then_some(cast.start_byte()..end)
}

/// The expression in the parentheses that [`with`] replaced by a name of the same length: `a` of `(a)`.
pub(super) fn enclosed<'t>(tree: Tree, text: &'t str) -> Option<&'t str> {
    let own = text_of(tree, text);
    let inside = own.strip_prefix('(')?.strip_suffix(')')?;
    (tree.kind() == "identifier").then_some(inside)
}

/// Parses a single expression and calls `apply` with its tree and the parsed text, in which the expression starts after
/// [`BEFORE`]. If the grammar would take a value in parentheses for a cast, the tree has an identifier instead: see
/// [`enclosed`].
pub(super) fn with<R>(text: &str, apply: impl FnOnce(Tree, &str) -> R) -> Option<R> {
    let whole = format!("{BEFORE}{text}\n); }}");
    let mut masked = whole.clone();
    let mut parsed = syntax::parse(&masked)?;
    if parsed.root_node().has_error() {
        masked = masks::usual(&whole)?;
        parsed = syntax::parse(&masked)?;
    }
    while let Some(value) = enclosed_value(parsed.root_node(), &masked) {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric();
        let name = masked[value.clone()]
            .bytes()
            .map(|byte| if is_part(byte) { byte.into() } else { '_' });
        let name: String = name.collect();
        masked.replace_range(value, &name);
        parsed = syntax::parse(&masked)?;
    }
    let root = parsed.root_node();
    let at = BEFORE.len() - 1;
    let mut group = root.descendant_for_byte_range(at, at + 1)?;
    while group.kind() != "parenthesized_expression" || group.start_byte() != at {
        group = group.parent()?;
    }
    let is_whole = group.end_byte() == at + text.len() + 3;
    match syntax::children(group)[..] {
        [inner] if is_whole && !root.has_error() => Some(apply(inner, &whole)),
        _ => None,
    }
}

fn node(tree: Tree, text: &str) -> Node {
    let range = tree.byte_range();
    if let Some(inner) = enclosed(tree, text).and_then(parse) {
        return inner.moved(range.start + 1 - BEFORE.len());
    }
    let span = range.start - BEFORE.len()..range.end - BEFORE.len();
    let part = |name| {
        Some(Box::new(node(
            syntax::unparenthesized(tree.child_by_field_name(name)?),
            text,
        )))
    };
    let operator = syntax::operator(tree);
    let shape =
        match tree.kind() {
            "parenthesized_expression" if syntax::unparenthesized(tree) != tree => {
                return node(syntax::unparenthesized(tree), text);
            }
            "unary_expression" if operator == "!" => part("argument").map(Shape::Not),
            "binary_expression" => {
                let operands = part("left").zip(part("right"));
                operands.and_then(|(left, right)| {
                let is_null =
                    |node: &Node| matches!(&node.shape, Shape::Leaf(leaf) if leaf.text == "NULL");
                let op = BinaryOp::from_token(operator);
                let compares = op.and_then(BinaryOp::comparison);
                Some(match (operator, compares, op.and_then(BinaryOp::arithmetic)) {
                    ("&&", ..) => Shape::And(left, right),
                    ("||", ..) => Shape::Or(left, right),
                    // A pointer is true if it is not null.
                    ("==", ..) if is_null(&right) => Shape::Not(left),
                    ("!=", ..) if is_null(&right) => left.shape,
                    ("==", ..) if is_null(&left) => Shape::Not(right),
                    ("!=", ..) if is_null(&left) => right.shape,
                    (_, Some(op), _) => Shape::Cmp(op, left, right),
                    (_, _, Some(op)) => Shape::Arith(op, left, right),
                    _ => return None,
                })
            })
            }
            _ => None,
        };
    let is_null_test = operator == "!="
        && tree.kind() == "binary_expression"
        && null_tests::tested(tree, text).is_some();
    let shape = shape.unwrap_or_else(|| Shape::Leaf(leaf(tree, text)));
    let text = one_line(&text[range]);
    let whole = matches!(shape, Shape::Cmp(..)).then(|| access(&text));
    Node {
        span,
        text,
        shape,
        whole,
        is_null_test,
    }
}

fn leaf(tree: Tree, text: &str) -> Leaf {
    let own = text_of(tree, text);
    let is_literal = |tree: Tree| {
        matches!(
            tree.kind(),
            "number_literal" | "char_literal" | "string_literal" | "null" | "true" | "false"
        )
    };
    let is_negative = tree.kind() == "unary_expression"
        && own.starts_with('-')
        && tree
            .child_by_field_name("argument")
            .is_some_and(|argument| argument.kind() == "number_literal");
    let is_literal = is_literal(tree) || is_negative;
    let text = match is_literal {
        true => own.to_owned(),
        false => one_line(own),
    };
    let access = access(&text);
    let kind = match reading(&access) {
        _ if is_literal => LeafKind::Literal,
        Reading::Plain | Reading::Field(..) => LeafKind::Variable,
        Reading::Element(..) => LeafKind::Index,
        Reading::Value => LeafKind::Value,
    };
    Leaf {
        text,
        access,
        kind,
        binding: binding(tree),
    }
}

/// The binding strength of an expression's outermost operator.
fn binding(tree: Tree) -> Binding {
    match tree.kind() {
        "binary_expression" => {
            let token = syntax::operator(tree);
            match (LogicalOp::from_token(token), BinaryOp::from_token(token)) {
                (Some(op), _) => Binding::of_logical(op),
                (_, Some(op)) => Binding::of(op, Grammar::C),
                (None, None) => Binding::Compare,
            }
        }
        "cast_expression" => Binding::Cast,
        "unary_expression" | "pointer_expression" | "sizeof_expression" | "update_expression" => {
            Binding::Unary
        }
        "assignment_expression" | "conditional_expression" | "comma_expression" => Binding::Or,
        _ => Binding::Atom,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(text: &str) -> Vec<String> {
        let tree = parse(text).unwrap();
        tree.leaves().iter().map(|leaf| leaf.text.clone()).collect()
    }

    #[test]
    fn a_value_in_parentheses_before_a_sign_is_not_a_cast() {
        let text = "(n) - 1 * 2 > 3 && (a) + (b) * c == 5";
        let tree = parse(text).unwrap();
        let compared = tree.compared();
        let written = |node: &Node| text[node.span.clone()].to_owned();
        let operands = |node: &Node| match &node.shape {
            Shape::Arith(_, a, b) => [written(a), written(b)],
            other => panic!("{other:?}"),
        };
        let left: Vec<&Node> = compared.iter().map(|(_, _, left, _)| *left).collect();
        assert_eq!(written(left[0]), "(n) - 1 * 2");
        assert_eq!(operands(left[0]), ["n", "1 * 2"]);
        assert_eq!(operands(left[1]), ["a", "(b) * c"]);
        assert_eq!(access("(n) - 1 * 2").names(), ["n"]);
        assert_eq!(leaves("(n) - 1 > 3"), ["n", "1", "3"]);
        // The first operands here are casts, and then a call.
        for (text, first) in [
            ("(int) - n > 3", "(int) - n"),
            ("(size_t) + n > 3", "(size_t) + n"),
            ("(size_t)-n > 3", "(size_t)-n"),
            ("(u8)-1*n > 3", "(u8)-1"),
            ("(BYTE) - 1*n > 3", "(BYTE) - 1"),
            ("(ulong)-1*n > 3", "(ulong)-1"),
            ("(Word)-1*n > 3", "(Word)-1"),
            ("(off_t)-1*n > 3", "(off_t)-1"),
            ("(struct word)-n > 3", "(struct word)-n"),
            ("(word *)&p->n > q", "(word *)&p->n"),
            ("f(n) - 1 > 3", "f(n)"),
        ] {
            assert_eq!(leaves(text)[0], first, "{text}");
        }
    }

    /// Writes parentheses around every operation, with the operands as in the source.
    fn grouped(text: &str, node: &Node) -> String {
        match &node.shape {
            Shape::Arith(_, a, b) | Shape::Cmp(_, a, b) => {
                let between = &text[a.span.end..b.span.start];
                let op = between.trim_matches(|c: char| c.is_whitespace() || "()".contains(c));
                format!("({} {op} {})", grouped(text, a), grouped(text, b))
            }
            _ => {
                assert_eq!(text[node.span.clone()], node.text);
                node.text.clone()
            }
        }
    }

    #[test]
    fn a_value_in_parentheses_before_a_sign_is_an_operand_without_spaces_too() {
        for (text, expected) in [
            ("(n)-1*2 > 3", "((n - (1 * 2)) > 3)"),
            ("(n) -1*2 > 3", "((n - (1 * 2)) > 3)"),
            ("(a)+(b)*c == 5", "((a + (b * c)) == 5)"),
            ("(a)*b+c < 1", "(((a * b) + c) < 1)"),
            ("(a)*(b)-(c)*2 < 1", "(((a * b) - (c * 2)) < 1)"),
            ("(MAX)-1*n > 3", "((MAX - (1 * n)) > 3)"),
            ("(v[i])-a*2 > 0", "((v[i] - (a * 2)) > 0)"),
            ("(v[(i)-1*2])-a*2 > 0", "((v[(i)-1*2] - (a * 2)) > 0)"),
            ("(f(a))+b%2 > 0", "((f(a) + (b % 2)) > 0)"),
            ("(n)&1 == 0", "(n)&1 == 0"),
        ] {
            let tree = parse(text).unwrap();
            let read = grouped(text, &tree);
            assert_eq!(read, expected, "{text}");
            assert_eq!(crate::write::text(&access(text)), text);
        }
        assert_eq!(access("(n)-1*2").names(), ["n"]);
        assert_eq!(access("(v[i])-a*2").names(), ["v", "i", "a"]);
        assert_eq!(binding_of("(n)-1"), Binding::Add);
        assert!(is_surely_pure("(n)-1 > 0 && (strlen(s))-1 > 0"));
        assert!(!is_surely_pure("(next(it))-1 > 0"));
    }

    #[test]
    fn a_condition_becomes_a_tree_of_operators_and_leaves() {
        let text = "!(p->n >  -1) && v[i+1] == 'x' || (flags & 3) != 0";
        assert_eq!(
            leaves(text),
            ["p->n", "-1", "v[i+1]", "'x'", "flags & 3", "0"]
        );
        let tree = parse(text).unwrap();
        assert_eq!(tree.leaves()[0].kind, LeafKind::Variable);
        assert_eq!(tree.leaves()[2].kind, LeafKind::Index);
        assert_eq!(tree.leaves()[4].binding, Binding::And);
        assert!(matches!(tree.shape, Shape::Or(..)));
        assert_eq!(&text[tree.span.clone()], text);
        assert_eq!(parse("a + "), None);
        assert_eq!(parse("a) + (b"), None);
    }

    #[test]
    fn a_comparison_with_null_is_the_truth_value_of_the_pointer() {
        assert!(matches!(parse("p == NULL").unwrap().shape, Shape::Not(_)));
        assert!(matches!(parse("NULL == p").unwrap().shape, Shape::Not(_)));
        for there in ["NULL != p", "p != NULL", "p != 0"] {
            assert!(parse(there).unwrap().is_null_test, "{there}");
        }
        let there = parse("p->next != NULL").unwrap();
        assert!(matches!(there.shape, Shape::Leaf(leaf) if leaf.text == "p->next"));
        assert_eq!(there.text, "p->next != NULL");
    }

    #[test]
    fn only_expressions_without_effects_are_surely_pure() {
        assert!(is_surely_pure("n % 2 == 0 && strlen(s) > 3 && v[i] == *p"));
        assert!(!is_surely_pure("(c = getchar()) != EOF"));
        assert!(!is_surely_pure("i++ < n"));
        assert!(!is_surely_pure("next(it)"));
    }

    #[test]
    fn only_equalities_have_an_opposite() {
        assert_eq!(opposite("a == b + 1").unwrap(), "a != b + 1");
        assert_eq!(opposite("a < b"), None);
    }
}
