//! What `debug` and `heap` claim of programs that are easily misread: loops in one line, names of types, unsigned numbers, searches by
//! tests that end early.

use std::fs;

use crate::common::{Run, Subject};

fn session(source: &str, script: &str) -> Run {
    let subject = Subject::new(&[("a.c", source), ("script", script)]);
    subject.nopol(&["c", "debug", "--replay", "script", "a.c"])
}

/// A program with a description whose tests these are: arguments and output.
fn described(source: &str, tests: &[(&str, &str)]) -> Subject {
    let mut text = "[c]\nsources = [\"a.c\"]\nbuild = \"cc -g -O0 -o a a.c\"\n".to_owned();
    for (number, (arguments, output)) in tests.iter().enumerate() {
        text.push_str(&format!(
            "[[c.test]]\nname = \"t{number}\"\ncommand = \"./a {arguments}\"\nstdout = \"{output}\"\nmatch = \"space\"\n"
        ));
    }
    Subject::new(&[("a.c", source), ("nopol.toml", &text)])
}

/// Takes a value out of a list; its loop is in one line.
const TAKE: &str = r"#include <stdlib.h>
struct item { int at; struct item *more; };
struct item *top;
void take(int at) {
    struct item *last = NULL, *one = top;
    while (one && one->at != at) { last = one; one = one->more; }
    if (!one) return;
    if (last) last->more = one; else top = one->more;
    free(one);
}
int main(void) {
    for (int i = 0; i < 4; i++) { struct item *x = malloc(sizeof *x); x->at = i; x->more = top; top = x; }
    take(1);
    return 0;
}
";

#[test]
fn a_loop_in_one_line_is_not_taken_for_one_that_did_not_run() {
    let script = "break take\nstart\ncontinue\nspec\nfinish\nchange n2->more n4\nspec\nrepair";
    let run = session(TAKE, script);
    assert!(
        run.stdout
            .contains("a loop is on one line: its iterations were not observed"),
        "{}",
        run.stdout
    );
    let lines = run
        .stdout
        .lines()
        .filter(|line| line.starts_with(['-', '+']));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(
        lines[2..],
        [
            "-    if (last) last->more = one; else top = one->more;",
            "+    if (last) last->more = one->more; else top = one->more;"
        ],
        "{}",
        run.stdout
    );
    // What is right is called right.
    let right = TAKE.replace("last->more = one;", "last->more = one->more;");
    let run = session(
        &right,
        "break take\nstart\ncontinue\nspec\nfinish\nspec\nrepair",
    );
    assert!(
        run.stdout.contains("there is nothing to repair"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_state_in_a_loop_can_be_asserted_again_after_undo() {
    let source = TAKE.replace(
        "{ last = one; one = one->more; }",
        "{\n        last = one;\n        one = one->more;\n    }",
    );
    let script = "break take\nstart\ncontinue\nspec\nnext 4\nspec\nundo\nspec\nrepair";
    let run = session(&source, script);
    assert!(
        run.stdout.contains("removed checkpoint 1"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("there is nothing to repair"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_variable_that_cannot_be_read_leads_to_no_patch() {
    let source = r"#include <stdlib.h>
typedef struct chain { int links; struct chain *next; } chain;
void grow(chain *chain) {
    chain->links++;
    chain->next = chain;
}
int main(void) { chain *c = calloc(1, sizeof *c); grow(c); return c->links; }
";
    let run = session(
        source,
        "break grow\nstart\ncontinue\nspec\nfinish\nspec\nrepair",
    );
    // It is right: either it can be read and nothing is to be changed, or the session says what it cannot read.
    assert!(!run.stdout.contains("repaired in"), "{}", run.stdout);
    let is_read = run.stdout.contains("there is nothing to repair");
    let is_named = run
        .stdout
        .contains("`chain` cannot be read: nothing is asserted about it")
        && run.stdout.contains("cannot search for a repair");
    assert!(is_read || is_named, "{}", run.stdout);
}

/// Right only if keys have no sign.
const LEVEL: &str = r#"#include <stdio.h>
#include <stdlib.h>
struct cup { unsigned int level; struct cup *next; };
struct cup *first;
void fill(unsigned int most) {
    struct cup *cup = first;
    cup->level = cup->level + 1;
    if (cup->level <= most) { cup->level = 7; }
}
void fill_reference(unsigned int most) {
    struct cup *cup = first;
    cup->level = cup->level + 1;
    if (most >= cup->level) { cup->level = 7; }
}
int main(int argc, char **argv) {
    first = calloc(1, sizeof *first);
    first->level = 4000000000u;
    fill(argc > 1 ? 5 : 4100000000u);
    printf("%u\n", first->level);
    return 0;
}
"#;

#[test]
fn unsigned_numbers_are_right_where_signed_ones_would_not_be() {
    let subject = described(LEVEL, &[("", "7"), ("x", "4000000001")]);
    let run = subject.nopol_c(&[
        "heap",
        "--function",
        "fill",
        "--reference-function",
        "fill_reference",
    ]);
    assert!(
        run.stdout
            .contains("`fill` meets the specification in both calls"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let pre = "first = n1; n1.level = 4000000000; most = 5";
    let post = "n1.level = 4000000001";
    let run = subject.nopol_c(&["heap", "--function", "fill", "--pre", pre, "--post", post]);
    assert!(
        run.stdout.contains("`fill` meets the specification.\n"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let pre = "first = n1; n1.level = -1; most = 5";
    let run = subject.nopol_c(&["heap", "--function", "fill", "--pre", pre, "--post", post]);
    assert!(
        run.stderr
            .contains("`n1.level` cannot hold -1: it would be 4294967295"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    fs::write(
        subject.root.join("script"),
        "break fill\nstart\ncontinue\nspec\nfinish\nspec\nrepair",
    )
    .unwrap();
    let run = subject.nopol(&["c", "debug", "--replay", "script", "a.c"]);
    assert!(
        run.stdout.contains("there is nothing to repair"),
        "{}",
        run.stdout
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn two_wrong_statements_are_repaired_by_tests() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
struct leaf { int key; struct leaf *left, *right; };
static struct leaf *root;
void put(int key) {
    struct leaf *fresh = calloc(1, sizeof *fresh);
    fresh->key = key;
    struct leaf *above = NULL;
    struct leaf *at = root;
    while (at != NULL) {
        above = at;
        if (key < at->key)
            at = at->left;
        else
            at = at->left;
    }
    if (above == NULL)
        root = fresh;
    else if (key < above->key)
        above->left = fresh;
    else
        above->left = fresh;
}
static void show(const struct leaf *leaf) {
    if (!leaf) return;
    show(leaf->left);
    printf("%d ", leaf->key);
    show(leaf->right);
}
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        put(atoi(argv[i]));
    show(root);
    return 0;
}
"#;
    let subject = described(
        source,
        &[("5 3", "3 5"), ("4 6 5", "4 5 6"), ("1 2 3", "1 2 3")],
    );
    let arguments = [
        "heap",
        "--function",
        "put",
        "--failing",
        "t1",
        "--failing",
        "t2",
    ];
    let run = subject.nopol_c(&arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let mended = [
        "+            at = at->right;",
        "+        above->right = fresh;",
    ];
    assert!(
        mended.iter().all(|line| run.stdout.contains(line)),
        "{}",
        run.stdout
    );
    // Too little time: the answer says so, and what it ended.
    let run = subject.nopol_c(&[&arguments[..], &["--time-limit", "0"]].concat());
    assert!(
        run.stdout.contains(
            "The time limit of 0 s (--time-limit sets another) ended the run of the tests"
        ),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn a_static_variable_of_another_function_has_no_name_in_a_patch() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
struct item { int key; struct item *next; };
struct item *items;
struct item *find(int key) {
    struct item *at = items;
    while (at != NULL && at->key != key)
        at = at->next;
    return items;
}
int main(int argc, char **argv) {
    static struct item first = {4, NULL}, second = {7, &first};
    items = &second;
    printf("%d\n", argc > 1 ? find(atoi(argv[1]))->key : 0);
    return 0;
}
"#;
    let subject = described(source, &[("4", "4"), ("7", "7")]);
    let run = subject.nopol(&["c", "heap", "--function", "find", "--failing", "t0"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("+    return at;"), "{}", run.stdout);
    assert!(!run.stdout.contains("does not name"), "{}", run.stdout);
    let run_of_passing = subject.nopol(&["c", "heap", "--failing", "t1"]);
    assert_eq!(run_of_passing.stdout, "`t1` passes, but `t0` fails.\n");
    let mut added = run.stdout.lines().filter(|line| line.starts_with('+'));
    assert!(!added.any(|line| line.contains("second")), "{}", run.stdout);
}

#[test]
fn memory_of_calloc_and_a_global_that_was_not_used_hold_zeros() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
struct page { int number; struct page *next; };
static struct page *book;
void bind(int number) {
    struct page *page = calloc(1, sizeof *page);
    page->number = number;
    if (book != NULL)
        page->next = page;
    book = page;
}
void bind_reference(int number) {
    struct page *page = calloc(1, sizeof *page);
    page->number = number;
    if (book != NULL)
        page->next = book;
    book = page;
}
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        bind(atoi(argv[i]));
    printf("%d\n", book->number);
    return 0;
}
"#;
    let subject = described(source, &[("1", "1"), ("1 2", "2")]);
    let arguments = [
        "heap",
        "--function",
        "bind",
        "--reference-function",
        "bind_reference",
    ];
    let run = subject.nopol_c(&arguments);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout
            .contains("`bind` violates the specification in 1 of 3 calls"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("+        page->next = book;"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_field_of_a_freed_node_is_not_changed() {
    let program = "\
#include <stdlib.h>
struct node { struct node *next; };
struct node *head;
static void drop_first(void)
{
    struct node *first = head;
    head = first->next;
    free(first);
    head = head;
}
int main(void)
{
    head = malloc(sizeof *head);
    head->next = malloc(sizeof *head);
    head->next->next = NULL;
    drop_first();
    return 0;
}
";
    let subject = Subject::new(&[("drop.c", program)]);
    let script =
        "break drop_first\nstart\ncontinue\nspec\nfinish\nchange n1->next n2\nchange head null";
    fs::write(subject.root.join("script"), script).unwrap();
    let run = subject.nopol(&["c", "debug", "--replay", "script", "drop.c"]);
    assert!(
        run.stdout
            .contains("n1 was freed: nothing can be asserted about its fields"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("│ corrected"), "{}", run.stdout);
}

#[test]
fn what_becomes_of_failing_tests_that_are_not_named_is_said() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
struct item { int key; struct item *next; };
struct item *items;
struct item *find(int key) {
    struct item *at = items;
    while (at != NULL && at->key != key)
        at = at->next;
    return items;
}
int main(int argc, char **argv) {
    static struct item first = {4, NULL}, second = {7, &first};
    items = &second;
    printf("%d\n", argc > 1 ? find(atoi(argv[1]))->key : 0);
    return 0;
}
"#;
    // The first and the third need the same repair; no repair makes the last one pass.
    let subject = described(
        source,
        &[("4", "4"), ("7", "7"), ("4 1", "4"), ("7 1", "8")],
    );
    let run = subject.nopol(&["c", "heap", "--function", "find", "--failing", "t0"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout
            .contains("of the tests that --failing does not name, the patch also fixes `t2`")
            && run.stdout.contains(", and `t3` still fails"),
        "{}",
        run.stdout
    );
}

/// Pushes three values, and looks for one in a loop without a body.
const PUSHED: &str = r"#include <stdlib.h>
struct cell { int held; struct cell *below; };
struct cell *pile;
int is_done(struct cell *cell) { return cell->held < 2; }
struct cell *push(int held) {
    struct cell *cell = malloc(sizeof *cell);
    cell->held = held;
    cell->below = pile;
    pile = cell;
    return cell;
}
void sink(void) {
    struct cell *cell = pile;
    while (cell->held > 5) {
    }
    do {
    } while (cell->held > 9);
    pile = cell;
}
int main(void) {
    push(1);
    push(2);
    push(3);
    sink();
    return 0;
}
";

#[test]
fn undo_takes_back_the_last_thing_first_and_removes_a_checkpoint() {
    let script = "break push\nstart\ncontinue\nspec\nnext 2\nchange cell->held 7\nchange cell->held 8\nspec\nundo\ncheckpoints\n\
                  undo\nprint cell->held\nundo\nprint cell->held\nchange cell->held 9\nnext\nundo\nundo\ncheckpoints\nundo";
    let run = session(PUSHED, script);
    let said: Vec<&str> = run.stdout.lines().collect();
    let answer = |number: usize| {
        let mut prompts = said
            .iter()
            .enumerate()
            .filter(|(_, line)| line.starts_with("(nopol) "));
        prompts
            .nth(number)
            .map_or("", |(at, _)| said.get(at + 1).copied().unwrap_or_default())
    };
    let answers = [
        (8, "removed checkpoint 1"),
        (9, "> 0  line 6: pile → null"),
        (10, "n1->held is 7 again"),
        (11, "n1->held = 7"),
        (12, "n1->held is 1 again"),
        (13, "n1->held = 1"),
        (
            16,
            "the change of `n1->held` stays, because the program has moved on since then; another `undo` undoes the `change` or `spec` before it",
        ),
        (17, "removed checkpoint 0"),
        (18, "there are no checkpoints: `spec` makes one"),
        (19, "there is nothing to undo"),
    ];
    for (number, wanted) in answers {
        assert_eq!(answer(number), wanted, "{number}: {}", run.stdout);
    }
}

#[test]
fn a_checkpoint_that_others_come_after_is_kept_by_undo_and_the_answer_says_so() {
    let script = "break push\nstart\ncontinue\nspec\nnext\nspec\nresume 0\nundo\ncheckpoints\nresume 0\ncheckpoints";
    let run = session(PUSHED, script);
    let undone = "checkpoint 0 no longer counts; it is kept, because checkpoint 1 follows it, and counts again after `resume`\n";
    assert!(run.stdout.contains(undone), "{}", run.stdout);
    assert!(run.stdout.contains("\n  0  line 6"), "{}", run.stdout);
    assert!(run.stdout.contains("\n> 0  line 6"), "{}", run.stdout);
}

#[test]
fn nothing_is_entered_where_there_is_no_statement() {
    let run = session(
        PUSHED,
        "break sink\nstart\ncontinue\nnext\nenter\nleave\nenter\nleave\nspec",
    );
    let refused =
        "(nopol) enter\nthe body of this loop has no statement: there is nothing to enter";
    assert_eq!(run.stdout.matches(refused).count(), 2, "{}", run.stdout);
    // The condition of a `do` is reached where it is written.
    for left in ["a.c:17  } while", "a.c:18  pile = cell;"] {
        assert!(run.stdout.contains(left), "{}", run.stdout);
    }
}

#[test]
fn a_resumed_checkpoint_is_not_compared_with_a_later_state() {
    let run = session(
        PUSHED,
        "break push\nstart\ncontinue\nspec\nnext 2\ncontinue\nresume 0\nnext",
    );
    let (_, after) = run.stdout.split_once("(nopol) resume 0").unwrap();
    let (resumed, next) = after.split_once("(nopol) next").unwrap();
    assert!(resumed.contains("pile = null   held = 1"), "{}", run.stdout);
    assert!(!resumed.contains("n1"), "{}", run.stdout);
    assert!(next.contains("n1"), "{}", run.stdout);
}

/// Two files, each with a function of the same name; the one of `b.c` is wrong.
const NAMESAKES: [(&str, &str); 3] = [
    (
        "a.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include \"t.h\"\n\
         static void put(struct tile **at, struct tile *tile) {\n    tile->under = *at;\n    *at = tile;\n}\n\
         int main(void) {\n    struct tile *top = NULL;\n    for (int i = 0; i < 3; i++) {\n        struct tile *tile = calloc(1, sizeof *tile);\n\
         \x20       tile->mark = i;\n        put(&top, tile);\n    }\n    other(top);\n    printf(\"%d\\n\", top->under->mark);\n    return 0;\n}\n",
    ),
    (
        "b.c",
        "#include \"t.h\"\nstatic void put(struct tile *top) {\n    top->under = top;\n    top->under = top->under->under;\n}\n\
         void other(struct tile *top) {\n    put(top);\n}\n",
    ),
    (
        "t.h",
        "struct tile { int mark; struct tile *under; };\nvoid other(struct tile *top);\n",
    ),
];

#[test]
fn heap_asks_which_of_two_namesakes_is_meant() {
    let described = "[c]\nsources = [\"a.c\", \"b.c\"]\nbuild = \"cc -o a a.c b.c\"\n\
        [[c.test]]\nname = \"t\"\ncommand = \"./a\"\nstdout = \"0\\n\"\n";
    let mut files = NAMESAKES.to_vec();
    files.push(("nopol.toml", described));
    let subject = Subject::new(&files);
    let states = [
        "--pre",
        "top = n1; n1.under = n2; n2.under = n3",
        "--post",
        "top = n1; n1.under = n3",
    ];
    for rest in [states.as_slice(), &["--failing", "t"]] {
        let run = subject.nopol(&[&["c", "heap", "--function", "put"], rest].concat());
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        let wanted = "several functions have the name `put`";
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
        assert!(run.stderr.contains("write FILE:put"), "{}", run.stderr);
        let run = subject.nopol(&[&["c", "heap", "--function", "b.c:put"], rest].concat());
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("+++ b/b.c"), "{}", run.stdout);
    }
}

#[test]
fn a_repair_that_uses_freed_memory_is_none() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
struct link { int size; struct link *next; };
static struct link *first;
static void add(int size) {
    struct link *link = malloc(sizeof *link);
    link->size = size;
    link->next = first;
    first = link;
}
static void drop(int size) {
    struct link *at = first, *last = NULL, *more;
    while (at != NULL && at->size != size) {
        last = at;
        at = at->next;
    }
    if (at == NULL)
        return;
    more = at->next;
    free(at);
    if (last == NULL)
        first = last;
    else
        last->next = more;
}
int main(int argc, char **argv) {
    add(1);
    add(2);
    add(3);
    drop(atoi(argv[1]));
    for (struct link *at = first; at != NULL; at = at->next)
        printf("%d ", at->size);
    return 0;
}
"#;
    let tests = [("3", "2 1"), ("2", "3 1"), ("9", "3 2 1")];
    let subject = described(source, &tests);
    let run = subject.nopol(&["c", "heap", "--failing", "t0"]);
    assert!(
        run.stdout.contains("first = more;"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    // In memory that was freed the old value may still be.
    assert!(!run.stdout.contains("first = at->next;"), "{}", run.stdout);
    let subject = described(
        &source.replace("first = last;", "first = at->next;"),
        &tests,
    );
    let run = subject.nopol(&["c", "faults"]);
    let wanted = "`t0` fails: freed memory is used at a.c:22";
    assert!(run.stdout.contains(wanted), "{}{}", run.stdout, run.stderr);
    let run = subject.nopol(&["c", "heap", "--failing", "t0"]);
    assert!(
        run.stdout.contains("first = more;"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn a_reference_that_frees_what_it_must_not_says_nothing() {
    let source = "#include <stdlib.h>\nstruct node { int value; struct node *next; };\nstruct node *list;\nstatic struct node anchor;\n\
        static void take(void)\n{\n    struct node *first = list->next;\n    list = first;\n    free(first);\n}\n\
        static void wanted(void)\n{\n    struct node *first = list->next;\n    list->next = NULL;\n    free(first);\n}\n\
        int main(int argc, char **argv)\n{\n    list = calloc(1, sizeof *list);\n    list->next = argc > 2 ? &anchor : calloc(1, sizeof anchor);\n    \
        take();\n    wanted();\n    return argv == 0;\n}\n";
    let ask = |tests: &[(&str, &str)]| {
        let subject = described(source, tests);
        subject.nopol(&[
            "c",
            "heap",
            "--function=take",
            "--reference-function=wanted",
        ])
    };
    let why = "1 call of `take` is left out, because `wanted` itself goes wrong there: memory is freed that was freed before or never allocated\n";
    let run = ask(&[("a b", "")]);
    assert_eq!(run.code, 4, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.ends_with(&format!("no call is left: {why}")),
        "{}",
        run.stderr
    );
    let run = ask(&[("a b", ""), ("a", "")]);
    assert!(
        run.stdout.starts_with(&format!("note: {why}")),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(
        run.stdout.contains("`take` violates the specification:"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_search_by_tests_says_how_far_it_is() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstruct node { int value; struct node *next; };\n\
        static struct node *drop(struct node *at)\n{\n    while (at != NULL && at->value > 0)\n        at = at->next;\n    return at;\n}\n\
        int main(int argc, char **argv)\n{\n    struct node *list = NULL;\n    for (int i = 1; i < argc; i++) {\n        \
        struct node *n = malloc(sizeof *n);\n        n->value = atoi(argv[i]);\n        n->next = list;\n        list = n;\n    }\n    \
        list = drop(list);\n    printf(\"%d\\n\", list ? list->value : -1);\n    return 0;\n}\n";
    let subject = described(source, &[("0 3", "0"), ("5 -4 2", "9")]);
    let run = subject.nopol(&["c", "heap", "--failing", "t1"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for phase in ["trying single changes", "trying pairs of changes"] {
        let mut lines = run.stderr.lines().filter(|line| line.contains(phase));
        let line = lines.next();
        assert!(
            line.is_some_and(|line| line.contains(" in `drop` (")),
            "{}",
            run.stderr
        );
    }
    let run = subject.nopol(&["c", "heap", "--failing", "t1", "--quiet"]);
    assert_eq!(run.stderr, "");
    // The tests are within the limit, too.
    let run = subject.nopol(&["c", "heap", "--failing", "t1", "--time-limit", "0.000001"]);
    assert_eq!(run.code, 5, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("ended the run of the tests"),
        "{}",
        run.stdout
    );
    let reference = ["c", "heap", "--function=drop", "--reference-function=drop"];
    let run = subject.nopol(&reference);
    assert!(
        run.stderr
            .contains("searching linked structures found no fault"),
        "{}",
        run.stderr
    );
}

/// A counter that is as large as its type allows.
const COUNTED: &str = "pub struct Node {
    pub key: i64,
    pub count: u8,
    pub next: Option<Box<Node>>,
}

pub struct Bag {
    pub head: Option<Box<Node>>,
    pub total: i64,
}

impl Bag {
    pub fn add(&mut self, key: i64) {
        let old = self.head.take();
        let node = Box::new(Node { key, count: 0, next: None });
        self.head = Some(node);
        self.total += 1;
    }

    pub fn hit(&mut self, key: i64) -> bool {
        let mut at = self.head.as_deref_mut();
        while let Some(node) = at {
            if node.key == key {
                node.count += 1;
                return true;
            }
            at = node.next.as_deref_mut();
        }
        false
    }
}
";

#[test]
fn a_call_that_overflows_meets_no_specification() {
    let subject = Subject::lib(COUNTED);
    let hit = |count: u32| {
        let before = format!(
            "self = n1; n1.head = n2; n2.key = 3; n2.count = {count}; n2.next = null; key = 3"
        );
        let after = format!("n2.count = {}; return = 1", (count + 1) % 256);
        subject.nopol(&[
            "heap",
            "--function",
            "Bag::hit",
            "--pre",
            &before,
            "--post",
            &after,
        ])
    };
    let run = hit(254);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("meets the specification"),
        "{}",
        run.stdout
    );
    let run = hit(255);
    assert!(
        run.stdout.contains("call 1: a number overflows its type"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_new_node_has_no_number_between_those_of_old_ones() {
    let subject = Subject::lib(COUNTED);
    let add = |new: &str| {
        let before = "self = n3; n3.head = n1; n3.total = 1; n1.next = null; key = 8";
        let after = format!("n3.head = {new}; {new}.next = n1; {new}.key = 8; n3.total = 2");
        subject.nopol(&[
            "heap",
            "--function",
            "Bag::add",
            "--pre",
            before,
            "--post",
            &after,
        ])
    };
    let run = add("n2");
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains(
            "--post names n2, and --pre does not: call the first new node n4, the next one n5"
        ),
        "{}",
        run.stderr
    );
    let run = add("n4");
    assert!(
        run.stdout.contains("n4.next is null instead of n1"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}
