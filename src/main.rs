//! The `cargo-nopol` binary: a cargo subcommand, and what stands in the compilers' place in its own builds.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Err(error) = cargo_nopol::run_as_stand_in() {
        eprintln!("error: {error}");
        return ExitCode::from(70);
    }
    ExitCode::from(cargo_nopol::cli::main())
}
