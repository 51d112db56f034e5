//! What a person changes in a stopped program: variables, fields, and calls in expressions.

use std::time::Duration;

use anyhow::{Context, Result};
use nopol_debug::gdb::{Error, GdbOptions, Launch, Names, Subject, Why};
use nopol_heap::state::{NodeId, Value};

use super::{LIMIT, LIST, Program, field, line_of, read, value};

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
        ("add(1)", "it takes 2 arguments, but gets 1"),
        ("apply(\"text\", 1)", "it gets a string"),
        ("getenv(0)", "no debug information about its type"),
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
#[ignore = "make test-full: it takes long"]
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
