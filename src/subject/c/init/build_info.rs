//! A build as it is told, and how what it makes is started.

use camino::Utf8PathBuf;

/// A build, as far as it can be told.
#[derive(Debug, Default)]
pub struct Building {
    /// The line for the shell.
    pub command: String,
    /// What told it.
    pub from: String,
    /// What is built, as one starts it.
    pub programs: Vec<String>,
    /// The files that are built, if that is told.
    pub sources: Option<Vec<Utf8PathBuf>>,
    pub tests: Vec<Single>,
    /// For the reader of the file.
    pub notes: Vec<String>,
    /// For the user to look after.
    pub open: Vec<String>,
}

/// A test that passes if the command exits with 0.
#[derive(Debug, PartialEq, Eq)]
pub struct Single {
    pub name: String,
    pub command: String,
    /// Where it runs, if not in the program's directory.
    pub cwd: Option<String>,
}

/// How a program in a directory is started.
pub fn started(path: &str) -> String {
    match path.contains('/') {
        true => path.to_owned(),
        false => format!("./{path}"),
    }
}

/// Words as a line for the shell.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    shlex::try_join(words).unwrap_or_default()
}
