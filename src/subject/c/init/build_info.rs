//! How a program is built, as detected, and helpers for shell commands.

use camino::{Utf8Path, Utf8PathBuf};

use crate::subject::paths::relative;

/// A detected build; incomplete if the build files cannot be fully interpreted.
#[derive(Debug, Default)]
pub struct BuildInfo {
    /// The shell command that builds the program.
    pub command: String,
    /// The file that it was detected from.
    pub from: String,
    /// The build tool could not say what it does.
    pub is_guess: bool,
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

/// Prints the lines of a test in the format of the Test Anything Protocol, and fails if one says that something fails.
const OF_LINES: &str = "awk '{ print } /^not ok/ && !/# *([Tt][Oo][Dd][Oo]|[Ss][Kk][Ii][Pp])/ || /^Bail out!/ { bad = 1 } END { exit bad }'";

impl CommandTest {
    /// The same test, which passes if none of its lines says that something fails (Test Anything Protocol).
    pub fn judged_by_lines(self) -> Self {
        Self {
            command: format!("{{ {} || echo Bail out!; }} | {OF_LINES}", self.command),
            ..self
        }
    }
}

/// How a build tool starts a test in the copy of the program.
pub struct Started<'a> {
    /// The root of the copy, an absolute path.
    pub root: &'a Utf8Path,
    /// The working directory, an absolute path.
    pub cwd: &'a Utf8Path,
    /// The program and its arguments.
    pub words: &'a [String],
    /// Its variables, as `NAME=VALUE`.
    pub variables: Vec<String>,
}

impl Started<'_> {
    /// The test, with files named from where it runs; `None` if that is outside of the root.
    pub fn test(&self, name: &str) -> Option<CommandTest> {
        let cwd = self.cwd.strip_prefix(self.root).ok()?;
        let (program, args) = self.words.split_first()?;
        let program = match Utf8Path::new(program).strip_prefix(self.root) {
            Ok(_) => invocation(relative(self.cwd, Utf8Path::new(program)).as_str()),
            Err(_) => program.clone(),
        };
        let env = self.variables.first().map(|_| "env".to_owned());
        let env = env
            .into_iter()
            .chain(self.variables.iter().map(|word| self.named_from(word)));
        let args = args.iter().map(|word| self.named_from(word));
        let words: Vec<String> = env.chain([program]).chain(args).collect();
        Some(CommandTest {
            name: name.to_owned(),
            command: line(words.iter().map(String::as_str)),
            cwd: (!cwd.as_str().is_empty()).then(|| cwd.to_string()),
            functions: Vec::new(),
        })
    }

    /// A text in which the absolute path of the root is replaced by the way to it from the working directory.
    pub fn named_from(&self, text: &str) -> String {
        let below = self.cwd.strip_prefix(self.root).unwrap_or(self.cwd);
        let up = below.components().map(|_| "..").collect::<Utf8PathBuf>();
        let to = match up.as_str() {
            "" => ".",
            up => up,
        };
        let mut parts = text.split(self.root.as_str());
        let mut replaced = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_end = part.is_empty() || part.starts_with(['/', ':', ';', ',', ' ', '"', '\'']);
            replaced += if is_end { to } else { self.root.as_str() };
            replaced += part;
        }
        replaced
    }
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
