//! Ways out: with what value a function could be left early, and the sites where it could be.

use std::collections::BTreeMap;
use std::sync::Arc;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

use super::templates::{PANICS, template};
use super::types::macro_name;
use super::values::{Returns, ends};
use crate::hash;
use crate::source::{
    BodyOrigin, Exit, FileIndex, Function, FunctionIndex, Name, Site, SiteKind, Sources,
};

/// Longer ones are too much to repeat.
const LONGEST: usize = 120;
/// Ways out at one place, of each source.
const MOST_OWN: usize = 5;
const MOST_OF_SIBLINGS: usize = 2;
const MOST_CONSTRUCTORS: usize = 2;
const MOST_RUNS: usize = 2;

/// A place where the function or a loop could be left.
#[derive(Clone, Debug)]
pub struct Place {
    pub file: FileIndex,
    pub function: FunctionIndex,
    /// The byte before which the way out would stand.
    pub at: usize,
    pub line: usize,
    pub column: usize,
    /// What it would stand before.
    pub before: String,
    pub names: Arc<[Name]>,
    pub in_loop: bool,
    /// Labels of the loops around that one, outermost first.
    pub labels: Vec<String>,
    /// `return` would leave a closure or an async block.
    pub in_closure: bool,
    /// What it would stand before panics under some condition, on purpose.
    pub is_before_check: bool,
}

/// A function that takes nothing and returns its own type.
#[derive(Clone, Debug)]
pub struct Constructor {
    pub owner: String,
    pub name: String,
}

/// What a function returns: first with `return`, then at its ends.
pub fn values(body: &Block, text: &str, offset: usize) -> Vec<Exit> {
    let mut found = Returns::default();
    found.visit_block(body);
    ends(body, &mut found.0);
    let mut exits: Vec<Exit> = Vec::new();
    for expr in found.0 {
        let range = expr.span().byte_range();
        let exit = exit(
            &text[offset + range.start..offset + range.end],
            expr.to_token_stream(),
        );
        exits.extend(exit.filter(|exit| !exits.contains(exit)));
    }
    exits
}

/// Short runs of statements that end by leaving the function or loop, as they stand in branches and
/// at the function's end.
pub fn runs(body: &Block, text: &str, offset: usize) -> Vec<Exit> {
    let mut runs = Runs {
        text,
        offset,
        found: Vec::new(),
    };
    runs.visit_block(body);
    // The last statement before the value, or alone before the end.
    if let [
        ..,
        statement @ Stmt::Expr(_, Some(_)),
        Stmt::Expr(value, None),
    ] = &*body.stmts
    {
        let statement = runs.of(statement.span(), statement.to_token_stream());
        let value = runs.of(value.span(), value.to_token_stream());
        if let (Some(statement), Some(value)) = (statement, value) {
            let mut names = statement.names;
            names.extend(value.names);
            runs.found.push(Exit {
                text: format!("{} return {};", statement.text, value.text),
                names,
            });
        }
    }
    runs.found
}

struct Runs<'a> {
    text: &'a str,
    offset: usize,
    found: Vec<Exit>,
}

impl Runs<'_> {
    fn of(&self, span: proc_macro2::Span, tokens: TokenStream) -> Option<Exit> {
        let range = span.byte_range();
        exit(
            &self.text[self.offset + range.start..self.offset + range.end],
            tokens,
        )
    }
}

impl<'ast> Visit<'ast> for Runs<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        if let [first, .., last] = &*block.stmts
            && let Stmt::Expr(Expr::Return(_) | Expr::Continue(_) | Expr::Break(_), _) = last
        {
            let start = self.offset + first.span().byte_range().start;
            let end = self.offset + last.span().byte_range().end;
            let statements = block.stmts.iter().map(ToTokens::to_token_stream);
            let mut run = exit(&self.text[start..end], statements.collect());
            if let Some(run) = &mut run {
                let bound = block.stmts.iter().filter_map(|statement| match statement {
                    Stmt::Local(local) => Some(names(local.pat.to_token_stream())),
                    _ => None,
                });
                let bound: Vec<String> = bound.flatten().collect();
                run.names.retain(|name| !bound.contains(name));
                if !run.text.ends_with(';') {
                    run.text.push(';');
                }
            }
            self.found
                .extend(run.filter(|run| !self.found.contains(run)));
        }
        visit::visit_block(self, block);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// A text that can be repeated elsewhere; `None` if it is long, has comments, or only panics.
fn exit(text: &str, tokens: TokenStream) -> Option<Exit> {
    let panics = ["panic!", "unreachable!", "todo!", "unimplemented!"];
    let has_lines_in_strings = text.contains('\n') && text.contains('"');
    let is_unfit = text.len() > LONGEST || text.contains("//") || has_lines_in_strings;
    let is_kept = !is_unfit && !panics.iter().any(|name| text.starts_with(name));
    is_kept.then(|| Exit {
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        names: names(tokens),
    })
}

/// Whether a statement panics under some condition, on purpose.
pub fn is_check(statement: &Stmt) -> bool {
    let asserts = |mac: &syn::Macro| macro_name(mac).contains("assert");
    match statement {
        Stmt::Macro(statement) => asserts(&statement.mac),
        Stmt::Expr(Expr::Macro(call), _) => asserts(&call.mac),
        Stmt::Expr(Expr::If(branch), _) => panics(&branch.then_branch),
        _ => false,
    }
}

/// Whether a block does nothing but panic.
pub fn panics(block: &Block) -> bool {
    let panics = |mac: &syn::Macro| {
        matches!(
            &*macro_name(mac),
            "panic" | "unreachable" | "unimplemented" | "todo"
        )
    };
    match &*block.stmts {
        [Stmt::Macro(statement)] => panics(&statement.mac),
        [Stmt::Expr(Expr::Macro(call), _)] => panics(&call.mac),
        _ => false,
    }
}

/// The variables that tokens seem to read: lower-case identifiers that are no field, path, call or
/// macro.
pub fn names(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |at: Option<&TokenTree>, wanted: &str| match at {
        Some(TokenTree::Punct(punct)) => wanted.contains(punct.as_char()),
        _ => false,
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                let before_that = at.checked_sub(2).and_then(|before| tokens.get(before));
                let after = tokens.get(at + 1);
                // `..x` is a range, `a.x` a field.
                let is_part = punct(before, ".") && !punct(before_that, ".") || punct(before, ":'");
                let is_called = matches!(after, Some(TokenTree::Group(group))
                    if group.delimiter() == proc_macro2::Delimiter::Parenthesis);
                let is_path = punct(after, "!") && !punct(tokens.get(at + 2), "=")
                    || punct(after, ":") && punct(tokens.get(at + 2), ":");
                let is_variable = name == "self" || syn::parse_str::<syn::Ident>(&name).is_ok();
                if is_variable
                    && name.starts_with(|first: char| first.is_lowercase() || first == '_')
                    && !is_part
                    && !is_called
                    && !is_path
                    && !found.contains(&name)
                {
                    found.push(name);
                }
            }
            _ => {}
        }
    }
}

/// The sites at all places: each way out at each place.
pub fn sites(sources: &Sources, places: &[Place], constructors: &[Constructor]) -> Vec<Site> {
    let mut nth: BTreeMap<String, u32> = BTreeMap::new();
    let mut sites = Vec::new();
    let Some(template) = template(SiteKind::Exit) else {
        return sites;
    };
    for place in places {
        let function = &sources.functions[place.function];
        for (body, body_origin) in bodies(sources, place, function, constructors) {
            let path = &sources.files[place.file].path;
            let name = &function.name;
            let description = format!("{path}|{name}|Exit|{body}|{}", place.before);
            let nth = nth.entry(description.clone()).or_default();
            *nth += 1;
            sites.push(Site {
                id: hash::short(&format!("{description}|{nth}")),
                kind: SiteKind::Exit,
                file: place.file,
                span: place.at..place.at,
                line: place.line,
                column: place.column,
                text: String::new(),
                body,
                body_origin,
                checks: u32::from(place.is_before_check),
                least: template.least,
                template,
                function: place.function,
                names: Arc::clone(&place.names),
                is_pure: None,
            });
        }
    }
    sites
}

/// The ways out at a place, with where each comes from, in the order in which people would think of them.
fn bodies(
    sources: &Sources,
    place: &Place,
    function: &Function,
    constructors: &[Constructor],
) -> Vec<(String, BodyOrigin)> {
    let mut bodies: Vec<(String, BodyOrigin)> = Vec::new();
    let mut put = |body: String, origin: BodyOrigin| {
        if !bodies.iter().any(|(known, _)| *known == body) {
            bodies.push((body, origin));
        }
    };
    let is_visible = |name: &String| place.names.iter().any(|known| known.text == *name);
    let fits = |exit: &&Exit| exit.names.iter().all(is_visible);
    if place.in_loop {
        put("continue;".to_owned(), BodyOrigin::Own);
        put("break;".to_owned(), BodyOrigin::Break);
        for label in place.labels.iter().rev() {
            put(format!("continue {label};"), BodyOrigin::LabelledContinue);
            put(format!("break {label};"), BodyOrigin::LabelledBreak);
        }
    }
    if !place.in_closure {
        match &function.returns {
            None => put("return;".to_owned(), BodyOrigin::Own),
            Some(returns) => {
                let value = |text: &str| format!("return {text};");
                for exit in function.exits.iter().filter(fits).take(MOST_OWN) {
                    put(value(&exit.text), BodyOrigin::Own);
                }
                let siblings = sources.functions.iter().filter(|other| {
                    other.file == function.file
                        && other.owner == function.owner
                        && other.name != function.name
                        && other.returns == function.returns
                });
                // That another parameter has the same name means little.
                let is_own = |exit: &&Exit| exit.names.iter().all(|name| name == "self");
                let of_siblings = siblings.flat_map(|other| &other.exits);
                let of_siblings = of_siblings.filter(is_own).filter(fits);
                for exit in of_siblings.take(MOST_OF_SIBLINGS) {
                    put(value(&exit.text), BodyOrigin::Sibling);
                }
                for text in obvious(returns) {
                    put(value(text), BodyOrigin::Obvious);
                }
                for text in parameters(returns, function) {
                    put(value(&text), BodyOrigin::Parameter);
                }
                for text in constructed(returns, function, constructors) {
                    put(value(&text), BodyOrigin::Constructor);
                }
            }
        }
        for run in function.runs.iter().filter(fits).take(MOST_RUNS) {
            put(run.text.clone(), BodyOrigin::Run);
        }
    }
    put(PANICS.to_owned(), BodyOrigin::Panic);
    bodies
}

/// Values that a type suggests.
fn obvious(returns: &str) -> Vec<&'static str> {
    let plain = returns.trim_start_matches('&');
    match plain {
        "bool" => vec!["false", "true"],
        "String" => vec!["String::new()"],
        "str" => vec!["\"\""],
        "f32" | "f64" => vec!["0.0"],
        _ if crate::spec::Type::from_name(plain).is_some() && plain != "char" => vec!["0"],
        _ if plain.starts_with("Option<") => vec!["None"],
        _ if plain.starts_with("Vec<") => vec!["Vec::new()"],
        _ if plain.starts_with("Result<()") || plain.ends_with("::Result") => vec!["Ok(())"],
        _ if plain.contains("Result<()") => vec!["Ok(())"],
        _ => Vec::new(),
    }
}

/// Parameters of the type.
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

/// Values of the type that are made from nothing.
fn constructed(returns: &str, function: &Function, constructors: &[Constructor]) -> Vec<String> {
    const USUAL: [&str; 4] = ["new", "empty", "zero", "default"];
    let base = returns.split('<').next().unwrap_or_default();
    let owner = match base {
        "Self" => function.owner.as_deref().unwrap_or_default(),
        base => base.rsplit("::").next().unwrap_or_default(),
    };
    let usual = |name: &str| USUAL.iter().position(|usual| *usual == name).unwrap_or(9);
    let mut names: Vec<&str> = constructors
        .iter()
        .filter(|known| known.owner == owner)
        .map(|known| &*known.name)
        .collect();
    names.sort_by_key(|name| usual(name));
    names.dedup();
    names.truncate(MOST_CONSTRUCTORS);
    names
        .iter()
        .map(|name| format!("{base}::{name}()"))
        .collect()
}
