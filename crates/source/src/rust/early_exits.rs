//! Early exits: the bodies with which a function or loop could be left early, and the sites for them.

mod contents;
mod messages;
mod raised;
pub mod snippets;
pub mod variants;

use std::collections::BTreeMap;
use std::sync::Arc;

use nopol_basics::hash;

use self::variants::{Declared, Occurrences, occurrences};
use super::templates::{PANICS, template};
use crate::{
    BodyOrigin, ExitSnippet, FileIndex, Function, FunctionIndex, Name, Site, SiteKind, Sources,
};

/// Early exits per insertion point, by the origin of their bodies.
const MOST_OWN: usize = 5;
const MOST_OF_SIBLINGS: usize = 2;
const MOST_CONSTRUCTORS: usize = 2;
const MOST_STATEMENTS: usize = 2;
const MOST_VARIANTS: usize = 4;

/// A program point where an early exit from the function or a loop can be inserted.
#[derive(Clone, Debug)]
pub struct InsertionPoint {
    pub file: FileIndex,
    pub function: FunctionIndex,
    /// The byte before which the early exit is inserted.
    pub at: usize,
    pub line: usize,
    pub column: usize,
    /// The text of the statement that follows, or the brace that ends a loop.
    pub before: String,
    pub names: Arc<[Name]>,
    pub in_loop: bool,
    /// Labels of the loops around the innermost one, outermost first.
    pub labels: Vec<String>,
    /// Whether `return` would leave a closure or an async block.
    pub in_closure: bool,
    /// The values that this closure returns.
    pub closure_values: Arc<[ExitSnippet]>,
    /// Whether the statement that follows is a check: it deliberately panics under some condition.
    pub is_before_check: bool,
}

/// A function without parameters that returns the type it belongs to.
#[derive(Clone, Debug)]
pub struct Constructor {
    pub owner: String,
    pub name: String,
}

/// The sites of all early exits at all insertion points.
pub fn sites(
    sources: &Sources,
    points: &[InsertionPoint],
    constructors: &[Constructor],
    declared: &Declared,
) -> Vec<Site> {
    let mut nth: BTreeMap<String, u32> = BTreeMap::new();
    let mut sites = Vec::new();
    let Some(template) = template(SiteKind::EarlyExit) else {
        return sites;
    };
    let mut variants: BTreeMap<FunctionIndex, Vec<ExitSnippet>> = BTreeMap::new();
    let mut messages: BTreeMap<FunctionIndex, Option<ExitSnippet>> = BTreeMap::new();
    let mut in_files: BTreeMap<FileIndex, Occurrences<'_>> = BTreeMap::new();
    let locals = locals(points);
    for point in points {
        let function = &sources.functions[point.function];
        let in_file = in_files
            .entry(function.file)
            .or_insert_with(|| occurrences(&sources.files[function.file].text));
        let variants = variants.entry(point.function).or_insert_with(|| {
            let locals = locals.get(&point.function).map_or(&[][..], Vec::as_slice);
            variants::values(sources, function, in_file, declared, locals)
        });
        let message = messages
            .entry(point.function)
            .or_insert_with(|| messages::usual(sources, function))
            .as_ref();
        for (body, body_origin) in bodies(sources, point, function, constructors, variants, message)
        {
            let path = &sources.files[point.file].path;
            let name = &function.name;
            let description = format!(
                "{path}|{name}|{}|{body}|{}",
                SiteKind::EarlyExit.id_name(),
                point.before
            );
            let nth = nth.entry(description.clone()).or_default();
            *nth += 1;
            sites.push(Site {
                id: hash::short(&format!("{description}|{nth}")),
                kind: SiteKind::EarlyExit,
                file: point.file,
                span: point.at..point.at,
                line: point.line,
                column: point.column,
                text: String::new(),
                parts: Vec::new(),
                body,
                body_origin,
                checks: u32::from(point.is_before_check),
                min_binding: template.min_binding,
                template,
                function: point.function,
                names: Arc::clone(&point.names),
                is_argument: false,
                is_pure: None,
            });
        }
    }
    sites
}

/// By function, the variables that are visible at some of its points, outermost first.
fn locals(points: &[InsertionPoint]) -> BTreeMap<FunctionIndex, Vec<Name>> {
    let mut found: BTreeMap<FunctionIndex, Vec<Name>> = BTreeMap::new();
    for point in points {
        let of_function = found.entry(point.function).or_default();
        for name in point.names.iter() {
            if !of_function.contains(name) {
                of_function.push(name.clone());
            }
        }
    }
    found
}

/// The bodies of the early exits at an insertion point, each with its origin, most likely first.
fn bodies(
    sources: &Sources,
    point: &InsertionPoint,
    function: &Function,
    constructors: &[Constructor],
    variants: &[ExitSnippet],
    message: Option<&ExitSnippet>,
) -> Vec<(String, BodyOrigin)> {
    let mut bodies: Vec<(String, BodyOrigin)> = Vec::new();
    // A constructor that calls itself never ends.
    let name = function.name.rsplit("::").next().unwrap_or_default();
    let owner = function.owner.as_deref().unwrap_or("Self");
    let itself = ["Self", owner].map(|owner| format!("return {owner}::{name}();"));
    let mut put = |body: String, origin: BodyOrigin| {
        if !itself.contains(&body) && !bodies.iter().any(|(known, _)| *known == body) {
            bodies.push((body, origin));
        }
    };
    let is_visible = |name: &String| point.names.iter().any(|known| known.text == *name);
    let fits = |snippet: &&ExitSnippet| snippet.names.iter().all(is_visible);
    if point.in_loop {
        // At the end of a loop it changes nothing.
        if point.before != "}" {
            put("continue;".to_owned(), BodyOrigin::Own);
        }
        put("break;".to_owned(), BodyOrigin::Break);
        for label in point.labels.iter().rev() {
            put(format!("continue {label};"), BodyOrigin::LabelledContinue);
            put(format!("break {label};"), BodyOrigin::LabelledBreak);
        }
    }
    if point.in_closure {
        for text in of_closure(point, &is_visible) {
            put(format!("return {text};"), BodyOrigin::Own);
        }
    } else {
        match &function.returns {
            None => put("return;".to_owned(), BodyOrigin::Own),
            Some(returns) => {
                let value = |text: &str| format!("return {text};");
                for snippet in function.returned_values.iter().filter(fits).take(MOST_OWN) {
                    put(value(&snippet.text), BodyOrigin::Own);
                }
                for snippet in variants.iter().filter(fits).take(MOST_VARIANTS) {
                    put(value(&snippet.text), BodyOrigin::Variant);
                }
                if let Some(message) = message {
                    put(value(&message.text), BodyOrigin::Variant);
                }
                // Before the siblings, which often return it, too.
                for text in constructed(returns, function, constructors) {
                    put(value(&text), BodyOrigin::Constructor);
                }
                let siblings = sources.functions.iter().filter(|other| {
                    other.file == function.file
                        && other.owner == function.owner
                        && other.name != function.name
                        && other.returns == function.returns
                });
                // A variable of the same name in another function is probably unrelated.
                let is_own =
                    |snippet: &&ExitSnippet| snippet.names.iter().all(|name| name == "self");
                let of_siblings = siblings.flat_map(|other| &other.returned_values);
                let of_siblings = of_siblings.filter(is_own).filter(fits);
                for snippet in of_siblings.take(MOST_OF_SIBLINGS) {
                    put(value(&snippet.text), BodyOrigin::Sibling);
                }
                for text in obvious(returns) {
                    put(value(&text), BodyOrigin::Obvious);
                }
                for text in parameters(returns, function) {
                    put(value(&text), BodyOrigin::Parameter);
                }
            }
        }
        let leads = |statements: &&ExitSnippet| leads_somewhere(&statements.text, point);
        let own = function.exit_statements.iter().filter(fits);
        for statements in own.filter(leads).take(MOST_STATEMENTS) {
            put(statements.text.clone(), BodyOrigin::Statements);
        }
    }
    put(PANICS.to_owned(), BodyOrigin::Panic);
    bodies
}

/// The values with which a closure can be left: those that it returns, and the opposites of these.
fn of_closure(point: &InsertionPoint, is_visible: &dyn Fn(&String) -> bool) -> Vec<String> {
    let own = point.closure_values.iter();
    let fitting = own.filter(|value| value.names.iter().all(is_visible));
    let texts: Vec<&str> = fitting.map(|value| &*value.text).collect();
    let starts = |starts: &[&str]| {
        let mut all = point.closure_values.iter();
        all.any(|value| starts.iter().any(|start| value.text.starts_with(start)))
    };
    let opposites: &[&str] = match () {
        () if starts(&["true", "false", "!"]) => &["false", "true"],
        () if starts(&["Some(", "None"]) => &["None"],
        () if starts(&["Ok(()", "Err("]) => &["Ok(())"],
        () => &[],
    };
    let all = texts
        .into_iter()
        .take(MOST_OWN)
        .chain(opposites.iter().copied());
    all.map(str::to_owned).collect()
}

/// Whether the loop that statements leave or continue is around the point, if they do.
fn leads_somewhere(statements: &str, point: &InsertionPoint) -> bool {
    let statements = statements.trim_end_matches(';');
    let last = statements.rsplit([';', '}']).next().unwrap_or_default();
    let mut words = last.split_whitespace();
    match (words.next(), words.next()) {
        (Some("break" | "continue"), Some(label)) if label.starts_with('\'') => {
            point.labels.iter().any(|known| known == label)
        }
        (Some("break" | "continue"), _) => point.in_loop,
        _ => true,
    }
}

/// Typical values of a type; of a `Result` those of what it holds.
fn obvious(returns: &str) -> Vec<String> {
    let plain = returns.trim_start_matches('&');
    if let Some(held) = held_by_result(plain) {
        let of_held = match held {
            "()" => vec!["()".to_owned()],
            held => obvious(held),
        };
        return of_held.iter().map(|value| format!("Ok({value})")).collect();
    }
    if let Some(parts) = parts_of_tuple(plain) {
        let first = |part: &str| obvious(part).into_iter().next();
        let values: Option<Vec<String>> = parts.into_iter().map(first).collect();
        return values
            .map(|values| format!("({})", values.join(", ")))
            .into_iter()
            .collect();
    }
    if let Some(name) = collection(plain) {
        return vec![format!("{name}::new()")];
    }
    let typical: &[&str] = match plain {
        "bool" => &["false", "true"],
        "str" => &["\"\""],
        "f32" | "f64" => &["0.0"],
        _ if nopol_expr::Type::from_name(plain).is_some() && plain != "char" => &["0"],
        _ if plain.starts_with("Option<") => &["None"],
        _ if plain.ends_with("::Result") => &["Ok(())"],
        _ if returns.starts_with('&') && plain.starts_with('[') && !plain.contains(';') => &["&[]"],
        _ => &[],
    };
    typical.iter().map(ToString::to_string).collect()
}

/// The name of a type of the standard library, as it is written, of which an empty value is made by `new`.
fn collection(plain: &str) -> Option<&str> {
    const NAMES: [&str; 9] = [
        "String",
        "PathBuf",
        "Vec",
        "VecDeque",
        "HashMap",
        "HashSet",
        "BTreeMap",
        "BTreeSet",
        "BinaryHeap",
    ];
    let name = plain.split('<').next()?;
    let last = name.rsplit("::").next()?;
    NAMES.contains(&last).then_some(name)
}

/// The types in a tuple of at least two.
fn parts_of_tuple(plain: &str) -> Option<Vec<&str>> {
    let inside = plain.strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = Vec::new();
    let mut rest = inside;
    while !rest.trim().is_empty() {
        let (part, after) = rest.split_at(end_of_type(rest));
        parts.push(part.trim());
        rest = after.strip_prefix(',').unwrap_or("");
    }
    (parts.len() > 1).then_some(parts)
}

/// Where the first of several types ends, at a comma or at the end.
fn end_of_type(types: &str) -> usize {
    let mut depth = 0_usize;
    let end = types.find(|letter| {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    end.unwrap_or(types.len())
}

/// The type of the values in a `Result`, or in an alias of one with `Result` in its name.
fn held_by_result(plain: &str) -> Option<&str> {
    let (name, arguments) = plain.split_once('<')?;
    let arguments = arguments
        .strip_suffix('>')
        .filter(|_| name.ends_with("Result"))?;
    Some(arguments[..end_of_type(arguments)].trim())
}

/// The parameters that have the return type.
fn parameters(returns: &str, function: &Function) -> Vec<String> {
    let plain = returns.trim_start_matches('&');
    let of_type = |name: &&Name| {
        let ty = name.ty.as_ref().map(|ty| ty.plain.as_str());
        let own = function.owner.as_deref();
        ty == Some(plain) || plain == "Self" && ty.is_some() && ty == own
    };
    let mut values = Vec::new();
    let is_reference = returns.starts_with('&');
    for name in function.parameters.iter().filter(of_type) {
        let is_behind = name.ty.as_ref().is_some_and(|ty| ty.is_reference);
        values.push(match is_behind && !is_reference {
            true => format!("{}.clone()", name.text),
            false => name.text.clone(),
        });
    }
    values
}

/// Calls of constructors of the return type.
fn constructed(returns: &str, function: &Function, constructors: &[Constructor]) -> Vec<String> {
    const USUAL: [&str; 4] = ["new", "empty", "zero", "default"];
    let base = returns.split('<').next().unwrap_or_default();
    let owner = match base {
        "Self" => function.owner.as_deref().unwrap_or_default(),
        base => base.rsplit("::").next().unwrap_or_default(),
    };
    let usual = |name: &str| USUAL.iter().position(|usual| *usual == name).unwrap_or(9);
    let of_owner = constructors.iter().filter(|known| known.owner == owner);
    let mut names: Vec<&str> = of_owner.map(|known| &*known.name).collect();
    // Where there is `new()`, `default()` calls it.
    if names.contains(&"new") {
        names.retain(|name| *name != "default");
    }
    names.sort_by_key(|name| usual(name));
    names.dedup();
    names.truncate(MOST_CONSTRUCTORS);
    names
        .iter()
        .map(|name| format!("{base}::{name}()"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BodyOrigin, obvious};
    use crate::SiteKind;
    use crate::rust::read_text;

    #[test]
    fn a_value_made_by_new_is_not_made_by_default_too() {
        let text = "pub struct Part(u8);
            impl Default for Part { fn default() -> Self { Self::new() } }
            impl Part {
                pub fn new() -> Self { Self(0) }
                pub fn first(&self) -> Part { if self.0 > 9 { return Part::new(); } Part(self.0) }
                pub fn second(&self, n: u8) -> Part { assert!(n > 0); Part(n) }
            }";
        let exits_of = |name: &str| {
            let sources = read_text(text);
            let sites = sources.sites.into_iter();
            let exits = sites.filter(|site| {
                let function = &sources.functions[site.function].name;
                site.kind == SiteKind::EarlyExit && function.ends_with(name)
            });
            let mut exits: Vec<_> = exits.map(|site| (site.body, site.body_origin)).collect();
            exits.retain(|(body, _)| body.ends_with("new();") || body.ends_with("default();"));
            exits.dedup();
            exits
        };
        // A sibling returns it, too, which makes it no less usual.
        let new = ("return Part::new();".to_owned(), BodyOrigin::Constructor);
        assert_eq!(exits_of("second"), [new]);
        // It would call itself.
        assert_eq!(exits_of("new"), []);
    }

    #[test]
    fn a_predicate_can_yield_either_truth_value_early() {
        let text = "pub fn run(v: &[u8], least: u8) -> usize {
            v.iter().take_while(|n| { let twice = **n * 2; twice > least }).count()
        }";
        let sites = read_text(text).sites.into_iter();
        let mut bodies: Vec<String> = sites.map(|site| site.body).collect();
        bodies.retain(|body| body.starts_with("return "));
        for value in ["return false;", "return true;"] {
            assert!(bodies.contains(&value.to_owned()), "{bodies:?}");
        }
    }

    #[test]
    fn a_result_has_the_typical_values_of_what_it_holds() {
        for (ty, wanted) in [
            ("Result<(), E>", &["Ok(())"][..]),
            ("TiffResult<u32>", &["Ok(0)"]),
            ("io::Result<bool>", &["Ok(false)", "Ok(true)"]),
            ("Result<Option<(A, B)>, E>", &["Ok(None)"]),
            ("fmt::Result", &["Ok(())"]),
            ("Result<A, E>", &[]),
            ("&u8", &["0"]),
            ("()", &[]),
            ("&[u8]", &["&[]"]),
            ("[u8; 4]", &[]),
            ("Vec<A>", &["Vec::new()"]),
            (
                "std::collections::HashMap<K, Vec<V>>",
                &["std::collections::HashMap::new()"],
            ),
            ("(usize, Vec<(A, B)>)", &["(0, Vec::new())"]),
            ("(usize, A)", &[]),
        ] {
            assert_eq!(obvious(ty), wanted, "{ty}");
        }
    }
}
