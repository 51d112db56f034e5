//! The release build of the tool, and processes with a time limit.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Deserialize;

/// Time between SIGTERM and SIGKILL.
const MERCY: Duration = Duration::from_secs(10);

/// The repository.
pub fn root() -> Result<&'static Path> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().context("the repository has no parent")
}

/// Cargo, as whoever runs this has it.
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}

/// Builds the tool; its path.
///
/// # Errors
/// If it does not build.
fn build() -> Result<PathBuf> {
    let root = root()?;
    let built = Command::new(cargo())
        .args(["build", "--release", "--quiet", "--bin", "cargo-nopol"])
        .current_dir(root)
        .status()?;
    ensure!(built.success(), "the tool does not build");
    let target = std::env::var("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    Ok(target.join("release/cargo-nopol"))
}

/// The tool that an option names, or the release build.
pub fn chosen(option: Option<&PathBuf>) -> Result<PathBuf> {
    match option {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("there is no {}", path.display())),
        None => build(),
    }
}

/// What is read of a line of `cargo nopol synth`.
#[derive(Deserialize)]
pub struct Line {
    pub seconds: f64,
    pub candidates: Vec<Candidate>,
    pub peak_kib: Option<u64>,
}

#[derive(Deserialize)]
pub struct Candidate {
    pub text: String,
    pub explains: bool,
    pub check: Option<f64>,
}

/// Runs `cargo nopol synth` on one problem file in a process of its own; `None` past the limit, or
/// where there is no line.
pub fn synth(tool: &Path, problem: &Path, args: &[&str], limit: Duration) -> Result<Option<Line>> {
    let mut command = Command::new(tool);
    command.args(["nopol", "synth"]).arg(problem).args(args);
    command.stderr(Stdio::null());
    let output = within(&mut command, limit)?;
    Ok(output.and_then(|text| serde_json::from_str(&text).ok()))
}

/// The environment of someone's shell: not that of the cargo that runs this, and no backtraces.
pub fn as_from_a_shell(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars() {
        if name.starts_with("CARGO_") && name != "CARGO_HOME" {
            command.env_remove(name);
        }
    }
    command.env("RUST_BACKTRACE", "0")
}

/// Runs a command and returns its standard output, `None` past the limit: it is then asked to end,
/// so that it can end its own children, and killed if it does not.
///
/// # Errors
/// If it cannot be started.
pub fn within(command: &mut Command, limit: Duration) -> Result<Option<String>> {
    command.stdout(Stdio::piped());
    let start = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let mut stdout = child.stdout.take().context("no standard output")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let mut is_late = false;
    while child.try_wait()?.is_none() {
        if start.elapsed() > limit + MERCY {
            child.kill()?;
        } else if start.elapsed() > limit && !is_late {
            is_late = true;
            kill(Pid::from_raw(child.id().try_into()?), Signal::SIGTERM)?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if is_late {
        return Ok(None);
    }
    let text = reader
        .join()
        .map_err(|_| anyhow::anyhow!("the reader panicked"))?;
    Ok(Some(text?))
}

/// The middle value; the mean of the two middle ones.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 if middle == 0 => 0.0,
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

/// Copies a tree, links as links; `name` says what each entry is called there, `None` that it is
/// left out.
pub fn copy(from: &Path, to: &Path, name: &dyn Fn(&Path) -> Option<&OsStr>) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let path = entry.path();
        let Some(place) = name(&path).map(|name| to.join(name)) else {
            continue;
        };
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, place)?;
        } else if kind.is_dir() {
            copy(&path, &place, name)?;
        } else {
            fs::copy(&path, place)?;
        }
    }
    Ok(())
}
