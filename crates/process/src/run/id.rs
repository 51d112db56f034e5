//! Names of tests and of the targets that contain them.

use std::fmt;

/// A test target of the subject, as cargo names it. The targets of a C program have no package.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId {
    /// The package's name.
    pub package: String,
    /// The target's name.
    pub target: String,
    /// `lib`, `bin` or `test`.
    pub kind: String,
}

/// A test, by name. Displayed as `PACKAGE::TARGET::NAME`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestId {
    /// The target that has the test.
    pub target: TargetId,
    /// Its name in that target.
    pub name: String,
}

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TargetId {
            package, target, ..
        } = &self.target;
        match package.is_empty() {
            true => write!(f, "{}", self.name),
            false => write!(f, "{package}::{target}::{}", self.name),
        }
    }
}

impl TestId {
    /// Whether `[PKG::][TARGET::]NAME` denotes this test; leading modules of the name may be omitted.
    pub fn matches(&self, wanted: &str) -> bool {
        let of_package = format!("{}::{}", self.target.package, self.name);
        let is_end_of = |text: &str| {
            text.strip_suffix(wanted)
                .is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        is_end_of(&self.to_string()) || wanted == of_package
    }
}
