//! `cargo nopol c debug`: an interactive session on a C program in gdb.

mod log;
mod program;
mod prompt;

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use nopol_basics::visible;
use nopol_debug::gdb::{GdbOptions, Launch, Subject};
use nopol_debug::session::command::{self, Command};
use nopol_debug::session::{self, DebugSession, Reply};
use nopol_process::run::interrupt::on_interrupt;
use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;

use self::log::Log;
use self::program::Sources;
use self::prompt::Names;
use super::c::CFlags;
use super::heap::patch;
use super::numbers::positive;
use super::{SubjectOptions, output};
use crate::invocation::{self, Invocation};
use crate::repair::debugging::Started;
use crate::repair::settings::Settings;
use crate::report::terminal::Terminal;
use crate::report::{Assurance, Ending, Outcome};
use crate::subject::c::config::NAME;
use crate::subject::c::{self, options::COptions};

/// How a session ends.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    the session was ended, with or without a patch
  2    wrong usage: no such program, file or test, no debug information, no gdb
  3    the program does not build
  70   internal error
  130  interrupted while the program was being built";

#[derive(Args, Clone, Debug)]
pub struct Debug {
    /// The program, built with -g -O0; a single .c file is compiled [default: the program of nopol.toml, built in a working copy]
    #[arg(value_name = "PROGRAM")]
    program: Option<Utf8PathBuf>,

    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS", requires = "program")]
    arguments: Vec<String>,

    /// A source file of the program; may be given several times [default: those in this directory that its debug
    /// information names]
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    source: Vec<Utf8PathBuf>,

    /// A shell command that builds the program first
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    build: Option<String>,

    /// The test of nopol.toml to debug [default: the only one]
    #[arg(
        long,
        value_name = "TEST",
        conflicts_with = "program",
        help_heading = "Program"
    )]
    only: Option<String>,

    /// The file that describes how the program is built and tested [default: the nearest nopol.toml]
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "program",
        help_heading = "Program"
    )]
    config: Option<Utf8PathBuf>,

    /// The gdb to use
    #[arg(
        long,
        value_name = "PATH",
        default_value = "gdb",
        help_heading = "Program"
    )]
    gdb: Utf8PathBuf,

    /// Seconds that the program may run in a single command; a search for a repair may take six times as long
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "10",
        value_parser = positive::<NonZeroU64>,
        help_heading = "Program"
    )]
    command_timeout: NonZeroU64,

    /// Execute the commands in this file instead of those typed at the prompt
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    replay: Option<Utf8PathBuf>,

    /// Save the typed commands in a new file, for --replay
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    save: Option<Utf8PathBuf>,

    /// Write to this directory a picture of each state shown
    #[arg(long, value_name = "DIR", help_heading = "Session")]
    svg: Option<Utf8PathBuf>,

    /// Serve a page on this machine that shows the heap and follows the session; its address is printed
    #[arg(long, help_heading = "Session")]
    web: bool,
}

/// What goes wrong before a session begins: how it ends, and a sentence.
type Failed = (Ending, String);

impl Debug {
    pub fn run(self) -> u8 {
        let done = match (&self.program, self.check()) {
            (_, Err(failed)) => Err(failed),
            (Some(program), Ok(())) => self.of_program(program),
            (None, Ok(())) if self.config.is_none() && !has_description() => Err(usage(format!(
                "there is no {NAME} here or above: name a program, or a .c file"
            ))),
            (None, Ok(())) => {
                let flags = CFlags::of_debugger(&self.config, &self.source, &self.build);
                match SubjectOptions::of(flags).resolve() {
                    Ok(settings) => self.of_test(&settings),
                    Err(code) => return code,
                }
            }
        };
        match done {
            Ok(()) => 0,
            Err((ending, sentence)) => {
                output::complain(&sentence);
                ending.exit_code()
            }
        }
    }

    /// The commands to replay, if there are any.
    fn script(&self) -> Result<Option<String>, Failed> {
        let read = |path: &Utf8PathBuf| {
            fs::read_to_string(path).map_err(|error| usage(format!("cannot read {path}: {error}")))
        };
        self.replay.as_ref().map(read).transpose()
    }

    /// Refuses wrong options before anything is built.
    fn check(&self) -> Result<(), Failed> {
        match &self.save {
            Some(save) if save.exists() => Err(usage(format!(
                "{save} exists already: name a new file for --save"
            ))),
            _ => self.script().map(|_| ()),
        }
    }

    /// A session on a program that the user names.
    fn of_program(&self, program: &Utf8Path) -> Result<(), Failed> {
        let built = program::built(program, self.build.as_deref())?;
        let mut subject = self.load(&Launch::new(&*built.program, &self.arguments))?;
        let files = program::sources(&built, &self.source, &mut subject)?;
        self.converse(subject, files, None)
    }

    /// A session on the program of a test, built in a working copy.
    fn of_test(&self, settings: &Settings) -> Result<(), Failed> {
        let failed = |error: anyhow::Error| (Ending::Internal, format!("{error:#}"));
        let invocation = Invocation::new(settings.clone()).map_err(failed)?;
        let observer = Arc::new(Terminal::new(false, false));
        invocation.debugged(self.only.as_deref(), observer, |started| {
            let Started {
                program,
                arguments,
                input,
                directory,
                set,
                unset,
                sources,
            } = started;
            let subject = self.load(&Launch {
                program,
                arguments,
                input,
                directory: Some(directory),
                set,
                unset: unset.into_iter().map(str::to_owned).collect(),
            })?;
            self.converse(subject, sources, Some(settings))
        })?
    }

    fn load(&self, launch: &Launch) -> Result<Subject, Failed> {
        let options = GdbOptions {
            gdb: self.gdb.clone(),
            ..GdbOptions::default()
        };
        Subject::load(launch, &options).map_err(|error| usage(error.to_string()))
    }

    /// Executes what the user says. With settings, the patch in force is kept for `apply`.
    fn converse(
        &self,
        subject: Subject,
        files: Sources,
        settings: Option<&Settings>,
    ) -> Result<(), Failed> {
        let script = self.script()?;
        let shown = session::Settings {
            width: terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)),
            color: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            limit: Duration::from_secs(self.command_timeout.get()),
            search_limit: Duration::from_secs(self.command_timeout.get().saturating_mul(SEARCH)),
            ..session::Settings::default()
        };
        let session = DebugSession::new(subject, files, shown);
        let interrupter = session.interrupter();
        // Ctrl-C stops the program or a search, not the session.
        let caught = on_interrupt(move || {
            interrupter.interrupt();
        });
        caught.map_err(|error| (Ending::Internal, format!("cannot catch Ctrl-C: {error}")))?;
        let log = Log::new(self.save.as_deref(), self.svg.as_deref(), self.web).map_err(usage)?;
        let is_scripted = script.is_some() && log.live.is_some();
        let mut talk = Talk {
            session,
            log,
            settings,
        };
        match script {
            Some(script) => talk.scripted(script.lines().map(ToOwned::to_owned)),
            None if !io::stdin().is_terminal() => {
                talk.scripted(io::stdin().lock().lines().map_while(Result::ok));
            }
            None => talk.prompted(),
        }
        if is_scripted && io::stdin().is_terminal() {
            say("the page stays open until you press Enter");
            let _ = io::stdin().lock().read_line(&mut String::new());
        }
        Ok(())
    }
}

/// Whether a file describes how the program here is built.
fn has_description() -> bool {
    let found = c::config::path(&COptions::default());
    found.is_ok_and(|found| found.is_some())
}

fn usage(sentence: String) -> Failed {
    (Ending::Usage, sentence)
}

fn say(text: &str) {
    if !text.is_empty() {
        // A closed pipe ends the session at the next read.
        let _ = writeln!(anstream::stdout(), "{}", visible::for_people(text));
    }
}

/// How much longer than the program a search may take.
const SEARCH: u64 = 6;

const PROMPT: &str = "(nopol) ";

/// A session and what belongs to it.
struct Talk<'s> {
    session: DebugSession,
    log: Log,
    /// Where a patch is kept for `apply`.
    settings: Option<&'s Settings>,
}

impl Talk<'_> {
    /// Executes a line; whether the session goes on.
    fn executed(&mut self, line: &str) -> bool {
        let commands = match command::parse(line) {
            Ok(commands) => commands,
            Err(sentence) => {
                say(&sentence);
                return true;
            }
        };
        let last = commands.len();
        for (number, command) in (1..).zip(&commands) {
            match self.session.execute(command) {
                Reply::Quit => return false,
                Reply::Text {
                    output,
                    notes,
                    text,
                } => {
                    for line in output.lines() {
                        say(&format!("| {line}"));
                    }
                    say(notes.trim_end());
                    // Of several commands in a line, the last one says where the program is.
                    if number == last || !matches!(command, Command::Next(_)) {
                        say(&text);
                    }
                    let said = notes + &text;
                    self.log.shown(&mut self.session, line.trim(), &said);
                }
            }
            if *command == Command::Rewrite(None) {
                self.keep();
            }
        }
        true
    }

    /// Keeps the patch in force, so that it can be applied like any other.
    fn keep(&self) {
        let (Some(settings), Some(written)) = (self.settings, self.session.patch()) else {
            return;
        };
        let (command, place) = (settings.project.command(), &settings.place);
        let outcome = Outcome {
            ending: Ending::Patched,
            command,
            patches: vec![patch(&written, Assurance::Asserted)],
            ..Outcome::default()
        };
        invocation::keep(settings, &outcome, &format!("{command} debug"));
        say(&format!(
            "`{command} apply{place}` builds and tests the patch before it writes it into the source."
        ));
    }

    fn scripted(&mut self, lines: impl Iterator<Item = String>) {
        for line in lines {
            say(&format!("{PROMPT}{}", line.trim()));
            self.log.typed(line.trim());
            if !self.executed(&line) {
                break;
            }
        }
    }

    fn prompted(&mut self) {
        let Ok(mut editor) = Editor::<Names, DefaultHistory>::new() else {
            output::complain("there is no terminal for a prompt: give the commands with --replay");
            return;
        };
        say("`help` lists the commands, `start` begins");
        editor.set_helper(Some(Names::default()));
        let mut last = String::new();
        loop {
            if let Some(names) = editor.helper_mut() {
                names.entities = self.session.entities();
            }
            match editor.readline(PROMPT) {
                Ok(line) => {
                    // An empty line repeats the last one, as in gdb, unless that asserted or changed something.
                    let line = match line.trim() {
                        "" if command::repeats(&last) => last.clone(),
                        line => line.to_owned(),
                    };
                    let _ = editor.add_history_entry(&line);
                    self.log.typed(&line);
                    if !self.executed(&line) {
                        break;
                    }
                    last = line;
                }
                Err(ReadlineError::Interrupted) => say("`quit` ends the session"),
                Err(_) => break,
            }
        }
    }
}
