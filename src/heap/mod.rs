//! Repairs programs that manipulate linked structures: Wolverine2 (`papers/wolverine2.txt`).
//!
//! A function is lowered to guarded statements ([`ir`], [`lower`]) and run on memory graphs ([`state`], [`machine`]).

pub mod batch;
pub mod benchmark;
pub mod confine;
pub mod encode;
pub mod gdb;
pub mod inject;
pub mod ir;
pub mod load;
pub mod localize;
pub mod lower;
pub mod machine;
pub mod memory;
mod outline;
pub mod notation;
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
