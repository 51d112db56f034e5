//! How the search treats C programs.

use std::time::Duration;

use crate::policies::Policies;

/// See the documentation of the fields.
pub const POLICIES: Policies = Policies {
    passing_tests_are_weak_evidence: true,
    // An expression that type-checks can still read past an array or through a null pointer.
    captures_may_be_undefined: true,
    compiles_incrementally: false,
    // Loops made with `goto` may use no fuel, and sanitizers slow everything down.
    min_timeout: Duration::from_secs(5),
    compilers_warn_of_bare_conjunctions: true,
    tests_call_functions: false,
    formatter: None,
};
