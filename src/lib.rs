//! `cargo nopol`: repairs the conditions of a Rust crate with a failing test. See
//! `docs/architecture.md`.

pub mod source;
pub mod spec;
pub mod synth;
