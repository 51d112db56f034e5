//! Elements and parts that a condition reads by an index, and that may not be there: `v[i]` panics if `i` is out of bounds.

use nopol_expr::{Access, Expr, Pool, Query};

/// Methods that say whether there is an element or a key.
const ASKING: [&str; 5] = ["get", "contains_key", "first", "last", "is_char_boundary"];

/// The indexed accesses of an expression that none of the `old` ones has, each once, in order of evaluation. One that stands
/// behind a clause about the same value's length, or about what it contains, is taken to be guarded by it.
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

/// What such an access does where there is nothing, as a clause.
pub fn warning(access: &Access, text: &str) -> String {
    let is_range = matches!(access, Access::Index(_, index) if is_range(index));
    let what = if is_range { "range" } else { "index" };
    format!("`{text}` panics if the {what} is out of bounds")
}

fn is_range(index: &Access) -> bool {
    matches!(index.plain(), Access::Opaque(text, _) if text.contains(".."))
}

/// `asked` are the accesses of the clauses that are evaluated before.
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

/// Whether an access says how much, or what, is in `of`.
fn asks(access: &Access, of: &Access) -> bool {
    match access {
        Access::Query(asked, Query::Len | Query::IsEmpty) => **asked == *of,
        Access::Method(asked, name, _) => **asked == *of && ASKING.contains(&name.as_str()),
        _ => false,
    }
}

/// An access and all that are in it.
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

    /// The texts of what is unguarded in a conjunction of these terms.
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
    fn an_index_is_unguarded_unless_a_clause_before_it_asks_what_there_is() {
        assert_eq!(found(&["a", "v[i + 1] == x"], None), ["v[i + 1]"]);
        assert_eq!(found(&["v[i] == x", "i < v.len()"], None), ["v[i]"]);
        assert!(found(&["i < v.len()", "v[i] == x"], None).is_empty());
        assert_eq!(found(&["i < w.len()", "v[i] == x"], None), ["v[i]"]);
        assert!(found(&["!v.is_empty()", "v[0] == x"], None).is_empty());
        assert_eq!(found(&["a", "s[1..].is_empty()"], None), ["s[1..]"]);
        // The old condition reads it, too.
        assert!(found(&["v[i] == x", "a"], Some(0)).is_empty());
    }

    #[test]
    fn a_part_is_no_element() {
        let warned = |text: &str| warning(&Language::Rust.access(text), text);
        assert!(warned("s[1..]").ends_with("the range is out of bounds"));
        assert!(warned("v[i]").ends_with("the index is out of bounds"));
    }
}
