//! `cargo nopol c debug` on heaps with more nodes than are shown, and on searches that take too long: there is always an answer.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::common::{Run, Subject};

/// A program that turns a list of this many nodes around, by these two statements.
fn turning(nodes: usize, link: &str, end: &str) -> Subject {
    let source = format!(
        "#include <stdlib.h>
struct cell {{ int data; struct cell *link; }};
static struct cell *first;
static void turn(void) {{
    struct cell *done = NULL;
    struct cell *at = first;
    while (at != NULL) {{
        struct cell *rest = at->link;
        at->link = {link};
        done = at;
        at = rest;
    }}
    first = {end};
}}
int main(void) {{
    for (int i = 0; i < {nodes}; i++) {{
        struct cell *cell = malloc(sizeof *cell);
        cell->data = i;
        cell->link = first;
        first = cell;
    }}
    turn();
    return first == NULL;
}}
"
    );
    Subject::new(&[("turn.c", &source)])
}

fn session(subject: &Subject, script: &str) -> Run {
    fs::write(subject.root.join("script"), script).unwrap();
    // The result must not depend on how busy the machine is.
    let ask = ["c", "debug", "--command-timeout", "300"];
    subject.nopol(&[&ask[..], &["--replay", "script", "turn.c"]].concat())
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_right_function_on_more_nodes_than_are_shown_is_right() {
    for nodes in [51, 200] {
        let subject = turning(nodes, "done", "done");
        let run = session(
            &subject,
            "break turn\nstart\ncontinue\nspec\nfinish\nspec\nrepair",
        );
        let answer = "there is nothing to repair: the program satisfies all assertions\n";
        assert!(run.stdout.ends_with(answer), "{}", run.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_node_that_is_not_shown_is_asserted_and_the_fault_is_found() {
    for nodes in [51, 200, 2000] {
        let subject = turning(nodes, "done", "at");
        let script = format!(
            "break turn\nstart\ncontinue\nbreak 14\ncontinue\nchange first n{nodes}\nspec\nrepair"
        );
        let run = session(&subject, &script);
        let patch = "-    first = at;\n+    first = done;\n";
        assert!(run.stdout.contains(patch), "{}", run.stdout);
        // That a node is not shown does not mean that it is gone.
        for missing in ["no longer there", "any more"] {
            assert!(!run.stdout.contains(missing), "{}", run.stdout);
        }
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_heap_that_is_too_large_is_refused_when_it_is_asserted() {
    let subject = turning(6000, "done", "done");
    let run = session(
        &subject,
        "break turn\nstart\ncontinue\nspec\nnext\nspec\nrepair",
    );
    let refusal = "nothing can be asserted in this call: the heap has more than 5000 nodes";
    assert_eq!(run.stdout.matches(refusal).count(), 2, "{}", run.stdout);
}

/// What corrects two faults on so many nodes, which no search finds soon.
fn corrections(nodes: usize) -> String {
    let mut script = "break turn\nstart\ncontinue\nspec\nfinish\nchange n1->link null\n".to_owned();
    for node in 2..=nodes {
        let _ = writeln!(script, "change n{node}->link n{}", node - 1);
    }
    let _ = writeln!(script, "change first n{nodes}\nspec\nrepair\nprint first");
    script
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_search_ends_at_its_limit() {
    let subject = turning(51, "rest", "at");
    fs::write(subject.root.join("script"), corrections(51)).unwrap();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--command-timeout",
        "1",
        "--replay",
        "script",
        "turn.c",
    ]);
    // Either the walk to the end or the search is too long for one second, and each says so.
    assert!(
        run.stdout.ends_with("(nopol) print first\nfirst = n51\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("no repair was found"), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn ctrl_c_ends_a_search_and_not_the_session() {
    let subject = turning(51, "rest", "at");
    fs::write(subject.root.join("script"), corrections(51)).unwrap();
    let mut command = subject.command(&[
        "c",
        "debug",
        "--command-timeout",
        "100",
        "--replay",
        "script",
        "turn.c",
    ]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let process = Pid::from_raw(child.id().cast_signed());
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut after = Vec::new();
    for line in lines.map_while(Result::ok) {
        if line == "(nopol) repair" {
            // It is about to begin.
            std::thread::sleep(Duration::from_millis(500));
            kill(process, Signal::SIGINT).unwrap();
            after.push(line);
        } else if !after.is_empty() {
            after.push(line);
        }
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(
        after,
        [
            "(nopol) repair",
            "the search was interrupted before it found a repair",
            "(nopol) print first",
            "first = n51"
        ]
    );
}

/// A program that waits for Ctrl-C.
const ENDLESS: &str = "\
int count;
static void spin(void)
{
    while (count >= 0)
        count = 1;
}
int main(void)
{
    spin();
    return 0;
}
";

/// As a user types it: on a terminal, whose Ctrl-C becomes a signal.
#[test]
fn ctrl_c_on_a_terminal_stops_the_program_and_not_the_session() {
    let subject = Subject::new(&[("spin.c", ENDLESS)]);
    let pty = nix::pty::openpty(None, None).unwrap();
    let side = || Stdio::from(pty.slave.try_clone().unwrap());
    let mut command = subject.command(&["c", "debug", "--command-timeout", "1000", "spin.c"]);
    command.stdin(side()).stdout(side()).stderr(side());
    command.env("TERM", "dumb");
    let mut child = command.spawn().unwrap();
    drop(command);
    drop(pty.slave);
    let process = Pid::from_raw(child.id().cast_signed());
    let mut terminal = fs::File::from(pty.master);
    let mut shown = String::new();
    for (line, answer) in [
        ("", "`start` begins"),
        ("start", "main"),
        ("continue", "interrupted"),
        ("print count", "count = 1"),
        ("quit", ""),
    ] {
        if !line.is_empty() {
            writeln!(terminal, "{line}").unwrap();
        }
        if line == "continue" {
            // It is about to begin.
            std::thread::sleep(Duration::from_millis(1000));
            kill(process, Signal::SIGINT).unwrap();
        }
        let before = shown.len() + line.len();
        let mut bytes = [0; 1024];
        while !answer.is_empty() && !shown.get(before..).is_some_and(|new| new.contains(answer)) {
            let read = terminal.read(&mut bytes).unwrap();
            shown += &String::from_utf8_lossy(&bytes[..read]);
        }
    }
    assert!(child.wait().unwrap().success(), "{shown}");
}
