//! tree-sitter, as far as it is needed here. With its siblings, the only place that knows it.

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

/// The tree of a text; what cannot be parsed is an error node in it. `None` only if the grammar does
/// not fit the library.
pub fn parse(text: &str) -> Option<Tree> {
    PARSER.with(|parser| parser.borrow_mut().as_mut()?.parse(text, None))
}

/// A node's text.
pub fn text_of<'t>(node: Node, text: &'t str) -> &'t str {
    &text[node.byte_range()]
}

/// The text of a node's field.
pub fn field<'t>(node: Node, name: &str, text: &'t str) -> Option<&'t str> {
    Some(text_of(node.child_by_field_name(name)?, text))
}

/// The operator of an expression, as C has it, whatever macro stands for it; empty if there is none.
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

/// A node without the parentheses around it.
pub fn bare(node: Node) -> Node {
    match node.kind() {
        "parenthesized_expression" => match children(node)[..] {
            [inner] => bare(inner),
            _ => node,
        },
        _ => node,
    }
}

/// Calls `visit` for a node and all below it, in the order of the text; it says whether to go deeper.
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
