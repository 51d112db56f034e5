//! `cargo nopol merge`: joins the outcomes of the shards of a search.

use std::fs;
use std::num::NonZeroUsize;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::Target;
use super::c::CFlags;
use super::numbers::positive;
use super::options::formats;
use super::output;
use super::repair::given_place;
use super::request::SubjectOptions;
use crate::invocation;
use crate::repair::settings::Settings;
use crate::report::format::{Format, whole};
use crate::report::{Ending, Outcome, Reach, merge};

#[derive(Args, Clone, Debug)]
pub struct Merge<P: Target> {
    /// The outputs of `cargo nopol --shard K/N --format outcome`, a file for each shard
    #[arg(value_name = "OUTCOME", required = true)]
    outcomes: Vec<Utf8PathBuf>,

    /// Maximum number of patches to show for each probable cause
    #[arg(long, value_name = "K", default_value = "5", value_parser = positive::<NonZeroUsize>)]
    top: NonZeroUsize,

    /// Show every patch in full, not only the first for each probable cause
    #[arg(long)]
    full: bool,

    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = formats())]
    format: Format,

    #[command(flatten)]
    place: SubjectOptions<P>,
}

impl<P: Target> Merge<P> {
    pub fn run(self) -> u8 {
        let mut outcome = match self.merged() {
            Ok(outcome) => outcome,
            Err(error) => {
                output::complain(&format!("{error:#}"));
                return Ending::Usage.exit_code();
            }
        };
        for warning in &outcome.warnings {
            output::say(&format!("warning: {warning}"));
        }
        outcome.reach = match self.keep(&outcome) {
            Ok(()) => Reach::Apply,
            Err(why) => {
                if !outcome.patches.is_empty() {
                    output::say(&format!(
                        "warning: these patches are not kept here, because {why:#}; `apply` and `explain` do not refer to them. \
                         `--format diff` prints the first one for `git apply`"
                    ));
                }
                Reach::Nothing
            }
        };
        outcome.is_full = self.full;
        outcome.place = given_place();
        output::show(&outcome, self.format)
    }

    fn merged(&self) -> Result<Outcome> {
        let read = |path: &Utf8PathBuf| {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
            whole::read(&text).with_context(|| path.to_string())
        };
        let outcomes = self.outcomes.iter().map(read).collect::<Result<Vec<_>>>()?;
        merge::merge(&outcomes, self.top.get())
    }

    /// Keeps the merged outcome as the last one, if it is about this subject.
    ///
    /// # Errors
    /// Why it is not kept.
    fn keep(&self, outcome: &Outcome) -> Result<()> {
        let settings = self.settings(outcome.command)?;
        let subject = settings.subject()?;
        for edit in outcome.patches.iter().flat_map(|patch| &patch.edits) {
            let path = subject.path_of(Utf8Path::new(&edit.file));
            match fs::read_to_string(&path) {
                Ok(text) if text == *edit.original => {}
                Ok(_) => bail!("{path} differs from what the shards read"),
                Err(error) => bail!("{path} cannot be read ({error})"),
            }
        }
        if outcome.ending.was_stopped() && outcome.patches.is_empty() {
            bail!("a shard did not finish");
        }
        match invocation::keep(&settings, outcome, &format!("{} merge", outcome.command)) {
            true => Ok(()),
            false => bail!("the work directory cannot be written"),
        }
    }

    /// The settings of the subject here. Shards of a C program are also joined by `cargo nopol merge`.
    fn settings(&self, command: &str) -> Result<Settings> {
        Ok(match command {
            _ if command == self.place.command()? => self.place.settings()?,
            "cargo nopol c" => self.place.with(CFlags::default()).settings()?,
            _ => bail!("the shards are those of `{command}`; join them with `{command} merge`"),
        })
    }
}
