//! Cargo's own options, defined once, and how they are passed on.

use clap::Args;

/// Which workspace, tests, features and profile; the same words as cargo's.
#[derive(Args, Clone, Debug, Default)]
pub struct CargoOptions {
    #[command(flatten)]
    pub manifest: clap_cargo::Manifest,

    /// Run the tests of this package only (sites are in all workspace members and path dependencies)
    #[arg(short, long, value_name = "NAME", help_heading = "Tests")]
    pub package: Vec<String>,

    /// Run the tests of all workspace members
    #[arg(long, help_heading = "Tests")]
    pub workspace: bool,

    /// Run the unit tests of the libraries only
    #[arg(long, help_heading = "Tests")]
    pub lib: bool,

    /// Run the unit tests of this binary
    #[arg(long, value_name = "NAME", help_heading = "Tests")]
    pub bin: Vec<String>,

    /// Run this integration test target
    #[arg(long, value_name = "NAME", help_heading = "Tests")]
    pub test: Vec<String>,

    #[command(flatten)]
    pub features: clap_cargo::Features,

    /// Build with this profile
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,

    /// Assert that `Cargo.lock` will remain unchanged
    #[arg(long)]
    pub locked: bool,

    /// Run without accessing the network
    #[arg(long)]
    pub offline: bool,

    /// Arguments for the test binaries
    #[arg(last = true, value_name = "ARGS")]
    pub test_args: Vec<String>,
}

impl CargoOptions {
    /// `--locked` and `--offline`.
    pub fn lock_args(&self) -> Vec<String> {
        let flags = [(self.locked, "--locked"), (self.offline, "--offline")];
        let chosen = flags.into_iter().filter(|(given, _)| *given);
        chosen.map(|(_, flag)| flag.to_string()).collect()
    }

    /// `--features` and its kin.
    pub fn feature_args(&self) -> Vec<String> {
        let mut args = Vec::new();
        if self.features.all_features {
            args.push("--all-features".to_string());
        }
        if self.features.no_default_features {
            args.push("--no-default-features".to_string());
        }
        if !self.features.features.is_empty() {
            args.push(format!("--features={}", self.features.features.join(",")));
        }
        args
    }

    fn package_args(&self, packages: &[String]) -> Vec<String> {
        let mut args = self.lock_args();
        args.extend(self.feature_args());
        args.extend(packages.iter().map(|spec| format!("--package={spec}")));
        if self.workspace {
            args.push("--workspace".to_string());
        }
        if let Some(profile) = &self.profile {
            args.push(format!("--profile={profile}"));
        }
        args
    }

    /// Whether particular test targets were asked for.
    pub fn names_targets(&self) -> bool {
        self.lib || !self.bin.is_empty() || !self.test.is_empty()
    }

    /// Arguments for `cargo test --no-run`: unit and integration tests. `packages` are cargo's
    /// specifications of [`CargoOptions::package`].
    pub fn build_args(&self, packages: &[String]) -> Vec<String> {
        let mut args = self.package_args(packages);
        if self.lib {
            args.push("--lib".to_string());
        }
        args.extend(self.bin.iter().map(|name| format!("--bin={name}")));
        args.extend(self.test.iter().map(|name| format!("--test={name}")));
        if !self.names_targets() {
            // What `cargo test` runs, without examples and benches.
            args.push("--tests".to_string());
        }
        args
    }

    /// Arguments for `cargo test --doc`, with `packages` as above.
    pub fn doc_args(&self, packages: &[String]) -> Vec<String> {
        self.package_args(packages)
    }
}
