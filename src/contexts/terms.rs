//! The terms available at a site: recorded accesses and constants.

use std::collections::{BTreeMap, BTreeSet};

use nopol_expr::access::Prefix;
use nopol_expr::{Access, Binding, Expr, Origin, Pool, Reading, Term, TermId, Type, Value};
use nopol_source::condition::{Leaf, LeafKind, Node};
use nopol_source::{Language, Site, Sources, candidate_terms, write};

use super::Index;
use super::captures::Observed;
use super::limits;
use super::operands::operands;

/// The recorded terms of the site: operands of the original condition first; then variables and their parts,
/// most recently declared first; then the other candidate terms.
pub fn observed(
    sources: &Sources,
    site: &Site,
    tree: Option<&Node>,
    mut seen: BTreeMap<&Access, Observed>,
) -> Vec<Term> {
    let language = sources.language;
    let operands = operands(language);
    let offers = candidate_terms::at(sources, site);
    let comparisons = tree.map(Node::comparisons).unwrap_or_default();
    let mut leaves: Vec<&Leaf> = tree.map(Node::leaves).unwrap_or_default();
    // A whole comparison is a term only if its operands were not recorded wherever it was, or have several types, or
    // are pointers: that two of them are not null does not tell whether they are equal.
    let are_read = |seen: &BTreeMap<&Access, Observed>, whole: &Access, leaves: &[&Leaf]| {
        let times = seen.get(whole).map_or(0, |whole| whole.times);
        let is_literal = |leaf: &&Leaf| leaf.kind == LeafKind::Literal;
        let is_null_test = leaves.len() == 2 && leaves.iter().any(is_literal);
        let is_known = |own: &Observed| {
            own.types.len() == 1 && own.times >= times && (!own.is_pointer || is_null_test)
        };
        let is_read = |leaf: &&Leaf| seen.get(&leaf.access).is_some_and(is_known);
        leaves.iter().all(|leaf| is_literal(leaf) || is_read(leaf))
    };
    for (whole, operands) in &comparisons {
        match are_read(&seen, &whole.access, operands) {
            true => _ = seen.remove(&whole.access),
            false => leaves.push(whole),
        }
    }
    for offer in offers
        .iter()
        .filter(|offer| offer.binding == Binding::Compare)
    {
        let taken_apart = language
            .parse(&offer.text)
            .is_some_and(|tree| are_read(&seen, &offer.access, &tree.leaves()));
        if taken_apart && !leaves.iter().any(|leaf| leaf.access == offer.access) {
            seen.remove(&offer.access);
        }
    }
    let function = &sources.functions[site.function].name;
    let mut terms: Vec<Ranked> = Vec::new();
    for (access, seen) in seen {
        let leaf = leaves.iter().position(|leaf| leaf.access == *access);
        let is_new = leaf.is_none();
        if is_new
            && (!operands.is_expressible(sources, site, access)
                || candidate_terms::recurses(function, access))
        {
            continue;
        }
        let offer = offers
            .iter()
            .position(|offer| access.is_part_of(&offer.access));
        let (position, origin, binding) = match (leaf, offer) {
            (Some(at), _) => ((0, at), Origin::Old, leaves[at].binding),
            (None, Some(at)) if offers[at].access == *access => {
                ((2, at), offers[at].origin, offers[at].binding)
            }
            // `a + b.len()` is not the length of `a + b`, which would need parentheses.
            (None, Some(at)) if offers[at].binding != Binding::Atom => continue,
            (None, Some(at)) if !operands.offers_parts(&offers[at].access) => continue,
            (None, Some(at)) => ((3, at), Origin::Call, binding(access)),
            (None, None) => ((1, distance(site, access)), origin(access), binding(access)),
        };
        let origin = operands.origin(sources, site, access, origin);
        let negation = (binding == Binding::Compare)
            .then(|| language.opposite(&write::text(access)))
            .flatten();
        let is_named = offer
            .is_some_and(|at| offers[at].origin == Origin::Named && offers[at].access == *access);
        let only_value = seen.only_value();
        let is_decisive = leaf.is_some() || !matches!(only_value, Some(Value::Bool(_)));
        let constant = only_value.filter(|_| is_named);
        let reading = match seen.is_pointer {
            true => Reading::Presence(sources.files[site.file].null_test),
            false => Reading::Exact,
        };
        terms.extend(seen.types.iter().map(|ty| {
            let mut term = Term {
                binding,
                reading,
                constant: constant.clone(),
                negation: negation.as_ref().map(|text| language.access(text)),
                ..Term::new(access.clone(), *ty, origin)
            };
            operands.promote(&mut term);
            Ranked {
                position,
                is_decisive,
                term,
            }
        }));
    }
    terms.sort_by_cached_key(|Ranked { position, term, .. }| {
        (*position, term.origin, write::text(&term.access), term.ty)
    });
    most_useful(terms)
}

/// A term and its place among the others.
struct Ranked {
    position: (usize, usize),
    /// Whether it may decide between contexts: a truth value that is the same in all of them does not.
    is_decisive: bool,
    term: Term,
}

/// The terms in their order. If there are too many, those go first that decide nothing: of a value of a large enum it is asked
/// which of a hundred variants it is.
fn most_useful(terms: Vec<Ranked>) -> Vec<Term> {
    let decisive = terms.iter().filter(|ranked| ranked.is_decisive).count();
    let mut others = limits::MOST_TERMS.saturating_sub(decisive);
    let kept = terms.into_iter().filter(|ranked| {
        let is_kept = ranked.is_decisive || others > 0;
        if !ranked.is_decisive && is_kept {
            others -= 1;
        }
        is_kept
    });
    let kept = kept.take(limits::MOST_TERMS);
    kept.map(|ranked| ranked.term).collect()
}

/// Distance of the variable that an access begins with: names in scope that were declared from it on.
fn distance(site: &Site, access: &Access) -> usize {
    let at = access
        .root()
        .and_then(|root| site.names.iter().position(|name| name.text == root));
    site.names.len() - at.unwrap_or(0)
}

/// The origin of an access that begins with a variable.
fn origin(access: &Access) -> Origin {
    let outline = access.outline();
    match () {
        () if outline.ends_in_call() || access.as_comparison().is_some() => Origin::Query,
        () if outline.has_member() => Origin::Field,
        () => Origin::Variable,
    }
}

fn binding(access: &Access) -> Binding {
    match access.plain() {
        _ if access.as_comparison().is_some() => Binding::Compare,
        Access::Prefix(Prefix::Deref, _) => Binding::Unary,
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
        // Literals of the original condition come first, so that they keep their spelling.
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
                if *ty == Type::Bool || seen.contains(&value) || taken == limits::MOST_LITERALS {
                    continue;
                }
                taken += 1;
                seen.push(value.clone());
                terms.push(Term {
                    binding: binding_of_literal(text),
                    constant: Some(value),
                    ..Term::new(Access::literal(text), *ty, origin)
                });
            }
        }
    }
    terms
}

/// The precedence of a literal.
pub fn binding_of_literal(text: &str) -> Binding {
    match text.starts_with('-') {
        true => Binding::Unary,
        false => Binding::Atom,
    }
}

/// The term that a leaf of the original condition stands for.
pub fn lookup(
    language: Language,
    pool: &Pool,
    index: &Index,
    leaf: &Leaf,
    expected: Option<Type>,
) -> Option<(TermId, Type)> {
    let of_leaf = index.range((leaf.access.clone(), Type::Bool)..);
    let of_leaf = of_leaf.take_while(|((access, _), _)| *access == leaf.access);
    let found: Vec<(TermId, Type)> = of_leaf.map(|((_, ty), term)| (*term, *ty)).collect();
    operands(language).choose(pool, &found, expected)
}

/// The expression that a harvested term computes, if the pool has its operands.
pub fn definition(sources: &Sources, id: TermId, pool: &Pool, index: &Index) -> Option<Expr> {
    let language = sources.language;
    let term = &pool.terms[id];
    if term.origin != Origin::Harvested || !term.is_typed() {
        return None;
    }
    let tree = language.parse(&write::text(&term.access))?;
    let mut lookup =
        |leaf: &Leaf, expected: Option<Type>| lookup(language, pool, index, leaf, expected);
    let (expr, ty) = tree.to_expr(language, Some(term.ty), &mut lookup, &mut Vec::new())?;
    (ty == term.ty && !expr.terms().contains(&id)).then_some(expr)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classified(language: Language, text: &str) -> (Origin, Binding) {
        let access = language.access(text);
        (origin(&access), super::binding(&access))
    }

    #[test]
    fn the_tree_of_a_term_determines_its_origin() {
        let rust = |text: &str| classified(Language::Rust, text);
        assert_eq!(rust("x"), (Origin::Variable, Binding::Atom));
        assert_eq!(rust("*x"), (Origin::Variable, Binding::Unary));
        assert_eq!(rust("x.y.0"), (Origin::Field, Binding::Atom));
        assert_eq!(rust("x.y.len()"), (Origin::Query, Binding::Atom));
        assert_eq!(rust("x.unwrap()"), (Origin::Query, Binding::Atom));
        assert_eq!(rust("x.unwrap().y"), (Origin::Field, Binding::Atom));
        assert_eq!(rust("*x == A::B"), (Origin::Query, Binding::Compare));
        assert_eq!(
            rust("matches!(x, A::B(..))"),
            (Origin::Query, Binding::Atom)
        );
        let c = |text: &str| classified(Language::C, text);
        assert_eq!(c("p->n"), (Origin::Field, Binding::Atom));
        assert_eq!(c("*p->s"), (Origin::Field, Binding::Unary));
        assert_eq!(c("strlen(s)"), (Origin::Query, Binding::Atom));
    }

    fn ranked(nth: usize, is_decisive: bool) -> Ranked {
        Ranked {
            position: (1, nth),
            is_decisive,
            term: Term::new(
                Access::variable(format!("t{nth}")),
                Type::Bool,
                Origin::Query,
            ),
        }
    }

    #[test]
    fn what_decides_nothing_is_left_out_first() {
        let most = limits::MOST_TERMS;
        let all = (0..most + 30).map(|nth| ranked(nth, nth % 2 == 1 || nth >= most));
        let kept: Vec<String> = most_useful(all.collect())
            .iter()
            .map(|term| write::text(&term.access))
            .collect();
        assert_eq!(kept.len(), most);
        assert!(kept.contains(&format!("t{}", most + 29)));
        assert!(kept.contains(&"t0".to_owned()) && !kept.contains(&format!("t{}", most - 2)));
    }
}
