//! The `cargo-nopol` binary.

fn main() {}
