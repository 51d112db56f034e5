//! Subjects whose names, messages and sources try to steer a terminal or a log, and files with settings that point elsewhere.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{GRADES, Run, Subject};

/// Whether a reader does not see what is there.
fn is_hidden(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || ('\u{202a}'..='\u{202e}').contains(&letter)
        || ('\u{2066}'..='\u{2069}').contains(&letter)
}

/// What a run printed has nothing hidden, and no line that GitHub Actions obeys but our own annotations.
fn is_harmless(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.chars().any(is_hidden), "{text:?}");
        for line in text.lines().map(str::trim_start) {
            let is_own = line.starts_with("::warning file=") || line.starts_with("::notice title=");
            assert!(
                is_own || !line.starts_with("::") && !line.contains("##["),
                "{line:?}"
            );
        }
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_test_panics_with_steers_neither_terminal_nor_log() {
    let text = GRADES.replace(
        "assert!(passes(50, 50));",
        "assert!(passes(50, 50), \"\\u{1b}[2J\\u{1b}]0;t\\u{7}a\\r::stop-commands::t\\n::error::b\\n##[error]c\\u{202e}d\\u{9b}2K\");",
    );
    let text = text.replace(
        "    false\n}",
        "    /* \u{202e}\u{1b}[2K\n::error::source\n##[error]source\n```\n*/ false\n}",
    );
    let subject = Subject::lib(&text);
    let actions = |args: &[&str]| -> Run {
        let mut command = subject.command(args);
        command
            .env("GITHUB_ACTIONS", "true")
            .env_remove("CLICOLOR_FORCE");
        command.output().unwrap().into()
    };
    let found = actions(&["--verbose"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert!(
        found.stdout.contains("::warning file=src/lib.rs"),
        "{}",
        found.stdout
    );
    is_harmless(&found);
    for args in [
        &["--format", "markdown"][..],
        &["--format", "html"],
        &["--format", "junit"],
        &["--format", "github"],
        &["explain", "1"],
        &["localize"],
        &["list"],
        &["--failing", "no\u{1b}[2Jne\n::error::x"],
    ] {
        is_harmless(&actions(args));
    }
    let applied = actions(&["apply"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    is_harmless(&applied);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn names_of_files_of_c_tests_stay_in_their_line() {
    let source = "#include <stdio.h>\nint main(void) {\n    int a = 0;\n    if (scanf(\"%d\", &a) != 1)\n        return 2;\n    \
                  if (a > 5)\n        puts(\"big\");\n    else\n        puts(\"small\");\n    return 0;\n}\n";
    let config = "[c]\nsources = [\"big.c\"]\nbuild = \"cc -o big big.c\"\n\n[c.tests]\ninput = \"t/*.in\"\noutput = \"t/*.out\"\ncommand = \"./big\"\n";
    let evil = "a\n::error::name\u{1b}[2J\rb##[error]c\u{202e}";
    let input = format!("t/{evil}.in");
    let output = format!("t/{evil}.out");
    let subject = Subject::new(&[
        ("big.c", source),
        ("nopol.toml", config),
        ("t/1.in", "4"),
        ("t/1.out", "small\n"),
        ("t/2.in", "7"),
        ("t/2.out", "big\n"),
        (&input, "5"),
        (&output, "big\n"),
    ]);
    for args in [
        &["--verbose"][..],
        &["list"],
        &["explain"],
        &["--format", "markdown"],
    ] {
        let mut command = subject.c_command(args);
        let run: Run = command
            .env("GITHUB_ACTIONS", "true")
            .output()
            .unwrap()
            .into();
        assert_eq!(run.code, 0, "{}", run.stderr);
        is_harmless(&run);
        if args == ["list"] {
            let escaped = "a\\n::error::name\\u{1b}[2J\\rb";
            assert!(run.stdout.contains(escaped), "{}", run.stdout);
        }
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_file_names_no_path_out_of_its_directory() {
    let subject = Subject::lib(GRADES);
    let outside = subject.beside("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, subject.root.join("link")).unwrap();
    symlink(outside.join("new"), subject.root.join("dangling")).unwrap();
    let manifest = subject.read("Cargo.toml");
    let absolute = outside.to_str().unwrap();
    for key in ["dump", "work-dir", "reference", "in-diff", "diff-base"] {
        for path in [
            "../outside",
            "src/../../outside",
            "link",
            "link/deeper",
            "dangling",
            absolute,
        ] {
            let setting = format!("{key} = \"{path}\"\n");
            for table in [
                "",
                "[package.metadata.nopol]\n",
                "[workspace.metadata.nopol]\n",
            ] {
                let (file, text) = match table {
                    "" => ("nopol.toml", setting.clone()),
                    _ => ("Cargo.toml", format!("{manifest}\n{table}{setting}")),
                };
                fs::write(subject.root.join(file), text).unwrap();
                // All commands read the settings first; `apply` by a way of its own.
                for args in [&["--print-config"], &["apply"]] {
                    let run = subject.nopol(args);
                    assert_eq!(run.code, 2, "{setting}: {}", run.stdout);
                    let said = "leads out of the directory of this file";
                    assert!(run.stderr.contains(said), "{setting}: {}", run.stderr);
                }
                fs::write(subject.root.join("Cargo.toml"), &manifest).unwrap();
                let _ = fs::remove_file(subject.root.join("nopol.toml"));
            }
        }
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    // A file to write is not a setting at all.
    for key in ["html", "summary"] {
        fs::write(subject.root.join("nopol.toml"), format!("{key} = \"x\"\n")).unwrap();
        assert_eq!(subject.nopol(&["list"]).code, 2);
    }
    fs::remove_file(subject.root.join("nopol.toml")).unwrap();
    // The user may name any place.
    let mut command = subject.command(&["--quick", "--dump", absolute]);
    let work = subject.beside("work");
    command.env("CARGO_NOPOL_WORK_DIR", &work);
    let run: Run = command.output().unwrap().into();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(outside.join("plausible.json").is_file() && work.join("last.json").is_file());
}

#[test]
#[ignore = "make test-full: it takes long"]
fn links_that_come_with_a_subject_are_not_written_through() {
    let subject = Subject::lib(GRADES);
    let precious = subject.beside("precious");
    fs::write(&precious, "mine").unwrap();
    let elsewhere = subject.beside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    // A problem that would be dumped there.
    let dumped = subject.root.join("dumped");
    fs::create_dir(&dumped).unwrap();
    symlink(&precious, dumped.join("plausible.json")).unwrap();
    // As if an earlier dump had made it.
    fs::write(dumped.join(".cargo-nopol-dump"), "").unwrap();
    fs::write(subject.root.join("nopol.toml"), "dump = \"dumped\"\n").unwrap();
    let run = subject.nopol(&["--quick"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("plausible.json"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    fs::remove_file(subject.root.join("nopol.toml")).unwrap();
    // The place where the tool works.
    let slot = subject.root.join("target/nopol/slot-0");
    fs::remove_dir_all(&slot).unwrap();
    fs::create_dir(&slot).unwrap();
    for (name, target) in [
        ("scratch-path", &precious),
        ("target", &elsewhere),
        ("logs", &elsewhere),
    ] {
        symlink(target, slot.join(name)).unwrap();
    }
    let run = subject.nopol(&["--quick"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    fs::remove_dir_all(&slot).unwrap();
    symlink(&elsewhere, &slot).unwrap();
    let run = subject.nopol(&["--quick", "--no-cache"]);
    assert_eq!(
        fs::read_dir(&elsewhere).unwrap().count(),
        0,
        "{}",
        run.stderr
    );
    fs::remove_file(&slot).unwrap();
    fs::create_dir(&slot).unwrap();
    symlink(&precious, slot.join("lock")).unwrap();
    subject.nopol(&["--quick", "--no-cache"]);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
}
