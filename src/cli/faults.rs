//! `cargo nopol faults`: where different values would make the failing tests pass.

use std::num::{NonZeroU8, NonZeroU32, NonZeroUsize};
use std::time::Duration;

use clap::{Args, ValueEnum};
use nopol_basics::agree;
use nopol_formula::faults::Formula;

use super::formula;
use super::numbers::positive;
use super::options::switch;
use super::{SubjectOptions, Target};
use crate::config::seconds;
use crate::formula::localization::{Localization, ShownCandidate};
use crate::formula::{FaultsRequest, left_out, localize, report};
use crate::invocation;
use crate::repair::settings::Settings;
use crate::report::format::Format;
use crate::report::{FaultPlace, FaultReport, Outcome, Scope};

/// The exit codes.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    different values that make the failing tests pass were found, or all tests were examined
       and pass
  1    no such values were found
  2    wrong usage: no manifest, no such package or test
  4    there are no tests, no test fails but some tests or doctests were not examined, or the
       program or every test is outside what formulas can express
  5    the time limit was reached
  70   internal error, or writing to standard output failed
  130  interrupted";

#[derive(Args, Clone, Debug)]
pub struct Faults<P: Target> {
    #[command(flatten)]
    place: SubjectOptions<P>,

    /// Consider only this test; may be given several times [default: all tests]
    #[arg(long, value_name = "TEST", help_heading = "Search")]
    only: Vec<String>,

    /// Maximum number of places in a set
    #[arg(long, value_name = "N", default_value = "2", value_parser = positive::<NonZeroU8>, help_heading = "Search")]
    size: NonZeroU8,

    /// Find sets of any number of places
    #[arg(long, conflicts_with = "size", help_heading = "Search")]
    all: bool,

    /// Maximum number of iterations of a loop, and of nested calls of a function [default: up to 3 more than the tests need, where iterations of a passing test beyond 1000 do not count]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>, help_heading = "Search")]
    bound: Option<NonZeroU32>,

    /// How much of the program is in the formula
    #[arg(
        long,
        value_enum,
        value_name = "PART",
        default_value_t,
        help_heading = "Search"
    )]
    formula: Part,

    /// Whether overflow, division by zero, an index out of bounds and a null pointer count as failures
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", value_parser = switch(), hide_possible_values = true, help_heading = "Search")]
    implicit: bool,

    /// Stop after this many seconds and show the results so far
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds::parse_any,
        help_heading = "Search"
    )]
    time_limit: Duration,

    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = formula::formats(Format::shows_faults), help_heading = "Report")]
    format: Format,

    /// Maximum number of sets to show
    #[arg(long, value_name = "K", default_value = "10", value_parser = positive::<NonZeroUsize>, help_heading = "Report")]
    top: NonZeroUsize,
}

/// How much of a program is in the formula.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Part {
    /// Only what the search needs, added step by step
    #[default]
    OnDemand,
    /// The whole program
    Program,
    /// The path of the failing run
    Path,
    /// The path of the failing run, without its branches
    PathInsensitive,
}

/// Every size: no program has this many places.
const ANY: usize = 1 << 16;

impl<P: Target> Faults<P> {
    pub fn run(self) -> u8 {
        let settings = match self.place.resolve() {
            Ok(settings) => settings,
            Err(code) => return code,
        };
        let (stop, invocation) = match formula::prepared(&settings, self.time_limit) {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let command = settings.project.command();
        let request = FaultsRequest {
            project: settings.project.clone(),
            tests: self.only,
            size: if self.all {
                ANY
            } else {
                usize::from(self.size.get())
            },
            bound: self.bound.map(NonZeroU32::get),
            implicit: self.implicit,
            formula: match self.formula {
                Part::OnDemand => Formula::OnDemand,
                Part::Program => Formula::Whole,
                Part::Path => Formula::Path,
                Part::PathInsensitive => Formula::PathInsensitive,
            },
            time_limit: Some(self.time_limit),
            stop,
        };
        let result = localize(&request, &|| formula::built(&invocation, &settings, true));
        let shown = match formula::accepted(result, self.format, Localization::outside) {
            Ok(shown) => shown,
            Err(code) => return code,
        };
        let outcome = reported(&shown, self.top.get(), command, &settings);
        let human = |shown: &Localization| report::human(shown, self.top.get());
        formula::print(&shown, self.format, human, &outcome)
    }
}

/// What the formats for machines are made of; the first `top` candidates.
fn reported(
    shown: &Localization,
    top: usize,
    command: &'static str,
    settings: &Settings,
) -> Outcome {
    let failing = shown.failing.iter().map(|failing| failing.name.clone());
    let mut warnings = left_out::sentences(&shown.left_out);
    warnings.extend(shown.warnings.iter().cloned());
    warnings.extend(report::not_examined(shown));
    if let Some(more @ 1..) = shown.candidates.len().checked_sub(top) {
        let all = shown.candidates.len();
        let were = agree(more, "more set was", "more sets were");
        warnings.push(format!("{more} {were} found; `--top {all}` shows all"));
    }
    let candidates = (1..).zip(shown.candidates.iter().take(top));
    Outcome {
        ending: shown.outcome.into(),
        message: shown.message.clone(),
        warnings,
        failing_tests: failing.collect(),
        faults: candidates
            .map(|(rank, candidate)| fault(rank, candidate))
            .collect(),
        command,
        prefix: invocation::prefix(settings),
        scope: Scope {
            is_localization: true,
            ..Scope::default()
        },
        ..Outcome::default()
    }
}

fn fault(rank: usize, candidate: &ShownCandidate) -> FaultReport {
    let places = candidate.places.iter().enumerate();
    let places = places.map(|(number, place)| FaultPlace {
        file: place.file.clone(),
        line: place.line as usize,
        column: place.column as usize,
        text: place.part.as_ref().unwrap_or(&place.short).clone(),
        values: candidate.values_at(number),
    });
    FaultReport {
        rank,
        places: places.collect(),
        tests: candidate.tests.clone(),
        suspiciousness: candidate.suspiciousness,
    }
}
