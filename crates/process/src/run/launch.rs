//! Starting one process of a test binary in its run directory, and judging what it left there.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

use super::command::CASE;
use super::confine::{Circumstances, Confinement};
use super::output::{create, end, open, tail};
use super::process::{Exit, Job};
use super::trace::Trace;
use super::{Binary, Harness, Plan, Runner, TestRun, Verdict, sanitizer};

/// Most bytes at the end of standard error among which a sanitizer's report is looked for.
const MOST_REPORTED: u64 = 64 << 10;

/// A process to start; where its output goes is decided later.
pub(super) struct Launch {
    pub program: Utf8PathBuf,
    pub args: Vec<String>,
    pub cwd: Utf8PathBuf,
    pub stdin: Stdin,
    pub vars: Vec<(String, String)>,
    pub timeout: Option<Duration>,
    pub circumstances: Circumstances,
}

/// What a process reads.
pub(super) enum Stdin {
    Nothing,
    File(Utf8PathBuf),
    Socket(OwnedFd),
}

impl Launch {
    pub(super) fn of(binary: &Binary, args: Vec<String>, timeout: Duration) -> Self {
        Self {
            program: binary.exe.clone(),
            args,
            cwd: binary.cwd.clone(),
            stdin: Stdin::Nothing,
            vars: Vec::new(),
            timeout: Some(timeout),
            circumstances: Circumstances::default(),
        }
    }
}

impl Runner<'_> {
    /// The arguments with which a standard harness runs this test only.
    pub(super) fn arguments(&self, captures: bool, test: &str) -> Vec<String> {
        let own = ["--exact", test, "--test-threads=1"];
        let mut args: Vec<String> = own.map(String::from).to_vec();
        if !captures {
            args.push("--nocapture".to_string());
        }
        args.extend(self.args.iter().cloned());
        args
    }

    /// Runs a process of the binary to its end; its output goes to files in `dir`.
    pub(super) fn start(&self, dir: &Utf8Path, binary: &Binary, launch: Launch) -> Result<Exit> {
        self.with_job(dir, binary, launch, |job| self.supervisor.run(job))
    }

    /// Calls `run` with the process that is to be started.
    pub(super) fn with_job<T>(
        &self,
        dir: &Utf8Path,
        binary: &Binary,
        launch: Launch,
        run: impl FnOnce(&Job) -> Result<T>,
    ) -> Result<T> {
        let circumstances = launch.circumstances;
        let mut vars = binary.env.clone();
        vars.push(("RUST_BACKTRACE".to_string(), "0".to_string()));
        vars.extend(self.confinement.env(dir, circumstances));
        vars.extend(launch.vars);
        let mut writable = vec![dir.to_owned()];
        let (mut program, mut cwd) = (launch.program, launch.cwd);
        if circumstances.cwd {
            if program.as_str().contains('/') {
                program = cwd.join(program);
            }
            cwd = binary.in_users_tree(&cwd);
            for (_, value) in &mut vars {
                if let Ok(below) = Utf8Path::new(value).strip_prefix(&binary.cwd) {
                    *value = binary.original.join(below).to_string();
                }
            }
        } else {
            writable.push(binary.tree.top().to_owned());
            writable.extend(binary.writable.iter().cloned());
        }
        let limits = match circumstances.limits {
            true => Confinement::without_limits(),
            false => self.confinement.limits(binary.harness.needs_addresses()),
        };
        let stdin = match launch.stdin {
            Stdin::Nothing => None,
            Stdin::Socket(socket) => Some(socket),
            Stdin::File(path) => {
                let file = File::open(&path).with_context(|| format!("cannot open {path}"))?;
                Some(file.into())
            }
        };
        run(&Job {
            program: &program,
            args: &launch.args,
            cwd: &cwd,
            env: &vars,
            unset: &Confinement::unset(),
            stdin,
            stdout: create(&dir.join("stdout"))?,
            stderr: create(&dir.join("stderr"))?,
            timeout: launch.timeout,
            silence: None,
            limits,
            random_addresses: circumstances.addresses,
            sandbox: self.confinement.sandbox(writable),
        })
    }

    /// What is to be started for a test, but for the plan's variables and circumstances.
    pub(super) fn launch(
        &self,
        dir: &Utf8Path,
        binary: &Binary,
        test: &str,
        plan: &Plan,
    ) -> Result<Launch> {
        Ok(match &binary.harness {
            Harness::Standard { captures } => {
                Launch::of(binary, self.arguments(*captures, test), plan.timeout)
            }
            Harness::Commands(commands) => {
                let case = commands.case(test)?;
                let (program, args) = case.command.start();
                let stdin = case.stdin.file(&binary.cwd, dir)?;
                let timeout = case.timeout.unwrap_or(plan.timeout).min(plan.timeout);
                let part = case.part.iter();
                let part = part.map(|part| (CASE.to_owned(), part.function.clone()));
                Launch {
                    vars: part.collect(),
                    program,
                    cwd: binary.cwd.join(&case.cwd),
                    stdin: stdin.map_or(Stdin::Nothing, Stdin::File),
                    ..Launch::of(binary, args, timeout)
                }
            }
        })
    }

    /// The variables for the runtime, and those of the test itself.
    pub(super) fn planned(
        &self,
        binary: &Binary,
        plan: &Plan,
        trace: &Utf8Path,
        test: &str,
        log: u64,
    ) -> Vec<(String, String)> {
        let mut vars = plan.env(trace, test, log);
        vars.extend(self.crashing.variable(test, &binary.env));
        vars
    }

    /// Runs a test in a new process.
    pub(super) fn run_in(
        &self,
        dir: &Utf8Path,
        binary: &Binary,
        test: &str,
        plan: &Plan,
        log: u64,
    ) -> Result<TestRun> {
        let mut launch = self.launch(dir, binary, test, plan)?;
        launch
            .vars
            .extend(self.planned(binary, plan, &dir.join("trace"), test, log));
        launch.circumstances = plan.circumstances;
        let exit = self.start(dir, binary, launch)?;
        judge(dir, binary, test, plan, &exit)
    }

    /// What a test prints on standard output, at most this many bytes, and its exit code; whether it passes is not asked.
    /// `None` if it crashes, is ended, or prints more.
    ///
    /// # Errors
    /// If it cannot be started, or the run is stopped.
    pub fn answer(
        &self,
        binary: &Binary,
        test: &str,
        timeout: Duration,
        most: u64,
    ) -> Result<Option<(i32, Vec<u8>)>> {
        let plan = Plan {
            timeout,
            ..Plan::default()
        };
        let run = |dir: &Utf8Path| {
            let launch = self.launch(dir, binary, test, &plan)?;
            let exit = self.start(dir, binary, launch)?;
            let cut_short = Verdict::cut_short(&exit, None);
            let (None, Some(code)) = (cut_short, exit.code) else {
                return Ok(None);
            };
            let mut printed = Vec::new();
            if let Some(file) = open(dir.join("stdout").as_std_path())? {
                file.take(most + 1).read_to_end(&mut printed)?;
            }
            let is_all = u64::try_from(printed.len())? <= most;
            Ok(is_all.then_some((code, printed)))
        };
        let (answer, _) = binary.tree.guard(test, || self.with_run_dir(run))?;
        Ok(answer)
    }
}

/// Judges a run by how its process ended and what it left in `dir`.
pub(super) fn judge(
    dir: &Utf8Path,
    binary: &Binary,
    test: &str,
    plan: &Plan,
    exit: &Exit,
) -> Result<TestRun> {
    let stdout = dir.join("stdout");
    let printed = tail(stdout.as_std_path())?;

    let trace = plan
        .sites
        .map(|sites| Trace::read_dir(dir.as_std_path(), sites))
        .transpose()?;
    let (mut progress, mut failure_reason) = (None, None);
    let early = Verdict::cut_short(exit, trace.as_ref());
    let verdict = match (early, &binary.harness) {
        (Some(early), _) => early,
        (None, Harness::Standard { .. }) => Verdict::of(exit, &printed),
        (None, Harness::Commands(commands)) => {
            let (verdict, near) = commands.case(test)?.judge(exit, &stdout)?;
            progress = Some(near);
            if !verdict.passed() && plan.force.is_empty() {
                let errors = end(dir.join("stderr").as_std_path(), MOST_REPORTED)?;
                let report = sanitizer::report(&errors);
                let case = commands.case(test)?;
                failure_reason = case.failure_reason(exit, &stdout, report.as_deref())?;
            }
            verdict
        }
    };
    let output = match verdict.passed() {
        true => String::new(),
        false => tail(dir.join("stderr").as_std_path())? + &printed,
    };
    Ok(TestRun {
        verdict,
        seconds: exit.seconds,
        trace,
        output,
        progress,
        failure_reason,
        signal: exit.signal_name(),
    })
}
