//! What `heap` claims where a patch makes the tests go on: they then make calls that nobody has seen before.

use crate::common::Subject;

/// The test stops at its first assertion, so the second call is only made once the first one is right.
const COUNTED: &str = "pub struct Count {
    pub len: u8,
}

impl Count {
    pub fn pop(&mut self) {
        self.len = self.len + 1;
    }

    pub fn pop_reference(&mut self) {
        self.len = self.len - 1;
    }
}

#[test]
fn pops() {
    let mut count = Count { len: 2 };
    count.pop();
    assert_eq!(count.len, 1);
    count.pop();
    assert_eq!(count.len, 0);
}
";

#[test]
#[ignore = "make test-full: it compiles each patch"]
fn a_patch_that_fails_only_in_further_calls_is_not_said_to_miss_the_expected_heap() {
    let subject = Subject::lib(COUNTED);
    let run = subject.nopol(&[
        "heap",
        "--function",
        "Count::pop",
        "--reference-function",
        "Count::pop_reference",
    ]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for text in [
        "a patch was discarded: it meets the specification in the call, but with it the tests make other calls, in which it does not",
        "No patch is left: those that were found were discarded, and the notes say why;",
    ] {
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
    assert!(!run.stdout.contains("expected heap"), "{}", run.stdout);
}
