//! Automatic repair of conditions: the library behind `cargo nopol`. `docs/architecture.md` describes its parts.
//!
//! An [`Invocation`] makes one run. It takes [`Settings`], which are independent of the command line, emits
//! [`Event`]s while it works, and returns an [`Outcome`], which the formats in [`report`] render.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use cargo_nopol::{Event, Invocation, Settings};
//! use cargo_nopol::subject::{Project, cargo::options::CargoOptions};
//!
//! fn main() -> anyhow::Result<()> {
//!     // Cargo calls this program in place of rustc.
//!     cargo_nopol::run_as_stand_in().map_err(anyhow::Error::msg)?;
//!     let project = CargoOptions {
//!         manifest_path: Some("/some/crate/Cargo.toml".into()),
//!         ..CargoOptions::default()
//!     };
//!     let settings = Settings {
//!         project: Project::Cargo(project),
//!         tool: Some(std::env::current_exe()?),
//!         top: 1,
//!         ..Settings::default()
//!     };
//!     // Before this program starts threads.
//!     let invocation = Invocation::new(settings)?;
//!     let outcome = invocation.run(Arc::new(|event: &Event<'_>| {
//!         if let Event::Finished { phase, result, .. } = event {
//!             eprintln!("{phase}: {result}");
//!         }
//!     }));
//!     for patch in &outcome.patches {
//!         println!("{}", patch.diff);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! [`config`] optionally reads settings from files and the environment. The library leaves the calling process
//! alone: it handles signals only if [`Invocation::handle_signals`] is called, and prints nothing.
//!
//! The synthesizer also works without a subject. A synthesis problem consists of contexts with their expected
//! outcomes, and a pool of terms.
//!
//! ```
//! use cargo_nopol::exchange::ProblemFile;
//! use cargo_nopol::exchange::solve::{self, SolveOptions};
//!
//! let dir = tempfile::tempdir()?;
//! let path = camino::Utf8PathBuf::try_from(dir.path().join("grades.json"))?;
//! std::fs::write(
//!     &path,
//!     r#"{"variables": [{"name": "score", "type": "u32"}, {"name": "needed", "type": "u32"}],
//!         "original": "score > needed",
//!         "contexts": [{"values": [51, 50], "expected": true}, {"values": [50, 50], "expected": true},
//!                      {"values": [49, 50], "expected": false}]}"#,
//! )?;
//! let problem = ProblemFile::read(&path)?;
//! let engine = cargo_nopol::EngineKind::default();
//! let solved = solve::solve(&problem, &SolveOptions { engine, top: 1 });
//! assert!(solved.line.contains("score >= needed"), "{}", solved.line);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod check;
pub mod cli;
pub mod config;
pub mod contexts;
pub mod exchange;
pub mod formula;
pub mod heap;
pub mod invocation;
pub mod localize;
pub mod patch;
pub mod probe;
pub mod rank;
pub mod repair;
pub mod report;
pub mod subject;

pub use nopol_synth::EngineKind;

pub use self::invocation::Invocation;
pub use self::repair::settings::Settings;
pub use self::report::Outcome;
pub use self::report::events::{Event, Observer};

/// If this process was started in place of a compiler, runs that compiler and does not return. The program that
/// [`Settings::tool`] names must call this before anything else.
///
/// # Errors
/// If the compiler cannot be started.
pub fn run_as_stand_in() -> Result<(), String> {
    if let Some(error) = subject::cargo::linker::run_if_linker() {
        return Err(format!("cannot start the linker: {error}"));
    }
    if let Some(error) = subject::cargo::wrapper::run_if_wrapper() {
        return Err(format!("cannot start rustc: {error}"));
    }
    match subject::c::shim::run_if_shim() {
        Some(error) => Err(format!("cannot start the compiler: {error}")),
        None => Ok(()),
    }
}
