//! Whether a changed program is accepted by its compiler: Rust's says more about pointers than is modelled.

use std::fs;
use std::process::Command;

use camino::Utf8Path;
use walkdir::WalkDir;

/// A copy of a cargo package or workspace that is compiled with changed files.
#[derive(Debug)]
pub struct Checker {
    copy: tempfile::TempDir,
}

impl Checker {
    /// Copies what is below a directory.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn new(root: &Utf8Path) -> std::io::Result<Self> {
        let copy = tempfile::tempdir()?;
        let is_source = |entry: &walkdir::DirEntry| {
            entry.depth() == 0 || entry.file_name() != "target" && entry.file_name() != ".git"
        };
        let files = WalkDir::new(root).into_iter().filter_entry(is_source);
        for entry in files {
            let entry = entry?;
            let Ok(inside) = entry.path().strip_prefix(root) else {
                continue;
            };
            let to = copy.path().join(inside);
            if entry.file_type().is_dir() {
                fs::create_dir_all(to)?;
            } else if entry.file_type().is_file() {
                fs::copy(entry.path(), to)?;
            }
        }
        Ok(Self { copy })
    }

    /// What the compiler says against the program with these files; nothing if it accepts it.
    ///
    /// # Errors
    /// If a file cannot be written, or cargo cannot be started.
    pub fn refusal<'f>(
        &self,
        files: impl Iterator<Item = (&'f Utf8Path, &'f String)>,
    ) -> std::io::Result<Option<String>> {
        for (path, text) in files {
            let path = self.copy.path().join(path);
            if fs::read_to_string(&path).ok().as_ref() != Some(text) {
                fs::write(path, text)?;
            }
        }
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["check", "--tests", "--offline", "--quiet"])
            .current_dir(self.copy.path())
            .env("CARGO_TARGET_DIR", self.copy.path().join("target"))
            .env("RUSTFLAGS", "--cap-lints=warn")
            .output()?;
        if output.status.success() {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let error = said.lines().find(|line| line.starts_with("error"));
        Ok(Some(error.unwrap_or("cargo fails").to_owned()))
    }
}
