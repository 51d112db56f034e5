//! Short names of tests for people: without package and target if the rest is unique in the run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The names of a run's tests in reports for people. Formats for programs use the whole names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestNames(BTreeMap<String, String>);

impl TestNames {
    /// Chooses names from pairs of the whole name, `PACKAGE::TARGET::NAME`, and the name within the target. The name
    /// within the target is enough if `--failing` would match only this test by it.
    pub fn new(tests: impl IntoIterator<Item = (String, String)>) -> Self {
        let tests: Vec<(String, String)> = tests.into_iter().collect();
        let mut with_end: BTreeMap<&str, u32> = BTreeMap::new();
        for end in tests.iter().flat_map(|(whole, _)| ends(whole)) {
            *with_end.entry(end).or_default() += 1;
        }
        let is_enough = |(_, name): &&(String, String)| with_end.get(&**name) == Some(&1);
        Self(tests.iter().filter(is_enough).cloned().collect())
    }

    /// The short name of the test with this whole name.
    pub fn short<'n>(&'n self, whole: &'n str) -> &'n str {
        self.0.get(whole).map_or(whole, String::as_str)
    }

    /// A sentence in which test names between backticks are shortened.
    pub fn in_sentence(&self, text: &str) -> String {
        let parts: Vec<&str> = text.split('`').map(|part| self.short(part)).collect();
        parts.join("`")
    }
}

/// A path, and all its suffixes after `::`.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    let after = path.match_indices("::").map(|(at, _)| &path[at + 2..]);
    std::iter::once(path).chain(after)
}

#[cfg(test)]
mod tests {
    use super::TestNames;

    fn names(tests: &[(&str, &str)]) -> TestNames {
        let whole = |(target, name): &(&str, &str)| (format!("{target}::{name}"), name.to_string());
        TestNames::new(tests.iter().map(whole))
    }

    #[test]
    fn a_unique_name_is_short() {
        let names = names(&[("a::a", "tests::one"), ("a::a", "tests::two")]);
        assert_eq!(names.short("a::a::tests::one"), "tests::one");
        assert_eq!(
            names.in_sentence("`a::a::tests::two` fails, not a::a::tests::one"),
            "`tests::two` fails, not a::a::tests::one"
        );
    }

    #[test]
    fn an_ambiguous_name_is_whole() {
        let names = names(&[
            ("a::a", "tests::one"),
            ("a::more", "tests::one"),
            ("a::a", "two"),
            ("a::more", "tests::two"),
        ]);
        assert_eq!(names.short("a::a::tests::one"), "a::a::tests::one");
        assert_eq!(names.short("a::a::two"), "a::a::two");
        assert_eq!(names.short("a::more::tests::two"), "tests::two");
        assert_eq!(names.short("unknown"), "unknown");
    }
}
