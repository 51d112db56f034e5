//! Which tests a binary has.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::time::Duration;

use anyhow::Result;
use camino::Utf8Path;

use crate::run::Binary;
use crate::run::id::{TargetId, TestId};
use crate::run::process::{Job, Supervisor};

/// The tests of a build, and the targets whose tests cannot be listed because they do not use
/// the standard harness.
///
/// # Errors
/// If the run is stopped or a binary cannot be started.
pub fn list(
    supervisor: &Supervisor,
    logs: &Utf8Path,
    binaries: &BTreeMap<TargetId, Binary>,
    args: &[String],
) -> Result<(Vec<TestId>, Vec<TargetId>)> {
    let (mut tests, mut unlisted) = (Vec::new(), Vec::new());
    let runs_ignored = args
        .iter()
        .any(|arg| arg == "--include-ignored" || arg == "--ignored");
    for (target, binary) in binaries {
        let Some(all) = list_one(supervisor, logs, binary, args, &[])? else {
            unlisted.push(target.clone());
            continue;
        };
        let ignored = match runs_ignored {
            true => Vec::new(),
            false => list_one(supervisor, logs, binary, args, &["--ignored"])?.unwrap_or_default(),
        };
        let run = all.into_iter().filter(|name| !ignored.contains(name));
        tests.extend(run.map(|name| TestId {
            target: target.clone(),
            name,
        }));
    }
    tests.sort();
    Ok((tests, unlisted))
}

fn list_one(
    supervisor: &Supervisor,
    logs: &Utf8Path,
    binary: &Binary,
    args: &[String],
    more: &[&str],
) -> Result<Option<Vec<String>>> {
    let mut all = vec!["--list".to_string(), "--format=terse".to_string()];
    all.extend(more.iter().map(ToString::to_string));
    all.extend(args.iter().cloned());
    let stdout = logs.join("list");
    let ended = supervisor.run(&Job {
        program: &binary.exe,
        args: &all,
        cwd: &binary.cwd,
        env: &binary.env,
        unset: &[],
        stdout: File::create(&stdout)?,
        stderr: File::create(logs.join("list-stderr"))?,
        timeout: Some(Duration::from_secs(30)),
        memory: None,
        file_size: None,
    })?;
    let text = fs::read_to_string(&stdout).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let listed = ended.code == Some(0)
        && lines
            .iter()
            .all(|line| line.ends_with(": test") || line.ends_with(": benchmark"));
    Ok(listed.then(|| {
        lines
            .iter()
            .filter_map(|line| line.strip_suffix(": test"))
            .map(String::from)
            .collect()
    }))
}
