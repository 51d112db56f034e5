//! Whatever a subject does, what is the user's stays as it was, and patches pass `cargo test`: a part of
//! the table of `cargo xtask bench hostile`, a test for each subject.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../xtask/src/hostile/subject.rs"]
mod subject;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use nopol_process::run::sandbox::{self, SandboxMode};
use subject::{Case, Tier};

fn main() -> ExitCode {
    // The tool keeps the runtime there that it compiled.
    let cache = Arc::new(tempfile::tempdir().unwrap());
    let has_landlock = sandbox::shortfall(SandboxMode::Writes).is_none();
    let mut trials = Vec::new();
    for file in ["rust.toml", "c.toml"] {
        for case in subject::read(fixtures(), file) {
            let Some(tier) = case.tier else { continue };
            if case.needs_landlock && !has_landlock {
                continue;
            }
            let cache = Arc::clone(&cache);
            let trial = Trial::test(case.name.clone(), move || check(&case, cache.path()));
            trials.push(trial.with_ignored_flag(tier == Tier::Full));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
}

fn check(case: &Case, cache: &Path) -> Result<(), Failed> {
    let tool = Path::new(env!("CARGO_BIN_EXE_cargo-nopol"));
    let outcome = subject::run(tool, fixtures(), cache, case);
    if outcome.wrong.is_empty() {
        return Ok(());
    }
    let wrong = outcome.wrong.join("\n  ");
    Err(format!(
        "{}: {wrong}\nexit {} after {:.1} s: {}",
        case.about, outcome.code, outcome.seconds, outcome.said
    )
    .into())
}
