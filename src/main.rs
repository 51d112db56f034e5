//! The `cargo-nopol` binary: a cargo subcommand, and what stands in the compilers' place in its own builds.

use std::process::ExitCode;

use cargo_nopol::subject::{c, cargo};

fn main() -> ExitCode {
    if let Some(error) = cargo::wrapper::run_if_wrapper() {
        eprintln!("error: cannot start rustc: {error}");
        return ExitCode::from(70);
    }
    if let Some(error) = c::shim::run_if_shim() {
        eprintln!("error: cannot start the compiler: {error}");
        return ExitCode::from(70);
    }
    ExitCode::from(cargo_nopol::cli::main())
}
