//! Tests that are not turned into formulas, and functions.

use serde::Serialize;

use nopol_basics::{agree, count};
use nopol_program::front::c::main_of;
use nopol_program::ir::{Outside, Program};
use nopol_program::visit::reached;

use crate::report::Ended;

/// The message if all other tests pass, with what is not known then.
const NONE_FAILS: &str = "all examined tests pass. Some were left out, and may fail: \
     `localize` and `repair` run those, too";

/// What is not known if a crate has documentation, because its examples are tests, too.
const EXAMPLES: &str = "and doctests are not examined (`cargo test --doc` runs them). To examine one, copy its code into a `#[test]`";

/// How a search ends if no test fails, and the message. `tests` counts the tests that were run; `chosen` says which count, if
/// not all do; `work` is the verb for what the command does if one fails.
pub fn nothing(
    tests: usize,
    are_left_out: bool,
    may_have_examples: bool,
    chosen: &str,
    work: &str,
) -> (Ended, String) {
    let text = match (tests, are_left_out) {
        (0, true) => format!(
            "no test{chosen} can be expressed as a formula. Use `repair` or `localize`: they run the tests instead"
        ),
        (_, true) => NONE_FAILS.to_owned(),
        (0, false) if may_have_examples => format!("there are no `#[test]`s, {EXAMPLES}"),
        (0, false) => {
            format!("there are no tests{chosen}: nothing says what the code should do")
        }
        (_, false) if may_have_examples => format!("all `#[test]`s{chosen} pass, {EXAMPLES}"),
        (_, false) => format!("all tests{chosen} pass: there is nothing to {work}"),
    };
    let is_known = tests > 0 && !are_left_out && !may_have_examples;
    let ended = match is_known {
        true => Ended::Correct,
        false => Ended::Outside,
    };
    (ended, text)
}

/// The same where the user names the tests that count, and all of them pass.
pub fn nothing_of(only: &[String], work: &str) -> String {
    let named: Vec<String> = only.iter().map(|test| format!("`{test}`")).collect();
    let (pass, them) = match only.len() {
        1 => ("passes", "it"),
        _ => ("pass", "them"),
    };
    format!(
        "{} {pass}: there is nothing to {work} for {them}; no other test was run (--only)",
        named.join(", ")
    )
}

/// A test that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub test: String,
    /// Why, as the rest of a sentence.
    pub reason: String,
}

/// The most tests or functions that are named for one reason.
const MOST_NAMED: usize = 10;

/// The sentences about them: one for each reason, in the order in which the reasons came up.
pub fn sentences(left_out: &[LeftOut]) -> Vec<String> {
    let tests = left_out
        .iter()
        .map(|LeftOut { test, reason }| (reason.clone(), &**test));
    let sentence = |(reason, tests): (String, Vec<&str>)| {
        let are = agree(tests.len(), "is", "are");
        format!("{} {are} left out: {reason}", all(&tests, "other test"))
    };
    by_reason(tests).into_iter().map(sentence).collect()
}

/// Why a test is left out that runs into a function that cannot be read.
pub fn runs_into(program: &Program, outside: &Outside) -> String {
    let functions = program.functions.iter_enumerated();
    let mut functions = functions.filter(|(id, _)| program.opaque(*id) == Some(outside));
    match functions.next() {
        Some((_, function)) => format!(
            "`{}` is called, but is not supported: {outside}",
            function.name
        ),
        None => outside.to_string(),
    }
}

/// Whether runs of a C program's tests might come to a function that cannot be read.
pub fn has_unread(program: &Program) -> bool {
    !functions(program, &[]).is_empty()
}

/// Sentences about these functions, except for those for which tests are left out.
pub fn functions(program: &Program, left_out: &[LeftOut]) -> Vec<String> {
    let reached = reached(program, main_of(program).into_iter().collect()).functions;
    let functions = program.functions.iter_enumerated();
    let functions = functions.filter_map(|(id, function)| {
        let outside = program.opaque(id).filter(|_| reached.contains(&id))?;
        let reason = runs_into(program, outside);
        let is_named = left_out.iter().any(|test| test.reason == reason);
        (!is_named).then(|| (outside.to_string(), &*function.name))
    });
    let sentence = |(reason, functions): (String, Vec<&str>)| {
        let all = all(&functions, "other function");
        let them = agree(functions.len(), "it", "them");
        format!("{all} and runs that enter {them} are not examined: {reason}")
    };
    by_reason(functions).into_iter().map(sentence).collect()
}

/// The names that share a reason.
fn by_reason<'n>(names: impl Iterator<Item = (String, &'n str)>) -> Vec<(String, Vec<&'n str>)> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for (reason, name) in names {
        match reasons.iter_mut().find(|(it, _)| *it == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    reasons
}

/// All of them, but not too many by their names.
fn all(names: &[&str], other: &str) -> String {
    let named = names.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|name| format!("`{name}`")).collect();
    let others = names.len() - named.len();
    match named.split_last() {
        _ if others > 0 => format!("{} and {}", named.join(", "), count(others, other)),
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => named.concat(),
    }
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
