//! `cargo nopol merge`: joins the outcomes of the shares of a search.

use std::fs;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::Args;

use super::options::formats;
use super::output;
use crate::report::format::{Format, whole};
use crate::report::{Ending, merge};

#[derive(Args, Clone, Debug)]
pub struct Merge {
    /// What `cargo nopol --shard K/N --format outcome` printed, a file for each share
    #[arg(value_name = "OUTCOME", required = true)]
    outcomes: Vec<Utf8PathBuf>,

    /// How many patches to show at most for each group of failing tests
    #[arg(long, value_name = "K", default_value_t = 5)]
    top: usize,

    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = formats())]
    format: Format,
}

impl Merge {
    pub fn run(self) -> u8 {
        match self.merged() {
            Ok(outcome) => output::show(&outcome, self.format),
            Err(error) => {
                output::complain(&format!("{error:#}"));
                Ending::Usage.exit_code()
            }
        }
    }

    fn merged(&self) -> Result<crate::report::Outcome> {
        let read = |path: &Utf8PathBuf| {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
            whole::read(&text).with_context(|| path.to_string())
        };
        let outcomes = self.outcomes.iter().map(read).collect::<Result<Vec<_>>>()?;
        merge::merge(&outcomes, self.top)
    }
}
