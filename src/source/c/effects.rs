//! Which expressions and functions of C leave no trace when they are evaluated once more.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::syntax::{self, children, field, text_of, walk};

/// Functions of the library that only look at their arguments.
const LOOKING: [&str; 47] = [
    "abs",
    "labs",
    "llabs",
    "fabs",
    "fabsf",
    "sqrt",
    "sqrtf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "round",
    "fmod",
    "fmin",
    "fmax",
    "pow",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "memcmp",
    "memchr",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "toupper",
    "tolower",
];

/// Whether a function of the library only looks at its arguments.
pub fn is_known_pure(name: &str) -> bool {
    LOOKING.contains(&name)
}

/// Whether evaluating an expression changes nothing; `is_pure_call` tells of functions by name.
pub fn is_pure(node: Node, text: &str, is_pure_call: &dyn Fn(&str) -> bool) -> bool {
    let mut pure = true;
    walk(node, &mut |node| {
        match node.kind() {
            "assignment_expression" | "update_expression" | "compound_statement" => pure = false,
            "call_expression" => {
                let name = field(node, "function", text).unwrap_or_default();
                pure &= is_pure_call(name);
            }
            "sizeof_expression" => return false,
            _ => {}
        }
        pure
    });
    pure
}

/// What calling each of these functions may do, and what follows for the others.
#[derive(Default)]
pub struct Functions {
    /// By name: the functions it calls, or `None` if it leaves a trace by itself.
    calls: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Functions {
    /// Adds a function definition.
    pub fn add(&mut self, name: &str, definition: Node, text: &str) {
        let calls = own_calls(definition, text);
        // Of several of one name none is known.
        match self.calls.contains_key(name) {
            true => self.calls.insert(name.to_owned(), None),
            false => self.calls.insert(name.to_owned(), calls),
        };
    }

    /// The functions that leave no trace, whatever they are called with.
    pub fn pure(&self) -> BTreeSet<String> {
        let mut pure: BTreeSet<String> = self
            .calls
            .iter()
            .filter(|(_, calls)| calls.is_some())
            .map(|(name, _)| name.clone())
            .collect();
        loop {
            let before = pure.len();
            let known = pure.clone();
            pure.retain(|name| {
                let calls = self.calls[name].iter().flatten();
                calls
                    .into_iter()
                    .all(|call| is_known_pure(call) || known.contains(call))
            });
            if pure.len() == before {
                return pure;
            }
        }
    }
}

/// The functions that a definition calls; `None` if it changes something that is not its own.
fn own_calls(definition: Node, text: &str) -> Option<BTreeSet<String>> {
    let mut own = Own::default();
    let mut calls = BTreeSet::new();
    let mut leaves = false;
    walk(definition, &mut |node| {
        match node.kind() {
            "declaration" | "parameter_declaration" => {
                leaves |= text_of(node, text).starts_with("static");
                own.declare(node, text);
            }
            "assignment_expression" | "update_expression" => {
                let target = node.child_by_field_name("left");
                let target = target.or_else(|| node.child_by_field_name("argument"));
                leaves |= !target.is_some_and(|target| own.has(target, text));
            }
            "call_expression" => {
                calls.insert(field(node, "function", text).unwrap_or_default().to_owned());
            }
            "goto_statement" | "gnu_asm_expression" => leaves = true,
            _ => {}
        }
        !leaves
    });
    (!leaves).then_some(calls)
}

/// The variables of a function.
#[derive(Default)]
struct Own<'t> {
    all: BTreeSet<&'t str>,
    /// Those whose parts are its own, too: what a pointer points to is not.
    whole: BTreeSet<&'t str>,
}

impl<'t> Own<'t> {
    fn declare(&mut self, declaration: Node, text: &'t str) {
        let is_parameter = declaration.kind() == "parameter_declaration";
        for declarator in children(declaration) {
            let Some(name) = declared(declarator) else {
                continue;
            };
            let name = text_of(name, text);
            self.all.insert(name);
            let declarator = match declarator.kind() {
                "init_declarator" => declarator.child_by_field_name("declarator"),
                _ => Some(declarator),
            };
            let kind = declarator.map_or("", |declarator| declarator.kind());
            if kind == "identifier" || kind == "array_declarator" && !is_parameter {
                self.whole.insert(name);
            }
        }
    }

    /// Whether what is assigned to belongs to one of them.
    fn has(&self, target: Node, text: &str) -> bool {
        match syntax::bare(target) {
            target if target.kind() == "identifier" => self.all.contains(text_of(target, text)),
            target => self.has_part(target, text),
        }
    }

    fn has_part(&self, target: Node, text: &str) -> bool {
        let target = syntax::bare(target);
        let argument = || target.child_by_field_name("argument");
        match target.kind() {
            "identifier" => self.whole.contains(text_of(target, text)),
            "subscript_expression" => argument().is_some_and(|array| self.has_part(array, text)),
            "field_expression" => {
                field(target, "operator", text) == Some(".")
                    && argument().is_some_and(|whole| self.has_part(whole, text))
            }
            _ => false,
        }
    }
}

/// The identifier that a declarator declares.
pub fn declared(declarator: Node) -> Option<Node> {
    match declarator.kind() {
        "identifier" | "field_identifier" => Some(declarator),
        "parenthesized_declarator" => children(declarator).into_iter().find_map(declared),
        _ => declared(declarator.child_by_field_name("declarator")?),
    }
}
