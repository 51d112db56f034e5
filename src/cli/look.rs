//! `cargo nopol list` and `cargo nopol localize`: the first part of the pipeline.

use clap::Args;

use super::{Common, Target, output};
use crate::repair::settings::Depth;
use crate::report::Ending;

#[derive(Args, Clone, Debug)]
pub struct Look<P: Target> {
    #[command(flatten)]
    common: Common<P>,
}

impl<P: Target> Look<P> {
    pub fn run(self, depth: Depth) -> u8 {
        let mut request = match self.common.resolve() {
            Ok(request) => request,
            Err(code) => return code,
        };
        if !request.display.format.shows_places() {
            output::complain(&format!(
                "--format {} shows patches, and this command looks for none; give human, json or html",
                request.display.format.name()
            ));
            return Ending::Usage.exit_code();
        }
        request.settings.depth = depth;
        output::present(&output::run(&request), &request)
    }
}
