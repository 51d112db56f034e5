//! Helpers for tree-sitter.

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Tree};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(new());
}

fn new() -> Option<Parser> {
    let mut parser = Parser::new();
    let language = tree_sitter_c::LANGUAGE.into();
    parser.set_language(&language).ok().map(|()| parser)
}

/// The tree of a text, with error nodes for parts that cannot be parsed. `None` only if the grammar and the
/// library are incompatible.
pub fn parse(text: &str) -> Option<Tree> {
    PARSER.with(|parser| parser.borrow_mut().as_mut()?.parse(text, None))
}

/// A node's text; empty if it starts or ends inside a character, as it may where a mask stands for the text.
pub fn text_of<'t>(node: Node, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// Whether a text contains a preprocessor directive.
pub fn has_directive(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#'))
}

/// The text of a node's field.
pub fn field<'t>(node: Node, name: &str, text: &'t str) -> Option<&'t str> {
    Some(text_of(node.child_by_field_name(name)?, text))
}

/// The operator of an expression, even if its word is masked. Empty if there is none.
pub fn operator(node: Node) -> &'static str {
    let operator = node.child_by_field_name("operator");
    operator.map_or("", |operator| operator.kind())
}

/// The named children of a node, without comments.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let all = node.named_children(&mut cursor);
    all.filter(|child| child.kind() != "comment").collect()
}

/// The node inside any number of parentheses.
pub fn unparenthesized(node: Node) -> Node {
    match node.kind() {
        "parenthesized_expression" => match children(node)[..] {
            [inner] => unparenthesized(inner),
            _ => node,
        },
        _ => node,
    }
}

/// Calls `visit` for a node and its descendants, in source order. `visit` returns whether to descend.
pub fn walk<'t>(node: Node<'t>, visit: &mut impl FnMut(Node<'t>) -> bool) {
    if visit(node) {
        for child in children(node) {
            walk(child, visit);
        }
    }
}

/// The first node with a syntax error at or below a node.
pub fn first_error(node: Node) -> Option<Node> {
    if !node.has_error() {
        return None;
    }
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    let mut cursor = node.walk();
    let mut all = node.children(&mut cursor);
    all.find_map(first_error).or(Some(node))
}
