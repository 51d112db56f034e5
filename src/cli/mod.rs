//! The command line: one file per subcommand; each option is defined once. Knows nothing of how the work is done.

mod answer;
mod apply;
mod c;
mod c_help;
mod cargo;
mod color;
mod confirm;
mod consent;
mod current;
mod debug;
mod explain;
mod faults;
mod formula;
mod generated;
mod heap;
mod look;
mod merge;
mod mutate;
mod numbers;
mod options;
mod output;
mod renamed;
mod repair;
mod request;
mod review;
mod schema;
mod short_help;
mod synth;
mod tips;
mod undo;
mod with_test;

use clap::{FromArgMatches, Parser, Subcommand};
use nopol_basics::stack::on_large;
use nopol_process::run::interrupt;

use self::cargo::CargoFlags;
use self::request::{Common, SubjectOptions, Target};
use crate::repair::settings::Depth;
use crate::report::{
    EXIT_CODES, EXPLAIN_EXIT_CODES, Ending, LIST_EXIT_CODES, LOCALIZE_EXIT_CODES, MERGE_EXIT_CODES,
};

/// Repair a crate with a failing test: find a corrected condition or a missing precondition
#[derive(Debug, Parser)]
#[command(
    name = "cargo-nopol",
    bin_name = "cargo nopol",
    version,
    args_conflicts_with_subcommands = true,
    after_help = EXIT_CODES,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    repair: repair::Repair<CargoFlags>,

    #[command(flatten)]
    _color: color::Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Action(Box<Action<CargoFlags>>),
    /// Solve synthesis problems given as files
    #[command(after_help = synth::EXIT_CODES)]
    Synth(synth::Synth),
    /// Print a completion script for a shell
    Completions(generated::Completions),
    /// Print the main manual page, or write the pages of all commands to a directory
    Man(generated::Man),
    /// Repair a C program with a failing test
    #[command(after_help = EXIT_CODES, args_conflicts_with_subcommands = true)]
    C(Box<c::C>),
}

/// The actions on a failing test; `P` are the options that choose the subject.
#[derive(Clone, Debug, Subcommand)]
enum Action<P: Target> {
    /// Find patches that make the failing tests pass (the default)
    #[command(after_help = EXIT_CODES)]
    Repair(repair::Repair<P>),
    /// Show the places where forcing a branch or skipping a statement makes a failing test pass
    #[command(after_help = LOCALIZE_EXIT_CODES)]
    Localize(look::Look<P>),
    /// Show the minimal sets of places where different values would make the failing tests pass
    #[command(after_help = faults::EXIT_CODES)]
    Faults(faults::Faults<P>),
    /// Find all minimal patches that change operators and constants, up to a level
    #[command(after_help = mutate::EXIT_CODES)]
    Mutate(mutate::Mutate<P>),
    /// Repair a function that manipulates linked structures, given the heap that it should produce
    #[command(after_help = heap::EXIT_CODES)]
    Heap(heap::Heap<P>),
    /// Explain what decided a patch, and what the tests leave open
    #[command(after_help = EXPLAIN_EXIT_CODES)]
    Explain(explain::Explain<P>),
    /// Go through the patches and apply one
    #[command(after_help = review::keys())]
    Review(review::Review<P>),
    /// Write a patch of the last result into the source
    #[command(after_help = apply::EXIT_CODES)]
    Apply(apply::Apply<P>),
    /// Undo the patch that was applied last
    #[command(after_help = undo::EXIT_CODES)]
    Undo(undo::Undo<P>),
    /// Combine the results of a sharded search
    #[command(after_help = MERGE_EXIT_CODES)]
    Merge(merge::Merge<P>),
    /// List the tests and the places where a patch can go
    #[command(after_help = LIST_EXIT_CODES)]
    List(look::Look<P>),
}

impl<P: Target> Action<P> {
    fn run(self) -> u8 {
        match self {
            Self::Repair(repair) => repair.run(),
            Self::Localize(look) => look.run(Depth::Localize),
            Self::Faults(faults) => faults.run(),
            Self::Mutate(mutate) => mutate.run(),
            Self::Heap(heap) => heap.run(),
            Self::Explain(explain) => explain.run(),
            Self::Review(review) => review.run(),
            Self::Apply(apply) => apply.run(),
            Self::Undo(undo) => undo.run(),
            Self::Merge(merge) => merge.run(),
            Self::List(look) => look.run(Depth::List),
        }
    }
}

/// Parses and executes the command line; returns the exit code.
pub fn main() -> u8 {
    let receive_signals = interrupt::elsewhere();
    // A subject's expressions may be nested deeper than the stack of a process allows.
    on_large(|| {
        receive_signals();
        run()
    })
}

fn run() -> u8 {
    // `cargo nopol …` starts `cargo-nopol nopol …`.
    let mut args: Vec<_> = std::env::args_os().collect();
    if args.get(1).is_some_and(|arg| arg == "nopol") {
        args.remove(1);
    }
    let program = args.drain(..args.len().min(1)).next();
    let (args, notes) = renamed::current(&args);
    let color = color::chosen(&args, std::env::var("CARGO_TERM_COLOR").ok().as_deref());
    color::apply(color);
    for note in notes {
        output::say(&format!("note: {note}"));
    }
    let given: Vec<String> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let mut command = c_help::command().color(color);
    if short_help::is_wanted(&args) {
        command = short_help::of(command);
    }
    let matches = command.try_get_matches_from(program.into_iter().chain(args));
    let cli = match matches.and_then(|it| Cli::from_arg_matches(&it)) {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(arg) = tips::unexpected(&error) {
                output::complain(&format!("unexpected argument `{arg}`"));
                tips::of(arg, &given)
                    .iter()
                    .for_each(|tip| output::tip(tip));
                output::say("\nFor more information, try `--help`.");
            } else if let Err(error) = error.print()
                && error.kind() != std::io::ErrorKind::BrokenPipe
            {
                return Ending::Internal.exit_code();
            }
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    match cli.command {
        None => cli.repair.run(),
        Some(Command::Action(action)) => action.run(),
        Some(Command::Synth(synth)) => synth.run(),
        Some(Command::Completions(completions)) => completions.run(),
        Some(Command::Man(man)) => man.run(),
        Some(Command::C(c)) => c.run(),
    }
}
