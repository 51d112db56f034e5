//! Repairs programs that manipulate linked structures: Wolverine2 (`papers/wolverine2.txt`).
//!
//! A function is lowered to guarded statements ([`ir`], [`lower`]) and run on memory graphs ([`state`], [`machine`]).

pub mod batch;
pub mod benchmark;
pub mod closeness;
pub mod confine;
#[cfg(feature = "z3")]
pub mod encode;
#[cfg(not(feature = "z3"))]
#[path = "encode_stub.rs"]
pub mod encode;
pub mod gdb;
pub mod inject;
pub mod ir;
pub mod load;
pub mod localize;
pub mod lower;
pub mod machine;
pub mod memory;
pub mod notation;
mod outline;
pub mod patch;
pub mod picture;
pub mod problem;
pub mod record;
pub mod repair;
pub mod rewrite;
pub mod session;
pub mod space;
pub mod state;
#[cfg(test)]
mod tests;

/// The name of what a function returns, in states.
pub const RESULT: &str = "return";
