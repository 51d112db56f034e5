//! The options of every subcommand. Each is `None` unless it is given; its name is that of a setting, which
//! defines the default.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::{BoolishValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use nopol_process::run::sandbox::SandboxMode;
use nopol_source::PatchKind;
use serde::Serialize;

use super::numbers::{positive, whole};
use crate::config::seconds;
use crate::repair::settings::EngineKind;
use crate::repair::shard::Shard;
use crate::report::display::FailOn;
use crate::report::format::{FORMATS, Format};

/// Options of every subcommand.
#[derive(Args, Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchOptions {
    /// Fix this failing test; may be given several times [default: all failing tests]
    #[arg(long, value_name = "[PKG::][TARGET::]NAME", help_heading = "Tests")]
    failing: Option<Vec<String>>,

    /// C only: the directory of a correct version; tests without an expected output are compared with its output and exit code
    #[arg(long, value_name = "DIR", help_heading = "Tests")]
    reference: Option<Utf8PathBuf>,

    /// Search only files that match this glob, relative to the workspace root
    #[arg(long, value_name = "GLOB", help_heading = "Places")]
    file: Option<Vec<String>>,

    /// Do not search files that match this glob
    #[arg(long, value_name = "GLOB", help_heading = "Places")]
    exclude_file: Option<Vec<String>>,

    /// Search only these lines; may be given several times
    #[arg(long, value_name = "FILE:FIRST-LAST", help_heading = "Places")]
    lines: Option<Vec<String>>,

    /// Where you expect the fault: patches in this function or at this line rank higher; may be given several times
    #[arg(long, value_name = "FUNCTION|FILE:LINE", help_heading = "Places")]
    near: Option<Vec<String>>,

    /// Rank patches higher if they are on lines that differ from this commit, or that this unified diff changes [default: HEAD, that is, uncommitted changes]
    #[arg(long, value_name = "COMMIT|FILE", help_heading = "Places")]
    in_diff: Option<String>,

    /// Search only the lines that --in-diff names, or without it the lines with uncommitted changes
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Places")]
    only_in_diff: Option<bool>,

    /// The base commit of a pull request, or its unified diff: with `--format github-review`, patches on lines in that
    /// diff become suggestions
    #[arg(long, value_name = "COMMIT|FILE", help_heading = "Report")]
    diff_base: Option<String>,

    /// Find only patches of this kind (guard: an early exit); may be given several times [default: all but arithmetic]
    #[arg(long, value_name = "KIND", help_heading = "Places", value_parser = kinds())]
    kind: Option<Vec<PatchKind>>,

    /// If no single patch fixes a failing test, look for two conditions to change at once
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    multi: Option<bool>,

    /// Examine only existing conditions and statements, and show one patch for each probable cause
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, conflicts_with = "thorough")]
    quick: Option<bool>,

    /// Search longer: up to five times as many forced runs, new places (early exits, preconditions, branches) even where a good
    /// patch is known, and --multi
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true)]
    thorough: Option<bool>,

    /// Maximum number of patches to show for each probable cause [default: 5]
    #[arg(long, value_name = "K", value_parser = positive::<NonZeroUsize>)]
    top: Option<NonZeroUsize>,

    /// Hide patches with less confidence than this, 0 to 1 [default: 0.0]
    #[arg(long, value_name = "P", value_parser = probability)]
    min_confidence: Option<f64>,

    /// Number of test processes that run at once [default: the number of processors; runs that seem to be blocked do not count]
    #[arg(long, short, value_name = "N", help_heading = "Limits", value_parser = positive::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,

    /// Search only shard K of N; `cargo nopol merge` joins the shards, each printed with `--format outcome`
    #[arg(long, value_name = "K/N", help_heading = "Limits")]
    shard: Option<Shard>,

    /// Stop after this many seconds and show the results so far
    #[arg(long, value_name = "SECONDS", help_heading = "Limits", value_parser = seconds::parse)]
    #[serde(serialize_with = "seconds::option::serialize")]
    time_limit: Option<Duration>,

    /// Seconds that a single test may take [default: 20]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits", value_parser = seconds::parse)]
    #[serde(serialize_with = "seconds::option::serialize")]
    test_timeout: Option<Duration>,

    /// Memory that a test may use, in GiB [default: 4]
    #[arg(long, value_name = "GIB", help_heading = "Limits", value_parser = positive::<NonZeroU32>)]
    memory: Option<NonZeroU32>,

    /// Maximum number of loop iterations and evaluations of conditions in one run of a failing test [default: 20000000]
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = positive::<NonZeroU64>)]
    fuel: Option<NonZeroU64>,

    /// Maximum number of runs of a failing test in which one evaluation of a condition is flipped [default: 400]
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = whole::<usize>)]
    flips: Option<usize>,

    /// What tests may not do: `off` forbids nothing; `writes` forbids writing outside the working copy and a
    /// temporary directory of their own; `strict` also forbids the network and signals to other processes [default: writes]
    #[arg(long, value_name = "MODE", help_heading = "Limits", value_parser = sandboxes())]
    sandbox: Option<SandboxMode>,

    /// Force every condition, instead of first computing from a formula of the program which ones can matter
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Limits")]
    no_formula: Option<bool>,

    /// C only: if no change of a condition repairs the program, do not try to change statements that manipulate linked structures
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Limits")]
    no_heap: Option<bool>,

    /// Show no patch that only removes a statement or makes a condition constant
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, help_heading = "Synthesis")]
    no_trivial: Option<bool>,

    /// Which synthesizer looks for conditions [default: portfolio]
    #[arg(long, value_name = "ENGINE", help_heading = "Synthesis", value_parser = engines())]
    engine: Option<EngineKind>,

    /// Write each synthesis problem as SITE-N.json, .smt2 (SMT-LIB 2) and .sl (SyGuS-IF) to this directory, which must be new, empty or
    /// written by an earlier --dump, and all plausible candidates as plausible.json
    #[arg(long, value_name = "DIR", help_heading = "Synthesis")]
    dump: Option<Utf8PathBuf>,

    /// Where to keep the working copy, the build cache and the last result [default: TARGET_DIR/nopol; for C, a directory in ~/.cache/cargo-nopol]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<Utf8PathBuf>,

    /// Which result of a complete search gives exit code 1 [default: no-patch]
    #[arg(long, value_name = "WHEN", help_heading = "Report", value_parser = fail_on())]
    fail_on: Option<FailOn>,

    /// Exit with 0 even if some failing tests have no patch
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        help_heading = "Report", value_parser = switch(), hide_possible_values = true)]
    allow_partial: Option<bool>,

    /// Print only warnings and the report, no progress
    #[arg(long, short, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, conflicts_with = "verbose")]
    quiet: Option<bool>,

    /// Print more about each step
    #[arg(long, short, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = switch(), hide_possible_values = true, overrides_with = "verbose")]
    verbose: Option<bool>,

    /// How to show the result [default: human]
    #[arg(long, value_name = "FORMAT", help_heading = "Report", value_parser = formats())]
    pub format: Option<Format>,
}

/// A switch with an explicit value, so that an option can switch off what a file switches on.
pub fn switch() -> BoolishValueParser {
    BoolishValueParser::new()
}

/// Patch kinds, by their names in reports.
fn kinds() -> impl TypedValueParser<Value = PatchKind> {
    named(&PatchKind::ALL, PatchKind::name)
}

/// Engines, by name.
pub fn engines() -> impl TypedValueParser<Value = EngineKind> {
    named(&EngineKind::ALL, EngineKind::name)
}

/// What makes a run fail, by name.
fn fail_on() -> impl TypedValueParser<Value = FailOn> {
    named(&FailOn::ALL, FailOn::name)
}

/// Sandbox modes, by name.
fn sandboxes() -> impl TypedValueParser<Value = SandboxMode> {
    named(&SandboxMode::ALL, SandboxMode::name)
}

/// Parses one of several values by its name.
pub fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|value| name(*value));
    PossibleValuesParser::new(names).try_map(move |given| {
        let known = all.iter().find(|value| name(**value) == given);
        known.copied().ok_or("unknown name")
    })
}

/// The formats, by name.
pub fn formats() -> impl TypedValueParser<Value = Format> {
    formats_that(|_| true)
}

/// The formats that can show something, by name.
pub fn formats_that(can_show: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let value = |format: &Format| PossibleValue::new(format.name()).help(format.help());
    let shown = FORMATS.iter().filter(|format| can_show(**format));
    let values: Vec<PossibleValue> = shown.map(value).collect();
    PossibleValuesParser::new(values).try_map(|name| Format::named(&name).ok_or("unknown name"))
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| format!("`{text}` is not a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Args, Command};

    use super::SearchOptions;
    use crate::cli::cargo::CargoFlags;
    use crate::config::{self, Config};
    use crate::repair::settings::Settings;
    use crate::report::display::Display;

    /// Options that say where the settings are, that no file of a subject may set, or that are about one run.
    const NO_SETTINGS: [&str; 7] = [
        "manifest-path",
        "target-dir",
        "config",
        "run",
        "expect",
        "stdin",
        "fuzz",
    ];

    #[test]
    fn every_option_is_a_setting_and_every_setting_an_option() {
        let command = CargoFlags::augment_args(SearchOptions::augment_args(Command::new("")));
        let options: BTreeSet<&str> = command
            .get_arguments()
            .filter_map(clap::Arg::get_long)
            .filter(|name| !NO_SETTINGS.contains(name))
            .collect();
        assert_eq!(options, config::keys().collect());
    }

    #[test]
    fn the_help_shows_the_actual_defaults() {
        let command = SearchOptions::augment_args(Command::new(""));
        let config = Config::default();
        let printed = config.print::<Settings>().unwrap() + &config.print::<Display>().unwrap();
        let mut shown = 0;
        for line in printed.lines() {
            let Some((key, value)) = line.split_once(" = ") else {
                continue;
            };
            let value = value.trim_end_matches(" # default").trim_matches('"');
            let of_key = |arg: &&clap::Arg| arg.get_long() == Some(key);
            let arg = command.get_arguments().find(of_key).unwrap();
            let help = arg.get_help().unwrap().to_string();
            let is_empty = ["false", "[]"].contains(&value);
            assert!(
                is_empty || help.contains(&format!("[default: {value}]")),
                "{key}: {help}, but {value}"
            );
            shown += usize::from(!is_empty);
        }
        assert_eq!(shown, 10, "{printed}");
    }
}
