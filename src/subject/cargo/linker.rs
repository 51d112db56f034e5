//! The linker of traced doctests. rustdoc compiles each doctest to a program with a name by chance, and tells the compiler in its
//! environment which doctest that is. The linker inherits that and knows the program.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use camino::Utf8Path;

/// The name by which the tool is called as this linker. rustc takes what ends so for gcc.
pub const NAME: &str = "nopol-gcc";

/// The variable with the linker that this one calls.
pub const LINKER: &str = "NOPOL_LINKER";

/// The variable with the file to which each program's line is added: its directory, the file of the doctest, its line.
pub const PROGRAMS: &str = "NOPOL_PROGRAMS";

/// A doctest's program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Linked {
    /// The file with the doctest, as in its name.
    pub file: String,
    /// A line a little above the doctest.
    pub line: i64,
    /// The name of the program's directory.
    pub program: String,
}

/// If this process was started as the linker, becomes the linker proper and does not return. Returns an error if that cannot be
/// started, and `None` if this process is not the linker.
pub fn run_if_linker() -> Option<std::io::Error> {
    let mut args = std::env::args_os();
    let is_it = Path::new(&args.next()?).file_name()? == NAME;
    let linker = std::env::var_os(LINKER).filter(|_| is_it)?;
    let args: Vec<OsString> = args.collect();
    let output = args.iter().skip_while(|arg| *arg != "-o").nth(1);
    let dir = output.and_then(|output| Path::new(output).parent()?.file_name());
    let variable = |name| std::env::var(name).unwrap_or_default();
    if let (Some(dir), Some(list)) = (dir, std::env::var_os(PROGRAMS)) {
        let line = format!(
            "{}\t{}\t{}\n",
            dir.to_string_lossy(),
            variable("UNSTABLE_RUSTDOC_TEST_PATH"),
            variable("UNSTABLE_RUSTDOC_TEST_LINE")
        );
        let list = OpenOptions::new().create(true).append(true).open(list);
        // A program that is not in the list is one of which nothing is known.
        let _ = list.and_then(|mut list| list.write_all(line.as_bytes()));
    }
    Some(Command::new(linker).args(args).exec())
}

/// The linker that arguments of rustdoc choose; the last one counts.
pub fn chosen(args: &[OsString]) -> OsString {
    let mut chosen = OsString::from("cc");
    let mut before = "";
    for arg in args.iter().filter_map(|arg| arg.to_str()) {
        let option = match before {
            "-C" | "--codegen" => Some(arg),
            _ => arg.strip_prefix("-C").or(arg.strip_prefix("--codegen=")),
        };
        if let Some(linker) = option.and_then(|option| option.strip_prefix("linker=")) {
            chosen = linker.into();
        }
        before = arg;
    }
    chosen
}

/// The doctests' programs in a list, by file and line; none if there is no such list.
///
/// # Errors
/// If a line is not as the linker writes it.
pub fn read(list: &Utf8Path) -> Result<Vec<Linked>> {
    let text = fs::read_to_string(list).unwrap_or_default();
    let parts = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<&str>>());
    let mut programs = Vec::new();
    for parts in parts {
        if let [program, file, line] = parts[..]
            && !file.is_empty()
        {
            programs.push(Linked {
                file: file.to_owned(),
                line: line.parse()?,
                program: program.to_owned(),
            });
        }
    }
    programs.sort();
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_linker_counts() {
        let of = |args: &[&str]| chosen(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["--test", "src/lib.rs"]), "cc");
        assert_eq!(of(&["-Clinker=clang", "-Copt-level=1"]), "clang");
        assert_eq!(of(&["-Clinker=clang", "-C", "linker=gcc"]), "gcc");
        assert_eq!(of(&["--codegen=linker=ld"]), "ld");
    }
}
