//! Lists the tests of a binary, and finds out which arguments its harness accepts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::Duration;

use anyhow::Result;
use camino::Utf8PathBuf;
use nopol_process::run::WHOLE;
use nopol_process::run::confine::{Circumstances, Confinement};
use nopol_process::run::id::{TargetId, TestId};
use nopol_process::run::process::{Exit, Job};
use nopol_process::run::{self, Binary, summary};

use crate::subject::SubjectError;
use crate::subject::workspace::Workspace;

/// The arguments that cargo-nextest uses, too.
const TERSE: [&str; 3] = ["--list", "--format=terse", "--nocapture"];
/// The arguments that harnesses accept that follow the standard one less closely.
const PLAIN: [&str; 1] = ["--list"];

/// The tests of a build, and the targets whose tests cannot be listed because their harness does not follow
/// the standard one. Each of these is one test, unless it crashes or does not end when it is asked. Marks binaries that do not accept `--nocapture`.
///
/// # Errors
/// If the run is stopped, a binary cannot be started, or it lists its tests without the user's arguments and not with them.
pub fn list(
    at: &Workspace,
    binaries: &mut BTreeMap<TargetId, Binary>,
    args: &[String],
) -> Result<(Vec<TestId>, Vec<TargetId>)> {
    let (mut tests, mut unlisted) = (Vec::new(), Vec::new());
    for (target, binary) in binaries {
        let mut harness = Harness {
            at,
            binary,
            ends: true,
        };
        let Some(names) = harness.tests(args)? else {
            if !args.is_empty() && harness.ends {
                let said = harness.said();
                if harness.tests(&[])?.is_some() {
                    return Err(refused(target, args, &said).into());
                }
            }
            unlisted.push(target.clone());
            if !harness.ends {
                continue;
            }
            binary.be_one_test();
            tests.push(TestId {
                target: target.clone(),
                name: WHOLE.to_owned(),
            });
            continue;
        };
        tests.extend(names.into_iter().map(|name| TestId {
            target: target.clone(),
            name,
        }));
    }
    tests.sort();
    tests.dedup();
    Ok((tests, unlisted))
}

/// The error that a target's harness does not know the user's arguments; `said` is its own message.
fn refused(target: &TargetId, args: &[String], said: &str) -> SubjectError {
    let said = match said {
        "" => String::new(),
        said => format!(": {said}"),
    };
    SubjectError::Usage(format!(
        "the test binary of target `{}` of package `{}` rejects `{}` after `--`{said}; \
         `cargo test -- --help` lists what it accepts",
        target.target,
        target.package,
        args.join(" ")
    ))
}

/// A binary whose harness is queried.
struct Harness<'a> {
    at: &'a Workspace<'a>,
    binary: &'a mut Binary,
    /// Whether it has ended by itself so far.
    ends: bool,
}

impl Harness<'_> {
    /// The tests that run with the user's arguments; `None` if they cannot be listed.
    fn tests(&mut self, args: &[String]) -> Result<Option<Vec<String>>> {
        let is_redundant = |arg: &&str| *arg == "--nocapture" || *arg == "--no-capture";
        let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
        args.retain(|arg| !is_redundant(arg));

        let mut list_args = &TERSE[..];
        let (mut exit, mut text) = self.query(&[list_args, &args].concat())?;
        if exit.code.is_some_and(|code| code != 0) {
            list_args = &PLAIN;
            (exit, text) = self.query(&[list_args, &args].concat())?;
        }
        let Some(all) = parse(exit, &text) else {
            return Ok(None);
        };
        if list_args == PLAIN {
            let captures = !self.runs_nothing(&["--nocapture"])?;
            self.binary.harness = run::Harness::Standard { captures };
            if captures && !self.runs_nothing(&[])? {
                return Ok(None);
            }
        }
        if args.contains(&"--include-ignored") || args.contains(&"--ignored") {
            return Ok(Some(all));
        }
        let (exit, text) = self.query(&[list_args, &["--ignored"], &args].concat())?;
        let ignored = parse(exit, &text).unwrap_or_default();
        // Some harnesses ignore `--ignored` and list everything; then only a run shows which tests are
        // ignored.
        let is_reliable = ignored.len() < all.len();
        let is_run = |name: &String| !(is_reliable && ignored.contains(name));
        Ok(Some(all.into_iter().filter(is_run).collect()))
    }

    /// Whether the harness accepts these arguments, filters tests by name and prints a result line.
    fn runs_nothing(&mut self, args: &[&str]) -> Result<bool> {
        let filter = ["--exact", "no test has this name", "--test-threads=1"];
        let (exit, text) = self.query(&[&filter, args].concat())?;
        Ok(exit.code == Some(0)
            && summary(&text).is_some_and(|result| result.starts_with("ok. 0 ")))
    }

    /// The first line of what it complained of last; empty if it did not.
    fn said(&self) -> String {
        let text = fs::read_to_string(self.dir().join("stderr")).unwrap_or_default();
        let mut lines = text.lines().map(str::trim);
        lines
            .find(|line| !line.is_empty())
            .unwrap_or_default()
            .to_owned()
    }

    fn dir(&self) -> Utf8PathBuf {
        self.at.logs.join("listing")
    }

    fn query(&mut self, args: &[&str]) -> Result<(Exit, String)> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let dir = self.dir();
        self.at.confinement.prepare(&dir)?;
        let stdout = dir.join("stdout");
        let mut env = self.binary.env.clone();
        env.extend(self.at.confinement.env(&dir, Circumstances::default()));
        let tree = &self.binary.tree;
        // A program without a test harness may do anything when it is asked for its tests.
        let (exit, _) = tree.guard("listing", || {
            let writable = [dir.clone(), tree.top().to_owned()];
            self.at.supervisor.run(&Job {
                program: &self.binary.exe,
                args: &args,
                cwd: &self.binary.cwd,
                env: &env,
                unset: &Confinement::unset(),
                stdin: None,
                stdout: File::create(&stdout)?,
                stderr: File::create(dir.join("stderr"))?,
                timeout: Some(Duration::from_secs(30)),
                silence: None,
                limits: self.at.confinement.limits(false),
                random_addresses: false,
                sandbox: self.at.confinement.sandbox(writable),
            })
        })?;
        self.ends &= exit.code.is_some();
        Ok((exit, fs::read_to_string(&stdout).unwrap_or_default()))
    }
}

/// The tests in a list, without benchmarks; `None` if the output is not a list.
fn parse(exit: Exit, text: &str) -> Option<Vec<String>> {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    if lines.last().is_some_and(|line| is_count(line)) {
        lines.pop();
    }
    let is_entry = |line: &&str| {
        let kinds = [": test", ": benchmark", ": bench"];
        kinds.iter().any(|kind| line.ends_with(kind))
    };
    (exit.code == Some(0) && lines.iter().all(is_entry)).then(|| {
        lines
            .iter()
            .filter_map(|line| line.strip_suffix(": test"))
            .map(String::from)
            .collect()
    })
}

/// Whether a line is like `816 tests, 0 benchmarks`, which ends a list that is not terse.
fn is_count(line: &str) -> bool {
    line.split(", ").all(|part| {
        part.split_once(' ').is_some_and(|(number, what)| {
            number.parse::<u64>().is_ok()
                && ["test", "benchmark"].contains(&what.trim_end_matches('s'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(code: i32, text: &str) -> Option<Vec<String>> {
        let exit = Exit {
            code: Some(code),
            signal: None,
            timed_out: false,
            seconds: 0.0,
        };
        parse(exit, text)
    }

    #[test]
    fn lists_are_parsed_with_and_without_a_final_count() {
        let tests = Some(vec!["a".to_string(), "[kind] b: c".to_string()]);
        let entries = "a: test\nb: benchmark\n[kind] b: c: test\nd: bench\n";
        assert_eq!(listed(0, entries), tests);
        assert_eq!(listed(0, &format!("{entries}\n816 tests\n\n")), tests);
        assert_eq!(
            listed(0, &format!("{entries}\n1 test, 2 benchmarks\n")),
            tests
        );
        assert_eq!(listed(0, ""), Some(Vec::new()));
        assert_eq!(listed(1, entries), None);
        assert_eq!(listed(0, &format!("hello\n{entries}")), None);
        assert_eq!(listed(0, "2 tests passed"), None);
    }
}
