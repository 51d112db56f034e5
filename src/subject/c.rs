//! A C program: which of its files may be patched, how it is built, and its tests, as `nopol.toml` or
//! options tell.

mod as_built;
mod build;
mod calls;
pub mod config;
mod diagnostics;
mod ecosystem;
mod fresh;
mod includes;
mod init;
mod lines_read;
mod made;
mod opened;
pub mod options;
mod other_program;
mod print;
mod products;
mod reference;
pub mod shim;
mod test_functions;

use std::sync::Arc;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::hash::fnv1a;
use nopol_instrument::sources::HEADER;
use nopol_process::run::command::Case;
use nopol_process::run::id::{TargetId, TestId};

pub use self::init::init;
use self::options::COptions;
pub use self::print::print;
use super::{AddedFile, Subject, SubjectError};

/// A program under repair.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file that describes it, relative to the root.
    pub file: Option<Utf8PathBuf>,
    /// The files that may be patched, relative to the root.
    pub sources: Vec<Utf8PathBuf>,
    /// A shell command that builds it, run in the root.
    pub build: String,
    /// Tests are run under sanitizers.
    pub sanitize: bool,
    /// Tests are run one after the other.
    pub serial: bool,
    /// The tests. A test program that consists of several functions is one of them, and so is each function.
    pub cases: Vec<Case>,
    /// The files of test programs, with the guards by which one function can run alone.
    pub guarded: Vec<AddedFile>,
}

/// Reads `nopol.toml`, or what options say instead.
///
/// # Errors
/// [`SubjectError::Usage`] if there is none, or it is wrong.
pub fn load(options: &COptions) -> Result<Subject, SubjectError> {
    let (root, program) = config::load(options)?;
    let key = format!("c-{:016x}", fnv1a(root.as_str()));
    Ok(Subject {
        target_dir: super::user_cache().unwrap_or_else(std_temporary).join(key),
        root,
        outside: Vec::new(),
        tool: None,
        ecosystem: Arc::new(program),
    })
}

fn std_temporary() -> Utf8PathBuf {
    let dir = Utf8PathBuf::from_path_buf(std::env::temp_dir());
    dir.unwrap_or_else(|_| Utf8PathBuf::from("/tmp"))
        .join("cargo-nopol")
}

impl Program {
    /// All its tests.
    fn all_tests(&self) -> Vec<TestId> {
        let test = |case: &Case| TestId {
            target: target(),
            name: case.name.clone(),
        };
        self.cases.iter().map(test).collect()
    }
}

/// What all tests belong to.
fn target() -> TargetId {
    TargetId {
        package: String::new(),
        target: String::new(),
        kind: "c".to_owned(),
    }
}

/// The directory that has the runtime, written if it is not there: in the user's cache directory, or
/// below `base` if that cannot be written to.
///
/// # Errors
/// If it cannot be written at all.
fn runtime(base: &Utf8Path) -> Result<Utf8PathBuf> {
    let name = format!("runtime-c-{:016x}", fnv1a(&(ARGS.concat() + HEADER)));
    let cache = super::user_cache().map(|cache| cache.join(&name));
    if let Some(cache) = cache.filter(|cache| write_header(cache).is_ok()) {
        return Ok(cache);
    }
    let dir = base.join(name);
    write_header(&dir).with_context(|| format!("cannot write {dir}"))?;
    Ok(dir)
}

fn write_header(dir: &Utf8Path) -> std::io::Result<()> {
    let (header, assembly) = (dir.join("nopol.h"), dir.join("nopol.h.s"));
    if std::fs::read_to_string(&header).is_ok_and(|text| text == HEADER) {
        return Ok(());
    }
    std::fs::create_dir_all(dir)?;
    // Written aside and renamed, so that two runs at once do not see half of it.
    let aside = tempfile::NamedTempFile::new_in(dir)?;
    std::fs::write(aside.path(), HEADER)?;
    if let Some(text) = assembled(aside.path()) {
        let aside = tempfile::NamedTempFile::new_in(dir)?;
        std::fs::write(aside.path(), text)?;
        aside.persist(assembly).map_err(|error| error.error)?;
    }
    aside.persist(header).map_err(|error| error.error)?;
    Ok(())
}

/// How the header is compiled beforehand.
const ARGS: [&str; 11] = [
    "-O2",
    // A loop over a string must not become a call of `strlen`: the subject may have its own.
    "-fno-builtin",
    "-fno-tree-loop-distribute-patterns",
    "-fPIC",
    "-g0",
    "-fno-asynchronous-unwind-tables",
    "-DNOPOL_ASSEMBLE",
    "-w",
    "-S",
    "-xc",
    "-o-",
];

/// What the header says of how it is compiled beforehand, which spares every file of a subject that;
/// `None` if the compiler cannot, and then it is not spared.
fn assembled(header: &std::path::Path) -> Option<String> {
    let mut command = std::process::Command::new("cc");
    let output = command.args(ARGS).arg(header).output().ok()?;
    let text = String::from_utf8(output.stdout)
        .ok()
        .filter(|_| output.status.success())?;
    // Whether the stack is executable is for the file to say that includes this: one with nested functions needs it.
    let left_out = ["\t.file", "\t.ident", "\t.section\t.note.GNU-stack"];
    let lines = text
        .lines()
        .filter(|line| !left_out.iter().any(|start| line.starts_with(start)));
    let lines = lines.map(|line| line.replace(".L", ".Lnopol") + "\n");
    Some(lines.collect())
}
