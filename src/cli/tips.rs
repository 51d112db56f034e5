//! What a user may have meant by an argument that a command does not take.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use nopol_basics::nearest::nearest;

use super::{Cli, c_help};

/// The argument that the command does not take, if that is the error.
pub fn unexpected(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(arg)) if error.kind() == ErrorKind::UnknownArgument => Some(arg),
        _ => None,
    }
}

/// A tip about what the user may have meant by an unexpected argument; these words were given.
pub fn of(arg: &str, given: &[String]) -> Option<String> {
    if arg.starts_with('-') {
        return option(arg, given);
    }
    let first = given.iter().find(|word| *word != "c");
    let is_first = first.is_some_and(|word| word == arg);
    if first.is_some_and(|word| word.starts_with('-')) && is_subcommand(arg) {
        let options = given.iter().filter(|word| *word != arg);
        let words: Vec<&str> = [arg]
            .into_iter()
            .chain(options.map(String::as_str))
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

/// The options of test programs, which follow `--`.
const OF_TESTS: [&str; 10] = [
    "--exact",
    "--ignored",
    "--include-ignored",
    "--list",
    "--logfile",
    "--nocapture",
    "--no-capture",
    "--show-output",
    "--skip",
    "--test-threads",
];

/// Options of other programs, the option that a command must have for the tip to be true, and the tip.
const OF_OTHERS: [(&str, &str, &str); 7] = [
    ("--fix", "apply", "`--apply` writes a patch into your files"),
    (
        "--write",
        "apply",
        "`--apply` writes a patch into your files",
    ),
    ("--dry-run", "apply", "nothing is written without `--apply`"),
    (
        "--doc",
        "apply",
        "doctests are not repaired: copy one into a `#[test]` first",
    ),
    ("--no-fail-fast", "apply", "all tests run in any case"),
    ("--keep-going", "apply", "all tests run in any case"),
    (
        "--output-format",
        "format",
        "the option is called `--format`",
    ),
];

/// What the user may have meant by an option that the command does not have.
fn option(arg: &str, given: &[String]) -> Option<String> {
    let name = arg.split('=').next().unwrap_or(arg);
    let command = command(given);
    let takes_arguments = command.get_positionals().any(clap::Arg::is_last_set);
    if OF_TESTS.contains(&name) && takes_arguments {
        return Some(format!(
            "options of the test programs go after `--`: `-- {arg}`"
        ));
    }
    let known: Vec<&str> = command
        .get_arguments()
        .filter(|it| !it.is_hide_set())
        .filter_map(clap::Arg::get_long)
        .collect();
    let mut others = OF_OTHERS.iter();
    if let Some((_, _, tip)) =
        others.find(|(other, needed, _)| *other == name && known.contains(needed))
    {
        return Some((*tip).to_owned());
    }
    let near = nearest(name.strip_prefix("--")?, known.into_iter())?;
    Some(format!("did you mean `--{near}`?"))
}

/// The command that these words choose.
fn command(given: &[String]) -> clap::Command {
    let mut command = c_help::command();
    // Global options become those of each command.
    command.build();
    for word in given {
        if let Some(inner) = command.find_subcommand(word) {
            command = inner.clone();
        }
    }
    command
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
            let error = Cli::try_parse_from(args).unwrap_err();
            unexpected(&error).and_then(|arg| of(arg, &given))
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
        for (option, meant) in [
            (
                "--nocapture",
                "options of the test programs go after `--`: `-- --nocapture`",
            ),
            ("--fix", "`--apply` writes a patch into your files"),
            ("--thorogh", "did you mean `--thorough`?"),
        ] {
            assert_eq!(tip(&["cargo-nopol", option]).as_deref(), Some(meant));
        }
        // `man` takes no arguments for tests.
        assert_eq!(tip(&["cargo-nopol", "man", "--nocapture"]), None);
        assert_eq!(tip(&["cargo-nopol", "--timings"]), None);
        // `apply` does write.
        assert_eq!(tip(&["cargo-nopol", "apply", "--dry-run"]), None);
        let file = tip(&["cargo-nopol", "list", "src/lib.rs"]).unwrap();
        assert_eq!(file, "to search one file: `--file src/lib.rs`");
        // These take no test.
        for command in [&["undo", "extra"][..], &["c", "debug", "a.c", "extra"]] {
            let args = [&["cargo-nopol"][..], command].concat();
            assert_eq!(tip(&args), None, "{command:?}");
        }
    }
}
