//! Damaged files with settings: each is read, or refused by its name.

use camino::Utf8Path;
use nopol_basics::damaged::{documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{CargoOptions, Config, Display, File, Settings};
use crate::config::{ConfigError, seconds};

const WORDS: &[&str] = &[
    "top",
    "time-limit",
    "test-timeout",
    "flips",
    "fuel",
    "jobs",
    "kind",
    "file",
    "near",
    "shard",
    "engine",
    "work-dir",
    "sandbox",
    "features",
    "profile",
    "format",
    "package",
    "metadata",
    "nopol",
    "min-confidence",
    "c",
    "guard",
    "inf",
    "nan",
    "1979-05-27T07:32:00Z",
    "\"1/2\"",
    "[[c]]",
    "\"\"\"",
];

/// All settings with their defaults, some of them set, and a manifest with some.
fn valid() -> Vec<String> {
    let mut config = Config::default();
    let text =
        "time-limit = 60.5\nkind = [\"guard\"]\njobs = 3\nshard = \"1/2\"\nnear = [\"a.rs:3\"]\n";
    config.add_text("/p/nopol.toml", text).unwrap();
    let all = config.print::<Settings>().unwrap()
        + &config.print::<CargoOptions>().unwrap()
        + &config.print::<Display>().unwrap();
    let manifest = "[package]\nname = \"a\"\n[package.metadata.nopol]\nflips = 7\nwork-dir = 'w'\n";
    let text = format!(
        "{text}features.workspace = true\n[c]\nbuild = \"make\"\n[[c.test]]\nname = '''a\n'''\n"
    );
    vec![all, text, manifest.to_owned()]
}

fn read(path: &Utf8Path) -> Result<Config, ConfigError> {
    let file = File::read(path)?;
    let mut config = Config::default();
    config.add_file(&file, &["package", "metadata", "nopol"])?;
    if file.table(&["package"]).is_none() {
        config.add_file(&file, &[])?;
    }
    Ok(config)
}

/// What is printed without the comments that say where it comes from.
fn printed(config: &Config) -> Result<String, ConfigError> {
    let all = config.print::<Settings>()?
        + &config.print::<CargoOptions>()?
        + &config.print::<Display>()?;
    let lines = all
        .lines()
        .map(|line| line.rsplit_once(" # ").unwrap_or_default().0);
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn is_settings_or_refused(path: &Utf8Path, bytes: &[u8]) -> TestCaseResult {
    std::fs::write(path, bytes)?;
    match read(path) {
        Ok(config) => {
            let text = printed(&config)?;
            let mut again = Config::default();
            again.add_text(path, &text)?;
            prop_assert_eq!(printed(&again)?, text);
            let settings: Settings = config.get()?;
            let _ = settings.file_filter();
            for duration in [Some(settings.test_timeout), settings.time_limit] {
                prop_assert!(duration.unwrap_or_default() <= seconds::LONGEST);
            }
        }
        Err(error) => {
            let error = error.to_string();
            let is_named = error.starts_with(&format!("{path}, line "))
                || error.starts_with(&format!("cannot read {path}: "));
            prop_assert!(is_named, "{}", error);
        }
    }
    Ok(())
}

/// Runs the property for the files of a directory that is removed at the end.
fn run(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(dir.path()).unwrap().join("nopol.toml");
    how(&|bytes| is_settings_or_refused(&path, bytes));
}

fn inputs() -> impl Strategy<Value = nopol_basics::damaged::Input> {
    let valid = valid();
    documents(
        &valid.iter().map(String::as_bytes).collect::<Vec<_>>(),
        WORDS,
    )
}

#[test]
fn a_file_is_settings_that_can_be_written_or_refused_by_its_name() {
    run(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many files"]
fn many_files_are_settings_that_can_be_written_or_refused_by_their_names() {
    run(|property| many(inputs(), property));
}

#[test]
fn brackets_that_do_not_match_are_refused_whatever_their_number() {
    for part in ["a ={ [\"*\"]\nb = \"\n", "a={[]", "{[", "[{]", "a=[}"] {
        for times in [1000, 4900, 100_000] {
            let error = File::parse("nopol.toml".into(), part.repeat(times)).unwrap_err();
            assert!(error.to_string().starts_with("nopol.toml, line "), "{part}");
        }
    }
}
