//! Parses C expressions into trees of what they read.

use nopol_expr::access::{Access, Infix, Prefix, Query, Reach};
use nopol_scalar::{BinaryOp, LogicalOp};
use tree_sitter::Node as Tree;

use super::condition;
use super::syntax::{self, text_of};
use crate::write::{as_written, opaque, text as written};

/// The access of an expression.
pub fn access(text: &str) -> Access {
    let tree = condition::with(text, tree);
    tree.map_or_else(|| opaque(text), |tree| as_written(tree, text))
}

/// The tree of an expression in `text`, as written there.
fn tree(node: Tree, text: &str) -> Access {
    let own = text_of(node, text);
    as_written(unspaced(node, text).unwrap_or_else(|| opaque(own)), own)
}

fn unspaced(node: Tree, text: &str) -> Option<Access> {
    let own = text_of(node, text);
    let part = |name: &str| Some(Box::new(tree(node.child_by_field_name(name)?, text)));
    Some(match node.kind() {
        "identifier" => match condition::enclosed(node, text) {
            Some(inside) => Access::Group(Box::new(access(inside))),
            None => Access::variable(own),
        },
        "number_literal" | "char_literal" | "string_literal" | "null" | "true" | "false" => {
            Access::literal(own)
        }
        "parenthesized_expression" => match syntax::children(node)[..] {
            [inner] => Access::Group(Box::new(tree(inner, text))),
            _ => return None,
        },
        "field_expression" => {
            let reach = match node.child_by_field_name("operator")?.kind() {
                "." => Reach::Direct,
                _ => Reach::Through,
            };
            let name = syntax::field(node, "field", text)?;
            Access::Field(part("argument")?, reach, name.to_owned())
        }
        "subscript_expression" => Access::Index(part("argument")?, part("index")?),
        "pointer_expression" => {
            let prefix = match own.starts_with('*') {
                true => Prefix::Deref,
                false => Prefix::Reference,
            };
            Access::Prefix(prefix, part("argument")?)
        }
        "unary_expression" => {
            let argument = node.child_by_field_name("argument")?;
            let prefix = match syntax::operator(node) {
                "-" if argument.kind() == "number_literal" => return Some(Access::literal(own)),
                "-" => Prefix::Minus,
                "!" => Prefix::Not,
                "~" => Prefix::Complement,
                _ => return None,
            };
            tree(argument, text).prefixed(prefix)
        }
        "binary_expression" => {
            let operator = syntax::operator(node);
            let connective = LogicalOp::from_token(operator).map(Infix::from);
            let op = connective.or_else(|| BinaryOp::from_token(operator).map(Infix::from))?;
            Access::Infix(op, part("left")?, part("right")?)
        }
        "call_expression" => {
            let arguments = node.child_by_field_name("arguments")?;
            let arguments = syntax::children(arguments).into_iter();
            let mut arguments: Vec<Access> = arguments.map(|node| tree(node, text)).collect();
            let function = part("function")?;
            match (written(&function).as_str(), arguments.len()) {
                ("strlen", 1) => arguments.remove(0).query(Query::StringLength),
                _ => Access::Call(function, arguments),
            }
        }
        _ => return None,
    })
}

/// How a capture reads an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A variable, or a member of one without following a pointer: reading it is safe.
    Plain,
    /// `p->f`, where reading `p` is safe.
    Field(String, String),
    /// `a[i]` or `*p`, where reading the parts is safe.
    Element(String, String),
    /// Anything else.
    Value,
}

/// How a capture must read an expression.
pub fn reading(access: &Access) -> Reading {
    match access.plain() {
        _ if is_safe(access) => Reading::Plain,
        Access::Field(p, Reach::Through, f) if is_safe(p) => Reading::Field(written(p), f.clone()),
        Access::Index(array, index) if is_safe(array) && is_safe(index) => {
            Reading::Element(written(array), written(index))
        }
        Access::Prefix(Prefix::Deref, pointer) if is_safe(pointer) => {
            Reading::Element(written(pointer), "0".to_owned())
        }
        _ => Reading::Value,
    }
}

/// Whether evaluating an expression neither follows a pointer nor divides.
fn is_safe(access: &Access) -> bool {
    use nopol_expr::ArithOp::{Add, Sub};
    match access.plain() {
        Access::Variable(_) => true,
        // A string literal is a pointer.
        Access::Literal(literal) => {
            let is_number = literal
                .text
                .starts_with(|c: char| c.is_ascii_digit() || c == '.');
            is_number || literal.text.ends_with('\'')
        }
        Access::Field(of, Reach::Direct, _) | Access::Group(of) => is_safe(of),
        Access::Infix(Infix::Arith(Add | Sub) | Infix::Compare(_), a, b) => {
            is_safe(a) && is_safe(b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::Outline;

    use super::*;

    #[test]
    fn a_tree_is_written_back_verbatim() {
        for text in [
            "p->next->n",
            "a[ i+1 ]",
            "strlen(s.name) + 1",
            "*p++",
            "(x & 3)",
            "f( a,b )",
            "-1",
            "'a'",
            "(int)x",
            "!p",
            "sizeof(x)",
            "a ? b : c",
            "\"a  b\"",
            "NULL",
            "&x",
            "not an expression",
            "",
        ] {
            let read = access(text);
            assert_eq!(written(&read), text);
            assert_eq!(read.outline(), Outline::of_text(text), "{text}: {read:?}");
        }
    }

    #[test]
    fn reads_through_a_pointer_are_recognized() {
        let reading = |text: &str| reading(&access(text));
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(reading("s.f.g"), Reading::Plain);
        let (p, f) = both("p", "f");
        assert_eq!(reading("p->f"), Reading::Field(p, f));
        let (array, index) = both("a", "i + 1");
        assert_eq!(reading("a[i + 1]"), Reading::Element(array, index));
        let (p, zero) = both("p", "0");
        assert_eq!(reading("*p"), Reading::Element(p, zero));
        assert_eq!(reading("p->next->f"), Reading::Value);
        assert_eq!(reading("f(x)"), Reading::Value);
    }
}
