//! `cargo nopol list`.

use clap::Args;

use super::{Common, output};
use crate::repair::settings::{Depth, Settings};
use crate::subject::Project;

#[derive(Args, Clone, Debug)]
pub struct List<P: Args> {
    #[command(flatten)]
    common: Common<P>,
}

impl<P: Args + Clone + Into<Project>> List<P> {
    pub fn run(self) -> u8 {
        let settings = Settings {
            depth: Depth::List,
            ..self.common.settings()
        };
        let outcome = output::run(&settings);
        output::show(&outcome, self.common.format)
    }
}
