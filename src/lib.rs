//! Automatic repair of conditions: what `cargo nopol` does, for callers. `docs/architecture.md` has the parts.
//!
//! An [`Invocation`] makes one run. It takes [`Settings`], which know no command line, tells [`Event`]s while it
//! works, and gives an [`Outcome`], which the formats in [`report`] show.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use cargo_nopol::{Event, Invocation, Settings};
//! use cargo_nopol::subject::{Project, cargo::options::CargoOptions};
//!
//! fn main() -> anyhow::Result<()> {
//!     // This program is what cargo calls in place of rustc.
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
//!     // Before this program has threads.
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
//! Files and the environment are read by [`config`], for those who want them. Nothing is known of the process
//! around: signals are handled only if [`Invocation::handle_signals`] is called, and nothing is printed.
//!
//! What repairs is of use without a subject, too: a synthesis problem is contexts with the outcomes they call
//! for, and a pool of terms.
//!
//! ```
//! use cargo_nopol::exchange::ProblemFile;
//! use cargo_nopol::exchange::solve::{self, Options};
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
//! let engine = cargo_nopol::synth::EngineKind::default();
//! let solved = solve::solve(&problem, &Options { engine, top: 1 });
//! assert!(solved.line.contains("score >= needed"), "{}", solved.line);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod check;
pub mod cli;
pub mod config;
pub mod contexts;
pub mod copy;
pub mod exchange;
pub mod hash;
pub mod index;
pub mod invocation;
pub mod localize;
pub mod patch;
pub mod paths;
pub mod probe;
pub mod repair;
pub mod report;
pub mod run;
pub mod source;
pub mod spec;
pub mod subject;
pub mod synth;
pub mod weights;

pub use self::invocation::Invocation;
pub use self::repair::settings::Settings;
pub use self::report::Outcome;
pub use self::report::events::{Event, Observer};

/// Does the work of a compiler if this process was started in a compiler's place, and does not return then. To
/// be called before anything else by a program that [`Settings::tool`] names.
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
