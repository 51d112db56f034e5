//! `cargo nopol list` and `cargo nopol localize`: the pipeline as far as that.

use clap::Args;

use super::{Common, Target, output};
use crate::repair::settings::Depth;

#[derive(Args, Clone, Debug)]
pub struct Look<P: Target> {
    #[command(flatten)]
    common: Common<P>,
}

impl<P: Target> Look<P> {
    pub fn run(self, depth: Depth) -> u8 {
        let mut asked = match self.common.resolve() {
            Ok(asked) => asked,
            Err(code) => return code,
        };
        asked.settings.depth = depth;
        output::show(&output::run(&asked), asked.format())
    }
}
