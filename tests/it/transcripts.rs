//! What people read: the README's transcript, help texts, and the report of some fixtures in full.
//! `docs/testing.md` says how to rewrite the texts after an intended change.

use std::fs;

use insta::assert_snapshot;

use crate::common::{Run, Subject, fixtures};

/// The text with `(0.3 s)` as `([TIME])`, the subject's place as `[DIR]`, how sure a patch is, which every training changes a
/// little, as `[SURE]`, and every number in a line of progress, which every engine changes, as `[N]`.
pub fn redacted(text: &str, dir: &str) -> String {
    let text = text.replace(dir, "[DIR]");
    let line = |line: &str| match (line.split_once("= note: "), line.split_once("%): ")) {
        (Some((head, _)), Some((_, rest))) => format!("{head}= note: [SURE]: {rest}"),
        _ => line.to_owned(),
    };
    let text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    let mut parts = text.split('(');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let time = part
            .split_once(" s)")
            .filter(|(time, _)| time.parse::<f64>().is_ok());
        match time {
            Some((_, rest)) => out += &format!("([TIME]){rest}"),
            None => out += &format!("({part}"),
        }
    }
    let line = |line: &str| match line.ends_with(" ([TIME])") {
        true => without_numbers(line),
        false => line.to_owned(),
    };
    out.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The text with `[N]` for every number.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter.is_ascii_digit() {
            true if out.ends_with("[N]") => {}
            true => out += "[N]",
            false => out.push(letter),
        }
    }
    out
}

/// Standard error and standard output, as a terminal has them.
fn said(subject: &Subject, run: &Run) -> String {
    let dir = subject.root.parent().unwrap().canonicalize().unwrap();
    redacted(&[&*run.stderr, &run.stdout].concat(), dir.to_str().unwrap())
}

#[test]
fn the_readme_shows_what_the_tool_prints() {
    let readme = fs::read_to_string(fixtures().with_file_name("README.md")).unwrap();
    let command = "$ cargo nopol --quiet --top 1\n";
    let (_, shown) = readme.split_once(command).unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let subject = Subject::fixture("percentile", "percentile");
    let run = subject.nopol(&["--quiet", "--top", "1"]);
    assert_eq!(said(&subject, &run), redacted(shown, "/tmp"));
}

#[test]
fn the_readme_warns_that_builds_are_not_confined() {
    let readme = fs::read_to_string(fixtures().with_file_name("README.md")).unwrap();
    let (_, safety) = readme.split_once("\n## Is it safe?\n").unwrap();
    let (safety, _) = safety.split_once("\n## ").unwrap();
    assert!(safety.contains("**Builds are not confined.**"), "{safety}");
}

#[test]
#[ignore = "make test-full: its parts are unit tests of src/report"]
fn a_missing_guard_is_shown() {
    let subject = Subject::fixture("missing-error", "missing-error");
    let run = subject.nopol(&["--top", "1"]);
    assert_snapshot!(said(&subject, &run), @"
                         copying [DIR]/missing-error → [DIR]/missing-error/target/nopol/slot-[N]/copy/missing-error ([TIME])
                        building [N] test binary ([TIME])
             running tests twice [N] pass, [N] fail, [N] flaky ([TIME])
            instrumenting places [N] places ([TIME])
                   tracing tests same results as without instrumentation ([TIME])
                forcing outcomes [N] places reached, [N] where a forced outcome makes a test pass ([TIME])
              recording contexts [N] contexts at [N] places ([TIME])
                    synthesizing [N] conditions at [N] places ([TIME])
             building candidates [N] of [N] compile ([TIME])
              judging candidates [N] plausible ([TIME])
                checking a patch passed; still searching ([TIME])
    so far: doing this only under a condition makes `tests::last_frame_is_truncated` pass
      --> src/lib.rs:46:5
       |
    46 |     stream.extend(payload);
       |     ^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: [SURE]: new condition with 2 clauses joined by `||`
    help: do this only if `stream.len() < 9 || payload.len() > 3`
       |
    46 ~     if stream.len() < 9 || payload.len() > 3 {
    47 +         stream.extend(payload);
    48 +     }
       |
            instrumenting places [N] places ([TIME])
                   tracing tests same results as without instrumentation ([TIME])
                forcing outcomes [N] places reached, [N] where a forced outcome makes a test pass ([TIME])
              recording contexts [N] contexts at [N] places ([TIME])
                    synthesizing [N] conditions at [N] places ([TIME])
             building candidates [N] of [N] compile ([TIME])
              judging candidates [N] plausible ([TIME])
                checking patches [N] patch ([TIME])
    note: the patch printed during the search (do this only if `stream.len() < 9 || payload.len() > 3`) is no longer shown: others rank higher
      `tests::last_frame_is_truncated` panics at src/lib.rs:28:13: mid > len
      `tests::truncated_payload` panics at src/lib.rs:28:13: mid > len

    patch 1: an early exit before this makes `tests::last_frame_is_truncated` and 1 other test pass
      --> src/lib.rs:28:5
       |
    28 |     Ok(rest.split_at(length))
       |     ^
       |
       = note: [SURE]: new condition with 1 clause
       = note: it fixes `tests::last_frame_is_truncated` and `tests::truncated_payload`
       = note: 1 alternative, not built on its own; no test distinguishes it from this patch: see `explain`
       = note: more: cargo nopol explain 1c8c7608-377fb721 --top 1
    help: return early if `length > rest.len()`
       |
    28 ~     if length > rest.len() {
    29 +         return Err(FrameError::Truncated);
    30 +     }
    31 ~     Ok(rest.split_at(length))
       |

    1 plausible patch: it fixes the tests listed with it and breaks no other. Review it before you trust it: your tests may be too weak to show that it is wrong.
    Apply it with `cargo nopol apply`.
    ");
    // Who reads the result again, or wants no progress, has seen no earlier patch.
    for args in [
        &["explain", "--top", "1"][..],
        &["--top", "1", "--no-cache", "--quiet"],
    ] {
        let run = subject.nopol(args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(!run.stderr.contains("printed during"), "{}", run.stderr);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn patches_of_two_causes_are_shown_apart() {
    let subject = Subject::fixture("two-causes", "two-causes");
    let run = subject.nopol(&["--top", "1"]);
    assert_snapshot!(said(&subject, &run), @"
                         copying [DIR]/two-causes → [DIR]/two-causes/target/nopol/slot-[N]/copy/two-causes ([TIME])
                        building [N] test binary ([TIME])
             running tests twice [N] pass, [N] fail, [N] flaky ([TIME])
            instrumenting places [N] places ([TIME])
                   tracing tests same results as without instrumentation ([TIME])
                forcing outcomes [N] places reached, [N] where a forced outcome makes a test pass ([TIME])
              recording contexts [N] contexts at [N] places ([TIME])
                    synthesizing [N] conditions at [N] places ([TIME])
             building candidates [N] of [N] compile ([TIME])
              judging candidates [N] plausible ([TIME])
                checking patches [N] patches ([TIME])
      `tests::item_behind_the_last_one` panics at src/lib.rs:129:9: assertion failed: !pages.reveal(20)
      `tests::single_item_on_the_last_page` panics at src/lib.rs:91:9: assertion `left == right` failed, left: 3, right: 4

    Probable cause 1 of 2, failing test `tests::item_behind_the_last_one`:

    patch 1: a different condition here makes `tests::item_behind_the_last_one` pass
      --> src/lib.rs:56:12
       |
    56 |         if item > self.items {
       |            ^^^^^^^^^^^^^^^^^
       |
       = note: [SURE]: `>` changed to `>=`
       = note: more: cargo nopol explain 44b865db-1c69db66 --top 1
    help: change it to `item >= self.items`
       |
    56 |         if item >= self.items {
       |                  +

    Probable cause 2 of 2, failing test `tests::single_item_on_the_last_page`:

    patch 2: a different condition here makes `tests::single_item_on_the_last_page` pass
      --> src/lib.rs:30:12
       |
    30 |         if self.items % self.per_page > 1 {
       |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: [SURE]: constant changed by 1
       = note: 4 alternatives, not built on their own; every test that passes with this patch also passes with them: see `explain`
       = note: more: cargo nopol explain dd56fcad-99354a13 --top 1
    help: change it to `self.items % self.per_page > 0`
       |
    30 -         if self.items % self.per_page > 1 {
    30 +         if self.items % self.per_page > 0 {
       |

    2 plausible patches: each fixes the tests listed with it and breaks no other. Review them before you trust them: your tests may be too weak to show that they are wrong.
    Apply one for each cause by its number, as in `cargo nopol apply 1`, or go through them with `cargo nopol review --top 1`.
    ");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn it_is_shown_why_there_is_no_patch() {
    let subject = Subject::fixture("hopeless", "hopeless");
    let run = subject.nopol(&[]);
    assert_snapshot!(said(&subject, &run), @"
                         copying [DIR]/hopeless → [DIR]/hopeless/target/nopol/slot-[N]/copy/hopeless ([TIME])
                        building [N] test binary ([TIME])
             running tests twice [N] pass, [N] fail, [N] flaky ([TIME])
            instrumenting places [N] places ([TIME])
                   tracing tests same results as without instrumentation ([TIME])
                forcing outcomes [N] places reached, none where a forced outcome makes a test pass ([TIME])
            instrumenting places [N] places ([TIME])
                   tracing tests same results as without instrumentation ([TIME])
                forcing outcomes [N] places reached, none where a forced outcome makes a test pass ([TIME])
             building candidates [N] of [N] compile ([TIME])
              judging candidates [N] plausible ([TIME])
              recording contexts [N] contexts at [N] places ([TIME])
                    synthesizing [N] conditions at [N] places ([TIME])
             building candidates [N] of [N] compile ([TIME])
              judging candidates [N] plausible ([TIME])
    No patch found.
      `shape::trapezoid::tests::area_of_a_trapezoid` panics at src/shape/trapezoid.rs:86:9: assertion `left == right` failed, left: 40.0, right: 20.0

    The search found no change of one condition that fixes a failing test. Failing tests reach 10 places. No failing test passes when the condition is forced or an early exit is taken at any one of them, and small edits of the most suspicious conditions do not help either. The early exits tried were `return 0.0`, `return width * self.height`, `return None`, `return Some(Self { top, bottom, height, })`, `return self.height == 0.0`, `return false` and `return true`; returning any other value was not tried. The fault may lie elsewhere: `--kind arithmetic` examines integer expressions; missing calls and assignments are not searched for. If two conditions must change at once, try `--multi`.
    ");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_of_a_c_program_is_shown() {
    let subject = Subject::fixture("c/loops-gcd", "loops-gcd");
    let run = subject.nopol_c(&["--top", "1"]);
    // Where the copy is depends on where the program is.
    let said = said(&subject, &run);
    let (_, said) = said.split_once('\n').unwrap();
    assert_snapshot!(said, @"
                        building `cc -std=c[N] -g -Wall -Wextra -o numbers numbers.c` ([TIME])
             running tests twice [N] pass, [N] fail, [N] flaky ([TIME])
            instrumenting places [N] places ([TIME])
                   tracing tests same results as without instrumentation ([TIME])
                forcing outcomes [N] places reached, [N] where a forced outcome makes a test pass ([TIME])
              recording contexts [N] contexts at [N] place ([TIME])
                    synthesizing [N] conditions at [N] place ([TIME])
             building candidates [N] of [N] compile ([TIME])
              judging candidates [N] plausible ([TIME])
                checking patches [N] patch ([TIME])
      `gcd-of-coprime` prints `8` instead of `1` on line 1
      `gcd-with-one` prints `5` instead of `1` on line 1

    patch 1: a different condition here makes `gcd-of-coprime` and 1 other test pass
      --> numbers.c:44:12
       |
    44 |     while (b > 1) {
       |            ^^^^^
       |
       = note: [SURE]: constant changed by 1
       = note: it fixes `gcd-of-coprime` and `gcd-with-one`
       = note: 3 alternatives, not built on their own; no test distinguishes them from this patch: see `explain`
       = note: more: cargo nopol c explain 1cd969f5-a95c172a --top 1
    help: change it to `b > 0`
       |
    44 -     while (b > 1) {
    44 +     while (b > 0) {
       |

    1 plausible patch: it fixes the tests listed with it and breaks no other. Review it before you trust it: your tests may be too weak to show that it is wrong.
    Apply it with `cargo nopol c apply`.
    ");
}
