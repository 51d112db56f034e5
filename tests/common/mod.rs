//! Subjects in temporary directories, and `cargo nopol` run on them.

#![expect(dead_code, reason = "each test binary uses its own part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A crate in a directory of its own, removed when dropped.
pub struct Subject {
    _dir: tempfile::TempDir,
    pub root: PathBuf,
}

/// The result of one run of the tool.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in:\n{}\n{}", self.stdout, self.stderr))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

impl Subject {
    /// A crate of the given files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::named("subject", files)
    }

    /// A crate in a directory of that name.
    pub fn named(name: &str, files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(name);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { _dir: dir, root }
    }

    /// A library of one file.
    pub fn lib(text: &str) -> Self {
        Self::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", text)])
    }

    /// A copy of a fixture in a directory of that name, its manifests armed.
    pub fn fixture(fixture: &str, name: &str) -> Self {
        let subject = Self::named(name, &[]);
        let from = fixtures().join(fixture);
        for entry in walkdir::WalkDir::new(&from).sort_by_file_name() {
            let entry = entry.unwrap();
            let to = subject.root.join(entry.path().strip_prefix(&from).unwrap());
            if entry.file_type().is_dir() {
                fs::create_dir_all(to).unwrap();
            } else if entry.file_name() == "Cargo_test.toml" {
                fs::copy(entry.path(), to.with_file_name("Cargo.toml")).unwrap();
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
        subject
    }

    /// `cargo nopol` in this directory, ready for more arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-nopol"));
        command.arg("nopol").args(args).current_dir(&self.root);
        // As a user's shell would have it, not as the cargo that runs these tests.
        for (name, _) in std::env::vars() {
            if name.starts_with("CARGO_") && name != "CARGO_HOME" {
                command.env_remove(name);
            }
        }
        command
    }

    pub fn nopol(&self, args: &[&str]) -> Run {
        self.command(args).output().unwrap().into()
    }

    /// `cargo test` on the subject as it is now.
    pub fn cargo_test(&self, args: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["test", "--quiet"])
            .args(args)
            .current_dir(&self.root);
        command.env("RUST_BACKTRACE", "0").output().unwrap().into()
    }

    pub fn git(&self, args: &[&str]) -> Run {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"])
            .args(args);
        command.current_dir(&self.root).output().unwrap().into()
    }

    /// Makes the subject a repository with everything committed.
    pub fn commit(&self) {
        fs::write(self.root.join(".gitignore"), "/target\n").unwrap();
        for args in [
            &["init", "-q"][..],
            &["add", "-A"],
            &["commit", "-qm", "as it was"],
        ] {
            let run = self.git(args);
            assert_eq!(run.code, 0, "{}", run.stderr);
        }
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Every file with its content, build output aside.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        walkdir::WalkDir::new(&self.root)
            .into_iter()
            .filter_entry(|entry| !(entry.depth() == 1 && entry.file_name() == "target"))
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap()))
            .collect()
    }

    /// Whether a working copy is left below the target directory.
    pub fn has_working_copy(&self) -> bool {
        let slot = self.root.join("target/nopol/slot-0");
        slot.join("copy").exists() || slot.join("copy-instrumented").exists()
    }
}

/// The manifest of a library called `subject`.
pub const MANIFEST: &str =
    "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

/// A bug, tests around it, and room for more: `>` should be `>=`.
pub const GRADES: &str = r#"
/// Whether a score is enough.
pub fn passes(score: u32, needed: u32) -> bool {
    if score > needed {
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::passes;

    #[test]
    fn more_is_enough() {
        assert!(passes(51, 50));
        assert!(passes(80, 70));
    }

    #[test]
    fn less_is_not() {
        assert!(!passes(49, 50));
        assert!(!passes(60, 70));
    }

    #[test]
    fn just_enough_is_enough() {
        assert!(passes(50, 50));
    }
}
"#;

/// A list of texts; what is not there is empty.
pub fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(|item| item.as_str().unwrap().to_string())
        .collect()
}
