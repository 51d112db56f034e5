//! `cargo nopol completions` and `cargo nopol man`: what is generated from the definition of the command line.

use std::io;

use camino::Utf8PathBuf;
use clap::Args;
use clap_complete::Shell;

use super::{c_help, output};
use crate::report::Ending;

#[derive(Args, Clone, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    /// Prints a script for the shell.
    pub fn run(&self) -> u8 {
        let mut script = Vec::new();
        let mut command = c_help::command();
        clap_complete::generate(self.shell, &mut command, "cargo-nopol", &mut script);
        output::print_exact(&String::from_utf8_lossy(&script), 0)
    }
}

#[derive(Args, Clone, Debug)]
pub struct Man {
    /// Write a page for each command to this directory, instead of printing the main page
    #[arg(value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
}

impl Man {
    /// Prints or writes manual pages.
    pub fn run(&self) -> u8 {
        match self.pages() {
            Ok(text) => output::print_exact(&text, 0),
            Err(error) => {
                let to = self
                    .dir
                    .as_ref()
                    .map_or_else(String::new, |dir| format!(" to {dir}"));
                output::complain(&format!("cannot write the manual pages{to}: {error}"));
                Ending::Usage.exit_code()
            }
        }
    }

    fn pages(&self) -> io::Result<String> {
        let command = c_help::command();
        match &self.dir {
            Some(dir) => {
                std::fs::create_dir_all(dir)?;
                clap_mangen::generate_to(command, dir)?;
                Ok(String::new())
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page)?;
                Ok(String::from_utf8_lossy(&page).into_owned())
            }
        }
    }
}
