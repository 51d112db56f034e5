//! All tests of a binary, or many of them, in one process, as `cargo test` runs them.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;

use super::confine::Circumstances;
use super::{Binary, Runner, Start, summary, tail};

impl Runner<'_> {
    /// The tests that pass when all of a binary run in one process, as under `cargo test`.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn passing_together(
        &self,
        binary: &Binary,
        timeout: Duration,
        as_users: Circumstances,
    ) -> Result<BTreeSet<String>> {
        let mut args = vec![format!("--test-threads={}", self.jobs)];
        args.extend(self.args.iter().cloned());
        let (printed, _) = binary.tree.guard(binary.exe.as_str(), || {
            self.in_a_dir(|dir| {
                let start = Start {
                    as_users,
                    ..Start::of(binary, args.clone(), timeout)
                };
                self.start(dir, binary, start)?;
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

    /// Whether these tests pass when they run in one process, as under `cargo test`. What does not
    /// may still pass in a process of its own.
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
            format!("--test-threads={}", self.jobs),
        ];
        args.extend(tests.iter().map(ToString::to_string));
        args.extend(self.args.iter().cloned());
        let all = format!("ok. {} passed; 0 failed;", tests.len());
        let (passed, changes) = binary.tree.guard(binary.exe.as_str(), || {
            self.in_a_dir(|dir| {
                let start = Start::of(binary, args.clone(), timeout);
                let ended = self.start(dir, binary, start)?;
                let said = summary(&tail(dir.join("stdout").as_std_path())?);
                Ok(ended.code == Some(0) && said.is_some_and(|said| said.starts_with(&all)))
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
