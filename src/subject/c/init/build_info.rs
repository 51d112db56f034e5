//! How a program is built, as detected, and helpers for shell commands.

use camino::Utf8PathBuf;

/// A detected build; incomplete if the build files cannot be fully interpreted.
#[derive(Debug, Default)]
pub struct BuildInfo {
    /// The shell command that builds the program.
    pub command: String,
    /// The file that it was detected from.
    pub from: String,
    /// The commands that start the built programs.
    pub programs: Vec<String>,
    /// The compiled files, if known.
    pub sources: Option<Vec<Utf8PathBuf>>,
    pub tests: Vec<CommandTest>,
    /// Where the tests were detected, if not in `from`.
    pub tests_from: Option<String>,
    /// Comments for the generated file.
    pub notes: Vec<String>,
    /// Targets that may run tests.
    pub test_targets: Vec<TestTarget>,
    /// What the user still has to check or fill in.
    pub todo: Vec<String>,
}

impl BuildInfo {
    /// Where the tests were detected.
    pub fn tests_from(&self) -> &str {
        self.tests_from.as_deref().unwrap_or(&self.from)
    }
}

/// A target of a build file that may run tests.
#[derive(Debug)]
pub struct TestTarget {
    pub name: String,
    /// The build file.
    pub file: String,
    /// The commands of the target.
    pub recipe: Vec<String>,
}

impl TestTarget {
    /// Whether one of its commands runs a script without arguments.
    pub fn runs(&self, script: &str) -> bool {
        self.recipe.iter().any(|command| command.trim() == script)
    }
}

/// A test that passes if its command exits with 0.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandTest {
    pub name: String,
    pub command: String,
    /// The working directory, if it is not the program's directory.
    pub cwd: Option<String>,
    /// The files with its test functions, if it has several.
    pub functions: Vec<Utf8PathBuf>,
}

/// The command that starts the program at a path.
pub fn invocation(path: &str) -> String {
    match path.contains('/') {
        true => path.to_owned(),
        false => format!("./{path}"),
    }
}

/// Joins words to a shell command.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    shlex::try_join(words).unwrap_or_default()
}
