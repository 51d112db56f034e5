//! The runtime in C: forced outcomes, fuel, rows, threads, children, and names that it shares with the subject.

use std::fs;
use std::process::Command;

use crate::c_header::{Program, VALUES, assert_values, check_values, header};

#[test]
fn forced_outcomes() {
    let program = Program::new(
        r#"
#include <stdio.h>
static int evaluated;
static int own(int value) { evaluated++; return value; }
int main(void)
{
    int i;
    for (i = 0; i < 4; i++)
        putchar(NOPOL_COND(3, NOPOL_SEE("i", i), own(i % 2)) ? 't' : 'f');
    printf(" %d\n", evaluated);
    return 0;
}
"#,
    );
    for (asked, printed) in [
        ("CAPTURE=", "ftft 4"),
        ("FORCE=3=t", "tttt 4"),
        ("FORCE=3=f", "ffff 4"),
        ("FORCE=3=x", "tftf 4"),
        ("FORCE=3=T", "tttt 0"),
        ("FORCE=3=F", "ffff 0"),
        ("FORCE=3=t@2", "fttt 4"),
        ("FORCE=3=x@..2", "tfft 4"),
        ("FORCE=3=F@1..", "ffff 1"),
        ("FORCE=3=t@0,3=f@1", "tfft 4"),
        ("FORCE=3=t@9999999999999999999999,7=f,3", "ftft 4"),
    ] {
        assert_eq!(program.prints(&[asked]), printed, "{asked}");
    }
    let ran = program.run(&["FORCE=3=T", "CAPTURE=3"]);
    assert_eq!(ran.counter(3), [4, 0, 4]);
    assert_eq!(ran.rows(3), [(true, None, 1); 4]);
    let ran = program.run(&["FORCE=3=x", "CAPTURE=3"]);
    let (even, odd) = ((true, Some(false), 1), (false, Some(true), 1));
    assert_eq!(ran.rows(3), [even, odd, even, odd]);
}

#[test]
fn fuel_selection_and_places() {
    let program = Program::new(
        r#"
#include <stdio.h>
int main(int argc, char **argv)
{
    int i;
    (void)argv;
    for (i = 0; i < 10; i++) { NOPOL_TICK(); }
    printf("%d", (NOPOL_PICK(4, 1, argc > 5) NOPOL_PICK(4, 2, argc, 0.5) !!(argc - 1)));
    printf(" %s\n", NOPOL_HERE(6, 8) ? "here" : "away");
    return 0;
}
"#,
    );
    assert_eq!(program.prints(&["SELECT=4=1"]), "0 away");
    assert_eq!(program.prints(&["SELECT=3=1,4=2"]), "1 away");
    assert_eq!(program.prints(&["FORCE=8=t"]), "0 here");
    assert_eq!(program.prints(&["CAPTURE=5,9"]), "0 away");
    let ran = program.run(&["FUEL=11"]);
    assert_eq!((ran.code, ran.trace.steps), (Some(0), 11));
    assert_eq!(ran.counter(6), [1, 1, 0]);
    assert!(!ran.trace.out_of_fuel);
    let ran = program.run(&["FUEL=10"]);
    assert_eq!(ran.code, Some(86));
    assert!(ran.trace.out_of_fuel);
}

#[test]
fn conditions_in_conditions_and_in_each_others_wake() {
    let program = Program::new(
        r#"
int main(void)
{
    int i;
    double half = 0.5;
    for (i = 0; NOPOL_COND(0, NOPOL_SEE("i", i), NOPOL_COND(1, NOPOL_SEE("i", i), i < 3) && NOPOL_COND(2, , half)); i++) { NOPOL_TICK(); }
    for (i = 0; i < 3; i++)
        if (NOPOL_COND(3, NOPOL_SEE("i", i), i > 0) && NOPOL_AGAIN(4, 3, i > 1) && NOPOL_AGAIN(5, 3, &i))
            goto end;
end:
    while (NOPOL_BEGIN(6)
#if 1
        i > 0
#endif
        NOPOL_THEN(6) NOPOL_SEE("i", i) NOPOL_END(6)) i--;
    return NOPOL_BEGIN(7) i NOPOL_END_AGAIN(7, 6);
}
"#,
    );
    let ran = program.run(&["CAPTURE=0,1,3,4,5,6,7"]);
    assert_eq!(ran.code, Some(0));
    let counters = (0..8).map(|site| ran.counter(site));
    assert!(counters.eq([
        [4, 1, 3],
        [4, 1, 3],
        [3, 0, 3],
        [3, 1, 2],
        [2, 1, 1],
        [1, 0, 1],
        [3, 1, 2],
        [1, 1, 0]
    ]));
    assert_eq!(ran.rows(0).len(), 4);
    assert_eq!(ran.rows(1).len(), 4);
    assert_values(&ran.values(5), &[("i", "2 i32")]);
    assert_eq!(ran.rows(4).len(), 2);
    assert_values(&ran.values(7), &[("i", "0 i32")]);
    // The leader took no snapshot.
    assert!(program.run(&["CAPTURE=4"]).trace.contexts.is_empty());
}

#[test]
fn equal_rows_are_counted_and_too_many_are_not_all_looked_at() {
    let program = Program::new(
        r#"
int main(void)
{
    int i, j;
    for (i = 0; i < 100000; i++) { NOPOL_COND(0, NOPOL_SEE("i % 4", i % 4), i % 8); }
    for (j = 0; j < 3000; j++) { NOPOL_COND(1, NOPOL_SEE("j", j), j); }
    return 0;
}
"#,
    );
    let ran = program.run(&["CAPTURE=0,1"]);
    let looked: u64 = ran.rows(0).iter().map(|row| u64::from(row.2)).sum();
    assert_eq!(ran.rows(0).len(), 5);
    assert!(looked < 100_000, "{looked}");
    // Of each outcome; the one false row is there, too.
    assert_eq!(ran.rows(1).len(), 2001);
    assert_eq!(ran.trace.dropped, 100_000 - looked + 999);
    let few = program.run(&["CAPTURE=1", "ROWS=7"]);
    assert!(few.rows(1).len() <= 8, "{}", few.rows(1).len());
    // Where single evaluations are meant, every one is looked at.
    let ran = program.run(&["CAPTURE=0", "FORCE=1=t@5"]);
    assert_eq!(ran.rows(0).iter().map(|row| row.2).sum::<u32>(), 100_000);
}

#[test]
fn parts_threads_and_children_share_one_state() {
    let program = Program::build(
        "cc",
        &["-O2", "-fvisibility=hidden"],
        &header(),
        &[
            r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int other(int x);
static void *work(void *at)
{
    int i;
    for (i = 0; i < 1000; i++) { NOPOL_TICK(); NOPOL_COND(1, NOPOL_SEE("i % 3", i % 3) NOPOL_VALUE("other(i)", other(i)), at); other(i % 2); }
    return 0;
}
int main(void)
{
    pthread_t thread[4];
    int i;
    for (i = 0; i < 4; i++) pthread_create(&thread[i], 0, work, &i);
    for (i = 0; i < 4; i++) pthread_join(thread[i], 0);
    if (fork() == 0) { other(2); _exit(0); }
    wait(&i);
    return NOPOL_COND(0, NOPOL_SEE("i", i), i);
}
"#,
            "int other(int x) { NOPOL_TICK(); return NOPOL_COND(2, NOPOL_SEE(\"x\", x), x > 1); }",
        ],
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    let ran = program.run(&["CAPTURE=0,1,2"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.counter(0), [1, 1, 0]);
    assert_eq!(ran.counter(1), [4000, 0, 4000]);
    assert_eq!(ran.counter(2), [4001, 4000, 1]);
    assert_eq!(ran.trace.steps, 16003);
    assert_eq!(ran.trace.dropped, 1);
    assert_eq!(ran.rows(1).iter().map(|row| row.2).sum::<u32>(), 4000);
    assert_eq!(
        ran.rows(2),
        [(false, Some(false), 2000), (false, Some(false), 2000)]
    );
}

#[test]
fn what_fails_or_does_not_end_has_no_value_and_leaves_no_mark() {
    let program = Program::new(
        r#"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static int spin(int x) { while (NOPOL_COND(5, , x)) { NOPOL_TICK(); errno = 3; } return x; }
static int deep(volatile int *x) { volatile char room[1000]; room[0] = 0; return *x ? deep(x) + room[0] : 0; }
static int ends(int x) { if (x) abort(); return x; }
static void mine(int signal) { puts(signal == SIGSEGV ? "mine" : "?"); fflush(stdout); _Exit(3); }
int main(void)
{
    volatile int one = 1, *nowhere = 0;
    signal(SIGSEGV, mine);
    errno = 5;
    NOPOL_COND(0, NOPOL_VALUE("spin", spin(one)) NOPOL_VALUE("deep", deep(&one)) NOPOL_VALUE("ends", ends(one))
        NOPOL_VALUE("*nowhere", *nowhere) NOPOL_VALUE("one", one) NOPOL_VALUE("two", (ends(0), one + one)), 1);
    printf("%d\n", errno);
    fflush(stdout);
    return *nowhere;
}
"#,
    );
    let ran = program.run(&["CAPTURE=0"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), "5\nmine\n"));
    assert_values(&ran.values(0), &[("one", "1 i32"), ("two", "2 i32")]);
    assert_eq!(ran.counter(5), [0, 0, 0]);
    assert_eq!(ran.trace.steps, 1);
}

#[test]
fn poisoned_memory_is_unreadable() {
    let flags = ["-fsanitize=address,undefined", "-g"];
    let source = r#"
#include <stdlib.h>
struct node { int v; char name[4]; };
int main(void)
{
    struct node *gone = malloc(sizeof *gone), *here = malloc(sizeof *here), *none = 0;
    int *three = malloc(3 * sizeof *three), local[2] = {1, 2};
    three[2] = 7;
    here->v = 5;
    here->name[0] = here->name[1] = here->name[2] = here->name[3] = 'x';
    free(gone);
    NOPOL_COND(0, NOPOL_FIELD("gone->v", gone, v) NOPOL_FIELD("here->v", here, v) NOPOL_FIELD("here->name", here, name) NOPOL_FIELD("none->v", none, v)
        NOPOL_ELEMENT("three[2]", three, 2) NOPOL_ELEMENT("three[3]", three, 3) NOPOL_ELEMENT("local[2]", (int *)local, 2), 1);
    free(here), free(three);
    return 0;
}
"#;
    let program = Program::build("cc", &flags, &header(), &[source]);
    let program = program.unwrap_or_else(|errors| panic!("{errors}"));
    let ran = program.run(&["CAPTURE=0"]);
    assert_eq!(ran.code, Some(0));
    assert_values(
        &ran.values(0),
        &[
            ("here->v", "5 i32"),
            ("*here->name", "120 i8"),
            ("three[2]", "7 i32"),
        ],
    );
    let program = Program::build("cc", &flags, &header(), &[VALUES]);
    check_values(&program.unwrap_or_else(|errors| panic!("{errors}")));
}

#[test]
fn functions_of_the_subject_with_names_of_system_calls() {
    let program = Program::new(
        r#"
int printf(const char *, ...);
int read(void) { return 1; }
static int write(int x) { return x + 1; }
void mmap(void) {}
static void getenv(void) {}
int main(void)
{
    int x = read();
    const char *text = "t";
    mmap(), getenv();
    return NOPOL_COND(0, NOPOL_SEE("x", x) NOPOL_SEE("text", text) NOPOL_VALUE("write(x)", write(x)), 0);
}
"#,
    );
    let values = program.run(&["CAPTURE=0"]);
    let values = values.values(0);
    assert_eq!(values["x"], "1 i32");
    assert_eq!(values["write(x)"], "2 i32");
    assert_eq!(values["\"text\""], "\"t\"");
}

#[test]
fn errors_in_captures_are_told_where_they_stand() {
    let source = r#"struct s { int a; unsigned b : 3; };
int f(int x, struct s *p, struct s v)
{
    return NOPOL_BEGIN(0)
        v NOPOL_THEN(0)
        NOPOL_SEE("nope", nope)
        NOPOL_FIELD("p->z", p, z)
        NOPOL_FIELD("p->b", p, b)
        NOPOL_ELEMENT("x[0]", x, 0)
        NOPOL_ELEMENT("p[v]", p, v)
        NOPOL_VALUE("f(x)", f(x))
        NOPOL_SEE("x", x)
        NOPOL_END(0);
}
"#;
    let dir = tempfile::tempdir().unwrap();
    let head = format!("#include \"{}\"\n#line 1 \"file.c\"\n", header().display());
    fs::write(dir.path().join("file.c"), head + source).unwrap();
    let output = Command::new("gcc")
        .current_dir(dir.path())
        .args(["-c", "file.c", "-fdiagnostics-format=json"])
        .output();
    let Ok(output) = output else { return };
    let printed: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    let errors = printed.as_array().unwrap().iter();
    let mut lines: Vec<u64> = errors
        .filter(|error| error["kind"] == "error")
        .map(|error| {
            let caret = &error["locations"][0]["caret"];
            assert_eq!(caret["file"], "file.c");
            caret["line"].as_u64().unwrap()
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines, [5, 6, 7, 8, 9, 10, 11]);
}
