//! Tests that are commands: what each of them gets as input, and what it must yield.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

use super::output;
use super::process::Exit;
use super::verdict::Verdict;

/// The exit code of a program that a sanitizer of this tool's builds ended.
pub const REPORTED: i32 = 99;

/// A test that is a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The test's name.
    pub name: String,
    /// The program and its arguments.
    pub command: Command,
    /// Its working directory, relative to the root.
    pub cwd: Utf8PathBuf,
    /// What it reads from standard input.
    pub stdin: Input,
    /// The expected exit code.
    pub exit: i32,
    /// The expected output; `None` if any output will do.
    pub stdout: Option<String>,
    /// How its output is compared.
    pub comparison: Comparison,
    /// Its own time limit, if it has one.
    pub timeout: Option<Duration>,
    /// What it is of another test, if it is not a whole program.
    pub part: Option<Part>,
}

/// The variable that names the function of a test program that is to run.
pub const CASE: &str = "NOPOL_CASE";

/// One of the functions of a test program. Each of them returns at once unless [`CASE`] names it or is not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of the test that is the whole program.
    pub of: String,
    /// The value of [`CASE`].
    pub function: String,
}

/// How a test is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A command line that needs a shell.
    Line(String),
}

impl Command {
    /// Splits the line into words unless it contains something that only a shell interprets.
    pub fn parse(line: &str) -> Self {
        let has_program = line
            .split_whitespace()
            .next()
            .is_some_and(|word| !OF_SHELLS.contains(&word) && !word.contains('='));
        let words = shlex::split(line).filter(|words| !words.is_empty());
        match words.filter(|_| has_program && !needs_shell(line)) {
            Some(words) => Self::Words(words),
            None => Self::Line(line.to_owned()),
        }
    }

    /// The program to start and its arguments.
    pub fn start(&self) -> (Utf8PathBuf, Vec<String>) {
        match self {
            Self::Words(words) => {
                let (program, args) = words
                    .split_first()
                    .map_or(("true", &[][..]), |(program, args)| {
                        (program.as_str(), args)
                    });
                (program.into(), args.to_vec())
            }
            Self::Line(line) => ("sh".into(), vec!["-c".to_owned(), line.clone()]),
        }
    }
}

/// First words that are not programs.
const OF_SHELLS: [&str; 19] = [
    "!", ".", ":", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if", "set",
    "source", "trap", "ulimit", "umask", "until", "while",
];

/// Whether a line contains what only a shell interprets: outside of quotes operators, patterns and comments, and
/// expansions also in double quotes.
fn needs_shell(line: &str) -> bool {
    let mut quote = None;
    let mut chars = line.trim().chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                chars.next();
            }
            (_, '$' | '`') => return true,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(char),
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '\n') => return true,
            (None, '*' | '?' | '[' | '{' | '}' | '~' | '#') => return true,
            (None, _) => {}
        }
    }
    false
}

/// What a test reads from its standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// No input.
    #[default]
    Nothing,
    /// This text.
    Text(String),
    /// A file, relative to the root.
    File(Utf8PathBuf),
}

impl Input {
    /// The file with the test's input; a text is first written to one in `dir`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn file(&self, root: &Utf8Path, dir: &Utf8Path) -> Result<Option<Utf8PathBuf>> {
        Ok(match self {
            Self::Nothing => None,
            Self::File(path) => Some(root.join(path)),
            Self::Text(text) => {
                let path = dir.join("stdin");
                std::fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
                Some(path)
            }
        })
    }
}

/// How the actual output is compared with the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// Byte by byte.
    #[default]
    Exact,
    /// Word by word, ignoring whitespace.
    Space,
}

/// How close the actual output is to the expected one: the number of leading words that agree, then the
/// distance of the first differing word. For two numbers this is their difference; for other words, the
/// number of leading characters that agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Progress {
    words: usize,
    nearness: i64,
}

impl Progress {
    fn of(printed: &str, expected: &str) -> Self {
        let (mut printed, mut expected) = (printed.split_whitespace(), expected.split_whitespace());
        let mut words = 0;
        loop {
            match (printed.next(), expected.next()) {
                (Some(a), Some(b)) if a == b => words += 1,
                (Some(a), Some(b)) => {
                    let nearness = match (a.parse::<i64>(), b.parse::<i64>()) {
                        (Ok(a), Ok(b)) => -a.abs_diff(b).try_into().unwrap_or(i64::MAX),
                        _ => {
                            let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b);
                            i64::try_from(same.count()).unwrap_or(0)
                        }
                    };
                    return Self { words, nearness };
                }
                // A missing or superfluous word is worse than any wrong number.
                _ => {
                    let nearness = i64::MIN;
                    return Self { words, nearness };
                }
            }
        }
    }
}

impl Case {
    /// Why the test failed, worded as a predicate ("prints … instead of …"); `None` if it passed. `report` is what a sanitizer
    /// reports, if one does.
    ///
    /// # Errors
    /// If the output cannot be read.
    pub fn failure_reason(
        &self,
        exit: &Exit,
        printed: &Utf8Path,
        report: Option<&str>,
    ) -> Result<Option<String>> {
        let with_report = |reason: String| match report {
            Some(report) => format!("{reason}, and {report}"),
            None => reason,
        };
        let Some(code) = exit.code else {
            let crashes = Verdict::Crashed.describe_with(exit.signal_name());
            return Ok(Some(with_report(crashes)));
        };
        if let Some(report) = report
            && code == REPORTED
            && code != self.exit
        {
            return Ok(Some(format!("fails because {report}")));
        }
        let wrong_exit = (code != self.exit)
            .then(|| with_report(format!("exits with {code} instead of {}", self.exit)));
        let Some(expected) = &self.stdout else {
            let Some(wrong) = wrong_exit else {
                return Ok(None);
            };
            let text = read_output("", printed)?;
            let message = message(&String::from_utf8_lossy(&text)).map(quoted);
            let and = message.map(|line| format!(" and prints {line}"));
            return Ok(Some(wrong + &and.unwrap_or_default()));
        };
        let bytes = read_output(expected, printed)?;
        if let Some(wrong) = wrong_exit {
            let but = match self.is_same(&bytes, expected) && !expected.is_empty() {
                true => ", but prints the expected output (see `exit` in nopol.toml)",
                false => "",
            };
            return Ok(Some(wrong + but));
        }
        Ok(self.wrong_output(&bytes))
    }

    /// Why the test fails if it prints this and exits as it should, worded as in [`Self::failure_reason`]. `None` if it passes.
    pub fn wrong_output(&self, printed: &[u8]) -> Option<String> {
        let expected = self.stdout.as_deref()?;
        let text = String::from_utf8_lossy(printed);
        if self.is_same(printed, expected) {
            return None;
        }
        if text.trim_end_matches('\n') == expected.trim_end_matches('\n') {
            let what = "prints the expected output except for newlines at its end, which match = \"space\" ignores";
            return Some(what.to_owned());
        }
        let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
        let (printed, expected) = (lines(&text), lines(expected));
        let most = printed.len().max(expected.len());
        let at = (0..most).find(|at| printed.get(*at) != expected.get(*at));
        let at = at.unwrap_or(0);
        let quote = |lines: &[String]| match lines.get(at) {
            Some(line) if line.is_empty() && at + 1 == lines.len() => "nothing".to_owned(),
            Some(line) if line.is_empty() => "an empty line".to_owned(),
            Some(line) => quoted(line),
            None => "nothing".to_owned(),
        };
        let (printed, expected) = (quote(&printed), quote(&expected));
        Some(format!(
            "prints {printed} instead of {expected} on line {}",
            at + 1
        ))
    }

    fn is_same(&self, printed: &[u8], expected: &str) -> bool {
        match self.comparison {
            Comparison::Exact => printed == expected.as_bytes(),
            Comparison::Space => String::from_utf8_lossy(printed)
                .split_whitespace()
                .eq(expected.split_whitespace()),
        }
    }

    /// The verdict, and how close the test came to passing.
    ///
    /// # Errors
    /// If the output cannot be read.
    pub fn judge(&self, exit: &Exit, printed: &Utf8Path) -> Result<(Verdict, Progress)> {
        let Some(expected) = &self.stdout else {
            let verdict = self.by_exit_code(exit).unwrap_or(Verdict::Passed);
            return Ok((verdict, Progress::default()));
        };
        let bytes = read_output(expected, printed)?;
        let text = String::from_utf8_lossy(&bytes);
        let is_same = self.is_same(&bytes, expected);
        let verdict = match (self.by_exit_code(exit), is_same) {
            (Some(verdict), _) => verdict,
            (None, true) => Verdict::Passed,
            (None, false) => Verdict::Failed,
        };
        Ok((verdict, Progress::of(&text, expected)))
    }

    /// The verdict that follows from the exit code alone; `None` if the exit code is the expected one.
    fn by_exit_code(&self, exit: &Exit) -> Option<Verdict> {
        match exit.code {
            None => Some(Verdict::Crashed),
            Some(code) if code != self.exit => Some(Verdict::Failed),
            Some(_) => None,
        }
    }
}

/// The most characters of a line that are quoted in a message.
const MOST_QUOTED: usize = 60;

/// A line between backticks. Quotes stay as they are: the line stands between others.
fn quoted(line: &str) -> String {
    let shown = line.chars().take(MOST_QUOTED).map(|c| match c {
        '"' | '\'' => c.to_string(),
        c => c.escape_debug().to_string(),
    });
    format!("`{}`", shown.collect::<String>())
}

/// The line with which a test probably says why it fails: the first one that speaks of a failure, or else the last one.
fn message(printed: &str) -> Option<&str> {
    let lines = || {
        printed
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let speaks = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["fail", "error", "not ok", "expected"]
            .iter()
            .any(|word| line.contains(word))
    };
    lines().find(speaks).or_else(|| lines().next_back())
}

/// Reads the actual output, but not much more than the expected length: a longer output is wrong whatever
/// follows.
fn read_output(expected: &str, printed: &Utf8Path) -> Result<Vec<u8>> {
    let most = 4 * expected.len() as u64 + 4096;
    let mut bytes = Vec::new();
    if let Some(file) = output::open(printed.as_std_path())? {
        file.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_agreement_is_more_progress() {
        let near = |printed: &str| Progress::of(printed, "1 20 abc");
        assert!(near("1 20 ab") > near("1 20 a"));
        assert!(near("1 20 x") > near("1 19 abc"));
        assert!(near("1 19 abc") > near("1 12 abc"));
        assert!(near("1 12") > near("1"));
        assert!(near("2") > near(""));
    }

    #[test]
    fn a_shell_runs_only_lines_that_need_one() {
        let words = |line: &str| match Command::parse(line) {
            Command::Words(words) => Some(words.join("|")),
            Command::Line(_) => None,
        };
        assert_eq!(words("./leap 1900").as_deref(), Some("./leap|1900"));
        assert_eq!(words("./a 'b c' \"d\"").as_deref(), Some("./a|b c|d"));
        assert_eq!(words("./a | sort"), None);
        assert_eq!(words("./a $HOME"), None);
        assert_eq!(words("X=1 ./a"), None);
        assert_eq!(words("./a *.txt"), None);
        assert_eq!(
            words("./a '[a]' \"b*c\" --n=3"),
            Some("./a|[a]|b*c|--n=3".to_owned())
        );
        assert_eq!(
            words(r#"./a '$x `y` | < ;' "a|b" \* c\ d "#).as_deref(),
            Some("./a|$x `y` | < ;|a|b|*|c d")
        );
        assert_eq!(
            words(r#"./a "it's" 'a"b' "\$x \"y\"" ''"#).as_deref(),
            Some("./a|it's|a\"b|$x \"y\"|")
        );
        assert_eq!(
            words("./a ^x a! prüf 50%").as_deref(),
            Some("./a|^x|a!|prüf|50%")
        );
        for line in [
            "./a [a]",
            "./a a?",
            "./a \"$HOME\"",
            "./a \"`pwd`\"",
            "./a <in",
            "./a >out",
            "./a; ./b",
            "./a && ./b",
            "./a & wait",
            "(./a)",
            "./a {b,c}",
            "./a ~",
            "./a # why",
            "./a\n./b",
            "! ./a",
            "exec ./a x",
            "./a 'open",
            "./a '*' *",
            "",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
    }
}
