//! What cargo-nextest's configuration says of tests (`--test-tool nextest`): which of them run, how often one may be run
//! again, and which must not run beside others. The tool itself is asked what its filters mean.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use camino::Utf8Path;
use nopol_process::run::id::{TargetId, TestId};
use nopol_process::run::rules::{Group, Rule, Rules};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Packages;
use super::build::{Cargo, Runs};
use crate::subject::SubjectError;
use crate::subject::ecosystem::ToolRules;
use crate::subject::workspace::{Linked, Workspace};

/// Where the configuration is, below the workspace.
const FILE: &str = ".config/nextest.toml";
/// The tool may be silent for this long while it lists tests.
const SILENCE: Duration = Duration::from_secs(300);

/// The part of the configuration that matters.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Config {
    profile: BTreeMap<String, Profile>,
    test_groups: BTreeMap<String, TestGroup>,
    scripts: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Profile {
    inherits: Option<String>,
    retries: Option<Retries>,
    overrides: Vec<Override>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Override {
    filter: Option<String>,
    platform: Option<IgnoredAny>,
    retries: Option<Retries>,
    test_group: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct TestGroup {
    max_threads: Threads,
}

/// A number, or a table that has it beside the time between two runs.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Retries {
    Count(u32),
    Table { count: u32 },
}

impl Retries {
    fn count(self) -> u32 {
        match self {
            Self::Count(count) | Self::Table { count } => count,
        }
    }
}

/// A number, or `num-cpus`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Threads {
    Number(i64),
    Word(#[expect(dead_code, reason = "there is only one")] String),
}

impl Threads {
    fn most(&self) -> usize {
        match self {
            // As many fewer than there are processors.
            Self::Number(number) if *number < 0 => 1,
            Self::Number(number) => usize::try_from(*number).unwrap_or(usize::MAX),
            Self::Word(_) => usize::MAX,
        }
    }
}

/// What `cargo nextest list` prints.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Listed {
    rust_suites: BTreeMap<String, Suite>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Suite {
    package_name: String,
    binary_name: String,
    kind: String,
    testcases: BTreeMap<String, Case>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Case {
    filter_match: FilterMatch,
}

#[derive(Debug, Deserialize)]
struct FilterMatch {
    status: String,
}

impl Listed {
    /// The tests that the filters let through.
    fn chosen(self) -> BTreeSet<TestId> {
        let of_suite = |suite: Suite| {
            let target = TargetId {
                package: suite.package_name,
                target: suite.binary_name,
                kind: suite.kind,
            };
            let cases = suite.testcases.into_iter();
            let chosen = cases.filter(|(_, case)| case.filter_match.status == "matches");
            let test = |(name, _)| TestId {
                target: target.clone(),
                name,
            };
            chosen.map(test).collect::<Vec<_>>()
        };
        self.rust_suites.into_values().flat_map(of_suite).collect()
    }
}

/// What the configuration says of the tests that the user chose.
///
/// # Errors
/// [`SubjectError::Usage`] if the tool is not installed or refuses its configuration; another error if the run is stopped.
pub fn rules(at: &Workspace, packages: &Packages) -> Result<ToolRules> {
    let cargo = Cargo { at, packages };
    let config = config(&at.root.join(FILE))?;
    let name = std::env::var("NEXTEST_PROFILE").unwrap_or_else(|_| "default".to_owned());
    let profiles = config.profiles(&name);
    let retries = profiles.iter().find_map(|profile| profile.retries);
    let usual = Rule {
        retries: retries.map_or(0, Retries::count),
        group: None,
    };
    let chosen = cargo.nextest_list(None)?;
    let mut rules: BTreeMap<TestId, Rule> = chosen
        .into_iter()
        .map(|test| (test, usual.clone()))
        .collect();
    let mut told = ToolRules::default();
    // Of several overrides of a test the first one holds, for each setting by itself.
    let (mut with_retries, mut with_group) = (BTreeSet::new(), BTreeSet::new());
    for over in profiles.iter().flat_map(|profile| &profile.overrides) {
        if over.retries.is_none() && over.test_group.is_none() {
            continue;
        }
        if over.platform.is_some() {
            told.warnings.push(format!(
                "an override in {FILE} is for a platform; it is ignored"
            ));
            continue;
        }
        let tests = match &over.filter {
            None => rules.keys().cloned().collect(),
            Some(filter) => cargo.nextest_list(Some(filter))?,
        };
        let group = over.test_group.as_ref().map(|name| config.group(name));
        for test in tests {
            let Some(rule) = rules.get_mut(&test) else {
                continue;
            };
            if let Some(retries) = over.retries
                && with_retries.insert(test.clone())
            {
                rule.retries = retries.count();
            }
            if let Some(group) = &group
                && with_group.insert(test.clone())
            {
                rule.group.clone_from(group);
            }
        }
    }
    if config.scripts.is_some() {
        told.warnings
            .push(format!("the scripts in {FILE} are not run"));
    }
    let mut by_target: BTreeMap<TargetId, Rules> = BTreeMap::new();
    for (test, rule) in rules {
        by_target
            .entry(test.target)
            .or_default()
            .insert(test.name, rule);
    }
    told.rules = by_target
        .into_iter()
        .map(|(target, rules)| (target, Arc::new(rules)))
        .collect();
    Ok(told)
}

/// The configuration; an empty one if there is no file.
fn config(path: &Utf8Path) -> Result<Config, SubjectError> {
    let Ok(text) = fs::read_to_string(path) else {
        return Ok(Config::default());
    };
    toml_edit::de::from_str(&text)
        .map_err(|error| SubjectError::Usage(format!("{FILE}: {}", error.message())))
}

impl Config {
    /// A profile, then those that it inherits from.
    fn profiles(&self, name: &str) -> Vec<&Profile> {
        let mut names: Vec<&str> = Vec::new();
        let mut next = Some(name);
        while let Some(name) = next.filter(|name| !names.contains(name)) {
            names.push(name);
            let profile = self.profile.get(name);
            next = profile.and_then(|profile| profile.inherits.as_deref());
        }
        if !names.contains(&"default") {
            names.push("default");
        }
        let known = names.into_iter().filter_map(|name| self.profile.get(name));
        known.collect()
    }

    /// A group; `None` if all of its tests may run at a time.
    fn group(&self, name: &str) -> Option<Group> {
        let group = self.test_groups.get(name)?;
        Some(Group {
            name: name.into(),
            most: group.max_threads.most(),
        })
    }
}

impl Cargo<'_> {
    /// The tests that cargo-nextest would run, or those among them that a filter lets through.
    fn nextest_list(&self, filter: Option<&str>) -> Result<BTreeSet<TestId>> {
        let mut args = ["nextest", "list", "--message-format=json"]
            .map(str::to_owned)
            .to_vec();
        let options = &self.packages.options;
        let of_build = options.build_args(&self.specifications()).into_iter();
        // `--profile` is that of the tests.
        args.extend(of_build.map(|arg| match arg.strip_prefix("--profile=") {
            Some(profile) => format!("--cargo-profile={profile}"),
            None => arg,
        }));
        args.extend(filter.map(|filter| format!("--filterset={filter}")));
        let (run, _) = self.at.tree.guard("nextest", || {
            self.cargo(args.clone(), Linked::Plain, Some(Runs::within(SILENCE)))
        })?;
        let (succeeded, stdout, stderr) = run;
        if !succeeded {
            let said = fs::read_to_string(stderr).unwrap_or_default();
            let text = match said.contains("no such command") {
                true => "--test-tool nextest: cargo-nextest is not installed; install it (`cargo install --locked cargo-nextest`), or leave the option out".to_owned(),
                false => format!("--test-tool nextest: `cargo nextest list` fails:\n\n{}", said.trim()),
            };
            return Err(SubjectError::Usage(text).into());
        }
        let text = fs::read_to_string(stdout)?;
        let listed: Listed = serde_json::from_str(&text).map_err(|error| {
            SubjectError::Usage(format!(
                "--test-tool nextest: what `cargo nextest list` prints cannot be read: {error}"
            ))
        })?;
        Ok(listed.chosen())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_says_what_the_ones_that_it_inherits_from_do_not() {
        let text = r#"
            [test-groups]
            serial = { max-threads = 1 }
            wide = { max-threads = "num-cpus" }
            [profile.default]
            retries = { backoff = "fixed", count = 2, delay = "1s" }
            fail-fast = false
            [profile.ci]
            retries = 3
            [profile.night]
            inherits = "ci"
            [[profile.night.overrides]]
            filter = "test(/^net/)"
            test-group = "serial"
        "#;
        let config: Config = toml_edit::de::from_str(text).unwrap();
        let retries = |name| {
            let profiles = config.profiles(name);
            profiles
                .iter()
                .find_map(|profile| profile.retries)
                .map(Retries::count)
        };
        assert_eq!(retries("default"), Some(2));
        assert_eq!(retries("night"), Some(3));
        assert_eq!(retries("no-such"), Some(2));
        assert_eq!(config.profiles("night")[0].overrides.len(), 1);
        assert_eq!(config.group("serial").unwrap().most, 1);
        assert_eq!(config.group("wide").unwrap().most, usize::MAX);
        assert_eq!(config.group("unknown"), None);
    }

    #[test]
    fn the_tests_that_the_filters_let_through_are_named_as_ours() {
        let text = r#"{"rust-suites": {"a::bin/b": {"package-name": "a", "binary-name": "b", "kind": "bin",
            "testcases": {"x::y": {"filter-match": {"status": "matches"}},
                          "x::z": {"filter-match": {"status": "mismatch", "reason": "expression"}}}}}}"#;
        let chosen = serde_json::from_str::<Listed>(text).unwrap().chosen();
        let names: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["a::b::x::y"]);
    }
}
