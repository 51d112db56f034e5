//! Everything but the fixtures and the hostile subjects, as one program: each more would link the crate again.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../common/mod.rs"]
mod common;

mod action;
mod bad_input;
mod beside;
mod book;
mod c_bad_input;
mod c_builds;
mod c_config;
mod c_header;
mod c_header_forced;
mod c_init;
mod cargo_flags;
mod causes;
mod chance;
mod config;
mod endless;
mod evidence;
mod explain;
mod faults;
mod formula;
mod github;
mod heap;
mod heap_calls;
mod heap_claims;
mod heap_freed;
mod heap_large;
mod heap_names;
mod heap_patches;
mod heap_programs;
mod heap_repair;
mod heap_session;
mod help;
mod injection;
mod invariants;
mod last;
#[path = "../../crates/debug/tests/it/limited.rs"]
mod limited;
mod messages;
mod moved;
mod mutants;
mod mutants_rust;
mod mutate;
mod mutate_memory;
mod mutate_proofs;
mod mutate_tried;
mod mutate_values;
mod nextest;
mod not_examined;
mod numbers;
mod other_program;
mod overflow;
mod page;
mod ranking;
mod remarks;
mod reports;
mod review;
mod run;
mod semantics;
mod served;
mod setup;
mod shapes;
mod shards;
mod signals;
mod strangers;
mod synth;
mod transcripts;
mod warm;
mod with_test;
mod written;
