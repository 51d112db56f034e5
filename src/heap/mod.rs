//! Repairs heap programs by their tests: `cargo nopol heap`.

pub mod batch;
pub mod by_tests;
pub mod specification;
