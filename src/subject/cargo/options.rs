//! Cargo options that select crates and tests, and how they are passed on to cargo.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::id::TargetId;
use serde::{Deserialize, Serialize};

use super::added::AddedTest;

/// Which workspace, tests, features and profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct CargoOptions {
    /// The `Cargo.toml` of the package or workspace; `None` means the nearest in the current directory and its
    /// ancestors.
    #[serde(skip)]
    pub manifest_path: Option<Utf8PathBuf>,
    /// Packages whose tests run; sites are in all workspace members and path dependencies.
    pub package: Vec<String>,
    /// Whether the tests of all members run.
    pub workspace: bool,
    /// Packages that `workspace` does not include.
    pub exclude: Vec<String>,
    /// Whether to run the unit tests of libraries only, in addition to the named targets.
    pub lib: bool,
    /// Whether the unit tests of all binaries run.
    pub bins: bool,
    /// Binaries that run with their unit tests.
    pub bin: Vec<String>,
    /// Whether the unit tests of all examples run.
    pub examples: bool,
    /// Examples that run with their unit tests.
    pub example: Vec<String>,
    /// Whether all unit and integration tests run. This is also the default.
    pub tests: bool,
    /// Integration test targets that run.
    pub test: Vec<String>,
    /// Whether all targets run, examples and benchmarks as well.
    pub all_targets: bool,
    /// Features to activate.
    pub features: Vec<String>,
    /// Whether all features are activated.
    pub all_features: bool,
    /// Whether the `default` feature is not.
    pub no_default_features: bool,
    /// Options that choose which tests run, and how.
    pub test_tool: TestTool,
    /// Whether the profile is `release`.
    pub release: bool,
    /// The build profile.
    pub profile: Option<String>,
    /// The target triple to build for. `None` means what cargo's configuration says.
    pub target: Option<String>,
    /// The user's target directory. `None` means what cargo's configuration says.
    #[serde(skip)]
    pub target_dir: Option<Utf8PathBuf>,
    /// Values of cargo's configuration, `KEY=VALUE`, or paths of configuration files.
    #[serde(skip)]
    pub config: Vec<String>,
    /// Whether `Cargo.lock` must not change.
    pub locked: bool,
    /// Whether cargo must not access the network.
    pub offline: bool,
    /// Whether both hold.
    pub frozen: bool,
    /// Arguments for the test binaries.
    #[serde(skip)]
    pub test_args: Vec<String>,
    /// A test that only the working copies have.
    #[serde(skip)]
    pub added_test: Option<AddedTest>,
}

/// What runs the user's tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestTool {
    /// `cargo test`.
    #[default]
    Cargo,
    /// `cargo nextest`: its filters, retries and groups hold.
    Nextest,
}

impl TestTool {
    /// Every tool.
    pub const ALL: [Self; 2] = [Self::Cargo, Self::Nextest];

    /// Its name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Nextest => "nextest",
        }
    }
}

impl CargoOptions {
    /// `--locked`, `--offline`, `--frozen` and `--config`, which every command of cargo takes.
    pub fn common_args(&self) -> Vec<String> {
        let flags = [
            (self.locked, "--locked"),
            (self.offline, "--offline"),
            (self.frozen, "--frozen"),
        ];
        let chosen = flags.into_iter().filter(|(given, _)| *given);
        let mut args: Vec<String> = chosen.map(|(_, flag)| flag.to_string()).collect();
        args.extend(self.config.iter().map(|value| {
            // Cargo runs in another directory.
            let path = Utf8Path::new(value);
            let path = path.is_file().then(|| path.canonicalize_utf8().ok());
            format!(
                "--config={}",
                path.flatten()
                    .map_or(value.clone(), Utf8PathBuf::into_string)
            )
        }));
        args
    }

    /// `--features` and related options.
    pub fn feature_args(&self) -> Vec<String> {
        let mut args = Vec::new();
        if self.all_features {
            args.push("--all-features".to_string());
        }
        if self.no_default_features {
            args.push("--no-default-features".to_string());
        }
        if !self.features.is_empty() {
            args.push(format!("--features={}", self.features.join(",")));
        }
        args
    }

    fn package_args(&self, packages: &[String]) -> Vec<String> {
        let mut args = self.common_args();
        args.extend(self.feature_args());
        args.extend(packages.iter().map(|spec| format!("--package={spec}")));
        if self.workspace {
            args.push("--workspace".to_string());
            args.extend(self.exclude.iter().map(|name| format!("--exclude={name}")));
        }
        if self.release {
            args.push("--release".to_string());
        }
        args.extend(
            self.profile
                .iter()
                .map(|profile| format!("--profile={profile}")),
        );
        args.extend(
            self.target
                .iter()
                .map(|target| format!("--target={target}")),
        );
        args
    }

    /// The directory in which cargo puts what it compiles with this profile.
    pub fn profile_dir(&self) -> &str {
        match self.profile.as_deref() {
            None if self.release => "release",
            None | Some("dev" | "test") => "debug",
            Some("bench") => "release",
            Some(profile) => profile,
        }
    }

    /// Whether the options name particular test targets.
    pub fn names_targets(&self) -> bool {
        let names = [&self.bin, &self.example, &self.test];
        self.lib
            || self.bins
            || self.examples
            || self.tests
            || self.all_targets
            || names.into_iter().any(|names| !names.is_empty())
    }

    /// Arguments for `cargo test --no-run`: unit and integration tests. `packages` are cargo's
    /// specifications of [`CargoOptions::package`].
    pub fn build_args(&self, packages: &[String]) -> Vec<String> {
        let mut args = self.package_args(packages);
        args.extend(self.target_args());
        // A program that is run may be an example.
        if !self.names_targets() && self.added_test.is_none() {
            // The targets of `cargo test`, without examples and benches.
            args.push("--tests".to_string());
        }
        args
    }

    /// Arguments for `cargo test --no-run` that build only these targets with tests, and what they need.
    pub fn build_args_of(&self, packages: &[String], targets: &BTreeSet<TargetId>) -> Vec<String> {
        let mut args = self.package_args(packages);
        let flags = targets.iter().map(|target| match &*target.kind {
            "lib" => "--lib".to_owned(),
            kind => format!("--{kind}={}", target.target),
        });
        // Several packages may have a target of this name.
        let flags: BTreeSet<String> = flags.collect();
        args.extend(flags);
        args
    }

    /// The command that builds the tests as the user would type it, with the options that were given.
    pub fn test_command(&self) -> String {
        let mut words = vec!["cargo".to_owned(), "test".to_owned(), "--no-run".to_owned()];
        words.extend(self.user_args());
        let is_plain =
            |letter: char| letter.is_ascii_alphanumeric() || "-_=./,:@+".contains(letter);
        let quoted = |word: &String| match shlex::try_quote(word) {
            Ok(quoted) if !word.chars().all(is_plain) => quoted.into_owned(),
            _ => word.clone(),
        };
        words.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }

    fn target_args(&self) -> Vec<String> {
        let flags = [
            (self.lib, "--lib"),
            (self.bins, "--bins"),
            (self.examples, "--examples"),
            (self.tests, "--tests"),
            (self.all_targets, "--all-targets"),
        ];
        let chosen = flags.into_iter().filter(|(given, _)| *given);
        let mut args: Vec<String> = chosen.map(|(_, flag)| flag.to_string()).collect();
        args.extend(self.bin.iter().map(|name| format!("--bin={name}")));
        args.extend(self.example.iter().map(|name| format!("--example={name}")));
        args.extend(self.test.iter().map(|name| format!("--test={name}")));
        args
    }

    /// Arguments for the `cargo test` that the user would type.
    pub fn user_args(&self) -> Vec<String> {
        let mut args: Vec<String> = Vec::new();
        let manifest = self.manifest_path.iter();
        args.extend(manifest.map(|path| format!("--manifest-path={path}")));
        args.extend(self.package_args(&self.package));
        args.extend(self.target_args());
        let dir = self.target_dir.iter();
        args.extend(dir.map(|dir| format!("--target-dir={dir}")));
        args
    }

    /// Arguments for `cargo test --doc`, with `packages` as above.
    pub fn doc_args(&self, packages: &[String]) -> Vec<String> {
        self.package_args(packages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_for_some_targets_names_each_once() {
        let target = |package: &str, kind: &str, target: &str| TargetId {
            package: package.to_owned(),
            target: target.to_owned(),
            kind: kind.to_owned(),
        };
        let targets = [
            target("a", "lib", "a"),
            target("b", "lib", "b"),
            target("a", "test", "it"),
            target("a", "bin", "tool"),
        ];
        let options = CargoOptions {
            workspace: true,
            tests: true,
            ..CargoOptions::default()
        };
        let args = options.build_args_of(&[], &targets.into());
        assert_eq!(args, ["--workspace", "--bin=tool", "--lib", "--test=it"]);
    }
}
