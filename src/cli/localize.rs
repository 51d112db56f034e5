//! `cargo nopol localize`.

use clap::Args;

use super::{Common, output};
use crate::repair::settings::{Depth, Settings};
use crate::subject::Project;

#[derive(Args, Clone, Debug)]
pub struct Localize<P: Args> {
    #[command(flatten)]
    common: Common<P>,
}

impl<P: Args + Clone + Into<Project>> Localize<P> {
    pub fn run(self) -> u8 {
        let settings = Settings {
            depth: Depth::Localize,
            ..self.common.settings()
        };
        let outcome = output::run(&settings);
        output::show(&outcome, self.common.format)
    }
}
