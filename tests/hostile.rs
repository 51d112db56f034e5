//! Whatever a subject does, what is the user's stays as it was, and patches pass `cargo test`: a part of
//! the table of `cargo xtask bench hostile`.

#[path = "../xtask/src/hostile/subject.rs"]
mod subject;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cargo_nopol::run::sandbox::{self, SandboxMode};
use subject::Case;

fn check(file: &str) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let tool = Path::new(env!("CARGO_BIN_EXE_cargo-nopol"));
    let cache = tempfile::tempdir().unwrap();
    let only = std::env::var("NOPOL_HOSTILE").unwrap_or_default();
    let has_landlock = sandbox::shortfall(SandboxMode::Writes).is_none();
    let is_chosen = |case: &Case| match only.is_empty() {
        true => case.is_test && (has_landlock || !case.needs_landlock),
        false => case.name.contains(&only),
    };
    let cases: Vec<Case> = subject::read(&fixtures, file)
        .into_iter()
        .filter(is_chosen)
        .collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = subject::run(tool, &fixtures, cache.path(), case);
                    let subject::Outcome {
                        code,
                        wrong: what,
                        said,
                        seconds,
                    } = outcome;
                    println!("{} ({seconds:.1} s): exit {code}, {said}", case.name);
                    if !what.is_empty() {
                        let said = format!("{}, {}: {}", case.name, case.about, what.join("\n  "));
                        wrong.lock().unwrap().push(said);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn nothing_of_the_users_is_touched_by_hostile_crates() {
    check("rust.toml");
}

#[test]
fn nothing_of_the_users_is_touched_by_hostile_c_programs() {
    check("c.toml");
}
