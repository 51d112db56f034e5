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
fn values_that_the_program_may_rule_out_are_not_said_to_overflow() {
    let run = Subject::lib(QUEUE).nopol(&["--no-cache", "--quiet"]);
    let told = |line: &&str| line.contains("computing `");
    let told: Vec<&str> = run.stdout.lines().filter(told).collect();
    assert!(!told.is_empty(), "{}", run.stdout);
    for line in told {
        assert!(
            line.contains("would overflow with `self.head` = ")
                && line.contains("no recorded test has these values, and they may be impossible"),
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
fn an_index_that_only_the_new_condition_reads_is_said_to_panic() {
    let run = Subject::lib(&SLASHES.replace('`', "\"")).nopol(&["--no-cache", "--quiet"]);
    let first = run.stdout.split("patch 2").next().unwrap();
    assert!(first.contains("text[at + 1]`\n"), "{}", run.stdout);
    assert!(
        first.contains("`text[at + 1]` panics where there is no such element"),
        "{first}"
    );
    // The old condition reads this one, too.
    assert!(!first.contains("`text[at]` panics"), "{first}");
}
