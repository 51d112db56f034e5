//! Fork servers, the tool's side: runs of an instrumented program are children of a process that was started once,
//! with a library preloaded that stops it before its own constructors (`instrument/c/serve.c`). What is sent is
//! described in `nopol_instrument::layout::serve`.
//!
//! A server is only a faster way to the same run. Where there is none, or it is lost, the run gets a process of
//! its own.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::signal::Signal;
use nopol_instrument::layout::{env, serve};

use super::command::Command;
use super::confine::Circumstances;
use super::launch::{Launch, Stdin, judge};
use super::preload::PRELOAD;
use super::process::{Exit, Running};
use super::{Binary, Harness, Plan, Runner, TestRun, lock};
use crate::copy::stamp::Stamp;

/// The time that a server gets to be ready, and to answer after the run's own time limit.
const PATIENCE: Duration = Duration::from_secs(5);
/// Servers that wait for work, at most. A build of a candidate makes those of the build before useless.
const MOST_IDLE: usize = 16;
/// A program whose servers were lost that often gets no more of them.
const MOST_LOST: u32 = 3;
/// No test has this name.
const NO_TEST: &str = "nopol: no test";

/// The servers of a runner.
#[derive(Debug, Default)]
pub(super) struct Servers {
    idle: Mutex<Vec<Server>>,
    histories: Mutex<BTreeMap<Utf8PathBuf, History>>,
}

/// What happened to a program.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    runs: u64,
    lost: u32,
}

/// A process that serves runs of one program.
#[derive(Debug)]
struct Server {
    of: Identity,
    control: UnixStream,
    running: Running,
    /// The run directory of all its runs, one after the other.
    dir: Utf8PathBuf,
}

/// What a server was started from. It serves only what would be started the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    exe: Utf8PathBuf,
    stamp: Stamp,
    cwd: Utf8PathBuf,
    env: Vec<(String, String)>,
}

/// What a server answered.
enum Answer {
    Ended(Exit),
    /// As above, and this was its last run.
    Spent(Exit),
}

impl Runner<'_> {
    /// Runs a test as the child of a server; `None` if it has to get a process of its own.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub(super) fn serve(
        &self,
        binary: &Binary,
        test: &str,
        plan: &Plan,
        log: u64,
    ) -> Result<Option<TestRun>> {
        let Some(mut server) = self.server(binary, test, plan)? else {
            return Ok(None);
        };
        let mut launch = match self.launch(&server.dir, binary, test, plan) {
            Ok(launch) => launch,
            Err(error) => {
                self.retire(server);
                return Err(error);
            }
        };
        let planned = self.planned(binary, plan, &server.dir.join("trace"), test, log);
        launch.vars.extend(planned);
        let left = self.supervisor.left().or(launch.timeout);
        launch.timeout = launch.timeout.min(left);
        let answer = server.run(launch);
        self.supervisor.check()?;
        let exit = match answer {
            Some(Answer::Ended(exit) | Answer::Spent(exit)) if exit.code == Some(serve::CANNOT) => {
                None
            }
            Some(Answer::Ended(exit)) => Some((exit, true)),
            Some(Answer::Spent(exit)) => {
                // Until everything that the run left behind is gone.
                self.supervisor.wait(&mut server.running)?;
                Some((exit, false))
            }
            None => None,
        };
        let Some((exit, goes_on)) = exit else {
            lock(&self.servers.histories)
                .entry(server.of.exe.clone())
                .or_default()
                .lost += 1;
            self.end_server(server);
            return Ok(None);
        };
        self.runs.fetch_add(1, Ordering::Relaxed);
        let run = match judge(&server.dir, binary, test, plan, &exit) {
            Ok(run) => run,
            Err(error) => {
                self.end_server(server);
                return Err(error);
            }
        };
        if goes_on && self.confinement.clear(&server.dir).is_ok() {
            let mut idle = lock(&self.servers.idle);
            idle.push(server);
            let oldest = (idle.len() > MOST_IDLE).then(|| idle.remove(0));
            drop(idle);
            if let Some(oldest) = oldest {
                self.retire(oldest);
            }
        } else {
            self.retire(server);
        }
        Ok(Some(run))
    }

    /// A server for this run, idle or new; `None` if it should not have one.
    fn server(&self, binary: &Binary, test: &str, plan: &Plan) -> Result<Option<Server>> {
        // The baseline and the check of a patch are made of fresh processes: flaky tests show there.
        let is_planned = !plan.env(Utf8Path::new(""), "", 0).is_empty();
        if !is_planned || plan.replay.is_some() || plan.circumstances != Circumstances::default() {
            return Ok(None);
        }
        let (Some(library), Some(exe)) = (&self.library, program(binary, test)?) else {
            return Ok(None);
        };
        let history = {
            let mut histories = lock(&self.servers.histories);
            let history = histories.entry(exe.clone()).or_default();
            history.runs += 1;
            *history
        };
        // To start a server costs as much as a run.
        if history.runs < 2 || history.lost >= MOST_LOST {
            return Ok(None);
        }
        let Ok(metadata) = std::fs::metadata(&exe) else {
            return Ok(None);
        };
        let of = Identity {
            exe,
            stamp: Stamp::of(&metadata),
            cwd: binary.cwd.clone(),
            env: binary.env.clone(),
        };
        let idle = {
            let mut idle = lock(&self.servers.idle);
            let at = idle.iter().position(|server| server.of == of);
            at.map(|at| idle.remove(at))
        };
        match idle {
            Some(server) => Ok(Some(server)),
            None if is_dynamic(&of.exe, library) => self.start_server(binary, library, of),
            None => Ok(None),
        }
    }

    fn start_server(
        &self,
        binary: &Binary,
        library: &Utf8Path,
        of: Identity,
    ) -> Result<Option<Server>> {
        let dir = self.run_dir()?;
        let Ok((control, theirs)) = UnixStream::pair() else {
            self.give_back(dir);
            return Ok(None);
        };
        // Should the library be ignored, a test binary runs no test.
        let args = match &binary.harness {
            Harness::Standard { captures } => self.arguments(*captures, NO_TEST),
            Harness::Commands(_) => Vec::new(),
        };
        let launch = Launch {
            program: of.exe.clone(),
            stdin: Stdin::Socket(theirs.into()),
            vars: vec![
                (env::SERVE.to_owned(), "1".to_owned()),
                (PRELOAD.to_owned(), library.to_string()),
            ],
            timeout: None,
            ..Launch::of(binary, args, PATIENCE)
        };
        let running = self.with_job(&dir, binary, launch, |job| self.supervisor.start(job));
        let Ok(running) = running else {
            self.give_back(dir);
            self.supervisor.check()?;
            return Ok(None);
        };
        let mut server = Server {
            of,
            control,
            running,
            dir,
        };
        if server.is_ready() {
            return Ok(Some(server));
        }
        self.supervisor.check()?;
        lock(&self.servers.histories)
            .entry(server.of.exe.clone())
            .or_default()
            .lost = MOST_LOST;
        self.end_server(server);
        Ok(None)
    }

    /// Ends all servers that wait for work. To be called before a build: they run what is to be replaced.
    pub fn end_servers(&self) {
        let idle = std::mem::take(&mut *lock(&self.servers.idle));
        for server in idle {
            self.retire(server);
        }
    }

    /// Lets a server go that is waiting for work, or has ended.
    fn retire(&self, server: Server) {
        let Server {
            control,
            mut running,
            dir,
            ..
        } = server;
        drop(control);
        // However it ended, it is gone afterwards.
        let _ = self.supervisor.wait(&mut running);
        self.give_back(dir);
    }

    /// Ends a server that may no longer listen.
    fn end_server(&self, server: Server) {
        self.supervisor.end(server.running);
        self.give_back(server.dir);
    }
}

impl Server {
    fn is_ready(&mut self) -> bool {
        let mut hello = [0];
        self.control.set_read_timeout(Some(PATIENCE)).is_ok()
            && self.control.read_exact(&mut hello).is_ok()
            && hello == [serve::HELLO]
    }

    /// Runs what is to be started; `None` if the server is lost.
    fn run(&mut self, launch: Launch) -> Option<Answer> {
        let timeout = launch.timeout.unwrap_or(Duration::MAX);
        let stdin = match launch.stdin {
            Stdin::File(path) => path.into_string(),
            Stdin::Nothing | Stdin::Socket(_) => "/dev/null".to_owned(),
        };
        let files = ["stdout", "stderr"].map(|name| self.dir.join(name).into_string());
        // The directory may have been removed and made again since the server was started.
        let places = [stdin]
            .into_iter()
            .chain(files)
            .chain([launch.cwd.into_string()]);
        let arguments = [launch.program.into_string()]
            .into_iter()
            .chain(launch.args);
        let arguments: Vec<String> = arguments.collect();
        let count = u32::try_from(arguments.len()).ok()?;
        let vars = launch.vars.iter();
        let vars = vars.map(|(name, value)| format!("{name}={value}"));
        let mut strings = Vec::new();
        for string in places.chain(arguments).chain(vars) {
            strings.extend(string.as_bytes());
            strings.push(0);
        }
        // Rounded up, so that no run ends before its time.
        let milliseconds = timeout.as_nanos().div_ceil(1_000_000);
        let milliseconds = u32::try_from(milliseconds).unwrap_or(u32::MAX);
        let mut request = u32::try_from(strings.len()).ok()?.to_ne_bytes().to_vec();
        request.extend(milliseconds.to_ne_bytes());
        request.extend(count.to_ne_bytes());
        request.extend(strings);
        let mut answer = [0; serve::ANSWER];
        self.control
            .set_read_timeout(Some(timeout.saturating_add(PATIENCE)))
            .ok()?;
        self.control.set_write_timeout(Some(PATIENCE)).ok()?;
        self.control.write_all(&request).ok()?;
        self.control.read_exact(&mut answer).ok()?;
        let (status, rest) = answer.split_first_chunk::<4>()?;
        let (flags, nanos) = rest.split_first_chunk::<4>()?;
        let flags = u32::from_ne_bytes(*flags);
        let status = ExitStatus::from_raw(i32::from_ne_bytes(*status));
        let is_flooded = flags & serve::FLOODED != 0;
        let exit = Exit {
            code: status.code().filter(|_| !is_flooded),
            signal: match is_flooded {
                true => Some(Signal::SIGXFSZ as i32),
                false => status.signal(),
            },
            timed_out: flags & serve::TIMED_OUT != 0,
            seconds: u64::from_ne_bytes(nanos.try_into().ok()?) as f64 / 1e9,
        };
        Some(match flags & serve::SPENT {
            0 => Answer::Ended(exit),
            _ => Answer::Spent(exit),
        })
    }
}

/// The program that a run of a test starts; `None` if it is a shell's command line, is looked up on the search path,
/// or may not have the library: another one is preloaded, or a sanitizer has to come first.
fn program(binary: &Binary, test: &str) -> Result<Option<Utf8PathBuf>> {
    let is_preloaded = |(name, _): &(String, String)| name == PRELOAD;
    if std::env::var_os(PRELOAD).is_some() || binary.env.iter().any(is_preloaded) {
        return Ok(None);
    }
    Ok(match &binary.harness {
        Harness::Standard { .. } => Some(binary.exe.clone()),
        Harness::Commands(commands) if commands.needs_addresses => None,
        Harness::Commands(commands) => {
            let case = commands.case(test)?;
            match &case.command {
                Command::Words(words) => {
                    let program = words.first().filter(|program| program.contains('/'));
                    program.map(|program| binary.cwd.join(&case.cwd).join(program))
                }
                Command::Line(_) => None,
            }
        }
    })
}

/// Whether a file is a program that names a loader, which can preload this library.
fn is_dynamic(program: &Utf8Path, library: &Utf8Path) -> bool {
    const PATH_OF_LOADER: &[u8] = b"/ld-linux";
    let (program, library) = (start_of(program), start_of(library));
    // Class and byte order, and the machine.
    let is_same = |at: std::ops::Range<usize>| {
        program.get(at.clone()).is_some() && program.get(at.clone()) == library.get(at)
    };
    program.starts_with(b"\x7fELF")
        && is_same(4..6)
        && is_same(18..20)
        && memchr::memmem::find(&program, PATH_OF_LOADER).is_some()
}

/// The first bytes of a file; none if it cannot be read.
fn start_of(path: &Utf8Path) -> Vec<u8> {
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    match read {
        Ok(_) => start,
        Err(_) => Vec::new(),
    }
}
