//! How much stack the threads of an instrumented program get. Instrumentation makes stack frames larger, and a test
//! that recurses as deeply as its stack allows would overflow.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::lock;

/// Names the bytes of a thread's stack to Rust's standard library.
const VARIABLE: &str = "RUST_MIN_STACK";
/// Tells what a thread would get without instrumentation.
const WITHOUT: &str = "NOPOL_USUAL_STACK";
/// The stack of a thread by default.
const USUAL: u64 = 2 << 20;
/// Frames of instrumented functions are so many times larger at most; pages that are not touched cost nothing.
const LARGER: u64 = 8;
/// A size that is set explicitly is not raised above this, because address space is limited.
const AMPLE: u64 = 64 << 20;

/// Lets the threads of an instrumented program have more stack, given the variables of its binary.
pub fn enlarge(env: &mut Vec<(String, String)>) {
    let own = env.iter().find(|(name, _)| name == VARIABLE);
    let own = own.map(|(_, value)| value.clone());
    let value = own.or_else(|| std::env::var(VARIABLE).ok());
    let usual: u64 = value.and_then(|it| it.parse().ok()).unwrap_or(USUAL);
    let larger = usual.saturating_mul(LARGER).min(usual.max(AMPLE));
    env.retain(|(name, _)| name != VARIABLE);
    env.push((VARIABLE.to_owned(), larger.to_string()));
    env.push((WITHOUT.to_owned(), usual.to_string()));
}

/// Tests that crash without instrumentation. With more stack, one that needs too much of it might pass.
#[derive(Debug, Default)]
pub struct Crashing(Mutex<BTreeSet<String>>);

impl Crashing {
    /// From now on these tests are among them.
    pub fn add(&self, tests: impl IntoIterator<Item = String>) {
        lock(&self.0).extend(tests);
    }

    /// The variable that gives a test back what it has without instrumentation, if it crashes.
    pub fn variable(&self, test: &str, of_binary: &[(String, String)]) -> Option<(String, String)> {
        let (_, usual) = of_binary.iter().find(|(name, _)| name == WITHOUT)?;
        lock(&self.0)
            .contains(test)
            .then(|| (VARIABLE.to_owned(), usual.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_get_a_multiple_and_a_test_that_crashes_what_it_had() {
        let mut env = vec![(VARIABLE.to_owned(), "1000".to_owned())];
        enlarge(&mut env);
        assert!(env.contains(&(VARIABLE.to_owned(), "8000".to_owned())));
        let crashing = Crashing::default();
        crashing.add(["deep".to_owned()]);
        let given = crashing.variable("deep", &env);
        assert_eq!(given, Some((VARIABLE.to_owned(), "1000".to_owned())));
        assert_eq!(crashing.variable("flat", &env), None);
        let gigabyte = (VARIABLE.to_owned(), (1_u64 << 30).to_string());
        let mut env = vec![gigabyte.clone()];
        enlarge(&mut env);
        assert!(env.contains(&gigabyte));
    }
}
