//! How the search treats C programs.

use std::time::Duration;

use crate::source::policies::Policies;

/// See the fields' own documentation.
pub const POLICIES: Policies = Policies {
    passing_tests_say_little: true,
    // Any expression that type-checks can read beyond an array or through a null pointer.
    captures_may_be_undefined: true,
    // Loops made of `goto` may burn no fuel, and sanitizers slow everything down.
    least_timeout: Duration::from_secs(5),
    formatter: None,
};
