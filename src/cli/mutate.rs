//! `cargo nopol mutate`: all minimal patches by mutation, or the result that there are none.

use std::num::{NonZeroU8, NonZeroU32, NonZeroUsize};
use std::time::Duration;

use clap::{Args, ValueEnum};
use nopol_basics::agree;
use nopol_formula::mutate::Level;
use nopol_formula::mutate::must::Prune;

use super::formula;
use super::numbers::{level, positive};
use super::options::switch;
use super::repair::given_options;
use super::{SubjectOptions, Target};
use crate::config::seconds;
use crate::formula::bounds;
use crate::formula::mutation;
use crate::formula::mutation::MutateRequest;
use crate::formula::mutation::Mutation;
use crate::formula::mutation::ShownRepair;
use crate::formula::mutation::in_order;
use crate::formula::report::mutation as report;
use crate::formula::short;
use crate::invocation;
use crate::repair::settings::Settings;
use crate::report::format::Format;
use crate::report::phrases::listed;
use crate::report::{Assurance, Ending, Outcome, PatchReport};

/// The exit codes.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    patches were found, or nothing is wrong
  1    no patch was found, or it is not known whether anything is wrong
  2    wrong usage: no manifest, no such package, test or function
  4    there are no tests, no test fails but some tests or doctests were not examined, or the
       program or every test is outside what formulas can express
  5    the time limit was reached
  70   internal error, or writing to standard output failed
  130  interrupted";

#[derive(Args, Clone, Debug)]
pub struct Mutate<P: Target> {
    #[command(flatten)]
    place: SubjectOptions<P>,

    /// Consider only this test; may be given several times [default: all tests]
    #[arg(long, value_name = "TEST", help_heading = "Specification")]
    only: Vec<String>,

    /// A function that must be correct for all arguments; it replaces the tests as the specification
    #[arg(
        long,
        value_name = "FUNCTION",
        conflicts_with = "only",
        help_heading = "Specification"
    )]
    function: Option<String>,

    /// A function of the program that --function must agree with, for all arguments
    #[arg(
        long,
        value_name = "FUNCTION",
        requires = "function",
        help_heading = "Specification"
    )]
    reference_function: Option<String>,

    /// Whether overflow, division by zero, an index out of bounds and a null pointer count as failures
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = true,
        default_missing_value = "true", value_parser = switch(), hide_possible_values = true, help_heading = "Specification")]
    implicit: bool,

    /// Which mutations to try: level 1 replaces operators by others of the same kind; level 2 also tries other operators and
    /// constants; level 3 also tries variables and any constant, negates conditions and removes clauses
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = level, help_heading = "Search")]
    level: u8,

    /// Maximum number of statements that a patch may change
    #[arg(long, value_name = "N", default_value = "2", value_parser = positive::<NonZeroU8>, help_heading = "Search")]
    size: NonZeroU8,

    /// Maximum number of iterations of a loop, and of nested calls of a function [default: up to 3 more than the tests need; 8
    /// with --function]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>, help_heading = "Search")]
    bound: Option<NonZeroU32>,

    /// Which other mutated programs are ruled out when one is wrong for an input [default: slice; run at level 3]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Search")]
    prune: Option<Pruned>,

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
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = formula::formats(Format::shows_reasoned), help_heading = "Report")]
    format: Format,

    /// Maximum number of patches to show
    #[arg(long, value_name = "K", default_value = "10", value_parser = positive::<NonZeroUsize>, help_heading = "Report")]
    top: NonZeroUsize,
}

/// What is ruled out.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pruned {
    /// Every mutated program that is wrong for this input
    Run,
    /// Programs that share a minimal set of mutations that already makes the program wrong
    Core,
    /// Programs with the same mutations in every statement that the run depends on
    Slice,
    /// No other mutated program
    None,
}

impl<P: Target> Mutate<P> {
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
        let level = match self.level {
            1 => Level::One,
            2 => Level::Two,
            _ => Level::Three,
        };
        let request = MutateRequest {
            project: settings.project.clone(),
            tests: self.only,
            function: self.function,
            reference: self.reference_function,
            level,
            size: usize::from(self.size.get()),
            bound: self.bound.map(NonZeroU32::get),
            implicit: self.implicit,
            prune: match self.prune {
                Some(Pruned::Run) => Prune::Run,
                Some(Pruned::Core) => Prune::Core,
                Some(Pruned::Slice) => Prune::Slice,
                Some(Pruned::None) => Prune::Nothing,
                None => Prune::of(level),
            },
            time_limit: Some(self.time_limit),
            stop,
        };
        let result = mutation::repair(&request, &|| {
            formula::built(&invocation, &settings, request.function.is_none())
        });
        let shown = match formula::accepted(result, self.format, Mutation::outside) {
            Ok(shown) => shown,
            Err(code) => return code,
        };
        let outcome = kept(&shown, command, &settings);
        let by = format!("{command} mutate");
        invocation::keep(&settings, &outcome, &by);
        let human =
            |shown: &Mutation| report::human(shown, self.top.get(), command, &settings.place);
        // All of them are kept; a report shows the first ones.
        let mut reported = Outcome {
            ending: shown.outcome.into(),
            passing_tests: shown.passing_tests.clone(),
            warnings: report::notes(&shown),
            options: given_options(),
            ..outcome
        };
        let (all, top) = (reported.patches.len(), self.top.get());
        if let Some(more @ 1..) = all.checked_sub(top) {
            let were = agree(more, "more patch was", "more patches were");
            let note = format!("{more} {were} found; `--top {all}` shows all");
            reported.warnings.push(note);
            reported.patches.truncate(top);
        }
        formula::print(&shown, self.format, human, &reported)
    }
}

/// The repairs as patches, which `apply`, `undo` and all formats know.
fn kept(shown: &Mutation, command: &'static str, settings: &Settings) -> Outcome {
    // With --function what fails is a call, and no test.
    let is_by_tests = |repair: &ShownRepair| repair.proved == "tests";
    let failing: Vec<String> = match shown.repairs.iter().all(is_by_tests) {
        true => shown.failing.iter().map(|it| it.name.clone()).collect(),
        false => Vec::new(),
    };
    let patches = shown.repairs.iter().zip(1..);
    let patches = patches.map(|(repair, rank)| PatchReport {
        diff: repair.diff.clone(),
        fixes: failing.clone(),
        doubts: shown.unasked().map(str::to_owned).into_iter().collect(),
        why: format!("{}{}", change(repair), proof(shown, repair)),
        ..PatchReport::reasoned(
            format!("mutation-{rank}"),
            rank,
            &repair.edits,
            &shown.texts,
            Assurance::Interpreted,
        )
    });
    Outcome {
        // Also where a limit ended the search: the patches can be applied.
        ending: match shown.repairs.is_empty() {
            true => shown.outcome.into(),
            false => Ending::Patched,
        },
        message: shown.message.clone(),
        command,
        patches: patches.collect(),
        failing_tests: failing,
        prefix: invocation::prefix(settings),
        ..Outcome::default()
    }
}

/// What a repair changes: `` `<` changed to `<=` ``.
fn change(repair: &ShownRepair) -> String {
    let edits = repair.edits.iter().map(|edit| {
        let (before, after) = short::both(&edit.before, &edit.after);
        format!("`{before}` changed to `{after}`")
    });
    listed(&edits.collect::<Vec<String>>())
}

/// For which arguments a repair is proved, after a comma; nothing if it is by tests.
fn proof(shown: &Mutation, repair: &ShownRepair) -> String {
    let runs = match (repair.proved, repair.proved_to) {
        ("tests", _) => return String::new(),
        (_, None) => String::new(),
        (_, Some(bound)) => format!(", as long as {}", bounds::as_long_as(shown.repeats, bound)),
    };
    format!(
        ", proved for all arguments{}{}{runs}",
        shown.initially(),
        in_order(&repair.unsequenced)
    )
}
