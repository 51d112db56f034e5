//! How the search treats Rust crates.

use std::time::Duration;

use crate::source::policies::{FormatTool, Policies};

/// See the fields' own documentation.
pub const POLICIES: Policies = Policies {
    passing_tests_say_little: false,
    // What is captured is safe Rust, and a panic there is caught.
    captures_may_be_undefined: false,
    // Every loop burns fuel.
    least_timeout: Duration::from_secs(2),
    formatter: Some(FormatTool::Rustfmt),
};
