//! `--format diff`: only a diff, to pipe into `git apply`.

use anyhow::Result;
use nopol_basics::visible;

use super::human;
use super::{Render, Rendered};
use crate::report::Outcome;

/// The diff of the first patch. Patches for one cause cannot be applied together.
pub struct Diff;

impl Render for Diff {
    fn name(&self) -> &'static str {
        "diff"
    }

    fn help(&self) -> &'static str {
        "The first patch as a diff for `git apply`"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let Some(patch) = outcome.patches.first() else {
            // Standard output must contain nothing that `git apply` cannot read.
            return Ok(Rendered {
                report: String::new(),
                remark: visible::for_people(&human::render(&outcome.shown())),
            });
        };
        Ok(patch.diff.clone().into())
    }
}
