//! What is kept of one run of the tool: its report and what it took.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::tool;

/// How long past its limit the tool may take to stop by itself.
const GRACE: Duration = Duration::from_secs(60);

/// What is kept of one run.
pub struct Kept {
    pub json: String,
    pub seconds: Option<f64>,
}

impl Kept {
    /// In place of a report that the tool did not write.
    pub fn failed(message: &str, seconds: f64) -> Self {
        Self {
            json: json!({"outcome": "no-report", "message": message}).to_string() + "\n",
            seconds: Some(seconds),
        }
    }

    /// Runs the tool, which was told to stop after `limit` seconds. A crash is a report, too.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(command: &mut Command, limit: u64) -> Result<Self> {
        let errors = tempfile::NamedTempFile::new()?;
        command.stdin(Stdio::null()).stderr(errors.reopen()?);
        let start = Instant::now();
        let limit = Duration::from_secs(limit) + GRACE;
        let output = tool::within(tool::as_from_a_shell(command), limit)?;
        let seconds = start.elapsed().as_secs_f64();
        let Some(json) = output else {
            return Ok(Self::failed(
                "did not stop at the time limit, and was killed",
                seconds,
            ));
        };
        if serde_json::from_str::<Value>(&json).is_ok_and(|report| report.is_object()) {
            return Ok(Self {
                json,
                seconds: Some(seconds),
            });
        }
        let errors = fs::read(errors.path())?;
        let errors = String::from_utf8_lossy(&errors);
        let said = errors.lines().rev().find(|line| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("note:")
        });
        Ok(Self::failed(
            &format!("crashed: {}", said.unwrap_or("without a word")),
            seconds,
        ))
    }

    pub fn read(dir: &Path, id: &str) -> Option<Self> {
        let seconds = fs::read_to_string(dir.join(format!("{id}.seconds")));
        Some(Self {
            json: fs::read_to_string(dir.join(format!("{id}.json"))).ok()?,
            seconds: seconds.ok().and_then(|text| text.trim().parse().ok()),
        })
    }

    pub fn write(&self, dir: &Path, id: &str) -> Result<()> {
        fs::write(dir.join(format!("{id}.json")), &self.json)?;
        let seconds = self.seconds.unwrap_or_default();
        fs::write(dir.join(format!("{id}.seconds")), format!("{seconds:.1}\n"))?;
        Ok(())
    }
}
