//! The bug of a C project: its build and tests are those that `c --init` finds, or else the commands of the case.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::Case;
use crate::kept::Kept;
use crate::tool;

/// The name of the test that runs the case's own command, and of what is true in the reports of such cases.
const GIVEN: &str = "given";
/// What the tool says of tests of which none fails.
const NONE_FAILS: &str = "nothing-to-repair";
const CONFIG: &str = "nopol.toml";

/// What is read of a report to see whether the tests that were found show the bug.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Tests {
    outcome: String,
    failing_tests: Vec<String>,
}

/// Runs the tool in a copy of the project.
///
/// # Errors
/// If it cannot be started, or the case has no commands.
pub fn report(tool: &Path, tree: &Path, case: &Case, limit: u64, args: &[String]) -> Result<Kept> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path().join(tree.file_name().unwrap_or_default());
    tool::copy(tree, &dir, &|path| path.file_name())?;
    let mut init = Command::new(tool);
    init.args(["nopol", "c", "--init"]).current_dir(&dir);
    init.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let is_set_up = tool::as_from_a_shell(&mut init).status()?.success();
    let run = || {
        let mut command = Command::new(tool);
        command
            .args(["nopol", "c", "--format", "json", "--time-limit"])
            .arg(limit.to_string())
            .args(args)
            .current_dir(&dir);
        Kept::run(&mut command, limit)
    };
    if is_set_up && has_tests(&dir)? {
        let kept = run()?;
        if shows_a_failure(&kept) {
            return Ok(kept);
        }
    }
    give_commands(&dir, case)?;
    let mut kept = run()?;
    if let Ok(mut report) = serde_json::from_str::<Value>(&kept.json)
        && let Some(fields) = report.as_object_mut()
    {
        fields.insert(GIVEN.to_owned(), true.into());
        kept.json = report.to_string() + "\n";
    }
    Ok(kept)
}

fn config(dir: &Path) -> Result<DocumentMut> {
    match fs::read_to_string(dir.join(CONFIG)) {
        Ok(text) => text.parse().context("nopol.toml cannot be read"),
        Err(_) => Ok(DocumentMut::new()),
    }
}

fn has_tests(dir: &Path) -> Result<bool> {
    let config = config(dir)?;
    let c = config.get("c").and_then(Item::as_table);
    Ok(c.is_some_and(|c| {
        ["test", "tests", "script"]
            .iter()
            .any(|key| c.contains_key(key))
    }))
}

fn shows_a_failure(kept: &Kept) -> bool {
    let tests: Tests = serde_json::from_str::<Value>(&kept.json)
        .and_then(serde_json::from_value)
        .unwrap_or_default();
    tests.outcome != NONE_FAILS && !tests.failing_tests.is_empty()
}

/// Writes the build and the test of the case into nopol.toml.
fn give_commands(dir: &Path, case: &Case) -> Result<()> {
    let test = case.narrow.as_ref().unwrap_or(&case.test);
    ensure!(!test.is_empty(), "the case has no test");
    let mut config = config(dir)?;
    let c = config.entry("c").or_insert(Item::Table(Table::new()));
    let c = c.as_table_mut().context("nopol.toml has no table c")?;
    for key in ["test", "tests", "script"] {
        c.remove(key);
    }
    if !c.contains_key("sources") {
        c.insert("sources", value(toml_edit::Array::from_iter([&case.file])));
    }
    c.insert("build", value(&case.build));
    if let Some(command) = &case.each {
        let mut script = Table::new();
        script.insert("command", value(command));
        script.insert("names", value(toml_edit::Array::from_iter(&case.names)));
        c.insert("script", Item::Table(script));
        fs::write(dir.join(CONFIG), config.to_string())?;
        return Ok(());
    }
    let mut given = Table::new();
    given.insert("name", value(GIVEN));
    given.insert("command", value(test));
    let mut tests = ArrayOfTables::new();
    tests.push(given);
    c.insert("test", Item::ArrayOfTables(tests));
    fs::write(dir.join(CONFIG), config.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_case_replace_tests_that_show_no_failure() {
        let dir = tempfile::tempdir().unwrap();
        let text = "[c]\nsources = [\"a.c\"]\nbuild = \"make\"\n[[c.test]]\nname = \"x\"\ncommand = \"./x\"\n";
        fs::write(dir.path().join(CONFIG), text).unwrap();
        assert!(has_tests(dir.path()).unwrap());
        let case = Case {
            build: "make all".to_owned(),
            test: "make check".to_owned(),
            narrow: Some("./a 3".to_owned()),
            ..Case::default()
        };
        give_commands(dir.path(), &case).unwrap();
        let config = config(dir.path()).unwrap().to_string();
        assert!(config.contains("sources = [\"a.c\"]") && config.contains("build = \"make all\""));
        assert!(
            config.contains("name = \"given\"\ncommand = \"./a 3\"") && !config.contains("./x")
        );
    }

    #[test]
    fn a_report_without_a_failing_test_shows_no_failure() {
        let kept = |json: &str| Kept {
            json: json.to_owned(),
            seconds: None,
        };
        assert!(!shows_a_failure(&kept(
            r#"{"outcome": "nothing-to-repair"}"#
        )));
        assert!(!shows_a_failure(&kept(r#"{"outcome": "error"}"#)));
        assert!(shows_a_failure(&kept(
            r#"{"outcome": "no-patch", "failing_tests": ["t"]}"#
        )));
    }
}
