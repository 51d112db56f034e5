//! `cargo nopol list`.

use clap::Args;

use super::{Common, output};
use crate::repair::settings::Depth;

#[derive(Args, Clone, Debug)]
pub struct List {
    #[command(flatten)]
    common: Common,
}

impl List {
    pub fn run(mut self) -> u8 {
        self.common.settings.depth = Depth::List;
        let outcome = output::run(&self.common.settings);
        output::show(&outcome, self.common.format)
    }
}
