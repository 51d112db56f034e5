//! A test that is a command of its own: what it is given, and what it must yield.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

use super::process::Ended;
use super::verdict::Verdict;

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub command: Command,
    /// Where it runs, relative to the root.
    pub cwd: Utf8PathBuf,
    pub stdin: Input,
    /// The exit code it must have.
    pub exit: i32,
    /// What it must print, if that matters.
    pub stdout: Option<String>,
    pub comparison: Comparison,
    pub timeout: Option<Duration>,
}

/// How a test is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A line for the shell, for it has more than words.
    Line(String),
}

impl Command {
    /// Words where the line has nothing that only a shell understands.
    pub fn parse(line: &str) -> Self {
        let is_plain = |c: char| {
            c.is_alphanumeric()
                || matches!(
                    c,
                    ' ' | '_' | '-' | '.' | '/' | '+' | ',' | ':' | '@' | '%' | '\'' | '"'
                )
        };
        let has_program = line
            .split_whitespace()
            .next()
            .is_some_and(|word| !word.contains('='));
        let words = shlex::split(line).filter(|words| !words.is_empty());
        match words.filter(|_| has_program && line.chars().all(is_plain)) {
            Some(words) => Self::Words(words),
            None => Self::Line(line.to_owned()),
        }
    }

    /// The program to start, and its arguments.
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

/// What a test reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    #[default]
    Nothing,
    Text(String),
    /// A file, relative to the root.
    File(Utf8PathBuf),
}

impl Input {
    /// The file that a test reads, made in `dir` if need be.
    ///
    /// # Errors
    /// If it cannot be opened or written.
    pub fn open(&self, root: &Utf8Path, dir: &Utf8Path) -> Result<Option<File>> {
        let path = match self {
            Self::Nothing => return Ok(None),
            Self::File(path) => root.join(path),
            Self::Text(text) => {
                let path = dir.join("stdin");
                std::fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
                path
            }
        };
        let file = File::open(&path).with_context(|| format!("cannot open {path}"))?;
        Ok(Some(file))
    }
}

/// How what is printed is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// Byte by byte.
    #[default]
    Exact,
    /// Word by word, whatever is between them.
    Space,
}

/// How near what a test printed is to what it should have: the words that agree, from the first on, and
/// then how far the next one is from the one in its place, if both are numbers, or in how many
/// characters they agree.
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
                // What is missing, or too much, is farther than any number.
                _ => {
                    let nearness = i64::MIN;
                    return Self { words, nearness };
                }
            }
        }
    }
}

impl Case {
    /// What is wrong with how the test ended, as what follows its name in a sentence; `None` if nothing is.
    ///
    /// # Errors
    /// If what it printed cannot be read.
    pub fn why(&self, ended: &Ended, printed: &Utf8Path) -> Result<Option<String>> {
        let Some(code) = ended.code else {
            return Ok(Some("crashes".to_owned()));
        };
        if code != self.exit {
            return Ok(Some(format!("exits with {code} instead of {}", self.exit)));
        }
        let Some(expected) = &self.stdout else {
            return Ok(None);
        };
        let bytes = printed_of(expected, printed)?;
        let text = String::from_utf8_lossy(&bytes);
        if self.is_same(&bytes, expected) {
            return Ok(None);
        }
        if text.trim_end_matches('\n') == expected.trim_end_matches('\n') {
            let what = "prints what is expected but for newlines at its end, where match = \"space\" does not look";
            return Ok(Some(what.to_owned()));
        }
        let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
        let (printed, expected) = (lines(&text), lines(expected));
        let most = printed.len().max(expected.len());
        let at = (0..most).find(|at| printed.get(*at) != expected.get(*at));
        let at = at.unwrap_or(0);
        let told = |lines: &[String]| match lines.get(at) {
            Some(line) => {
                let line: String = line.chars().take(MOST_TOLD).collect();
                format!("`{}`", line.escape_debug())
            }
            None => "nothing".to_owned(),
        };
        let (printed, expected) = (told(&printed), told(&expected));
        Ok(Some(format!(
            "prints {printed} instead of {expected} in line {}",
            at + 1
        )))
    }

    fn is_same(&self, printed: &[u8], expected: &str) -> bool {
        match self.comparison {
            Comparison::Exact => printed == expected.as_bytes(),
            Comparison::Space => String::from_utf8_lossy(printed)
                .split_whitespace()
                .eq(expected.split_whitespace()),
        }
    }

    /// What became of the test, and how near it came to passing.
    ///
    /// # Errors
    /// If what it printed cannot be read.
    pub fn judge(&self, ended: &Ended, printed: &Utf8Path) -> Result<(Verdict, Progress)> {
        let Some(expected) = &self.stdout else {
            let verdict = self.by_code(ended).unwrap_or(Verdict::Passed);
            return Ok((verdict, Progress::default()));
        };
        let bytes = printed_of(expected, printed)?;
        let text = String::from_utf8_lossy(&bytes);
        let is_same = self.is_same(&bytes, expected);
        let verdict = match (self.by_code(ended), is_same) {
            (Some(verdict), _) => verdict,
            (None, true) => Verdict::Passed,
            (None, false) => Verdict::Failed,
        };
        Ok((verdict, Progress::of(&text, expected)))
    }

    /// What the exit code says, unless it is the right one.
    fn by_code(&self, ended: &Ended) -> Option<Verdict> {
        match ended.code {
            None => Some(Verdict::Crashed),
            Some(code) if code != self.exit => Some(Verdict::Failed),
            Some(_) => None,
        }
    }
}

/// Characters of a line that are told.
const MOST_TOLD: usize = 60;

/// What was printed, as far as it may be right; more than that is wrong, however much more it is.
fn printed_of(expected: &str, printed: &Utf8Path) -> Result<Vec<u8>> {
    let most = 4 * expected.len() as u64 + 4096;
    let mut bytes = Vec::new();
    File::open(printed)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agrees_longer_is_nearer() {
        let near = |printed: &str| Progress::of(printed, "1 20 abc");
        assert!(near("1 20 ab") > near("1 20 a"));
        assert!(near("1 20 x") > near("1 19 abc"));
        assert!(near("1 19 abc") > near("1 12 abc"));
        assert!(near("1 12") > near("1"));
        assert!(near("2") > near(""));
    }

    #[test]
    fn a_shell_is_only_started_for_what_words_cannot_say() {
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
    }
}
