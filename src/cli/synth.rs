//! `cargo nopol synth`: solves synthesis problems from files.

use std::fs;
use std::num::NonZeroUsize;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::numbers::positive;
use super::options::engines;
use super::output;
use crate::exchange::ProblemFile;
use crate::exchange::solve::{self, SolveOptions, Solved};
use crate::repair::settings::EngineKind;
use crate::report::Ending;

/// Exit codes, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    every problem has a solution
  1    some problem has none
  2    wrong usage, or a file that cannot be read or written
  70   internal error, or writing to standard output failed";

#[derive(Args, Clone, Debug)]
pub struct Synth {
    /// Problems as JSON; docs/reference.md (Synthesis problems) describes the format
    #[arg(value_name = "PROBLEM", required = true)]
    problems: Vec<Utf8PathBuf>,

    /// Which synthesizer looks for conditions
    #[arg(long, value_name = "ENGINE", default_value = EngineKind::default().name(), value_parser = engines())]
    engine: EngineKind,

    /// Maximum number of conditions to show
    #[arg(long, value_name = "K", default_value = "5", value_parser = positive::<NonZeroUsize>)]
    top: NonZeroUsize,

    /// Judge another solver's answer to NAME.sl or NAME.smt2 instead of searching
    #[arg(long, value_name = "FILE")]
    answer: Option<Utf8PathBuf>,

    /// Write each problem as NAME.json, NAME.smt2 (SMT-LIB 2) and NAME.sl (SyGuS-IF) to this directory, which must be new,
    /// empty or written by an earlier --dump
    #[arg(long, value_name = "DIR")]
    dump: Option<Utf8PathBuf>,
}

impl Synth {
    /// Prints one JSON line for each problem. An invalid problem causes an error message, and the others are still
    /// solved.
    pub fn run(self) -> u8 {
        let (mut bad, mut unsolved) = (false, false);
        for path in &self.problems {
            match self.one(path) {
                Ok(solved) => {
                    unsolved |= !solved.found;
                    let written = output::print_exact(&(solved.line + "\n"), 0);
                    if written != 0 {
                        return written;
                    }
                }
                Err(message) => {
                    bad = true;
                    output::complain(&message);
                }
            }
        }
        match (bad, unsolved) {
            (true, _) => Ending::Usage,
            (_, true) => Ending::NoPatch,
            _ => Ending::Patched,
        }
        .exit_code()
    }

    fn one(&self, path: &Utf8Path) -> Result<Solved, String> {
        let problem = ProblemFile::read(path).map_err(|error| error.to_string())?;
        if let Some(dir) = &self.dump {
            problem.dump(dir).map_err(|error| error.to_string())?;
        }
        match &self.answer {
            Some(file) => {
                let answer = fs::read_to_string(file);
                let answer = answer.map_err(|error| format!("cannot read {file}: {error}"))?;
                solve::judge(&problem, &answer)
            }
            None => {
                let (engine, top) = (self.engine, self.top.get());
                Ok(solve::solve(&problem, &SolveOptions { engine, top }))
            }
        }
    }
}
