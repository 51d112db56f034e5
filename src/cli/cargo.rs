//! Cargo's own options on the command line.

use camino::Utf8PathBuf;
use clap::Args;
use serde::Serialize;

use super::Target;
use super::options::{named, switch};
use crate::config::{Config, ConfigError};
use crate::subject::cargo::options::{CargoOptions, TestTool};
use crate::subject::cargo::{AddedTest, FuzzOptions, RunOptions, settings_files};
use crate::subject::{Project, SubjectError};

/// Which workspace, tests, features and profile; the same words as cargo's.
#[derive(Args, Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CargoFlags {
    /// Path to Cargo.toml
    #[arg(short, long, value_name = "PATH")]
    #[serde(skip)]
    manifest_path: Option<Utf8PathBuf>,

    /// Consider only this package's tests (the fault may be in any workspace member or path dependency)
    #[arg(short, long, value_name = "NAME", help_heading = "Tests")]
    package: Option<Vec<String>>,

    /// Run the tests of all workspace members
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    workspace: Option<bool>,

    /// With --workspace: do not run the tests of packages that match this name or glob
    #[arg(long, value_name = "NAME", help_heading = "Tests")]
    exclude: Option<Vec<String>>,

    /// Run only the unit tests of the libraries
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    lib: Option<bool>,

    /// Run only the unit tests of all binaries
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    bins: Option<bool>,

    /// Run only the unit tests of this binary
    #[arg(long, value_name = "NAME", help_heading = "Tests")]
    bin: Option<Vec<String>>,

    /// Run only the unit tests of all examples
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    examples: Option<bool>,

    /// Run only the unit tests of this example
    #[arg(long, value_name = "NAME", help_heading = "Tests")]
    example: Option<Vec<String>>,

    /// Run all targets with tests (unit tests and integration tests), but no doctests
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    tests: Option<bool>,

    /// Run only this integration test target
    #[arg(long, value_name = "NAME", help_heading = "Tests")]
    test: Option<Vec<String>>,

    /// Run all targets: as --tests, and examples and benchmarks
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Tests")]
    all_targets: Option<bool>,

    /// The tool that runs your tests: with `nextest`, the filters, retries and groups of its configuration apply
    /// [default: cargo]
    #[arg(long, value_name = "TOOL", help_heading = "Tests", value_parser = named(&TestTool::ALL, TestTool::name))]
    test_tool: Option<TestTool>,

    /// Space-separated list of features to activate
    #[arg(short = 'F', long, value_delimiter = ' ')]
    features: Option<Vec<String>>,

    /// Activate all available features
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    all_features: Option<bool>,

    /// Do not activate the `default` feature
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    no_default_features: Option<bool>,

    /// Build with the release profile
    #[arg(long, short, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    release: Option<bool>,

    /// Build with this profile
    #[arg(long, value_name = "NAME", conflicts_with = "release")]
    profile: Option<String>,

    /// Build for this target, which must be able to run here
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,

    /// Cargo's target directory; the working copy is in it by default
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    target_dir: Option<Utf8PathBuf>,

    /// Override a cargo configuration value, or read this configuration file; may be given several times
    #[arg(long, value_name = "KEY=VALUE|PATH")]
    #[serde(skip)]
    config: Vec<String>,

    /// Assert that `Cargo.lock` will remain unchanged
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    locked: Option<bool>,

    /// Run without accessing the network
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    offline: Option<bool>,

    /// As --locked and --offline
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    frozen: Option<bool>,

    /// Use a run of the binary (or of --bin NAME or --example NAME) as the failing test; ARGS after `--` are its arguments.
    /// The run must exit with 0; your tests show what must not change. No patch changes an example. Reports call the run `nopol_run`
    #[arg(long, help_heading = "Tests")]
    #[serde(skip)]
    run: bool,

    /// With --run: a file with the expected standard output
    #[arg(long, value_name = "FILE", help_heading = "Tests", requires = "run")]
    #[serde(skip)]
    expect: Option<Utf8PathBuf>,

    /// With --run: a file that the run reads as standard input
    #[arg(long, value_name = "FILE", help_heading = "Tests", requires = "run")]
    #[serde(skip)]
    stdin: Option<Utf8PathBuf>,

    /// Use a fuzz target of `cargo fuzz` that fails with the input in FILE as the failing test. Reports call this
    /// `nopol_fuzz`
    #[arg(long, num_args = 2, value_names = ["TARGET", "FILE"], help_heading = "Tests", conflicts_with = "run")]
    #[serde(skip)]
    fuzz: Option<Vec<String>>,

    /// Arguments as after `cargo test --`: names of tests, `--ignored` and others
    #[arg(last = true, value_name = "ARGS")]
    #[serde(skip)]
    test_args: Vec<String>,
}

impl CargoFlags {
    /// The test of `--run` or `--fuzz`.
    fn added_test(&self) -> Option<AddedTest> {
        match self.fuzz.as_deref() {
            Some([target, input]) => Some(AddedTest::Fuzz(FuzzOptions {
                target: target.clone(),
                input: input.into(),
            })),
            _ => self.run.then(|| {
                AddedTest::Run(RunOptions {
                    args: self.test_args.clone(),
                    expect: self.expect.clone(),
                    stdin: self.stdin.clone(),
                })
            }),
        }
    }
}

impl Target for CargoFlags {
    fn add_files(&self, config: &mut Config) -> Result<(), SubjectError> {
        let options = CargoOptions {
            manifest_path: self.manifest_path.clone(),
            config: self.config.clone(),
            ..CargoOptions::default()
        };
        Ok(settings_files(&options, config)?)
    }

    fn add_flags(&self, config: &mut Config) -> Result<(), ConfigError> {
        /// The settings of `--run` and `--fuzz`.
        #[derive(Serialize)]
        struct OfAdded {
            failing: [&'static str; 1],
        }
        config.add_flags(self)?;
        match self.added_test() {
            Some(added) => config.add_flags(&OfAdded {
                failing: [added.name()],
            }),
            None => Ok(()),
        }
    }

    fn project(&self, config: &Config) -> Result<Project, ConfigError> {
        let options: CargoOptions = config.get()?;
        Ok(Project::Cargo(CargoOptions {
            manifest_path: self.manifest_path.clone(),
            target_dir: self.target_dir.clone(),
            config: self.config.clone(),
            test_args: match self.run {
                true => Vec::new(),
                false => self.test_args.clone(),
            },
            added_test: self.added_test(),
            ..options
        }))
    }

    fn print(config: &Config) -> Result<String, ConfigError> {
        config.print::<CargoOptions>()
    }

    fn print_tables(&self) -> Result<String, SubjectError> {
        Ok(String::new())
    }
}
