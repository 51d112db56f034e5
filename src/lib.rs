//! `cargo nopol`: repairs the conditions of a Rust crate with a failing test. See
//! `docs/architecture.md`.

pub mod check;
pub mod cli;
pub mod contexts;
pub mod copy;
pub mod exchange;
pub mod hash;
pub mod localize;
pub mod patch;
pub mod paths;
pub mod probe;
pub mod repair;
pub mod report;
pub mod run;
pub mod source;
pub mod spec;
pub mod subject;
pub mod synth;
pub mod weights;
