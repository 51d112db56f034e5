//! `cargo nopol list` and `cargo nopol localize`: the first part of the pipeline.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::options::formats_that;
use super::{Common, Target, output};
use crate::repair::settings::Depth;
use crate::report::Ending;
use crate::report::format::Format;

#[derive(Clone, Debug)]
pub struct Look<P: Target> {
    common: Common<P>,
}

/// The options that have no effect on places, so that the help leaves them out.
const OF_PATCHES: [&str; 6] = [
    "fail_on",
    "allow_partial",
    "min_confidence",
    "top",
    "dump",
    "diff_base",
];

/// [`Common`], with the formats that show places.
impl<P: Target> Args for Look<P> {
    fn augment_args(command: Command) -> Command {
        let formats = || formats_that(Format::shows_places);
        let command =
            Common::<P>::augment_args(command).mut_arg("format", |arg| arg.value_parser(formats()));
        OF_PATCHES.iter().fold(command, |command, id| {
            command.mut_arg(id, |arg| arg.hide(true))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<P: Target> FromArgMatches for Look<P> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Common::from_arg_matches(matches).map(|common| Self { common })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.common.update_from_arg_matches(matches)
    }
}

impl<P: Target> Look<P> {
    pub fn run(self, depth: Depth) -> u8 {
        let mut request = match self.common.resolve() {
            Ok(request) => request,
            Err(code) => return code,
        };
        if !request.display.format.shows_places() {
            output::complain(&format!(
                "--format {} is for patches; this command supports human, json, html and outcome",
                request.display.format.name()
            ));
            return Ending::Usage.exit_code();
        }
        request.settings.depth = depth;
        output::present(&output::run(&request), &request)
    }
}
