//! Subjects in temporary directories, and `cargo nopol` run on them.

#![expect(dead_code, reason = "each test binary uses its own part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A crate or a C program in a directory of its own, removed when dropped.
pub struct Subject {
    dir: tempfile::TempDir,
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
        Self { dir, root }
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

    /// `cargo nopol c` in this directory, ready for more arguments; what it caches goes with the subject.
    pub fn c_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(&["c"]);
        command.args(args).env("XDG_CACHE_HOME", self.cache());
        command
    }

    pub fn nopol_c(&self, args: &[&str]) -> Run {
        self.c_command(args).output().unwrap().into()
    }

    /// The cache directory of [`Subject::c_command`].
    fn cache(&self) -> PathBuf {
        self.beside("cache")
    }

    /// A place next to the subject.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
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

    /// Whether a working copy is left below the target directory, or where C programs have theirs.
    pub fn has_working_copy(&self) -> bool {
        let is_copy = |entry: walkdir::DirEntry| {
            let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
            let path = entry.path();
            name(path).starts_with("copy")
                && path
                    .parent()
                    .is_some_and(|dir| name(dir).starts_with("slot-"))
        };
        let places = [(self.root.join("target/nopol"), 2), (self.cache(), 5)];
        let mut entries = places.into_iter().flat_map(|(dir, depth)| {
            walkdir::WalkDir::new(dir)
                .max_depth(depth)
                .into_iter()
                .flatten()
        });
        entries.any(is_copy)
    }

    /// Applies a patch of a report with `git apply`.
    pub fn apply(&self, patch: &Value) -> Result<(), String> {
        let diff = self.beside("patch.diff");
        fs::write(&diff, patch["diff"].as_str().unwrap()).unwrap();
        let applied = self.git(&["apply", diff.to_str().unwrap()]);
        match applied.code {
            0 => Ok(()),
            _ => Err(format!("git apply: {}", applied.stderr)),
        }
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

/// Whether something of a run is as it should be.
pub fn says(run: &Run, what: &str, got: &Value, wanted: &Value) -> Result<(), String> {
    match got == wanted {
        true => Ok(()),
        false => Err(format!(
            "{what} is {got}, expected {wanted}\n{}",
            run.stderr
        )),
    }
}

/// Whether a report's first patch is the one that a fixture's `first_patch` wants.
pub fn has_first_patch(run: &Run, report: &Value, wanted: &Value) -> Result<(), String> {
    let Some(first) = report["patches"].get(0) else {
        explains_itself(report)?;
        return says(run, "the first patch", &Value::Null, wanted);
    };
    let edit = &first["edits"][0];
    says(run, "the patched file", &edit["file"], &wanted["file"])?;
    says(run, "the patch's kind", &first["kind"], &wanted["kind"])?;
    for (edit, good) in [(edit, "after"), (&first["edits"][1], "and_after")] {
        let good = match &wanted[good] {
            Value::String(one) => vec![one.clone()],
            several => strings(several),
        };
        let condition = edit["condition"].as_str();
        if condition.is_some() == good.is_empty()
            || condition.is_some_and(|condition| !good.iter().any(|good| good == condition))
        {
            return Err(format!(
                "the first patch has {condition:?}, expected one of {good:?}"
            ));
        }
    }

    // What a way out or a branch does, whatever its condition.
    let bodies = strings(&wanted["body"]);
    let text = edit["after"].as_str().unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !bodies.is_empty() && !bodies.iter().any(|body| text.contains(body)) {
        return Err(format!(
            "the first patch is `{text}`, expected one of {bodies:?} in it"
        ));
    }
    Ok(())
}

/// Without a patch every angelic site says why, or there is none.
fn explains_itself(report: &Value) -> Result<(), String> {
    for site in report["sites"].as_array().unwrap() {
        let angelic = !site["angelic"].as_array().unwrap().is_empty();
        if angelic && site["reason"].as_str().is_none() {
            return Err(format!("no reason for {site}"));
        }
    }
    Ok(())
}
