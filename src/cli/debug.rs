//! `cargo nopol debug`: an interactive session on a C program in gdb. The prompt, scripts, and files of pictures.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::Command as Process;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use tempfile::TempDir;

use super::output;
use crate::heap::gdb::{Options, Subject};
use crate::heap::session::command::{self, NAMES};
use crate::heap::session::{Reply, Session, Settings};
use crate::heap::web::{Live, Place, Step};
use crate::report::Ending;
use crate::run::interrupt::on_interrupt;

#[derive(Args, Clone, Debug)]
pub struct Debug {
    /// The program, built with -g -O0; a single .c file is compiled
    #[arg(value_name = "PROGRAM")]
    program: Utf8PathBuf,

    /// What the program is given
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,

    /// A source file of the program; may be given several times [default: those in this directory that its debug
    /// information names]
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    source: Vec<Utf8PathBuf>,

    /// A shell command that builds the program first
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    build: Option<String>,

    /// The debugger
    #[arg(
        long,
        value_name = "PATH",
        default_value = "gdb",
        help_heading = "Program"
    )]
    gdb: Utf8PathBuf,

    /// Stop the program if one command takes it longer than so many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        help_heading = "Program"
    )]
    limit: u64,

    /// Take the commands from a file instead of the prompt
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    script: Option<Utf8PathBuf>,

    /// Write the commands that were typed to a new file, for --script
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    save: Option<Utf8PathBuf>,

    /// Write a picture of each state that is shown to this directory
    #[arg(long, value_name = "DIR", help_heading = "Session")]
    svg: Option<Utf8PathBuf>,

    /// Show the heap in a browser: a page on this machine that follows the session; its address is printed
    #[arg(long, help_heading = "Session")]
    web: bool,
}

/// What goes wrong before a session begins: a sentence, and how it ends.
type Failed = (String, Ending);

impl Debug {
    pub fn run(self) -> u8 {
        match self.session() {
            Ok(()) => 0,
            Err((sentence, ending)) => {
                output::complain(&sentence);
                ending.exit_code()
            }
        }
    }

    fn session(self) -> Result<(), Failed> {
        let usage = |sentence: String| (sentence, Ending::Usage);
        let script = match &self.script {
            Some(path) => Some(
                fs::read_to_string(path)
                    .map_err(|error| usage(format!("cannot read {path}: {error}")))?,
            ),
            None => None,
        };
        if let Some(save) = &self.save
            && save.exists()
        {
            return Err(usage(format!(
                "{save} exists already: name a new file for --save"
            )));
        }
        let built = self.built()?;
        let options = Options {
            gdb: self.gdb.clone(),
            ..Options::default()
        };
        let said = |error: crate::heap::gdb::Error| usage(error.to_string());
        let mut subject = Subject::load(&built.program, &self.arguments, &options).map_err(said)?;
        let files = self.sources(&built, &mut subject)?;
        let is_terminal = io::stdout().is_terminal();
        let settings = Settings {
            width: terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)),
            color: is_terminal && std::env::var_os("NO_COLOR").is_none(),
            limit: Duration::from_secs(self.limit),
            ..Settings::default()
        };
        let mut session = Session::new(subject, files, settings);
        let interrupter = session.interrupter();
        // Ctrl-C stops the program, not the session.
        let caught = on_interrupt(move || {
            interrupter.interrupt();
        });
        caught.map_err(|error| (format!("cannot catch Ctrl-C: {error}"), Ending::Internal))?;
        let mut log =
            Log::new(self.save.as_deref(), self.svg.as_deref(), self.web).map_err(usage)?;
        let is_scripted = script.is_some() && log.live.is_some();
        match script {
            Some(script) => scripted(
                &mut session,
                script.lines().map(ToOwned::to_owned),
                &mut log,
            ),
            None if !io::stdin().is_terminal() => {
                let lines = io::stdin().lock().lines().map_while(Result::ok);
                scripted(&mut session, lines, &mut log);
            }
            None => prompted(&mut session, &mut log),
        }
        if is_scripted && io::stdin().is_terminal() {
            say("the page can be read until you press Enter");
            let _ = io::stdin().lock().read_line(&mut String::new());
        }
        Ok(())
    }

    /// Builds the program, if it has to be.
    fn built(&self) -> Result<Built, Failed> {
        if !self.program.exists() && self.build.is_none() {
            return Err((
                format!("there is no program {}", self.program),
                Ending::Usage,
            ));
        }
        if let Some(build) = &self.build {
            run(Process::new("sh").args(["-c", build]), build)?;
        }
        if self.program.extension() != Some("c") {
            return Ok(Built {
                program: self.program.clone(),
                source: None,
                _directory: None,
            });
        }
        let internal = |error: io::Error| (error.to_string(), Ending::Internal);
        let directory = TempDir::new().map_err(internal)?;
        let program =
            Utf8PathBuf::from_path_buf(directory.path().join("program")).map_err(|_| {
                (
                    "the temporary directory has an odd name".to_owned(),
                    Ending::Internal,
                )
            })?;
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = Process::new(&compiler);
        command.args(["-g", "-O0", "-o", program.as_str(), self.program.as_str()]);
        run(&mut command, &format!("{compiler} -g -O0 {}", self.program))?;
        Ok(Built {
            program,
            source: Some(self.program.clone()),
            _directory: Some(directory),
        })
    }

    /// The sources, as the user or the debug information names them.
    fn sources(
        &self,
        built: &Built,
        subject: &mut Subject,
    ) -> Result<Vec<(Utf8PathBuf, String)>, Failed> {
        let usage = |sentence: String| (sentence, Ending::Usage);
        let known = subject
            .source_files()
            .map_err(|error| usage(error.to_string()))?;
        if known.is_empty() {
            return Err(usage(format!(
                "{} has no debug information: build it with -g -O0",
                self.program
            )));
        }
        let here = std::env::current_dir().ok();
        let here = here.and_then(|here| Utf8PathBuf::from_path_buf(here).ok());
        let mut paths = self.source.clone();
        if paths.is_empty() {
            paths.extend(built.source.clone());
        }
        if paths.is_empty() {
            for file in &known {
                let full = Utf8PathBuf::from(file.full_path.to_string());
                let is_source = matches!(full.extension(), Some("c" | "h"));
                let relative = here.as_ref().and_then(|here| full.strip_prefix(here).ok());
                if let Some(relative) = relative.filter(|_| is_source && full.exists()) {
                    paths.push(relative.to_owned());
                }
            }
        }
        if paths.is_empty() {
            return Err(usage(
                "none of the program's sources is in this directory: name them by --source"
                    .to_owned(),
            ));
        }
        let age =
            |path: &Utf8Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
        let mut files = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path)
                .map_err(|error| usage(format!("cannot read {path}: {error}")))?;
            if built.source.is_none() && age(&path) > age(&self.program) {
                output::say(&format!(
                    "{path} is newer than {}: lines may not be where the debugger says",
                    self.program
                ));
            }
            if let Ok(Some(true)) = subject.is_optimised(path.as_str()) {
                output::say(&format!(
                    "{} was optimized: statements may run in another order than they are written; build it with -O0",
                    self.program
                ));
            }
            files.push((path, text));
        }
        Ok(files)
    }
}

/// A program that is ready.
struct Built {
    program: Utf8PathBuf,
    /// The one source that it was compiled from here.
    source: Option<Utf8PathBuf>,
    /// Where it is, until the session ends.
    _directory: Option<TempDir>,
}

/// Runs a command that builds; what it says is shown if it fails.
fn run(command: &mut Process, text: &str) -> Result<(), Failed> {
    let done = command.output().map_err(|error| {
        let sentence = format!("cannot run `{text}`: {error}");
        (sentence, Ending::CannotBuild)
    })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err((
        format!("`{text}` fails:\n{}", said.trim_end()),
        Ending::CannotBuild,
    ))
}

/// What is written beside the session.
struct Log {
    save: Option<fs::File>,
    svg: Option<Utf8PathBuf>,
    live: Option<Live>,
}

impl Log {
    fn new(save: Option<&Utf8Path>, svg: Option<&Utf8Path>, web: bool) -> Result<Self, String> {
        let live = match web {
            true => {
                let live =
                    Live::start().map_err(|error| format!("cannot serve a page: {error}"))?;
                say(&format!("the heap is shown at {}", live.url()));
                Some(live)
            }
            false => None,
        };
        if let Some(directory) = svg {
            fs::create_dir_all(directory)
                .map_err(|error| format!("cannot make {directory}: {error}"))?;
        }
        let save = match save {
            Some(path) => Some(
                fs::File::create_new(path)
                    .map_err(|error| format!("cannot write {path}: {error}"))?,
            ),
            None => None,
        };
        Ok(Self {
            save,
            svg: svg.map(Utf8Path::to_owned),
            live,
        })
    }

    fn typed(&mut self, line: &str) {
        if let Some(file) = &mut self.save
            && writeln!(file, "{line}").is_err()
        {
            output::complain("the commands cannot be saved any more");
            self.save = None;
        }
    }

    /// Passes on what came of a command.
    fn shown(&mut self, session: &mut Session, command: &str, text: &str) {
        let picture = session.take_picture();
        if let (Some((number, picture)), Some(directory)) = (&picture, &self.svg) {
            let path = directory.join(format!("{number:04}.svg"));
            if let Err(error) = fs::write(&path, picture) {
                output::complain(&format!("cannot write {path}: {error}"));
            }
        }
        if let Some(live) = &self.live {
            let place = session.source_line();
            live.show(Step {
                command: command.to_owned(),
                text: anstream::adapter::strip_str(text).to_string(),
                place: place.map(|(file, source, line)| Place {
                    file: file.to_string(),
                    line,
                    source: source.to_owned(),
                }),
                picture: picture.map(|(_, picture)| picture),
            });
        }
    }
}

/// Executes a line; whether the session goes on.
fn executed(session: &mut Session, line: &str, log: &mut Log) -> bool {
    let commands = match command::parse(line) {
        Ok(commands) => commands,
        Err(sentence) => {
            say(&sentence);
            return true;
        }
    };
    let last = commands.len();
    for (number, command) in (1..).zip(&commands) {
        match session.execute(command) {
            Reply::Quit => return false,
            Reply::Text { output, text } => {
                for line in output.lines() {
                    say(&format!("| {line}"));
                }
                // Of several commands in a line, the last one says where the program is.
                if number == last || !matches!(command, command::Command::Next(_)) {
                    say(&text);
                }
                log.shown(session, line.trim(), &text);
            }
        }
    }
    true
}

fn say(text: &str) {
    if !text.is_empty() {
        // A closed pipe ends the session at the next read.
        let _ = writeln!(anstream::stdout(), "{text}");
    }
}

const PROMPT: &str = "(nopol) ";

fn scripted(session: &mut Session, lines: impl Iterator<Item = String>, log: &mut Log) {
    for line in lines {
        say(&format!("{PROMPT}{}", line.trim()));
        log.typed(line.trim());
        if !executed(session, &line, log) {
            break;
        }
    }
}

fn prompted(session: &mut Session, log: &mut Log) {
    let Ok(mut editor) = Editor::<Names, DefaultHistory>::new() else {
        output::complain("there is no terminal for a prompt: give the commands by --script");
        return;
    };
    say("`help` lists the commands, `start` begins");
    editor.set_helper(Some(Names::default()));
    let mut last = String::new();
    loop {
        if let Some(names) = editor.helper_mut() {
            names.entities = session.entities();
        }
        match editor.readline(PROMPT) {
            Ok(line) => {
                // An empty line repeats the last one, as in gdb.
                let line = match line.trim() {
                    "" => last.clone(),
                    line => line.to_owned(),
                };
                let _ = editor.add_history_entry(&line);
                log.typed(&line);
                if !executed(session, &line, log) {
                    break;
                }
                last = line;
            }
            Err(ReadlineError::Interrupted) => say("`quit` ends the session"),
            Err(_) => break,
        }
    }
}

/// Completes commands and entities.
#[derive(Default)]
struct Names {
    entities: Vec<String>,
}

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or(line);
        let start = before.rfind([' ', ';']).map_or(0, |at| at + 1);
        let word = &before[start..];
        let is_command = before[..start].trim_end_matches([' ', ';']).is_empty()
            || before[..start].trim_end().ends_with(';');
        let names: Vec<String> = match is_command {
            true => NAMES.iter().map(ToString::to_string).collect(),
            false => self.entities.clone(),
        };
        let fitting = names.into_iter().filter(|name| name.starts_with(word));
        Ok((start, fitting.collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}
impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
