//! C declarations: structs with their fields, enums, macros, and the declared types of variables.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use tree_sitter::Node;

use super::effects::declared;
use super::old_style;
use super::syntax::{children, field, text_of, walk};
use crate::words::mentions;
use crate::{DataType, DeclaredType, FileIndex, Sources};

/// Names of assertions that the compiler checks.
pub const ASSERTIONS: [&str; 2] = ["static_assert", "_Static_assert"];

/// The top-level declarations of all files and headers.
#[derive(Default)]
pub struct Declarations {
    pub structs: Vec<DataType>,
    /// Names of enumerators, with their enum types.
    pub enumerators: BTreeMap<String, String>,
    /// The last one of each enum.
    pub last_enumerators: BTreeSet<String>,
    /// Names of object-like macros, with their bodies.
    pub macros: Vec<(String, String)>,
    /// Names of function-like macros, with the bodies of all their definitions.
    pub functions: BTreeMap<String, Vec<String>>,
    /// Names of typedefs, with their types.
    pub aliases: BTreeMap<String, String>,
    /// Names of functions, with their return types.
    pub returns: BTreeMap<String, String>,
}

impl Declarations {
    /// Adds the declarations of a file.
    pub fn add(&mut self, file: FileIndex, root: Node, text: &str) {
        walk(root, &mut |node| {
            match node.kind() {
                "struct_specifier" => self.structure(file, node, None, text),
                "type_definition" => self.alias(file, node, text),
                "enum_specifier" => self.enumeration(node, text),
                "preproc_def" => {
                    let value = field(node, "value", text).unwrap_or_default().trim();
                    let value = value.split("/*").next().unwrap_or_default();
                    let value = value.split("//").next().unwrap_or_default().trim();
                    if let Some(name) = field(node, "name", text) {
                        self.macros.push((name.to_owned(), value.to_owned()));
                    }
                }
                "preproc_function_def" => {
                    let body = field(node, "value", text).unwrap_or_default();
                    if let Some(name) = field(node, "name", text) {
                        let bodies = self.functions.entry(name.to_owned()).or_default();
                        bodies.push(body.to_owned());
                    }
                }
                "function_definition" | "declaration" => self.function(node, text),
                // Declarations inside a function are local.
                "compound_statement" => return false,
                _ => {}
            }
            true
        });
    }

    /// Whether a function-like macro of the program uses its arguments only as code. It must not paste them into a name,
    /// need constants, or print their text, unless to standard error, which no test reads.
    pub fn takes_code(&self, name: &str) -> bool {
        const DEEPEST: usize = 4;
        self.functions.contains_key(name) && !self.quotes(name, DEEPEST)
    }

    /// Whether a macro, or one that it uses, contains a static assertion, or the operator `#` or `##` in a body that does
    /// not write to standard error. Also true beyond `deepest` levels of macros.
    fn quotes(&self, name: &str, deepest: usize) -> bool {
        let bodies = self.functions.get(name);
        bodies.is_some_and(|bodies| {
            let mut bodies = bodies.iter();
            bodies.any(|body| self.body_quotes(name, body, deepest))
        })
    }

    fn body_quotes(&self, name: &str, body: &str, deepest: usize) -> bool {
        // Every second part is a string.
        let mut code = body.split('"').step_by(2);
        let has_operator = code.any(|code| code.contains('#'));
        let mut words = body.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        has_operator && !body.contains("stderr")
            || ASSERTIONS.iter().any(|name| mentions(body, name))
            || deepest == 0
            || words.any(|word| word != name && self.quotes(word, deepest - 1))
    }

    fn structure(&mut self, file: FileIndex, node: Node, name: Option<&str>, text: &str) {
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        let own = field(node, "name", text).map(|name| format!("struct {name}"));
        let fields: Vec<(String, DeclaredType)> = children(body)
            .into_iter()
            .filter(|member| member.kind() == "field_declaration")
            .flat_map(|member| declarators(member, text))
            .map(|(name, ty, _)| (name, ty))
            .collect();
        for name in own.into_iter().chain(name.map(str::to_owned)) {
            if self.structs.iter().any(|known| known.name == name) {
                continue;
            }
            self.structs.push(DataType {
                private_fields: BTreeSet::new(),
                file,
                ty: name.clone(),
                name,
                at: 0,
                cfg: String::new(),
                cfgs: BTreeSet::new(),
                parameters: String::new(),
                bounds: String::new(),
                fields: fields.clone(),
                variants: Vec::new(),
                is_comparable: false,
                is_copy: true,
            });
        }
    }

    fn enumeration(&mut self, node: Node, text: &str) {
        let alias = node
            .parent()
            .filter(|parent| parent.kind() == "type_definition")
            .and_then(|parent| parent.child_by_field_name("declarator"));
        let ty = match (alias, field(node, "name", text)) {
            (Some(alias), _) => text_of(alias, text).to_owned(),
            (None, Some(name)) => format!("enum {name}"),
            (None, None) => format!("enum at {}", node.start_byte()),
        };
        let mut last = None;
        walk(node, &mut |node| {
            if node.kind() == "enumerator"
                && let Some(name) = field(node, "name", text)
            {
                self.enumerators.insert(name.to_owned(), ty.clone());
                last = Some(name.to_owned());
            }
            true
        });
        self.last_enumerators.extend(last);
    }

    fn alias(&mut self, file: FileIndex, node: Node, text: &str) {
        let Some(ty) = node.child_by_field_name("type") else {
            return;
        };
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let stars = text_of(declarator, text).matches('*').count();
            let name = text_of(declarator, text).trim_start_matches(['*', ' ']);
            if stars == 0 && ty.kind() == "struct_specifier" {
                self.structure(file, ty, Some(name), text);
            }
            let plain = format!("{}{}", plain(text_of(ty, text)), "*".repeat(stars));
            self.aliases.insert(name.to_owned(), plain);
        }
    }

    fn function(&mut self, node: Node, text: &str) {
        for (name, ty, declarator) in declarators(node, text) {
            if is_function(declarator) {
                self.returns.insert(name, ty.plain);
            }
        }
    }

    /// The type at the end of a chain of typedefs.
    pub fn resolved<'a>(&'a self, mut plain: &'a str) -> &'a str {
        for _ in 0..8 {
            match self.aliases.get(plain) {
                Some(other) if other != plain && !other.contains('{') => plain = other,
                _ => break,
            }
        }
        plain
    }

    /// Makes structs known under their typedef names, too.
    pub fn name_aliases(&mut self) {
        let aliases: Vec<String> = self.aliases.keys().cloned().collect();
        for alias in aliases {
            let behind = self.resolved(&alias).to_owned();
            let is_known = self.structs.iter().any(|known| known.name == alias);
            let known = self.structs.iter().find(|known| known.name == behind);
            if let Some(known) = known.filter(|_| !is_known).cloned() {
                self.structs.push(DataType {
                    name: alias,
                    ..known
                });
            }
        }
    }

    /// Whether a type is a pointer, as written or through a typedef.
    pub fn is_pointer(&self, plain: &str) -> bool {
        self.resolved(plain).ends_with('*')
    }

    /// Whether a type is boolean by its name.
    pub fn is_boolean(&self, plain: &str) -> bool {
        let named = |plain: &str| {
            let name = plain.to_ascii_lowercase();
            matches!(&*name, "bool" | "_bool" | "boolean" | "bool_t")
        };
        named(plain) || named(self.resolved(plain))
    }
}

/// The fields of a type or of its pointee, and whether it is a pointer.
pub fn fields<'a>(
    sources: &'a Sources,
    plain: &str,
) -> Option<(&'a [(String, DeclaredType)], bool)> {
    let (pointed, is_pointer) = match plain.strip_suffix('*') {
        Some(pointed) => (pointed, true),
        None => (plain, false),
    };
    let known = sources.types.iter().find(|known| known.name == pointed)?;
    Some((&known.fields, is_pointer))
}

/// Whether a declarator declares a function, not a pointer to one.
pub fn is_function(declarator: Node) -> bool {
    match declarator.kind() {
        "function_declarator" => declarator
            .child_by_field_name("declarator")
            .is_some_and(|inner| inner.kind() == "identifier"),
        "pointer_declarator" | "init_declarator" => declarator
            .child_by_field_name("declarator")
            .is_some_and(is_function),
        _ => false,
    }
}

/// The declared names, with their types and declarators.
pub fn declarators<'t>(declaration: Node<'t>, text: &str) -> Vec<(String, DeclaredType, Node<'t>)> {
    let Some(ty) = declaration.child_by_field_name("type") else {
        return Vec::new();
    };
    let base = match (ty.kind(), field(ty, "name", text)) {
        ("struct_specifier", Some(name)) => format!("struct {name}"),
        ("enum_specifier", Some(name)) => format!("enum {name}"),
        ("union_specifier", Some(name)) => format!("union {name}"),
        ("struct_specifier" | "enum_specifier" | "union_specifier", None) => ty.kind().to_owned(),
        _ => plain(text_of(ty, text)),
    };
    let is_definition = declaration.kind() == "function_definition";
    let base = match is_definition.then(|| declaration.child_by_field_name("declarator")) {
        Some(declarator) => old_style::completed(base, ty, declarator, text),
        None => base,
    };
    let mut cursor = declaration.walk();
    let all: Vec<Node> = declaration
        .children_by_field_name("declarator", &mut cursor)
        .collect();
    let one = |declarator: Node<'t>| {
        let name = old_style::whole_name(declared(declarator)?, text).to_owned();
        let plain = format!("{base}{}", shape(declarator));
        let ty = DeclaredType {
            plain,
            is_reference: false,
        };
        Some((name, ty, declarator))
    };
    all.into_iter().filter_map(one).collect()
}

/// The suffix that a declarator adds to the type: `*` for a pointer, `[]` for an array.
fn shape(declarator: Node) -> String {
    let inner = || {
        declarator
            .child_by_field_name("declarator")
            .map(shape)
            .unwrap_or_default()
    };
    match declarator.kind() {
        "pointer_declarator" => format!("*{}", inner()),
        "array_declarator" => format!("{}[]", inner()),
        "init_declarator" | "function_declarator" => inner(),
        "parenthesized_declarator" => children(declarator)
            .first()
            .map(|inner| shape(*inner))
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// A type with single spaces between its words.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::Declarations;
    use crate::c::syntax::parse;

    #[test]
    fn a_macro_that_prints_its_argument_does_not_take_only_code() {
        let text = "#define BUILT(x) f(x)\n#define BUILT(x) _Static_assert(x, \"\")\n#define HINT(x) f(!!(x), \"#\")\n#define ALSO(x) HINT(x)\n#define SHOW(x) printf(#x)\n\
                    #define JOIN(x) a##x\n#define INNER(x) SHOW(x)\n\
                    #define CHECK(x) if (!(x)) fprintf(stderr, \"%s\", #x)\n#define SELF(x) SELF(x)\n";
        let mut declarations = Declarations::default();
        declarations.add(0.into(), parse(text).unwrap().root_node(), text);
        let of_code = |name: &&str| declarations.takes_code(name);
        let all = [
            "HINT", "ALSO", "SHOW", "JOIN", "INNER", "CHECK", "SELF", "BUILT", "assert",
        ];
        let found: Vec<&str> = all.into_iter().filter(of_code).collect();
        assert_eq!(found, ["HINT", "ALSO", "CHECK", "SELF"]);
    }
}
