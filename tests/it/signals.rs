//! `faults`, `mutate` and `heap` end at a signal and show what they found until then.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::common::{Run, Subject};
use crate::faults::program;

/// Runs the tool, and sends a signal so long after it began to catch it.
fn interrupted(subject: &Subject, arguments: &[&str], signal: Signal, after: Duration) -> Run {
    let mut command = subject.command(arguments);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let (_, caught) = status.split_once("SigCgt:").unwrap();
        let caught = caught.lines().next().unwrap().trim();
        u64::from_str_radix(caught, 16).unwrap() >> (signal as i32 - 1) & 1 == 1
    };
    let start = Instant::now();
    while !catches() {
        assert!(start.elapsed().as_secs() < 60, "no {signal} is caught");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(after);
    kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
    child.wait_with_output().unwrap().into()
}

const MIXED: &str = r#"#include <stdio.h>
#include <stdlib.h>
int mixed(int a, int b, int c) {
    int sum = 0;
    for (int i = 0; i < 40; i++) {
        if ((a * i + b) % 7 > (c * sum) % 5) sum += a * b % 11; else sum -= b * c % 13;
        if (sum > 1000) sum = sum % 17;
    }
    return sum;
}
int main(int argc, char **argv) {
    printf("%d\n", mixed(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])));
    return 0;
}
"#;

#[test]
fn a_signal_ends_the_search_with_a_sentence() {
    let subject = program(MIXED, &[("3 4 5", "1234567"), ("7 2 9", "7654321")]);
    for (name, signal) in [
        ("faults", Signal::SIGINT),
        ("faults", Signal::SIGHUP),
        ("mutate", Signal::SIGTERM),
    ] {
        let ask = ["c", name, "--size", "3", "--time-limit", "100"];
        let run = interrupted(&subject, &ask, signal, Duration::ZERO);
        assert_eq!(run.code, 130, "{name} {signal}: {}", run.stderr);
        assert!(run.stderr.contains("interrupted"), "{}", run.stderr);
        let message = "The search was interrupted";
        assert!(run.stdout.contains(message), "{name}: {}", run.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_was_found_before_a_signal_is_shown() {
    // In long runs each place is first tried with 0 and 1.
    let longer = MIXED.replace("i < 40", "i < 100");
    let subject = program(&longer, &[("3 4 5", "1"), ("7 2 9", "1")]);
    let ask = ["c", "faults", "--size", "3", "--time-limit", "100"];
    let run = interrupted(&subject, &ask, Signal::SIGINT, Duration::from_secs(10));
    assert_eq!(run.code, 130, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("(there may be more sets):\n"),
        "{}",
        run.stdout
    );
}

/// A list of many nodes that is turned around, and its end left out.
const TURN: &str = "\
#include <stdlib.h>
struct cell { int data; struct cell *link; };
static struct cell *first;
static void wanted(void) {
    struct cell *done = NULL, *at = first;
    while (at != NULL) {
        struct cell *rest = at->link;
        at->link = done;
        done = at;
        at = rest;
    }
    first = done;
}
static void turn(void) {
    struct cell *done = NULL, *at = first;
    while (at->link != NULL) {
        struct cell *rest = at->link;
        at->link = rest;
        done = at;
        at = rest;
    }
    first = at;
}
int main(void) {
    for (int i = 0; i < 300; i++) {
        struct cell *cell = malloc(sizeof *cell);
        cell->data = i;
        cell->link = first;
        first = cell;
    }
    turn();
    if (first == NULL) wanted();
    return first == NULL;
}
";

#[test]
fn a_signal_ends_a_search_in_heaps_with_a_sentence() {
    let toml = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n[[c.test]]\nname = \"all\"\ncommand = \"./p\"\n";
    let subject = Subject::new(&[("p.c", TURN), ("nopol.toml", toml)]);
    let ask = [
        "c",
        "heap",
        "--function=turn",
        "--reference-function=wanted",
    ];
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let run = interrupted(&subject, &ask, signal, Duration::ZERO);
        assert_eq!(run.code, 130, "{signal}: {}{}", run.stdout, run.stderr);
        let message = "The search was interrupted before it found a patch";
        assert!(run.stdout.contains(message), "{}", run.stdout);
    }
}
