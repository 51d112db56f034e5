//! Exchange formats of synthesis problems, so that other solvers can be compared with ours: JSON, which is read
//! and written (`problem`), and SMT-LIB 2 and SyGuS-IF, which are written and whose answers are read (`smtlib`,
//! `sygus`). `solve` runs our own synthesis on a problem file and reports the result. Independent of cargo,
//! subjects and processes.

mod problem;
mod sexpr;
mod smtlib;
pub mod solve;
mod sygus;
mod value;
mod vocabulary;

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use camino::Utf8Path;
use nix::fcntl::OFlag;

use crate::rank::facts::Case;
pub use problem::{ProblemFile, ProblemFileError};

impl ProblemFile {
    /// The problem as SMT-LIB 2: satisfiable iff a condition of one level explains the hard rows.
    pub fn to_smtlib(&self) -> String {
        smtlib::write(self)
    }

    /// The problem as SyGuS-IF 2.1.
    pub fn to_sygus(&self) -> String {
        sygus::write(self)
    }

    /// Writes the problem in every format: `NAME.json`, `NAME.smt2` and `NAME.sl`. Creates the directory if
    /// necessary. Characters unfit for a file name become `_`.
    ///
    /// # Errors
    /// If a file or the directory cannot be written; the message names the path.
    pub fn dump(&self, dir: &Utf8Path) -> io::Result<()> {
        let named = |path: &Utf8Path, error: io::Error| {
            io::Error::new(error.kind(), format!("cannot write {path}: {error}"))
        };
        own(dir).map_err(|error| named(dir, error))?;
        let fit = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let stem = self.name.replace(|c| !fit(c), "_");
        for (extension, text) in [
            ("json", self.to_json()),
            ("smt2", self.to_smtlib()),
            ("sl", self.to_sygus()),
        ] {
            let path = dir.join(format!("{stem}.{extension}"));
            write(&path, &text).map_err(|error| named(&path, error))?;
        }
        Ok(())
    }
}

/// The file that marks a directory as one that is written here. What it holds may be replaced.
const MARK: &str = ".cargo-nopol-dump";

/// Whether nothing in this directory is the user's: it is not there, is empty, or was made by an earlier dump.
///
/// # Errors
/// Why not, as the end of a sentence.
pub fn may_own(dir: &Utf8Path) -> Result<(), String> {
    let Ok(mut entries) = dir.read_dir_utf8() else {
        return Ok(());
    };
    let foreign = entries.next().and_then(Result::ok);
    match foreign.filter(|_| !dir.join(MARK).is_file()) {
        None => Ok(()),
        Some(entry) => Err(format!(
            "holds `{}`, which no earlier dump wrote; name a new or an empty directory",
            entry.file_name()
        )),
    }
}

/// Makes a directory, and marks it.
fn own(dir: &Utf8Path) -> io::Result<()> {
    may_own(dir).map_err(|why| io::Error::other(format!("it {why}")))?;
    fs::create_dir_all(dir)?;
    write(
        &dir.join(MARK),
        "`cargo nopol --dump` replaces the files of this directory.\n",
    )
}

/// Writes a file. A link in its place, which may have come with a subject, is not followed.
fn write(path: &Utf8Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    options.custom_flags(OFlag::O_NOFOLLOW.bits());
    options.open(path)?.write_all(text.as_bytes())
}

/// Writes the synthesis problems of a search in every format, see [`ProblemFile::dump`], and the facts about its plausible
/// candidates as `plausible.json`. Creates the directory if necessary.
///
/// # Errors
/// If a file or the directory cannot be written; the message names the path.
pub fn dump(dir: &Utf8Path, problems: &[ProblemFile], case: &Case) -> io::Result<()> {
    problems.iter().try_for_each(|problem| problem.dump(dir))?;
    let path = dir.join("plausible.json");
    let text = serde_json::to_string(case).map_err(io::Error::other)?;
    let written = own(dir).and_then(|()| write(&path, &text));
    written.map_err(|error| io::Error::new(error.kind(), format!("cannot write {path}: {error}")))
}

#[cfg(test)]
mod tests;
