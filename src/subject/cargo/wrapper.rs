//! The tool as rustc's wrapper: cargo calls it in place of rustc, for every workspace member or for
//! every package, and to those that are ours it adds the runtime, and caps lints. No manifest or lock
//! file is edited that way.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Set to the runtime's rlib, or to nothing where lints are capped and that is all; its presence is
/// what makes this process a wrapper.
pub const RUNTIME: &str = "NOPOL_RUNTIME_RLIB";

/// Set to the directories of the packages that get the runtime, with [`BETWEEN`] between them.
pub const PACKAGES: &str = "NOPOL_PACKAGES";

/// Between paths: what no path has in it, though some have a newline or a colon.
pub const BETWEEN: &str = "\u{1f}";

/// Set to the working copy's root and the subject's own: what asks where it is compiled is told
/// the latter.
pub const IN_PLACE: &str = "NOPOL_IN_PLACE";

/// If this process was started as a wrapper, becomes rustc and does not return; returns an error
/// if rustc cannot be started.
pub fn run_if_wrapper() -> Option<std::io::Error> {
    let runtime = std::env::var_os(RUNTIME)?;
    let mut args = std::env::args_os().skip(1);
    let rustc = args.next()?;
    let args: Vec<OsString> = args.collect();
    let mut command = Command::new(rustc);
    command.args(&args);
    // `rustc -vV` and its like compile nothing.
    let compiles = args.iter().any(|arg| arg == "--crate-name");
    if compiles && is_ours() {
        if !runtime.is_empty() {
            let mut external = OsString::from("nopol_rt=");
            external.push(&runtime);
            command.arg("--extern").arg(external);
        }
        command.args(["--cap-lints", "allow"]);
    }
    // What is linked with ours must find it, too.
    if compiles && let Some(dir) = Path::new(&runtime).parent() {
        let mut path = OsString::from("dependency=");
        path.push(dir);
        command.arg("-L").arg(path);
    }
    if let Ok(roots) = std::env::var(IN_PLACE)
        && let Some((copy, original)) = roots.split_once(BETWEEN)
    {
        for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"] {
            let value = std::env::var(name).unwrap_or_default();
            if let Ok(below) = Path::new(&value).strip_prefix(copy) {
                command.env(name, Path::new(original).join(below));
            }
        }
    }
    command.env_remove(IN_PLACE);
    command.env_remove(PACKAGES);
    command.env_remove(RUNTIME);
    Some(command.exec())
}

/// Whether the package that cargo compiles is one of those that get the runtime.
fn is_ours() -> bool {
    let dir = std::env::var_os("CARGO_MANIFEST_DIR").and_then(|dir| fs::canonicalize(dir).ok());
    let ours = std::env::var(PACKAGES).unwrap_or_default();
    dir.is_some_and(|dir| ours.split(BETWEEN).any(|ours| Path::new(ours) == dir))
}
