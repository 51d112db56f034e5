//! Old spellings on the command line: each still works, with a note on standard error. Help shows the new ones only.

use std::ffi::OsString;

/// An option under its old and its new name, and the subcommands that had it.
struct Renamed {
    old: &'static str,
    new: &'static str,
    commands: &'static [&'static str],
}

/// What was renamed. Without a subcommand the command is `repair`.
const OPTIONS: [Renamed; 7] = [
    Renamed {
        old: "--timeout",
        new: "--time-limit",
        commands: &["faults", "mutate", "heap"],
    },
    Renamed {
        old: "--reference",
        new: "--reference-function",
        commands: &["mutate", "heap"],
    },
    Renamed {
        old: "--failing",
        new: "--only",
        commands: &["faults"],
    },
    Renamed {
        old: "--test",
        new: "--only",
        commands: &["debug"],
    },
    Renamed {
        old: "--script",
        new: "--replay",
        commands: &["debug"],
    },
    Renamed {
        old: "--limit",
        new: "--command-timeout",
        commands: &["debug"],
    },
    Renamed {
        old: "--fresh",
        new: "--no-cache",
        commands: &["repair", "explain", "review"],
    },
];

/// The arguments after the program's name, in the new spelling; and a note for each spelling that was old.
pub fn current(args: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let mut args = args.to_vec();
    let mut notes = Vec::new();
    let is = |arg: Option<&OsString>, word: &str| arg.is_some_and(|arg| arg == word);
    let first = usize::from(is(args.first(), "help"));
    // It is for C programs only.
    if is(args.get(first), "debug") {
        args.insert(first, "c".into());
        notes.push("`cargo nopol debug` is now `cargo nopol c debug`".to_owned());
    }
    let words = args.iter().map(|arg| arg.to_str().unwrap_or_default());
    let mut words = words.skip_while(|word| *word == "c");
    let command = words.next().filter(|word| !word.starts_with('-'));
    let command = command.unwrap_or("repair").to_owned();
    let ours = OPTIONS
        .iter()
        .filter(|renamed| renamed.commands.contains(&&*command));
    let ours: Vec<&Renamed> = ours.collect();
    if let Some(note) = exclude_files(&mut args) {
        notes.push(note);
    }
    // What follows `--` is for the subject.
    for arg in args.iter_mut().take_while(|arg| **arg != "--") {
        let Some(text) = arg.to_str() else { continue };
        let (name, value) = text.split_at(text.find('=').unwrap_or(text.len()));
        let Some(renamed) = ours.iter().find(|renamed| renamed.old == name) else {
            continue;
        };
        let note = format!("`{}` is now `{}`", renamed.old, renamed.new);
        *arg = format!("{}{value}", renamed.new).into();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    (args, notes)
}

/// Rewrites `--exclude GLOB`. In Rust, `--exclude` is cargo's, so that only a value that cannot be a package is a glob of
/// files. Returns the note.
fn exclude_files(args: &mut [OsString]) -> Option<String> {
    const NEW: &str = "--exclude-file";
    let is_c = args.iter().take(2).any(|arg| arg == "c");
    // Cargo takes globs of packages, too.
    let has_packages = args.iter().any(|arg| arg == "--workspace");
    let is_glob = |value: &str| {
        is_c || value.contains('/')
            || value.ends_with(".rs")
            || value.contains('*') && !has_packages
    };
    let end = args.iter().position(|arg| arg == "--");
    let end = end.unwrap_or(args.len());
    let mut is_found = false;
    for at in 0..end {
        let Some(text) = args[at].to_str() else {
            continue;
        };
        let new = match text.strip_prefix("--exclude") {
            Some("") => {
                let value = args[..end].get(at + 1).and_then(|value| value.to_str());
                value.is_some_and(is_glob).then(|| NEW.to_owned())
            }
            Some(rest) => {
                let value = rest.strip_prefix('=').filter(|value| is_glob(value));
                value.map(|value| format!("{NEW}={value}"))
            }
            None => None,
        };
        if let Some(new) = new {
            args[at] = new.into();
            is_found = true;
        }
    }
    is_found.then(|| format!("`--exclude` of files is now `{NEW}`"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::Parser;

    use super::{OPTIONS, current};
    use crate::cli::Cli;

    fn written(line: &str) -> (String, String) {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let (args, notes) = current(&args);
        let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
        (words.join(" "), notes.join("; "))
    }

    #[test]
    fn old_spellings_are_rewritten_with_a_note_in_the_commands_that_had_them() {
        assert_eq!(
            written("c mutate --timeout=8 --function f --reference g --reference h"),
            (
                "c mutate --time-limit=8 --function f --reference-function g --reference-function h".to_owned(),
                "`--timeout` is now `--time-limit`; `--reference` is now `--reference-function`".to_owned()
            )
        );
        assert_eq!(
            written("debug --limit 1 --test one -- --script"),
            (
                "c debug --command-timeout 1 --only one -- --script".to_owned(),
                "`cargo nopol debug` is now `cargo nopol c debug`; `--limit` is now `--command-timeout`; `--test` is now `--only`"
                    .to_owned()
            )
        );
        assert_eq!(written("help debug").0, "help c debug");
        assert_eq!(written("--quiet --fresh").0, "--quiet --no-cache");
        assert_eq!(written("c --fresh").0, "c --no-cache");
        assert_eq!(
            written("--exclude src/gen/* --workspace --exclude tools --exclude=a.rs").0,
            "--exclude-file src/gen/* --workspace --exclude tools --exclude-file=a.rs"
        );
        assert_eq!(written("--exclude gen*").0, "--exclude-file gen*");
        let packages = "--workspace --exclude gen*";
        assert_eq!(written(packages).0, packages);
        assert_eq!(
            written("c --exclude gen -- --exclude a.c").0,
            "c --exclude-file gen -- --exclude a.c"
        );
        for line in [
            "c --reference ../right --failing one",
            "--test own --failing one",
            "heap --failing one --only two",
            "c debug --only one --replay debug",
        ] {
            assert_eq!(written(line), (line.to_owned(), String::new()));
        }
    }

    /// Each old spelling stands for an option that there is.
    #[test]
    fn every_old_spelling_is_parsed() {
        for renamed in &OPTIONS {
            for command in renamed.commands {
                let mut args = vec!["c", *command, renamed.old];
                let needed: &[&str] = match (*command, renamed.old) {
                    (_, "--fresh") => &[],
                    ("mutate" | "heap", "--reference") => &["one", "--function", "f"],
                    ("heap", _) => &["1", "--function", "f"],
                    _ => &["1"],
                };
                args.extend(needed);
                let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
                let (args, notes) = current(&args);
                assert_eq!(notes.len(), 1, "{args:?}");
                let line = std::iter::once("cargo-nopol".into()).chain(args.clone());
                let parsed = Cli::try_parse_from(line);
                assert!(parsed.is_ok(), "{args:?}: {}", parsed.unwrap_err());
            }
        }
    }
}
