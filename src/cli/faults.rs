//! `cargo nopol faults`: where other values would make the failing tests pass.

use std::time::Duration;

use clap::{Args, ValueEnum};
use nopol_formula::faults::Formula;

use super::formula::{self, own_formats};
use super::options::switch;
use super::{Place, Target};
use crate::formula::localization::Localization;
use crate::formula::{FaultsRequest, localize, report};
use crate::report::Outcome;
use crate::report::format::Format;

/// The exit codes.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    other values that make the failing tests pass were found, or no test fails
  1    there are none
  2    wrong usage: no manifest, no such package or test
  4    the program, or every test, is outside of what formulas are made of
  5    the time limit was reached
  70   internal error, or the result could not be written";

#[derive(Args, Clone, Debug)]
pub struct Faults<P: Target> {
    #[command(flatten)]
    place: Place<P>,

    /// A test that counts, by its name; may be given several times [default: all]
    #[arg(long, value_name = "TEST", help_heading = "Search")]
    failing: Vec<String>,

    /// Most places in a candidate
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..), help_heading = "Search")]
    size: u8,

    /// Find minimal candidates of any size
    #[arg(long, conflicts_with = "size", help_heading = "Search")]
    all: bool,

    /// Most iterations of a loop, and most activations of a function at once [default: 2 more than the tests need]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search")]
    bound: Option<u32>,

    /// How much of the program is in the formula
    #[arg(
        long,
        value_enum,
        value_name = "PART",
        default_value_t,
        help_heading = "Search"
    )]
    formula: Part,

    /// Whether overflow, division by zero, an index out of bounds and a null pointer are faults
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", value_parser = switch(), hide_possible_values = true, help_heading = "Search")]
    implicit: bool,

    /// Stop after this many seconds and show what was found
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        help_heading = "Search"
    )]
    timeout: u64,

    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = own_formats(), help_heading = "Report")]
    format: Format,

    /// How many candidates to show at most
    #[arg(long, value_name = "K", default_value_t = 10, help_heading = "Report")]
    top: usize,
}

/// How much of a program is in the formula.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Part {
    /// What candidates need, found step by step
    #[default]
    OnDemand,
    /// All of it
    Program,
    /// The path of the failing run
    Path,
    /// The path of the failing run, without its branches
    PathInsensitive,
}

/// Every size: no program has so many places.
const ANY: usize = 1 << 16;

impl<P: Target> Faults<P> {
    pub fn run(self) -> u8 {
        let settings = match self.place.resolve() {
            Ok(settings) => settings,
            Err(code) => return code,
        };
        let request = FaultsRequest {
            project: settings.project,
            tests: self.failing,
            size: if self.all {
                ANY
            } else {
                usize::from(self.size)
            },
            bound: self.bound,
            implicit: self.implicit,
            formula: match self.formula {
                Part::OnDemand => Formula::OnDemand,
                Part::Program => Formula::Whole,
                Part::Path => Formula::Path,
                Part::PathInsensitive => Formula::PathInsensitive,
            },
            timeout: Some(Duration::from_secs(self.timeout)),
        };
        let result = localize(&request);
        let shown = match formula::accepted(result, self.format, Localization::outside) {
            Ok(shown) => shown,
            Err(code) => return code,
        };
        let outcome = Outcome {
            ending: shown.outcome.into(),
            ..Outcome::default()
        };
        let human = |shown: &Localization| report::human(shown, self.top);
        formula::print(&shown, self.format, human, &outcome)
    }
}
