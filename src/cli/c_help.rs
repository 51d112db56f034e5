//! The help of `cargo nopol c`: that of the same commands for crates, without the words of cargo. And the help of each
//! command without the options that it refuses or ignores.

use clap::{Command, CommandFactory};

use super::Cli;

/// The width of a help text, at most.
const WIDTH: usize = 100;

/// Before what is replaced comes what contains it.
const WORDS: [(&str, &str); 13] = [
    ("`cargo nopol c ", "`cargo nopol "),
    ("`cargo nopol ", "`cargo nopol c "),
    (", or only doctests fail", ""),
    (", an argument that the tests reject", ""),
    ("no tests except doctests and ignored ones", "no tests"),
    (" no test that matches the arguments after `--`,", ""),
    (", or none matches the arguments after `--`", ""),
    ("some tests or doctests", "some tests"),
    ("or (C) the build", "or the build"),
    (
        "no manifest, no such package, test",
        "no nopol.toml, no such test",
    ),
    (
        "no manifest, no such package or test",
        "no nopol.toml, no such test",
    ),
    ("the workspace root", "the directory of nopol.toml"),
    ("TARGET_DIR/nopol; for C, a directory", "a directory"),
];

/// The command line, with this help.
pub fn command() -> Command {
    let command = Cli::command().mut_subcommand("c", for_c);
    command.mut_subcommands(without_useless)
}

/// The options for targets and builds that a command refuses or ignores because it reads the tests and does not build them.
const TARGETS: [&str; 16] = [
    "sanitize",
    "all-targets",
    "bin",
    "bins",
    "example",
    "examples",
    "exclude",
    "expect",
    "fuzz",
    "lib",
    "profile",
    "release",
    "run",
    "stdin",
    "test",
    "test-tool",
];

/// The options for reports that a command does not write; only `explain` has a format.
const REPORTS: [&str; 5] = ["html", "summary", "fail-on", "allow-partial", "format"];

/// `--package` of a command that reads the whole workspace.
const PACKAGE: &str = "Consider this package's tests; may be given several times, and must not leave out a package of the workspace";

/// Hides the options that this command, or one below `c`, refuses or ignores.
fn without_useless(command: Command) -> Command {
    let useless = match command.get_name() {
        "c" => return command.mut_subcommands(without_useless),
        "faults" | "mutate" => &TARGETS[..],
        "heap" => &TARGETS[1..],
        "undo" => &TARGETS[..1],
        "explain" => &REPORTS[..4],
        "review" => &REPORTS[..],
        _ => return command,
    };
    let reads_all = ["faults", "mutate", "heap"].contains(&command.get_name());
    command.mut_args(|arg| match arg.get_long() {
        Some(name) if useless.contains(&name) => arg.hide(true),
        Some("package") if reads_all => arg.help(PACKAGE),
        _ => arg,
    })
}

fn for_c(command: Command) -> Command {
    let codes = command.get_after_help().map(ToString::to_string);
    let command = match codes {
        Some(codes) => command.after_help(wrapped(&codes)),
        None => command,
    };
    // It has `--only TEST`, too.
    let is_heap = command.get_name() == "heap";
    command
        .mut_args(|arg| {
            let help = arg.get_help().map(|help| in_c(&help.to_string()));
            let arg = match help {
                Some(help) => arg.help(help),
                None => arg,
            };
            match arg.get_id() == "failing" && !is_heap {
                true => arg.value_name("NAME"),
                false => arg,
            }
        })
        .mut_subcommands(for_c)
}

fn in_c(text: &str) -> String {
    let text = WORDS
        .iter()
        .fold(text.to_owned(), |text, (cargo, c)| text.replace(cargo, c));
    match text.strip_prefix("C only: ") {
        Some(rest) => crate::report::phrases::capitalized(rest),
        None => text,
    }
}

/// The exit codes: each in its line, and where that is too long in further lines below its text.
fn wrapped(codes: &str) -> String {
    const INDENT: &str = "       ";
    let whole = codes.replace(&format!("\n{INDENT}"), " ");
    let lines = whole.lines().map(|line| {
        let (mut out, mut width) = (String::new(), 0);
        for word in in_c(line).split_inclusive(' ') {
            let len = word.trim_end().chars().count();
            if width + len > WIDTH - INDENT.len() && width > 0 {
                out.truncate(out.trim_end().len());
                out += &format!("\n{INDENT}");
                width = INDENT.len();
            }
            out += word;
            width += word.chars().count();
        }
        out
    });
    lines.collect::<Vec<String>>().join("\n")
}
