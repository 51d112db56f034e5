//! Heaps and variables as they are read where a program stops.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nopol_debug::gdb::{GdbOptions, Launch, Names, StateRequest, Subject, Why};
use nopol_heap::state::{NodeId, State, Value};

use super::{LIMIT, LIST, Program, field, line_of, node, read, run_to, value};

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
