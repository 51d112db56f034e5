//! Axioms that relate the terms of a pool: a collection is empty if its length is 0, a payload is defined
//! exactly where the query for its presence holds. Without axioms, two conditions would be distinguished by
//! contexts that no program reaches.
//!
//! An implementation may violate an axiom (`len` and `is_empty` may disagree), so axioms that an observed row
//! contradicts are dropped.

use nopol_expr::access::Prefix;
use nopol_expr::{Access, CmpOp, Int, IntType, Pool, Query, Row, Term, TermId, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A fact that holds in every context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axiom {
    /// The term is always defined.
    Total(TermId),
    /// Two booleans are defined in the same places, with opposite values.
    Opposite(TermId, TermId),
    /// A length is at most `isize::MAX`.
    Length(TermId),
    /// Defined in the same places; one integer is the other `as` its own type.
    Cast { cast: TermId, of: TermId },
    /// Defined in the same places; the boolean is whether the length is 0.
    NoLength { is_empty: TermId, len: TermId },
    /// Defined in the same places; the boolean is whether the text is empty.
    NoText { is_empty: TermId, text: TermId },
    /// The payload is defined exactly where the query is defined and has the value.
    Payload {
        query: TermId,
        value: bool,
        payload: TermId,
    },
}

/// The axioms of the pool's terms that no row contradicts.
pub(crate) fn axioms(pool: &Pool, rows: &[Row]) -> Vec<Axiom> {
    let mut index: BTreeMap<(&Access, Type), TermId> = BTreeMap::new();
    let mut queries: BTreeMap<(&Access, Query, Type), TermId> = BTreeMap::new();
    for (id, term) in pool.terms.iter_enumerated() {
        index.insert((&term.access, term.ty), id);
        if let Some((of, query)) = term.access.as_query() {
            queries.insert((of, query, term.ty), id);
        }
    }
    let find = |of: &Access, query: Query, ty: Type| queries.get(&(of, query, ty)).copied();
    let usize = Type::Int(IntType::Usize);
    let mut axioms = Vec::new();
    for (id, term) in pool.terms.iter_enumerated() {
        if term.constant.is_some() {
            continue;
        }
        let payload = presence(&term.access, |of, query| find(of, query, Type::Bool));
        for (query, value) in &payload {
            axioms.push(Axiom::Payload {
                query: *query,
                value: *value,
                payload: id,
            });
        }
        if payload.is_empty() {
            axioms.push(Axiom::Total(id));
        }
        if let (Some((of, name)), Type::Int(ty)) = (term.access.as_cast(), term.ty)
            && name == ty.name()
        {
            let is_it = |term: &Term| term.access == *of && matches!(term.ty, Type::Int(_));
            let of = pool.terms.position(is_it);
            axioms.extend(of.map(|of| Axiom::Cast { cast: id, of }));
        }
        let Some((of, query)) = term.access.as_query() else {
            continue;
        };
        match (query, term.ty) {
            (Query::IsNone | Query::IsErr, Type::Bool) => {
                let other = query
                    .opposite()
                    .and_then(|query| find(of, query, Type::Bool));
                axioms.extend(other.map(|other| Axiom::Opposite(id, other)));
            }
            (Query::IsEmpty, Type::Bool) => {
                let len = find(of, Query::Len, usize);
                axioms.extend(len.map(|len| Axiom::NoLength { is_empty: id, len }));
                let texts = [of.clone(), of.clone().prefixed(Prefix::Deref)];
                let texts = texts
                    .iter()
                    .filter_map(|text| index.get(&(text, Type::Str)));
                axioms.extend(texts.map(|text| Axiom::NoText {
                    is_empty: id,
                    text: *text,
                }));
            }
            (Query::Len, ty) if ty == usize => axioms.push(Axiom::Length(id)),
            _ => {}
        }
    }
    axioms.retain(|axiom| rows.iter().all(|row| axiom.holds(row)));
    axioms
}

/// The queries for the presence of the innermost payload in an access, each with the value that means that it is
/// present. The presence of outer payloads follows, since the query itself reads them.
fn presence(
    access: &Access,
    find: impl Fn(&Access, Query) -> Option<TermId>,
) -> Vec<(TermId, bool)> {
    let queries = [
        (Query::IsSome, true),
        (Query::IsOk, true),
        (Query::IsNone, false),
        (Query::IsErr, false),
    ];
    for of in access.unwrapped() {
        let known = queries
            .into_iter()
            .filter_map(|(query, value)| Some((find(of, query)?, value)));
        let known: Vec<_> = known.collect();
        if !known.is_empty() {
            return known;
        }
    }
    Vec::new()
}

/// The used terms and the terms that axioms relate to them: a context must have values for all of these.
pub(crate) fn related(used: &BTreeSet<TermId>, axioms: &[Axiom]) -> BTreeSet<TermId> {
    let mut related = used.clone();
    loop {
        let before = related.len();
        for axiom in axioms {
            match *axiom {
                Axiom::Total(_) | Axiom::Length(_) => {}
                Axiom::Opposite(a, b)
                | Axiom::Cast { cast: a, of: b }
                | Axiom::NoLength {
                    is_empty: a,
                    len: b,
                }
                | Axiom::NoText {
                    is_empty: a,
                    text: b,
                } => {
                    if related.contains(&a) || related.contains(&b) {
                        related.extend([a, b]);
                    }
                }
                // A query is irrelevant to a payload that is not used.
                Axiom::Payload { query, payload, .. } => {
                    if related.contains(&payload) {
                        related.insert(query);
                    }
                }
            }
        }
        if related.len() == before {
            return related;
        }
    }
}

impl Axiom {
    /// The terms of the axiom.
    pub fn terms(self) -> Vec<TermId> {
        match self {
            Self::Total(a) | Self::Length(a) => vec![a],
            Self::Opposite(a, b)
            | Self::Cast { cast: a, of: b }
            | Self::NoLength {
                is_empty: a,
                len: b,
            }
            | Self::NoText {
                is_empty: a,
                text: b,
            }
            | Self::Payload {
                query: a,
                payload: b,
                ..
            } => vec![a, b],
        }
    }

    /// Whether it holds in a row.
    pub fn holds(self, row: &Row) -> bool {
        let value = |term: TermId| row.values.get(term).and_then(Option::as_ref);
        let truth = |term: TermId| value(term).and_then(Value::as_bool);
        let compares = |a: Option<&Value>, op: CmpOp, b: &Value| a.and_then(|a| a.compare(op, b));
        match self {
            Self::Total(term) => value(term).is_some(),
            Self::Opposite(a, b) => truth(a) == truth(b).map(|value| !value),
            Self::Cast { cast, of } => match (value(cast), value(of)) {
                (Some(Value::Int(ty, cast)), Some(Value::Int(_, of))) => {
                    let mask = match ty.bits() {
                        128 => u128::MAX,
                        bits => (1 << bits) - 1,
                    };
                    let low = |int: &Int| int.to_i128().map(|value| value as u128 & mask);
                    // Values beyond `i128` are not checked.
                    low(of).is_none() || low(cast) == low(of)
                }
                (cast, of) => cast.is_some() == of.is_some(),
            },
            Self::Length(len) => compares(value(len), CmpOp::Le, &most()) != Some(false),
            Self::NoLength { is_empty, len } => {
                let zero = Value::Int(IntType::Usize, Int::from_u128(0));
                truth(is_empty) == compares(value(len), CmpOp::Eq, &zero)
            }
            Self::NoText { is_empty, text } => {
                truth(is_empty) == compares(value(text), CmpOp::Eq, &Value::Str("".into()))
            }
            Self::Payload {
                query,
                value: present,
                payload,
            } => value(payload).is_some() == (truth(query) == Some(present)),
        }
    }
}

/// The largest possible length.
pub(crate) fn most() -> Value {
    Value::Int(IntType::Usize, Int::from_i128(i128::from(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use nopol_expr::Origin;
    use nopol_source::Language;

    use super::*;

    fn ids<const N: usize>(numbers: [u32; N]) -> [TermId; N] {
        numbers.map(TermId::new)
    }

    fn pool(terms: &[(&str, Type)]) -> Pool {
        let term =
            |(text, ty): &(&str, Type)| Term::new(Language::Rust.access(text), *ty, Origin::Query);
        Pool {
            terms: terms.iter().map(term).collect(),
        }
    }

    #[test]
    fn a_payload_depends_on_the_query_of_its_innermost_option() {
        let pool = pool(&[
            ("o.is_some()", Type::Bool),
            ("o.as_ref().unwrap().p.is_some()", Type::Bool),
            ("*o.as_ref().unwrap().p.as_ref().unwrap()", Type::Str),
        ]);
        let payload = |query, payload| Axiom::Payload {
            query,
            value: true,
            payload,
        };
        let [outer, inner, text] = ids([0, 1, 2]);
        assert_eq!(
            axioms(&pool, &[]),
            [
                Axiom::Total(outer),
                payload(outer, inner),
                payload(inner, text)
            ]
        );
        let related = related(&BTreeSet::from([text]), &axioms(&pool, &[]));
        assert_eq!(related, BTreeSet::from([outer, inner, text]));
    }

    #[test]
    fn what_a_row_contradicts_is_no_axiom() {
        let usize = Type::Int(IntType::Usize);
        let pool = pool(&[("v.len()", usize), ("v.is_empty()", Type::Bool)]);
        let row = |len, is_empty| Row {
            values: nopol_expr::Values::from(vec![
                Some(Value::Int(IntType::Usize, Int::from_u128(len))),
                Some(Value::Bool(is_empty)),
            ])
            .into(),
            expected: true,
            hard: true,
            weight: 1,
        };
        let [len, is_empty] = ids([0, 1]);
        let tied = Axiom::NoLength { is_empty, len };
        assert!(axioms(&pool, &[row(0, true), row(2, false)]).contains(&tied));
        assert!(!axioms(&pool, &[row(0, true), row(2, true)]).contains(&tied));
    }
}
