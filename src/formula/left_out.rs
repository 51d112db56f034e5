//! Tests that no formula is made of.

use serde::Serialize;

use nopol_basics::count;

/// That none is left, and what to do.
pub const NONE_LEFT: &str =
    "no formula can be made of any test; `localize` and `repair` only run the tests";

/// That the others pass, and what that says.
pub const NONE_FAILS: &str = "all tests that are not left out pass; it is not known whether the others fail: \
     `localize` and `repair` run them, too";

/// A test that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub test: String,
    /// Why, as the rest of a sentence.
    pub reason: String,
}

/// The most tests that are named for one reason.
const MOST_NAMED: usize = 10;

/// What is said of them: one sentence for each reason, in the order in which they came up.
pub fn sentences(left_out: &[LeftOut]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for LeftOut { test, reason } in left_out {
        match reasons.iter_mut().find(|(it, _)| it == reason) {
            Some((_, tests)) => tests.push(test),
            None => reasons.push((reason, vec![test])),
        }
    }
    let sentence = |(reason, tests): (&str, Vec<&str>)| {
        let named: Vec<String> = tests
            .iter()
            .take(MOST_NAMED)
            .map(|test| format!("`{test}`"))
            .collect();
        let others = tests.len() - named.len();
        let all = match named.split_last() {
            _ if others > 0 => format!("{} and {}", named.join(", "), count(others, "other test")),
            Some((last, before)) if !before.is_empty() => {
                format!("{} and {last}", before.join(", "))
            }
            _ => named.concat(),
        };
        let are = if tests.len() == 1 { "is" } else { "are" };
        format!("{all} {are} left out: {reason}")
    };
    reasons.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::{LeftOut, sentences};

    #[test]
    fn tests_that_are_left_out_for_one_reason_share_a_sentence() {
        let left_out = [
            ("a", "x"),
            ("b", "y"),
            ("c", "x"),
            ("d", "z"),
            ("e", "x"),
            ("f", "z"),
        ];
        let left_out = left_out.map(|(test, reason)| LeftOut {
            test: test.to_owned(),
            reason: reason.to_owned(),
        });
        assert_eq!(
            sentences(&left_out),
            [
                "`a`, `c` and `e` are left out: x",
                "`b` is left out: y",
                "`d` and `f` are left out: z",
            ]
        );
    }
}
