//! `cargo nopol [repair]`.

use clap::Args;

use super::{Common, apply, output};
use crate::report::Ending;

#[derive(Args, Clone, Debug)]
pub struct Repair {
    #[command(flatten)]
    common: Common,

    /// Write the patch of this rank into the subject [default when given without a rank: 1]
    #[arg(long, value_name = "RANK", num_args = 0..=1, require_equals = true, default_missing_value = "1",
        value_parser = clap::value_parser!(u32).range(1..))]
    apply: Option<u32>,

    /// Apply even if the file has uncommitted changes
    #[arg(long, requires = "apply")]
    allow_dirty: bool,
}

impl Repair {
    pub fn run(self) -> u8 {
        let settings = &self.common.settings;
        let mut outcome = output::run(settings);
        let Some(rank) = self.apply.filter(|_| !outcome.patches.is_empty()) else {
            return output::show(&outcome, self.common.format);
        };
        match apply::apply(settings, &outcome, rank, self.allow_dirty) {
            Ok(()) => {
                outcome.applied = Some(rank);
                output::show(&outcome, self.common.format)
            }
            // After the patches, where it is not overlooked.
            Err(error) => {
                output::show(&outcome, self.common.format);
                output::complain(&format!("{error:#}"));
                Ending::Usage.exit_code()
            }
        }
    }
}
