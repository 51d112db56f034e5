//! Snapshots of a running program, and the way back to them.

use anyhow::Result;
use nopol_debug::gdb::{GdbOptions, Launch, Subject, Why};

use super::{LIMIT, Program, line_of, run_to};

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
#[ignore = "make test-full: it takes long"]
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
