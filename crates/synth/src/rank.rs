//! The cost of an expression's operators and operands. `weights.rs` defines the numbers, and `idioms.rs` adds
//! the cost of the form.
//!
//! `!x.is_empty()` is cheaper than `x.len() > 0`, which is cheaper than `x.len() != 0`. An edit that has one
//! outcome in every recorded context is expensive, and more so if the original condition has one, too. It is
//! less expensive if it only adds a clause, changes the connective or moves a limit, because such an edit
//! preserves most outcomes beyond the recorded contexts (`collect.rs`).
//!
//! Ties are broken by the structure of the expression; earlier terms come first.

use nopol_expr::{
    Access, ArithOp, CmpOp, Expr, Origin, Pool, Query, Reading, Term, TermId, Type, Value,
};

use crate::weights::WEIGHTS;

/// Whether one operator is strict and the other inclusive in the same direction.
pub(super) fn are_neighbours(a: CmpOp, b: CmpOp) -> bool {
    use CmpOp::{Ge, Gt, Le, Lt};
    matches!((a, b), (Lt, Le) | (Le, Lt) | (Gt, Ge) | (Ge, Gt))
}

/// Cost of an operand.
pub(super) fn term_cost(term: TermId, pool: &Pool) -> u32 {
    let Some(term) = pool.terms.get(term) else {
        return 0;
    };
    let part = &WEIGHTS.part;
    let cost = match term.origin {
        Origin::Old => return part.old,
        Origin::Variable => part.variable,
        Origin::Field => part.field,
        Origin::Query => part.query,
        Origin::Constant => match glance(term) {
            Some(0) => part.zero,
            Some(1) => part.one,
            _ => part.constant,
        },
        Origin::Named => part.named,
        Origin::FunctionLiteral => part.function_literal,
        Origin::Call => part.call,
        Origin::Guessed => part.guessed,
        Origin::Harvested => part.harvested,
        Origin::FileLiteral => part.file_literal,
        Origin::Mined => part.mined,
    };
    // `a.b.len()` is read at a glance, a longer access is not.
    let steps = match term.constant {
        Some(_) => 0,
        None => term.access.steps(),
    };
    let capacity = match term.access.as_query() {
        Some((_, Query::Capacity)) => part.capacity,
        _ => 0,
    };
    let steps = u32::try_from(steps.saturating_sub(2)).unwrap_or(0);
    cost + capacity + part.step * steps.min(4)
}

/// The number in the leading digits of a literal, if that is 0 or 1.
fn glance(term: &Term) -> Option<u8> {
    match &term.access {
        Access::Literal(literal) => literal.glance,
        _ => None,
    }
}

/// Cost of an expression's parts.
pub(super) fn expr_cost(expr: &Expr, pool: &Pool) -> u32 {
    let own = match expr {
        Expr::Term(term) => return term_cost(*term, pool),
        Expr::Not(_) => WEIGHTS.part.not,
        Expr::And(..) => WEIGHTS.part.and,
        Expr::Arith(..) => WEIGHTS.part.arithmetic,
        Expr::Or(..) => WEIGHTS.part.or,
        Expr::Cmp(op, a, b) => WEIGHTS.part.comparison + awkwardness(*op, a, b, pool),
    };
    own + expr
        .children()
        .map(|child| expr_cost(child, pool))
        .sum::<u32>()
}

/// Whether no number of its type is greater.
fn is_greatest(value: &Value) -> bool {
    let Value::Int(ty, int) = value else {
        return false;
    };
    *int == ty.kind().greatest()
}

/// Cost of a comparison that people write differently.
fn awkwardness(op: CmpOp, a: &Expr, b: &Expr, pool: &Pool) -> u32 {
    let leaf = |expr: &Expr| match expr {
        Expr::Term(term) => pool.terms.get(*term),
        _ => None,
    };
    let literal = |expr: &Expr| leaf(expr).is_some_and(|term| term.constant.is_some());
    let query = |expr: &Expr| leaf(expr).is_some_and(|term| term.origin == Origin::Query);
    // A comparison of numbers of different types invites errors of sign and width.
    let converted = |expr: &Expr| {
        let is = |term: &Term| term.reading == Reading::Converted && term.ty != Type::Bool;
        leaf(expr).is_some_and(is) && !literal(expr)
    };
    let part = &WEIGHTS.part;
    let mut cost = 0;
    if literal(a) {
        cost += part.literal_first;
    }
    if converted(a) || converted(b) {
        cost += part.converted;
    }
    if (query(a) || query(b)) && !literal(a) && !literal(b) {
        cost += part.query_compared;
    }
    // Zero is the number that people compare with: `n >= 0`, not `n > -1`.
    let is_minus_one = |expr: &Expr| {
        let constant = leaf(expr).and_then(|term| term.constant.as_ref());
        matches!(constant, Some(Value::Int(_, int)) if int.to_i128() == Some(-1))
    };
    if op.orders() && (is_minus_one(a) || is_minus_one(b)) {
        cost += part.needless;
    }
    // `x == 4`, not `x + 1 == 5`.
    let number = |expr: &Expr| {
        leaf(expr).is_some_and(|term| term.constant.is_some() && term.origin != Origin::Named)
    };
    let is_shifted =
        |expr: &Expr| matches!(expr, Expr::Arith(ArithOp::Add | ArithOp::Sub, _, by) if number(by));
    if is_shifted(a) && number(b) || is_shifted(b) && number(a) {
        cost += part.shifted;
    }
    // `x == u8::MAX`, not `x >= u8::MAX`.
    let constant = leaf(b).and_then(|term| term.constant.as_ref());
    if constant.is_some_and(|end| matches!(op, CmpOp::Ge if is_greatest(end))) {
        cost += part.needless;
    }
    match a.ty(pool) {
        Some(Type::F32 | Type::F64) if !op.orders() => cost += part.float_equality,
        Some(Type::Int(int)) if !int.signed() && literal(b) => {
            let needless = match leaf(b).and_then(glance) {
                Some(0) => matches!(op, CmpOp::Le | CmpOp::Ne),
                Some(1) => matches!(op, CmpOp::Lt | CmpOp::Ge),
                _ => false,
            };
            cost += part.needless * u32::from(needless);
        }
        _ => {}
    }
    cost
}

#[cfg(test)]
mod tests {
    use nopol_expr::{Int, IntType, Value};
    use nopol_source::Language;

    use super::*;

    /// `v.len()`, `v.is_empty()`, `n`, 0, 1, `x` (a float).
    fn pool() -> Pool {
        let usize = Type::Int(IntType::Usize);
        let number = |number: u128| Some(Value::Int(IntType::Usize, Int::from_u128(number)));
        let terms = [
            ("v.len()", usize, Origin::Query, None),
            ("v.is_empty()", Type::Bool, Origin::Query, None),
            ("n", usize, Origin::Variable, None),
            ("0", usize, Origin::Constant, number(0)),
            ("1", usize, Origin::Constant, number(1)),
            ("x", Type::F64, Origin::Variable, None),
        ];
        let term = |(text, ty, origin, constant): (&str, Type, Origin, Option<Value>)| Term {
            constant,
            ..Term::new(Language::Rust.access(text), ty, origin)
        };
        Pool {
            terms: terms.into_iter().map(term).collect(),
        }
    }

    fn term(number: u32) -> Expr {
        Expr::Term(TermId::new(number))
    }

    fn cmp(a: u32, op: CmpOp, b: u32) -> Expr {
        term(a).cmp(op, term(b))
    }

    #[test]
    fn usual_spellings_are_cheaper() {
        let ascending = [
            term(1).not(),
            cmp(0, CmpOp::Gt, 3),
            cmp(0, CmpOp::Ne, 3),
            cmp(0, CmpOp::Ge, 4),
            cmp(0, CmpOp::Gt, 2),
        ];
        let costs = ascending.map(|expr| expr_cost(&expr, &pool()));
        assert!(costs.is_sorted_by(|a, b| a < b), "{costs:?}");
        let (usual, literal_first) = (cmp(2, CmpOp::Gt, 3), cmp(3, CmpOp::Lt, 2));
        assert!(expr_cost(&usual, &pool()) < expr_cost(&literal_first, &pool()));
    }
}
