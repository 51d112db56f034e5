//! The rustc wrapper. Cargo calls the tool in place of rustc, for every workspace member or for every package, and in place of
//! rustdoc. The wrapper links the runtime into the instrumented packages and caps their lints. This avoids editing any
//! manifest or lock file.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::linker;

/// The variable with the runtime's rlib; empty if none is linked. If it is set, this process is a wrapper.
pub const RUNTIME: &str = "NOPOL_RUNTIME_RLIB";

/// The variable with the rustdoc that this process replaces, if it is not a wrapper of rustc.
pub const RUSTDOC: &str = "NOPOL_RUSTDOC";

/// The variable with the linker of doctests, if they are traced.
pub const DOCTEST_LINKER: &str = "NOPOL_DOCTEST_LINKER";

/// The variable with the directories of the subject's own packages, separated by [`BETWEEN`].
pub const PACKAGES: &str = "NOPOL_PACKAGES";

/// The variable that is set if the lints of these packages are capped.
pub const CAP_LINTS: &str = "NOPOL_CAP_LINTS";

/// The variable that is set if these packages are compiled without debug information, whatever their profile
/// says.
pub const LEAN: &str = "NOPOL_LEAN";

/// The separator of paths. Unlike a newline or a colon, it does not occur in paths.
pub const BETWEEN: &str = "\u{1f}";

/// The variable with the working copy's root and the subject's root. `CARGO_MANIFEST_DIR` and the like refer to
/// the latter.
pub const IN_PLACE: &str = "NOPOL_IN_PLACE";

/// If this process was started as a wrapper, becomes rustc and does not return. Returns an error if rustc cannot
/// be started, and `None` if this process is not a wrapper.
pub fn run_if_wrapper() -> Option<std::io::Error> {
    let runtime = std::env::var_os(RUNTIME)?;
    let mut args = std::env::args_os().skip(1).peekable();
    // Cargo does not tell a program in place of rustdoc which rustdoc it replaces.
    let is_rustdoc = args.peek()?.as_encoded_bytes().starts_with(b"-");
    let compiler = match is_rustdoc {
        true => std::env::var_os(RUSTDOC)?,
        false => args.next()?,
    };
    let args: Vec<OsString> = args.collect();
    let mut command = Command::new(compiler);
    command.args(&args);
    // `rustc -vV` and similar calls compile nothing.
    let compiles = args.iter().any(|arg| arg == "--crate-name");
    let is_set = |name| std::env::var_os(name).is_some();
    if compiles && is_ours() {
        if !runtime.is_empty() {
            let mut external = OsString::from("nopol_rt=");
            external.push(&runtime);
            command.arg("--extern").arg(external);
        }
        if is_set(CAP_LINTS) {
            command.args(["--cap-lints", "allow"]);
        }
        if is_rustdoc && let Some(link) = std::env::var_os(DOCTEST_LINKER) {
            command.env(linker::LINKER, linker::chosen(&args));
            let mut option = OsString::from("-Clinker=");
            option.push(link);
            command.arg(option);
        }
        if is_set(LEAN) && !is_rustdoc {
            // Of two such options the last one counts.
            command.arg("-Cdebuginfo=0");
            // Without this the linker would copy the debug information of dependencies.
            #[cfg(target_os = "linux")]
            command.arg("-Cstrip=debuginfo");
        }
    }
    // Crates that depend on an instrumented one must find the runtime, too.
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
    for name in [
        IN_PLACE,
        PACKAGES,
        RUNTIME,
        RUSTDOC,
        DOCTEST_LINKER,
        CAP_LINTS,
        LEAN,
    ] {
        command.env_remove(name);
    }
    Some(command.exec())
}

/// Whether the compiled package is one of the subject's own.
fn is_ours() -> bool {
    let dir = std::env::var_os("CARGO_MANIFEST_DIR").and_then(|dir| fs::canonicalize(dir).ok());
    let packages = std::env::var(PACKAGES).unwrap_or_default();
    dir.is_some_and(|dir| {
        packages
            .split(BETWEEN)
            .any(|package| Path::new(package) == dir)
    })
}
