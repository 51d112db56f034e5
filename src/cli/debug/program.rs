//! The program that a session is on: a source file that is compiled, or a program that was built, and its sources.

use std::fs;
use std::io;
use std::process::Command as Process;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_debug::gdb::Subject;
use tempfile::TempDir;

use super::{Failed, usage};
use crate::cli::output;
use crate::report::Ending;

/// Source files with their texts.
pub type Sources = Vec<(Utf8PathBuf, String)>;

/// A program that is ready.
pub struct Built {
    pub program: Utf8PathBuf,
    /// The one source that it was compiled from here.
    source: Option<Utf8PathBuf>,
    /// Where it is, until the session ends.
    _directory: Option<TempDir>,
}

/// Builds a program, if it has to be.
///
/// # Errors
/// If there is none, or it cannot be built.
pub fn built(program: &Utf8Path, build: Option<&str>) -> Result<Built, Failed> {
    if !program.exists() && build.is_none() {
        return Err(usage(match program.extension() {
            Some("c") => format!("there is no file {program}"),
            _ => format!("there is no program {program}: build it first, or give --build"),
        }));
    }
    if let Some(language) = foreign(program) {
        return Err(usage(format!(
            "{program} is written in {language}: `c debug` is for C programs"
        )));
    }
    if let Some(build) = build {
        run(Process::new("sh").args(["-c", build]), build)?;
    }
    if program.extension() != Some("c") {
        return Ok(Built {
            program: program.to_owned(),
            source: None,
            _directory: None,
        });
    }
    let internal = |error: io::Error| (Ending::Internal, error.to_string());
    let directory = TempDir::new().map_err(internal)?;
    let path = Utf8PathBuf::from_path_buf(directory.path().join("program"));
    let path = path.map_err(|_| {
        let sentence = "the temporary directory has a name that is not UTF-8";
        usage(sentence.to_owned())
    })?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Process::new(&compiler);
    command.args(["-g", "-O0", "-o", path.as_str(), program.as_str()]);
    run(&mut command, &format!("{compiler} -g -O0 {program}"))?;
    Ok(Built {
        program: path,
        source: Some(program.to_owned()),
        _directory: Some(directory),
    })
}

/// Reads the sources that are named, or those in this directory that the debug information names.
///
/// # Errors
/// If there are none, or one cannot be read.
pub fn sources(
    built: &Built,
    named: &[Utf8PathBuf],
    subject: &mut Subject,
) -> Result<Sources, Failed> {
    let program = built.source.as_ref().unwrap_or(&built.program);
    let known = subject
        .source_files()
        .map_err(|error| usage(error.to_string()))?;
    if known.is_empty() {
        return Err(usage(format!(
            "{program} has no debug information: build it with -g -O0"
        )));
    }
    let here = std::env::current_dir().ok();
    let here = here.and_then(|here| Utf8PathBuf::from_path_buf(here).ok());
    let mut paths = named.to_vec();
    if paths.is_empty() {
        paths.extend(built.source.clone());
    }
    if paths.is_empty() {
        for file in &known {
            let full = Utf8PathBuf::from(file.full_path.to_string());
            let is_source = matches!(full.extension(), Some("c" | "h"));
            let relative = here.as_ref().and_then(|here| full.strip_prefix(here).ok());
            if let Some(relative) = relative.filter(|_| is_source && full.exists()) {
                paths.push(relative.to_owned());
            }
        }
    }
    let of_all = || paths.iter().chain(known.iter().map(|file| &file.full_path));
    if !of_all().any(|path| path.extension() == Some("c"))
        && let Some(language) = of_all().find_map(|path| foreign(path))
    {
        return Err(usage(format!(
            "{program} is written in {language}: `c debug` is for C programs"
        )));
    }
    if paths.is_empty() {
        return Err(usage(
            "none of the program's sources is in this directory: name them with --source"
                .to_owned(),
        ));
    }
    let age = |path: &Utf8Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    let mut files = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)
            .map_err(|error| usage(format!("cannot read {path}: {error}")))?;
        if built.source.is_none() && age(&path) > age(program) {
            output::say(&format!(
                "{path} is newer than {program}: lines may not be where the debugger says"
            ));
        }
        if let Ok(Some(true)) = subject.is_optimised(path.as_str()) {
            output::say(&format!(
                "{program} was optimized: statements may run in another order than they are written; build it with -O0"
            ));
        }
        files.push((path, text));
    }
    Ok(files)
}

/// The language of a source file, if it is another one than C.
fn foreign(source: &Utf8Path) -> Option<&'static str> {
    match source.extension()? {
        "rs" => Some("Rust"),
        "cc" | "cpp" | "cxx" | "c++" | "C" | "hpp" | "hh" => Some("C++"),
        "m" => Some("Objective-C"),
        "f" | "f90" | "f95" | "F90" => Some("Fortran"),
        "go" => Some("Go"),
        "d" => Some("D"),
        "zig" => Some("Zig"),
        "swift" => Some("Swift"),
        _ => None,
    }
}

/// Runs a command that builds; what it says is shown if it fails.
fn run(command: &mut Process, text: &str) -> Result<(), Failed> {
    let done = command.output().map_err(|error| {
        let sentence = format!("cannot run `{text}`: {error}");
        (Ending::CannotBuild, sentence)
    })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let sentence = format!("`{text}` fails:\n{}", said.trim_end());
    Err((Ending::CannotBuild, sentence))
}
