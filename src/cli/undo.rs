//! `cargo nopol undo`: takes back the patch that was applied last.

use anyhow::{Context, Result, bail};
use clap::Args;

use super::apply::{kept, own};
use super::request::SubjectOptions;
use super::{Target, output};
use crate::repair::settings::Settings;
use crate::report::Ending;
use crate::subject::applied;
use crate::subject::patching::{self, Change};

/// Exit codes, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    the patch was reverted
  2    nothing was written: wrong usage, no applied patch, or a file that has changed since
  70   internal error, or writing to standard output failed";

#[derive(Args, Clone, Debug)]
pub struct Undo<P: Target> {
    #[command(flatten)]
    place: SubjectOptions<P>,
}

impl<P: Target> Undo<P> {
    /// Takes back the patch that was applied last.
    pub fn run(self) -> u8 {
        let settings = match self.place.resolve() {
            Ok(settings) => settings,
            Err(code) => return code,
        };
        match undo(&settings) {
            Ok(said) => output::print(&said, 0),
            Err(error) => {
                output::complain(&format!("{error:#}"));
                Ending::Usage.exit_code()
            }
        }
    }
}

/// Takes back the patch that was applied last; returns the message about it.
///
/// # Errors
/// If there is none, or its files have changed since.
pub fn undo(settings: &Settings) -> Result<String> {
    let kept = kept(settings)?;
    let mut patches = kept
        .read()
        .map_or_else(Vec::new, |text| applied::parse(&text));
    let Some(last) = patches.pop() else {
        bail!("there is no applied patch to undo");
    };
    let name = last.named();
    let changes: Vec<Change> = last.changes.into_iter().map(Change::reversed).collect();
    let subject = settings.subject()?;
    for change in &changes {
        own(&subject, &change.path)?;
    }
    patching::make(&changes).with_context(|| format!("{name} was not reverted"))?;
    let text =
        applied::render(&patches).context("cannot record the patches that are still applied")?;
    kept.write(&text)
        .context("the patch was reverted, but the record of earlier patches cannot be written")?;
    let top = subject.root.canonicalize_utf8()?;
    let files: Vec<&str> = changes
        .iter()
        .map(|change| {
            change
                .path
                .strip_prefix(&top)
                .unwrap_or(&change.path)
                .as_str()
        })
        .collect();
    Ok(format!("Reverted {name} in {}.\n", files.join(" and ")))
}
