//! What the command line says of a C program.

use camino::Utf8PathBuf;
use clap::Args;

/// Which program, how it is built, and its tests; what is given here takes the place of what the file
/// says.
#[derive(Args, Clone, Debug, Default)]
pub struct COptions {
    /// The file that tells how the program is built and tested [default: the nearest nopol.toml]
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    pub config: Option<Utf8PathBuf>,

    /// A source file that may be patched; may be given several times, and be a glob
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    pub source: Vec<String>,

    /// A shell command that builds the program
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    pub build: Option<String>,

    /// One test for each file that matches this glob: its content is standard input, or, with
    /// {args-file} in --command, its words are arguments
    #[arg(
        long,
        value_name = "GLOB",
        help_heading = "Tests",
        requires = "command"
    )]
    pub input: Option<String>,

    /// The files that say what each of these tests must print
    #[arg(long, value_name = "GLOB", help_heading = "Tests", requires = "input")]
    pub output: Option<String>,

    /// The command of these tests
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Tests",
        requires = "input"
    )]
    pub command: Option<String>,

    /// A command that runs the test {name} and exits with 0 if it passes
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Tests",
        requires = "name"
    )]
    pub script: Option<String>,

    /// A test that --script can run; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "Tests", requires = "script")]
    pub name: Vec<String>,

    /// Run the tests under AddressSanitizer and UndefinedBehaviorSanitizer, too; a report fails a test
    #[arg(long, help_heading = "Tests")]
    pub sanitize: bool,
}
