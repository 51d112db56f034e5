//! `--run` and `--fuzz`: a run of a program that fails, and a fuzz target that fails with an input, are repaired like a failing test.

use crate::bad_input::assert_says;
use crate::common::Subject;

/// The nth word of a line. `>` should be `>=`, which no test of the crate shows.
const LIB: &str = "pub fn nth<'a>(words: &[&'a str], n: usize) -> &'a str {
    if n > words.len() {
        return words[words.len() - 1];
    }
    words[n]
}

#[cfg(test)]
mod tests {
    #[test]
    fn beyond_the_end_is_the_last() {
        assert_eq!(super::nth(&[\"a\", \"b\"], 5), \"b\");
        assert_eq!(super::nth(&[\"a\", \"b\"], 0), \"a\");
        assert_eq!(super::nth(&[\"a\", \"b\"], 1), \"b\");
    }
}
";

/// Prints the word of standard input that its argument numbers.
const MAIN: &str = "use std::io::Read;

fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    println!(\"{}\", subject::nth(&words, n));
}
";

const MANIFEST: &str = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

fn subject(more: &[(&str, &str)]) -> Subject {
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("src/main.rs", MAIN),
        ("words.txt", "a b\n"),
    ];
    Subject::new(&[&files[..], more].concat())
}

#[test]
fn a_run_that_panics_is_repaired_and_can_leave_a_test() {
    let subject = subject(&[]);
    let before = subject.snapshot();
    let args = [
        "--run",
        "--stdin",
        "words.txt",
        "--format",
        "json",
        "--",
        "2",
    ];
    let run = subject.nopol(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(
        report["patches"][0]["fixes"][0],
        "subject::nopol_run::nopol_run"
    );
    let diff = report["patches"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+    if n >= words.len() {"), "{diff}");
    assert_eq!(subject.snapshot(), before);

    let run = subject.nopol(&["apply", "1", "--with-test"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let added =
        "added the test `nopol_run` to tests/nopol_run.rs; the program without the patch fails it";
    assert!(run.stdout.contains(added), "{}", run.stdout);
    let tested = subject.cargo_test(&["--test", "nopol_run"]);
    assert_eq!(tested.code, 0, "{}", tested.stdout);
    let again = subject.nopol(&["--run", "--", "2"]);
    assert_says(&again, 2, &["tests/nopol_run.rs exists already"]);

    let run = subject.nopol(&["undo"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!subject.root.join("tests").exists());
    assert_eq!(subject.read("src/lib.rs"), LIB);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_run_prints_may_be_expected() {
    let main = MAIN.replace("subject::nth(&words, n)", "subject::nth(&words, n).len()");
    let lib = LIB.replace(
        "        return words[words.len() - 1];",
        "        return \"\";",
    );
    let lib = lib.replace("5), \"b\")", "5), \"\")");
    let lib = lib.replace("    words[n]", "    words.get(n).unwrap_or(&\"none\")");
    let examples = MAIN.replace("println!", "print!");
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &lib),
        ("src/bin/length.rs", &main),
        ("src/bin/other.rs", "fn main() {}\n"),
        ("examples/shown.rs", &examples),
        ("zero.txt", "0\n"),
    ]);
    let elsewhere = tempfile::tempdir().unwrap();
    let words = elsewhere.path().join("words.txt");
    std::fs::write(&words, "a b\n").unwrap();
    let empty = elsewhere.path().join("empty.txt");
    std::fs::write(&empty, "").unwrap();
    let (words, empty) = (words.to_str().unwrap(), empty.to_str().unwrap());
    for (program, expected) in [
        (["--bin", "length"], "zero.txt"),
        (["--example", "shown"], empty),
    ] {
        let run = subject.nopol(
            &[
                &[
                    "--run", "--stdin", words, "--expect", expected, "--format", "json",
                ][..],
                &program,
                &["--", "2"],
            ]
            .concat(),
        );
        assert_eq!(run.code, 0, "{program:?}: {}", run.stderr);
        let diff = run.json()["patches"][0]["diff"].to_string();
        assert!(diff.contains("+    if n >= words.len() {"), "{diff}");
    }
}

#[test]
fn a_run_that_cannot_be_made_a_test_is_a_usage_error() {
    let subject = subject(&[("src/bin/other.rs", "fn main() {}\n")]);
    for (args, words) in [
        (&["--run"][..], "there are several programs: "),
        (&["--run", "--bin", "none"], "there is no bin target `none`"),
        (
            &["--run", "--example", "none"],
            "there is no example target `none`: the workspace has no example targets",
        ),
        (
            &["--run", "--bin", "other", "--expect", "none"],
            "--expect none: ",
        ),
        (&["--expect", "words.txt"], "--run"),
        (
            &["faults", "--run", "--bin", "other"],
            "does not support --run; use `cargo nopol` or `cargo nopol localize`",
        ),
    ] {
        assert_says(&subject.nopol(args), 2, &[words]);
    }
    let manifest = MANIFEST.to_owned() + "autotests = false\n";
    let subject = Subject::new(&[("Cargo.toml", &manifest), ("src/main.rs", "fn main() {}\n")]);
    assert_says(&subject.nopol(&["--run"]), 2, &["`autotests = false`"]);
    let subject = Subject::new(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() {}\n")]);
    let run = subject.nopol(&["--run", "--", "x"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("The run succeeds."), "{}", run.stdout);
    let main = "fn main() { panic!() }\n#[test] fn two() {}\n";
    let subject = Subject::new(&[("Cargo.toml", MANIFEST), ("src/main.rs", main)]);
    let run = subject.nopol(&["--run", "--failing", "two"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let words = "`two` passes, but `nopol_run` fails.";
    assert!(run.stdout.contains(words), "{}", run.stdout);
}

const FUZZ: &str = "[package]\nname = \"subject-fuzz\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[package.metadata]\ncargo-fuzz = true\n[dependencies]\nlibfuzzer-sys = \"0.4\"\n[dependencies.subject]\npath = \"..\"\n[[bin]]\nname = \"words\"\npath = \"fuzz_targets/words.rs\"\n[[bin]]\nname = \"typed\"\npath = \"fuzz_targets/typed.rs\"\n[workspace]\n";

/// The first byte is the number of the word.
const TARGET: &str = "#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [n, text @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let words: Vec<&str> = text.split_whitespace().collect();
    if !words.is_empty() {
        subject::nth(&words, *n as usize);
    }
});
";

#[test]
fn an_input_that_crashes_a_fuzz_target_is_repaired_and_can_leave_a_test() {
    let typed = "libfuzzer_sys::fuzz_target!(|input: (u8, String)| {});";
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("fuzz/Cargo.toml", FUZZ),
        ("fuzz/fuzz_targets/words.rs", TARGET),
        ("fuzz/fuzz_targets/typed.rs", typed),
        ("fuzz/artifacts/words/crash-1", "\u{2}a b"),
        ("fuzz/artifacts/words/crash-2", "\u{1}a b"),
    ]);
    let before = subject.snapshot();
    let crash = "fuzz/artifacts/words/crash-1";
    let run = subject.nopol(&["--fuzz", "words", crash, "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(
        report["patches"][0]["fixes"][0],
        "subject::nopol_fuzz::nopol_fuzz"
    );
    let diff = report["patches"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+    if n >= words.len() {"), "{diff}");
    assert_eq!(subject.snapshot(), before);

    let run = subject.nopol(&["apply", "1", "--with-test"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let tested = subject.cargo_test(&["--test", "nopol_fuzz"]);
    assert_eq!(tested.code, 0, "{}", tested.stdout);
    assert_says(
        &subject.nopol(&["--fuzz", "words", crash]),
        2,
        &["tests/nopol_fuzz.rs exists already"],
    );
    let run = subject.nopol(&["undo"]);
    assert_eq!(run.code, 0, "{}", run.stderr);

    let passing = subject.nopol(&["--fuzz", "words", "fuzz/artifacts/words/crash-2"]);
    assert_says(&passing, 0, &[]);
    let words = "The fuzz target passes with this input.";
    assert!(passing.stdout.contains(words), "{}", passing.stdout);
    for (args, words) in [
        (
            &["--fuzz", "none", crash][..],
            "--fuzz none: there is no such fuzz target; there are: words, typed",
        ),
        (&["--fuzz", "words", "none"], "--fuzz words none: "),
        (
            &["--fuzz", "typed", crash],
            "the crate `arbitrary` makes the input, of type `(u8, String)`, and the package subject does not depend on it",
        ),
        (&["--fuzz", "words"], "--fuzz <TARGET> <FILE>"),
        (
            &["localize", "--fuzz", "words", crash, "--run"],
            "cannot be used with",
        ),
        (
            &["faults", "--fuzz", "words", crash],
            "does not support --fuzz",
        ),
    ] {
        assert_says(&subject.nopol(args), 2, &[words]);
    }
}
