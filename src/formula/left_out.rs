//! Tests that no formula is made of.

use serde::Serialize;

/// That none is left, and what to do.
pub const NONE_LEFT: &str =
    "no formula can be made of any test; `localize` and `repair` only run the tests";

/// A test that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub test: String,
    /// Why, as the rest of a sentence.
    pub reason: String,
}

/// What is said of them: one sentence for each reason, in the order in which they came up.
pub fn sentences(left_out: &[LeftOut]) -> Vec<String> {
    let mut reasons: Vec<(&LeftOut, usize)> = Vec::new();
    for test in left_out {
        match reasons.iter_mut().find(|(it, _)| it.reason == test.reason) {
            Some((_, others)) => *others += 1,
            None => reasons.push((test, 0)),
        }
    }
    let sentence = |(LeftOut { test, reason }, others): (&LeftOut, usize)| match others {
        0 => format!("`{test}` is left out: {reason}"),
        1 => format!("`{test}` and another test are left out: {reason}"),
        _ => format!("`{test}` and {others} other tests are left out: {reason}"),
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
                "`a` and 2 other tests are left out: x",
                "`b` is left out: y",
                "`d` and another test are left out: z",
            ]
        );
    }
}
