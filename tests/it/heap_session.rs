//! Sessions of `cargo nopol c debug`: mistakes, crashes, arrays, pictures, and programs of tests.

use std::fs;

use insta::assert_snapshot;

use crate::common::Subject;
use crate::heap::{LOGGING, debug, logging, patch, said, sessions};

#[test]
fn a_patch_explains_what_was_asserted_in_all_calls() {
    let subject = logging();
    let script = "start; break insert; continue; next 18; spec; continue; continue; next 21; \
                  change n2->next n3; spec; checkpoints; repair; continue";
    fs::write(subject.root.join("script"), script).unwrap();
    let run = subject.nopol(&[
        "c", "debug", "--build", LOGGING, "--replay", "script", "log",
    ]);
    assert!(run.stdout.contains("checkpoint 1\n"), "{}", run.stdout);
    assert_snapshot!(patch(&run), @"
    -        before->next = at;
    +        before->next = e;
    ");
    assert!(run.stdout.contains("| 3.0\n"), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_break_and_a_continue_have_lines_of_their_own() {
    let program = "\
#include <stdlib.h>
struct node { int v; struct node *next; };
static struct node *head;
static int marks[3];
static int work(void)
{
    int n = 0;
    struct node *l = head;
    while (l) {
        n++;
        if (n == 3) {
            head = l;
            break;
        }
        marks[0] = n;
        l = l->next;
    }
    marks[1] = n;
    return n;
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *x = calloc(1, sizeof *x);
        x->v = i;
        x->next = head;
        head = x;
    }
    return work() != 3;
}
";
    let left = "        n++;
        if (n == 3) {
            head = l;
            break;
        }
";
    let skipped = "        if (l->v == 1) {
            l = l->next;
            continue;
        }
        n++;
";
    let lone = "        if (l->next == NULL)
            break;
        n++;
";
    assert!(program.contains(left));
    for instead in [left, skipped, lone] {
        let program = program.replace(left, instead);
        let subject = Subject::new(&[("work.c", &program)]);
        let script = "start; break work; continue; spec; finish; spec; repair\n";
        fs::write(subject.root.join("script"), script).unwrap();
        let run = subject.nopol(&["c", "debug", "--replay", "script", "work.c"]);
        let answer = "there is nothing to repair: the program satisfies all assertions\n";
        assert!(run.stdout.contains(answer), "{}", run.stdout);
    }
}

#[test]
fn what_cannot_be_changed_stays_and_a_structure_is_not_unknown() {
    let program = "\
#include <stdio.h>
#include <stdlib.h>
struct cell { double score; struct cell *next; };
static struct { struct cell *first; unsigned size; } q;
static void put(struct cell *c)
{
    q.first = c;
    q.size++;
}
int main(void)
{
    struct cell *c = calloc(1, sizeof *c);
    c->score = 2.5;
    put(c);
    printf(\"%.1f\\n\", c->score);
    return 0;
}
";
    let subject = Subject::new(&[("put.c", program)]);
    let script = "start; break put; continue; change c->score 3\nprint q\ncontinue\n";
    fs::write(subject.root.join("script"), script).unwrap();
    let run = subject.nopol(&["c", "debug", "--replay", "script", "put.c"]);
    for said in [
        "n1->score holds neither a pointer nor an integer: 3 does not fit\n",
        "`q` is a structure: name one of its fields, such as `q.first`\n",
        "| 2.5\n",
    ] {
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
}

#[test]
fn the_variable_of_a_compound_assignment_is_not_replaced_where_it_is_read() {
    let program = "\
#include <stdlib.h>
struct list { int n; struct list *next; };
static struct list *all;
static void count(struct list *l)
{
    int n = 1;
    int k = 5;
    int m = 0;
    n += k;
    all->n = n + m;
}
int main(void)
{
    all = calloc(1, sizeof *all);
    count(all);
    return all->n;
}
";
    // `n = m + k` and `n = k + 1` would do, which `m += k` and `k++` are not.
    for (statement, wanted, wrong) in [("n += k;", 5, "m += k"), ("n++;", 6, "k++")] {
        let program = program.replace("n += k;", statement);
        let subject = Subject::new(&[("count.c", &program)]);
        let script = format!(
            "start; break count; continue; next 3; spec; next; change n {wanted}; spec; repair\n"
        );
        fs::write(subject.root.join("script"), script).unwrap();
        let run = subject.nopol(&["c", "debug", "--replay", "script", "count.c"]);
        assert!(run.stdout.contains("checkpoint 1\n"), "{}", run.stdout);
        assert!(!run.stdout.contains(wrong), "{}", run.stdout);
    }
}

#[test]
fn the_program_of_a_test_is_debugged_and_its_patch_applied() {
    let subject = sessions();
    let script = fs::read_to_string(subject.root.join("reverse.nopol")).unwrap();
    let script = script.replace("rewrite patched.c", "rewrite");
    fs::write(subject.root.join("script"), script).unwrap();
    let tests = "[c]\nsources = [\"reverse.c\"]\nbuild = \"cc -O2 -o reverse reverse.c\"\n\
        [[c.test]]\nname = \"reversed\"\ncommand = \"./reverse\"\nstdout = \"2 4 8 10\"\n\
        [[c.test]]\nname = \"shell\"\ncommand = \"./reverse | sort\"\nstdout = \"\"\n";
    fs::write(subject.root.join("nopol.toml"), tests).unwrap();
    let before = subject.snapshot();
    let run = subject.nopol(&["c", "debug", "--replay", "script", "--only", "reversed"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(subject.snapshot(), before);
    assert!(
        run.stdout
            .contains("`cargo nopol c apply` builds and tests the patch")
    );
    let applied = subject.nopol(&["c", "apply"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let text = fs::read_to_string(subject.root.join("reverse.c")).unwrap();
    assert!(text.contains("    head = temp2->prev;\n}"), "{text}");
    for (test, wanted) in [
        (
            None,
            "name the test to debug with --only: `reversed`, `shell`",
        ),
        (
            Some("nothing"),
            "no test is named `nothing`; the tests are `reversed`, `shell`",
        ),
        (
            Some("shell"),
            "which cannot be debugged: give the program itself",
        ),
    ] {
        let mut args = vec!["c", "debug"];
        args.extend(test.into_iter().flat_map(|test| ["--only", test]));
        let run = subject.nopol(&args);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
    }
}

#[test]
fn a_session_answers_mistakes_with_a_sentence_and_goes_on() {
    let subject = sessions();
    let script = "next\nstart\nfrob\nprint haed\nchange head n9\nchange n9 3\nchange head\nenter\nspec\nrepair\nbreak nowhere\nbreak reverse\ncontinue\nchange head->nxt null\nchange head 5\nchange n1 null\nchange n9 null\nchange n1->data n2\nchange n1->data 99999999999\nnext 0\nspec\nrepair\nresume 7\nundo\nundo\nrewrite\nprint head->data\nquit\n";
    let run = debug(&subject, script, "reverse.c");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_snapshot!(said(&run), @r#"
    (nopol) next
    the program is not running: `start` starts it
    (nopol) start
    the program is at the beginning of `main`
    reverse.c:39  push(2);
    head = null
    (nopol) frob
    there is no command `frob`
    (nopol) print haed
    there is no variable `haed` here; did you mean `head`?
    (nopol) change head n9
    there is no node n9
    (nopol) change n9 3
    there is no node n9
    (nopol) change head
    `change head` needs a value: `change head n3`
    (nopol) enter
    `enter` and `leave` work only in a function under repair: `step` enters one
    (nopol) spec
    states can be asserted only in a function under repair: `step` enters one
    (nopol) repair
    nothing is asserted yet: `spec` asserts the state that is shown
    (nopol) break nowhere
    there is no place `nowhere`: gdb refused: Function "nowhere" not defined.
    (nopol) break reverse
    breakpoint at `reverse`
    (nopol) continue
    reverse.c:25  struct node *current = NULL;
      head*
    (nopol) change head->nxt null
    n1 has no field `nxt`; did you mean `next`?
    (nopol) change head 5
    head holds a pointer: 5 does not fit
    (nopol) change n1 null
    `n1` is a node: name one of its fields, as in `n1->next`
    (nopol) change n9 null
    there is no node n9; the nodes are n1, n2, n3, n4
    (nopol) change n1->data n2
    n1->data holds a number: n2 does not fit
    (nopol) change n1->data 99999999999
    n1->data cannot hold 99999999999: it would be 1215752191
    (nopol) next 0
    `next 0` executes nothing
    (nopol) spec
    added this state to the specification as checkpoint 0
    (nopol) repair
    there is nothing to repair yet: only the state at the beginning of the call is asserted; continue, and assert another state
    (nopol) resume 7
    there is no checkpoint 7: `checkpoints` lists them
    (nopol) undo
    removed checkpoint 0
    (nopol) undo
    there is nothing to undo
    (nopol) rewrite
    there is no patch yet: `repair` searches for one
    (nopol) print head->data
    n1->data = 10
    (nopol) quit
    "#);
}

#[test]
fn a_crash_and_an_endless_loop_leave_the_session_usable() {
    let program = "\
#include <stdlib.h>
struct node { int data; struct node *next; };
struct node *head = NULL;
void follow(void) {
    struct node *at = head;
    at = at->next;
    head = at;
}
void spin(void) {
    while (head == NULL) {
    }
}
int main(int argc, char **argv) {
    if (argc > 1) {
        spin();
    }
    follow();
    return 0;
}
";
    let subject = Subject::new(&[
        ("crash.c", program),
        (
            "script",
            "break follow\nstart\ncontinue\nnext; next; next\nprint head\nstart\nprint head\nquit\n",
        ),
    ]);
    let run = subject.nopol(&["c", "debug", "--replay", "script", "crash.c"]);
    assert!(run.stdout.contains("SIGSEGV"), "{}", run.stdout);
    assert_eq!(
        run.stdout.matches("\nhead = null").count(),
        4,
        "{}",
        run.stdout
    );
    fs::write(
        subject.root.join("script"),
        "break spin\nstart\ncontinue\ncontinue\nprint head\nquit\n",
    )
    .unwrap();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--command-timeout",
        "1",
        "--replay",
        "script",
        "crash.c",
        "--",
        "spin",
    ]);
    assert!(
        run.stdout.contains("the program ran for 1 s"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.trim_end().ends_with("head = null\n(nopol) quit"),
        "{}",
        run.stdout
    );
}

#[test]
fn arrays_of_numbers_are_one_row_and_their_elements_can_be_changed() {
    let program = "\
#include <stdlib.h>
#include <string.h>
struct cat { char name[8]; int lives[3]; unsigned char paws[2]; struct cat *kin[2]; };
struct cat *add(const char *name) {
    struct cat *cat = calloc(1, sizeof *cat);
    strcpy(cat->name, name);
    cat->lives[1] = 9;
    cat->paws[0] = 65;
    return cat;
}
int main(void) {
    struct cat *cat = add(\"mow\");
    int count[2] = {1, 2};
    return count[0] - 1;
}
";
    let subject = Subject::new(&[("cats.c", program)]);
    let script = "start\nnext 2\nprint cat->name\nprint cat->name[1]\nprint count\nchange cat->name 5\n\
                  print cat->kin\nchange cat->name[1] 97\nchange n1->lives[2] 4\nquit\n";
    let run = debug(&subject, script, "cats.c");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_snapshot!(run.stdout, @r#"
    (nopol) start
    the program is at the beginning of `main`
    cats.c:12  struct cat *cat = add("mow");

    no variables, no nodes
    (nopol) next 2
    cats.c:14  return count[0] - 1;

    count = [1, 2]*

    cat: list along kin[0]
      cat*
      ▼
    ┌─ n1* ───────────┐
    │ name "mow"      │ ──▶ ∅
    │ lives [0, 9, 0] │
    │ paws [65, 0]    │
    │ kin[1] ▸ null   │
    └─────────────────┘
    (nopol) print cat->name
    n1->name = "mow"
    (nopol) print cat->name[1]
    n1->name[1] = 111
    (nopol) print count
    count = [1, 2]
    (nopol) change cat->name 5
    `n1->name` is an array: name one of its elements, such as `n1->name[0]`
    (nopol) print cat->kin
    `n1->kin` is an array: name one of its elements, such as `n1->kin[0]`
    (nopol) change cat->name[1] 97
    actual                                           │ corrected
    ──────                                           │ ─────────
    count = [1, 2]                                   │ count = [1, 2]
                                                     │
    cat: list along kin[0]                           │ cat: list along kin[0]
      cat                                            │   cat
      ▼                                              │   ▼
    ┌─ n1 ────────────┐                              │ ┌─ n1 ────────────┐
    │ name "mow"*     │ ──▶ ∅                        │ │ name "maw"*     │ ──▶ ∅
    │ lives [0, 9, 0] │                              │ │ lives [0, 9, 0] │
    │ paws [65, 0]    │                              │ │ paws [65, 0]    │
    │ kin[1] ▸ null   │                              │ │ kin[1] ▸ null   │
    └─────────────────┘                              │ └─────────────────┘
    (nopol) change n1->lives[2] 4
    actual                                           │ corrected
    ──────                                           │ ─────────
    count = [1, 2]                                   │ count = [1, 2]
                                                     │
    cat: list along kin[0]                           │ cat: list along kin[0]
      cat                                            │   cat
      ▼                                              │   ▼
    ┌─ n1 ─────────────┐                             │ ┌─ n1 ─────────────┐
    │ name "mow"*      │ ──▶ ∅                       │ │ name "maw"*      │ ──▶ ∅
    │ lives [0, 9, 0]* │                             │ │ lives [0, 9, 4]* │
    │ paws [65, 0]     │                             │ │ paws [65, 0]     │
    │ kin[1] ▸ null    │                             │ │ kin[1] ▸ null    │
    └──────────────────┘                             │ └──────────────────┘
    (nopol) quit
    "#);
}

#[test]
fn what_cannot_be_debugged_is_refused_with_what_to_do() {
    let subject = sessions();
    let run = subject.nopol(&["c", "debug", "absent"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("there is no program absent"),
        "{}",
        run.stderr
    );
    let run = subject.nopol(&["c", "debug", "--gdb", "./no-gdb", "reverse.c"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("apt install gdb"), "{}", run.stderr);
    let run = subject.nopol(&[
        "c",
        "debug",
        "--build",
        "cc -O2 -o plain reverse.c",
        "plain",
    ]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("no debug information"),
        "{}",
        run.stderr
    );
    let run = subject.nopol(&["c", "debug", "--build", "cc -nonsense", "plain"]);
    assert!(
        run.stderr.contains("`cc -nonsense` fails"),
        "{}",
        run.stderr
    );
    fs::write(subject.root.join("script"), "quit\n").unwrap();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--build",
        "cc -g -O2 -o fast reverse.c",
        "--replay",
        "script",
        "fast",
    ]);
    assert!(run.stderr.contains("optimized"), "{}", run.stderr);
}

#[test]
fn pictures_and_commands_are_written_where_the_user_says() {
    let subject = sessions();
    fs::write(subject.root.join("script"), "start\nnext\nquit\n").unwrap();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--replay",
        "script",
        "--svg",
        "pictures",
        "--save",
        "typed",
        "reverse.c",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(subject.read("typed"), "start\nnext\nquit\n");
    assert!(subject.read("pictures/0002.svg").contains("<svg"));
    let run = subject.nopol(&[
        "c",
        "debug",
        "--replay",
        "script",
        "--save",
        "typed",
        "reverse.c",
    ]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("typed exists already"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_freed_node_keeps_its_name_after_finish() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstruct item { int value; struct item *next; };\nstruct item *list, *last;\n\
                static void drop(void) {\n    struct item *first = list;\n    list = first->next;\n    free(first);\n    last->value = 3;\n}\n\
                int main(void) {\n    list = calloc(1, sizeof *list);\n    list->next = calloc(1, sizeof *list);\n    last = list->next;\n    struct item *kept = list;\n    \
                drop();\n    last->value = 4;\n    puts(\"dropped (malloc)\");\n    return kept == list;\n}\n";
    let subject = Subject::new(&[("drop.c", text)]);
    let script = "break drop; start; continue; next; next; next; print; finish; finish; next; next; next; print";
    let run = debug(&subject, script, "drop.c");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (_, after) = run
        .stdout
        .rsplit_once("finish; finish; next; next; next; print")
        .unwrap_or(("", &run.stdout));
    assert!(after.contains("n2 (freed)"), "{}", run.stdout);
    assert!(!after.contains("n3"), "{}", run.stdout);
    // In a function that is not followed, too.
    let script = "break drop; start; continue; finish; finish; next; next; next; next; print";
    let text = text.replace(
        "return kept == list;",
        "free(last);\n    return kept == list;",
    );
    let subject = Subject::new(&[("drop.c", &text)]);
    let run = debug(&subject, script, "drop.c");
    assert!(run.stdout.contains("n1 (freed)"), "{}", run.stdout);
}
