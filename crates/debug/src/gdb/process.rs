//! A gdb process: starts it, sends commands, and waits for their answers.
//!
//! gdb runs in a process group of its own, so that Ctrl-C in the terminal reaches only the caller, and reads no
//! configuration of the user, so that it behaves the same everywhere. What the commands mean is left to others.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;

use super::mi::{AsyncKind, Item, Message, Record, StreamKind, quote};
use super::{Error, Result};

/// How gdb is started and waited for.
#[derive(Clone, Debug)]
pub struct GdbOptions {
    /// The program: a path, or a name to look up in `PATH`.
    pub gdb: Utf8PathBuf,
    /// How long gdb may take for a command. The time for which the subject runs does not count.
    pub answer_limit: Duration,
}

impl Default for GdbOptions {
    fn default() -> Self {
        Self {
            gdb: "gdb".into(),
            answer_limit: Duration::from_secs(20),
        }
    }
}

/// What gdb answered to a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The result record: its class is not `error`.
    pub result: Message,
    /// What the command printed at gdb's console.
    pub console: String,
}

/// The variables that gdb gets for itself. The subject gets them back as they were.
const ENVIRONMENT: [(&str, Option<&str>); 4] = [
    // Its messages are read by this library.
    ("LC_ALL", Some("C")),
    // It passes arguments with spaces to the subject by a shell, and knows how to quote for this one.
    ("SHELL", Some("/bin/sh")),
    ("DEBUGINFOD_URLS", None),
    // gdb sets these two for the subject.
    ("LINES", None),
];

/// A limit that is never reached, in place of limits that no clock can represent.
const ENDLESS: Duration = Duration::from_secs(1 << 30);

/// Settings that any gdb since version 9 has, or can do without.
const SETTINGS: &[&str] = &[
    "set pagination off",
    "set confirm off",
    "set width 0",
    "set height 0",
    "set debuginfod enabled off",
    "set auto-load off",
    // Where the system has debug information of its libraries, steps would lead into them.
    "set debug-file-directory /dev/null",
    "set history save off",
    "set history filename /dev/null",
    "set disable-randomization on",
    "set startup-with-shell off",
    "set breakpoint pending off",
    "set print symbol off",
    "set print address on",
    "set print elements 64",
    "set print sevenbit-strings off",
    "set language c",
    "set step-mode off",
    "set unwindonsignal on",
    "set follow-fork-mode parent",
    "set max-value-size unlimited",
    // Memory is also written without gdb.
    "set stack-cache off",
    "set code-cache off",
    // Its own calls write all registers at once, which fails on some processors; also those for texts in expressions.
    "set may-call-functions off",
    "disable pretty-printer",
    // The signals by which the subject is interrupted must not kill it when it goes on.
    "handle SIGINT stop print nopass",
    "handle SIGSTOP stop print nopass",
    "handle SIGALRM SIGCHLD SIGWINCH SIGURG nostop noprint pass",
    "unset environment LINES",
    "unset environment COLUMNS",
];

/// A running gdb. It is killed when this is dropped.
#[derive(Debug)]
pub struct Gdb {
    child: Child,
    input: ChildStdin,
    records: Receiver<Record>,
    last_token: u64,
    answer_limit: Duration,
    events: Vec<Message>,
}

impl Gdb {
    /// Starts gdb and makes its settings.
    ///
    /// # Errors
    ///
    /// If there is no gdb, or it does not start.
    pub fn start(options: &GdbOptions) -> Result<Self> {
        let mut command = Command::new(&options.gdb);
        command
            .args(["--nx", "--quiet", "--interpreter=mi3"])
            .args([
                "-iex",
                "set auto-load off",
                "-iex",
                "set debuginfod enabled off",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0);
        for (name, value) in ENVIRONMENT {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::NotFound {
                path: options.gdb.clone(),
            },
            _ => Error::Start {
                path: options.gdb.clone(),
                source: error,
            },
        })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Ended);
        };
        let (sender, records) = mpsc::channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
                if sender.send(Record::parse(&line)).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let mut gdb = Self {
            child,
            input,
            records,
            last_token: 0,
            answer_limit: options.answer_limit,
            events: Vec::new(),
        };
        gdb.make_settings()?;
        Ok(gdb)
    }

    fn make_settings(&mut self) -> Result<()> {
        for setting in SETTINGS {
            self.setting(setting)?;
        }
        for (name, value) in ENVIRONMENT {
            match env::var_os(name).map(OsString::into_string) {
                Some(Ok(before)) => self.setting(&format!("set environment {name}={before}"))?,
                _ if value.is_some() => self.setting(&format!("unset environment {name}"))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes a setting. One that this gdb does not know is one it can do without.
    fn setting(&mut self, setting: &str) -> Result<()> {
        match self.console(setting) {
            Ok(_) | Err(Error::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// How long gdb may take for a command.
    pub fn answer_limit(&self) -> Duration {
        self.answer_limit
    }

    /// Sends a command of the machine interface, without its token, and waits for the answer.
    ///
    /// # Errors
    ///
    /// If gdb refuses, does not answer in time, or ended.
    pub fn command(&mut self, command: &str) -> Result<Answer> {
        let token = self.send(command)?;
        self.answer(token, command)
    }

    /// Runs a command of gdb's console and gives what it prints.
    ///
    /// # Errors
    ///
    /// As for [`Gdb::command`].
    pub fn console(&mut self, command: &str) -> Result<String> {
        let command = format!("-interpreter-exec console {}", quote(command));
        Ok(self.command(&command)?.console)
    }

    /// The value of a C expression, as gdb prints it.
    ///
    /// # Errors
    ///
    /// As for [`Gdb::command`].
    pub fn evaluate(&mut self, expression: &str) -> Result<String> {
        let command = format!("-data-evaluate-expression {}", quote(expression));
        let answer = self.command(&command)?;
        Ok(answer.text("value", &command)?.to_owned())
    }

    /// Sends a command and gives its token.
    pub(super) fn send(&mut self, command: &str) -> Result<u64> {
        self.last_token += 1;
        let token = self.last_token;
        // A line break would end the command early.
        let line = command.replace(['\n', '\r'], " ");
        self.input
            .write_all(format!("{token}{line}\n").as_bytes())
            .and_then(|()| self.input.flush())
            .map_err(|_| Error::Ended)?;
        Ok(token)
    }

    /// Waits for the answer to the command with this token.
    pub(super) fn answer(&mut self, token: u64, command: &str) -> Result<Answer> {
        let deadline = deadline(self.answer_limit);
        let mut console = String::new();
        loop {
            let Some(record) = self.receive(deadline)? else {
                return Err(Error::NoAnswer {
                    command: command.to_owned(),
                    seconds: self.answer_limit.as_secs_f64(),
                });
            };
            match record {
                Record::Result(result) if result.token == Some(token) => {
                    return match result.class.as_str() {
                        "error" => Err(Error::Refused {
                            message: result.text("msg").unwrap_or("no reason given").to_owned(),
                        }),
                        _ => Ok(Answer { result, console }),
                    };
                }
                Record::Stream(StreamKind::Console, text) => console.push_str(&text),
                Record::Async(AsyncKind::Exec | AsyncKind::Notify, event) => {
                    self.events.push(event);
                }
                // Answers to commands that were given up, and records that answer no command.
                Record::Result(_)
                | Record::Async(AsyncKind::Status, _)
                | Record::Stream(..)
                | Record::Prompt
                | Record::Unreadable(_) => {}
            }
        }
    }

    /// What happened since this was last asked. Waits for something to happen until the deadline.
    pub(super) fn events(&mut self, deadline: Instant) -> Result<Vec<Message>> {
        while self.events.is_empty() {
            match self.receive(deadline)? {
                None => break,
                Some(Record::Async(AsyncKind::Exec | AsyncKind::Notify, event)) => {
                    self.events.push(event);
                }
                Some(_) => {}
            }
        }
        Ok(std::mem::take(&mut self.events))
    }

    fn receive(&mut self, deadline: Instant) -> Result<Option<Record>> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.records.recv_timeout(left) {
            Ok(record) => Ok(Some(record)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Ended),
        }
    }
}

impl Drop for Gdb {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// The result with this name.
    pub(super) fn item(&self, name: &str, command: &str) -> Result<&Item> {
        self.result.get(name).ok_or_else(|| Error::Unexpected {
            command: command.to_owned(),
        })
    }

    /// The c-string with this name.
    pub(super) fn text(&self, name: &str, command: &str) -> Result<&str> {
        self.item(name, command)?
            .as_str()
            .ok_or_else(|| Error::Unexpected {
                command: command.to_owned(),
            })
    }
}

/// When a limit that starts now is over.
pub(super) fn deadline(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit.min(ENDLESS)).unwrap_or(now)
}
