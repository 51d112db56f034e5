//! The integer types of C expressions, as far as the program declares the variables and functions in them. The compiler
//! is no help: it converts numbers and pointers silently.

use tree_sitter::Node;

use super::syntax::{field, operator, text_of, unparenthesized};
use super::types::Declarations;
use crate::DeclaredType;

/// The words in names of integer types.
const WORDS: [&str; 6] = ["char", "short", "int", "long", "signed", "unsigned"];

/// Whether a name is a type keyword, or looks like the name of a type: `u8`, `uint`, `BYTE`, `off_t`, `Node`.
pub fn is_type_word(name: &str) -> bool {
    let has_lower = name.contains(|c: char| c.is_ascii_lowercase());
    let is_camel = name.starts_with(|c: char| c.is_ascii_uppercase());
    let lower = name.to_ascii_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let word = stem.strip_prefix(['u', 's', 'g']).unwrap_or(stem);
    let is_known = match &lower[stem.len()..] {
        "" => {
            let others = [
                "float", "double", "void", "bool", "boolean", "byte", "word", "dword", "qword",
            ];
            [stem, word].iter().any(|name| WORDS.contains(name)) || others.contains(&stem)
        }
        "8" | "16" | "32" | "64" => matches!(stem, "u" | "s" | "i" | "int" | "uint" | "sint"),
        _ => false,
    };
    is_known || is_camel && has_lower || name.ends_with("_t")
}

/// Library functions that return an integer.
const COUNTS: [&str; 7] = [
    "abs", "atoi", "labs", "sizeof", "strlen", "strnlen", "wcslen",
];

/// The declarations known at the place of an expression.
pub struct Types<'a> {
    /// The program's declarations.
    pub declarations: &'a Declarations,
    /// The type of a visible variable.
    pub variable: &'a dyn Fn(&str) -> Option<DeclaredType>,
    /// The text of the file.
    pub text: &'a str,
}

impl Types<'_> {
    /// Whether an expression computes a number: an integer, or an address some elements before or after another
    /// address.
    pub fn is_number(&self, node: Node) -> bool {
        self.is_integer(node) || self.is_address(unparenthesized(node))
    }

    fn is_address(&self, node: Node) -> bool {
        let part = |name| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (part("left"), part("right")) else {
            return false;
        };
        let is_pointer = |node| self.ty(node).is_some_and(|ty| self.behind(&ty).is_some());
        node.kind() == "binary_expression"
            && matches!(operator(node), "+" | "-")
            && is_pointer(left)
            && self.is_integer(right)
    }

    /// Whether an expression yields an integer. Truth values and single enumerators do not count.
    pub fn is_integer(&self, node: Node) -> bool {
        let node = unparenthesized(node);
        match node.kind() {
            "number_literal" => is_whole(text_of(node, self.text)),
            "char_literal" => false,
            "binary_expression" => {
                let is_arithmetic = matches!(
                    operator(node),
                    "+" | "-" | "*" | "/" | "%" | "<<" | ">>" | "&" | "|" | "^"
                );
                let is_number = |name| {
                    let side = node.child_by_field_name(name).map(unparenthesized);
                    side.is_some_and(|side| side.kind() == "char_literal" || self.is_integer(side))
                };
                is_arithmetic && is_number("left") && is_number("right")
            }
            "unary_expression" => {
                matches!(operator(node), "-" | "~" | "+")
                    && node
                        .child_by_field_name("argument")
                        .is_some_and(|argument| self.is_integer(argument))
            }
            "cast_expression" => {
                field(node, "type", self.text).is_some_and(|ty| self.is_integer_type(ty))
            }
            "sizeof_expression" => true,
            "identifier" if self.is_constant(text_of(node, self.text)) => true,
            _ => self.ty(node).is_some_and(|ty| self.is_integer_type(&ty)),
        }
    }

    /// Whether a name is a macro that stands for an integer literal.
    fn is_constant(&self, name: &str) -> bool {
        let macros = &self.declarations.macros;
        macros
            .iter()
            .any(|(known, body)| known == name && is_whole(body))
    }

    /// The declared type of an expression.
    fn ty(&self, node: Node) -> Option<String> {
        let node = unparenthesized(node);
        let part = |name| node.child_by_field_name(name);
        let name = |name| field(node, name, self.text);
        match node.kind() {
            "identifier" => Some((self.variable)(text_of(node, self.text))?.plain),
            "subscript_expression" => self.behind(&self.ty(part("argument")?)?),
            "pointer_expression"
                if operator(node) == "*" || text_of(node, self.text).starts_with('*') =>
            {
                self.behind(&self.ty(part("argument")?)?)
            }
            "field_expression" => {
                let of = self.ty(part("argument")?)?;
                let of = self.declarations.resolved(&of);
                let plain = of.strip_suffix('*').unwrap_or(of);
                let structs = &self.declarations.structs;
                let resolved = self.declarations.resolved(plain);
                let known = structs
                    .iter()
                    .find(|known| known.name == plain || known.name == resolved)?;
                let wanted = name("field")?;
                let (_, ty) = known.fields.iter().find(|(field, _)| field == wanted)?;
                Some(ty.plain.clone())
            }
            "call_expression" => {
                let called = name("function")?;
                match COUNTS.contains(&called) {
                    true => Some("int".to_owned()),
                    false => self.declarations.returns.get(called).cloned(),
                }
            }
            "update_expression" => self.ty(part("argument")?),
            _ => None,
        }
    }

    /// The type that a pointer type points to, or the element type of an array type.
    fn behind(&self, plain: &str) -> Option<String> {
        let resolved = self.declarations.resolved(plain);
        let inner = resolved.strip_suffix("[]").or(resolved.strip_suffix('*'))?;
        Some(inner.to_owned())
    }

    /// Whether a type is an integer type other than a boolean type.
    fn is_integer_type(&self, plain: &str) -> bool {
        let resolved = self.declarations.resolved(plain);
        let mut words = resolved
            .split_whitespace()
            .filter(|word| !matches!(*word, "const" | "volatile" | "register" | "static"))
            .peekable();
        let is_sized = |word: &str| {
            let is_like = |start: &str| word.starts_with(start) && word.ends_with("_t");
            ["int", "uint", "size", "ssize", "ptrdiff", "off"]
                .into_iter()
                .any(is_like)
        };
        !self.declarations.is_boolean(plain)
            && words.peek().is_some()
            && words.all(|word| WORDS.contains(&word) || is_sized(word))
    }
}

/// Whether a literal is an integer.
fn is_whole(literal: &str) -> bool {
    let literal = literal.trim().trim_start_matches('(').trim_end_matches(')');
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    let is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    digits.starts_with(|c: char| c.is_ascii_digit())
        && !digits.contains('.')
        && (is_hexadecimal || !digits.contains(['e', 'E', 'f', 'F']))
        && digits.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::{parse, walk};

    /// The integers among the values assigned to `_` in a function.
    fn integers(text: &str) -> Vec<String> {
        values(text, false)
    }

    /// The integers, and optionally the computed addresses, among the values assigned to `_` in a function.
    fn values(text: &str, with_addresses: bool) -> Vec<String> {
        let whole = format!(
            "#define SIZE 10\n#define HALF 0.5\ntypedef unsigned int word;\nstruct list {{ int size; double mean; struct list *next; }};\n\
             int count(struct list *l);\ndouble mean(void);\nvoid f(void) {{ {text} }}"
        );
        let tree = parse(&whole).unwrap();
        let mut declarations = Declarations::default();
        declarations.add(0.into(), tree.root_node(), &whole);
        let variable = |name: &str| {
            let plain = match name {
                "i" => "int",
                "w" => "word",
                "a" => "int[]",
                "x" => "double",
                "p" => "struct list*",
                "ok" => "bool",
                _ => return None,
            };
            Some(DeclaredType {
                plain: plain.to_owned(),
                is_reference: false,
            })
        };
        let types = Types {
            declarations: &declarations,
            variable: &variable,
            text: &whole,
        };
        let mut found = Vec::new();
        walk(tree.root_node(), &mut |node| {
            if node.kind() == "assignment_expression"
                && let Some(value) = node.child_by_field_name("right")
                && (types.is_integer(value) || with_addresses && types.is_number(value))
            {
                found.push(text_of(value, &whole).to_owned());
            }
            true
        });
        found
    }

    #[test]
    fn declarations_show_what_is_an_integer() {
        let text = "_ = i; _ = w + 1; _ = a[i]; _ = p->size; _ = p->next->size - SIZE; _ = count(p); \
                    _ = (int)x; _ = 0x1F; _ = c[i] - '0'; _ = i - '0'; _ = *a;";
        assert_eq!(
            integers(text),
            [
                "i",
                "w + 1",
                "a[i]",
                "p->size",
                "p->next->size - SIZE",
                "count(p)",
                "(int)x",
                "0x1F",
                "i - '0'",
                "*a"
            ]
        );
        let others = "_ = x; _ = p; _ = p->mean; _ = mean(); _ = 1.5; _ = ok; _ = a; _ = HALF; \
                      _ = i < 2; _ = x + i; _ = 'c';";
        assert_eq!(integers(others), [""; 0]);
    }

    #[test]
    fn a_computed_address_is_a_number_but_not_an_integer() {
        let text = "_ = a + 1; _ = p - i; _ = a; _ = i - p; _ = p->next + x;";
        assert_eq!(values(text, true), ["a + 1", "p - i"]);
        assert_eq!(integers(text), [""; 0]);
    }
}
