//! Everything but the fixtures and the hostile subjects, as one program: each more would link the crate again.

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod c_bad_input;
mod c_header;
mod c_init;
mod explain;
mod invariants;
mod semantics;
mod setup;
mod shapes;
mod synth;
mod transcripts;
