//! Programs of a stated subset of C and Rust.
//!
//! A front end ([`front`]) translates a program to the IR ([`ir`]). The interpreter ([`interpret`]) runs it and is the judge
//! of everything that others compute from the IR.

pub mod front;
pub mod interpret;
pub mod ir;
pub mod order;
pub mod position;
pub mod shown;
pub mod text;
pub mod visit;
pub mod written;
