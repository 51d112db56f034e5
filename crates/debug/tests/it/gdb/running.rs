//! Runs, steps, jumps, breakpoints, and how programs end.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use nopol_debug::gdb::{Error, GdbOptions, Launch, Names, Subject, Why};
use nopol_heap::state::Value;

use super::{LIMIT, LIST, Program, line_of, read, run_to, value};

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
