//! Repairs programs that manipulate linked structures: Wolverine2.
//!
//! A function is lowered to guarded statements ([`ir`], [`lower`]) and run on memory graphs ([`state`], [`memory`], [`machine`]).
//! What it must fulfil are Hoare triples between states ([`problem`], [`effect`]), which come from recorded runs ([`load`], [`record`]), from
//! text ([`notation`]) or from a session in gdb. Where one fails, [`localize`] says which statements
//! may be to blame, [`narrow`] which of them alone can be, [`space`] what they may become, [`encode`] makes that a formula, [`repair`] searches in it, and [`confine`]
//! decides where. The result is a [`patch`]. [`rewrite`] writes it in the notation of a [`dialect`], and [`written`] shows it. [`benchmark`] and [`inject`] make faulty programs.

pub mod accept;
pub mod benchmark;
pub mod closeness;
pub mod confine;
mod dialect;
pub mod effect;
#[cfg(feature = "z3")]
pub mod encode;
#[cfg(not(feature = "z3"))]
#[path = "encode_stub.rs"]
pub mod encode;
pub mod fate;
pub mod inject;
pub mod ir;
mod likely;
pub mod load;
pub mod localize;
pub mod lower;
pub mod machine;
pub mod memory;
pub mod narrow;
pub mod notation;
mod outline;
pub mod patch;
pub mod place;
pub mod problem;
pub mod record;
pub mod repair;
pub mod rewrite;
pub mod space;
pub mod state;
pub mod trial;
pub mod until;
pub mod written;

/// The name of what a function returns, in states.
pub const RESULT: &str = "return";
