//! How a program is started in gdb: its arguments, input, directory and environment.

use camino::{Utf8Path, Utf8PathBuf};

/// The variable that lists libraries to load into a program.
const PRELOAD: &str = "LD_PRELOAD";

/// What is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: Utf8PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The file that it reads as standard input; without one, its terminal.
    pub input: Option<Utf8PathBuf>,
    /// Its working directory; without one, the caller's.
    pub directory: Option<Utf8PathBuf>,
    /// Variables that it gets besides those of the caller.
    pub set: Vec<(String, String)>,
    /// Variables of the caller that it does not get.
    pub unset: Vec<String>,
}

impl Launch {
    /// A program with its arguments, and all else as the caller has it.
    pub fn new(program: impl Into<Utf8PathBuf>, arguments: &[String]) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.to_vec(),
            ..Self::default()
        }
    }

    /// The commands that set this up in gdb, with a library that is loaded into the program before all others.
    pub(super) fn commands(&self, library: Option<&Utf8Path>) -> Vec<String> {
        // Without a shell gdb splits arguments at spaces, and knows neither quotes nor files.
        let needs_shell = self.input.is_some()
            || self.arguments.iter().any(|argument| {
                argument.is_empty()
                    || argument.contains(|character: char| character.is_whitespace())
            });
        let (shell, mut arguments) = match needs_shell {
            true => (
                "on",
                self.arguments.iter().map(|text| quoted(text)).collect(),
            ),
            false => ("off", self.arguments.clone()),
        };
        if let Some(input) = &self.input {
            arguments.push(format!("< {}", quoted(input.as_str())));
        }
        let mut commands = vec![
            format!("set startup-with-shell {shell}"),
            format!("set args {}", arguments.join(" ")),
        ];
        if let Some(directory) = &self.directory {
            commands.push(format!("set cwd {directory}"));
        }
        let unset = self.unset.iter();
        commands.extend(unset.map(|name| format!("unset environment {name}")));
        let set = self.set.iter();
        commands.extend(set.map(|(name, value)| format!("set environment {name} {value}")));
        if let Some(library) = library {
            let preload = match self.preloaded() {
                Some(others) => format!("{PRELOAD}={library}:{others}"),
                None => format!("{PRELOAD}={library}"),
            };
            commands.push(match needs_shell {
                // The shell is to run without it.
                true => format!("set exec-wrapper env {}", quoted(&preload)),
                false => format!("set environment {preload}"),
            });
        }
        commands
    }

    /// The libraries that are loaded into the program anyway.
    fn preloaded(&self) -> Option<String> {
        let own = self.set.iter().rfind(|(name, _)| name == PRELOAD);
        let others = match own {
            Some((_, value)) => Some(value.clone()),
            None if self.unset.iter().any(|name| name == PRELOAD) => None,
            None => std::env::var(PRELOAD).ok(),
        };
        others.filter(|others| !others.is_empty())
    }
}

/// A word that a shell takes as it is.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::Launch;

    #[test]
    fn a_file_as_input_needs_a_shell() {
        let launch = Launch {
            input: Some("a b/in.txt".into()),
            directory: Some("/tmp/x".into()),
            set: vec![("HOME".to_owned(), "/tmp/home".to_owned())],
            unset: vec!["LANG".to_owned()],
            ..Launch::new("./lists", &["3".to_owned()])
        };
        assert_eq!(
            launch.commands(None),
            [
                "set startup-with-shell on",
                "set args '3' < 'a b/in.txt'",
                "set cwd /tmp/x",
                "unset environment LANG",
                "set environment HOME /tmp/home",
            ]
        );
        let set = ("LD_PRELOAD".to_owned(), "b.so".to_owned());
        let launch = Launch {
            set: vec![set],
            ..launch
        };
        let commands = launch.commands(Some("/tmp/a.so".into()));
        let last = commands.last().map(String::as_str);
        assert_eq!(
            last,
            Some("set exec-wrapper env 'LD_PRELOAD=/tmp/a.so:b.so'")
        );
    }
}
