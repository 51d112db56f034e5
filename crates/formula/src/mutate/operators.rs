//! Which operators may stand in for another one: Table 1 of AllRepair, and a third level.

use nopol_program::ir::BinaryOp::{
    self, Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor,
};
use nopol_program::ir::{Expr, ExprKind, Variant};

/// How many mutations there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Operators of the same kind (Table 1, level 1).
    One,
    /// More operators, and constants (Table 1, level 2).
    Two,
    /// Also other variables and constants, and conditions negated or with a clause removed. Not in the papers.
    Three,
}

type Sets = &'static [&'static [BinaryOp]];

const BITWISE: Sets = &[&[Shl, Shr], &[And, Or, Xor]];
const FIRST: Sets = &[&[Add, Sub], &[Mul, Div, Rem], &[Gt, Ge], &[Lt, Le]];
const SECOND: Sets = &[&[Add, Sub, Mul, Div, Rem], &[Gt, Ge, Lt, Le], &[Eq, Ne]];
const THIRD: Sets = &[&[Add, Sub, Mul, Div, Rem], &[Gt, Ge, Lt, Le, Eq, Ne]];

/// The operators that may stand in for this one.
pub fn others(op: BinaryOp, level: Level) -> impl Iterator<Item = BinaryOp> {
    let sets = match level {
        Level::One => FIRST,
        Level::Two => SECOND,
        Level::Three => THIRD,
    };
    let set = sets.iter().chain(BITWISE).find(|set| set.contains(&op));
    let set = set.copied().unwrap_or_default();
    set.iter().copied().filter(move |other| *other != op)
}

/// The least level that has a mutation of an expression.
pub fn level_of(expr: &Expr, variant: &Variant) -> Level {
    match (variant, &expr.kind) {
        (Variant::Operator(new), ExprKind::Binary(old, ..)) => [Level::One, Level::Two]
            .into_iter()
            .find(|level| others(*old, *level).any(|other| other == *new))
            .unwrap_or(Level::Three),
        (Variant::Connective, _) => Level::One,
        (Variant::Instead(new), ExprKind::Constant(_)) => match new.kind {
            ExprKind::Constant(_) => Level::Two,
            _ => Level::Three,
        },
        (Variant::Opposite, ExprKind::Cast(_)) => Level::Two,
        _ => Level::Three,
    }
}
