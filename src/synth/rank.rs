//! What makes one candidate better than another, as one number: the cost. It is the sum of a base
//! for how the candidate relates to the old condition and of what its new parts are made of.
//!
//! | relation to the old condition | base |
//! | --- | --- |
//! | neighbouring operator: inclusive for strict, strict for inclusive | 9, 10 |
//! | all comparisons that have one operator, or all that are strict or inclusive | 6 more |
//! | operator turned round (`<` for `>`), or into its negation (`==` for `!=`, `>=` for `<`) | 15, 19 |
//! | `>=` for `==`, `!=` for `<`, and the other way round; any other operator | 18; 20 |
//! | `&&` for `\|\|` or the other way round | 12 |
//! | constant replaced by the next larger or smaller number, by another constant, a name by another | 9, 14, 22 |
//! | any operand changed where `==` or `!=` asks for a constant | 5 more |
//! | another value of an operand that is held against values already | 6 |
//! | the same with a number: next to one that is there, any other, seen only and long | 2, 10, 16 more |
//! | a part negated | 19 |
//! | operand replaced by its kin (`y.len()` for `x.len()`, `x.is_open()` for `x.open`), by another | 24, 35 |
//! | operand off by one | 22 |
//! | clause dropped | 24 |
//! | clause added, old condition kept verbatim; of the shape of one that is there | 30; 26 |
//! | something other than one added to or subtracted from an operand | 34 |
//! | clause replaced, or `==`/`!=` for a connective | 38 |
//! | an operator, constant or negation changed and a clause added | 30 + the change's |
//! | new condition where there was none | 30 |
//! | new condition in place of the old one | 60 |
//!
//! | new part | cost |
//! | --- | --- |
//! | operand of the old condition, variable, field, query | 2, 3, 4, 4 |
//! | constant 0, 1, −1, another of the predefined ones | 2, 3, 4, 4 |
//! | named constant, literal of the function | 5 |
//! | call, expression computed nearby | 6, 8 |
//! | literal of the file, value seen | 7, 9 |
//! | `.capacity()` | +4 |
//! | each `.`, `->` or `[` of an operand beyond the second, up to four | 2 |
//! | comparison; `!`; `&&`; `\|\|` (half as common); arithmetic | 2; 2; 6; 7; 6 |
//! | `==` or `!=` between floats | +2 |
//! | a query compared with something that is no constant | +3 |
//! | a number converted to another type (C) | +5 |
//! | `< 1`, `>= 1`, `<= 0` or `!= 0` on an unsigned number, for `== 0` or `> 0` say it | +2 |
//! | literal before the operator | +2 |
//!
//! The last lines make `!x.is_empty()` cheaper than `x.len() > 0`, and that than `x.len() != 0`.
//! A group of two clauses beside another costs 3. An edit that has one outcome wherever it was observed
//! costs 16, or 50 if the old condition had one, too; but 16 if it only adds a clause or changes the
//! connective, and 6 if it only moves a limit, for beyond what was observed it leaves most as it was.
//!
//! What operators cost beside each other is how often they stand for each other in Codeflaws (class
//! ORRN, even contests, 141 operators): 111 between strict and inclusive, 76 of them towards inclusive,
//! 13 turned round, 13 between equality and an order, 4 negated.
//!
//! | habit (`habits.rs`) | cost |
//! | --- | --- |
//! | guard that stops exactly where what follows is undefined | −14 |
//! | `<=` or `>=`; the literal 1; an order against 0 beside another clause | +1 each |
//! | `!=` between two variables; `==` in a conjunction, `!=` in a disjunction | +1; +1, +2 |
//! | `==` or `!=` with a number, other than 0, that only one context had | +16 |
//! | an order against a number that was seen and never written | +8 |
//! | `&& n != 0` or `\|\| n == 0` added to an old condition | −2 |
//!
//! Ties are broken by the structure of the expression, where earlier terms come first.

use crate::spec::{Access, CmpOp, Expr, Origin, Pool, Query, Reading, Term, TermId, Type};

/// Cost of `==` or `!=` with a number that only one context had.
pub(super) const SINGLED_OUT: i64 = 16;
/// Cost of an order against a number that nobody wrote.
pub(super) const SEEN_LIMIT: i64 = 8;
/// Cost of a new condition where there was none.
pub(super) const NEW: u32 = 30;
/// Cost of a new condition in place of an old one.
pub(super) const REPLACED: u32 = 60;
/// Cost of `&&` for `||`.
pub(super) const CONNECTIVE: u32 = 12;
/// Cost of one constant for another, and of one name for another.
pub(super) const CONSTANT: u32 = 14;
pub(super) const NAMED: u32 = 22;
/// Cost of one more value of an operand that is held against some already, beside the value's.
pub(super) const VALUE: u32 = 6;
/// What a number costs more there than a letter: next to one that is there, long and seen only, any other.
pub(super) const NEXT_VALUE: u32 = 2;
pub(super) const ODD_VALUE: u32 = 16;
pub(super) const NUMBER: u32 = 10;
/// What another constant costs more where it is asked for by `==` or `!=`.
pub(super) const EQUAL: u32 = 5;
/// Cost of a clause more that has the shape of one that is there.
pub(super) const PARALLEL: u32 = 26;
/// What it costs to change several operators alike, beside one of them.
pub(super) const ALL_AT_ONCE: u32 = 6;
/// Cost of a negated part.
pub(super) const NEGATION: u32 = 19;
/// Cost of another operand.
pub(super) const OPERAND: u32 = 35;
/// Cost of the same query of another value, or of another one of the same value.
pub(super) const KIN: u32 = 24;
/// Cost of a constant off by one.
pub(super) const NEXT_CONSTANT: u32 = 9;
/// Cost of a conjunction.
pub(super) const AND: u32 = 6;
/// Cost of a disjunction.
pub(super) const OR: u32 = 7;
/// Cost of a group in parentheses or of mixed connectives.
pub(super) const GROUP: u32 = 3;
/// What a guard saves that stops the evaluation exactly where what follows is undefined.
pub(super) const GUARDED: u32 = 14;
/// Cost of an outcome that no test shows.
pub(super) const UNTESTED: u32 = 16;
/// The same, where only the limit of a comparison changed.
pub(super) const UNTESTED_NEIGHBOUR: u32 = 6;
/// Cost of the opposite outcome wherever the condition was observed.
pub(super) const REVERSED: u32 = 50;
/// Cost of an operand off by one.
pub(super) const OFF_BY_ONE: u32 = 22;
/// Cost of a clause less.
pub(super) const DROPPED: u32 = 24;
/// Cost of a clause more.
pub(super) const CLAUSE: u32 = 30;
/// Cost of a summand more.
pub(super) const SUMMAND: u32 = 34;
/// Cost of another clause in the place of one.
pub(super) const SUBSTITUTE: u32 = 38;

/// Cost of `new` in place of `old`.
pub(super) fn operator_cost(old: CmpOp, new: CmpOp) -> u32 {
    use CmpOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match (old, new) {
        (Lt, Le) | (Gt, Ge) => 9,
        (Le, Lt) | (Ge, Gt) => 10,
        _ if old.orders() && new == old.mirrored() => 15,
        _ if new == old.negated() => 19,
        (Eq, Le | Ge) | (Le | Ge, Eq) | (Ne, Lt | Gt) | (Lt | Gt, Ne) => 18,
        _ => 20,
    }
}

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
    let cost = match term.origin {
        Origin::Old => return 2,
        Origin::Variable => 3,
        Origin::Field | Origin::Query => 4,
        Origin::Constant => match glance(term) {
            Some(0) => 2,
            Some(1) => 3,
            _ => 4,
        },
        Origin::Named | Origin::FunctionLiteral => 5,
        Origin::Call => 6,
        Origin::Harvested => 8,
        Origin::FileLiteral => 7,
        Origin::Seen => 9,
    };
    // `a.b.len()` is read at a glance, and what is longer is not.
    let steps = match term.constant {
        Some(_) => 0,
        None => term.access.outline().steps(),
    };
    // What a collection has set aside is up to its allocator.
    let cost = cost + 4 * u32::from(matches!(term.access.as_query(), Some((_, Query::Capacity))));
    cost + 2 * u32::try_from(steps.saturating_sub(2)).unwrap_or(0).min(4)
}

/// The number that a literal says at a glance, if that is 0 or 1.
fn glance(term: &Term) -> Option<u8> {
    match &term.access {
        Access::Literal(literal) => literal.glance,
        _ => None,
    }
}

/// Cost of an expression for what it is made of.
pub(super) fn expr_cost(expr: &Expr, pool: &Pool) -> u32 {
    let own = match expr {
        Expr::Term(term) => return term_cost(*term, pool),
        Expr::Not(_) => 2,
        Expr::And(..) | Expr::Arith(..) => AND,
        Expr::Or(..) => OR,
        Expr::Cmp(op, a, b) => 2 + awkwardness(*op, a, b, pool),
    };
    own + expr
        .children()
        .map(|child| expr_cost(child, pool))
        .sum::<u32>()
}

/// What a human would not write although it means the same.
fn awkwardness(op: CmpOp, a: &Expr, b: &Expr, pool: &Pool) -> u32 {
    let leaf = |expr: &Expr| match expr {
        Expr::Term(term) => pool.terms.get(*term),
        _ => None,
    };
    let literal = |expr: &Expr| leaf(expr).is_some_and(|term| term.constant.is_some());
    let query = |expr: &Expr| leaf(expr).is_some_and(|term| term.origin == Origin::Query);
    // A number of one type beside a number of another: signs and widths may surprise.
    let converted = |expr: &Expr| {
        let is = |term: &Term| term.reading == Reading::Converted && term.ty != Type::Bool;
        leaf(expr).is_some_and(is) && !literal(expr)
    };
    let mut cost = 0;
    if literal(a) {
        cost += 2;
    }
    if converted(a) || converted(b) {
        cost += 5;
    }
    if (query(a) || query(b)) && !literal(a) && !literal(b) {
        cost += 3;
    }
    match a.ty(pool) {
        Some(Type::F32 | Type::F64) if !op.orders() => cost += 2,
        Some(Type::Int(int)) if !int.signed() && literal(b) => {
            let needless = match leaf(b).and_then(glance) {
                Some(0) => matches!(op, CmpOp::Le | CmpOp::Ne),
                Some(1) => matches!(op, CmpOp::Lt | CmpOp::Ge),
                _ => false,
            };
            cost += 2 * u32::from(needless);
        }
        _ => {}
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Language;
    use crate::spec::{Int, IntType, Value};

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
            terms: terms.map(term).to_vec(),
        }
    }

    fn cmp(a: TermId, op: CmpOp, b: TermId) -> Expr {
        Expr::Term(a).cmp(op, Expr::Term(b))
    }

    #[test]
    fn what_a_human_writes_is_cheaper() {
        let ascending = [
            Expr::Term(1).not(),
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
