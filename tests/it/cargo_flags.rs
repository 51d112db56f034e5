//! Cargo's options mean what they mean to cargo.

use crate::common::{MANIFEST, Subject};

const EMPTY: &str = "#[cfg(test)] mod tests { #[test] fn NAME() {} }\n";

/// A workspace with a test in each kind of target, and another member.
fn workspace() -> Subject {
    let manifest = format!("{MANIFEST}members = [\"tools\"]\n");
    let tools = "[package]\nname = \"tools\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let with = |name: &str| EMPTY.replace("NAME", name);
    Subject::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", &with("in_lib")),
        (
            "src/main.rs",
            &("fn main() {}\n".to_owned() + &with("in_bin")),
        ),
        (
            "examples/show.rs",
            &("fn main() {}\n".to_owned() + &with("in_example")),
        ),
        ("tests/whole.rs", "#[test] fn in_whole() {}\n"),
        ("tools/Cargo.toml", tools),
        ("tools/src/lib.rs", &with("in_tools")),
    ])
}

/// The names of the tests that `list` shows, without their modules.
fn tests(subject: &Subject, args: &[&str]) -> Vec<String> {
    let run = subject.nopol(&[&["list", "--format", "json"], args].concat());
    let report = run.json();
    let names = report["tests"].as_array().unwrap().iter();
    let names = names.map(|name| {
        name.as_str()
            .unwrap()
            .rsplit("::")
            .next()
            .unwrap()
            .to_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn targets_and_packages_are_chosen_as_by_cargo_test() {
    let subject = workspace();
    let of = |args: &[&str]| tests(&subject, args).join(" ");
    assert_eq!(of(&["--bins"]), "in_bin");
    assert_eq!(of(&["--examples"]), "in_example");
    assert_eq!(of(&["--example", "show", "--lib"]), "in_example in_lib");
    assert_eq!(of(&["--tests"]), "in_bin in_lib in_whole");
    assert_eq!(of(&["--all-targets"]), "in_bin in_example in_lib in_whole");
    assert_eq!(of(&["--workspace", "--exclude", "subject"]), "in_tools");
    assert_eq!(of(&["--workspace", "--exclude", "sub*"]), "in_tools");
    let alone = subject.nopol(&["list", "--exclude", "tools"]);
    assert_eq!(alone.code, 2);
    assert!(alone.stderr.contains("--exclude-file"), "{}", alone.stderr);
}

#[test]
fn the_build_is_as_cargo_is_told() {
    let subject = Subject::lib(
        "#[cfg(test)] mod tests {\n\
         #[cfg(debug_assertions)] #[test] fn checked() {}\n\
         #[cfg(special)] #[test] fn special() {}\n\
         #[test] fn plain() {}\n}\n",
    );
    let elsewhere = subject.beside("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    let args = [
        "-r",
        "--config",
        "build.rustflags=['--cfg=special']",
        "--target-dir",
        elsewhere,
    ];
    assert_eq!(tests(&subject, &args), ["plain", "special"]);
    assert!(subject.beside("elsewhere/nopol").is_dir());
    assert!(!subject.has_working_copy());
}

#[test]
fn output_is_as_cargo_is_told() {
    let subject = Subject::lib(&EMPTY.replace("NAME", "passes"));
    let mut command = subject.command(&["--color", "always"]);
    command.env("CARGO_TERM_QUIET", "true");
    let run: crate::common::Run = command.output().unwrap().into();
    assert_eq!(run.stderr, "");
    assert!(
        run.stdout.contains("\u{1b}[1mNothing to repair."),
        "{}",
        run.stdout
    );
    let mut command = subject.command(&["-vv", "--no-cache"]);
    command.env("CARGO_TERM_COLOR", "always");
    let run: crate::common::Run = command.output().unwrap().into();
    assert!(run.stdout.contains("\u{1b}[1m"), "{}", run.stdout);
}
