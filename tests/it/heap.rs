//! `cargo nopol c debug` and `cargo nopol heap`: real gdb, real z3.

use std::fs;

use insta::assert_snapshot;

use crate::common::{Run, Subject, fixtures};

/// A directory with the programs and scripts of the paper's sessions.
pub fn sessions() -> Subject {
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

pub fn debug(subject: &Subject, script: &str, program: &str) -> Run {
    fs::write(subject.root.join("script"), script).unwrap();
    subject.nopol(&["c", "debug", "--replay", "script", program])
}

/// What is said without the pictures.
pub fn said(run: &Run) -> String {
    let lines = run.stdout.lines().filter(|line| {
        !line.contains(['│', '┌', '└', '▼', '─']) && !line.is_empty() && !line.starts_with("node: ")
    });
    let lines: Vec<&str> = lines.collect();
    lines.join("\n")
}

/// The last patch that is shown.
pub fn patch(run: &Run) -> String {
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
pub fn logging() -> Subject {
    let text =
        |file: &str| fs::read_to_string(fixtures().join("heap/sessions").join(file)).unwrap();
    Subject::new(&[("log.c", &text("log.c")), ("log.nopol", &text("log.nopol"))])
}

pub const LOGGING: &str = "cc -g -O0 -o log log.c -lm";

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
    the effect of line 41 is taken from the run: the argument `name` has a type that is not modelled
    the effect of line 42 is taken from the run: `sqrt` is neither a function of the program nor a supported library function
    the effect of lines 43-44 is taken from the run: arrays are not modelled
    the effect of line 50 is taken from the run: `log_entry` is not modelled: the type `double` is used, and floating-point numbers are not supported
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
            .ends_with("there is nothing to repair: the program satisfies all assertions"),
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
            .contains("the program was stopped after 1 s, before it got there\n"),
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
#[ignore = "make test-full: it takes long"]
fn the_page_about_linked_structures_shows_what_the_session_prints() {
    let page = fs::read_to_string(fixtures().with_file_name("docs/heap.md")).unwrap();
    let page = timeless(&page);
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
