//! `cargo nopol heap`: repairs by a reference, by states, and by failing tests.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{Subject, fixtures};
use crate::heap::patch;

/// A list's function with a fault, and one that does the same and is right.
fn faulty() -> Subject {
    let text = fs::read_to_string(fixtures().join("heap/students/s05.c")).unwrap();
    let manifest = "\
[c]
sources = [\"s05.c\"]
build = \"cc -o s05 s05.c\"

[[c.test]]
name = \"front\"
command = \"./s05 1 2 3\"

[[c.test]]
name = \"middle\"
command = \"./s05 4 1 3 6 8\"

[[c.test]]
name = \"end\"
command = \"./s05 9 1 3\"

[[c.test]]
name = \"empty\"
command = \"./s05 5\"
";
    Subject::new(&[("s05.c", &text), ("nopol.toml", manifest)])
}

#[test]
fn a_function_is_repaired_by_its_reference_applied_and_undone() {
    let subject = faulty();
    let before = subject.read("s05.c");
    let command = [
        "heap",
        "--function",
        "insert_sorted",
        "--reference-function",
        "insert_sorted_reference",
    ];
    let run = subject.nopol_c(&command);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_snapshot!(patch(&run), @"
    -            head->next = neu;
    +            head->prev = neu;
    -            behind->prev = walk;
    +            behind->prev = neu;
    ");
    let run = subject.nopol_c(&[&command[..], &["--format", "json"]].concat());
    let found: Value = serde_json::from_str(&run.stdout).expect(&run.stdout);
    assert_eq!(found["outcome"], "repaired");
    assert_eq!(found["edits"].as_array().unwrap().len(), 2);
    assert_eq!(subject.nopol_c(&["apply"]).code, 0);
    assert_ne!(subject.read("s05.c"), before);
    let run = subject.nopol_c(&command);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("meets the specification in all 4 calls"),
        "{}",
        run.stdout
    );
    assert_eq!(subject.nopol_c(&["undo"]).code, 0);
    assert_eq!(subject.read("s05.c"), before);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn states_that_contradict_each_other_are_named() {
    let subject = faulty();
    let state = "head = n1; n1.key = 1; n1.next = null; n1.prev = null; v = 5";
    let one = "head = n1; n1.key = 1; n1.next = null";
    let other = "head = n1; n1.key = 2; n1.next = null";
    let run = subject.nopol_c(&[
        "heap",
        "--function",
        "insert_sorted",
        "--pre",
        state,
        "--post",
        one,
        "--pre",
        state,
        "--post",
        other,
    ]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains(
            "None of the changes that this command tries leads to the expected heap of call 2"
        ),
        "{}",
        run.stdout
    );
    let run = subject.nopol_c(&[
        "heap",
        "--function",
        "insert_sortd",
        "--pre",
        state,
        "--post",
        one,
    ]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("did you mean `insert_sorted`?"),
        "{}",
        run.stderr
    );
    let run = subject.nopol_c(&[
        "heap",
        "--function",
        "insert_sorted",
        "--pre",
        "haed = n1",
        "--post",
        one,
    ]);
    assert!(
        run.stderr.contains("did you mean `head`?"),
        "{}",
        run.stderr
    );
    for (wrong, sentence) in [
        ("head = 5", "`head` is a pointer: 5 does not fit"),
        (
            "head = n1; n1.key = n1",
            "`n1.key` is a number: n1 does not fit",
        ),
        ("head = n1; head = null", "`head` has two values"),
    ] {
        let run = subject.nopol_c(&[
            "heap",
            "--function",
            "insert_sorted",
            "--pre",
            wrong,
            "--post",
            one,
        ]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(sentence), "{}", run.stderr);
    }
    let run = subject.nopol_c(&["heap", "--function", "insert_sorted"]);
    assert!(
        run.stderr.contains("--reference-function FUNCTION"),
        "{}",
        run.stderr
    );
    let run = subject.nopol_c(&["heap"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    let sentence = "give --function FUNCTION with a specification, or --failing TEST";
    assert!(run.stderr.contains(sentence), "{}", run.stderr);
}

/// The patches of these functions of a Rust program.
fn repaired_by_references(functions: &[&str]) -> Vec<String> {
    let subject = Subject::fixture("heap/rust", "linked");
    let before = subject.snapshot();
    let repaired = functions.iter().map(|function| {
        let reference = format!("{function}_reference");
        let run = subject.nopol(&[
            "heap",
            "--function",
            function,
            "--reference-function",
            &reference,
        ]);
        assert_eq!(run.code, 0, "{function}: {}{}", run.stdout, run.stderr);
        patch(&run)
    });
    let patches = repaired.collect();
    assert_eq!(subject.snapshot(), before);
    patches
}

#[test]
#[ignore = "make test-full: it takes long"]
fn functions_of_rust_programs_are_repaired_by_their_references() {
    let patches = repaired_by_references(&["List::reverse", "Tree::insert", "Stack::push"]);
    assert_snapshot!(patches.join("\n"), @"
    -                before = next;
    +                before = current;
    -                        (*at).left = node;
    +                        (*at).right = node;
    -        self.len += 2;
    +        self.len += 1;
    ");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn more_functions_of_rust_programs_are_repaired_by_their_references() {
    let functions = [
        "List::delete",
        "Sorted::insert",
        "Stack::pop",
        "Stack::remove_second",
        "Stack::reverse",
    ];
    // The last ones have several patches.
    assert_snapshot!(repaired_by_references(&functions)[..3].join("\n"), @"
    -                (*before).next = at;
    +                (*before).next = (*at).next;
    -                (*at).next = node;
    +                (*at).prev = node;
    -                node.next = node.next.take();
    +                self.head = node.next.take();
    ");
}

#[test]
fn what_is_outside_in_rust_programs_is_named() {
    let subject = Subject::fixture("heap/rust", "linked");
    let outside = [
        ("Stack::append", "`&mut node.next` is not modelled"),
        ("Arena::prepend", "arrays are not modelled"),
    ];
    for (function, reason) in outside {
        let reference = format!("{function}_reference");
        let run = subject.nopol(&[
            "heap",
            "--function",
            function,
            "--reference-function",
            &reference,
        ]);
        assert_ne!(run.code, 0);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(reason), "{said}");
    }
}

/// A list of which one statement is wrong, with tests that say what is printed.
fn failing() -> Subject {
    let text = r#"#include <stdio.h>
#include <stdlib.h>

struct node {
    int data;
    struct node *next;
};

struct node *head = NULL;

void push(int data) {
    struct node *node = malloc(sizeof(struct node));
    node->data = data;
    node->next = head;
    head = node;
}

void delete_value(int data) {
    struct node *prev = NULL;
    struct node *cur = head;
    while (cur != NULL && cur->data != data) {
        prev = cur;
        cur = cur->next;
    }
    if (cur == NULL) {
        return;
    }
    if (prev == NULL) {
        head = cur->next;
    } else {
        prev->next = cur;
    }
    free(cur);
}

void print_all(void) {
    struct node *cur = head;
    while (cur != NULL) {
        printf("%d ", cur->data);
        cur = cur->next;
    }
}

int main(int argc, char **argv) {
    int i;
    push(1);
    push(2);
    push(3);
    for (i = 1; i < argc; i++) {
        delete_value(atoi(argv[i]));
    }
    print_all();
    return 0;
}
"#;
    let manifest = r#"[c]
sources = ["list.c"]
build = "cc -g -o list list.c"

[[c.test]]
name = "all"
command = "./list"
stdout = "3 2 1 "

[[c.test]]
name = "first"
command = "./list 3"
stdout = "2 1 "

[[c.test]]
name = "middle"
command = "./list 2"
stdout = "3 1 "
"#;
    Subject::new(&[("list.c", text), ("nopol.toml", manifest)])
}

const RIGHT: &str = "prev->next = cur->next;";

#[test]
fn a_function_that_is_not_supported_does_not_keep_the_others_from_being_repaired() {
    let subject = failing();
    let text = subject.read("list.c");
    let text = text.replace(
        "int main(",
        "struct node *of_link(struct node **link) {
    return (struct node *)((char *)link - sizeof(long));
}

int main(",
    );
    let text = text.replace(
        "    print_all();\n",
        "    if (argc > 2) head = of_link(&head);\n    print_all();\n",
    );
    fs::write(subject.root.join("list.c"), text).unwrap();
    let manifest = subject.read("nopol.toml");
    let two = "\n[[c.test]]\nname = \"two\"\ncommand = \"./list 1 2\"\nstdout = \"3 \"\n";
    fs::write(subject.root.join("nopol.toml"), manifest + two).unwrap();
    let run = subject.nopol_c(&["heap", "--failing", "middle"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(RIGHT), "{}", run.stdout);
    for note in [
        "`two` is left out: `of_link` is called, but is not supported",
        "used as `char *`",
    ] {
        assert!(run.stdout.contains(note), "{}", run.stdout);
    }
    let run = subject.nopol_c(&["heap", "--failing", "two"]);
    assert_eq!(run.code, 4, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr
            .contains("`of_link` is called, but is not supported"),
        "{}",
        run.stderr
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_failing_test_is_enough_to_repair_a_statement() {
    let subject = failing();
    let before = subject.snapshot();
    let run = subject.nopol_c(&["heap", "--failing", "middle"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains(RIGHT), "{}", run.stdout);
    assert_eq!(subject.snapshot(), before);
    let manifest = fs::read_to_string(subject.root.join("nopol.toml")).unwrap();
    let piped = "\n[[c.test]]\nname = \"piped\"\ncommand = \"./list | cat\"\nstdout = \"3 2 \"\n";
    fs::write(subject.root.join("nopol.toml"), manifest + piped).unwrap();
    let run = subject.nopol_c(&["heap", "--failing", "piped"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let reason = "`piped` is left out: the command is a script or needs a shell";
    assert!(
        (run.stdout.clone() + &run.stderr).contains(reason),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let run = subject.nopol_c(&["heap", "--failing", "midle"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("did you mean `middle`?"),
        "{}",
        run.stderr
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn where_no_condition_repairs_a_statement_does_unless_no_heap_is_given() {
    let subject = failing();
    let run = subject.nopol_c(&["--no-heap"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    let run = subject.nopol_c(&[]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("change it to `cur->next`"),
        "{}",
        run.stdout
    );
    assert_eq!(subject.nopol_c(&["apply"]).code, 0);
    assert!(subject.read("list.c").contains(RIGHT));
}
