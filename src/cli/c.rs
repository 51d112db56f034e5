//! `cargo nopol c`: the subcommands for C programs.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use nopol_basics::visible;
use nopol_process::run::process::Supervisor;

use super::options::switch;
use super::{Action, Target, answer, debug, output, repair};
use crate::config::{Config, ConfigError, NAME};
use crate::repair::ending;
use crate::report::Ending;
use crate::subject::c::{self, options::COptions};
use crate::subject::{Project, SubjectError};

#[derive(Args, Clone, Debug)]
pub struct C {
    #[command(subcommand)]
    command: Option<Command>,

    /// Write a nopol.toml for the program in this directory, from its makefile, CMakeLists.txt, configure, configure.ac,
    /// meson.build or compile_commands.json, or, without these, from its source files
    #[arg(long)]
    init: bool,

    #[command(flatten)]
    repair: repair::Repair<CFlags>,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Action(Box<Action<CFlags>>),
    /// Step through a program that manipulates linked structures, correct its heap, and repair the program
    #[command(after_help = debug::EXIT_CODES)]
    Debug(Box<debug::Debug>),
}

impl C {
    pub fn run(self) -> u8 {
        match self.command {
            _ if self.init => init(),
            None => match wants_init(self.repair.target()) {
                Ok(false) => self.repair.run(),
                Ok(true) => match init() {
                    0 => self.repair.run(),
                    code => code,
                },
                Err(error) => {
                    output::complain(&format!("{error:#}"));
                    Ending::Usage.exit_code()
                }
            },
            Some(Command::Action(action)) => action.run(),
            Some(Command::Debug(debug)) => debug.run(),
        }
    }
}

/// Asks on a terminal, if nothing describes the program, whether to write a file that does.
fn wants_init(flags: &CFlags) -> Result<bool> {
    let options = flags.options();
    let is_described = options.build.is_some() || !options.source.is_empty();
    if !answer::is_by_key() || is_described || c::config::path(&options)?.is_some() {
        return Ok(false);
    }
    let question = format!(
        "There is no {NAME} here or above. Write one for the program in this directory, and search? [y/N] "
    );
    Ok(answer::key(&question)?.is_some_and(|answer| answer.eq_ignore_ascii_case("y")))
}

/// Writes the file, and prints a summary of its contents.
fn init() -> u8 {
    let written = Supervisor::new(None).and_then(|supervisor| {
        supervisor.handle_signals()?;
        c::init(".".into(), &supervisor)
    });
    match written {
        Ok(summary) => {
            // A closed pipe is no reason to fail.
            let _ = writeln!(anstream::stdout(), "{}", visible::for_people(&summary));
            0
        }
        Err(error) => {
            let (ending, message) = ending::of(&error);
            output::complain(&message);
            ending.exit_code()
        }
    }
}

/// Which program, how it is built, and its tests; what is given here takes the place of what the file
/// says.
#[derive(Args, Clone, Debug, Default)]
pub struct CFlags {
    /// The file that describes how the program is built and tested [default: the nearest nopol.toml]
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    config: Option<Utf8PathBuf>,

    /// A source file that may be patched, or a glob; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    source: Vec<String>,

    /// A shell command that builds the program
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    build: Option<String>,

    /// One test for each file that matches this glob: the test reads it as standard input, or, with
    /// {args-file} in --command, gets its words as arguments
    #[arg(
        long,
        value_name = "GLOB",
        help_heading = "Tests",
        requires = "command"
    )]
    input: Option<String>,

    /// The files with the expected output of these tests
    #[arg(long, value_name = "GLOB", help_heading = "Tests", requires = "input")]
    output: Option<String>,

    /// The command of these tests
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Tests",
        requires = "input"
    )]
    command: Option<String>,

    /// A command that runs the test {name} and exits with 0 if it passes
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Tests",
        requires = "name"
    )]
    script: Option<String>,

    /// A test that --script can run; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "Tests", requires = "script")]
    name: Vec<String>,

    /// Also run the tests under AddressSanitizer and UndefinedBehaviorSanitizer; a test fails if one of them reports an error other than a leak
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    sanitize: Option<bool>,
}

impl CFlags {
    /// What `cargo nopol c debug` takes of these.
    pub fn of_debugger(
        config: &Option<Utf8PathBuf>,
        source: &[Utf8PathBuf],
        build: &Option<String>,
    ) -> Self {
        Self {
            config: config.clone(),
            source: source.iter().map(ToString::to_string).collect(),
            build: build.clone(),
            ..Self::default()
        }
    }

    fn options(&self) -> COptions {
        let Self {
            config,
            source,
            build,
            input,
            output,
            command,
            script,
            name,
            sanitize,
        } = self.clone();
        COptions {
            config,
            source,
            build,
            input,
            output,
            command,
            script,
            name,
            sanitize,
        }
    }
}

impl Target for CFlags {
    fn add_files(&self, config: &mut Config) -> Result<(), SubjectError> {
        c::config::settings_file(&self.options(), config)
    }

    fn add_flags(&self, _: &mut Config) -> Result<(), ConfigError> {
        // These options describe the program; none is a setting.
        Ok(())
    }

    fn project(&self, _: &Config) -> Result<Project, ConfigError> {
        Ok(Project::C(self.options()))
    }

    fn print(_: &Config) -> Result<String, ConfigError> {
        Ok(String::new())
    }

    fn print_tables(&self) -> Result<String, SubjectError> {
        c::print(&self.options())
    }
}
