//! Edits of one operand of the original condition: another operand in its place, an offset, or other
//! arithmetic.

use nopol_expr::{ArithOp, CmpOp, Expr, Int, Pool, Reading, TermId, Type, Value};

use super::edits::{Edit, Rebuild};
use crate::kind::EditKind;
use crate::table::Table;
use crate::weights::WEIGHTS;
use crate::{atoms, rank};

/// Edits of an operand.
pub(super) fn operand(node: &Expr, table: &Table, rebuild: Rebuild, edits: &mut Vec<Edit>) {
    let pool = table.pool;
    let Some(ty) = node.ty(pool) else {
        return;
    };
    let mut push = |expr: Expr, cost: u32, kind: EditKind, extensible: bool| {
        edits.push(Edit {
            expr: rebuild(expr),
            cost,
            kind,
            extensible,
        });
    };
    let constant = matches!(node, Expr::Term(term) if atoms::is_constant(pool, *term));
    let fits = |term: &TermId| pool.terms[*term].ty == ty && !table.is_opaque(*term);
    let terms = pool.terms.keys().filter(fits);
    // A flag or a sign does not replace a number.
    let is_flag = |term: TermId| matches!(pool.terms[term].reading, Reading::Flag | Reading::Sign);
    let takes_flags = matches!(node, Expr::Term(old) if is_flag(*old));
    let terms = terms.filter(|term| takes_flags || !is_flag(*term));
    for term in terms.clone() {
        if *node == Expr::Term(term) || ty == Type::Bool && atoms::is_constant(pool, term) {
            continue;
        }
        if let Expr::Term(old) = node
            && let Some((before, after)) = other_operator(pool, *old, term)
        {
            let cost = WEIGHTS.edit.operator(before, after);
            push(Expr::Term(term), cost, EditKind::OperatorOfWhole, true);
            continue;
        }
        let (base, kind) = match node {
            // A named constant has a meaning; a number that fits today may not fit tomorrow.
            Expr::Term(old) if constant && is_named(pool, *old) && !is_named(pool, term) => {
                (WEIGHTS.edit.substitute, EditKind::NamedConstantReplaced)
            }
            Expr::Term(old) if constant && adjacent(pool, *old, term) => {
                (WEIGHTS.edit.next_constant, EditKind::ConstantOffByOne)
            }
            Expr::Term(old) if constant && is_named(pool, *old) => {
                (WEIGHTS.edit.named, EditKind::Constant)
            }
            _ if constant && atoms::is_constant(pool, term) => {
                (WEIGHTS.edit.constant, EditKind::Constant)
            }
            Expr::Term(old) if are_related(pool, *old, term) => {
                (WEIGHTS.edit.related_operand, EditKind::Operand)
            }
            _ => (WEIGHTS.edit.operand, EditKind::Operand),
        };
        push(
            Expr::Term(term),
            base + rank::term_cost(term, pool),
            kind,
            true,
        );
    }
    let Type::Int(int) = ty else {
        return;
    };
    if !constant {
        for term in terms {
            let one = is_one(pool, term);
            if *node == Expr::Term(term) || atoms::is_constant(pool, term) && !one {
                continue;
            }
            for op in [ArithOp::Add, ArithOp::Sub] {
                let (base, kind) = match one {
                    true => (WEIGHTS.edit.off_by_one, EditKind::OperandOffByOne),
                    false => (WEIGHTS.edit.summand, EditKind::OperandOffset(op)),
                };
                // Subtracting from an unsigned number may overflow.
                let risk = WEIGHTS.edit.unsigned_difference
                    * u32::from(op == ArithOp::Sub && !int.signed());
                let cost = base + risk + rank::term_cost(term, pool);
                push(node.clone().arith(op, Expr::Term(term)), cost, kind, one);
            }
        }
    }
    if let Expr::Arith(op, a, b) = node {
        for new in [
            ArithOp::Add,
            ArithOp::Sub,
            ArithOp::Mul,
            ArithOp::Div,
            ArithOp::Rem,
        ] {
            if new != *op {
                let expr = Expr::Arith(new, a.clone(), b.clone());
                push(
                    expr,
                    WEIGHTS.edit.operand,
                    EditKind::ArithmeticOperator,
                    true,
                );
            }
        }
        for part in [a, b] {
            push(
                (**part).clone(),
                WEIGHTS.edit.operand,
                EditKind::ArithmeticDropped,
                true,
            );
        }
        let (left, right) = ((**a).clone(), (**b).clone());
        operand(
            a,
            table,
            &|new| rebuild(new.arith(*op, right.clone())),
            edits,
        );
        operand(
            b,
            table,
            &|new| rebuild(left.clone().arith(*op, new)),
            edits,
        );
    }
}

/// Whether two terms read the same member of two values, or two members of one value.
fn are_related(pool: &Pool, a: TermId, b: TermId) -> bool {
    let [a, b] = [a, b].map(|term| pool.terms[term].access.outline());
    match (a.around_last_member(), b.around_last_member()) {
        (Some((of_a, a)), Some((of_b, b))) => of_a == of_b || a == b,
        _ => false,
    }
}

/// Whether a constant is a name rather than a literal.
fn is_named(pool: &Pool, term: TermId) -> bool {
    pool.terms[term].access.outline().begins_with_name()
}

/// The operators of two terms that are whole comparisons of the same operands.
fn other_operator(pool: &Pool, a: TermId, b: TermId) -> Option<(CmpOp, CmpOp)> {
    let comparison = |term: TermId| pool.terms[term].access.as_comparison();
    let ((before, a, b), (after, c, d)) = (comparison(a)?, comparison(b)?);
    ((a, b) == (c, d) && before != after).then_some((before, after))
}

/// Whether a term is the literal 1.
fn is_one(pool: &Pool, term: TermId) -> bool {
    let one = Int::from_u128(1);
    matches!(&pool.terms[term].constant, Some(Value::Int(_, value)) if *value == one)
}

/// Whether two literals are neighbouring integers.
fn adjacent(pool: &Pool, a: TermId, b: TermId) -> bool {
    let one = Int::from_u128(1);
    match (&pool.terms[a].constant, &pool.terms[b].constant) {
        (Some(Value::Int(_, a)), Some(Value::Int(_, b))) => {
            a.checked(ArithOp::Add, one) == Some(*b) || b.checked(ArithOp::Add, one) == Some(*a)
        }
        _ => false,
    }
}
