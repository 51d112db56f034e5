//! A C program in gdb: loading it, what is known of its sources, its input and output, its frames.
//!
//! Breakpoints are left to [`super::breakpoints`], running it to [`super::execution`], reading its memory to
//! [`super::memory`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::Result;
use super::blocks::Observer;
use super::launch::Launch;
use super::mi::quote;
use super::process::{Gdb, GdbOptions};
use super::stop::{self, Frame, FrameIdentity};
use super::terminal::Terminal;
use super::types::Types;
use super::variables::Global;

/// Up to how many frames are counted. An endless recursion has more than anybody looks at.
const DEPTH: u32 = 1000;

/// The process of the subject, as other threads and signal handlers see it.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// Zero if there is none.
    pub(super) id: AtomicI32,
    pub(super) is_running: AtomicBool,
    /// Whether it was asked to stop.
    pub(super) is_asked: AtomicBool,
}

impl Process {
    /// Sends a signal, if there is a process. Fit for signal handlers.
    pub(super) fn signal(&self, signal: Signal) -> bool {
        let id = self.id.load(Ordering::SeqCst);
        id > 0 && kill(Pid::from_raw(id), signal).is_ok()
    }

    /// Whether it is in a system call that reads from its standard input.
    #[cfg(target_os = "linux")]
    pub(super) fn waits_for_input(&self) -> bool {
        let id = self.id.load(Ordering::SeqCst);
        // The number of the call, and its arguments. It has none while it runs.
        let call = std::fs::read_to_string(format!("/proc/{id}/syscall")).unwrap_or_default();
        let mut words = call.split(' ');
        words.next() == Some(&nix::libc::SYS_read.to_string()) && words.next() == Some("0x0")
    }

    /// Only Linux says.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn waits_for_input(&self) -> bool {
        false
    }
}

/// Interrupts the subject from another thread, or from a signal handler.
#[derive(Clone, Debug)]
pub struct Interrupter(Arc<Process>);

impl Interrupter {
    /// Makes a running subject stop; gdb lives on. Says whether there was anything to interrupt.
    pub fn interrupt(&self) -> bool {
        // A signal to a subject that stands still would interrupt its next step.
        if !self.0.is_running.load(Ordering::SeqCst) {
            return false;
        }
        self.0.is_asked.store(true, Ordering::SeqCst);
        self.0.signal(Signal::SIGINT)
    }
}

/// A source file of the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The file as the compiler was given it.
    pub file: String,
    /// The whole path.
    pub full_path: Utf8PathBuf,
}

/// A C program in gdb. When this is dropped, gdb and the program are killed.
#[derive(Debug)]
pub struct Subject {
    pub(super) gdb: Gdb,
    pub(super) process: Arc<Process>,
    pub(super) types: Types,
    pub(super) globals: Vec<Global>,
    terminal: Terminal,
    /// Output of earlier runs that was not taken yet.
    printed_before: String,
    pub(super) breakpoints: BTreeSet<u32>,
    /// The signal that is delivered when the program goes on.
    pub(super) pending: Option<String>,
    /// What observes the blocks that it allocates and frees; or why nothing does.
    pub(super) observer: Result<Observer, String>,
}

impl Subject {
    /// Starts gdb and loads a program. It does not run yet.
    ///
    /// # Errors
    ///
    /// If there is no gdb, or the program cannot be loaded.
    pub fn load(launch: &Launch, options: &GdbOptions) -> Result<Self> {
        let terminal = Terminal::open()?;
        let gdb = Gdb::start(options)?;
        let mut subject = Self {
            gdb,
            process: Arc::default(),
            types: Types::default(),
            globals: Vec::new(),
            terminal,
            printed_before: String::new(),
            breakpoints: BTreeSet::new(),
            pending: None,
            observer: Observer::of(&launch.program),
        };
        let command = format!("-file-exec-and-symbols {}", quote(launch.program.as_str()));
        subject.gdb.command(&command)?;
        if subject.has_allocator()? {
            subject.observer = Err("it has an allocator of its own".to_owned());
        }
        let library = subject.observer.as_ref().ok();
        for command in launch.commands(library.map(|observer| &*observer.library)) {
            subject.gdb.console(&command)?;
        }
        subject.use_terminal()?;
        // Later there may be those of libraries too.
        subject.globals = subject.find_globals()?;
        Ok(subject)
    }

    /// A handle by which the subject can be interrupted while it runs.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(Arc::clone(&self.process))
    }

    /// Whether there is a process.
    pub fn is_alive(&self) -> bool {
        self.process.id.load(Ordering::SeqCst) > 0
    }

    /// The source files the program has debug information for, headers included. Without debug information: none.
    ///
    /// # Errors
    ///
    /// If gdb does not answer.
    pub fn source_files(&mut self) -> Result<Vec<SourceFile>> {
        let command = "-file-list-exec-source-files";
        let answer = self.gdb.command(command)?;
        let files = answer.item("files", command)?;
        Ok(files
            .elements()
            .into_iter()
            .filter_map(|file| {
                Some(SourceFile {
                    file: file.text("file")?.to_owned(),
                    full_path: file.text("fullname")?.into(),
                })
            })
            .collect())
    }

    /// Whether a source file was compiled with optimisation. Nothing if the compiler does not say.
    ///
    /// # Errors
    ///
    /// If gdb does not answer.
    pub fn is_optimised(&mut self, file: &str) -> Result<Option<bool>> {
        // This makes it the current file. It fails for a file that is gone, or empty, but does that too.
        let _ = self.gdb.console(&format!("list {}:1,1", quote(file)));
        let text = self.gdb.console("info source")?;
        let whole = Utf8Path::new(file).canonicalize_utf8();
        let is_current = text.lines().any(|line| {
            line.strip_prefix("Current source file is ")
                .or_else(|| line.strip_prefix("Located in "))
                .map(Utf8Path::new)
                .is_some_and(|path| {
                    path.ends_with(file) || whole.as_ref().is_ok_and(|whole| path == whole)
                })
        });
        let Some(producer) = text
            .lines()
            .find_map(|line| line.strip_prefix("Producer is "))
        else {
            return Ok(None);
        };
        // Other compilers than gcc do not name their options.
        if !is_current || !producer.contains(" -") {
            return Ok(None);
        }
        let level = producer
            .split_whitespace()
            .rev()
            .find_map(|word| word.strip_prefix("-O"));
        Ok(Some(level.is_some_and(|level| level != "0")))
    }

    /// Gives the subject something to read from its standard input.
    pub fn write_input(&self, text: &str) {
        self.terminal.write(text);
    }

    /// Ends the standard input of the subject. What was written to it must have ended with a line.
    pub fn end_input(&self) {
        self.terminal.end_input();
    }

    /// What the subject printed since this was last asked, to its standard output and error. Of very much output
    /// only the end is kept.
    pub fn take_output(&mut self) -> String {
        let mut output = std::mem::take(&mut self.printed_before);
        output.push_str(&self.terminal.take());
        output
    }

    /// Takes the rest of the output of a run that ended, and makes a terminal for the next one.
    pub(super) fn renew_terminal(&mut self) -> Result<()> {
        let ended = std::mem::replace(&mut self.terminal, Terminal::open()?);
        self.printed_before.push_str(&ended.close());
        self.use_terminal()
    }

    fn use_terminal(&mut self) -> Result<()> {
        let command = format!("-inferior-tty-set {}", quote(&self.terminal.path));
        self.gdb.command(&command)?;
        Ok(())
    }

    /// The selected frame. Unless another one was selected since the last stop, the innermost.
    ///
    /// # Errors
    ///
    /// If the subject does not run.
    pub fn frame(&mut self) -> Result<Frame> {
        let command = "-stack-info-frame";
        let answer = self.gdb.command(command)?;
        let mut frame = stop::frame(answer.item("frame", command)?);
        let command = format!("-stack-info-depth {DEPTH}");
        let answer = self.gdb.command(&command)?;
        frame.depth = answer
            .text("depth", &command)?
            .parse()
            .unwrap_or(frame.level + 1);
        // `Stack level 0, frame at 0x7fffffffe700:`, which is where the caller's frame ends.
        let text = self.gdb.console("info frame")?;
        frame.identity = FrameIdentity(stop::address(&text).unwrap_or_default());
        Ok(frame)
    }

    /// The frames from the innermost, at most this many. Their identities are not filled in.
    ///
    /// # Errors
    ///
    /// If the subject does not run.
    pub fn frames(&mut self, most: u32) -> Result<Vec<Frame>> {
        let command = format!("-stack-list-frames 0 {}", most.saturating_sub(1));
        let answer = self.gdb.command(&command)?;
        let stack = answer.item("stack", &command)?.elements();
        let depth = u32::try_from(stack.len()).unwrap_or(u32::MAX);
        Ok(stack
            .into_iter()
            .map(|item| Frame {
                depth,
                ..stop::frame(item)
            })
            .collect())
    }

    /// Selects a frame, whose variables are then read and written.
    ///
    /// # Errors
    ///
    /// If there is no such frame.
    pub fn select_frame(&mut self, level: u32) -> Result<()> {
        self.gdb.command(&format!("-stack-select-frame {level}"))?;
        Ok(())
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let id = self.process.id.swap(0, Ordering::SeqCst);
        if id > 0 {
            // It leads a session of its own, so this reaches its children too.
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
            let _ = kill(Pid::from_raw(id), Signal::SIGKILL);
        }
    }
}
