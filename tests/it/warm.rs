//! What the user has compiled already is used, and stays as it was.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::common::{MANIFEST, Run, Subject};

/// A dependency from a registry in a directory, whose build script and macro count how often they are compiled.
const COUNTED: [(&str, &str); 5] = [
    (
        "../registry/counted/.cargo-checksum.json",
        r#"{"files":{},"package":null}"#,
    ),
    (
        "../registry/counted/Cargo.toml",
        "[package]\nname = \"counted\"\nversion = \"1.0.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n",
    ),
    (
        "../registry/counted/build.rs",
        r#"
        use std::io::Write;
        fn main() {
            println!("cargo::rerun-if-changed=build.rs");
            let log = std::env::var("COUNTED_LOG").unwrap();
            let mut log = std::fs::File::options().create(true).append(true).open(log).unwrap();
            writeln!(log, "built").unwrap();
            let out = std::path::PathBuf::from(std::env::var("OUT_DIR").unwrap());
            std::fs::write(out.join("limit.rs"), "pub const LIMIT: u32 = 50;").unwrap();
        }
        "#,
    ),
    (
        "../registry/counted/src/lib.rs",
        "include!(concat!(env!(\"OUT_DIR\"), \"/limit.rs\"));",
    ),
    (
        "src/lib.rs",
        r"
        pub fn passes(score: u32) -> bool {
            if score > counted::LIMIT { return true; }
            false
        }
        #[test] fn above() { assert!(passes(51)); }
        #[test] fn below() { assert!(!passes(49)); }
        #[test] fn just_enough() { assert!(passes(50)); }
        ",
    ),
];

struct Counted {
    subject: Subject,
    log: PathBuf,
}

impl Counted {
    fn new() -> Self {
        let manifest = format!("{MANIFEST}\n[dependencies]\ncounted = \"1\"\n");
        let mut files = COUNTED.to_vec();
        files.push(("Cargo.toml", &manifest));
        let subject = Subject::new(&files);
        let registry = subject.beside("registry");
        let config = format!(
            "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = {:?}\n",
            registry.to_str().unwrap()
        );
        fs::create_dir(subject.root.join(".cargo")).unwrap();
        fs::write(subject.root.join(".cargo/config.toml"), config).unwrap();
        let log = subject.beside("log");
        Self { subject, log }
    }

    /// `cargo test --no-run` as the user calls it.
    fn build(&self, args: &[&str]) {
        let mut command = std::process::Command::new(env!("CARGO"));
        command
            .args(["test", "--no-run", "--offline", "--quiet"])
            .args(args);
        let command = command
            .current_dir(&self.subject.root)
            .env("COUNTED_LOG", &self.log);
        assert!(command.status().unwrap().success());
    }

    fn nopol(&self, args: &[&str]) -> Run {
        let mut command = self.subject.command(args);
        command
            .args(["--format", "json"])
            .env("COUNTED_LOG", &self.log);
        command.output().unwrap().into()
    }

    /// How often the dependency was built so far.
    fn builds(&self) -> usize {
        fs::read_to_string(&self.log)
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Everything in the user's target directory: paths, contents and times.
    fn target(&self) -> Vec<(PathBuf, Vec<u8>, SystemTime)> {
        let target = self.subject.root.join("target");
        let ours = |path: &Path| path.file_name().is_some_and(|name| name == "nopol");
        let walk = walkdir::WalkDir::new(target)
            .sort_by_file_name()
            .into_iter();
        walk.filter_entry(|entry| !ours(entry.path()))
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let written = entry.metadata().unwrap().modified().unwrap();
                let text = fs::read(entry.path()).unwrap();
                (entry.path().to_owned(), text, written)
            })
            .collect()
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_dependency_that_the_user_has_compiled_is_not_compiled_again() {
    let counted = Counted::new();
    counted.build(&[]);
    assert_eq!(counted.builds(), 1);
    let before = counted.target();
    let run = counted.nopol(&[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let condition = run.json()["patches"][0]["edits"][0]["condition"].clone();
    assert_eq!(condition, "score >= counted::LIMIT", "{}", run.stdout);
    assert_eq!(counted.builds(), 1, "{}", run.stderr);
    assert!(
        counted.target() == before,
        "the user's target directory was changed"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_was_compiled_with_another_profile_or_elsewhere_is_found_too() {
    let counted = Counted::new();
    let elsewhere = counted.subject.beside("elsewhere");
    let config = counted.subject.root.join(".cargo/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let text = format!(
        "{text}[build]\ntarget-dir = {:?}\n",
        elsewhere.to_str().unwrap()
    );
    fs::write(&config, text).unwrap();
    counted.build(&["--release"]);
    let run = counted.nopol(&["--profile", "release"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(counted.builds(), 1, "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn without_a_build_of_the_user_a_dependency_is_compiled_once() {
    let counted = Counted::new();
    let run = counted.nopol(&[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(counted.builds(), 1, "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn while_another_cargo_is_at_work_its_files_are_not_used_and_that_is_said() {
    let counted = Counted::new();
    counted.build(&[]);
    let lock = fs::File::open(counted.subject.root.join("target/debug/.cargo-lock")).unwrap();
    lock.lock().unwrap();
    let run = counted.nopol(&[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let warnings = run.json()["warnings"].to_string();
    assert!(warnings.contains("another cargo is at work"), "{warnings}");
    assert_eq!(counted.builds(), 2, "{}", run.stderr);
}
