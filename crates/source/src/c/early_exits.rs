//! Early exits: the bodies that can leave a function or loop early.

use tree_sitter::Node;

use super::old_style;
use super::syntax::{children, text_of, walk};
use super::types::{Declarations, declarators};
use crate::{BodyOrigin, DeclaredType, ExitSnippet, Function, Name, Sources};

/// The longest text that is repeated, in bytes.
const LONGEST: usize = 100;
/// Most early exits per insertion point, by the origin of their bodies.
const MOST_OWN: usize = 5;
const MOST_LABELS: usize = 2;
const MOST_OF_OTHERS: usize = 2;
const MOST_STATEMENTS: usize = 3;
const MOST_STATEMENTS_OF_OTHERS: usize = 2;

/// A program point where an early exit from the function or a loop can be inserted.
pub struct InsertionPoint<'a> {
    pub names: &'a [Name],
    pub in_loop: bool,
    /// Whether `break` would leave a `switch` rather than the loop.
    pub in_switch: bool,
    /// The labels to which the function jumps.
    pub labels: &'a [Label],
    /// Its byte in the file.
    pub at: usize,
    /// The text of the next statement.
    pub before: &'a str,
}

impl InsertionPoint<'_> {
    /// Whether it is directly before an assertion.
    pub fn is_before_check(&self) -> bool {
        self.before.starts_with("assert")
    }

    /// Whether the last of these statements, from elsewhere, leaves something here, too.
    fn is_left_by(&self, statements: &str) -> bool {
        let last = statements.trim_end_matches(';').rsplit(';').next();
        let last = last.unwrap_or_default().trim();
        match last.split_whitespace().collect::<Vec<_>>()[..] {
            ["continue"] => self.in_loop,
            ["break"] => self.in_loop && !self.in_switch,
            ["goto", label] => {
                let mut ahead = self.labels.iter().filter(|known| known.at > self.at);
                ahead.any(|known| known.name == label)
            }
            _ => true,
        }
    }
}

/// A label to which its function jumps.
pub struct Label {
    pub name: String,
    /// The byte of the labelled statement in the file.
    pub at: usize,
}

/// The labels of a function that one of its `goto`s names, in source order.
pub fn labels(body: Node, text: &str) -> Vec<Label> {
    let mut labels = Vec::new();
    let mut jumps: Vec<&str> = Vec::new();
    walk(body, &mut |node| {
        let name = |node: Node| {
            node.child_by_field_name("label")
                .map(|name| text_of(name, text))
        };
        match node.kind() {
            "labeled_statement" => labels.extend(name(node).map(|name| Label {
                name: name.to_owned(),
                at: node.start_byte(),
            })),
            "goto_statement" => jumps.extend(name(node)),
            _ => {}
        }
        true
    });
    labels.retain(|label| jumps.contains(&&*label.name));
    labels
}

/// The parameters of a function definition, with their types.
pub fn parameters(definition: Node, text: &str) -> Vec<(String, DeclaredType)> {
    let mut found = Vec::new();
    let mut at = definition.child_by_field_name("declarator");
    while let Some(declarator) = at {
        if let Some(list) = declarator.child_by_field_name("parameters") {
            let declared = old_style::declared(definition, text);
            for parameter in children(list) {
                match parameter.kind() {
                    "identifier" => found.push(declared(text_of(parameter, text))),
                    _ => {
                        let all = declarators(parameter, text).into_iter();
                        found.extend(all.map(|(name, ty, _)| (name, ty)));
                    }
                }
            }
            break;
        }
        at = declarator.child_by_field_name("declarator");
    }
    found
}

/// The values that a function returns, in source order, without duplicates.
pub fn returned_values(body: Node, text: &str) -> Vec<ExitSnippet> {
    let mut values: Vec<ExitSnippet> = Vec::new();
    walk(body, &mut |node| {
        if node.kind() == "return_statement"
            && let Some(value) = children(node).first()
        {
            let written = text_of(*value, text);
            let snippet = ExitSnippet {
                text: written.split_whitespace().collect::<Vec<_>>().join(" "),
                names: names(*value, text),
            };
            if written.len() <= LONGEST && !values.contains(&snippet) {
                values.push(snippet);
            }
        }
        true
    });
    values
}

/// Short blocks of several statements that finally leave the function or a loop, such as `*error = -1; return NULL;`, in
/// source order, without duplicates.
pub fn exit_statements(body: Node, text: &str) -> Vec<ExitSnippet> {
    let mut found: Vec<ExitSnippet> = Vec::new();
    walk(body, &mut |node| {
        if node.kind() == "compound_statement" && node != body {
            let snippet = block(node, text);
            found.extend(snippet.filter(|snippet| !found.contains(snippet)));
        }
        true
    });
    found
}

/// The statements of a block that can be repeated elsewhere.
fn block(block: Node, text: &str) -> Option<ExitSnippet> {
    let statements = children(block);
    let (last, before) = statements
        .split_last()
        .filter(|(_, before)| !before.is_empty())?;
    let leaves = matches!(
        last.kind(),
        "return_statement" | "goto_statement" | "break_statement" | "continue_statement"
    );
    let is_plain = |statement: &&Node| statement.kind() == "expression_statement";
    if !leaves || !before.iter().all(|statement| is_plain(&statement)) {
        return None;
    }
    let texts = statements.iter().map(|statement| text_of(*statement, text));
    let texts: Vec<&str> = texts.collect();
    let is_simple = |text: &&str| !text.contains('\n') && !text.contains("/*");
    let joined = texts.join(" ");
    (joined.len() <= LONGEST && texts.iter().all(is_simple)).then(|| ExitSnippet {
        text: joined,
        names: names(block, text),
    })
}

/// The statements of such a block, each by itself.
pub fn statements(body: &str) -> Vec<String> {
    let whole = format!("void f(void) {{ {body} }}");
    let tree = super::syntax::parse(&whole);
    let function = tree
        .as_ref()
        .and_then(|tree| tree.root_node().named_child(0));
    let block = function.and_then(|function| function.child_by_field_name("body"));
    match block.filter(|block| !block.has_error()) {
        Some(block) => {
            let all = children(block).into_iter();
            all.map(|statement| text_of(statement, &whole).to_owned())
                .collect()
        }
        None => vec![body.to_owned()],
    }
}

/// The variables that an expression appears to read: identifiers that are not called.
pub fn names(node: Node, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    walk(node, &mut |node| {
        let name = text_of(node, text);
        let is_known = || found.iter().any(|known| known == name);
        // Tree-sitter finds a node's parent from the root, so check this last.
        let is_called = || {
            node.parent().is_some_and(|parent| {
                parent.kind() == "call_expression"
                    && parent.child_by_field_name("function") == Some(node)
            })
        };
        if node.kind() == "identifier" && !is_known() && !is_called() {
            found.push(name.to_owned());
        }
        true
    });
    found
}

/// The bodies of the early exits at an insertion point, each with its origin, most likely first.
pub fn bodies(
    sources: &Sources,
    function: &Function,
    point: &InsertionPoint,
    declarations: &Declarations,
) -> Vec<(String, BodyOrigin)> {
    let mut bodies: Vec<(String, BodyOrigin)> = Vec::new();
    let mut put = |body: String, origin: BodyOrigin| {
        if !bodies.iter().any(|(known, _)| *known == body) {
            bodies.push((body, origin));
        }
    };
    if point.in_loop {
        put("continue;".to_owned(), BodyOrigin::Own);
        if !point.in_switch {
            put("break;".to_owned(), BodyOrigin::Break);
        }
    }
    // Jumping back would form a loop.
    let ahead = point.labels.iter().filter(|label| label.at > point.at);
    for label in ahead.take(MOST_LABELS) {
        put(format!("goto {};", label.name), BodyOrigin::Own);
    }
    let is_named = |name: &String| {
        declarations.enumerators.contains_key(name)
            || declarations.macros.iter().any(|(known, _)| known == name)
            || matches!(
                &**name,
                "true" | "false" | "NULL" | "EOF" | "stdin" | "stdout" | "stderr"
            )
    };
    let fits = |snippet: &&ExitSnippet| {
        let is_visible = |name: &String| point.names.iter().any(|known| known.text == *name);
        snippet
            .names
            .iter()
            .all(|name| is_visible(name) || is_named(name))
    };
    // Macros of system headers, such as `ENOMEM`, are not known, but the file includes their headers.
    let may_stand = |name: &String| {
        is_named(name) || name == "errno" || !name.contains(|c: char| c.is_ascii_lowercase())
    };
    let is_repeatable = |snippet: &&ExitSnippet| {
        let is_visible = |name: &String| point.names.iter().any(|known| known.text == *name);
        snippet
            .names
            .iter()
            .all(|name| is_visible(name) || may_stand(name))
            && point.is_left_by(&snippet.text)
    };
    let own = function.exit_statements.iter().filter(is_repeatable);
    let own: Vec<&ExitSnippet> = own.take(MOST_STATEMENTS).collect();
    let neighbours = sources.functions.iter().filter(|other| {
        other.file == function.file
            && other.name != function.name
            && other.returns == function.returns
    });
    let returns_something = |snippet: &&ExitSnippet| {
        let last = snippet.text.rsplit("; ").next();
        last.is_some_and(|last| last.starts_with("return"))
    };
    let of_neighbours = neighbours.flat_map(|other| &other.exit_statements);
    let of_neighbours = of_neighbours
        .filter(is_repeatable)
        .filter(returns_something);
    for snippet in own
        .into_iter()
        .chain(of_neighbours.take(MOST_STATEMENTS_OF_OTHERS))
    {
        put(snippet.text.clone(), BodyOrigin::Statements);
    }
    let Some(returns) = &function.returns else {
        put("return;".to_owned(), BodyOrigin::Own);
        return bodies;
    };
    let value = |text: &str| format!("return {text};");
    for snippet in function.returned_values.iter().filter(fits).take(MOST_OWN) {
        put(value(&snippet.text), BodyOrigin::Own);
    }
    let others = sources.functions.iter().filter(|other| {
        other.file == function.file
            && other.name != function.name
            && other.returns == function.returns
    });
    let constant = |snippet: &&ExitSnippet| snippet.names.iter().all(is_named);
    let of_others = others
        .flat_map(|other| &other.returned_values)
        .filter(constant);
    for snippet in of_others.take(MOST_OF_OTHERS) {
        put(value(&snippet.text), BodyOrigin::Sibling);
    }
    let has_truth_names = sources.files[function.file].has_truth_names;
    for text in obvious(returns, declarations, has_truth_names) {
        put(value(text), BodyOrigin::Obvious);
    }
    let same = |name: &&Name| name.ty.as_ref().is_some_and(|ty| ty.plain == *returns);
    for parameter in function.parameters.iter().filter(same) {
        put(value(&parameter.text), BodyOrigin::Parameter);
    }
    bodies
}

/// Values that functions of a type typically return if there is nothing to do or an error occurs.
fn obvious(
    returns: &str,
    declarations: &Declarations,
    has_truth_names: bool,
) -> &'static [&'static str] {
    match declarations.resolved(returns) {
        _ if returns.ends_with('*') || declarations.resolved(returns).ends_with('*') => &["NULL"],
        plain if declarations.is_boolean(returns) => match plain {
            "bool" | "_Bool" if has_truth_names => &["false", "true"],
            _ => &["0", "1"],
        },
        plain if plain.starts_with("struct") || plain.starts_with("union") => &[],
        "float" | "double" | "long double" => &["0"],
        plain if plain.contains("unsigned") || plain == "size_t" => &["0"],
        _ => &["0", "-1", "1"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    #[test]
    fn parameters_of_old_style_definitions_have_the_types_that_are_declared() {
        let text = "int f(s, n, c) char *s; long n; { return 0; }";
        let tree = parse(text).unwrap();
        let found = parameters(tree.root_node().named_child(0).unwrap(), text);
        let found = found.into_iter().map(|(name, ty)| (name, ty.plain));
        let expected = [("s", "char*"), ("n", "long"), ("c", "int")];
        let expected = expected.map(|(name, ty)| (name.to_owned(), ty.to_owned()));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn blocks_of_statements_that_leave_can_be_repeated() {
        let text = "int f(int *e)\n{\n    if (a) {\n        *e = -1;\n        return 1; /* why */\n    }\n    \
                    while (b) { n++; continue; }\n    if (c) { int d = 1; return d; }\n    if (c) { return 2; }\n    \
                    if (d) {\n        g(1,\n          2);\n        break;\n    }\n    if (c) { x = 1; goto out; }\n    \
                    if (g) { *e = -1; return 1; }\n    h();\nout:\n    return 0;\n}\n";
        let tree = parse(text).unwrap();
        let function = tree.root_node().named_child(0).unwrap();
        let body = function.child_by_field_name("body").unwrap();
        let found = exit_statements(body, text).into_iter();
        let found: Vec<(String, Vec<String>)> = found.map(|it| (it.text, it.names)).collect();
        let expected = [
            ("*e = -1; return 1;", "e"),
            ("n++; continue;", "n"),
            ("x = 1; goto out;", "x"),
        ];
        let expected = expected.map(|(text, name)| (text.to_owned(), vec![name.to_owned()]));
        assert_eq!(found, expected);
        assert_eq!(statements("*e = -1; return 1;"), ["*e = -1;", "return 1;"]);
        assert_eq!(statements("return g(\"; \");"), ["return g(\"; \");"]);
    }
}
