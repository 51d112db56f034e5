//! `cargo nopol c`: the same for C programs.

use std::io::Write;

use clap::{Args, Subcommand};

use super::{explain, list, localize, output, repair};
use crate::report::{EXIT_CODES, Ending};
use crate::subject::c::{self, options::COptions};

#[derive(Args, Clone, Debug)]
pub struct C {
    #[command(subcommand)]
    action: Option<Action>,

    /// Write a nopol.toml for the program in this directory, from its Makefile, CMakeLists.txt or
    /// compile_commands.json, or from its files alone
    #[arg(long)]
    init: bool,

    #[command(flatten)]
    repair: repair::Repair<COptions>,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Find patches that make the failing tests pass (the default)
    #[command(after_help = EXIT_CODES)]
    Repair(repair::Repair<COptions>),
    /// Show where a forced branch or a skipped statement makes a failing test pass
    #[command(after_help = EXIT_CODES)]
    Localize(localize::Localize<COptions>),
    /// Tell what decided a patch, and what the tests leave open
    #[command(after_help = EXIT_CODES)]
    Explain(explain::Explain<COptions>),
    /// Show all tests and all places a patch can go
    #[command(after_help = EXIT_CODES)]
    List(list::List<COptions>),
}

impl C {
    pub fn run(self) -> u8 {
        match self.action {
            _ if self.init => init(),
            None => self.repair.run(),
            Some(Action::Repair(repair)) => repair.run(),
            Some(Action::Localize(localize)) => localize.run(),
            Some(Action::Explain(explain)) => explain.run(),
            Some(Action::List(list)) => list.run(),
        }
    }
}

/// Writes the file, and says what it has.
fn init() -> u8 {
    match c::init(".".into()) {
        Ok(said) => {
            // A closed pipe is no reason to fail.
            let _ = writeln!(anstream::stdout(), "{said}");
            0
        }
        Err(error) => {
            output::complain(&format!("{error}"));
            Ending::Usage.exit_code()
        }
    }
}
