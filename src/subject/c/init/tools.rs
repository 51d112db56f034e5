//! Build tools, asked in a copy of the program what they would do. What they run nevertheless, such as `$(shell …)`, can
//! only write there, where the system can confine it.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::copy::walk::Copier;
use nopol_process::run::confine::Confinement;
use nopol_process::run::process::{Job, Limits, Supervisor};
use nopol_process::run::sandbox::{Sandbox, SandboxMode};
use tempfile::TempDir;

use crate::subject::c::shim;

/// The longest that a build tool may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a build tool answered.
#[derive(Debug, Default)]
pub struct Answer {
    pub stdout: String,
    /// Why the answer is missing or incomplete, as the end of a sentence that begins with the command.
    pub failure: Option<String>,
}

/// Where build tools are asked.
pub trait Tools {
    /// The directory with the program's files; absolute, without symbolic links. What a tool answers names files there.
    ///
    /// # Errors
    /// If the directory cannot be made.
    fn root(&mut self) -> Result<&Utf8Path>;

    /// Runs a tool in a directory below the root.
    ///
    /// # Errors
    /// If it cannot be run at all, or the user interrupts it. A tool that fails is an answer.
    fn ask(&mut self, cwd: &Utf8Path, words: &[&str]) -> Result<Answer>;
}

/// A copy of the program's directory, made once a tool is asked and removed on drop.
pub struct Copy<'a> {
    dir: &'a Utf8Path,
    supervisor: &'a Supervisor,
    made: Option<Made>,
}

struct Made {
    scratch: TempDir,
    root: Utf8PathBuf,
    _lock: File,
}

impl<'a> Copy<'a> {
    pub fn of(dir: &'a Utf8Path, supervisor: &'a Supervisor) -> Self {
        Self {
            dir,
            supervisor,
            made: None,
        }
    }

    fn made(&mut self) -> Result<&Made> {
        let made = match self.made.take() {
            Some(made) => made,
            None => self.make()?,
        };
        Ok(self.made.insert(made))
    }

    fn make(&self) -> Result<Made> {
        let scratch = tempfile::Builder::new().prefix("nopol-").tempdir();
        let scratch = scratch.context("cannot create a temporary directory")?;
        let path = Utf8PathBuf::from_path_buf(scratch.path().canonicalize()?)
            .map_err(|path| io::Error::other(format!("{} is not UTF-8", path.display())))?;
        let lock = File::create(path.join("lock"))?;
        self.supervisor
            .remove_if_killed(vec![path.clone()], &lock)?;
        let root = path.join(self.dir.file_name().unwrap_or("root"));
        let (from, to): (PathBuf, PathBuf) = (self.dir.into(), root.clone().into());
        let stop: &AtomicBool = &self.supervisor.interrupted();
        Copier::new(vec![(from.clone(), to.clone())], &[], stop).copy(&from, &to)?;
        Ok(Made {
            scratch,
            root,
            _lock: lock,
        })
    }
}

impl Tools for Copy<'_> {
    fn root(&mut self) -> Result<&Utf8Path> {
        Ok(&self.made()?.root)
    }

    fn ask(&mut self, cwd: &Utf8Path, words: &[&str]) -> Result<Answer> {
        let supervisor = self.supervisor;
        let Made { scratch, root, .. } = self.made()?;
        let scratch =
            Utf8PathBuf::from_path_buf(scratch.path().canonicalize()?).unwrap_or_default();
        let (program, args) = words.split_first().context("no tool")?;
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
        let env = [("LC_ALL", "C"), ("TMPDIR", scratch.as_str())];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let unset = [
            &Confinement::unset()[..],
            &["MAKEFLAGS", "MAKELEVEL", "MFLAGS"],
        ]
        .concat();
        let exit = supervisor.run(&Job {
            program: (*program).into(),
            args: &args,
            cwd: &root.join(cwd),
            env: &env,
            unset: &unset,
            stdin: None,
            stdout: File::create(&stdout)?,
            stderr: File::create(&stderr)?,
            timeout: Some(PATIENCE),
            silence: None,
            limits: Limits::default(),
            random_addresses: false,
            sandbox: Some(Sandbox {
                mode: SandboxMode::Writes,
                writable: vec![scratch.clone()],
            }),
        });
        let read = |path: &Utf8Path| {
            let bytes = fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let is_missing = || shim::find(program, None).is_none();
        let failure = match exit {
            Err(_) if is_missing() => Some(format!(
                "cannot be run, because `{program}` is not installed"
            )),
            Err(error) => return Err(error),
            Ok(exit) if exit.timed_out => {
                Some(format!("takes longer than {} s", PATIENCE.as_secs()))
            }
            Ok(exit) if exit.code == Some(0) => None,
            Ok(_) => Some(match reason(&read(&stderr)) {
                Some(line) => format!("fails: {line}"),
                None => "fails".to_owned(),
            }),
        };
        Ok(Answer {
            stdout: read(&stdout),
            failure,
        })
    }
}

/// The line of an error output that says most: the first that has `error` or make's stars in it, or the last one.
fn reason(errors: &str) -> Option<&str> {
    let mut lines = errors
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let last = lines.clone().next_back();
    let says = |line: &&str| line.contains("***") || line.to_lowercase().contains("error");
    lines.find(says).or(last)
}
