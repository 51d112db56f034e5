//! What published readers make of the formats: patches are applied with their code, and documents checked against their
//! schemas.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Message, MetadataCommand};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The tool: that of the workspace, built once.
fn tool() -> PathBuf {
    static BUILT: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    let build = || {
        let status = Command::new("cargo")
            .args(["build", "--bin", "cargo-nopol"])
            .current_dir(root())
            .status();
        assert!(status.unwrap().success());
        root().join("target/debug/cargo-nopol")
    };
    BUILT.get_or_init(build).clone()
}

/// A copy of a fixture.
struct Subject(tempfile::TempDir);

impl Subject {
    fn new(fixture: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy(&root().join("fixtures").join(fixture), dir.path());
        let manifest = dir.path().join("Cargo_test.toml");
        fs::rename(manifest, dir.path().join("Cargo.toml")).unwrap();
        Self(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn report(&self, format: &str) -> String {
        let output = Command::new(tool())
            .args(["nopol", "--offline", "--quiet", "--format", format])
            .current_dir(self.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        text
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    /// Whether all tests pass.
    fn passes(&self) -> bool {
        let mut command = Command::new("cargo");
        command.args(["test", "--offline"]).current_dir(self.path());
        command.output().unwrap().status.success()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "target" => {}
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn rustfix_applies_a_message_of_cargo() {
    for fixture in ["off-by-one-guard", "missing-error"] {
        let subject = Subject::new(fixture);
        let report = subject.report("rustc");
        let messages = Message::parse_stream(report.as_bytes()).map(Result::unwrap);
        let diagnostics: Vec<String> = messages
            .filter_map(|message| match message {
                Message::CompilerMessage(message) => Some(message.message),
                _ => None,
            })
            .map(|diagnostic| serde_json::to_string(&diagnostic).unwrap())
            .collect();
        let filter = rustfix::Filter::Everything;
        let found =
            rustfix::get_suggestions_from_json(&diagnostics[0], &HashSet::new(), filter).unwrap();
        let first = &found[0];
        let solution = &first.solutions[0];
        let file = solution.replacements[0].snippet.file_name.clone();
        let mut fixed = rustfix::CodeFix::new(&subject.text(&file));
        fixed.apply_solution(solution).unwrap();
        fs::write(subject.path().join(&file), fixed.finish().unwrap()).unwrap();
        assert!(subject.passes(), "{fixture}");
    }
}

#[test]
fn sarif_has_the_published_schema_and_its_fix_repairs() {
    let subject = Subject::new("off-by-one-guard");
    let text = subject.report("sarif");
    let log: Value = serde_json::from_str(&text).unwrap();
    let mut schema: Value = serde_json::from_str(&sarif_schema()).unwrap();
    // The pattern that is published is not a regular expression.
    for of in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][of]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&log)
        .map(|it| it.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());

    let log: serde_sarif::sarif::Sarif = serde_json::from_str(&text).unwrap();
    let results = log.runs[0].results.as_ref().unwrap();
    let fix = &results[0].fixes.as_ref().unwrap()[0];
    let change = &fix.artifact_changes[0];
    let file = change.artifact_location.uri.as_ref().unwrap();
    let replacement = &change.replacements[0];
    let region = &replacement.deleted_region;
    let text = subject.text(file);
    let at = |line: Option<i64>, column: Option<i64>| {
        let line = usize::try_from(line.unwrap()).unwrap() - 1;
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let column = usize::try_from(column.unwrap()).unwrap() - 1;
        let letters = text[before..].chars().take(column);
        before + letters.map(char::len_utf8).sum::<usize>()
    };
    let start = at(region.start_line, region.start_column);
    let end = at(region.end_line, region.end_column);
    let mut fixed = text.clone();
    let inserted = replacement.inserted_content.as_ref().unwrap();
    fixed.replace_range(start..end, inserted.text.as_ref().unwrap());
    fs::write(subject.path().join(file), fixed).unwrap();
    assert!(subject.passes());
}

/// As the crate that reads SARIF brings it along.
fn sarif_schema() -> String {
    let metadata = MetadataCommand::new()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .exec()
        .unwrap();
    let mut packages = metadata.packages.iter();
    let package = packages
        .find(|package| package.name == "serde-sarif")
        .unwrap();
    let path = package
        .manifest_path
        .parent()
        .unwrap()
        .join("src/schema.json");
    fs::read_to_string(path).unwrap()
}

#[test]
fn junit_is_read_by_another_program() {
    let subject = Subject::new("off-by-one-guard");
    let text = subject.report("junit");
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!((report.tests, report.failures), (10, 1));
}

/// What checks a document against the schema that an option prints.
fn validator(subject: &Subject, option: &str) -> jsonschema::Validator {
    let output = Command::new(tool())
        .args(["nopol", option])
        .current_dir(subject.path())
        .output()
        .unwrap();
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn json_has_the_schema_that_the_tool_prints() {
    let subject = Subject::new("off-by-one-guard");
    let report: Value = serde_json::from_str(&subject.report("json")).unwrap();
    let validator = validator(&subject, "--emit-schema");
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|it| it.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}

/// The settings of all our subjects, and of the reference, conform to the schema; misspelt ones do not.
#[test]
fn settings_have_the_schema_that_the_tool_prints() {
    let subject = Subject::new("off-by-one-guard");
    let validator = validator(&subject, "--print-schema");
    let conforms = |text: &str| validator.is_valid(&toml::from_str::<Value>(text).unwrap());
    let mut read = 0;
    let files = walkdir::WalkDir::new(root().join("fixtures"));
    for file in files.into_iter().map(Result::unwrap) {
        if file.file_name() == "nopol.toml" {
            let text = fs::read_to_string(file.path()).unwrap();
            assert!(conforms(&text), "{}", file.path().display());
            read += 1;
        }
    }
    assert!(read > 40);
    let book = fs::read_to_string(root().join("docs/reference.md")).unwrap();
    let (_, sample) = book.split_once("```toml\n# nopol.toml").unwrap();
    assert!(conforms(sample.split_once("```").unwrap().0));
    for wrong in [
        "tpo = 2",
        "top = 0",
        "top = 'x'",
        "fail-on = 'ever'",
        "sandbox = 'off'",
        "[c]\nbuilds = 'make'",
    ] {
        assert!(!conforms(wrong), "{wrong}");
    }
}
