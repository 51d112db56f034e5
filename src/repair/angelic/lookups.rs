//! Indexed accesses in a condition that may be out of bounds: `v[i]` panics if there is no element `i`.

use nopol_expr::{Access, Expr, Pool, Query};

/// Methods that tell whether an element or a key exists.
const ASKING: [&str; 5] = ["get", "contains_key", "first", "last", "is_char_boundary"];

/// The indexed accesses of an expression that none of the `old` accesses contains, each once, in order of evaluation.
/// An access after a clause about the length or contents of the same value counts as guarded.
pub fn unguarded<'e>(
    expr: &'e Expr,
    old: impl IntoIterator<Item = &'e Access>,
    pool: &'e Pool,
) -> Vec<&'e Access> {
    let mut known = Vec::new();
    old.into_iter()
        .for_each(|access| add_parts(access, &mut known));
    let mut found = Vec::new();
    add_unguarded(expr, &mut Vec::new(), pool, &mut found);
    found.retain(|access| !known.contains(access));
    found
}

/// What the access does if it is out of bounds, as a clause.
pub fn warning(access: &Access, text: &str) -> String {
    let is_range = matches!(access, Access::Index(_, index) if is_range(index));
    let what = if is_range { "range" } else { "index" };
    format!("`{text}` panics if the {what} is out of bounds")
}

fn is_range(index: &Access) -> bool {
    matches!(index.plain(), Access::Opaque(text, _) if text.contains(".."))
}

/// `asked` holds the accesses in clauses that are evaluated before `expr`.
fn add_unguarded<'e>(
    expr: &'e Expr,
    asked: &mut Vec<&'e Access>,
    pool: &'e Pool,
    found: &mut Vec<&'e Access>,
) {
    match expr {
        Expr::Not(inner) => add_unguarded(inner, asked, pool, found),
        Expr::And(first, then) | Expr::Or(first, then) => {
            add_unguarded(first, asked, pool, found);
            let before = asked.len();
            let terms = first.terms().into_iter();
            terms.for_each(|term| add_parts(&pool.terms[term].access, asked));
            add_unguarded(then, asked, pool, found);
            asked.truncate(before);
        }
        _ => {
            let mut parts = Vec::new();
            let terms = expr.terms().into_iter();
            terms.for_each(|term| add_parts(&pool.terms[term].access, &mut parts));
            for part in parts {
                if let Access::Index(of, _) = part
                    && !asked.iter().any(|asked| asks(asked, of))
                    && !found.contains(&part)
                {
                    found.push(part);
                }
            }
        }
    }
}

/// Whether an access asks for the length or contents of `of`.
fn asks(access: &Access, of: &Access) -> bool {
    match access {
        Access::Query(asked, Query::Len | Query::IsEmpty) => **asked == *of,
        Access::Method(asked, name, _) => **asked == *of && ASKING.contains(&name.as_str()),
        _ => false,
    }
}

/// Adds an access and all accesses inside it.
fn add_parts<'a>(access: &'a Access, parts: &mut Vec<&'a Access>) {
    parts.push(access);
    match access {
        Access::Variable(_) | Access::Literal(_) | Access::Opaque(..) => {}
        Access::Field(of, ..)
        | Access::Query(of, _)
        | Access::Payload(of, _)
        | Access::Variant(of, _)
        | Access::Cast(of, _)
        | Access::Prefix(_, of)
        | Access::Contents(of)
        | Access::Group(of)
        | Access::Written(_, of) => add_parts(of, parts),
        Access::Index(of, other) | Access::Infix(_, of, other) => {
            add_parts(of, parts);
            add_parts(other, parts);
        }
        Access::Method(of, _, arguments) | Access::Call(of, arguments) => {
            add_parts(of, parts);
            arguments.iter().for_each(|it| add_parts(it, parts));
        }
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::{Origin, Term, TermId, Type};
    use nopol_source::{Language, write};

    use super::*;

    /// The texts of the unguarded accesses in a conjunction of these terms.
    fn found(terms: &[&str], old: Option<u32>) -> Vec<String> {
        let mut pool = Pool::default();
        for text in terms {
            let access = Language::Rust.access(text);
            pool.terms
                .push(Term::new(access, Type::Bool, Origin::Harvested));
        }
        let term = |nth: u32| Expr::Term(TermId::new(nth));
        let number = u32::try_from(terms.len()).unwrap();
        let whole = (1..number).fold(term(0), |all, nth| all.and(term(nth)));
        let old = old.map(|nth| &pool.terms[TermId::new(nth)].access);
        let found = unguarded(&whole, old, &pool).into_iter();
        found.map(write::text).collect()
    }

    #[test]
    fn an_index_is_unguarded_unless_an_earlier_clause_asks_for_the_contents() {
        assert_eq!(found(&["a", "v[i + 1] == x"], None), ["v[i + 1]"]);
        assert_eq!(found(&["v[i] == x", "i < v.len()"], None), ["v[i]"]);
        assert!(found(&["i < v.len()", "v[i] == x"], None).is_empty());
        assert_eq!(found(&["i < w.len()", "v[i] == x"], None), ["v[i]"]);
        assert!(found(&["!v.is_empty()", "v[0] == x"], None).is_empty());
        assert_eq!(found(&["a", "s[1..].is_empty()"], None), ["s[1..]"]);
        // The old condition reads the element, too.
        assert!(found(&["v[i] == x", "a"], Some(0)).is_empty());
    }

    #[test]
    fn a_range_is_named_differently_from_an_index() {
        let warned = |text: &str| warning(&Language::Rust.access(text), text);
        assert!(warned("s[1..]").ends_with("the range is out of bounds"));
        assert!(warned("v[i]").ends_with("the index is out of bounds"));
    }
}
