//! Patches that are in force in a session, and what keeps one from being found.

use std::fs;

use insta::assert_snapshot;

use crate::common::Subject;
use crate::heap::{debug, patch};

/// A program with the list 3, 2, 1 and a function that is called once.
fn with_list(declarations: &str, function: &str, call: &str) -> Subject {
    let text = format!(
        "#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         struct node {{ int data; struct node *next; }};\n\
         static struct node *head;\n{declarations}\n\
         static struct node *pushed(struct node *next, int data) {{\n    \
             struct node *node = malloc(sizeof *node);\n    node->data = data;\n    \
             node->next = next;\n    return node;\n}}\n{function}\
         int main(void) {{\n    head = pushed(pushed(pushed(NULL, 1), 2), 3);\n    {call}\n    return 0;\n}}\n"
    );
    Subject::new(&[("list.c", &text)])
}

#[test]
fn a_patch_with_macros_is_in_force() {
    let declarations = "#define END NULL\n#define NONE (INT_MAX - INT_MAX)\n#define NEXT(p) ((p)->next)\nstatic int count;";
    let function = "\
static void measure(void) {
    struct node *at = head;
    count = NONE; /* nothing yet */
    while (at == END && count >= NONE) {
        count = count + 1;
        at = NEXT(at);
    }
}
";
    let subject = with_list(declarations, function, "measure();");
    let script = "start; break measure; continue; next 2; spec; enter; next 2; spec; enter; next 2; spec; repair\n\
                  next\nnext\nnext\nnext\nprint count";
    let run = debug(&subject, script, "list.c");
    assert_snapshot!(patch(&run), @"
    -    while (at == END && count >= NONE) {
    +    while (at != END && count >= NONE) {
    ");
    assert!(
        run.stdout.contains("the session continues with the patch"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.trim_end().ends_with("count = 3"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_patch_that_gdb_cannot_simulate_is_shown_and_not_in_force() {
    let function = "\
static void drop(void) {
    struct node *old = head; head = old;
}
";
    let subject = with_list("", function, "drop();");
    let script = "start; break drop; continue; spec; next; change head n2; spec; repair\nrewrite patched.c\nnext";
    let run = debug(&subject, script, "list.c");
    assert_snapshot!(patch(&run), @"
    -    struct node *old = head; head = old;
    +    struct node *old = head; head = old->next;
    ");
    let sentence = "but the session cannot continue with the patch, because line 14 has several statements, and gdb can only execute all of them \
                    at once; `rewrite FILE` writes it:";
    assert!(run.stdout.contains(sentence), "{}", run.stdout);
    assert!(subject.read("patched.c").contains("head = old->next;"));
}

#[test]
fn a_patch_never_takes_a_loop_away_with_a_part_of_its_head() {
    let subject = Subject::new(&[("items.c", ITEMS)]);
    let script = "start; break mark; continue; spec; next 4; change n1->age 0; change n3->age 7; spec; repair\nrewrite patched.c";
    let run = debug(&subject, script, "items.c");
    let patched = subject.read("patched.c");
    assert!(patched.contains("    for ("), "{}", run.stdout);
    let compiled = std::process::Command::new("cc")
        .args(["-fsyntax-only", "patched.c"])
        .current_dir(&subject.root)
        .status();
    assert!(compiled.unwrap().success(), "{}", run.stdout);
}

/// A walk that does nothing, with the parts of its head in one line.
const ITEMS: &str = "\
#include <stdlib.h>
struct item { int seen; int age; struct item *next; };
static struct item *all;
static void mark(void) {
    struct item *at;
    for (at = all; at != NULL; at = at->next) {
        at->seen = at->age;
        at->age = at->age;
    }
}
int main(void) {
    for (int i = 0; i < 3; i++) {
        struct item *item = malloc(sizeof *item);
        item->seen = 7;
        item->age = i;
        item->next = all;
        all = item;
    }
    mark();
    return 0;
}
";

#[test]
fn a_patch_that_calls_a_function_is_in_force_also_where_gdb_cannot_write_all_registers() {
    let function = "\
static void grow(void) {
    struct node *old = head;
    head = pushed(NULL, 7);
    old = NULL;
}
";
    let subject = with_list("", function, "grow();");
    let gdb = crate::limited::limited_gdb(subject.root.as_ref()).unwrap();
    let script = "start; break grow; continue; next; spec; next; change head->next n1; spec; repair\nresume 0\nnext\nprint head->next";
    fs::write(subject.root.join("script"), script).unwrap();
    for gdb in ["gdb", gdb.as_str()] {
        let run = subject.nopol(&["c", "debug", "--gdb", gdb, "--replay", "script", "list.c"]);
        assert_eq!(
            patch(&run),
            "-    head = pushed(NULL, 7);\n+    head = pushed(head, 7);"
        );
        // It is called once, and the statement is done then.
        assert!(
            run.stdout.contains("(nopol) next\nlist.c:16  old = NULL;"),
            "{}",
            run.stdout
        );
        assert!(
            run.stdout.trim_end().ends_with("n4->next = n1"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn the_allocator_is_where_it_was_when_a_session_goes_back_past_a_free() {
    let function = "\
static void drop(void) {
    struct node *old = head;
    head = old->next;
    free(old);
}
";
    let call = "drop();\n    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);\n    \
                puts(a == b || a == head || b == head ? \"one block twice\" : \"whole\");\n    head = a;\n    drop();";
    let subject = with_list("", function, call);
    let script = "start; break drop; continue; next; spec; next 3\nresume 0\nprint\ncheckpoints\nfinish\nresume 0\nfinish; finish\ncontinue\n\
                  start\nresume 0";
    let run = debug(&subject, script, "list.c");
    assert_eq!(
        run.stdout
            .matches("the program is at checkpoint 0 again")
            .count(),
        2,
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("> 0  line 15: head, old → n1 → n2 → n3 → null"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("| whole\n"), "{}", run.stdout);
    // Another run has another heap.
    assert!(
        run.stdout.trim_end().ends_with(
            "the program cannot go back to checkpoint 0: it belongs to an earlier run of the program"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn an_undone_state_leaves_the_session_free_for_another_function() {
    let function = "\
static void push(void) {
    struct node *node = pushed(head, 4);
    head = node;
}
static void pop(void) {
    struct node *old = head;
    head = old;
    free(old);
}
";
    let subject = with_list("", function, "push();\n    pop();");
    let script = "start; break push; break pop; continue; next; spec\ncontinue\nspec\nundo\nspec\nnext 2; change head n2; spec\nrepair\n\
                  continue";
    let run = debug(&subject, script, "list.c");
    let sentence = "states are asserted in `push`, but the program is elsewhere; to repair another function, `undo` these states";
    assert!(run.stdout.contains(sentence), "{}", run.stdout);
    assert!(
        run.stdout.contains(
            "(nopol) spec\nadded this state to the specification as checkpoint 0\n(nopol) next 2"
        ),
        "{}",
        run.stdout
    );
    assert!(
        patch(&run).contains("+    head = old->next;"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_patch_found_where_the_program_cannot_go_on_says_when_it_is_in_force() {
    let function = "\
static void last(void) {
    struct node *at = head;
    at = at;
    head->next = NULL;
    head = at->next->next;
}
";
    let subject = with_list("", function, "last();");
    let script = "start; break last; continue; spec; next 2; change at n2; spec; change at n1; next 2\nspec\nrepair";
    let run = debug(&subject, script, "list.c");
    assert!(
        run.stdout
            .contains("the program got SIGSEGV here, in the middle of a statement"),
        "{}",
        run.stdout
    );
    assert!(
        !run.stdout
            .contains("; the session continues with the patch"),
        "{}",
        run.stdout
    );
    let sentence = "the program got SIGSEGV here, so the session continues with the patch in `last` only after `start` or `resume`:";
    assert!(run.stdout.contains(sentence), "{}", run.stdout);
}

#[test]
fn recursion_is_named_where_it_keeps_a_repair_from_being_found() {
    let function = "\
static struct node *appended(struct node *at, int data) {
    if (at == NULL) {
        return pushed(NULL, data);
    }
    if (at->data > 0)
        at->next = appended(at->next, data);
    return at;
}
";
    let subject = with_list("", function, "head = appended(head, 4);");
    let script = "start; next; step; spec; finish; change n3->next n1; spec; repair";
    let run = debug(&subject, script, "list.c");
    let last = run.stdout.trim_end().lines().last().unwrap();
    assert!(
        last.ends_with("; lines 17-18 stay as they are, because `appended` calls itself"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("more often"), "{}", run.stdout);
}

#[test]
fn a_program_that_waits_for_input_is_said_to() {
    let subject = with_list("", "", "head->data = getchar();");
    fs::write(
        subject.root.join("script"),
        "start; next\nnext\nprint head->data",
    )
    .unwrap();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--command-timeout",
        "1",
        "--replay",
        "script",
        "list.c",
    ]);
    assert!(
        run.stdout.contains(
            "the program was interrupted: it waits for input, and a session gives it none"
        ),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("ran for"), "{}", run.stdout);
}

#[test]
fn programs_in_other_languages_are_refused_as_such() {
    let subject = Subject::new(&[
        ("plain.rs", "fn main() {}\n"),
        ("plain.cpp", "int main() {}\n"),
    ]);
    let build = [
        "c",
        "debug",
        "--build",
        "rustc -g -o plain plain.rs",
        "plain",
    ];
    for (arguments, sentence) in [
        (
            &["c", "debug", "plain.cpp"][..],
            "plain.cpp is written in C++: `c debug` is for C programs",
        ),
        (
            &["c", "debug", "plain.rs"][..],
            "plain.rs is written in Rust: `c debug` is for C programs",
        ),
        (
            &build[..],
            "plain is written in Rust: `c debug` is for C programs",
        ),
    ] {
        let run = subject.nopol(arguments);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(sentence), "{}", run.stderr);
    }
}

#[test]
fn names_that_the_program_does_not_have_are_not_named() {
    let function = "\
static void twin(void) {
    struct node *a;
    struct node *b;
    a = b = head;
    head = a;
}
";
    let subject = with_list("", function, "twin();");
    let run = debug(&subject, "start; break twin; continue", "list.c");
    assert!(!run.stdout.contains('#'), "{}", run.stdout);
    assert!(
        run.stdout.contains("`a = b = head` is beyond")
            || !run.stdout.contains("taken from the run"),
        "{}",
        run.stdout
    );
}
