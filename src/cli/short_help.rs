//! `-h`: what people use most, on one page. `--help` shows everything.

use std::ffi::OsString;

use clap::{Arg, Command};

/// The commands that only `--help` shows.
const COMMANDS: [&str; 9] = [
    "localize",
    "list",
    "faults",
    "mutate",
    "heap",
    "merge",
    "synth",
    "completions",
    "man",
];

/// The options that only `--help` shows.
const OPTIONS: [&str; 45] = [
    "all-features",
    "all-targets",
    "allow-dirty",
    "allow-partial",
    "bins",
    "color",
    "config",
    "diff-base",
    "dump",
    "emit-schema",
    "engine",
    "example",
    "examples",
    "exclude",
    "exclude-file",
    "fail-on",
    "flips",
    "frozen",
    "fuel",
    "fuzz",
    "in-diff",
    "lines",
    "locked",
    "memory",
    "min-confidence",
    "no-default-features",
    "no-formula",
    "no-heap",
    "no-trivial",
    "offline",
    "only-in-diff",
    "print-config",
    "print-schema",
    "profile",
    "reference",
    "sandbox",
    "shard",
    "summary",
    "target",
    "target-dir",
    "test-timeout",
    "test-tool",
    "tests",
    "watch",
    "work-dir",
];

/// Whether the short help is asked for.
pub fn is_wanted(args: &[OsString]) -> bool {
    let mut own = args.iter().take_while(|arg| *arg != "--");
    own.any(|arg| arg == "-h")
}

/// The command line with the short help.
pub fn of(command: Command) -> Command {
    let commands: Vec<String> = command
        .get_subcommands()
        .map(|it| it.get_name().to_owned())
        .collect();
    let mut command = brief(command);
    for name in commands {
        let is_hidden = COMMANDS.contains(&&*name);
        command = command.mut_subcommand(&name, |it| match &*name {
            "c" => of(it),
            // Their options are their own.
            "faults" | "mutate" | "heap" | "synth" | "merge" => it.hide(is_hidden),
            _ => brief(it).hide(is_hidden),
        });
    }
    command
}

fn brief(command: Command) -> Command {
    // An applied patch is what `apply` is about.
    let is_usual = |name: &str| command.get_name() == "apply" && name == "allow-dirty";
    let rare: Vec<&str> = (OPTIONS.into_iter())
        .filter(|name| !is_usual(name))
        .collect();
    let is_rare = |arg: &Arg| arg.get_long().is_some_and(|name| rare.contains(&name));
    let has_exit_codes = command.get_after_help().is_some();
    let more = match command.has_subcommands() {
        true => "--help shows all commands and options, and the exit codes.",
        false => "--help shows all options and the exit codes.",
    };
    let command = command.mut_args(|arg| {
        let is_switch = arg.get_num_args().is_some_and(|it| it.min_values() == 0);
        match is_rare(&arg) {
            true => arg.hide(true),
            false if is_switch && !arg.is_positional() && arg.get_id() != "apply" => {
                without_value(arg)
            }
            false if arg.get_id() == "failing" => arg.value_name("NAME"),
            false => arg,
        }
    });
    match has_exit_codes {
        // The help of `-h` then names `--help`, too.
        true => command.after_help(more).after_long_help(more),
        false => command,
    }
}

/// A switch that is shown without its optional value. Only the help is printed, so that it is never parsed.
fn without_value(arg: Arg) -> Arg {
    arg.num_args(0)
        .require_equals(false)
        .hide_possible_values(false)
}
