//! `cargo nopol [repair]`.

use clap::Args;

use super::{Common, apply, output};
use crate::report::Ending;

#[derive(Args, Clone, Debug)]
pub struct Repair {
    #[command(flatten)]
    common: Common,

    /// Write the patch of this rank into the subject [default when given without a rank: 1]
    #[arg(long, value_name = "RANK", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    apply: Option<usize>,

    /// Apply even if the file has uncommitted changes
    #[arg(long, requires = "apply")]
    allow_dirty: bool,
}

impl Repair {
    pub fn run(self) -> u8 {
        let settings = &self.common.settings;
        let mut outcome = output::run(settings);
        if let Some(rank) = self.apply
            && outcome.ending == Ending::Patched
            && let Err(error) = apply::apply(settings, &outcome, rank, self.allow_dirty)
        {
            outcome.ending = Ending::Usage;
            outcome.message = Some(format!("{error:#}"));
        }
        output::show(&outcome, self.common.format)
    }
}
