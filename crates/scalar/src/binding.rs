//! How tightly operators bind in C and in Rust, which agree on all but the bitwise ones.

use super::operator::{ArithOp, BinaryOp, LogicalOp};

/// Whose grammar it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// C's.
    C,
    /// Rust's.
    Rust,
}

/// How tightly a term binds as an operand, loosest first: as far as conditions need to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// `||`.
    Or,
    /// `&&`; in C also `|`, `^` and `&`, which are looser than a comparison there.
    And,
    /// A comparison.
    Compare,
    /// `<<`, and in Rust `|`, `^` and `&`: tighter than a comparison, looser than arithmetic.
    Bits,
    /// `+`, `-`.
    Add,
    /// `*`, `/`, `%`.
    Mul,
    /// A cast.
    Cast,
    /// A prefix operator.
    Unary,
    /// A name, literal, call, field, index or parenthesised expression.
    Atom,
}

impl Binding {
    /// That of an operator.
    pub const fn of(op: BinaryOp, grammar: Grammar) -> Self {
        match op {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Self::Mul,
            BinaryOp::Add | BinaryOp::Sub => Self::Add,
            BinaryOp::Shl | BinaryOp::Shr => Self::Bits,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => match grammar {
                Grammar::C => Self::And,
                Grammar::Rust => Self::Bits,
            },
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Self::Compare,
        }
    }

    /// That of a connective, in both grammars.
    pub const fn of_logical(op: LogicalOp) -> Self {
        match op {
            LogicalOp::And => Self::And,
            LogicalOp::Or => Self::Or,
        }
    }
}

impl ArithOp {
    /// How tightly it binds, in both grammars.
    pub const fn binding(self) -> Binding {
        Binding::of(self.binary(), Grammar::Rust)
    }
}

/// Exactly how tightly an operator binds in each grammar: a larger number binds more tightly. Texts that are written for both
/// languages alike need both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precedence {
    c: u8,
    rust: u8,
}

impl Precedence {
    /// That of an operator with one operand, which no other one binds more tightly than.
    pub const TIGHTEST: Self = Self::both(20);
    /// That of `condition ? a : b`, which every operator binds more tightly than.
    pub const LOOSEST: Self = Self::both(0);

    const fn both(level: u8) -> Self {
        Self {
            c: level,
            rust: level,
        }
    }

    /// That of an operator.
    pub const fn of(op: BinaryOp) -> Self {
        let (c, rust) = match op {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => (10, 10),
            BinaryOp::Add | BinaryOp::Sub => (9, 9),
            BinaryOp::Shl | BinaryOp::Shr => (8, 8),
            BinaryOp::And => (5, 7),
            BinaryOp::Xor => (4, 6),
            BinaryOp::Or => (3, 5),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (7, 4),
            BinaryOp::Eq | BinaryOp::Ne => (6, 4),
        };
        Self { c, rust }
    }

    /// That of a connective.
    pub const fn of_logical(op: LogicalOp) -> Self {
        match op {
            LogicalOp::And => Self::both(2),
            LogicalOp::Or => Self::both(1),
        }
    }

    /// The level in one grammar.
    pub const fn level(self, grammar: Grammar) -> u8 {
        match grammar {
            Grammar::C => self.c,
            Grammar::Rust => self.rust,
        }
    }

    /// Whether an operation may stand without parentheses where one that binds like this is around it: in both languages,
    /// and of the same connective on both sides, as it does not matter where that begins.
    pub const fn is_bare_within(self, around: Self) -> bool {
        let is_connective = self.c <= 2;
        let is_same = self.c == around.c && self.rust == around.rust;
        self.c > around.c && self.rust > around.rust || is_connective && is_same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_precedences_told_less_exactly() {
        for grammar in [Grammar::C, Grammar::Rust] {
            let operators = BinaryOp::ALL
                .map(|op| (Precedence::of(op).level(grammar), Binding::of(op, grammar)));
            let connectives = [LogicalOp::And, LogicalOp::Or].map(|op| {
                (
                    Precedence::of_logical(op).level(grammar),
                    Binding::of_logical(op),
                )
            });
            let all = [&operators[..], &connectives].concat();
            for (level, binding) in &all {
                for (other, of_other) in &all {
                    assert!(
                        level >= other || binding <= of_other,
                        "{binding:?} {of_other:?}"
                    );
                }
            }
        }
    }
}
