//! Repairs heap programs by their tests: `cargo nopol heap`.

pub mod batch;
