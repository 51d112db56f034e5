//! The `cargo-nopol` binary: a cargo subcommand, and the rustc wrapper it uses for its own builds.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(error) = cargo_nopol::subject::wrapper::run_if_wrapper() {
        eprintln!("error: cannot start rustc: {error}");
        return ExitCode::from(70);
    }
    ExitCode::from(cargo_nopol::cli::main())
}
