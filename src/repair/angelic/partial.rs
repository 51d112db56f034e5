//! Values for which an expression cannot be computed: a sum overflows, or there is a division by zero. Recorded contexts
//! rarely have such values, so no test shows it.

use nopol_expr::{Access, ArithOp, Expr, Int, IntType, Pool, Query, Row, TermId, Type, Value};

/// Terms that are varied together.
const MOST_VARIED: usize = 4;
/// Values that are tried of one term.
const MOST_VALUES: usize = 9;

/// A context in which an expression cannot be computed.
#[derive(Clone, Debug)]
pub struct Failure<'e> {
    /// The part that cannot be computed, though its operands can.
    pub part: &'e Expr,
    /// Whether it divides by zero; otherwise it overflows.
    pub is_division: bool,
    /// The terms that the part reads, with their values.
    pub values: Vec<(TermId, Value)>,
}

/// A context in which this expression cannot be computed and `old` can. Only expressions of variables, fields and lengths
/// that may have any values beside each other are looked at. `None` also if none is found.
pub fn failure<'e>(
    expr: &'e Expr,
    old: Option<&Expr>,
    pool: &Pool,
    row: &Row,
) -> Option<Failure<'e>> {
    let mut terms = variable_terms(expr, pool);
    if !parts(expr).any(|part| matches!(part, Expr::Arith(..))) || !are_independent(&terms, pool) {
        return None;
    }
    let varied: Vec<(TermId, Vec<Value>)> = {
        terms.truncate(MOST_VARIED + 1);
        let values = |term: &TermId| Some((*term, values(*term, expr, pool)?));
        terms.iter().map(values).collect::<Option<_>>()?
    };
    if varied.len() > MOST_VARIED {
        return None;
    }
    let all: usize = varied.iter().map(|(_, values)| values.len()).product();
    let mut row = row.clone();
    for nth in 0..all {
        let mut left = nth;
        for (term, values) in &varied {
            row.values_mut()[*term] = Some(values[left % values.len()].clone());
            left /= values.len();
        }
        if expr.eval_bool(&row).is_some() || old.is_some_and(|old| old.eval_bool(&row).is_none()) {
            continue;
        }
        let fails = |part: &&Expr| part.eval(&row).is_none() && has_values(part, &row);
        let part = parts(expr).find(fails)?;
        let Expr::Arith(op, _, divisor) = part else {
            return None;
        };
        let is_zero =
            matches!(divisor.eval(&row), Some(Value::Int(_, int)) if int == Int::from_i128(0));
        let read = variable_terms(part, pool);
        let values = read
            .iter()
            .filter_map(|term| Some((*term, row.values[*term].clone()?)));
        return Some(Failure {
            part,
            is_division: is_zero && matches!(op, ArithOp::Div | ArithOp::Rem),
            values: values.collect(),
        });
    }
    None
}

/// An expression in which each term is replaced by its definition, if it has one.
pub fn expanded(expr: &Expr, pool: &Pool) -> Expr {
    let of = |expr: &Expr| Box::new(expanded(expr, pool));
    match expr {
        Expr::Term(term) => match &pool.terms[*term].definition {
            Some(definition) => expanded(definition, pool),
            None => expr.clone(),
        },
        Expr::Not(inner) => Expr::Not(of(inner)),
        Expr::And(a, b) => Expr::And(of(a), of(b)),
        Expr::Or(a, b) => Expr::Or(of(a), of(b)),
        Expr::Cmp(op, a, b) => Expr::Cmp(*op, of(a), of(b)),
        Expr::Arith(op, a, b) => Expr::Arith(*op, of(a), of(b)),
    }
}

/// Whether the operands of a part can be computed.
fn has_values(part: &Expr, row: &Row) -> bool {
    part.children()
        .into_iter()
        .all(|child| child.eval(row).is_some())
}

/// An expression and everything in it.
fn parts(expr: &Expr) -> impl Iterator<Item = &Expr> {
    let mut open = vec![expr];
    std::iter::from_fn(move || {
        let next = open.pop()?;
        open.extend(next.children());
        Some(next)
    })
}

/// The terms of an expression that are no constants, each once.
fn variable_terms(expr: &Expr, pool: &Pool) -> Vec<TermId> {
    let mut terms = expr.terms();
    terms.retain(|term| pool.terms[*term].constant.is_none());
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Whether each of these terms is a variable, a field or a length, and no two ask for the same one.
fn are_independent(terms: &[TermId], pool: &Pool) -> bool {
    let places: Option<Vec<&Access>> = terms
        .iter()
        .map(|term| place(&pool.terms[*term].access))
        .collect();
    places.is_some_and(|places| {
        let is_alone = |nth: usize| !places[..nth].contains(&places[nth]);
        (0..places.len()).all(is_alone)
    })
}

/// The variable or field that an access asks for.
fn place(access: &Access) -> Option<&Access> {
    let is_place = |access: &Access| {
        let mut at = access;
        while let Access::Field(of, _, _) = at {
            at = of.without_derefs();
        }
        // A constant of which the value is not known has one value.
        matches!(at, Access::Variable(name) if name.contains(char::is_lowercase))
    };
    let of = match access.without_derefs() {
        Access::Query(of, Query::Len) => of.without_derefs(),
        other => other,
    };
    is_place(of).then_some(of)
}

/// The values to try of a term: small ones, those near the constants of the expression, and the extremes of its type.
/// `None` if its type is none that is tried.
fn values(term: TermId, expr: &Expr, pool: &Pool) -> Option<Vec<Value>> {
    let ty = match pool.terms[term].ty {
        Type::Bool => return Some(vec![Value::Bool(false), Value::Bool(true)]),
        Type::Int(ty) => ty,
        _ => return None,
    };
    let of_constants =
        expr.terms()
            .into_iter()
            .filter_map(|term| match &pool.terms[term].constant {
                Some(Value::Int(_, int)) => Some(*int),
                _ => None,
            });
    let one = Int::from_i128(1);
    let near = of_constants.flat_map(|int| {
        [
            Some(int),
            int.checked(ArithOp::Sub, one),
            int.checked(ArithOp::Add, one),
        ]
    });
    let small = [0, 1].map(Int::from_i128).map(Some);
    let mut values = Vec::new();
    for int in small.into_iter().chain(extremes(ty)).chain(near).flatten() {
        let value = Value::Int(ty, int);
        if int.fits(ty) && !values.contains(&value) && values.len() < MOST_VALUES {
            values.push(value);
        }
    }
    Some(values)
}

/// The least and the greatest value of a type. Sizes and indices are never as large as their type allows.
fn extremes(ty: IntType) -> [Option<Int>; 2] {
    let bits = ty.bits() - u32::from(ty.signed());
    let greatest = match ty {
        IntType::Usize | IntType::Isize => None,
        _ => Some(u128::MAX >> (128 - bits)),
    };
    let least = (ty.signed() && ty != IntType::Isize).then(|| {
        Int::from_i128(if bits == 127 {
            i128::MIN
        } else {
            -(1_i128 << bits)
        })
    });
    [greatest.map(Int::from_u128), least]
}

#[cfg(test)]
mod tests {
    use nopol_expr::{CmpOp, Origin, Term, Values};
    use std::sync::Arc;

    use super::*;

    const U32: Type = Type::Int(IntType::U32);

    /// The pool of `a`, `b` and 1, and a context.
    fn pool() -> (Pool, Row) {
        let mut pool = Pool::default();
        for name in ["a", "b"] {
            let access = Access::Variable(name.to_owned());
            pool.terms.push(Term::new(access, U32, Origin::Variable));
        }
        let one = Value::Int(IntType::U32, Int::from_i128(1));
        pool.terms.push(Term {
            constant: Some(one.clone()),
            ..Term::new(Access::literal("1".to_owned()), U32, Origin::Constant)
        });
        let values: Values = [Some(one.clone()), Some(one.clone()), Some(one)]
            .into_iter()
            .collect();
        let row = Row {
            values: Arc::new(values),
            expected: true,
            hard: true,
            weight: 1,
        };
        (pool, row)
    }

    fn term(number: u32) -> Box<Expr> {
        Box::new(Expr::Term(TermId::new(number)))
    }

    #[test]
    fn a_difference_fails_unless_a_clause_before_it_rules_that_out() {
        let (pool, row) = pool();
        let difference = Box::new(Expr::Arith(ArithOp::Sub, term(0), term(1)));
        let bare = Expr::Cmp(CmpOp::Gt, difference, term(2));
        let found = failure(&bare, None, &pool, &row).unwrap();
        assert!(matches!(found.part, Expr::Arith(ArithOp::Sub, ..)) && !found.is_division);
        assert_eq!(found.values.len(), 2);
        assert!(failure(&bare, Some(&bare), &pool, &row).is_none());
        let guarded = Expr::Cmp(CmpOp::Ge, term(0), term(1)).and(bare);
        assert!(failure(&guarded, None, &pool, &row).is_none());
    }

    #[test]
    fn a_sum_overflows_and_a_divisor_may_be_zero() {
        let (pool, row) = pool();
        let sum = Expr::Cmp(
            CmpOp::Gt,
            Box::new(Expr::Arith(ArithOp::Add, term(0), term(2))),
            term(1),
        );
        assert!(failure(&sum, None, &pool, &row).is_some_and(|found| !found.is_division));
        let rest = Expr::Cmp(
            CmpOp::Eq,
            Box::new(Expr::Arith(ArithOp::Rem, term(0), term(1))),
            term(2),
        );
        assert!(failure(&rest, None, &pool, &row).is_some_and(|found| found.is_division));
    }
}
