//! Whatever is wrong gets a sentence, the documented exit code, and nothing is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::{GRADES, MANIFEST, Run, Subject, strings};

pub fn assert_says(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, code, "{}\n{}", run.stdout, run.stderr);
    for word in words {
        assert!(
            run.stderr.contains(word),
            "`{word}` is not in:\n{}",
            run.stderr
        );
    }
}

#[test]
fn no_manifest_is_a_usage_error() {
    let subject = Subject::new(&[("notes.txt", "nothing here")]);
    assert_says(&subject.nopol(&[]), 2, &["error:", "Cargo.toml"]);
}

#[test]
fn a_manifest_path_that_is_no_file_is_a_usage_error() {
    let subject = Subject::lib(GRADES);
    let run = subject.nopol(&["--manifest-path", "src"]);
    assert_says(&run, 2, &["`src` is not a file", "Cargo.toml"]);
}

#[test]
fn a_manifest_that_is_none_is_a_usage_error() {
    let subject = Subject::new(&[
        ("Cargo.toml", "this is = not [a manifest"),
        ("src/lib.rs", ""),
    ]);
    assert_says(&subject.nopol(&[]), 2, &["cargo cannot read the manifest"]);
}

#[test]
fn an_unknown_package_or_test_is_a_usage_error() {
    let subject = Subject::lib(GRADES);
    assert_says(
        &subject.nopol(&["-p", "other"]),
        2,
        &["no package `other`", "subject"],
    );
    let run = subject.nopol(&["--failing", "tests::nowhere"]);
    assert_says(
        &run,
        2,
        &["no test is named `tests::nowhere`", "cargo nopol list"],
    );
    let run = subject.nopol(&["--failing", "just_enough_is_enuf"]);
    assert_says(&run, 2, &["Did you mean `tests::just_enough_is_enough`?"]);
    assert_says(
        &subject.nopol(&["--test", "nope"]),
        2,
        &["no test target `nope`"],
    );
    assert_says(&subject.nopol(&["--file", "a[b"]), 2, &["not a glob"]);
    assert_says(
        &subject.nopol(&["--file", "b.rs"]),
        2,
        &["no source file matches --file"],
    );
    assert_says(&subject.nopol(&["--apply=0"]), 2, &["--apply"]);
    assert_says(
        &subject.nopol(&["--time-limit", "soon"]),
        2,
        &["not a number of seconds"],
    );
    let run = subject.nopol(&["--min-confidence", "60"]);
    assert_says(&run, 2, &["`60` is not a number from 0 to 1"]);
}

#[test]
fn a_commit_may_have_the_name_that_only_the_users_repository_knows() {
    let subject = Subject::lib(GRADES);
    subject.commit();
    let remote = subject.beside("remote.git");
    let remote = remote.to_str().unwrap();
    for args in [
        &["init", "-q", "--bare", remote][..],
        &["remote", "add", "origin", remote],
        &["push", "-q", "-u", "origin", "HEAD"],
        &["commit", "-q", "--allow-empty", "-m", "not pushed"],
    ] {
        let run = subject.git(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    }
    // As in the hook that docs/ci.md shows: nothing was changed since the push.
    let run = subject.nopol(&["list", "--only-in-diff", "--in-diff", "@{push}"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("leave no place"), "{}", run.stdout);
}

#[test]
fn a_hint_at_nothing_is_a_usage_error() {
    let subject = Subject::lib(GRADES);
    subject.commit();
    let run = subject.nopol(&["--near", "nowhere"]);
    assert_says(&run, 2, &["--near nowhere", "`cargo nopol list`"]);
    let run = subject.nopol(&["--in-diff", "nowhere"]);
    assert_says(
        &run,
        2,
        &["--in-diff: `nowhere` is", "neither a file nor a commit"],
    );
    // An option of git that writes a file.
    let run = subject.nopol(&["--in-diff=--output=stolen"]);
    assert_says(&run, 2, &["neither a file nor a commit"]);
    assert!(
        !subject
            .snapshot()
            .keys()
            .any(|path| path.ends_with("stolen"))
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_is_less_likely_than_asked_for_is_not_shown() {
    let subject = Subject::lib(GRADES);
    let run = subject.nopol(&["--min-confidence", "1", "--format", "json", "--quick"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(run.json()["outcome"], "no-patch");
    let message = run.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("--min-confidence 1"), "{message}");
    assert_eq!(run.json()["patches"], serde_json::json!([]));
    let people = subject.nopol(&["--min-confidence", "1", "--quick"]);
    assert!(
        people.stdout.starts_with("No patch to show.\n"),
        "{}",
        people.stdout
    );
    assert!(people.stdout.contains("found, but"), "{}", people.stdout);
    assert!(!people.stdout.contains("candidate"), "{}", people.stdout);
    let explained = subject.nopol(&["explain", "7", "--min-confidence", "1", "--quick"]);
    assert_says(&explained, 1, &[]);
    assert!(
        explained.stdout.contains("No patch to show."),
        "{}",
        explained.stdout
    );
    let hid = "hid all its patches (--min-confidence 1)";
    assert_says(&subject.nopol(&["apply", "1"]), 2, &[hid]);
}

#[test]
fn a_crate_that_does_not_compile_shows_rustcs_own_message() {
    let subject = Subject::lib("pub fn f() -> u32 { \"text\" }\n#[test] fn t() {}");
    let run = subject.nopol(&["--format", "json"]);
    assert_says(
        &run,
        3,
        &["error[E0308]", "src/lib.rs:1", "cargo test --no-run"],
    );
    assert_eq!(run.json()["outcome"], "cannot-build");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn an_option_that_makes_the_build_fail_is_in_the_command_to_try_and_a_place_that_is_none_is_a_usage_error()
 {
    let subject = Subject::lib(GRADES);
    for option in ["--features=nosuch", "--profile=nosuch"] {
        let command = format!("Make `cargo test --no-run {option}` succeed first");
        assert_says(&subject.nopol(&[option]), 3, &[&command]);
    }
    // No directory can be made there.
    let run = subject.nopol(&["--work-dir", "/proc/none"]);
    assert_says(&run, 2, &["--work-dir", "cannot create /proc/none"]);
    let run = subject.nopol(&["--in-diff", "Cargo.toml"]);
    assert_says(&run, 2, &["Cargo.toml is not a diff"]);
}

#[test]
fn a_file_outside_the_subject_that_the_build_reads_is_named() {
    let source = "pub fn f(n: u32) -> u32 {\n    n + include_str!(\"../../n.txt\").len() as u32\n}\n#[test] fn one() { assert_eq!(f(0), 2); }\n";
    let subject = Subject::new(&[
        ("n.txt", "1"),
        ("a/Cargo.toml", MANIFEST),
        ("a/src/lib.rs", source),
    ]);
    let run = subject.nopol(&["--manifest-path", "a/Cargo.toml"]);
    assert_says(
        &run,
        3,
        &[
            "the working copy of the program does not build",
            "/n.txt, because it is outside ",
        ],
    );
    assert!(!run.stderr.contains("succeed first"), "{}", run.stderr);
}

#[test]
fn where_denied_lints_are_not_all_that_is_wrong_the_first_error_is_shown() {
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        (
            "src/lib.rs",
            "#![deny(unused_variables)]\npub fn f() { let denied = 1; }",
        ),
        ("tests/t.rs", "#[test] fn t() { let n: u32 = \"text\"; }"),
    ]);
    let run = subject.nopol(&["--format", "json"]);
    assert_says(&run, 3, &["error: unused variable: `denied`"]);
    let report = run.json();
    assert_eq!(report["outcome"], "cannot-build");
    assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
}

#[test]
fn a_crate_without_tests_is_an_unusable_baseline() {
    let subject = Subject::lib("pub fn f() {}");
    let run = subject.nopol(&["--format", "json"]);
    assert_says(&run, 4, &["there are no tests"]);
    assert_eq!(run.json()["outcome"], "unusable-baseline");
}

#[test]
fn tests_that_are_all_ignored_are_named() {
    let subject = Subject::lib("pub fn f() {}\n#[test]\n#[ignore]\nfn later() {}\n");
    for command in [&[] as &[&str], &["mutate"], &["faults"]] {
        let run = subject.nopol(command);
        let only = "the only test, `later`, is ignored; add `-- --ignored` to run it";
        assert_says(&run, 4, &[only]);
    }
    let run = subject.nopol(&["--", "lat"]);
    let only = "test selected by the arguments after `--`, `later`, is ignored; add `--ignored` to";
    assert_says(&run, 4, &[only]);
}

#[test]
fn passing_tests_leave_nothing_to_repair() {
    let subject = Subject::lib(&GRADES.replace("score > needed", "score >= needed"));
    let run = subject.nopol(&["--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["outcome"], "nothing-to-repair");
    let run = subject.nopol(&["--failing", "is_not"]);
    assert_eq!(
        run.code, 2,
        "only whole parts of a name match: {}",
        run.stderr
    );
    let run = subject.nopol(&["--failing", "less_is_not"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = subject.nopol(&["--failing", "subject::tests::less_is_not"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("Nothing to repair"), "{}", run.stdout);
    // It was "The only test passes."
    let run = subject.nopol(&["--", "less_is_not"]);
    let only = "The only test selected by the arguments after `--` passes.";
    assert!(run.stdout.contains(only), "{}", run.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn when_every_test_fails_a_warning_says_what_follows() {
    let only_failing = r"
        pub fn is_big(n: i32) -> bool { if n > 10 { return true; } false }
        #[test] fn ten_is_big() { assert!(is_big(10)); }
    ";
    let run = Subject::lib(only_failing).nopol(&[]);
    assert!(
        run.stderr
            .contains("no test passes, so nothing shows whether a patch breaks working code"),
        "{}",
        run.stderr
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn tests_that_hang_abort_exit_or_overflow_are_failing_tests_and_do_not_stop_the_repair() {
    let text = GRADES.replace(
        "    #[test]\n    fn less_is_not",
        r"    #[test]
    fn hangs() { let mut n = 0u64; while std::hint::black_box(true) { n = n.wrapping_add(1); } }

    #[test]
    fn sleeps() { std::thread::sleep(std::time::Duration::from_secs(3600)); }

    #[test]
    fn aborts() { std::process::abort(); }

    #[test]
    fn exits() { std::process::exit(0); }

    #[test]
    fn overflows() {
        fn deeper(n: u64) -> u64 { std::hint::black_box(deeper(n + 1)) + 1 }
        deeper(0);
    }

    #[test]
    fn less_is_not",
    );
    let subject = Subject::lib(&text);
    let run = subject.nopol(&[
        "--test-timeout",
        "1",
        "--format",
        "json",
        "--failing",
        "tests::just_enough_is_enough",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let failing = strings(&report["failing_tests"]);
    for name in [
        "hangs",
        "sleeps",
        "aborts",
        "exits",
        "overflows",
        "just_enough_is_enough",
    ] {
        assert!(
            failing.contains(&format!("subject::subject::tests::{name}")),
            "{failing:?}"
        );
    }
    let warnings = strings(&report["warnings"]).join("\n");
    for words in [
        "sleeps` does not end",
        "aborts` crashes (SIGABRT)",
        "exits` exits before it has passed or failed",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    assert_eq!(
        report["patches"][0]["edits"][0]["condition"],
        "score >= needed"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_loop_without_end_is_repaired_in_its_condition() {
    let text = r"
        /// Halvings until nothing is left.
        pub fn halvings(mut n: u32) -> u32 {
            let mut count = 0;
            while n != 1 {
                if count > 40 && n == 0 { count = 41; }
                n /= 2;
                count += 1;
                if count > 1_000_000_000 { count = 50; }
            }
            count
        }
        #[test] fn of_one() { assert_eq!(halvings(1), 0); }
        #[test] fn of_eight() { assert_eq!(halvings(8), 3); }
        #[test] fn of_nine() { assert_eq!(halvings(9), 3); }
        #[test] fn of_zero() { assert_eq!(halvings(0), 0); }
    ";
    let run = Subject::lib(text).nopol(&["--test-timeout", "0.5", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let condition = run.json()["patches"][0]["edits"][0]["condition"].clone();
    assert_eq!(condition, "n > 1", "{}", run.stdout);
}

/// Fails in its first run and passes in the next: it leaves a mark where nothing is put back.
const FLAKY: &str = r#"
    #[test]
    fn flaky() {
        let mark = std::env::var("FLAKY_MARK").unwrap();
        let first = !std::path::Path::new(&mark).exists();
        std::fs::write(mark, "").unwrap();
        assert!(!first);
    }
"#;

fn run_flaky(subject: &Subject) -> Run {
    let mut command = subject.command(&["--sandbox", "off", "--format", "json"]);
    command.env("FLAKY_MARK", subject.beside("mark"));
    command.output().unwrap().into()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn flaky_tests_are_set_aside_and_named() {
    let text = GRADES.replace(
        "    use super::passes;\n",
        &format!("    use super::passes;\n{FLAKY}"),
    );
    let run = run_flaky(&Subject::lib(&text));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(
        strings(&report["flaky_tests"]),
        ["subject::subject::tests::flaky"]
    );
    assert_eq!(
        report["patches"][0]["edits"][0]["condition"],
        "score >= needed"
    );
    assert!(run.stderr.contains("it is flaky"), "{}", run.stderr);
}

#[test]
fn only_flaky_failures_are_an_unusable_baseline() {
    let run = run_flaky(&Subject::lib(&format!("{FLAKY}\n#[test] fn fine() {{}}")));
    assert_says(&run, 4, &["flaky", "flaky"]);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_subject_that_cannot_be_written_to_is_repaired_elsewhere() {
    let subject = Subject::lib(GRADES);
    // Nothing can be made below a file; the read-only bits alone do not keep root out.
    fs::write(subject.root.join("target"), "in the way").unwrap();
    for path in ["src/lib.rs", "Cargo.toml", "src", "."] {
        let path = subject.root.join(path);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode & !0o222)).unwrap();
    }
    let run = subject.nopol(&["--format", "json"]);
    fs::set_permissions(&subject.root, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(subject.root.join("src"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        run.json()["patches"][0]["edits"][0]["condition"],
        "score >= needed"
    );
    assert_eq!(subject.read("target"), "in the way");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_source_that_is_a_link_is_not_written_to() {
    is_not_written_to(|_| "../../outside.rs".into());
}

#[test]
#[ignore = "make test-full: as with a relative link"]
fn a_source_that_is_an_absolute_link_is_not_written_to() {
    is_not_written_to(|subject| subject.beside("outside.rs"));
}

#[test]
#[ignore = "make test-full: as with a link that leads out"]
fn a_source_that_is_a_link_to_another_one_is_not_written_to() {
    is_not_written_to(|subject| subject.root.join("src/real.rs"));
}

/// `src/lib.rs` is a link to there.
fn is_not_written_to(to: impl Fn(&Subject) -> PathBuf) {
    let subject = Subject::new(&[("Cargo.toml", MANIFEST), ("src/real.rs", GRADES)]);
    let outside = subject.beside("outside.rs");
    fs::write(&outside, GRADES).unwrap();
    let lib = subject.root.join("src/lib.rs");
    symlink(to(&subject), &lib).unwrap();
    let run = subject.nopol(&["--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let condition = run.json()["patches"][0]["edits"][0]["condition"].clone();
    assert_eq!(condition, "score >= needed");
    for file in [&lib, &outside] {
        assert_eq!(fs::read_to_string(file).unwrap(), GRADES);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn paths_with_spaces_and_letters_beyond_ascii_are_fine() {
    let lib = GRADES.replace(
        "/// Whether",
        "#[path = \"größe.rs\"]\nmod groesse;\n/// Whether",
    );
    let subject = Subject::named(
        "mein schönes Ding",
        &[
            ("Cargo.toml", MANIFEST),
            (
                "src/lib.rs",
                "#[path = \"die noten/prüfung.rs\"]\nmod noten;\n",
            ),
            ("src/die noten/prüfung.rs", &lib),
            (
                "src/die noten/größe.rs",
                "pub fn groß(n: u32) -> bool { n > 9 }\n",
            ),
        ],
    );
    subject.commit();
    let run = subject.nopol(&["--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(
        report["patches"][0]["edits"][0]["file"],
        "src/die noten/prüfung.rs"
    );
    fs::write(
        subject.root.join("target/p.diff"),
        report["patches"][0]["diff"].as_str().unwrap(),
    )
    .unwrap();
    let applied = subject.git(&["apply", "target/p.diff"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    assert_eq!(subject.cargo_test(&[]).code, 0);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_target_directory_told_with_dots_is_fine() {
    let subject = Subject::lib(GRADES);
    let mut command = subject.command(&["--format", "json", "-p", "subject"]);
    command.env("CARGO_TARGET_DIR", "../elsewhere");
    let run: Run = command.output().unwrap().into();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        run.json()["patches"][0]["edits"][0]["condition"],
        "score >= needed"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_package_with_the_name_of_its_dependency_is_told_from_it() {
    is_told_from_its_dependency("subject");
}

#[test]
#[ignore = "make test-full: the same again"]
fn so_it_is_in_a_directory_with_a_number_sign() {
    is_told_from_its_dependency("#1 größer");
}

#[test]
#[ignore = "make test-full: the same again"]
fn so_it_is_in_a_directory_with_brackets() {
    is_told_from_its_dependency("[brackets]");
}

/// The path of the directory is part of what cargo is told.
fn is_told_from_its_dependency(name: &str) {
    let manifest = |version: &str| {
        format!("[package]\nname = \"a\"\nversion = \"{version}\"\nedition = \"2021\"\n")
    };
    let member = manifest("0.1.0")
        + "[dependencies]\nolder = { package = \"a\", path = \"../vendored/a\" }\n";
    // Only the example tells a patch from `score > 0`.
    let lib = r"
        //! ```
        //! assert!(!a::passes(4, 5));
        //! ```
        pub fn passes(score: u32, needed: u32) -> bool { if score > needed { true } else { false } }
        #[test] fn just_enough() { assert!(passes(5, 5)); }
        #[test] fn more() { assert!(passes(6, 5)); }
        #[test] fn far_less() { assert!(!passes(0, 5)); }
    ";
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\"]\nexclude = [\"vendored\"]\nresolver = \"2\"\n",
        ),
        ("a/Cargo.toml", &member),
        ("a/src/lib.rs", lib),
        ("vendored/a/Cargo.toml", &manifest("0.2.0")),
        ("vendored/a/src/lib.rs", "pub fn unused() {}\n"),
    ];
    let subject = Subject::named(name, &files);
    let ambiguous = subject.cargo_test(&["-p", "a"]);
    assert!(
        ambiguous.stderr.contains("is ambiguous"),
        "{}",
        ambiguous.stderr
    );
    let run = subject.nopol(&["-p", "a", "--top", "50", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let patches = report["patches"].as_array().unwrap();
    assert_eq!(patches[0]["edits"][0]["file"], "a/src/lib.rs");
    assert_eq!(patches[0]["edits"][0]["condition"], "score >= needed");
    for patch in patches {
        assert_ne!(patch["edits"][0]["condition"], "score > 0");
    }
}

#[test]
fn the_time_limit_ends_the_run_with_its_own_code() {
    let slow = format!(
        "{GRADES}\n#[test] fn slow() {{ std::thread::sleep(std::time::Duration::from_secs(60)); }}"
    );
    let subject = Subject::lib(&slow);
    let start = Instant::now();
    let run = subject.nopol(&[
        "--time-limit",
        "3",
        "--test-timeout",
        "100",
        "--format",
        "json",
    ]);
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert_eq!(run.json()["outcome"], "time-limit");
    assert!(start.elapsed() < Duration::from_secs(40));
    assert!(!subject.has_working_copy());
}

#[test]
fn ctrl_c_kills_the_children_and_removes_the_working_copy() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let slow = format!(
        r#"{GRADES}
        #[test]
        fn slow() {{
            let out = concat!(env!("CARGO_MANIFEST_DIR"), "/pid");
            std::fs::write(out, std::process::id().to_string()).unwrap();
            std::thread::sleep(std::time::Duration::from_secs(600));
        }}"#
    );
    let subject = Subject::lib(&slow);
    let mut command = subject.command(&["--test-timeout", "1000", "--format", "json"]);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let mark = subject.root.join("target/nopol/slot-0/copy/subject/pid");
    let start = Instant::now();
    while !fs::read_to_string(&mark).is_ok_and(|text| !text.is_empty()) {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "the slow test never started"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let test: i32 = fs::read_to_string(&mark).unwrap().parse().unwrap();
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let run: Run = child.wait_with_output().unwrap().into();
    assert_says(&run, 130, &["interrupted"]);
    assert_eq!(run.json()["outcome"], "interrupted");
    assert!(
        kill(Pid::from_raw(test), None).is_err(),
        "the test is still running"
    );
    assert!(!subject.has_working_copy());
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_reads_its_own_source_is_named_and_in_nobodys_way() {
    let text = GRADES.replace(
        "    #[test]\n    fn less_is_not",
        "    #[test]\n    fn short() { assert!(include_str!(\"lib.rs\").len() < LEN); passes(1, 2); }\n\n    #[test]\n    fn less_is_not",
    );
    let subject = Subject::lib(&text.replace("LEN", &(text.len() + 9).to_string()));
    let run = subject.nopol(&[]);
    assert!(
        run.stderr
            .contains("short` changes once recording code is added")
            && run
                .stderr
                .contains("instrumentation changes the result of 1 test"),
        "{}",
        run.stderr
    );
    // It does not get as far as the fault, and passes once more without instrumentation.
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("  if score >= needed {"));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_file_that_only_a_patch_has_changed_is_not_dirty() {
    let subject = Subject::lib(
        "pub fn passes(score: u32, needed: u32) -> bool {\n    score > needed\n}\n\n\
         pub fn is_small(size: u32) -> bool {\n    size < 10\n}\n\n\
         #[test]\nfn enough() {\n    assert!(passes(5, 5) && passes(6, 5) && !passes(4, 5));\n}\n\n\
         #[test]\nfn ten() {\n    assert!(is_small(10) && is_small(3) && !is_small(11));\n}\n",
    );
    subject.commit();
    for (test, fixed) in [("enough", "score >= needed"), ("ten", "size <= 10")] {
        let run = subject.nopol(&["--failing", test, "--apply"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(subject.read("src/lib.rs").contains(fixed), "{}", run.stdout);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn apply_refuses_a_dirty_file_and_writes_a_clean_one() {
    let subject = Subject::lib(GRADES);
    subject.commit();
    let edited = format!("{GRADES}// a change of my own\n");
    fs::write(subject.root.join("src/lib.rs"), &edited).unwrap();
    let run = subject.nopol(&["--apply"]);
    assert_says(&run, 2, &["has uncommitted changes", "--allow-dirty"]);
    assert!(
        run.stdout.contains("  if score >= needed {"),
        "the patch is still shown"
    );
    assert_eq!(subject.read("src/lib.rs"), edited);

    let run = subject.nopol(&["--apply=99", "--allow-dirty"]);
    assert_says(&run, 2, &["there is no patch 99"]);

    let run = subject.nopol(&["--apply", "--allow-dirty"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        subject.read("src/lib.rs"),
        edited.replace("score > needed", "score >= needed")
    );
    assert_eq!(subject.cargo_test(&[]).code, 0);
}
