//! `cargo nopol localize`.

use clap::Args;

use super::{Common, output};
use crate::repair::settings::Depth;

#[derive(Args, Clone, Debug)]
pub struct Localize {
    #[command(flatten)]
    common: Common,
}

impl Localize {
    pub fn run(mut self) -> u8 {
        self.common.settings.depth = Depth::Localize;
        let outcome = output::run(&self.common.settings);
        output::show(&outcome, self.common.format)
    }
}
