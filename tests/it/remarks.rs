//! What a report remarks about a patch and about a test: for which values a condition fails, what a compiler warns of, which
//! limit ended a test.

use crate::common::Subject;

/// `head` is never greater than `tail`.
const QUEUE: &str = r"
pub struct Queue {
    head: u32,
    tail: u32,
    most: u32,
}

impl Queue {
    pub fn new(most: u32) -> Self {
        Queue { head: 0, tail: 0, most }
    }
    pub fn push(&mut self) -> bool {
        if self.tail - self.head > self.most {
            return false;
        }
        self.tail += 1;
        true
    }
    pub fn pop(&mut self) -> bool {
        if self.head == self.tail {
            return false;
        }
        self.head += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn is_full() {
        let mut queue = Queue::new(2);
        assert!(queue.push() && queue.push() && !queue.push());
    }

    #[test]
    fn is_empty() {
        let mut queue = Queue::new(1);
        assert!(queue.push() && queue.pop() && !queue.pop());
    }

    #[test]
    fn is_full_later() {
        let mut queue = Queue::new(3);
        assert!(queue.push() && queue.pop());
        assert!(queue.push() && queue.push() && queue.push() && !queue.push());
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn values_that_the_program_may_rule_out_are_not_said_to_overflow() {
    let run = Subject::lib(QUEUE).nopol(&["--no-cache", "--quiet", "--full"]);
    let told = |line: &&str| line.contains("computing `");
    let told: Vec<&str> = run.stdout.lines().filter(told).collect();
    assert!(!told.is_empty(), "{}", run.stdout);
    for line in told {
        assert!(
            line.contains("would overflow with `self.head` = ")
                && line.contains("no recorded context has these values, and they may be"),
            "{line}"
        );
    }
}

/// What follows a slash is not asked about.
const SLASHES: &str = r"
pub fn begins(text: &[u8], at: usize) -> bool {
    if text[at] == b'/' {
        return true;
    }
    false
}

pub fn next(text: &[u8], at: usize) -> u8 {
    text[at + 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two() {
        assert!(begins(b`a//b`, 1));
    }

    #[test]
    fn one() {
        assert!(!begins(b`a/b/c`, 1));
    }

    #[test]
    fn none() {
        assert!(!begins(b`abc`, 1));
    }

    #[test]
    fn the_next() {
        assert_eq!(next(b`abc`, 1), b'c');
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn an_index_that_only_the_new_condition_reads_is_said_to_panic() {
    let run = Subject::lib(&SLASHES.replace('`', "\"")).nopol(&["--no-cache", "--quiet"]);
    let first = run.stdout.split("patch 2").next().unwrap();
    assert!(
        first.contains("`text[at + 1]` panics if the index is out of bounds"),
        "{first}"
    );
    // The old condition reads this one, too.
    assert!(!first.contains("`text[at]` panics"), "{first}");
}

/// The first idea, `n >= least`, is refuted by the example alone.
const ENOUGH: &str = r"
/// ```
/// assert!(!subject::is_enough(5, 5, 6));
/// ```
pub fn is_enough(n: u32, least: u32, needed: u32) -> bool {
    if n > least {
        return true;
    }
    n > 100 && needed > 100
}

#[cfg(test)]
mod tests {
    use super::is_enough;

    #[test]
    fn just() {
        assert!(is_enough(5, 5, 5));
    }

    #[test]
    fn more() {
        assert!(is_enough(6, 5, 5));
    }

    #[test]
    fn less() {
        assert!(!is_enough(4, 5, 5));
    }

    #[test]
    fn far_less() {
        assert!(!is_enough(3, 8, 8));
    }

    #[test]
    fn just_again() {
        assert!(is_enough(8, 8, 8));
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn what_an_example_refutes_is_no_alternative_and_alternatives_are_not_said_to_be_held_against_examples()
 {
    let subject = Subject::lib(ENOUGH);
    let report = subject
        .nopol(&["--no-cache", "--format", "json", "--top", "1"])
        .json();
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["condition"], "n >= needed", "{patch:#}");
    let others = patch["alternatives"].as_array().unwrap();
    assert!(!others.is_empty(), "{patch:#}");
    for other in others {
        assert_ne!(other["condition"], "n >= least", "{patch:#}");
    }
    let explained = subject.nopol(&["explain", "--top", "1"]).stdout;
    let compared = "but no doctest was run with the alternative";
    assert!(explained.contains(compared), "{explained}");
}

/// The area is a sum, and the error of a parser is returned by a test.
const AREAS: &str = r"
pub fn area(a: u32, b: u32) -> u32 {
    if a == 0 {
        return 0;
    }
    a + b
}

#[cfg(test)]
mod tests {
    use super::area;

    #[test]
    fn two_by_two() {
        assert_eq!(area(2, 2), 4);
    }

    #[test]
    fn three_by_seven() -> Result<(), String> {
        match area(3, 7) {
            21 => Ok(()),
            other => Err(format!(`got {other}`)),
        }
    }

    #[test]
    fn waits() {
        assert_eq!(area(2, 2), 4);
        loop {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn each_failing_test_has_a_line_and_what_is_no_patch_is_named() {
    let subject = Subject::lib(&AREAS.replace('`', "\""));
    let args = ["--test-timeout", "1", "--quick"];
    let run = subject.nopol(&[&args[..], &["--no-cache"]].concat());
    assert_eq!(run.code, 1, "{}", run.stdout);
    for line in [
        "`tests::three_by_seven` returns an error: \"got 10\"; the test is at src/lib.rs:19\n",
        "`tests::waits` does not end within its time limit (`--test-timeout` sets it); the test is at src/lib.rs:27\n",
    ] {
        assert!(run.stdout.contains(line), "{}", run.stdout);
        assert!(!run.stderr.contains(line), "{}", run.stderr);
    }
    // Without a patch, `explain` says why there is none.
    let none = subject.nopol(&[&["explain"], &args[..]].concat());
    assert_eq!(none.code, 1, "{}", none.stderr);
    assert!(none.stdout.contains("No patch found."), "{}", none.stdout);
    for (id, told) in [
        (
            "three_by_seven",
            "`tests::three_by_seven` is a test, and only patches and places can be explained. `cargo nopol localize --failing three_by_seven` shows",
        ),
        (
            "two_by_two",
            "is a test, and only patches and places can be explained. `cargo nopol list` shows the places",
        ),
        (
            "three",
            "is neither a patch nor a place of the last search: it found no patch",
        ),
    ] {
        let run = subject.nopol(&[&["explain", id], &args[..]].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_a_limit_of_steps_stops_is_not_said_to_have_no_end() {
    let text = r"
        pub fn sum(n: u64) -> u64 {
            let (mut sum, mut i) = (0u64, 0);
            while i < n {
                if i % 3 == 0 {
                    sum += i;
                }
                i += 1;
            }
            sum
        }
        #[test] fn small() { assert_eq!(sum(2), 0); }
        #[test] fn large() { assert_eq!(sum(200_000), 5); }
    ";
    let run = Subject::lib(text).nopol(&["--no-cache", "--quick", "--fuel", "50000"]);
    assert!(
        run.stderr
            .contains("large` makes more than 50000 steps (loop iterations and evaluations of conditions), so its runs were stopped there")
            && run.stderr.contains("`--fuel` allows more steps"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("does not end"), "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_negated_assertion_is_described_as_it_is_written() {
    let text = r"
        pub struct Stack { items: Vec<u32>, most: usize, closed: bool }
        impl Stack {
            pub fn new(most: usize) -> Self { Stack { items: Vec::new(), most, closed: false } }
            pub fn close(&mut self) { self.closed = true; }
            pub fn push(&mut self, item: u32) {
                assert!(self.most > 0);
                self.items.push(item);
            }
            pub fn len(&self) -> usize { self.items.len() }
        }
        #[cfg(test)]
        mod tests {
            use super::Stack;
            #[test] fn one() { let mut s = Stack::new(2); s.push(1); assert_eq!(s.len(), 1); }
            #[test] fn two() { let mut s = Stack::new(2); s.push(1); s.push(1); assert_eq!(s.len(), 2); }
            #[test] #[should_panic] fn full() { let mut s = Stack::new(2); s.push(1); s.push(1); s.push(1); }
            #[test] #[should_panic] fn closed() { let mut s = Stack::new(2); s.close(); s.push(1); }
            #[test] #[should_panic] fn both() { let mut s = Stack::new(1); s.push(1); s.close(); s.push(1); }
        }
    ";
    let run = Subject::lib(text).nopol(&["--no-cache", "--format", "json", "--top", "9"]);
    let report = run.json();
    let mut negated = 0;
    for patch in report["patches"].as_array().unwrap() {
        let condition = patch["edits"][0]["condition"].as_str().unwrap();
        let why = patch["why"].as_str().unwrap();
        if let Some(inner) = condition
            .strip_prefix("!(")
            .filter(|it| it.contains(" || "))
        {
            assert!(why.contains("joined by `||`, negated"), "{inner}: {why}");
            negated += 1;
        }
        let is_false = condition == "false" && why.contains("always true");
        assert!(!is_false, "{condition}: {why}");
    }
    assert!(negated > 0, "{report:#}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_the_compiler_warns_of_with_a_patch_only_is_mentioned() {
    let text = r"
        pub fn price(n: u32, is_loyal: bool) -> u32 {
            let never_read = 3;
            let limit = 12;
            if n > limit { return n * 8; }
            if is_loyal { n * 9 } else { n * 10 }
        }
        pub const DOZEN: u32 = 10;
        #[test] fn eleven() { assert_eq!(price(11, false), 88); }
        #[test] fn ten() { assert_eq!(price(10, false), 100); }
        #[test] fn thirteen() { assert_eq!(price(13, false), 104); }
        #[test] fn ten_for_friends() { assert_eq!(price(10, true), 90); }
        #[test] fn twelve() { assert_eq!(price(12, true), 96); }
    ";
    let run = Subject::lib(text).nopol(&["--no-cache", "--format", "json", "--top", "9"]);
    let report = run.json();
    let patches = report["patches"].as_array().unwrap();
    let replaced = patches
        .iter()
        .find(|patch| patch["edits"][0]["condition"] == "n > DOZEN")
        .unwrap();
    let why = replaced["why"].as_str().unwrap();
    assert!(
        why.ends_with("; the patch causes a compiler warning: unused variable: `limit`"),
        "{why}"
    );
    // Without a patch it warns of this one, too.
    assert!(!run.stdout.contains("never_read`"), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_without_recorded_contexts_may_have_the_value_of_a_clause() {
    let subject = Subject::fixture("matches-pattern", "matches-pattern");
    let run = subject.nopol(&["--full"]);
    assert!(run.stdout.contains("c == '_'"), "{}", run.stdout);
    // A name in a template has it, too, but no forced outcome makes the test of the template pass.
    let untrue = "`c == '_'` may overfit";
    assert!(!run.stdout.contains(untrue), "{}", run.stdout);
    let explained = subject.nopol(&["explain", "1"]);
    let unrecorded = "No values were recorded here for `tests::template_with_underscores`: ";
    assert!(
        explained.stdout.contains(unrecorded),
        "{}",
        explained.stdout
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_value_of_one_test_is_named_though_a_test_that_stays_broken_comes_there_too() {
    let text = "pub fn fits(len: u32) -> bool {\n    len <= 100\n}\n\npub fn half(n: u32) -> u32 {\n    n / 3\n}\n\n\
                #[test]\nfn small() {\n    assert!(fits(50));\n}\n#[test]\nfn large() {\n    assert!(!fits(102) && !fits(300));\n}\n\
                #[test]\nfn odd() {\n    assert!(fits(117));\n}\n\
                #[test]\nfn broken() {\n    assert!(fits(7));\n    assert_eq!(half(4), 2);\n}\n";
    let run = Subject::lib(text).nopol(&["--full"]);
    let note = "`len == 117` may overfit `odd`: no passing test has this value here";
    assert!(run.stdout.contains(note), "{}", run.stdout);
}

/// The exits that are tried at one place count as one.
#[test]
#[ignore = "make test-full: it takes long"]
fn progress_and_report_count_the_same_places() {
    let subject = Subject::fixture("leap-days", "leap-days");
    let run = subject.nopol(&["--kind", "guard"]);
    let reached = |text: &str| {
        let (before, _) = text.rsplit_once(" places reached").unwrap();
        before.rsplit(' ').next().unwrap().to_owned()
    };
    let wanted = format!("reach {} places for an early exit", reached(&run.stderr));
    assert!(run.stdout.contains(&wanted), "{}{}", run.stderr, run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_is_marked_is_what_changes_though_rustfmt_lays_out_more() {
    let text = r"
pub fn word(count: i32, most: i32) -> bool {
    let is_odd = if count > most { true } else { false };
    is_odd
}

pub fn kind(measured: Option<i32>, lower_limit_of_all: i32, upper_limit_of_all: i32) -> i32 {
    match measured {
        Some(value_that_was_measured) if value_that_was_measured > upper_limit_of_all => 10,
        Some(value_that_was_measured) => value_that_was_measured + lower_limit_of_all * 2,
        _ => 7 + lower_limit_of_all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert!(word(5, 3) && !word(2, 3) && !word(0, 3));
    }

    #[test]
    fn words_below() {
        assert!(word(-1, 3) && word(-7, 3));
    }

    #[test]
    fn kinds() {
        assert_eq!([kind(Some(5), 1, 30), kind(Some(40), 1, 30)], [7, 10]);
        assert_eq!(kind(Some(0), 1, 30), 2);
        assert_eq!(kind(None, 1, 30), 8);
    }

    #[test]
    fn kinds_below() {
        assert_eq!([kind(Some(-4), 1, 30), kind(Some(-2), 1, 30)], [8, 8]);
    }
}
";
    let run = Subject::lib(text.trim_start()).nopol(&["--no-cache", "--quiet", "--top", "1"]);
    // The whole `if` becomes longer than rustfmt leaves on one line, but its condition is what changes.
    let marked = "let is_odd = if count > most { true } else { false };\n";
    let under: Vec<&str> = run
        .stdout
        .split(marked)
        .nth(1)
        .into_iter()
        .filter_map(|rest| rest.lines().next())
        .collect();
    assert_eq!(
        under.first().map(|line| line.matches('^').count()),
        Some("count > most".len()),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("a condition for this pattern makes")
            && run.stdout.contains("match this only if `"),
        "{}",
        run.stdout
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn values_that_a_caller_may_choose_are_said_to_overflow_and_do() {
    let text = r"
        pub fn total(a: u8, b: u8, most: u8) -> Option<u8> {
            if a > most {
                return None;
            }
            Some(a + b)
        }
        #[test] fn small() { assert_eq!(total(1, 2, 5), Some(3)); }
        #[test] fn just() { assert_eq!(total(2, 3, 5), Some(5)); }
        #[test] fn alone() { assert_eq!(total(5, 0, 5), Some(5)); }
        #[test] fn first() { assert_eq!(total(6, 1, 5), None); }
        #[test] fn second() { assert_eq!(total(0, 9, 5), None); }
        #[test] fn both() { assert_eq!(total(4, 3, 5), None); }
        #[test] fn by_one() { assert_eq!(total(3, 3, 5), None); }
        #[test] fn more() { assert_eq!(total(30, 33, 70), Some(63)); }
        #[test] fn most() { assert_eq!(total(30, 33, 62), None); }
    ";
    let args = ["--no-cache", "--format", "json", "--top", "1"];
    let report = Subject::lib(text).nopol(&args).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["condition"], "a + b > most");
    let why = patch["why"].as_str().unwrap();
    let (_, told) = why.split_once("computing `a + b` overflows with ").unwrap();
    assert!(
        told.ends_with("; no recorded context has these values"),
        "{told}"
    );
    let value = |name: &str| -> u8 {
        let (_, rest) = told.split_once(&format!("`{name}` = ")).unwrap();
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        digits.parse().unwrap()
    };
    assert!(value("a").checked_add(value("b")).is_none(), "{told}");
}
