//! The tool as `RUSTC_WORKSPACE_WRAPPER`: cargo calls it in place of rustc for every workspace
//! member, and it adds the runtime and caps lints. No manifest or lock file is edited that way.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Set to the runtime's rlib, or to nothing where lints are capped and that is all; its presence is
/// what makes this process a wrapper.
pub const RUNTIME: &str = "NOPOL_RUNTIME_RLIB";

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
    if args.iter().any(|arg| arg == "--crate-name") {
        if !runtime.is_empty() {
            let mut external = OsString::from("nopol_rt=");
            external.push(&runtime);
            command.arg("--extern").arg(external);
        }
        if let Some(dir) = std::path::Path::new(&runtime).parent() {
            let mut path = OsString::from("dependency=");
            path.push(dir);
            command.arg("-L").arg(path);
        }
        command.args(["--cap-lints", "allow"]);
    }
    command.env_remove(RUNTIME);
    Some(command.exec())
}
