//! Merging of settings, and the messages about bad keys and values.

mod damaged;

use std::time::Duration;

use nopol_process::run::sandbox::SandboxMode;
use nopol_source::PatchKind;
use nopol_synth::EngineKind;

use super::{Config, File};
use crate::repair::settings::Settings;
use crate::report::display::Display;
use crate::subject::cargo::options::CargoOptions;

fn environment(config: &mut Config, variable: &str, value: &str) -> Result<(), String> {
    let variables = [(variable.to_owned(), value.to_owned())];
    config.add_environment(variables).map_err(|error| error.0)
}

fn refusal(text: &str) -> String {
    Config::default()
        .add_text("nopol.toml", text)
        .unwrap_err()
        .0
}

#[test]
fn a_file_may_tighten_the_sandbox_and_not_switch_it_off() {
    let mut config = Config::default();
    config
        .add_text("nopol.toml", "sandbox = \"strict\"")
        .unwrap();
    let error = config.add_text("nopol.toml", "top = 2\nsandbox = \"off\"");
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("nopol.toml, line 2: a file cannot"),
        "{error}"
    );
    let off = ("CARGO_NOPOL_SANDBOX".to_owned(), "off".to_owned());
    config.add_environment([off]).unwrap();
    let settings: Settings = config.get().unwrap();
    assert_eq!(settings.sandbox, SandboxMode::Off);
}

#[test]
fn the_stronger_source_wins_and_lists_are_replaced() {
    let mut config = Config::default();
    config
        .add_text(
            "/p/nopol.toml",
            "top = 3\nfuel = 9\nkind = [\"guard\"]\nfile = [\"a\", \"b\"]\n",
        )
        .unwrap();
    environment(&mut config, "CARGO_NOPOL_FILE", "c 'd e'").unwrap();
    environment(&mut config, "CARGO_NOPOL_FUEL", "10").unwrap();
    #[derive(serde::Serialize)]
    struct Flags {
        fuel: Option<u64>,
        multi: Option<bool>,
    }
    let flags = Flags {
        fuel: Some(11),
        multi: None,
    };
    config.add_flags(&flags).unwrap();
    let settings: Settings = config.get().unwrap();
    assert_eq!(
        (settings.top, settings.fuel.get(), settings.flips),
        (3, 11, 400)
    );
    assert_eq!(settings.file, ["c", "d e"]);
    assert_eq!(settings.kind, [PatchKind::Guard]);
    let origin = |key: &str| config.origin(key).map(ToString::to_string);
    assert_eq!(origin("top").as_deref(), Some("/p/nopol.toml:1"));
    assert_eq!(origin("file").as_deref(), Some("CARGO_NOPOL_FILE"));
    assert_eq!(origin("fuel").as_deref(), Some("--fuel"));
    assert_eq!(origin("multi"), None);
}

#[test]
fn every_kind_of_value_is_read_from_text_as_from_a_file() {
    let mut config = Config::default();
    let mut set = |name: &str, value: &str| {
        environment(&mut config, &format!("CARGO_NOPOL_{name}"), value).unwrap();
    };
    set("TEST_TIMEOUT", "2.5");
    set("TIME_LIMIT", "60");
    set("MULTI", "true");
    set("NO_TRIVIAL", "1");
    set("SANDBOX", "strict");
    set("ENGINE", "smt");
    set("KIND", "condition guard");
    set("JOBS", "2");
    set("PROFILE", "3");
    set("FEATURES", "a b");
    set("FORMAT", "json");
    set("WORK_DIR", "some where");
    let settings: Settings = config.get().unwrap();
    assert_eq!(settings.test_timeout, Duration::from_millis(2500));
    assert_eq!(settings.time_limit, Some(Duration::from_secs(60)));
    assert!(settings.multi && settings.no_trivial);
    assert_eq!(settings.sandbox, SandboxMode::Strict);
    assert_eq!(settings.engine, EngineKind::Smt);
    assert_eq!(settings.kind, [PatchKind::Condition, PatchKind::Guard]);
    assert_eq!(settings.jobs(), 2);
    assert_eq!(settings.work_dir.unwrap(), "some where");
    let options: CargoOptions = config.get().unwrap();
    assert_eq!(options.profile.as_deref(), Some("3"));
    assert_eq!(options.features, ["a", "b"]);
    assert_eq!(config.get::<Display>().unwrap().format.name(), "json");
}

#[test]
fn an_error_in_a_file_shows_its_line_and_suggests_a_name() {
    assert_eq!(
        refusal("top = 2\n\ntest-timeot = 3\n"),
        "nopol.toml, line 3: unknown key `test-timeot`; did you mean `test-timeout`?\n  3 | test-timeot = 3"
    );
    assert_eq!(
        refusal("kind = [\n  \"gard\",\n]\n"),
        "nopol.toml, line 2: `kind`: unknown variant `gard`; did you mean `guard`?\n  2 |   \"gard\","
    );
    for (text, expected) in [
        ("top = 0", "`top`: 0 is not a positive number"),
        (
            "test-timeout = -1",
            "-1 is not a positive number of seconds",
        ),
        (
            "test-timeout = \"soon\"",
            "`test-timeout`: invalid type: string",
        ),
        ("file = \"a\"", "a list is written `[\"…\"]`"),
        ("multi = 1", "`multi`: invalid type: integer"),
        (
            "top = \"a\"",
            "`top`: invalid type: string \"a\", expected a number",
        ),
        ("jobs = 0", "`jobs`: "),
        ("zebra = 1", "unknown key `zebra`; keys are named after"),
        ("apply = 1", "unknown key `apply`"),
        ("[top]\nx = 1", "`top`: invalid type"),
        ("top = ", "nopol.toml, line 1: "),
    ] {
        let refusal = refusal(text);
        assert!(refusal.contains(expected), "{text}: {refusal}");
    }
}

#[test]
fn an_error_in_the_environment_names_the_variable() {
    let refusal =
        |name: &str, value: &str| environment(&mut Config::default(), name, value).unwrap_err();
    assert_eq!(
        refusal("CARGO_NOPOL_TEST_TIMEOT", "3"),
        "there is no setting for the environment variable `CARGO_NOPOL_TEST_TIMEOT`; did you mean \
         `CARGO_NOPOL_TEST_TIMEOUT`?"
    );
    for (name, value, expected) in [
        ("TOP", "0", "`CARGO_NOPOL_TOP`: 0 is not a positive number"),
        ("TOP", "many", "`CARGO_NOPOL_TOP`: `many` is not a number"),
        ("KIND", "gard", "unknown variant `gard`"),
        ("ENGINE", "z4", "unknown variant `z4`"),
        (
            "MULTI",
            "maybe",
            "`CARGO_NOPOL_MULTI`: `maybe` is neither `true` nor `false`",
        ),
    ] {
        let refusal = refusal(&format!("CARGO_NOPOL_{name}"), value);
        assert!(refusal.contains(expected), "{name}={value}: {refusal}");
    }
    assert_eq!(environment(&mut Config::default(), "CARGO_NO", "3"), Ok(()));
}

#[test]
fn paths_are_relative_to_the_file_and_the_program_table_is_skipped() {
    let text = "work-dir = \"w\"\n\n[c]\nbuild = \"make\"\n".to_owned();
    let file = File::parse("/p/nopol.toml".into(), text).unwrap();
    let mut config = Config::default();
    config.add_file(&file, &[]).unwrap();
    let settings: Settings = config.get().unwrap();
    assert_eq!(settings.work_dir.unwrap(), "/p/w");
}

#[test]
fn metadata_of_a_manifest_is_a_table_like_any_other() {
    let text = "[package]\nname = \"a\"\n\n[package.metadata.nopol]\nflips = 7\n".to_owned();
    let file = File::parse("/p/Cargo.toml".into(), text).unwrap();
    let mut config = Config::default();
    config
        .add_file(&file, &["workspace", "metadata", "nopol"])
        .unwrap();
    assert!(config.origin("flips").is_none());
    config
        .add_file(&file, &["package", "metadata", "nopol"])
        .unwrap();
    assert_eq!(
        config.origin("flips").unwrap().to_string(),
        "/p/Cargo.toml:5"
    );
}

#[test]
fn printed_settings_can_be_read_again() {
    let mut config = Config::default();
    let text = "fuel = 9 # few\nkind = [\n  \"guard\", # one\n]\ntest-timeout = 2.5\n";
    config.add_text("/p/nopol.toml", text).unwrap();
    let printed = config.print::<Settings>().unwrap();
    for line in [
        "fuel = 9 # /p/nopol.toml:1",
        "kind = [\"guard\"] # /p/nopol.toml:2",
        "test-timeout = 2.5 # /p/nopol.toml:5",
        "top = 5 # default",
        "# time-limit is not set",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{printed}");
    }
    let mut again = Config::default();
    again.add_text("/q/nopol.toml", &printed).unwrap();
    let settings: Settings = again.get().unwrap();
    assert_eq!((settings.fuel.get(), settings.top), (9, 5));
}
