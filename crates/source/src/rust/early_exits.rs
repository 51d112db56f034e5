//! Early exits: the bodies that can leave a function or loop early, and their sites.

mod contents;
mod given;
mod messages;
mod obvious;
mod raised;
pub mod snippets;
pub mod variants;

use std::collections::BTreeMap;
use std::sync::Arc;

use nopol_basics::hash;

use self::obvious::obvious;
use self::variants::{Declared, Occurrences, occurrences};
use super::templates::{PANICS, template};
use crate::{
    BodyOrigin, ExitSnippet, FileIndex, Function, FunctionIndex, Name, Site, SiteKind, Sources,
};

/// Most early exits per insertion point, by the origin of their bodies.
const MOST_OWN: usize = 5;
const MOST_OF_SIBLINGS: usize = 2;
const MOST_CONSTRUCTORS: usize = 2;
const MOST_GETTERS: usize = 1;
const MOST_STATEMENTS: usize = 2;
const MOST_STATEMENTS_OF_SIBLINGS: usize = 1;
const MOST_VARIANTS: usize = 4;
const MOST_MESSAGES: usize = 2;

/// A program point where an early exit from the function or a loop can be inserted.
#[derive(Clone, Debug)]
pub struct InsertionPoint {
    pub file: FileIndex,
    pub function: FunctionIndex,
    /// The byte before which the early exit is inserted.
    pub at: usize,
    pub line: usize,
    pub column: usize,
    /// The text of the next statement, or the brace that ends a loop.
    pub before: String,
    pub names: Arc<[Name]>,
    pub in_loop: bool,
    /// Labels of the loops around the innermost one, outermost first.
    pub labels: Vec<String>,
    /// Whether `return` would leave a closure or an async block.
    pub in_closure: bool,
    /// The values that this closure returns.
    pub closure_values: Arc<[ExitSnippet]>,
    /// Whether the next statement is a check: it deliberately panics under some condition.
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
    let mut messages: BTreeMap<FunctionIndex, Vec<ExitSnippet>> = BTreeMap::new();
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
        let messages = messages
            .entry(point.function)
            .or_insert_with(|| messages::usual(sources, function));
        let all = bodies(sources, point, function, constructors, variants, messages);
        for (body, body_origin) in all {
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

/// The variables visible at some insertion point of each function, outermost first.
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
    messages: &[ExitSnippet],
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
        // At the end of a loop, `continue` changes nothing.
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
                for message in messages.iter().filter(fits).take(MOST_MESSAGES) {
                    let bail = messages::bail(&sources.files[function.file].text, &message.text);
                    put(
                        bail.unwrap_or_else(|| value(&message.text)),
                        BodyOrigin::Variant,
                    );
                }
                // Constructors come before the siblings, which often return the same value.
                for text in constructed(returns, function, constructors) {
                    put(value(&text), BodyOrigin::Constructor);
                }
                // A variable with the same name in another function is probably unrelated.
                let is_own =
                    |snippet: &&ExitSnippet| snippet.names.iter().all(|name| name == "self");
                let siblings = siblings(sources, function);
                let of_siblings = siblings.flat_map(|other| &other.returned_values);
                let of_siblings = of_siblings.filter(is_own).filter(fits);
                for snippet in of_siblings.take(MOST_OF_SIBLINGS) {
                    put(value(&snippet.text), BodyOrigin::Sibling);
                }
                for text in getters(sources, function, point).take(MOST_GETTERS) {
                    put(value(&text), BodyOrigin::Sibling);
                }
                for text in obvious(returns) {
                    put(value(&text), BodyOrigin::Obvious);
                }
                for text in given::values(sources, function, returns) {
                    put(value(&text), BodyOrigin::Parameter);
                }
            }
        }
        let leads = |statements: &&ExitSnippet| leads_somewhere(&statements.text, point);
        let own = function.exit_statements.iter().filter(fits);
        let siblings = siblings(sources, function).flat_map(|other| &other.exit_statements);
        let of_siblings = siblings.filter(fits).filter(returns);
        for statements in own.filter(leads).take(MOST_STATEMENTS) {
            put(statements.text.clone(), BodyOrigin::Statements);
        }
        for statements in of_siblings.take(MOST_STATEMENTS_OF_SIBLINGS) {
            put(statements.text.clone(), BodyOrigin::Statements);
        }
    }
    put(PANICS.to_owned(), BodyOrigin::Panic);
    bodies
}

/// The values with which a closure can be left: those that it returns, and typical opposites of them.
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

/// The other functions of the same type and file that return the same type.
fn siblings<'s>(
    sources: &'s Sources,
    function: &'s Function,
) -> impl Iterator<Item = &'s Function> {
    sources.functions.iter().filter(|other| {
        other.file == function.file
            && other.owner == function.owner
            && other.name != function.name
            && other.returns == function.returns
    })
}

/// Getters of `self` with the return type of a function. Getters of truth values are left out, because there are only
/// two truth values.
fn getters<'s>(
    sources: &'s Sources,
    function: &'s Function,
    point: &InsertionPoint,
) -> impl Iterator<Item = String> + 's {
    let has_self = point.names.iter().any(|name| name.text == "self");
    let returns = function.returns.as_deref();
    let own = function.name.rsplit("::").next();
    let all = sources.callables.iter().filter(move |callable| {
        has_self
            && callable.is_method
            && !callable.takes_value
            && callable.parameters.is_empty()
            && callable.owner == function.owner
            && callable.cfgs.is_subset(&function.cfgs)
            && Some(&*callable.returns) == returns
            && callable.returns != "bool"
            && Some(&*callable.name) != own
    });
    all.map(|callable| format!("self.{}()", callable.name))
}

/// Whether statements leave the function.
fn returns(statements: &&ExitSnippet) -> bool {
    let last = statements.text.trim_end_matches(';');
    let last = last.rsplit([';', '}']).next().unwrap_or_default();
    last.trim_start().starts_with("return")
}

/// Whether statements leave or continue a loop around the point, or leave the function.
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
    // If there is `new()`, `default()` usually calls it.
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
    use super::BodyOrigin;
    use crate::SiteKind;
    use crate::rust::read_text;

    #[test]
    fn an_error_is_raised_in_two_ways_of_the_file() {
        let text = "pub fn f(n: u8) -> Result<u8, E> { g(n)?; Ok(n) }
            fn g(n: u8) -> Result<(), E> {
                if n > 1 { return Err(E::Internal(format!(\"{n} is large\"))); }
                if n > 2 { return Err(E::Internal(format!(\"{n} is larger\"))); }
                if n > 3 { return Err(E::Argument(format!(\"{n} is too large\"))); }
                Ok(())
            }";
        let sources = read_text(text);
        let of_f = sources.sites.iter().filter(|site| {
            site.kind == SiteKind::EarlyExit && sources.functions[site.function].name == "f"
        });
        let bodies: Vec<&str> = of_f.map(|site| &*site.body).collect();
        for maker in ["E::Internal", "E::Argument"] {
            let wanted = format!("return Err({maker}(\"invalid input\".to_owned()));");
            assert!(bodies.contains(&&*wanted), "{wanted}: {bodies:?}");
        }
    }

    #[test]
    fn default_is_not_tried_where_new_exists() {
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
        // A sibling returns it, too, but it still counts as a constructor.
        let new = ("return Part::new();".to_owned(), BodyOrigin::Constructor);
        assert_eq!(exits_of("second"), [new]);
        // It would call itself.
        assert_eq!(exits_of("new"), []);
    }

    #[test]
    fn statements_of_a_sibling_before_its_return_are_repeated() {
        let text = "impl P {
            fn first(&mut self) -> Option<u8> { if self.at > 9 { self.back(); return None; } self.next() }
            fn second(&mut self) -> Option<u8> { let n = self.next(); Some(n? + 1) }
        }";
        let sources = read_text(text);
        let mut exits = sources.sites.iter().filter(|site| {
            let function = &sources.functions[site.function].name;
            function.ends_with("second")
        });
        assert!(exits.any(|site| site.body == "self.back(); return None;"));
    }

    #[test]
    fn a_method_returns_the_value_of_a_getter_of_its_type() {
        let text = "impl Index {
            fn next(&mut self) -> u32 { self.count += 1; self.count }
            fn count(&self) -> u32 { self.count }
            fn rank(&self, at: u32) -> u32 { let n = self.find(at); n + 1 }
        }";
        let sources = read_text(text);
        let exits = sources.sites.iter().filter(|site| {
            let function = &sources.functions[site.function].name;
            function.ends_with("rank")
        });
        let bodies: Vec<&str> = exits.map(|site| &*site.body).collect();
        assert!(bodies.contains(&"return self.count();"), "{bodies:?}");
        assert!(!bodies.contains(&"return self.rank();"), "{bodies:?}");
    }

    #[test]
    fn errors_are_raised_by_the_macro_that_the_file_uses() {
        let text = "use anyhow::{Result, bail};
            fn first(n: u8) -> Result<()> { if n > 9 { bail!(\"{n} is too large\"); } Ok(()) }
            fn second(n: u8) -> Result<()> { f(n)?; Ok(()) }";
        let sources = read_text(text);
        let mut exits = sources.sites.iter().filter(|site| {
            let function = &sources.functions[site.function].name;
            function.ends_with("second")
        });
        assert!(exits.any(|site| site.body == "bail!(\"invalid input\");"));
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
}
