//! `cargo nopol list` and `cargo nopol localize`: the pipeline as far as that.

use clap::Args;

use super::{Common, output};
use crate::repair::settings::{Depth, Settings};
use crate::subject::Project;

#[derive(Args, Clone, Debug)]
pub struct Look<P: Args> {
    #[command(flatten)]
    common: Common<P>,
}

impl<P: Args + Clone + Into<Project>> Look<P> {
    pub fn run(self, depth: Depth) -> u8 {
        let settings = Settings {
            depth,
            ..self.common.settings()
        };
        let outcome = output::run(&settings);
        output::show(&outcome, self.common.format)
    }
}
