//! Options that describe a C program in addition to its `nopol.toml`.

use camino::Utf8PathBuf;

/// Which program, how it is built, and its tests. A given option overrides the file.
#[derive(Clone, Debug, Default)]
pub struct COptions {
    /// The file that describes how the program is built and tested, or its directory; `None` means the nearest
    /// `nopol.toml`.
    pub config: Option<Utf8PathBuf>,
    /// Source files that may be patched, and globs.
    pub source: Vec<String>,
    /// A shell command that builds the program.
    pub build: Option<String>,
    /// A glob of input files, one for each test; requires `command`.
    pub input: Option<String>,
    /// A glob of the files with the expected output of these tests.
    pub output: Option<String>,
    /// The command of these tests.
    pub command: Option<String>,
    /// A command that runs the test `{name}`.
    pub script: Option<String>,
    /// The tests that the script can run.
    pub name: Vec<String>,
    /// Whether the tests also run under sanitizers.
    pub sanitize: Option<bool>,
}
