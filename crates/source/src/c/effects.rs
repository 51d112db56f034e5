//! Finds the C expressions and functions that can be evaluated again without side effects.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::condition;
use super::syntax::{self, children, field, text_of, walk};

/// Library functions that only read their arguments.
const PURE_FUNCTIONS: [&str; 47] = [
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

/// Whether a name is a library function that only reads its arguments.
pub fn is_known_pure(name: &str) -> bool {
    PURE_FUNCTIONS.contains(&name)
}

/// Whether evaluating an expression has no side effects; `is_pure_call` decides for functions by name.
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
        if let Some(inside) = condition::enclosed(node, text) {
            let of_inside = condition::with(inside, |node, text| is_pure(node, text, is_pure_call));
            pure &= of_inside.unwrap_or(false);
        }
        pure
    });
    pure
}

/// The functions and function-like macros of the program with their calls, to find the pure ones.
#[derive(Default)]
pub struct Functions {
    /// By name: the functions that it calls, or `None` if its own code has side effects.
    calls: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Functions {
    /// Adds a function definition.
    pub fn add(&mut self, name: &str, definition: Node, text: &str) {
        self.put(name, calls_of(definition, text));
    }

    /// Adds a function-like macro with this body.
    pub fn add_macro(&mut self, name: &str, bodies: &[String]) {
        // A body that stands for statements is not an expression.
        let calls = bodies.iter();
        let calls = calls.map(|body| condition::with(body, calls_of).flatten());
        let calls: Option<Vec<BTreeSet<String>>> = calls.collect();
        self.put(
            name,
            calls.map(|calls| calls.into_iter().flatten().collect()),
        );
    }

    fn put(&mut self, name: &str, calls: Option<BTreeSet<String>>) {
        // Functions that share a name count as impure.
        match self.calls.contains_key(name) {
            true => self.calls.insert(name.to_owned(), None),
            false => self.calls.insert(name.to_owned(), calls),
        };
    }

    /// The functions without side effects: the greatest set in which each function calls only pure ones.
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

/// The functions that a definition calls. `None` if it changes anything but its local variables.
fn calls_of(definition: Node, text: &str) -> Option<BTreeSet<String>> {
    let mut locals = Locals::default();
    let mut calls = BTreeSet::new();
    let mut is_impure = false;
    walk(definition, &mut |node| {
        match node.kind() {
            "declaration" | "parameter_declaration" => {
                is_impure |= text_of(node, text).starts_with("static");
                locals.declare(node, text);
            }
            "assignment_expression" | "update_expression" => {
                let target = node.child_by_field_name("left");
                let target = target.or_else(|| node.child_by_field_name("argument"));
                is_impure |= !target.is_some_and(|target| locals.has(target, text));
            }
            "call_expression" => {
                calls.insert(field(node, "function", text).unwrap_or_default().to_owned());
            }
            "goto_statement" | "gnu_asm_expression" => is_impure = true,
            _ => {}
        }
        if let Some(inside) = condition::enclosed(node, text) {
            match condition::with(inside, calls_of).flatten() {
                Some(of_inside) => calls.extend(of_inside),
                None => is_impure = true,
            }
        }
        !is_impure
    });
    (!is_impure).then_some(calls)
}

/// The local variables of a function.
#[derive(Default)]
struct Locals<'t> {
    all: BTreeSet<&'t str>,
    /// Variables whose elements and members are local, too: neither pointers nor array parameters.
    whole: BTreeSet<&'t str>,
}

impl<'t> Locals<'t> {
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

    /// Whether the target of an assignment is local.
    fn has(&self, target: Node, text: &str) -> bool {
        match syntax::unparenthesized(target) {
            target if target.kind() == "identifier" => self.all.contains(text_of(target, text)),
            target => self.has_part(target, text),
        }
    }

    fn has_part(&self, target: Node, text: &str) -> bool {
        let target = syntax::unparenthesized(target);
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
