//! `cargo nopol c`: the same for C programs.

use std::io::Write;

use clap::Args;

use super::{Action, output, repair};
use crate::report::Ending;
use crate::subject::c::{self, options::COptions};

#[derive(Args, Clone, Debug)]
pub struct C {
    #[command(subcommand)]
    action: Option<Action<COptions>>,

    /// Write a nopol.toml for the program in this directory, from its Makefile, CMakeLists.txt or
    /// compile_commands.json, or from its files alone
    #[arg(long)]
    init: bool,

    #[command(flatten)]
    repair: repair::Repair<COptions>,
}

impl C {
    pub fn run(self) -> u8 {
        match self.action {
            _ if self.init => init(),
            None => self.repair.run(),
            Some(action) => action.run(),
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
