//! `cargo nopol`: repairs the conditions of a Rust crate with a failing test. See
//! `docs/architecture.md`.

pub mod cli;
pub mod config;
pub mod contexts;
pub mod copy;
pub mod exchange;
pub mod hash;
pub mod localize;
pub mod patch;
pub mod probe;
pub mod repair;
pub mod report;
pub mod run;
pub mod source;
pub mod spec;
pub mod subject;
pub mod synth;

/// Does the work of a compiler if this process was started in a compiler's place, and does not return then. To
/// be called before anything else by a program that [`repair::settings::Settings::tool`] names.
///
/// # Errors
/// If the compiler cannot be started.
pub fn run_as_stand_in() -> Result<(), String> {
    if let Some(error) = subject::cargo::wrapper::run_if_wrapper() {
        return Err(format!("cannot start rustc: {error}"));
    }
    match subject::c::shim::run_if_shim() {
        Some(error) => Err(format!("cannot start the compiler: {error}")),
        None => Ok(()),
    }
}
