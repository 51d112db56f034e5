//! Running all or many tests of a binary in one process, as `cargo test` does.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;

use super::confine::Circumstances;
use super::output::tail;
use super::{Binary, Launch, Runner, summary};

impl Runner<'_> {
    /// The tests that pass when all tests of a binary run in one process, as under `cargo test`.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn passing_together(
        &self,
        binary: &Binary,
        timeout: Duration,
        circumstances: Circumstances,
    ) -> Result<BTreeSet<String>> {
        // A test may read the arguments, of which `cargo test` gives none.
        let args = self.args.clone();
        let threads = ("RUST_TEST_THREADS".to_owned(), self.jobs().to_string());
        let (printed, _) = binary.tree.guard(binary.exe.as_str(), || {
            self.with_run_dir(|dir| {
                let launch = Launch {
                    circumstances,
                    vars: vec![threads.clone()],
                    ..Launch::of(binary, args.clone(), timeout)
                };
                self.start(dir, binary, launch)?;
                Ok(std::fs::read(dir.join("stdout"))?)
            })
        })?;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let passed = printed.lines().filter_map(|line| {
            let name = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
            Some(name.trim_end_matches(" - should panic").to_owned())
        });
        Ok(passed.collect())
    }

    /// Whether these tests pass when they run in one process, as under `cargo test`. If not, they may still
    /// pass in separate processes.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub(super) fn pass_together(
        &self,
        binary: &Binary,
        tests: &[&str],
        timeout: Duration,
    ) -> Result<bool> {
        let mut args = vec![
            "--exact".to_string(),
            format!("--test-threads={}", self.jobs()),
        ];
        args.extend(tests.iter().map(ToString::to_string));
        args.extend(self.args.iter().cloned());
        let all = format!("ok. {} passed; 0 failed;", tests.len());
        let (passed, changes) = binary.tree.guard(binary.exe.as_str(), || {
            self.with_run_dir(|dir| {
                let launch = Launch::of(binary, args.clone(), timeout);
                let exit = self.start(dir, binary, launch)?;
                let result = summary(&tail(dir.join("stdout").as_std_path())?);
                Ok(exit.code == Some(0) && result.is_some_and(|result| result.starts_with(&all)))
            })
        })?;
        self.note(
            &format!(
                "all tests of {}",
                binary.exe.file_name().unwrap_or_default()
            ),
            changes,
        );
        Ok(passed)
    }
}
