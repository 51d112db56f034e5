//! The text of the generated file, with explanations for newcomers.

use std::fmt::Write as _;

use camino::Utf8PathBuf;

use super::build_info::{BuildInfo, CommandTest};
use super::cases::{Apart, Pairs, Script};

/// What the generated file contains.
pub struct Plan {
    pub sources: Vec<Utf8PathBuf>,
    pub build_info: BuildInfo,
    /// The command that the tests run.
    pub program: String,
    pub pairs: Option<Pairs>,
    pub script: Option<Script>,
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn commented(text: &str) -> String {
    text.lines().map(|line| format!("# {line}\n")).collect()
}

impl Plan {
    /// The text of the whole file.
    pub fn text(&self) -> String {
        let sources = self
            .sources
            .iter()
            .map(|path| format!("    {},\n", quoted(path.as_str())));
        let notes = self
            .build_info
            .notes
            .iter()
            .map(|note| format!("# {note}\n"));
        let mut text = format!(
            "# Describes this program for `cargo nopol c`. All paths are relative to this directory.\n\
             \n[c]\n\
             # Paths or globs of the files that may be patched, such as \"src/*.c\".\n\
             sources = [\n{}]\n\n\
             # The shell command that builds the program; it runs in a copy of this directory.\n{}\
             build = {}\n\n\
             # Seconds that a test may take [default: the value of --test-timeout, or 20].\n\
             # timeout = 5\n\n\
             # Also run the tests under AddressSanitizer and UndefinedBehaviorSanitizer.\n\
             # sanitize = true\n\n\
             # Run the tests one at a time, for example because they share a port.\n\
             # serial = true\n",
            sources.collect::<String>(),
            notes.collect::<String>(),
            quoted(&self.build_info.command),
        );
        if let Some(pairs) = &self.pairs {
            text += &self.pairs_text(pairs);
        }
        if let Some(script) = &self.script {
            text += &script_text(script);
        }
        if !self.build_info.tests.is_empty() {
            let _ = writeln!(
                text,
                "\n# Tests that pass if the command exits with 0, from {}.",
                self.build_info.tests_from()
            );
            text += &self
                .build_info
                .tests
                .iter()
                .map(single_text)
                .collect::<Vec<_>>()
                .join("\n");
        } else if self.pairs.is_none() {
            text += "\n# One test; repeat the table for more. Some should pass, at least one should fail.\n";
            text += &commented(&format!(
                "[[c.test]]\nname = \"name of the test\"\ncommand = {}  # and arguments\n\
                 stdin = \"input\\n\"  # or stdin-file = \"PATH\"\n\
                 stdout = \"expected output\\n\"  # or stdout-file = \"PATH\"; optional\n\
                 exit = 0  # the expected exit code",
                quoted(&self.program)
            ));
        }
        text
    }

    fn pairs_text(&self, pairs: &Pairs) -> String {
        if !pairs.apart.is_empty() {
            return self.apart_text(pairs);
        }
        let (command, how) = match pairs.as_arguments {
            true => (
                format!("{} {{args-file}}", self.program),
                "the words of the file are the arguments",
            ),
            false => (self.program.clone(), "the file is the standard input"),
        };
        let space = match pairs.has_odd_line_ends {
            true => "match = \"space\"",
            false => "# match = \"space\"",
        };
        format!(
            "\n# One test for each file that `input` matches: {how}.\n\
             # The expected output is in the file that `output` matches with the same text for `*`.\n\
             [c.tests]\ninput = {}\noutput = {}\ncommand = {}\n\
             # The exit code that every test must have [default: 0].\n# exit = 0\n\
             # How outputs are compared: \"exact\" is byte by byte, \"space\" word by word.\n{space}\n",
            quoted(&pairs.input),
            quoted(&pairs.output),
            quoted(&command),
        )
    }

    /// A table for each input, because some have no output.
    fn apart_text(&self, pairs: &Pairs) -> String {
        let all = pairs.apart.iter();
        let all = all.map(|one| one_text(&self.program, pairs, one));
        format!(
            "\n# One test for each file like `{}`. A test without `stdout` or `stdout-file` passes if the program exits with `exit` [default: 0],\n\
             # so it fails if the program crashes.\n{}",
            pairs.input,
            all.collect::<Vec<_>>().join("\n")
        )
    }
}

/// A test for an input, and for its output if there is one.
fn one_text(program: &str, pairs: &Pairs, one: &Apart) -> String {
    let (command, stdin) = match &one.arguments {
        Some(words) => (format!("{program} {words}"), String::new()),
        None => (
            program.to_owned(),
            format!("stdin-file = {}\n", quoted(one.input.as_str())),
        ),
    };
    let stdout = match &one.output {
        Some(output) if pairs.has_odd_line_ends => {
            format!(
                "stdout-file = {}\nmatch = \"space\"\n",
                quoted(output.as_str())
            )
        }
        Some(output) => format!("stdout-file = {}\n", quoted(output.as_str())),
        None => "# stdout = \"what it must print\\n\"\n".to_owned(),
    };
    let name = quoted(&one.name);
    format!(
        "[[c.test]]\nname = {name}\ncommand = {}\n{stdin}{stdout}",
        quoted(&command)
    )
}

fn single_text(test: &CommandTest) -> String {
    let cwd = test
        .cwd
        .as_ref()
        .map(|cwd| format!("cwd = {}\n", quoted(cwd)));
    let (name, command) = (quoted(&test.name), quoted(&test.command));
    let functions = test.functions.iter().map(|path| quoted(path.as_str()));
    let functions: Vec<String> = functions.collect();
    let functions = match functions.is_empty() {
        true => String::new(),
        false => format!(
            "functions = [{}]  # each test function in them is a test\n",
            functions.join(", ")
        ),
    };
    format!(
        "[[c.test]]\nname = {name}\ncommand = {command}\n{}{functions}",
        cwd.unwrap_or_default()
    )
}

fn script_text(script: &Script) -> String {
    let command = quoted(&script.command);
    match &script.names {
        Some(names) => {
            let names = match names.is_empty() {
                true => vec![quoted("the name of a test")],
                false => names.iter().map(|name| quoted(name)).collect(),
            };
            let names = names.join(", ");
            let example = format!("[c.script]\ncommand = {command}\nnames = [{names}]");
            "\n# This script seems to take a test's name; a test passes if it exits with 0.\n"
                .to_owned()
                + &commented(&example)
        }
        None => {
            let example = format!("[[c.test]]\nname = \"all\"\ncommand = {command}");
            "\n# This script as one test, which passes if it exits with 0; several small tests are more useful.\n".to_owned() + &commented(&example)
        }
    }
}
