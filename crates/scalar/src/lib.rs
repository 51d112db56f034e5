//! Scalars of C and Rust: integer types, operators, how tightly operators bind, and what they compute. Conditions, programs,
//! formulas and heaps are all made of these, so that a rule of the machine stands once.
//!
//! [`arithmetic`] says what machines compute. Circuits (`nopol_formula`) and bit-vectors (`nopol_synth`) encode the same rules
//! for solvers, and tests hold them against it; `tests/compilers.rs` holds it against rustc and gcc.

pub mod arithmetic;
mod binding;
mod int;
mod kind;
mod operator;

pub use arithmetic::{Number, Overflow};
pub use binding::{Binding, Grammar, Precedence};
pub use int::{Int, IntType};
pub use kind::IntKind;
pub use operator::{ArithOp, BinaryOp, CmpOp, LogicalOp};
