//! What a reader is shown: where new code stands, what alternatives are, why there is no patch, and what is complained of
//! before a search.

use std::fs;

use serde_json::Value;

use crate::common::{Subject, strings};

#[test]
#[ignore = "make test-full: it takes long"]
fn a_guard_stands_above_the_comment_and_the_attribute_of_its_statement() {
    let subject = Subject::lib(
        "/// The first letter, or `None` where there is no word.\n\
         pub fn initial(words: &[&[u8]]) -> Option<u8> {\n    \
             let words = &words[1..];\n\n    \
             // The line has a word: a line without\n    \
             // any was dropped by whoever read it.\n    \
             #[allow(clippy::get_first)]\n    \
             let word = words[0];\n    \
             if word.len() > 8 {\n        \
                 return None;\n    \
             }\n    \
             word.first().copied()\n\
         }\n\n\
         #[test]\n\
         fn of_some() {\n    \
             assert_eq!(initial(&[b\"0\", b\"ab\"]), Some(b'a'));\n    \
             assert_eq!(initial(&[b\"0\", b\"abcdefghi\"]), None);\n\
         }\n\n\
         #[test]\n\
         fn of_none() {\n    \
             assert_eq!(initial(&[b\"0\"]), None);\n\
         }\n",
    );
    let report = subject
        .nopol(&["--kind", "guard", "--format", "json"])
        .json();
    let patches = report["patches"].as_array().unwrap();
    let there = patches.iter().find(|patch| patch["edits"][0]["line"] == 5);
    let there = there.unwrap_or_else(|| panic!("no guard above the comment: {report:#}"));
    let edit = &there["edits"][0];
    assert_eq!(edit["before"], "", "{there:#}");
    let text = subject.read("src/lib.rs");
    let at = usize::try_from(edit["span"]["start"].as_u64().unwrap()).unwrap();
    assert!(text[at..].starts_with("// The line has"), "{there:#}");
    let rank = there["rank"].to_string();
    let applied = subject.nopol(&["apply", &rank, "--allow-dirty"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let patched = subject.read("src/lib.rs");
    let comment = "    // The line has a word: a line without\n    // any was dropped by whoever read it.\n    #[allow(clippy::get_first)]\n    let word";
    assert!(
        patched.contains(&format!("        return None;\n    }}\n{comment}")),
        "{patched}"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn alternatives_are_told_with_their_exits_and_their_extent() {
    let subject = Subject::lib(
        r#"/// The sizes in a list like `3,4`, and their sum.
pub fn sizes(list: &str) -> Result<(Vec<u32>, u32), String> {
    let mut all = Vec::new();
    let mut sum = 0;
    for word in list.split(',') {
        let size: u32 = word.parse().map_err(|_| format!("no size: {word}"))?;
        all.push(size);
        sum += size;
    }
    Ok((all, sum))
}

#[test]
fn of_some() {
    assert_eq!(sizes("3,4"), Ok((vec![3, 4], 7)));
    assert_eq!(sizes("3,x"), Err("no size: x".to_owned()));
    assert_eq!(sizes("3,,4"), Err("no size: ".to_owned()));
}

#[test]
fn of_none() {
    assert_eq!(sizes(""), Ok((vec![], 0)));
}
"#,
    );
    let report = subject.nopol(&["--top", "9", "--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    let exit = |edits: &Value| {
        let after = edits[0]["after"].as_str().unwrap();
        let exits = ["continue", "break", "return", "panic", "assert"];
        exits.into_iter().find(|exit| after.contains(exit))
    };
    let mut alternatives = 0;
    for patch in patches {
        let rank = patch["rank"].to_string();
        let explained = subject.nopol(&["explain", &rank, "--top", "9"]).stdout;
        let numbered = format!("  {rank}.");
        let told: Vec<&str> = explained
            .lines()
            .filter_map(|line| line.strip_prefix(&numbered))
            .filter_map(|line| Some(line.split_once(' ')?.1))
            .collect();
        let others = patch["alternatives"].as_array();
        let others = others.map_or(&[][..], Vec::as_slice);
        assert_eq!(told.len(), others.len(), "{explained}");
        for (other, told_of_it) in others.iter().zip(&told) {
            let at = told.iter().filter(|it| *it == told_of_it).count();
            assert_eq!(at, 1, "two are told alike: {explained}");
            assert_eq!(exit(&other["edits"]), exit(&patch["edits"]), "{explained}");
            match patch["kind"].as_str().unwrap() {
                "guard" => {
                    let exit = exit(&other["edits"]).unwrap();
                    assert!(told_of_it.contains(exit), "{explained}");
                    assert!(told_of_it.contains("` before line "), "{explained}");
                }
                "precondition" => assert!(told_of_it.contains("` in place of line"), "{explained}"),
                _ => {}
            }
            alternatives += 1;
        }
    }
    assert!(alternatives > 2, "nothing to tell: {report:#}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn where_no_exit_helps_the_exits_that_were_tried_are_named() {
    let subject = Subject::lib(
        r#"#[derive(Debug, PartialEq)]
pub enum Refused {
    Empty,
    TooMany(usize),
    Unknown(char),
}

/// The commands of a line; `q` and `w` are known.
pub fn commands(line: &str) -> Result<Vec<char>, Refused> {
    if line.is_empty() {
        return Err(Refused::Empty);
    }
    if line.len() > 8 {
        return Err(Refused::TooMany(line.len()));
    }
    let all: Vec<char> = line.chars().collect();
    Ok(all)
}

#[test]
fn known() {
    assert_eq!(commands("qw"), Ok(vec!['q', 'w']));
    assert_eq!(commands(""), Err(Refused::Empty));
    assert_eq!(commands("qqqqqqqqq"), Err(Refused::TooMany(9)));
}

#[test]
fn unknown() {
    assert_eq!(commands("x"), Err(Refused::Unknown('x')));
    assert_eq!(commands("zq"), Err(Refused::Unknown('z')));
}
"#,
    );
    let run = subject.nopol(&[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let told = run.stdout;
    let exits = "The early exits tried were ";
    let exits = told
        .split_once(exits)
        .unwrap_or_else(|| panic!("no exits: {told}"))
        .1;
    for exit in [
        "`return Err(Refused::Empty)`",
        "`return Err(Refused::TooMany(line.len()))`",
    ] {
        assert!(exits.contains(exit), "{told}");
    }
    assert!(
        exits.contains("returning any other value was not tried"),
        "{told}"
    );
    assert!(!told.contains("may not be in a condition"), "{told}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn code_that_is_compiled_for_tests_only_is_named_where_no_patch_is_looked_for() {
    let subject = Subject::lib(
        r#"pub struct Meter(pub u32);

impl Meter {
    pub fn add(&mut self, by: u32) {
        self.0 += by;
    }

    #[cfg(test)]
    fn is_low(&self) -> bool {
        self.0 < 10
    }
}

#[cfg(test)]
impl Meter {
    fn is_high(&self) -> bool {
        self.0 > 100
    }

    fn zero() -> Self {
        Self(0)
    }
}

#[cfg(test)]
impl Meter {
    fn one() -> Self {
        Self(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_even(meter: &Meter) -> bool {
        meter.0 % 2 == 0
    }

    #[test]
    fn a_hundred_is_high() {
        let mut meter = Meter::zero();
        assert!(meter.is_low() && is_even(&meter));
        meter.add(100);
        assert!(meter.is_high());
        assert_eq!(Meter::one().0, 1);
    }
}
"#,
    );
    let what = "Not searched: `fn is_low` (src/lib.rs:8), compiled for tests only; \
                `impl Meter` (src/lib.rs:14), compiled for tests only; \
                `fn is_even` (src/lib.rs:36), compiled for tests only.";
    let listed = subject.nopol(&["list"]);
    assert!(listed.stdout.contains(what), "{}", listed.stdout);
    let run = subject.nopol(&[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains(what), "{}", run.stdout);
    let json = subject.nopol(&["--format", "json"]).json();
    assert!(json["message"].as_str().unwrap().contains(what), "{json:#}");
}

const HALF: &str = "\
/// ```
/// assert_eq!(subject::half(5), 3);
/// ```
pub fn half(number: u32) -> u32 {
    if number > 1 { number / 2 } else { 1 }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn an_example_that_fails_is_named_and_no_success() {
    let alone = Subject::lib(HALF).nopol(&[]);
    assert_eq!(alone.code, 4, "{}{}", alone.stdout, alone.stderr);
    let what = "there are no tests except doctests, and `src/lib.rs - half (line 1)` fails. Doctests are not fixed";
    assert!(alone.stderr.contains(what), "{}", alone.stderr);

    let test = "#[test]\nfn of_four() {\n    assert_eq!(half(4), 2);\n}\n";
    let subject = Subject::lib(&format!("{HALF}{test}"));
    let beside = subject.nopol(&[]);
    assert_eq!(beside.code, 1, "{}{}", beside.stdout, beside.stderr);
    let what = "The only test passes. The doctest `src/lib.rs - half (line 1)` fails. Doctests are not fixed";
    assert!(beside.stdout.contains(what), "{}", beside.stdout);
    assert!(
        !beside.stdout.contains("Nothing to repair"),
        "{}",
        beside.stdout
    );
    let junit = subject.nopol(&["--no-cache", "--format", "junit"]).stdout;
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert!(
        junit.contains("<testcase name=\"src/lib.rs - half (line 1)\">"),
        "{junit}"
    );
    // As `cargo test` with the same arguments: the example is not run.
    let filtered = subject.nopol(&["--", "of_four"]);
    assert_eq!(filtered.code, 0, "{}{}", filtered.stdout, filtered.stderr);
    // Arguments that leave nothing out hide nothing.
    let counted = subject.nopol(&["--no-cache", "--", "--test-threads=1"]);
    assert_eq!(counted.code, 1, "{}{}", counted.stdout, counted.stderr);

    let right = Subject::lib(&HALF.replace("(5), 3", "(5), 2")).nopol(&[]);
    assert_eq!(right.code, 4, "{}{}", right.stdout, right.stderr);
    let what = "there are no tests except 1 doctest, and it passes";
    assert!(right.stderr.contains(what), "{}", right.stderr);

    let failing =
        "#[test]\nfn of_one() {\n    assert_eq!(half(0), 1);\n    assert_eq!(half(1), 0);\n}\n";
    let both = Subject::lib(&format!("{HALF}{test}{failing}")).nopol(&["--top", "1"]);
    assert_eq!(both.code, 0, "{}{}", both.stdout, both.stderr);
    let what = "the doctest `src/lib.rs - half (line 1)` fails without a patch, and doctests are not fixed";
    assert!(both.stderr.contains(what), "{}", both.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn arguments_that_a_test_binary_does_not_know_are_blamed_and_nothing_is_searched() {
    let subject = Subject::lib(
        "pub fn half(number: u32) -> u32 {\n    if number > 1 { number / 2 } else { 1 }\n}\n\n\
         #[test]\nfn of_none() {\n    assert_eq!(half(0), 0);\n}\n",
    );
    for args in [&["--nosuch"][..], &["--help"], &["--test-threads", "none"]] {
        let run = subject.nopol(&[&["--"], args].concat());
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
        let given = format!("rejects `{}` after `--`", args.join(" "));
        assert!(run.stderr.contains(&given), "{}", run.stderr);
        assert!(!run.stderr.contains("harness"), "{}", run.stderr);
        assert!(!run.stderr.contains("running tests"), "{}", run.stderr);
    }
    let run = subject.nopol(&["--", "--nosuch"]);
    assert!(
        run.stderr.contains("Unrecognized option: 'nosuch'"),
        "{}",
        run.stderr
    );
    let run = subject.nopol(&["--", "--test-threads", "1", "--nocapture"]);
    assert!(run.code < 2, "{}{}", run.stdout, run.stderr);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_search() {
    let subject = Subject::lib("#[test]\nfn good() {}\n");
    let nowhere = subject.beside("nowhere");
    let file = subject.beside("file");
    fs::write(&file, "").unwrap();
    let nowhere = nowhere.to_str().unwrap();
    let file = file.to_str().unwrap();
    let here = subject.beside("subject");
    let here = here.to_str().unwrap();
    for (option, path, why) in [
        (
            "--html",
            format!("{nowhere}/page.html"),
            "there is no directory ",
        ),
        (
            "--summary",
            format!("{nowhere}/text.md"),
            "there is no directory ",
        ),
        ("--html", here.to_owned(), "is a directory"),
        ("--html", format!("{file}/page.html"), "is not a directory"),
        ("--html", format!("{nowhere}/"), "does not name a file"),
        (
            "--html",
            format!("{here}/src/lib.rs"),
            "is part of a program",
        ),
        (
            "--summary",
            format!("{here}/Cargo.toml"),
            "is part of a program",
        ),
        ("--dump", file.to_owned(), "is not a directory"),
        ("--dump", format!("{file}/dump"), "is not a directory"),
        ("--work-dir", format!("{file}/work"), "is not a directory"),
    ] {
        let run = subject.nopol(&[option, &path]);
        let (code, told) = (run.code, run.stderr);
        assert_eq!(code, 2, "{option} {path}: {told}");
        assert!(
            told.starts_with(&format!("error: {option}: {path} ")),
            "{told}"
        );
        assert!(told.contains(why), "{told}");
        assert!(!told.contains(".nopol-"), "{told}");
        assert!(!subject.has_working_copy(), "{option}");
    }
    let page = subject.beside("page.html");
    let run = subject.nopol(&["--html", page.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(page.is_file());
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_the_memory_limit_ends_is_not_said_to_fail_by_itself() {
    let subject = Subject::lib(
        r"
pub fn is_many(n: usize) -> bool { n > 10 }

#[cfg(test)]
mod tests {
    use super::is_many;

    #[test]
    fn ten() { assert!(is_many(10)); }

    #[test]
    fn nine() { assert!(!is_many(9)); }

    #[test]
    fn large_and_wrong() {
        let table: Vec<u64> = vec![0; 700_000_000];
        assert!(!is_many(table.len()));
    }

    #[test]
    fn large() {
        let table: Vec<u64> = vec![0; 700_000_000];
        assert!(is_many(table.len()));
    }
}
",
    );
    let run = subject.nopol(&["--format", "json", "--no-cache", "--quick"]);
    let report = run.json();
    let warnings = strings(&report["warnings"]);
    let of = |name: &str| {
        let name = format!("::{name}`");
        warnings
            .iter()
            .find(|it| it.contains(&name))
            .unwrap()
            .clone()
    };
    let own = of("large_and_wrong");
    assert!(
        own.contains("because of a limit: it needs more than 4 GiB of memory (`--memory` sets another limit). Without that limit it fails, too"),
        "{own}"
    );
    assert!(own.contains("panics at src/lib.rs:17:9"), "{own}");
    // It fails in any case, so it is not set aside.
    assert!(!own.contains("set aside"), "{own}");
    assert!(
        of("large").contains("passes without limits"),
        "{warnings:#?}"
    );
    let run = subject.nopol(&["--format", "json", "--no-cache", "--quick", "--memory", "8"]);
    let report = run.json();
    let warnings = strings(&report["warnings"]).join("\n");
    assert!(!warnings.contains("limit"), "{warnings}");
}

/// One unit too many is let through.
const SLOTS: &str = r"
pub fn take(slots: u32, units: u32) -> u32 {
    if units > slots + 1 {
        panic!(`too many units`);
    }
    slots.saturating_sub(units)
}

#[cfg(test)]
mod tests {
    use super::take;

    #[test]
    fn some() {
        assert_eq!(take(5, 3), 2);
        assert_eq!(take(5, 5), 0);
    }

    #[test]
    #[should_panic(expected = `too many`)]
    fn more() {
        take(5, 6);
    }

    #[test]
    #[should_panic]
    fn one_of_none() {
        take(0, 1);
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_misses_a_panic_has_a_place_and_no_shown_sum_overflows_without_need() {
    let subject = Subject::lib(&SLOTS.replace('`', "\""));
    let run = subject.nopol(&["--no-cache"]);
    let place = "should panic, but does not; the test is at src/lib.rs:";
    assert_eq!(run.stdout.matches(place).count(), 2, "{}", run.stdout);
    assert!(
        run.stdout.contains("change it to `units > slots`"),
        "{}",
        run.stdout
    );
    // What agrees with that in every recorded context and overflows for the greatest number is like it, and no patch.
    let wrong = "change it to `units + 1 > slots + 1`";
    assert!(!run.stdout.contains(wrong), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn where_options_leave_no_place_the_list_says_so_and_promises_no_other() {
    let subject = Subject::lib(
        "pub fn is_odd(n: u32) -> bool {\n    n % 2 == 0\n}\n\n#[test]\nfn odd() {\n    assert!(is_odd(3));\n}\n",
    );
    let list = |options: &[&str]| {
        let run = subject.nopol(&[&["list"], options].concat());
        (run.code, run.stdout + &run.stderr)
    };
    let guards = "Places for an early exit are left out";
    let (code, no_git) = list(&["--only-in-diff"]);
    assert!(
        code == 2
            && no_git.contains(
                "--only-in-diff: uncommitted changes are known only if the workspace root"
            ),
        "{no_git}"
    );
    subject.commit();
    for (options, why) in [
        (
            &["--only-in-diff"][..],
            "`--only-in-diff` leaves no place that may be changed: no source line has uncommitted changes.",
        ),
        (
            &["--exclude-file", "src/*"],
            "`--exclude-file 'src/*'` leaves no place that may be changed.",
        ),
        (
            &["--kind", "precondition", "--lines", "src/lib.rs:2"],
            "Together, `--kind precondition --lines src/lib.rs:2` leave no place that may be changed.",
        ),
    ] {
        let (code, text) = list(options);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(why), "{text}");
        assert!(
            !text.contains(guards) && !text.contains("const fn"),
            "{text}"
        );
    }
    let (_, conditions) = list(&["--kind", "condition"]);
    assert!(!conditions.contains(guards), "{conditions}");
    assert!(list(&[]).1.contains(guards));
}

const CLOCKS: &str = "
/// Whether it is large.
///
/// ```
/// assert!(subject::is_large(8));
/// assert!(!subject::is_large(0));
/// ```
pub fn is_large(size: usize) -> bool {
    size != 0 && size > 8
}

pub fn is_late(now: u8, due: u8) -> bool {
    now - due > 5
}

#[test]
fn eight() {
    assert!(is_large(8));
    assert!(is_large(9));
}
#[test]
fn seven() {
    assert!(!is_large(7));
}
#[test]
fn late() {
    assert!(is_late(20, 15));
    assert!(!is_late(19, 15));
}
#[test]
fn very_late() {
    assert!(is_late(40, 15));
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn what_overflows_already_is_named_and_what_doctests_say_is_said() {
    let subject = Subject::lib(CLOCKS);
    let run = subject.nopol(&["--full"]);
    let why = "computing `now - due` overflows with `now` = 0, `due` = 1; no recorded context has these values; the old expression fails \
               there, too";
    assert!(run.stdout.contains(why), "{}", run.stdout);
    // It equals a patch that is shown, and panics for the greatest size.
    assert!(!run.stdout.contains("size + 1 > 8"), "{}", run.stdout);
    let report = subject.nopol(&["--format", "json"]).json();
    for patch in report["patches"].as_array().unwrap() {
        let id = patch["id"].as_str().unwrap();
        let (_, after) = run.stdout.split_once(&format!("explain {id}")).unwrap();
        let (_, before) = run.stdout[..run.stdout.len() - after.len()]
            .rsplit_once("\npatch ")
            .unwrap();
        let like_it = before.contains(", not built on ");
        assert_eq!(like_it, patch["alike"] != 0, "{before}");
        // A failing test of the other cause, and doctests, were not run on what is like it.
        for compared in [
            "every test that passes with this patch also passes with ",
            ", but no doctest was run with ",
        ] {
            assert_eq!(like_it, before.contains(compared), "{before}");
        }
    }
}
