//! Contexts near observed rows: one or two variables of a row are changed to a simple value or to the value of
//! another variable. This finds most differences without the solver, and the ones that are easy to read.

use nopol_expr::{ArithOp, Expr, Int, IntType, Pool, Row, TermId, Type, Value};

use super::pair::{Counterexample, Pair};
use crate::limits;

/// The first difference found, changing one variable before two.
pub(super) fn difference(pair: &Pair) -> Option<Counterexample> {
    let rows = || pair.rows.iter().take(limits::NEAR_ROWS);
    let one = rows().find_map(|row| {
        let mut changed = pair.varied.iter();
        changed.find_map(|term| {
            values(pair, row, *term).find_map(|value| tried(pair, row, &[(*term, value)]))
        })
    });
    one.or_else(|| rows().find_map(|row| two(pair, row)))
}

fn two(pair: &Pair, row: &Row) -> Option<Counterexample> {
    for (at, a) in pair.varied.iter().enumerate() {
        let of_a: Vec<Value> = values(pair, row, *a).take(limits::FEW_VALUES).collect();
        for b in &pair.varied[at + 1..] {
            let of_b: Vec<Value> = values(pair, row, *b).take(limits::FEW_VALUES).collect();
            for x in &of_a {
                for y in &of_b {
                    let changes = [(*a, x.clone()), (*b, y.clone())];
                    if let Some(context) = tried(pair, row, &changes) {
                        return Some(context);
                    }
                }
            }
        }
    }
    None
}

/// The difference in the changed row, if the row satisfies the axioms.
fn tried(pair: &Pair, row: &Row, changes: &[(TermId, Value)]) -> Option<Counterexample> {
    let mut row = row.clone();
    for (term, value) in changes {
        row.values_mut()[*term] = Some(value.clone());
        for tied in pair.tied.iter().filter(|tied| tied.contains(term)) {
            for term in tied {
                row.values_mut()[*term] = Some(value.clone());
            }
        }
    }
    let possible = pair.axioms.iter().all(|axiom| axiom.holds(&row));
    pair.context(&row).filter(|_| possible)
}

/// Other values for a variable that is defined in the row: those of variables and literals of its type, their
/// neighbours, and simple values.
fn values<'p>(pair: &'p Pair, row: &'p Row, term: TermId) -> impl Iterator<Item = Value> + 'p {
    let terms = &pair.pool.terms;
    let ty = terms[term].ty;
    let own = row.values[term].as_ref();
    let literals = pair.exprs.iter().flat_map(|expr| expr.terms());
    let literals = literals.filter_map(|literal| terms[literal].constant.clone());
    let peers = pair.used.iter().filter(move |peer| **peer != term);
    let peers = peers.filter_map(|peer| row.values[*peer].clone());
    let near: Vec<Value> = peers
        .chain(literals)
        .filter(|value| value.ty() == ty)
        .collect();
    let around = near.into_iter().flat_map(|value| {
        let neighbours = [1, -1].map(|step| neighbour(&value, step));
        std::iter::once(value).chain(neighbours.into_iter().flatten())
    });
    let candidates = around.chain(simple(ty));
    candidates.filter(move |value| own.is_some_and(|own| own != value))
}

fn neighbour(value: &Value, step: i128) -> Option<Value> {
    match value {
        Value::Int(ty, number) => {
            let next = number.checked(ArithOp::Add, Int::from_i128(step))?;
            next.fits(*ty).then_some(Value::Int(*ty, next))
        }
        Value::F64(bits) => Some(Value::F64((f64::from_bits(*bits) + step as f64).to_bits())),
        Value::F32(bits) => Some(Value::F32((f32::from_bits(*bits) + step as f32).to_bits())),
        _ => None,
    }
}

fn simple(ty: Type) -> Vec<Value> {
    match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Int(int) => {
            let numbers = [0, 1, 2, -1].map(Int::from_i128).into_iter();
            let mut simple: Vec<Int> = numbers.filter(|number| number.fits(int)).collect();
            simple.extend(extremes(int));
            simple
                .into_iter()
                .map(|number| Value::Int(int, number))
                .collect()
        }
        Type::F32 => [0.0, 1.0, -1.0, f32::NAN]
            .map(|x| Value::F32(x.to_bits()))
            .to_vec(),
        Type::F64 => [0.0, 1.0, -1.0, f64::NAN]
            .map(|x| Value::F64(x.to_bits()))
            .to_vec(),
        Type::Char => ['a', ' '].map(Value::Char).to_vec(),
        Type::Str => ["", "a"].map(|text| Value::Str(text.into())).to_vec(),
    }
}

fn extremes(int: IntType) -> [Int; 2] {
    let [least, greatest] = int.bounds();
    [greatest, least]
}

/// Whether a condition multiplies or divides by anything but a power of two. This is intractable for bit-vectors
/// of machine width, and z3's limit does not count the work.
pub(super) fn is_hard(expr: &Expr, pool: &Pool) -> bool {
    is_hard_itself(expr, pool) || expr.children().any(|child| is_hard(child, pool))
}

/// The same of the outermost operator alone.
pub(super) fn is_hard_itself(expr: &Expr, pool: &Pool) -> bool {
    match expr {
        Expr::Arith(ArithOp::Mul | ArithOp::Div | ArithOp::Rem, a, b) => {
            let wide = !matches!(a.ty(pool), Some(Type::Int(IntType::I8 | IntType::U8)));
            wide && !is_power_of_two(b, pool)
        }
        _ => false,
    }
}

/// Whether it is a literal that is a power of two.
pub(super) fn is_power_of_two(expr: &Expr, pool: &Pool) -> bool {
    match expr {
        Expr::Term(term) => match &pool.terms[*term].constant {
            Some(Value::Int(_, number)) => {
                let number = number
                    .to_i128()
                    .and_then(|number| u128::try_from(number).ok());
                number.is_some_and(u128::is_power_of_two)
            }
            _ => false,
        },
        _ => false,
    }
}
