//! Whole sessions with a real gdb and small C programs.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_debug::gdb::{Error, GdbOptions, Launch, Names, StateRequest, Stop, Subject, Why};
use nopol_heap::state::{Node, NodeId, State, Value};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(20);

/// A compiled program in a folder that goes away.
struct Program {
    folder: TempDir,
    path: Utf8PathBuf,
}

impl Program {
    fn compile(source: &str, options: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("t.c");
        std::fs::write(&file, source.trim_start())?;
        let path = folder.path().join("t");
        let status = Command::new("gcc")
            .args(options)
            .arg("-o")
            .args([&path, &file])
            .status()?;
        ensure!(status.success(), "gcc failed");
        Ok(Self {
            path: Utf8Path::from_path(&path).context("path")?.to_owned(),
            folder,
        })
    }

    fn debug(source: &str) -> Result<(Self, Subject)> {
        let program = Self::compile(source, &["-g", "-O0"])?;
        let subject = Subject::load(&Launch::new(&*program.path, &[]), &GdbOptions::default())?;
        Ok((program, subject))
    }
}

fn value(state: &State, name: &str) -> Option<Value> {
    let found = state
        .variables
        .iter()
        .find(|variable| variable.name == name);
    found.map(|variable| variable.value)
}

fn node(state: &State, id: NodeId) -> &Node {
    let found = state.nodes.iter().find(|node| node.id == id);
    found.unwrap_or_else(|| panic!("no {id} in {state:?}"))
}

fn field(state: &State, id: u32, name: &str) -> Option<Value> {
    let node = state.nodes.iter().find(|node| node.id == NodeId(id))?;
    let found = node.fields.iter().find(|field| field.name == name);
    found.map(|field| field.value)
}

fn line_of(source: &str, text: &str) -> u32 {
    let lines = source.trim_start().lines();
    for (number, line) in (1..).zip(lines) {
        if line.contains(text) {
            return number;
        }
    }
    panic!("no {text}")
}

fn read(subject: &mut Subject, names: &mut Names) -> Result<State> {
    Ok(subject.read_state(&StateRequest::default(), names)?)
}

const LIST: &str = r#"
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int key; };
struct list { struct node *head; int n; };
struct node *last_made;
static int made = 0;
struct node *make(struct node *next, int key) {
  struct node *n = malloc(sizeof *n);
  n->next = next;
  n->key = key;
  last_made = n;
  made++;
  return n;
}
struct node *reverse(struct node *x) {
  struct node *r = NULL;
  while (x) {
    struct node *t = x->next;
    x->next = r; /* turn */
    r = x;
    x = t;
  }
  return r;
}
int main(void) {
  struct list l = {0, 0};
  for (int i = 3; i > 0; i--)
    l.head = make(l.head, i);
  l.n = 3;
  l.head = reverse(l.head); /* call */
  printf("%d\n", l.head->key);
  struct node *second = l.head->next; /* second */
  free(second); /* free */
  return 0;
}
"#;

#[test]
fn list_reversal_step_by_step() -> Result<()> {
    let (program, mut subject) = Program::debug(LIST)?;
    assert!(
        subject
            .source_files()?
            .iter()
            .any(|file| file.file.ends_with("t.c"))
    );
    let source = program.folder.path().join("t.c");
    assert_eq!(subject.is_optimised(source.to_str().unwrap())?, Some(false));
    let names_of_globals: Vec<_> = subject
        .globals()
        .iter()
        .map(|global| global.name.clone())
        .collect();
    assert_eq!(names_of_globals, ["last_made", "made"]);

    let mut names = Names::default();
    let breakpoint = subject.break_at_function("reverse")?;
    let stop = subject.run(LIMIT)?;
    assert_eq!(
        stop.why,
        Why::Breakpoint {
            number: breakpoint.number
        }
    );
    assert_eq!(stop.function(), Some("reverse"));
    assert_eq!(stop.frame.as_ref().map(|frame| frame.depth), Some(2));
    let request = StateRequest {
        globals: vec!["last_made".to_owned(), "made".to_owned()],
        ..StateRequest::default()
    };
    let state = subject.read_state(&request, &mut names)?;
    // `r` is not declared yet, nor is `t`.
    let shown: Vec<_> = state
        .variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(shown, ["last_made", "made", "x"]);
    assert_eq!(value(&state, "made"), Some(Value::Number(3)));
    assert_eq!(value(&state, "x"), Some(Value::Node(NodeId(0))));
    assert_eq!(state.nodes.len(), 3);
    assert_eq!(field(&state, 0, "next"), Some(Value::Node(NodeId(1))));
    assert_eq!(field(&state, 0, "key"), Some(Value::Number(1)));
    assert_eq!(field(&state, 2, "next"), Some(Value::Null));
    assert_eq!(node(&state, NodeId(0)).record, "node");

    let turn = line_of(LIST, "/* turn");
    let stop = subject.run_until("t.c", turn, LIMIT)?;
    assert_eq!((&stop.why, stop.line()), (&Why::Reached, Some(turn)));
    let state = read(&mut subject, &mut names)?;
    let shown: Vec<_> = state
        .variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(shown, ["x", "r", "t"]);
    assert_eq!(value(&state, "r"), Some(Value::Null));
    let stop = subject.next(LIMIT)?;
    assert_eq!(stop.why, Why::EndOfStep);
    assert_eq!(stop.line(), Some(turn + 1));
    let state = read(&mut subject, &mut names)?;
    assert_eq!(field(&state, 0, "next"), Some(Value::Null));

    let stop = subject.finish(LIMIT)?;
    let Why::Finished {
        value: Some(returned),
    } = &stop.why
    else {
        panic!("{stop:?}")
    };
    assert!(returned.contains("0x"), "{returned}");
    subject.next(LIMIT)?;
    let state = read(&mut subject, &mut names)?;
    // The structure is a variable.
    assert_eq!(value(&state, "l.head"), Some(Value::Node(NodeId(2))));
    assert_eq!(value(&state, "l.n"), Some(Value::Number(3)));
    assert_eq!(value(&state, "second"), None);

    let stop = subject.run_until("t.c", line_of(LIST, "/* free"), LIMIT)?;
    assert_eq!(subject.take_output(), "3\n");
    assert_eq!(stop.line(), Some(line_of(LIST, "/* free")));
    subject.next(LIMIT)?;
    names.mark_freed(NodeId(1));
    let state = read(&mut subject, &mut names)?;
    assert_eq!(value(&state, "second"), Some(Value::Node(NodeId(1))));
    assert!(node(&state, NodeId(1)).is_freed);
    assert_eq!(field(&state, 1, "key"), Some(Value::Unknown));
    names.forget(names.address(NodeId(1)).context("address")?);
    let state = read(&mut subject, &mut names)?;
    assert_eq!(value(&state, "second"), Some(Value::Node(NodeId(3))));

    let mut stop = subject.next(LIMIT)?;
    while stop.is_alive() {
        stop = subject.next(LIMIT)?;
    }
    assert_eq!(stop.why, Why::Exited { code: 0 });
    assert_eq!(stop.frame, None);
    Ok(())
}

#[test]
fn changes() -> Result<()> {
    let (_program, subject) = Program::debug(LIST)?;
    changed(subject)
}

#[test]
fn changes_where_gdb_cannot_write_all_registers() -> Result<()> {
    let program = Program::compile(LIST, &["-g", "-O0"])?;
    let options = GdbOptions {
        gdb: crate::limited::limited_gdb(program.folder.path())?,
        ..GdbOptions::default()
    };
    changed(Subject::load(&Launch::new(&*program.path, &[]), &options)?)
}

fn changed(mut subject: Subject) -> Result<()> {
    subject.break_at_function("reverse")?;
    subject.run(LIMIT)?;
    let mut names = Names::default();
    read(&mut subject, &mut names)?;
    subject.set_field(NodeId(0), "next", Value::Node(NodeId(2)), &names)?;
    subject.set_field(NodeId(0), "key", Value::Number(-7), &names)?;
    let state = read(&mut subject, &mut names)?;
    assert_eq!(state.nodes.len(), 2);
    assert_eq!(field(&state, 0, "key"), Some(Value::Number(-7)));
    subject.set_variable("x", Value::Null, &names)?;
    let state = read(&mut subject, &mut names)?;
    assert_eq!(value(&state, "x"), Some(Value::Null));
    assert_eq!(subject.evaluate("1 + 2", LIMIT)?, "3");
    // A breakpoint in the function that is called does not matter.
    subject.evaluate("x = reverse(make(0, 5))", LIMIT)?;
    let state = read(&mut subject, &mut names)?;
    assert_eq!(value(&state, "x"), Some(Value::Node(NodeId(3))));
    assert_eq!(subject.pointee("x")?.as_deref(), Some("node"));
    assert_eq!(subject.pointee("x->next")?.as_deref(), Some("node"));
    assert_eq!(
        subject.field_pointee(NodeId(3), "next", &names)?.as_deref(),
        Some("node")
    );
    assert_eq!(subject.pointee("x->key")?, None);
    assert_eq!(subject.pointee("&x")?.as_deref(), Some("struct node *"));
    assert_eq!(subject.pointee("nothing")?, None);
    assert!(matches!(
        subject.set_variable("x", Value::Unknown, &names),
        Err(Error::NotWritable(_))
    ));
    assert!(matches!(
        subject.set_field(NodeId(99), "key", Value::Null, &names),
        Err(Error::NoNode(_))
    ));
    assert!(matches!(
        subject.evaluate("nothing + 1", LIMIT),
        Err(Error::Refused { .. })
    ));
    // A call that crashes is undone.
    assert!(matches!(
        subject.evaluate("reverse((struct node *) 1)", LIMIT),
        Err(Error::Call { .. })
    ));
    assert_eq!(subject.frame()?.depth, 2);
    // It goes on where it was: the breakpoint there is not reached anew.
    assert_eq!(subject.next(LIMIT)?.why, Why::EndOfStep);
    assert_eq!(subject.resume(LIMIT)?.why, Why::Exited { code: 0 });
    Ok(())
}

/// Functions of all kinds.
const CALLED: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
typedef struct node *ref;
typedef int (*operation)(int, int);
enum color { RED, GREEN };
struct node { ref next; int key; };
struct pair { int x, y; };
int calls = 0;
ref make(ref next, int key) { ref n = malloc(sizeof *n); n->next = next; n->key = key; calls++; return n; }
int add(int a, int b) { calls++; return a + b; }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
_Bool is_odd(signed char c) { return c & 1; }
enum color other(enum color c) { return c == RED ? GREEN : RED; }
int eight(char a, short b, int c, long d, int e, int f, long g, int h) {
  return a + 10 * b + 100 * c + 1000 * (int) d + 10000 * e + 100000 * f + 1000000 * (int) g + 10000000 * h;
}
int sum(int *all, int count) { int s = 0; for (int i = 0; i < count; i++) s += all[i]; return s; }
int apply(operation of, int a) { return of(a, 2); }
operation chosen(void) { return add; }
double half(double d) { return d / 2; }
float quarter(int i) { return i / 4.0f; }
struct pair twice(int x) { struct pair p = {x, x}; return p; }
int first(struct pair p) { return p.x; }
int spin(int n) { while (n) { calls++; } return 0; }
int crash(ref at) { return at->next->key; }
int leave(int code) { exit(code); }
int ask(void) { char c; return read(0, &c, 1); }
int aligned(void) { return (unsigned long) __builtin_frame_address(0) % 16 == 0; }
/* A leaf keeps its variables beyond the top of the stack. */
int leaf(int a, int b) {
  int c = a + b;
  int d = c * 2; /* leaf */
  return c + d;
}
int main(void) {
  int arr[3] = {1, 2, 3};
  ref x = make(0, 1), y = 0;
  operation op = add;
  calls = 0;
  int a = leaf(3, 4); /* here */
  half(1); quarter(1); first(twice(1)); /* floats */
  if (a < 0) { spin(1); crash(0); leave(1); ask(); chosen(); }
  return a + arr[0] + x->key + (y == 0) + op(1, 1) + fib(3) + is_odd(3) + other(RED) + sum(arr, 3) + apply(add, 1)
    + eight(1, 2, 3, 4, 5, 6, 7, 8) + aligned();
}
"#;

/// Stops where `a` is about to be set.
fn called(options: &GdbOptions) -> Result<(Program, Subject)> {
    let program = Program::compile(CALLED, &["-g", "-O0"])?;
    let mut subject = Subject::load(&Launch::new(&*program.path, &[]), options)?;
    subject.break_at_line("t.c", line_of(CALLED, "/* here"))?;
    subject.run(LIMIT)?;
    Ok((program, subject))
}

#[test]
fn calls_in_expressions_give_what_c_says() -> Result<()> {
    let (_program, mut subject) = called(&GdbOptions::default())?;
    for (expression, value) in [
        ("fib(10)", "55"),
        ("add(-1, -2)", "-3"),
        ("add(add(1, 2), fib(7) * 2)", "29"),
        ("is_odd(-3)", "true"),
        ("is_odd(256)", "false"),
        ("other(RED)", "GREEN"),
        ("eight(1, 2, 3, 4, 5, 6, 7, 8)", "87654321"),
        ("eight(-1, 0, 0, 0, 0, 0, 0, 1)", "9999999"),
        ("sum(arr, sizeof arr / sizeof(int))", "6"),
        ("apply(add, 5)", "7"),
        ("op(3, 4)", "7"),
        ("(*op)(3, 4)", "7"),
        ("(op)(3, 4)", "7"),
        ("((operation) add)(3, 4)", "7"),
        ("make(make(0, 3), 4)->next->key", "3"),
        ("(long) make(x, 9)->next == (long) (x)", "1"),
        ("aligned()", "1"),
        ("chosen()(1, 2)", "3"),
        ("arr[add(0, 1)] + add(arr[2], 1)", "6"),
        ("-add(1, 2) - -3", "0"),
        ("abs(-4)", "4"),
        ("printf(\"%d %c (%s)\\n\", add(1, 1), 'x', \"a, b\")", "11"),
        ("free(make(0, 1))", "void"),
        ("((struct node *) malloc(16)) != 0", "1"),
    ] {
        let found = subject.evaluate(expression, LIMIT);
        assert_eq!(
            found.with_context(|| expression.to_owned())?,
            value,
            "{expression}"
        );
    }
    // What is not evaluated is not called.
    for (expression, value, calls) in [
        ("y != 0 && add(1, 1)", "0", 0),
        ("y == 0 && add(0, 0)", "0", 1),
        ("y == 0 || add(1, 1)", "1", 0),
        ("y != 0 || add(0, 3) && add(1, 1)", "1", 2),
        ("x ? 5 : add(1, 1)", "5", 0),
        ("y ? add(1, 1) : x ? add(2, 2) : 0", "4", 1),
        ("sizeof(add(1, 1))", "4", 0),
        ("add(1, 1), add(2, 2), 7", "7", 2),
        ("arr[0] = arr[1] = add(3, 4)", "7", 1),
        ("arr[0] += add(1, 0)", "8", 1),
    ] {
        subject.evaluate("calls = 0", LIMIT)?;
        let found = subject.evaluate(expression, LIMIT);
        assert_eq!(
            found.with_context(|| expression.to_owned())?,
            value,
            "{expression}"
        );
        assert_eq!(
            subject.evaluate("calls", LIMIT)?,
            calls.to_string(),
            "{expression}"
        );
    }
    assert_eq!(subject.take_output(), "2 x (a, b)\n");
    assert_eq!(subject.next(LIMIT)?.why, Why::EndOfStep);
    Ok(())
}

#[test]
fn functions_that_cannot_be_called_are_named_with_the_cause() -> Result<()> {
    let (program, mut subject) = called(&GdbOptions::default())?;
    for (expression, cause) in [
        (
            "half(1)",
            "`half` cannot be called: it returns a floating-point number",
        ),
        ("quarter(1)", "it returns a floating-point number"),
        ("twice(1).x", "it returns a structure"),
        ("first(*(struct pair *) arr)", "it gets a structure"),
        ("printf(\"%f\", 1.5)", "it gets a floating-point number"),
        ("add(1)", "it takes 2 arguments, and gets 1"),
        ("apply(\"text\", 1)", "it gets a string"),
        ("getenv(0)", "no debug information of its type"),
    ] {
        let error = subject.evaluate(expression, LIMIT).unwrap_err();
        assert!(matches!(error, Error::Uncallable { .. }), "{error:?}");
        assert!(error.to_string().contains(cause), "{expression}: {error}");
    }
    // In the middle of a statement registers may hold what nothing else does.
    subject.break_once_at_line("t.c", line_of(CALLED, "/* leaf"))?;
    subject.resume(LIMIT)?;
    assert_eq!(subject.evaluate("add(c, 1)", LIMIT)?, "8");
    subject.finish(LIMIT)?;
    let error = subject.evaluate("add(1, 1)", LIMIT).unwrap_err();
    assert!(
        error.to_string().contains("middle of a statement"),
        "{error}"
    );
    // The variables of the leaf were not written over.
    subject.next(LIMIT)?;
    assert_eq!(subject.evaluate("a", LIMIT)?, "21");
    drop(program);
    Ok(())
}

#[test]
fn calls_that_do_not_return_are_given_up() -> Result<()> {
    for options in [true, false] {
        let folder = tempfile::tempdir()?;
        let options = match options {
            true => GdbOptions {
                gdb: crate::limited::limited_gdb(folder.path())?,
                ..GdbOptions::default()
            },
            false => GdbOptions::default(),
        };
        let (_program, mut subject) = called(&options)?;
        let place = subject.frame()?;
        let short = Duration::from_millis(300);
        for (expression, how) in [
            (
                "crash(x)",
                "the call of `crash` got SIGSEGV (Segmentation fault); it was abandoned",
            ),
            ("spin(1)", "the call of `spin` took longer than 0.3 s"),
            ("ask()", "the call of `ask` waits for input"),
        ] {
            let error = subject.evaluate(expression, short).unwrap_err();
            assert!(matches!(error, Error::Call { .. }), "{error:?}");
            assert!(error.to_string().starts_with(how), "{error}");
            assert_eq!(subject.frame()?, place);
            assert_eq!(subject.evaluate("add(1, 1)", LIMIT)?, "2");
        }
        // Neither the signal nor the breakpoint comes again.
        assert_eq!(subject.next(LIMIT)?.why, Why::EndOfStep);
        let error = subject.evaluate("leave(3)", LIMIT).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the call of `leave` ended the program with exit code 3"
        );
        assert!(!subject.is_alive());
        assert!(matches!(subject.run(LIMIT)?.why, Why::Breakpoint { .. }));
    }
    Ok(())
}

/// A program with something of everything that a process remembers.
const REMEMBERED: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; double cost; };
static double total = 0.5;
static int counted(void) { static int count = 0; return ++count; }
static struct node *made(struct node *next) {
  struct node *n = malloc(sizeof *n);
  n->next = next;
  n->cost = 0.25;
  return n;
}
int main(void) {
  char name[8] = "abc";
  struct node *list = made(made(made(0)));
  counted(); /* before */
  total *= 2;
  strcpy(name, "xyz");
  struct node *second = list->next;
  list->next = second->next;
  second->cost = 8;
  free(second);
  char *large = malloc(300000);
  memset(large, 7, 300000);
  char *zeros = calloc(1, 100000);
  int is_clean = 1;
  for (int i = 0; i < 100000; i++) is_clean &= zeros[i] == 0;
  struct node *one = malloc(sizeof *one), *two = malloc(sizeof *two);
  int is_apart = one != two && one != list->next && two != list->next;
  printf("%g %s %g %d %d %d\n", total, name, list->next->cost, counted(), is_clean, is_apart); /* after */
  return 0;
}
"#;

#[test]
fn going_back_restores_what_nobody_sees() -> Result<()> {
    for is_limited in [false, true] {
        let program = Program::compile(REMEMBERED, &["-g", "-O0"])?;
        let options = match is_limited {
            true => GdbOptions {
                gdb: crate::limited::limited_gdb(program.folder.path())?,
                ..GdbOptions::default()
            },
            false => GdbOptions::default(),
        };
        let mut subject = Subject::load(&Launch::new(&*program.path, &[]), &options)?;
        let stop = run_to(&mut subject, REMEMBERED, "/* before")?;
        let kept = subject.snapshot()?;
        let mut expected = None;
        for _ in 0..3 {
            subject.run_until("t.c", line_of(REMEMBERED, "/* after"), LIMIT)?;
            subject.next(LIMIT)?;
            let printed = subject.take_output();
            assert_eq!(*expected.get_or_insert_with(|| printed.clone()), printed);
            assert_eq!(printed, "1 xyz 0.25 2 1 1\n");
            let back = subject.go_back(&kept)?;
            assert_eq!(back.frame, stop.frame);
            assert_eq!(
                subject.evaluate("name", LIMIT)?,
                "\"abc\\000\\000\\000\\000\""
            );
        }
        assert_eq!(subject.resume(LIMIT)?.why, Why::Exited { code: 0 });
        subject.run(LIMIT)?;
        let error = subject.go_back(&kept).unwrap_err();
        assert!(
            error.to_string().contains("earlier run") || !subject.is_alive(),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn a_program_with_threads_or_much_memory_is_not_kept() -> Result<()> {
    let source = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
void *wait(void *p) { for (;;); return p; }
int main(int argc, char **argv) {
  pthread_t thread;
  if (argc > 1) memset(malloc(100 << 20), 1, 100 << 20);
  else pthread_create(&thread, 0, wait, 0);
  exit(0); /* here */
}
"#;
    let program = Program::compile(source, &["-g", "-O0", "-pthread"])?;
    for (arguments, reason) in [
        (vec![], "the program has several threads"),
        (
            vec!["much".to_owned()],
            "the program has more than 64 MiB of memory",
        ),
    ] {
        let launch = Launch::new(&*program.path, &arguments);
        let mut subject = Subject::load(&launch, &GdbOptions::default())?;
        run_to(&mut subject, source, "/* here")?;
        assert_eq!(subject.snapshot().unwrap_err().to_string(), reason);
    }
    Ok(())
}

#[test]
fn a_jump_to_the_head_of_a_loop_does_not_begin_it_anew() -> Result<()> {
    let source = r#"
int main(void) {
  int sum = 0, i;
  for (i = 0; i < 3; i++) { /* head */
    sum += 1;
    sum += i; /* last */
  }
  return sum;
}
"#;
    let (_program, mut subject) = Program::debug(source)?;
    subject.break_at_line("t.c", line_of(source, "/* last"))?;
    subject.run(LIMIT)?;
    for _ in 0..3 {
        subject.jump(line_of(source, "/* head"), LIMIT)?;
        subject.resume(LIMIT)?;
    }
    assert!(!subject.is_alive());
    Ok(())
}

#[test]
fn breakpoints_that_cannot_be() -> Result<()> {
    let (_program, mut subject) = Program::debug(LIST)?;
    assert!(matches!(
        subject.break_at_function("nothing"),
        Err(Error::Refused { .. })
    ));
    assert!(matches!(
        subject.break_at_line("t.c", 4000),
        Err(Error::Refused { .. })
    ));
    assert!(matches!(
        subject.break_at_line("other.c", 1),
        Err(Error::Refused { .. })
    ));
    let place = subject.break_at_line("t.c", line_of(LIST, "/* turn"))?;
    assert_eq!(place.function.as_deref(), Some("reverse"));
    subject.delete_breakpoint(place.number)?;
    assert!(matches!(
        subject.delete_breakpoint(place.number),
        Err(Error::Refused { .. })
    ));
    assert!(matches!(subject.next(LIMIT), Err(Error::Refused { .. })));
    assert_eq!(subject.run(LIMIT)?.why, Why::Exited { code: 0 });
    // And once more.
    assert_eq!(subject.run(LIMIT)?.why, Why::Exited { code: 0 });
    assert_eq!(subject.take_output(), "3\n3\n");
    Ok(())
}

#[test]
fn cycles_and_long_lists() -> Result<()> {
    let source = r#"
#include <stdlib.h>
struct node { struct node *next, *prev; long key; };
void look(struct node *p) { (void) p; }
int main(void) {
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  a->next = a->prev = b; b->next = b->prev = a; a->key = 1; b->key = 2;
  look(a);
  struct node *head = 0;
  for (int i = 0; i < 100000; i++) { struct node *n = calloc(1, sizeof *n); n->next = head; n->key = i; head = n; }
  look(head);
  return 0;
}
"#;
    let (_program, mut subject) = Program::debug(source)?;
    let mut names = Names::default();
    subject.break_at_function("look")?;
    subject.run(LIMIT)?;
    let state = read(&mut subject, &mut names)?;
    assert_eq!((state.nodes.len(), state.hidden), (2, 0));
    assert_eq!(field(&state, 1, "next"), Some(Value::Node(NodeId(0))));
    subject.resume(LIMIT)?;
    let start = Instant::now();
    let state = read(&mut subject, &mut names)?;
    let elapsed = start.elapsed();
    assert_eq!((state.nodes.len(), state.hidden), (50, 1));
    assert!(elapsed < Duration::from_secs(1), "{elapsed:?}");
    eprintln!("50 nodes: {elapsed:?}");
    Ok(())
}

#[test]
fn crash_and_after() -> Result<()> {
    let source = r#"
struct node { struct node *next; };
int crash(struct node *p) { return p->next != 0; }
int main(void) { struct node *p = (struct node *) 8; return crash(p); }
"#;
    let (_program, mut subject) = Program::debug(source)?;
    let stop = subject.run(LIMIT)?;
    assert!(
        matches!(&stop.why, Why::Signal { name, meaning } if name == "SIGSEGV" && meaning == "Segmentation fault")
    );
    assert_eq!(stop.function(), Some("crash"));
    let state = read(&mut subject, &mut Names::default())?;
    // It leads nowhere that could be read.
    assert_eq!(value(&state, "p"), Some(Value::Unknown));
    assert_eq!(subject.frames(10)?.len(), 2);
    subject.select_frame(1)?;
    assert_eq!(subject.frame()?.function.as_deref(), Some("main"));
    let stop = subject.resume(LIMIT)?;
    assert!(matches!(&stop.why, Why::Killed { name, .. } if name == "SIGSEGV"));
    let stop = subject.start(LIMIT)?;
    assert_eq!((&stop.why, stop.function()), (&Why::Reached, Some("main")));
    Ok(())
}

#[test]
fn exit_code() -> Result<()> {
    let (_program, mut subject) =
        Program::debug("#include <stdlib.h>\nint main(void) { exit(42); }\n")?;
    assert_eq!(subject.run(LIMIT)?.why, Why::Exited { code: 42 });
    assert!(matches!(subject.resume(LIMIT), Err(Error::Refused { .. })));
    Ok(())
}

#[test]
fn endless_loops() -> Result<()> {
    let source =
        "int main(void) {\n  volatile int i = 0;\n  for (;;) {\n    i++;\n    i--;\n  }\n}\n";
    let (_program, mut subject) = Program::debug(source)?;
    let stop = subject.run(Duration::from_millis(300))?;
    assert_eq!(stop.why, Why::OutOfTime);
    assert_eq!(stop.function(), Some("main"));
    let interrupter = subject.interrupter();
    assert!(!interrupter.interrupt());
    let other = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        interrupter.interrupt()
    });
    let stop = subject.resume(LIMIT)?;
    assert_eq!(stop.why, Why::Interrupted);
    assert!(other.join().unwrap());
    assert_eq!(subject.next(LIMIT)?.why, Why::EndOfStep);
    Ok(())
}

#[test]
fn waiting_for_input() -> Result<()> {
    let source = r#"
#include <stdio.h>
int main(void) { int c = getchar(); return c; }
"#;
    let (_program, mut subject) = Program::debug(source)?;
    let stop = subject.run(Duration::from_millis(300))?;
    assert_eq!(stop.why, Why::WaitsForInput);
    subject.write_input("A\n");
    assert_eq!(subject.resume(Duration::MAX)?.why, Why::Exited { code: 65 });
    Ok(())
}

#[test]
fn many_lines_of_output() -> Result<()> {
    let source = r#"
#include <stdio.h>
int main(void) { for (int i = 0; i < 50000; i++) printf("%d\n", i); return 0; }
"#;
    let (_program, mut subject) = Program::debug(source)?;
    assert_eq!(subject.run(LIMIT)?.why, Why::Exited { code: 0 });
    let output = subject.take_output();
    assert_eq!(output.lines().count(), 50_000);
    assert!(output.ends_with("49999\n"));
    Ok(())
}

#[test]
fn subject_that_blocks_interrupts() -> Result<()> {
    let source = r#"
#include <signal.h>
int main(void) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); for (;;); }
"#;
    let (_program, mut subject) = Program::debug(source)?;
    let stop = subject.run(Duration::from_millis(200))?;
    assert_eq!(stop.why, Why::OutOfTime);
    Ok(())
}

#[test]
fn recursion_told_apart() -> Result<()> {
    let source = r#"
int sum(int n) {
  if (n == 0)
    return 0;
  int rest = sum(n - 1);
  return rest + n; /* sum */
}
int main(void) { return sum(3); }
"#;
    let (_program, mut subject) = Program::debug(source)?;
    subject.break_at_function("sum")?;
    let mut frames = vec![subject.run(LIMIT)?.frame.context("frame")?];
    let same = subject.next(LIMIT)?.frame.context("frame")?;
    assert_eq!(same.identity, frames[0].identity);
    for _ in 0..3 {
        frames.push(subject.resume(LIMIT)?.frame.context("frame")?);
    }
    let depths: Vec<_> = frames.iter().map(|frame| frame.depth).collect();
    assert_eq!(depths, [2, 3, 4, 5]);
    let mut identities: Vec<_> = frames.iter().map(|frame| frame.identity).collect();
    identities.dedup();
    assert_eq!(identities.len(), 4);
    let stop = subject.finish(LIMIT)?;
    assert_eq!(
        stop.why,
        Why::Finished {
            value: Some("0".to_owned())
        }
    );
    let back = stop.frame.context("frame")?;
    assert_eq!(back.identity, frames[2].identity);
    // `rest` is not assigned yet.
    let state = read(&mut subject, &mut Names::default())?;
    assert_eq!(value(&state, "rest"), None);
    Ok(())
}

#[test]
fn jump_over_statements() -> Result<()> {
    let source = r#"
int other(void) { return 1; } /* other */
int main(void) {
  int a = 0;
  a += 1; /* first */
  a += 2;
  a += 4; /* last */
  return a;
}
"#;
    let (_program, mut subject) = Program::debug(source)?;
    let first = line_of(source, "first");
    let last = line_of(source, "last");
    subject.break_at_line("t.c", first)?;
    subject.run(LIMIT)?;
    let stop = subject.jump(last, LIMIT)?;
    assert_eq!((&stop.why, stop.line()), (&Why::Reached, Some(last)));
    let state = read(&mut subject, &mut Names::default())?;
    assert_eq!(value(&state, "a"), Some(Value::Number(0)));
    let elsewhere = subject.jump(line_of(source, "/* other"), LIMIT);
    assert!(
        matches!(elsewhere, Err(Error::OtherFunction { .. })),
        "{elsewhere:?}"
    );
    assert_eq!(subject.resume(LIMIT)?.why, Why::Exited { code: 4 });
    Ok(())
}

#[test]
fn intricate_types() -> Result<()> {
    let source = r#"
#include <stdlib.h>
typedef struct node *ref; typedef unsigned char byte; typedef ref pair[2];
enum color { RED = -1, GREEN = 5 };
struct in { int q; struct in *w; };
struct node {
  ref next; struct in a; struct in many[2]; pair kids; byte b;
  unsigned flag : 3; int sign : 5; _Bool is; enum color color; double d;
  union { int u1; ref u2; }; union { int x; } named;
  struct { int in1; ref in2; }; int m[2][2]; int (*call)(int); unsigned long big; char c; int huge[1000];
};
typedef struct { ref first; } holder;
struct { int k; ref r; } nameless;
int main(void) {
  struct node *p = calloc(1, sizeof *p);
  enum color e = RED;
  p->next = p; p->a.q = 1; p->many[1].q = 2; p->kids[1] = p; p->b = 200; p->flag = 5; p->sign = -3;
  p->is = 1; p->color = GREEN; p->in1 = 7; p->in2 = p; p->m[1][0] = 9; p->big = -1UL; p->c = 'x';
  holder h = {p}; holder *hp = &h;
  struct node **pp = &p; void *v = p; int *ip = &p->m[0][0]; ref arr[2] = {0, p}; char ch = 'a';
  nameless.k = 4; nameless.r = p;
  return p == 0; /* end */
}
"#;
    let (_program, mut subject) = Program::debug(source)?;
    run_to(&mut subject, source, "/* end")?;
    let mut names = Names::default();
    let request = StateRequest {
        globals: vec!["nameless".to_owned()],
        ..StateRequest::default()
    };
    let state = subject.read_state(&request, &mut names)?;
    let me = Some(Value::Node(NodeId(0)));
    let number = |number| Some(Value::Number(number));
    assert_eq!(value(&state, "nameless.k"), number(4));
    assert_eq!(value(&state, "nameless.r"), me);
    assert_eq!(value(&state, "p"), me);
    assert_eq!(value(&state, "e"), number(-1));
    assert_eq!(value(&state, "h.first"), me);
    assert_eq!(value(&state, "v"), me);
    assert_eq!(value(&state, "ip"), Some(Value::Unknown));
    assert_eq!(value(&state, "arr[0]"), Some(Value::Null));
    assert_eq!(value(&state, "arr[1]"), me);
    assert_eq!(value(&state, "ch"), number(97));
    let Some(Value::Node(holder)) = value(&state, "hp") else {
        panic!("{state:?}")
    };
    assert_eq!(node(&state, holder).record, "holder");
    let Some(Value::Node(pointer)) = value(&state, "pp") else {
        panic!("{state:?}")
    };
    assert_eq!(node(&state, pointer).record, "struct node *");
    assert_eq!(field(&state, pointer.0, "*"), me);
    for (name, expected) in [
        ("next", me),
        ("a.q", number(1)),
        ("a.w", Some(Value::Null)),
        ("many[1].q", number(2)),
        ("kids[1]", me),
        ("b", number(200)),
        ("flag", number(5)),
        ("sign", number(-3)),
        ("is", number(1)),
        ("color", number(5)),
        ("d", Some(Value::Unknown)),
        ("u1", Some(Value::Unknown)),
        ("named", Some(Value::Unknown)),
        ("in1", number(7)),
        ("in2", me),
        ("m[1][0]", number(9)),
        ("call", Some(Value::Unknown)),
        ("big", number(u64::MAX.into())),
        ("c", number(120)),
        ("huge", Some(Value::Unknown)),
    ] {
        assert_eq!(field(&state, 0, name), expected, "{name}");
    }
    subject.set_field(pointer, "*", Value::Null, &names)?;
    subject.set_field(NodeId(0), "kids[1]", Value::Null, &names)?;
    subject.set_field(NodeId(0), "sign", Value::Number(4), &names)?;
    let state = subject.read_state(&request, &mut names)?;
    assert_eq!(value(&state, "p"), Some(Value::Null));
    assert_eq!(field(&state, 0, "sign"), number(4));
    Ok(())
}

/// Runs to the line with this comment.
fn run_to(subject: &mut Subject, source: &str, comment: &str) -> Result<Stop> {
    subject.break_once_at_line("t.c", line_of(source, comment))?;
    Ok(subject.run(LIMIT)?)
}

#[test]
fn scopes() -> Result<()> {
    let source = r#"
int p = 9;
int main(void) {
  int a = 1;
  for (int i = 0; i < 2; i++) { /* for */
    int a = 10 + i;
    int p = 2;
    a += p; /* inner */
  }
  return a; /* end */
}
"#;
    let (_program, mut subject) = Program::debug(source)?;
    let mut names = Names::default();
    let request = StateRequest {
        globals: vec!["p".to_owned()],
        ..StateRequest::default()
    };
    let shown = |state: &State| -> Vec<String> {
        state
            .variables
            .iter()
            .map(|v| format!("{}={}", v.name, v.value))
            .collect()
    };
    subject.start(LIMIT)?;
    assert_eq!(shown(&subject.read_state(&request, &mut names)?), ["p=9"]);
    subject.next(LIMIT)?;
    assert_eq!(
        shown(&subject.read_state(&request, &mut names)?),
        ["p=9", "a=1"]
    );
    subject.run_until("t.c", line_of(source, "inner"), LIMIT)?;
    assert_eq!(
        shown(&subject.read_state(&request, &mut names)?),
        ["::p=9", "i=0", "a=10", "p=2"]
    );
    subject.next(LIMIT)?;
    // At the head of the loop again.
    assert_eq!(
        shown(&subject.read_state(&request, &mut names)?),
        ["p=9", "a=1", "i=0"]
    );
    Ok(())
}

#[test]
fn program_without_debug_information() -> Result<()> {
    let program = Program::compile(LIST, &["-O1"])?;
    let mut subject = Subject::load(&Launch::new(&*program.path, &[]), &GdbOptions::default())?;
    assert_eq!(subject.source_files()?, []);
    assert_eq!(subject.globals(), []);
    assert_eq!(subject.is_optimised("t.c")?, None);
    let stop = subject.start(LIMIT)?;
    assert_eq!((stop.function(), stop.line()), (Some("main"), None));
    assert_eq!(read(&mut subject, &mut Names::default())?.variables, []);
    assert_eq!(subject.resume(LIMIT)?.why, Why::Exited { code: 0 });
    Ok(())
}

#[test]
fn optimised_program() -> Result<()> {
    let program = Program::compile(LIST, &["-g", "-O2"])?;
    let mut subject = Subject::load(&Launch::new(&*program.path, &[]), &GdbOptions::default())?;
    assert_eq!(subject.is_optimised("t.c")?, Some(true));
    assert_eq!(subject.is_optimised("other.c")?, None);
    Ok(())
}

#[test]
fn missing_gdb() {
    let options = GdbOptions {
        gdb: "/nowhere/gdb".into(),
        ..GdbOptions::default()
    };
    let error = Subject::load(&Launch::new("/bin/true", &[]), &options).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }));
    assert!(error.to_string().contains("apt install gdb"));
    let options = GdbOptions {
        gdb: "/bin/true".into(),
        ..GdbOptions::default()
    };
    assert!(matches!(
        Subject::load(&Launch::new("/bin/true", &[]), &options),
        Err(Error::Ended)
    ));
    let folder = tempfile::tempdir().unwrap();
    let silent = folder.path().join("gdb");
    std::fs::write(&silent, "#!/bin/sh\nexec sleep 60\n").unwrap();
    std::fs::set_permissions(&silent, Permissions::from_mode(0o755)).unwrap();
    let options = GdbOptions {
        gdb: Utf8PathBuf::try_from(silent).unwrap(),
        answer_limit: Duration::from_millis(100),
    };
    assert!(matches!(
        Subject::load(&Launch::new("/bin/true", &[]), &options),
        Err(Error::NoAnswer { .. })
    ));
    let missing = Subject::load(
        &Launch::new("/nowhere/program", &[]),
        &GdbOptions::default(),
    );
    assert!(matches!(missing, Err(Error::Refused { .. })));
}

#[test]
fn input_output_and_arguments() -> Result<()> {
    let source = r#"
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) printf("<%s>\n", argv[i]);
  char line[100];
  while (fgets(line, sizeof line, stdin)) { printf("got %s", line); fprintf(stderr, "err\n"); }
  printf("^done,no=\"record\"\n(gdb)\nrest");
  return isatty(0); /* end */
}
"#;
    let program = Program::compile(source, &["-g", "-O0"])?;
    let load = |launch: &Launch| Subject::load(launch, &GdbOptions::default());
    let mut subject = load(&Launch::new(
        &*program.path,
        &["a b", "", "it's", "$HOME*"].map(str::to_owned),
    ))?;
    subject.write_input("one\ntwo\n");
    subject.end_input();
    run_to(&mut subject, source, "/* end")?;
    assert_eq!(
        subject.take_output(),
        "<a b>\n<>\n<it's>\n<$HOME*>\ngot one\nerr\ngot two\nerr\n^done,no=\"record\"\n(gdb)\n"
    );
    assert_eq!(subject.resume(LIMIT)?.why, Why::Exited { code: 1 });
    assert_eq!(subject.take_output(), "rest");
    let mut subject = load(&Launch::new(&*program.path, &["$x".to_owned()]))?;
    subject.end_input();
    assert_eq!(subject.run(LIMIT)?.why, Why::Exited { code: 1 });
    assert_eq!(
        subject.take_output(),
        "<$x>\n^done,no=\"record\"\n(gdb)\nrest"
    );
    let directory = program.folder.path().join("a 'b");
    std::fs::create_dir(&directory)?;
    std::fs::write(directory.join("in.txt"), "three\n")?;
    let mut subject = load(&Launch {
        input: Some("in.txt".into()),
        directory: Some(Utf8PathBuf::try_from(directory)?),
        ..Launch::new(&*program.path, &[])
    })?;
    assert_eq!(subject.run(LIMIT)?.why, Why::Exited { code: 0 });
    assert!(subject.take_output().starts_with("got three\n"));
    Ok(())
}

#[test]
fn steps_into_functions_and_out_of_callbacks() -> Result<()> {
    let source = r#"
#include <stdlib.h>
int compare(const void *a, const void *b) { return *(const int *) a - *(const int *) b; }
int main(void) {
  int x[2] = {2, 1};
  qsort(x, 2, sizeof *x, compare); /* sort */
  return x[0]; /* after */
}
"#;
    let (_program, mut subject) = Program::debug(source)?;
    run_to(&mut subject, source, "/* sort")?;
    let stop = subject.step(LIMIT)?;
    // The library has no lines.
    assert_eq!(stop.line(), Some(line_of(source, "/* after")));
    subject.break_once_at_function("compare")?;
    subject.run(LIMIT)?;
    let stop = subject.next(LIMIT)?;
    assert_eq!(stop.line(), Some(line_of(source, "/* after")), "{stop:?}");
    Ok(())
}

#[test]
fn nothing_outlives_the_library() -> Result<()> {
    let source = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { if (fork() == 0) for (;;) pause(); printf("%d\n", getpid()); for (;;); }
"#;
    let (program, mut subject) = Program::debug(source)?;
    let stop = subject.run(Duration::from_millis(500))?;
    assert_eq!(stop.why, Why::OutOfTime);
    let id = subject.take_output().trim().to_owned();
    assert!(Path::new("/proc").join(&id).exists());
    drop(subject);
    thread::sleep(Duration::from_millis(200));
    let alive = std::fs::read_dir("/proc")?
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("exe")).ok())
        .filter(|path| path == program.path.as_std_path())
        .count();
    assert_eq!(alive, 0);
    Ok(())
}
