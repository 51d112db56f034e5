//! Finds values for which an expression cannot be computed: a sum overflows, or a divisor is zero. Recorded contexts
//! rarely have such values, so no test shows the problem.

use std::collections::BTreeSet;

use nopol_expr::{
    Access, ArithFailure, ArithOp, Expr, Int, IntType, Pool, Query, Row, TermId, Type, Value,
};

/// Most terms that are varied together.
const MOST_VARIED: usize = 4;
/// Most values tried for a term.
const MOST_VALUES: usize = 9;

/// Most recorded contexts in which the inputs are varied.
const MOST_CONTEXTS: usize = 20;

/// A context in which an expression cannot be computed.
#[derive(Clone, Debug)]
pub struct Failure<'e> {
    /// The part that cannot be computed, though its operands can.
    pub part: &'e Expr,
    /// Whether it divides by zero; otherwise it overflows.
    pub is_division: bool,
    /// The terms that the part reads, and those that decide whether it is reached, with their values.
    pub values: Vec<(TermId, Value)>,
    /// Whether the context can occur: it differs from a recorded one only in values that a caller can choose.
    pub can_occur: bool,
    /// Whether a recorded context has these values.
    pub is_recorded: bool,
}

/// A context in which `expr` cannot be computed and `old` can. First tries contexts that can occur: recorded ones with
/// other values of `inputs`, which a caller can choose. Then tries any values of variables, fields and lengths,
/// although the rest of the program may rule them out. With `has_sizes`, the greatest size is tried, but only for
/// `inputs`. `None` if no such context was found.
pub fn failure<'e>(
    expr: &'e Expr,
    old: Option<&Expr>,
    pool: &Pool,
    rows: &[Row],
    inputs: &BTreeSet<TermId>,
    has_sizes: bool,
) -> Option<Failure<'e>> {
    if !has_arithmetic(expr) {
        return None;
    }
    let terms = variable_terms(expr, pool);
    let is_read_elsewhere = |term: &TermId| {
        let root = pool.terms[*term].access.root();
        let mut others = terms.iter().filter(|other| *other != term);
        others.any(|other| root.is_none_or(|it| pool.terms[*other].access.names().contains(&it)))
    };
    let is_chosen = |term: &&TermId| inputs.contains(*term) && !is_read_elsewhere(term);
    let mut chosen: Vec<TermId> = terms.iter().filter(is_chosen).copied().collect();
    chosen.truncate(MOST_VARIED);
    let has_products = has_product(expr, pool);
    let attempt = |row, varied: &[TermId], with_extremes| {
        Attempt {
            expr,
            old,
            pool,
            range: Range {
                has_products,
                has_sizes,
                has_greatest_sizes: has_sizes && with_extremes,
            },
        }
        .failure(row, varied)
    };
    let mut contexts = rows.iter().take(MOST_CONTEXTS);
    let possible = contexts.find_map(|row| attempt(row, &chosen, true));
    let found = match possible {
        Some(found) => Failure {
            can_occur: true,
            ..found
        },
        None if terms.len() > MOST_VARIED || !are_independent(&terms, pool) => return None,
        None => attempt(rows.first()?, &terms, false)?,
    };
    let has_values = |row: &Row| {
        let mut values = found.values.iter();
        values.all(|(term, value)| row.values[*term].as_ref() == Some(value))
    };
    let is_recorded = rows.iter().any(has_values);
    Some(Failure {
        can_occur: found.can_occur || is_recorded,
        is_recorded,
        ..found
    })
}

/// An expression to try with other values than the recorded ones.
struct Attempt<'e, 'o> {
    expr: &'e Expr,
    old: Option<&'o Expr>,
    pool: &'o Pool,
    range: Range,
}

/// The values to try.
#[derive(Clone, Copy)]
struct Range {
    /// Variables are multiplied with each other, so also try the least number whose square overflows.
    has_products: bool,
    /// Also try that number for sizes.
    has_sizes: bool,
    /// Try the greatest number for sizes.
    has_greatest_sizes: bool,
}

impl<'e> Attempt<'e, '_> {
    /// A failure in this context, with other values of these terms.
    fn failure(&self, row: &Row, terms: &[TermId]) -> Option<Failure<'e>> {
        let Self {
            expr,
            old,
            pool,
            range,
        } = *self;
        let values = |term: &TermId| Some((*term, values(*term, expr, pool, range)?));
        let varied: Vec<(TermId, Vec<Value>)> = terms.iter().map(values).collect::<Option<_>>()?;
        let all: usize = varied.iter().map(|(_, values)| values.len()).product();
        let mut row = row.clone();
        for nth in 0..all {
            let mut left = nth;
            for (term, values) in &varied {
                row.values_mut()[*term] = Some(values[left % values.len()].clone());
                left /= values.len();
            }
            if old.is_some_and(|old| old.eval(&row).is_none()) {
                continue;
            }
            let Some((part, how)) = expr.culprit(&row) else {
                continue;
            };
            let mut parts = vec![part];
            evaluated_before(expr, part, &mut parts);
            let mut read: Vec<TermId> = Vec::new();
            for term in parts.iter().flat_map(|part| variable_terms(part, pool)) {
                if !read.contains(&term) {
                    read.push(term);
                }
            }
            let read = read.into_iter();
            let values = read.filter_map(|term| Some((term, row.values[term].clone()?)));
            return Some(Failure {
                part,
                is_division: how == ArithFailure::DividesByZero,
                values: values.collect(),
                can_occur: false,
                is_recorded: false,
            });
        }
        None
    }
}

/// Adds the left operands of `&&` and `||` that decide whether `part` of `expr` is reached. Returns whether `expr`
/// contains `part`.
fn evaluated_before<'e>(expr: &'e Expr, part: &Expr, found: &mut Vec<&'e Expr>) -> bool {
    if std::ptr::eq(expr, part) {
        return true;
    }
    match expr {
        Expr::And(a, b) | Expr::Or(a, b) => {
            if evaluated_before(a, part, found) {
                return true;
            }
            let is_right = evaluated_before(b, part, found);
            if is_right {
                found.push(a);
            }
            is_right
        }
        _ => expr
            .children()
            .any(|child| evaluated_before(child, part, found)),
    }
}

/// Whether an expression reads anything but constants.
pub fn is_variable(expr: &Expr, pool: &Pool) -> bool {
    let mut terms = expr.terms().into_iter();
    terms.any(|term| pool.terms[term].constant.is_none())
}

fn has_product(expr: &Expr, pool: &Pool) -> bool {
    let is_product = match expr {
        Expr::Arith(ArithOp::Mul, a, b) => is_variable(a, pool) && is_variable(b, pool),
        _ => false,
    };
    is_product || expr.children().any(|child| has_product(child, pool))
}

fn has_arithmetic(expr: &Expr) -> bool {
    matches!(expr, Expr::Arith(..)) || expr.children().any(has_arithmetic)
}

/// The terms of an expression that are not constants, each once.
fn variable_terms(expr: &Expr, pool: &Pool) -> Vec<TermId> {
    let mut terms = expr.terms();
    terms.retain(|term| pool.terms[*term].constant.is_none());
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Whether each of these terms is a variable, a field, an element or a length, and no two of them are the same.
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

/// The variable, field or element that an access reads, or whose length it reads.
fn place(access: &Access) -> Option<&Access> {
    let is_place = |access: &Access| {
        let mut at = access;
        while let Access::Field(of, ..) | Access::Index(of, _) = at {
            at = of.without_derefs();
        }
        // A name without lowercase letters is a constant whose value is not known.
        matches!(at, Access::Variable(name) if name.contains(char::is_lowercase))
    };
    let of = match access.without_derefs() {
        Access::Query(of, Query::Len) => of.without_derefs(),
        other => other,
    };
    is_place(of).then_some(of)
}

/// The values to try for a term: small ones, those near the constants of the expression, and the extremes of its type.
/// `None` if values of its type cannot be varied.
fn values(term: TermId, expr: &Expr, pool: &Pool, range: Range) -> Option<Vec<Value>> {
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
    let is_size = matches!(ty, IntType::Usize | IntType::Isize);
    let has_root = range.has_products && (range.has_sizes || !is_size);
    let root = has_root.then(|| least_square_beyond(ty));
    let mut values = Vec::new();
    for int in small
        .into_iter()
        .chain([root])
        .chain(extremes(ty, range.has_greatest_sizes))
        .chain(near)
        .flatten()
    {
        let value = Value::Int(ty, int);
        if int.fits(ty) && !values.contains(&value) && values.len() < MOST_VALUES {
            values.push(value);
        }
    }
    Some(values)
}

/// The least number whose square does not fit a type.
fn least_square_beyond(ty: IntType) -> Int {
    let bits = ty.bits() - u32::from(ty.signed());
    let greatest = u128::MAX >> (128 - bits);
    Int::from_u128(greatest.isqrt() + 1)
}

/// The greatest and the least value of a type, in this order. Sizes and indices are hardly ever as large as their type
/// allows.
fn extremes(ty: IntType, has_sizes: bool) -> [Option<Int>; 2] {
    let bits = ty.bits() - u32::from(ty.signed());
    let greatest = match ty {
        IntType::Usize | IntType::Isize if !has_sizes => None,
        _ => Some(u128::MAX >> (128 - bits)),
    };
    let least = (ty.signed() && (has_sizes || ty != IntType::Isize)).then(|| {
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

    /// A pool of `a`, `b` and 1, and a context.
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

    fn found<'e>(expr: &'e Expr, old: Option<&Expr>, inputs: &[u32]) -> Option<Failure<'e>> {
        let (pool, row) = pool();
        let inputs = inputs.iter().map(|term| TermId::new(*term)).collect();
        failure(expr, old, &pool, &[row], &inputs, false)
    }

    #[test]
    fn a_difference_fails_unless_a_clause_before_it_rules_that_out() {
        let difference = Box::new(Expr::Arith(ArithOp::Sub, term(0), term(1)));
        let bare = Expr::Cmp(CmpOp::Gt, difference, term(2));
        let found_bare = found(&bare, None, &[]).unwrap();
        assert!(
            matches!(found_bare.part, Expr::Arith(ArithOp::Sub, ..)) && !found_bare.is_division
        );
        assert_eq!(found_bare.values.len(), 2);
        assert!(found(&bare, Some(&bare), &[]).is_none());
        let guarded = Expr::Cmp(CmpOp::Ge, term(0), term(1)).and(bare);
        assert!(found(&guarded, None, &[]).is_none());
    }

    #[test]
    fn the_greatest_size_of_an_input_is_tried_on_request() {
        let (mut pool, mut row) = pool();
        let size = Type::Int(IntType::Usize);
        for nth in 0..3 {
            let term = TermId::new(nth);
            pool.terms[term].ty = size;
            let one = Some(Value::Int(IntType::Usize, Int::from_i128(1)));
            pool.terms[term].constant = pool.terms[term].constant.take().and(one.clone());
            row.values_mut()[term] = one;
        }
        let sum = Box::new(Expr::Arith(ArithOp::Add, term(0), term(2)));
        let above = Expr::Cmp(CmpOp::Gt, sum, term(1));
        let found = |inputs: &[u32], has_sizes| {
            let inputs = inputs.iter().map(|term| TermId::new(*term)).collect();
            let rows = [row.clone()];
            failure(&above, None, &pool, &rows, &inputs, has_sizes).map(|found| found.can_occur)
        };
        assert_eq!(found(&[0], true), Some(true));
        assert_eq!(found(&[0], false), None);
        // No caller chooses it.
        assert_eq!(found(&[], true), None);
    }

    #[test]
    fn a_product_of_variables_overflows_above_the_root_of_the_greatest_number() {
        // b * b <= a
        let square = Box::new(Expr::Arith(ArithOp::Mul, term(1), term(1)));
        let whole = Expr::Cmp(CmpOp::Le, square, term(0));
        let failure = found(&whole, None, &[0]).unwrap();
        let root = Value::Int(IntType::U32, Int::from_i128(65_536));
        assert_eq!(failure.values, [(TermId::new(1), root)]);
        assert!(!failure.can_occur);
        // A product with a constant does not add the root.
        let double = Box::new(Expr::Arith(ArithOp::Mul, term(1), term(2)));
        let whole = Expr::Cmp(CmpOp::Le, double, term(0));
        assert!(found(&whole, None, &[0]).is_none());
    }

    #[test]
    fn only_values_that_a_caller_chooses_can_occur() {
        let difference = Box::new(Expr::Arith(ArithOp::Sub, term(0), term(1)));
        let bare = Expr::Cmp(CmpOp::Gt, difference, term(2));
        assert!(!found(&bare, None, &[]).unwrap().can_occur);
        // The recorded value of `b` is 1, so `a` is 0.
        let chosen = found(&bare, None, &[0]).unwrap();
        assert!(chosen.can_occur && !chosen.is_recorded);
        let recorded = Some(Value::Int(IntType::U32, Int::from_i128(1)));
        let (_, row) = pool();
        assert_eq!(row.values[TermId::new(1)], recorded);
        assert!(
            chosen
                .values
                .iter()
                .any(|(term, value)| *term == TermId::new(1) && Some(value.clone()) == recorded)
        );
    }

    #[test]
    fn a_sum_overflows_and_a_divisor_may_be_zero() {
        let sum = Expr::Cmp(
            CmpOp::Gt,
            Box::new(Expr::Arith(ArithOp::Add, term(0), term(2))),
            term(1),
        );
        assert!(found(&sum, None, &[]).is_some_and(|found| !found.is_division));
        let rest = Expr::Cmp(
            CmpOp::Eq,
            Box::new(Expr::Arith(ArithOp::Rem, term(0), term(1))),
            term(2),
        );
        assert!(found(&rest, None, &[]).is_some_and(|found| found.is_division));
    }

    #[test]
    fn the_values_that_let_the_part_be_reached_are_named_too() {
        // `a > b || a + 1 > 1`: the sum is reached with the greatest `a` only if `b` is as great.
        let above = Expr::Cmp(CmpOp::Gt, term(0), term(1));
        let sum = Box::new(Expr::Arith(ArithOp::Add, term(0), term(2)));
        let whole = above.or(Expr::Cmp(CmpOp::Gt, sum, term(2)));
        let failure = found(&whole, None, &[0, 1]).unwrap();
        let greatest = Value::Int(IntType::U32, Int::from_i128(i128::from(u32::MAX)));
        let both = [0, 1].map(|term| (TermId::new(term), greatest.clone()));
        assert_eq!(failure.values, both);
    }

    #[test]
    fn a_part_that_is_not_evaluated_is_not_blamed() {
        let (pool, mut row) = pool();
        let sum = Box::new(Expr::Arith(ArithOp::Add, term(0), term(2)));
        // `b` is undefined, so the sum behind it is not reached.
        row.values_mut()[TermId::new(1)] = None;
        let above = Expr::Cmp(CmpOp::Gt, term(1), term(2));
        let whole = above.and(Expr::Cmp(CmpOp::Gt, sum, term(2)));
        let inputs = BTreeSet::from([TermId::new(0)]);
        assert!(
            !failure(&whole, None, &pool, &[row], &inputs, false).is_some_and(|it| it.can_occur)
        );
    }
}
