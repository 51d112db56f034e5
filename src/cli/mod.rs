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
mod undo;
mod with_test;

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use nopol_basics::nearest::nearest;
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
    /// Write a patch of the last search into the source
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
            let tip = tip(&error, &given);
            if let (Some(tip), Some(ContextValue::String(arg))) =
                (tip, error.get(ContextKind::InvalidArg))
            {
                output::complain(&format!("unexpected argument `{arg}`"));
                output::tip(&tip);
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

/// A tip about what the user may have meant by an unexpected argument.
fn tip(error: &clap::Error, given: &[String]) -> Option<String> {
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    let arg = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(arg)) if is_unknown && !arg.starts_with('-') => arg,
        _ => return None,
    };
    let first = given.iter().find(|word| *word != "c");
    let is_first = first == Some(arg);
    if first.is_some_and(|word| word.starts_with('-')) && is_subcommand(arg) {
        let options = given.iter().filter(|word| *word != arg);
        let words: Vec<&str> = [arg]
            .into_iter()
            .chain(options)
            .map(String::as_str)
            .collect();
        return Some(match lacked(&words) {
            Some(option) => format!("`{arg}` has no option `{option}`: leave it out"),
            None => {
                let words = words.join(" ");
                format!("options go after the command: `cargo nopol {words}`")
            }
        });
    }
    match arg.parse::<crate::report::Choice>() {
        Ok(choice) if given.iter().any(|word| word == "--apply") => {
            Some(format!("a rank follows an equals sign: `--apply={choice}`"))
        }
        Err(_) => match like_a_subcommand(arg).filter(|_| is_first) {
            Some(name) => Some(format!("did you mean `{name}`?")),
            None if is_file(arg) => {
                (!models(given)).then(|| format!("to search one file: `--file {arg}`"))
            }
            None => named(given)
                .map(|option| format!("to consider one test, give its name: `{option} {arg}`")),
        },
        Ok(_) => None,
    }
}

/// The first option on a command line that its command does not have.
fn lacked(words: &[&str]) -> Option<String> {
    let error = Cli::try_parse_from(["cargo-nopol"].iter().chain(words)).err()?;
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(arg)) if error.kind() == ErrorKind::UnknownArgument => {
            arg.starts_with('-').then(|| arg.clone())
        }
        _ => None,
    }
}

/// The option of the command that takes the name of a test, if it has one.
fn named(given: &[String]) -> Option<&'static str> {
    let command = given.iter().find(|word| *word != "c");
    match command.map(String::as_str) {
        _ if models(given) => Some("--only"),
        Some("list" | "localize" | "explain" | "review") => Some("--failing"),
        Some(word) if is_subcommand(word) || word == "debug" => None,
        _ => Some("--failing"),
    }
}

/// Whether the command is one of those that model the program: they take a test with `--only`, and no file.
fn models(given: &[String]) -> bool {
    let command = given.iter().find(|word| *word != "c");
    command.is_some_and(|word| ["faults", "mutate", "heap"].contains(&word.as_str()))
}

/// Whether a word is the path of a source file.
fn is_file(word: &str) -> bool {
    Path::new(word)
        .extension()
        .is_some_and(|it| it == "rs" || it == "c" || it == "h")
}

fn is_subcommand(word: &str) -> bool {
    let command = Cli::command();
    command.get_subcommands().any(|it| it.get_name() == word)
}

/// The subcommand that a word may mean.
fn like_a_subcommand(word: &str) -> Option<String> {
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    nearest(word, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unexpected_argument_gets_a_tip() {
        let tip = |args: &[&str]| {
            let given: Vec<String> = args[1..].iter().map(ToString::to_string).collect();
            tip(&Cli::try_parse_from(args).unwrap_err(), &given)
        };
        let named = tip(&["cargo-nopol", "tests::mine"]).unwrap();
        assert!(named.contains("`--failing tests::mine`"), "{named}");
        let ranked = tip(&["cargo-nopol", "--apply", "2"]).unwrap();
        assert!(ranked.contains("`--apply=2`"), "{ranked}");
        assert_eq!(tip(&["cargo-nopol", "--no-such-option"]), None);
        let misspelled = tip(&["cargo-nopol", "exlpain", "1"]).unwrap();
        assert_eq!(misspelled, "did you mean `explain`?");
        assert_eq!(tip(&["cargo-nopol", "explain", "1", "2"]), None);
        let before = tip(&["cargo-nopol", "-q", "-m", "Cargo.toml", "list"]).unwrap();
        assert_eq!(
            before,
            "options go after the command: `cargo nopol list -q -m Cargo.toml`"
        );
        let lacked = tip(&["cargo-nopol", "-m", "Cargo.toml", "-q", "undo"]).unwrap();
        assert_eq!(lacked, "`undo` has no option `-q`: leave it out");
        let file = tip(&["cargo-nopol", "list", "src/lib.rs"]).unwrap();
        assert_eq!(file, "to search one file: `--file src/lib.rs`");
        // These take no test.
        for command in [&["undo", "extra"][..], &["c", "debug", "a.c", "extra"]] {
            let args = [&["cargo-nopol"][..], command].concat();
            assert_eq!(tip(&args), None, "{command:?}");
        }
    }
}
