//! `cargo nopol c debug` and `cargo nopol heap`: real gdb, real z3.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{Run, Subject, fixtures};

/// A directory with the programs and scripts of the paper's sessions.
fn sessions() -> Subject {
    let files = ["reverse.c", "reverse.nopol", "hopping.c", "hopping.nopol"];
    let texts =
        files.map(|file| fs::read_to_string(fixtures().join("heap/sessions").join(file)).unwrap());
    let files: Vec<(&str, &str)> = files
        .iter()
        .copied()
        .zip(texts.iter().map(String::as_str))
        .collect();
    Subject::new(&files)
}

fn debug(subject: &Subject, script: &str, program: &str) -> Run {
    fs::write(subject.root.join("script"), script).unwrap();
    subject.nopol(&["c", "debug", "--replay", "script", program])
}

/// What is said without the pictures.
fn said(run: &Run) -> String {
    let lines = run.stdout.lines().filter(|line| {
        !line.contains(['│', '┌', '└', '▼', '─']) && !line.is_empty() && !line.starts_with("node: ")
    });
    let lines: Vec<&str> = lines.collect();
    lines.join("\n")
}

/// The last patch that is shown.
fn patch(run: &Run) -> String {
    let (_, diff) = run.stdout.rsplit_once("--- a/").expect(&run.stdout);
    let lines = diff
        .lines()
        .filter(|line| line.starts_with(['+', '-']) && !line.starts_with("+++"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_papers_first_session_ends_with_all_three_faults_repaired() {
    let subject = sessions();
    let before = subject.snapshot();
    let run = subject.nopol(&["c", "debug", "--replay", "reverse.nopol", "reverse.c"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_snapshot!(patch(&run), @"
    -    while (temp1 != NULL) {
    +    while (current != NULL) {
    -        current->prev = temp2;
    +        current->prev = current->next;
    +    head = temp2->prev;
    ");
    assert_eq!(subject.snapshot(), before);
}

#[test]
fn the_papers_second_session_hops_between_checkpoints_and_goes_on_with_the_patch() {
    let subject = sessions();
    let run = subject.nopol(&["c", "debug", "--replay", "hopping.nopol", "hopping.c"]);
    assert_snapshot!(patch(&run), @"
    -        current->prev = temp1;
    -        current->next = temp2;
    +        current->prev = temp2;
    +        current->next = temp1;
    ");
    // The list is printed as the patched program has it.
    let printed: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .collect();
    assert_eq!(printed, ["2", "4", "8", "10"], "{}", run.stdout);
}

/// A program with much that is not modelled.
fn logging() -> Subject {
    let text =
        |file: &str| fs::read_to_string(fixtures().join("heap/sessions").join(file)).unwrap();
    Subject::new(&[("log.c", &text("log.c")), ("log.nopol", &text("log.nopol"))])
}

const LOGGING: &str = "cc -g -O0 -o log log.c -lm";

#[test]
fn what_statements_do_that_are_not_modelled_is_taken_from_the_run() {
    let subject = logging();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--build",
        LOGGING,
        "--replay",
        "log.nopol",
        "log",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_snapshot!(patch(&run), @"
    -        before->next = at;
    +        before->next = e;
    ");
    let told = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("the effect of line"));
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    the effect of line 41 is taken from the run: this argument is not modelled
    the effect of line 42 is taken from the run: `sqrt` is neither a function of the program nor one of the library that is supported
    the effect of lines 43-44 is taken from the run: arrays are not modelled
    the effect of line 50 is taken from the run: `log_entry` is neither a function of the program nor one of the library that is supported
    ");
    // As the patched program has it.
    assert!(run.stdout.contains("| 3.0\n"), "{}", run.stdout);
}

#[test]
fn structures_with_names_of_types_and_doubles_are_repaired() {
    let subject = Subject::new(&[("queue.c", QUEUE)]);
    let script = "start; break drop; continue; next 3; change q->first n3; spec; repair";
    let run = debug(&subject, script, "queue.c");
    assert_snapshot!(patch(&run), @"
    -    q->first = job;
    +    q->first = job->next;
    ");
}

/// A queue whose first entry stays when it is dropped.
const QUEUE: &str = r"
#include <stdlib.h>
typedef struct job { int id; double cost; struct job *next; } job_t;
typedef struct { job_t *first; int count; } queue_t;
static void drop(queue_t *q) {
    job_t *job = q->first;
    q->first = job;
    q->count = q->count - 1;
}
int main(void) {
    queue_t *queue = calloc(1, sizeof *queue);
    for (int i = 0; i < 2; i++) {
        job_t *job = malloc(sizeof *job);
        job->id = i;
        job->cost = i / 2.0;
        job->next = queue->first;
        queue->first = job;
        queue->count++;
    }
    drop(queue);
    return queue->first->id;
}
";

#[test]
fn a_global_that_a_pointer_leads_to_is_one_thing_and_its_end_can_be_asserted() {
    let subject = Subject::new(&[("jobs.c", JOBS)]);
    let script = "start; break drop; continue; next 3; enter; finish; print queue.last; spec; repair; finish";
    let run = debug(&subject, script, "jobs.c");
    assert_snapshot!(patch(&run), @"
    -    if (q->count == 1) {
    +    if (q->count < 1) {
    ");
    let ends = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("jobs.c:"));
    assert_snapshot!(ends.collect::<Vec<_>>().join("\n"), @"
    jobs.c:16  struct job *job = malloc(sizeof *job);
    jobs.c:7  struct job *job = q->first;
    jobs.c:11  q->last = NULL;
    jobs.c:14  }
    jobs.c:23  return queue.count;
    ");
    assert!(run.stdout.contains("\nn2->last = null\n"), "{}", run.stdout);
}

/// A queue whose last entry is still known when it is dropped.
const JOBS: &str = r"
#include <stdlib.h>
struct job { int id; struct job *next; };
struct queue { struct job *first; struct job *last; int count; };
struct queue queue;
static void drop(struct queue *q) {
    struct job *job = q->first;
    q->first = job->next;
    q->count = q->count - 1;
    if (q->count == 1) {
        q->last = NULL;
    }
    free(job);
}
int main(void) {
    struct job *job = malloc(sizeof *job);
    job->id = 7;
    job->next = NULL;
    queue.first = job;
    queue.last = job;
    queue.count = 1;
    drop(&queue);
    return queue.count;
}
";

#[test]
fn memory_that_is_given_out_again_is_a_new_node() {
    let text = JOBS.replace("q->count == 1", "q->count == 0").replace(
        "    return queue.count;",
        "    struct job *next = malloc(sizeof *next);\n    next->id = 8;\n    next->next = NULL;\n    queue.first = next;\n    \
         queue.last = next;\n    queue.count = 1;\n    drop(&queue);\n    return queue.count;",
    );
    let subject = Subject::new(&[("jobs.c", &text)]);
    let script = "start; break drop; continue; finish; spec; finish; continue; print queue.first->id; finish; spec; repair";
    let run = debug(&subject, script, "jobs.c");
    assert!(run.stdout.contains("->id = 8\n"), "{}", run.stdout);
    assert!(
        run.stdout
            .trim_end()
            .ends_with("nothing has to be changed: the program fulfils all assertions"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_malloc_left_in_a_new_node_need_not_be_explained() {
    let subject = Subject::new(&[("push.c", PUSH)]);
    let script = "start; break push; continue; next 4; change head n2; spec; repair";
    let run = debug(&subject, script, "push.c");
    assert_snapshot!(patch(&run), @"
    -    head = head;
    +    head = node;
    ");
    assert!(run.stdout.contains("fields of new nodes"), "{}", run.stdout);
}

/// A new node is not linked, and one of its fields is never set.
const PUSH: &str = r"
#include <stdlib.h>
#include <string.h>
struct node { int data; int mark; struct node *next; };
struct node *head;
static void push(int data) {
    struct node *node = malloc(sizeof *node);
    node->data = data;
    node->next = head;
    head = head;
}
int main(void) {
    struct node *first = calloc(1, sizeof *first);
    struct node *dirt = malloc(sizeof *dirt);
    memset(dirt, 0x55, sizeof *dirt);
    free(dirt);
    head = first;
    push(1);
    return head->data;
}
";

#[test]
fn a_row_of_steps_ends_at_the_limit() {
    let subject = Subject::new(&[("spin.c", SPIN)]);
    fs::write(
        subject.root.join("script"),
        "start; break spin; continue; spec; finish; print at->next",
    )
    .unwrap();
    let run = subject.nopol(&[
        "c",
        "debug",
        "--command-timeout",
        "1",
        "--replay",
        "script",
        "spin.c",
    ]);
    assert!(
        run.stdout
            .contains("the program was stopped after 1 s, before it was there\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("n1->next = n1\n"), "{}", run.stdout);
}

/// A walk around a ring, which does not end.
const SPIN: &str = r"
struct node { struct node *next; };
static struct node ring;
static void spin(struct node *at) {
    while (at) {
        at = at->next;
    }
}
int main(void) {
    ring.next = &ring;
    spin(&ring);
}
";

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
            .contains("`cargo nopol c apply` writes it into the source")
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
            "there is no test `nothing`; the tests are `reversed`, `shell`",
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
    let script = "next\nstart\nfrob\nprint haed\nchange head n9\nchange head\nenter\nspec\nrepair\nbreak nowhere\nbreak reverse\ncontinue\nchange head->nxt null\nchange head 5\nchange n1->data n2\nchange n1->data 99999999999\nnext 0\nspec\nrepair\nresume 7\nundo\nundo\nrewrite\nprint head->data\nquit\n";
    let run = debug(&subject, script, "reverse.c");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_snapshot!(said(&run), @r#"
    (nopol) next
    the program does not run: `start` starts it
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
    (nopol) change head
    `change head` needs a value: `change head n3`
    (nopol) enter
    there is no loop or branch here
    (nopol) spec
    states are asserted within the function under repair: `step` enters one
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
    (nopol) change n1->data n2
    n1->data holds a number: n2 does not fit
    (nopol) change n1->data 99999999999
    n1->data cannot hold 99999999999: it would be 1215752191
    (nopol) next 0
    `next 0` executes nothing
    (nopol) spec
    the state is added to the specification: checkpoint 0
    (nopol) repair
    nothing has to be changed: only the state at the beginning of the call is asserted; continue, and assert another one
    (nopol) resume 7
    there is no checkpoint 7: `checkpoints` lists them
    (nopol) undo
    checkpoint 0 is removed
    (nopol) undo
    there is nothing to take back
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
    as the program has it                            │ as you want it
    ─────────────────────                            │ ──────────────
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
    as the program has it                            │ as you want it
    ─────────────────────                            │ ──────────────
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
        run.stdout.contains("is correct in all 4 calls"),
        "{}",
        run.stdout
    );
    assert_eq!(subject.nopol_c(&["undo"]).code, 0);
    assert_eq!(subject.read("s05.c"), before);
}

#[test]
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
            "none of the changes that this command tries leads to the expected heap of call 2"
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
}

/// Without the seconds that a search took.
fn timeless(text: &str) -> String {
    let mut parts = text.split("repaired in ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once(" s").map_or(part, |(_, rest)| rest);
        out += &format!("repaired in [TIME] s{rest}");
    }
    out
}

#[test]
fn the_page_about_linked_structures_shows_what_the_session_prints() {
    let page = fs::read_to_string(fixtures().with_file_name("docs/heap.md")).unwrap();
    let subject = sessions();
    let run = subject.nopol(&["c", "debug", "--replay", "reverse.nopol", "reverse.c"]);
    let printed = timeless(&run.stdout);
    let mut shown = page.split("```text\n").skip(1).peekable();
    assert!(shown.peek().is_some());
    for block in shown {
        let (block, _) = block.split_once("```").unwrap();
        assert!(printed.contains(block), "{block}\nis not in\n{printed}");
    }
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
        ("Stack::append", "`&mut node.next` is beyond pointers"),
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
    let reason = "`piped` is left out: its command is a script, or needs a shell as it is written";
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
        run.stdout.contains("in force from here on"),
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
    let sentence = "but the patch is not in force, because line 14 has several statements, and gdb can only execute all of them \
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
            "(nopol) spec\nthe state is added to the specification: checkpoint 0\n(nopol) next 2"
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
        !run.stdout.contains("in force from here on"),
        "{}",
        run.stdout
    );
    let sentence =
        "the patch is in force in `last`, once `start` or `resume` leads away from SIGSEGV:";
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
            "the program waits for input, which it does not get in a session: it was interrupted"
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
            "plain.cpp is written in C++: `debug` is for C programs",
        ),
        (
            &["c", "debug", "plain.rs"][..],
            "plain.rs is written in Rust: `debug` is for C programs",
        ),
        (
            &build[..],
            "plain is written in Rust: `debug` is for C programs",
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
