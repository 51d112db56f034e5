//! What may be said of a C program besides what its `nopol.toml` says.

use camino::Utf8PathBuf;

/// Which program, how it is built, and its tests; what is given here takes the place of what the file
/// says.
#[derive(Clone, Debug, Default)]
pub struct COptions {
    /// The file that tells how the program is built and tested, or its directory; the nearest `nopol.toml` if
    /// `None`.
    pub config: Option<Utf8PathBuf>,
    /// Source files that may be patched, and globs.
    pub source: Vec<String>,
    /// A shell command that builds the program.
    pub build: Option<String>,
    /// A glob of files, one for each test; needs `command`.
    pub input: Option<String>,
    /// A glob of the files that say what these tests must print.
    pub output: Option<String>,
    /// The command of these tests.
    pub command: Option<String>,
    /// A command that runs the test `{name}`.
    pub script: Option<String>,
    /// The tests that the script can run.
    pub name: Vec<String>,
    /// Whether the tests run under sanitizers, too.
    pub sanitize: Option<bool>,
}
