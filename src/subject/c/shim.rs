//! The compiler shim. During a build, links to the tool under the compilers' names come first on the search
//! path. The shim calls the real compiler with the additional arguments of instrumented and sanitized builds.
//! This works with any build system, without editing its scripts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use camino::Utf8PathBuf;

use super::calls::Call;

/// The variable with the directory of the links; if it is set, this process may be a shim.
pub const DIR: &str = "NOPOL_SHIMS";
/// The name of that directory. A build that noted the path of a link may call it without the variable.
pub const DIR_NAME: &str = "nopol-shims";
/// The variable with additional arguments for every compiler, separated by spaces.
pub const ARGS: &str = "NOPOL_SHIM_ARGS";
/// The variable with a file, to which the errors of each failed call are added, as JSON where the compiler can write it.
/// They follow a line with [`DIRECTORY`] and the compiler's working directory, which may differ from that of the build.
pub const MESSAGES: &str = "NOPOL_SHIM_MESSAGES";
/// The variable with a file; if it is set, every call is added to it, one JSON object a line.
pub const CALLS: &str = "NOPOL_SHIM_CALLS";
/// The start of a line that shows where a compiler ran.
pub const DIRECTORY: &str = "nopol ran a compiler in ";

/// The compilers' names; `gcc`, `clang` and those of C++ may have a version suffix, as in `gcc-14`.
const NAMES: [&str; 8] = ["cc", "gcc", "clang", "c89", "c99", "c++", "g++", "clang++"];

/// Whether the name of a program is that of a compiler.
fn is_compiler(name: &str) -> bool {
    let version = ["gcc-", "clang-", "g++-", "clang++-"]
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

/// If this process was started as a shim, becomes the compiler and does not return. Returns an error if there is
/// no compiler of that name, and `None` if this process is not a shim.
pub fn run_if_shim() -> Option<std::io::Error> {
    let mut args = std::env::args_os();
    let program = args.next()?;
    let beside = || {
        let dir = Path::new(&program).parent()?;
        (dir.file_name()? == DIR_NAME).then(|| dir.to_owned())
    };
    let dir = std::env::var_os(DIR).map(PathBuf::from).or_else(beside)?;
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
    if let Some(log) = std::env::var_os(CALLS)
        && let Err(error) = write_down(Path::new(&log), &compiler, &args)
    {
        return Some(error);
    }
    let mut command = Command::new(compiler);
    command.args(&args);
    // A call without source files only queries the compiler and needs no additional arguments.
    let compiles = args
        .iter()
        .any(|arg| !arg.to_string_lossy().starts_with('-'));
    if compiles {
        command.args(words(ARGS));
    }
    match std::env::var_os(MESSAGES) {
        Some(messages) if compiles => run_with_messages(command, Path::new(&messages)),
        _ => Some(command.exec()),
    }
}

/// Adds a call to a file, in a single write, because compilers run side by side. A call that is not UTF-8 is left out.
fn write_down(log: &Path, compiler: &Path, args: &[OsString]) -> std::io::Result<()> {
    let utf8 = |path: PathBuf| Utf8PathBuf::from_path_buf(path).ok();
    let args = args.iter().map(|arg| arg.to_str().map(str::to_owned));
    let (Some(dir), Some(compiler), Some(args)) = (
        utf8(std::env::current_dir()?),
        utf8(compiler.to_owned()),
        args.collect(),
    ) else {
        return Ok(());
    };
    let call = Call {
        dir,
        compiler,
        args,
    };
    add_to(log)?.write_all(call.line()?.as_bytes())
}

fn add_to(path: &Path) -> std::io::Result<File> {
    File::options().append(true).create(true).open(path)
}

/// Runs a compiler and exits with its exit code. If it fails, its errors are added to the file. Returns only if the
/// compiler cannot be started.
fn run_with_messages(mut command: Command, messages: &Path) -> Option<std::io::Error> {
    command.stdin(Stdio::inherit());
    let output = match command.stdout(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) => return Some(error),
    };
    // What cannot be written to one of the two is in the other.
    let _ = std::io::stderr().write_all(&output.stderr);
    if !output.status.success() {
        let dir = std::env::current_dir().unwrap_or_default();
        let mut message = format!("{DIRECTORY}{}\n", dir.display()).into_bytes();
        message.extend(as_json(command).unwrap_or(output.stderr));
        let _ = add_to(messages).and_then(|mut file| file.write_all(&message));
    }
    std::process::exit(output.status.code().unwrap_or(1))
}

/// The errors of a call that failed, as JSON, from a second call. `None` if the compiler does not write JSON: gcc does from
/// version 9 on.
fn as_json(mut command: Command) -> Option<Vec<u8>> {
    command.arg("-fdiagnostics-format=json");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let output = command.output().ok()?;
    let is_json = output
        .stderr
        .split(|byte| *byte == b'\n')
        .any(|line| line.starts_with(b"["));
    is_json.then_some(output.stderr)
}

/// The first program of this name on the search path, skipping the directory `except`.
pub fn find(name: &str, except: Option<&Path>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let dirs = std::env::split_paths(&path).filter(|dir| Some(dir.as_path()) != except);
    let mut programs = dirs.map(|dir| dir.join(name));
    programs.find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::is_compiler;

    #[test]
    fn a_compiler_may_have_a_version() {
        for name in ["cc", "gcc", "gcc-14", "clang-18", "clang-18.1", "g++-12"] {
            assert!(is_compiler(name), "{name}");
        }
        for name in ["gcc-ar", "gcc-", "clang-format", "cargo-nopol", "ccache"] {
            assert!(!is_compiler(name), "{name}");
        }
    }
}
