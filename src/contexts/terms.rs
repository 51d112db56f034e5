//! The terms available at a site: what was read there, and constants.

use std::collections::{BTreeMap, BTreeSet};

use super::Recorded;
use super::conversions;
use crate::source::condition::{Leaf, LeafKind, Node};
use crate::source::offers;
use crate::source::{Language, Site, Sources};
use crate::spec::{Binding, Expr, Origin, Pool, Reading, Term, TermId, Type, Value};

/// Terms read at a site, constants aside.
const MOST_TERMS: usize = 120;
/// Literals taken from the function, and again from the file, per type.
const MOST_LITERALS: usize = 12;

/// What was read under a name: its types, and its value if that was always the same.
#[derive(Default)]
struct Read {
    types: BTreeSet<Type>,
    values: BTreeSet<String>,
    last: Option<Value>,
}

impl Read {
    fn only_value(&self) -> Option<Value> {
        self.last.clone().filter(|_| self.values.len() == 1)
    }
}

/// Every name read at the site.
fn names(recorded: &Recorded) -> BTreeMap<&str, Read> {
    let mut names: BTreeMap<&str, Read> = BTreeMap::new();
    for (name, value) in recorded.contexts().flat_map(|context| &context.values) {
        let read = names.entry(name).or_default();
        read.types.insert(value.ty());
        if read.values.len() < 2 {
            read.values.insert(format!("{value:?}"));
            read.last = Some(value.clone());
        }
    }
    names
}

/// The terms read at the site: those of the old condition first, then by nearness of the
/// variable, which is the reverse of the order in which names came into scope, then what else
/// was offered.
pub fn observed(
    sources: &Sources,
    site: &Site,
    tree: Option<&Node>,
    recorded: &Recorded,
) -> Vec<Term> {
    let offers = offers::at(sources, site);
    let mut names = names(recorded);
    let comparisons = tree.map(Node::comparisons).unwrap_or_default();
    let mut leaves: Vec<&Leaf> = tree.map(Node::leaves).unwrap_or_default();
    // A comparison as a whole is only of use where its operands cannot be read.
    let is_read = |names: &BTreeMap<&str, Read>, leaf: &Leaf| {
        leaf.kind == LeafKind::Literal || names.contains_key(leaf.text.as_str())
    };
    for (whole, operands) in &comparisons {
        match operands.iter().all(|leaf| is_read(&names, leaf)) {
            true => _ = names.remove(whole.text.as_str()),
            false => leaves.push(whole),
        }
    }
    for offer in offers
        .iter()
        .filter(|offer| offer.binding == Binding::Compare)
    {
        let taken_apart = sources
            .language
            .parse(&offer.text)
            .is_some_and(|tree| tree.leaves().iter().all(|leaf| is_read(&names, leaf)));
        if taken_apart && !leaves.iter().any(|leaf| leaf.text == offer.text) {
            names.remove(offer.text.as_str());
        }
    }
    let is_c = sources.language == Language::C;
    let mut terms: Vec<((usize, usize), Term)> = Vec::new();
    for (name, read) in names {
        if is_c && !conversions::can_be_said(sources, site, name) {
            continue;
        }
        let leaf = leaves.iter().position(|leaf| leaf.text == name);
        let offer = offers.iter().position(|offer| is_part(name, &offer.text));
        let (position, origin, binding) = match (leaf, offer) {
            (Some(at), _) => ((0, at), Origin::Old, leaves[at].binding),
            (None, Some(at)) if offers[at].text == name => {
                ((2, at), offers[at].origin, offers[at].binding)
            }
            // `a + b.len()` is not the length of `a + b`.
            (None, Some(at)) if offers[at].binding != Binding::Atom => continue,
            // Nor does anybody ask in C how long it is what a call returns.
            (None, Some(at)) if is_c && name.contains('(') && offers[at].text.contains('(') => {
                continue;
            }
            (None, Some(at)) => ((3, at), Origin::Call, binding(name)),
            (None, None) => ((1, distance(site, name)), origin(name), binding(name)),
        };
        let origin = match sources.language {
            Language::Rust => origin,
            Language::C => conversions::origin(sources, site, name, origin),
        };
        let negation = (binding == Binding::Compare).then(|| sources.language.opposite(name));
        let is_named =
            offer.is_some_and(|at| offers[at].origin == Origin::Named && offers[at].text == name);
        let constant = read.only_value().filter(|_| is_named);
        terms.extend(read.types.iter().map(|ty| {
            let mut term = Term {
                text: name.to_string(),
                ty: *ty,
                origin,
                binding,
                constant: constant.clone(),
                negation: negation.clone().flatten(),
                seen_in: Vec::new(),
                definition: None,
                reading: Reading::Exact,
            };
            if is_c {
                conversions::promote(&mut term);
            }
            (position, term)
        }));
    }
    terms.sort_by(|(s, a), (t, b)| (s, a.origin, &a.text, a.ty).cmp(&(t, b.origin, &b.text, b.ty)));
    terms.truncate(MOST_TERMS);
    terms.into_iter().map(|(_, term)| term).collect()
}

/// Whether a name reads an offered expression or something of its value.
fn is_part(name: &str, offer: &str) -> bool {
    let is_rest = |rest: &str| rest.is_empty() || rest.starts_with('.') || rest == ")";
    let of_string = name.strip_prefix("strlen(").unwrap_or(name);
    let inner = of_string.trim_start_matches('*');
    // A name in quotes is that of a string.
    let inner = inner.trim_matches('"');
    name == offer || inner.strip_prefix(offer).is_some_and(is_rest)
}

/// How many names came into scope after the one a text starts with.
fn distance(site: &Site, text: &str) -> usize {
    let text = text.strip_prefix("matches!(").unwrap_or(text);
    // In C the name of a variable may stand behind that of a function.
    let text = text
        .trim_start_matches("strlen(")
        .trim_start_matches(['*', '"']);
    let root = text.split(['.', '(', ' ', ',', '-', '[', '"', ')']);
    let root = root.into_iter().next().unwrap_or_default();
    let at = site.names.iter().position(|name| name.text == root);
    site.names.len() - at.unwrap_or(0)
}

/// Where a name comes from that the runtime made up from a variable's parts.
fn origin(name: &str) -> Origin {
    match name {
        _ if name.ends_with(')') || name.contains(" == ") => Origin::Query,
        _ if name.contains('.') || name.contains("->") => Origin::Field,
        _ => Origin::Variable,
    }
}

fn binding(name: &str) -> Binding {
    match name {
        _ if name.contains(" == ") => Binding::Compare,
        _ if name.starts_with('*') => Binding::Unary,
        _ => Binding::Atom,
    }
}

/// −1, 0, 1 of each type present (§3.3.1), then the literals of the condition, the function and
/// the file.
pub fn constants(sources: &Sources, site: &Site, tree: Option<&Node>, pool: &Pool) -> Vec<Term> {
    let types: BTreeSet<Type> = pool.terms.iter().map(|term| term.ty).collect();
    let function = &sources.functions[site.function].literals;
    let file = &sources.files[site.file].literals;
    let mut terms = Vec::new();
    for ty in &types {
        let mut seen: Vec<Value> = Vec::new();
        let basic = match ty {
            Type::Int(_) => &["0", "1", "-1"][..],
            Type::F32 | Type::F64 => &["0.0", "1.0", "-1.0"],
            Type::Bool | Type::Char | Type::Str => &[],
        };
        let old: Vec<&str> = tree
            .map(Node::leaves)
            .unwrap_or_default()
            .into_iter()
            .filter(|leaf| leaf.kind == LeafKind::Literal)
            .map(|leaf| leaf.text.as_str())
            .collect();
        // A literal of the old condition comes first, for it is written as it is there.
        let groups: [(Origin, Vec<&str>); 4] = [
            (Origin::Old, old),
            (Origin::Constant, basic.to_vec()),
            (
                Origin::FunctionLiteral,
                function.iter().map(String::as_str).collect(),
            ),
            (
                Origin::FileLiteral,
                file.iter().map(String::as_str).collect(),
            ),
        ];
        for (origin, texts) in groups {
            let mut taken = 0;
            for text in texts {
                let Some(value) = sources.language.constant(text, *ty) else {
                    continue;
                };
                if *ty == Type::Bool || seen.contains(&value) || taken == MOST_LITERALS {
                    continue;
                }
                taken += 1;
                seen.push(value.clone());
                terms.push(Term {
                    text: text.to_string(),
                    ty: *ty,
                    origin,
                    binding: if text.starts_with('-') {
                        Binding::Unary
                    } else {
                        Binding::Atom
                    },
                    constant: Some(value),
                    negation: None,
                    seen_in: Vec::new(),
                    definition: None,
                    reading: Reading::Exact,
                });
            }
        }
    }
    terms
}

/// The term a leaf of the old condition stands for.
pub fn lookup(
    language: Language,
    pool: &Pool,
    index: &BTreeMap<(String, Type), TermId>,
    leaf: &Leaf,
    expected: Option<Type>,
) -> Option<(TermId, Type)> {
    let of_text = index.iter().filter(|((text, _), _)| *text == leaf.text);
    let found = of_text.map(|((_, ty), term)| (*term, *ty));
    let is_expected = |(_, ty): &(TermId, Type)| expected.is_none_or(|expected| *ty == expected);
    if language == Language::C {
        // What has another type than is asked for has it by itself, and is converted there.
        let found: Vec<(TermId, Type)> = found.collect();
        let own = |(term, ty): &&(TermId, Type)| pool.terms[*term].is_typed() && *ty != Type::Str;
        let asked = found
            .iter()
            .find(|found| expected.is_some() && is_expected(found));
        return asked.or_else(|| found.iter().find(own)).copied();
    }
    let mut found = found.filter(is_expected);
    let one = found.next()?;
    // In generic code a name may have had several types; then the condition has no one meaning.
    found.next().is_none().then_some(one)
}

/// What a harvested term computes, if the pool has the terms to say it.
pub fn definition(
    language: Language,
    id: TermId,
    pool: &Pool,
    index: &BTreeMap<(String, Type), TermId>,
) -> Option<Expr> {
    let term = &pool.terms[id];
    if term.origin != Origin::Harvested || !term.is_typed() {
        return None;
    }
    let tree = language.parse(&term.text)?;
    let mut lookup =
        |leaf: &Leaf, expected: Option<Type>| lookup(language, pool, index, leaf, expected);
    let (expr, ty) = tree.to_expr(language, Some(term.ty), &mut lookup, &mut Vec::new())?;
    (ty == term.ty && !expr.terms().contains(&id)).then_some(expr)
}
