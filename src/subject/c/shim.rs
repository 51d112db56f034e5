//! The tool in a compiler's place: it stands first on the search path of a build under the compilers'
//! names, and calls the compiler that is next with what instrumented and sanitized builds need. No
//! build script is edited, whatever it is.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Set to the directory that has the names; its presence is what makes this process a shim.
pub const DIR: &str = "NOPOL_SHIMS";
/// Set to arguments that every compiler is given, separated by spaces.
pub const ARGS: &str = "NOPOL_SHIM_ARGS";
/// Set to the names of the compilers that report errors as JSON, separated by spaces. If it is set, what
/// compilers say comes after a line with [`DIRECTORY`] and the directory they ran in, which is not always
/// that of the build.
pub const JSON: &str = "NOPOL_SHIM_JSON";
/// How a line begins that tells where a compiler ran.
pub const DIRECTORY: &str = "nopol ran a compiler in ";

/// The compilers' names; `gcc` and `clang` may have a version, `gcc-14`.
const NAMES: [&str; 5] = ["cc", "gcc", "clang", "c89", "c99"];

/// Whether a program is a compiler, by its name.
fn is_compiler(name: &str) -> bool {
    let version = ["gcc-", "clang-"]
        .iter()
        .find_map(|name_of| name.strip_prefix(name_of));
    let is_version = |version: &str| {
        !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    NAMES.contains(&name) || version.is_some_and(is_version)
}

/// The names of all compilers on the search path.
pub fn compilers() -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&path).filter_map(|dir| dir.read_dir().ok());
    let entries = dirs.flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| is_compiler(name)).collect()
}

/// If this process was started as a shim, becomes the compiler and does not return; returns an error
/// if there is no compiler of that name.
pub fn run_if_shim() -> Option<std::io::Error> {
    let dir = PathBuf::from(std::env::var_os(DIR)?);
    let mut args = std::env::args_os();
    let program = args.next()?;
    let name = Path::new(&program).file_name()?.to_owned();
    if !is_compiler(&name.to_string_lossy()) {
        return None;
    }
    let args: Vec<OsString> = args.collect();
    let Some(compiler) = find(&name.to_string_lossy(), Some(&dir)) else {
        return Some(std::io::Error::other(format!(
            "there is no {} on the search path",
            name.display()
        )));
    };
    let words = |variable: &str| {
        let text = std::env::var(variable).unwrap_or_default();
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut command = Command::new(compiler);
    command.args(&args);
    // What only asks about the compiler is answered as ever.
    if args
        .iter()
        .any(|arg| !arg.to_string_lossy().starts_with('-'))
    {
        command.args(words(ARGS));
        if words(JSON).iter().any(|known| name == **known) {
            command.arg("-fdiagnostics-format=json");
        }
    }
    match std::env::var_os(JSON) {
        Some(_) => run_and_tell(command),
        None => Some(command.exec()),
    }
}

/// Runs a compiler, tells where it ran and what it said in one piece, and ends this process as it ended;
/// returns only if it cannot be started.
fn run_and_tell(mut command: Command) -> Option<std::io::Error> {
    let output = match command
        .stdout(Stdio::inherit())
        .stdin(Stdio::inherit())
        .output()
    {
        Ok(output) => output,
        Err(error) => return Some(error),
    };
    if !output.stderr.is_empty() {
        let dir = std::env::current_dir().unwrap_or_default();
        let mut said = format!("{DIRECTORY}{}\n", dir.display()).into_bytes();
        said.extend(output.stderr);
        // Nobody else is told if that cannot be written.
        let _ = std::io::stderr().write_all(&said);
    }
    std::process::exit(output.status.code().unwrap_or(1))
}

/// The first program of a name on the search path that is not in some directory.
pub fn find(name: &str, except: Option<&Path>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path).filter(|dir| Some(dir.as_path()) != except);
    let mut programs = places.map(|dir| dir.join(name));
    programs.find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::is_compiler;

    #[test]
    fn a_compiler_may_have_a_version() {
        for name in ["cc", "gcc", "gcc-14", "clang-18", "clang-18.1"] {
            assert!(is_compiler(name), "{name}");
        }
        for name in ["gcc-ar", "gcc-", "clang-format", "cargo-nopol", "ccache"] {
            assert!(!is_compiler(name), "{name}");
        }
    }
}
