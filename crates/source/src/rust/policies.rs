//! How the search treats Rust crates.

use std::time::Duration;

use crate::policies::{FormatTool, Policies};

/// See the documentation of the fields.
pub const POLICIES: Policies = Policies {
    passing_tests_are_weak_evidence: false,
    // Captures are safe Rust, and their panics are caught.
    captures_may_be_undefined: false,
    compiles_incrementally: true,
    // Every loop uses fuel.
    min_timeout: Duration::from_secs(2),
    compilers_warn_of_bare_conjunctions: false,
    tests_call_functions: true,
    formatter: Some(FormatTool::Rustfmt),
};
