//! What `CMakeLists.txt` builds and tests: cmake and ctest are asked.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::build_info::{BuildInfo, CommandTest, invocation, line};
use super::listing::{Listing, is_test};
use super::tools::{Answer, Tools};
use crate::subject::paths::{normal, relative};

const LISTS: &str = "CMakeLists.txt";
/// Properties of tests that do not change when they pass.
const HARMLESS: [&str; 6] = [
    "TIMEOUT",
    "LABELS",
    "COST",
    "RUN_SERIAL",
    "PROCESSORS",
    WORKING_DIRECTORY,
];
const WORKING_DIRECTORY: &str = "WORKING_DIRECTORY";
/// The directory of CMake's file API, in the build directory.
const API: &str = ".cmake/api/v1";

/// Reads what CMake builds here, and which tests it adds.
///
/// # Errors
/// As [`Tools::ask`], or if the copy cannot be written.
pub fn read(listing: &Listing, tools: &mut dyn Tools) -> Result<BuildInfo> {
    // A CMake build directory cannot be moved: CMake refuses to use it in the working copy.
    let cache = listing.dir.join("build/CMakeCache.txt").is_file();
    let build = if cache { "nopol-build" } else { "build" };
    let configure = ["cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Debug"];
    let mut build_info = BuildInfo {
        command: format!("{} && cmake --build {build}", configure.join(" ")),
        from: LISTS.to_owned(),
        ..BuildInfo::default()
    };
    if cache {
        build_info
            .notes
            .push("The existing directory `build` is not used: CMake refuses its cache in the working copy.".to_owned());
    }
    let query = tools.root()?.join(build).join(API).join("query");
    fs::create_dir_all(&query)?;
    fs::write(query.join("codemodel-v2"), "")?;
    let Answer { failure, .. } = tools.ask(Utf8Path::new(""), &configure)?;
    if let Some(failure) = failure {
        build_info.todo.push(format!(
            "check `build`: `{}` {failure}, so {LISTS} was not read",
            configure.join(" ")
        ));
        return Ok(build_info);
    }
    let root = tools.root()?.to_owned();
    let Made { programs, sources } =
        made(&root, build).context("cannot read the answer of cmake")?;
    build_info.sources = (!sources.is_empty()).then_some(sources);
    let is_program = |path: &&Utf8PathBuf| !is_test(path) && !is_test(&path.with_extension("c"));
    build_info.programs = programs
        .iter()
        .filter(is_program)
        .map(|path| invocation(path.as_str()))
        .collect();
    // ctest leaves out the commands of programs that do not exist, so an empty file stands for each.
    for program in &programs {
        stand_in(&root.join(program))?;
    }
    let ctest = ["ctest", "--show-only=json-v1"];
    let Answer { stdout, failure } = tools.ask(build.into(), &ctest)?;
    let shown = serde_json::from_str(&stdout).unwrap_or_default();
    if let Some(failure) = failure {
        build_info
            .todo
            .push(format!("add the tests: `{}` {failure}", ctest.join(" ")));
    }
    let mut unsupported = Vec::new();
    let Shown { tests } = shown;
    for test in &tests {
        match test.command_test(&root) {
            Some(test) => build_info.tests.push(test),
            None => unsupported.push(test.name.as_str()),
        }
    }
    if !unsupported.is_empty() {
        let names = unsupported.join(", ");
        build_info.todo.push(format!(
            "tests of {LISTS} that are more than a command are left out: {names}"
        ));
    }
    Ok(build_info)
}

/// Makes an empty program.
fn stand_in(path: &Utf8Path) -> Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(path, "")?;
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

/// What the build makes in the root, and of what. Paths are relative to the root, and sorted.
#[derive(Debug, Default)]
struct Made {
    programs: Vec<Utf8PathBuf>,
    /// The C files that are compiled, except tests.
    sources: Vec<Utf8PathBuf>,
}

/// What the answer of CMake's file API says.
fn made(root: &Utf8Path, build: &str) -> Result<Made> {
    let replies = root.join(build).join(API).join("reply");
    let mut names = Vec::new();
    for entry in fs::read_dir(&replies)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    let Some(model) = names.iter().find(|name| name.starts_with("codemodel-v2")) else {
        return Ok(Made::default());
    };
    let model: Model = parse(&replies.join(model))?;
    let (mut programs, mut sources) = (BTreeSet::new(), BTreeSet::new());
    let below = |dir: &Utf8Path, path: &Utf8Path| {
        let path = normal(&dir.join(path));
        path.strip_prefix(root).ok().map(Utf8Path::to_owned)
    };
    for named in model.configurations.iter().flat_map(|one| &one.targets) {
        let target: Target = parse(&replies.join(&named.json_file))?;
        let made = target.artifacts.first();
        if let Some(made) = made.filter(|_| target.kind == "EXECUTABLE") {
            programs.extend(below(&root.join(build), &made.path));
        }
        let compiled = target.sources.iter().filter(|source| {
            let group = source.compile_group_index;
            let group = group.and_then(|group| target.compile_groups.get(group));
            group.is_some_and(|group| group.language == "C") && !source.is_generated
        });
        let compiled = compiled.filter_map(|source| below(root, &source.path));
        sources.extend(compiled.filter(|path| !is_test(path) && root.join(path).is_file()));
    }
    Ok(Made {
        programs: programs.into_iter().collect(),
        sources: sources.into_iter().collect(),
    })
}

fn parse<T: DeserializeOwned>(path: &Utf8Path) -> Result<T> {
    let text = fs::read_to_string(path)?;
    serde_json::from_str(&text).with_context(|| format!("cannot read {path}"))
}

#[derive(Deserialize)]
struct Model {
    configurations: Vec<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    targets: Vec<Named>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    json_file: String,
}

#[derive(Deserialize)]
struct Target {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    artifacts: Vec<Artifact>,
    #[serde(default)]
    sources: Vec<Source>,
    #[serde(default, rename = "compileGroups")]
    compile_groups: Vec<CompileGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    /// Relative to the root, or absolute.
    path: Utf8PathBuf,
    /// How it is compiled; a header is not.
    compile_group_index: Option<usize>,
    #[serde(default)]
    is_generated: bool,
}

#[derive(Deserialize)]
struct CompileGroup {
    language: String,
}

#[derive(Deserialize)]
struct Artifact {
    /// Relative to the build directory, or absolute.
    path: Utf8PathBuf,
}

/// What `ctest --show-only=json-v1` prints.
#[derive(Default, Deserialize)]
struct Shown {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: serde_json::Value,
}

impl Test {
    /// The test, if its result is only its exit code, and it runs in the root.
    fn command_test(&self, root: &Utf8Path) -> Option<CommandTest> {
        let is_special = |property: &Property| !HARMLESS.contains(&property.name.as_str());
        if self.properties.iter().any(is_special) {
            return None;
        }
        let cwd = self
            .properties
            .iter()
            .find(|property| property.name == WORKING_DIRECTORY)
            .and_then(|property| property.value.as_str())
            .unwrap_or(root.as_str());
        let cwd = Utf8Path::new(cwd).strip_prefix(root).ok()?;
        let up = cwd.components().map(|_| "..").collect::<Utf8PathBuf>();
        let (program, args) = self.command.split_first()?;
        let program = match Utf8Path::new(program).strip_prefix(root) {
            Ok(_) => invocation(relative(&root.join(cwd), Utf8Path::new(program)).as_str()),
            Err(_) => program.clone(),
        };
        let args = args.iter().map(|word| without_root(word, root, &up));
        let words: Vec<String> = std::iter::once(program).chain(args).collect();
        Some(CommandTest {
            name: self.name.clone(),
            command: line(words.iter().map(String::as_str)),
            cwd: (!cwd.as_str().is_empty()).then(|| cwd.to_string()),
        })
    }
}

/// A word in which the absolute path of the root is replaced by the way to it.
fn without_root(word: &str, root: &Utf8Path, up: &Utf8Path) -> String {
    let to = match up.as_str() {
        "" => ".",
        up => up,
    };
    let mut parts = word.split(root.as_str());
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_end = part.is_empty() || part.starts_with(['/', ':', ';', ',']);
        replaced += if is_end { to } else { root.as_str() };
        replaced += part;
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/t/p";

    fn read(test: &str) -> Option<CommandTest> {
        let test: Test = serde_json::from_str(test).unwrap();
        test.command_test(ROOT.into())
    }

    #[test]
    fn a_test_runs_where_ctest_runs_it_and_names_files_from_there() {
        let test = r#"{"name": "a", "command": ["/t/p/build/bin/a", "/t/p/data/x", "--in=/t/p", "/t/pq"],
            "properties": [{"name": "TIMEOUT", "value": 5.0}, {"name": "WORKING_DIRECTORY", "value": "/t/p/build"}]}"#;
        let test = read(test).unwrap();
        assert_eq!(test.command, "bin/a ../data/x '--in=..' /t/pq");
        assert_eq!(test.cwd.as_deref(), Some("build"));
        let test = r#"{"name": "a", "command": ["/usr/bin/sh", "/t/p/run.sh"],
            "properties": [{"name": "WORKING_DIRECTORY", "value": "/t/p"}]}"#;
        let test = read(test).unwrap();
        assert_eq!((&*test.command, test.cwd), ("/usr/bin/sh ./run.sh", None));
    }

    #[test]
    fn a_test_that_is_more_than_its_exit_code_is_none() {
        for test in [
            r#"{"name": "a", "command": ["/t/p/a"], "properties": [{"name": "WILL_FAIL", "value": true}]}"#,
            r#"{"name": "a", "command": ["/t/p/a"], "properties": [{"name": "WORKING_DIRECTORY", "value": "/tmp"}]}"#,
            r#"{"name": "a", "properties": []}"#,
        ] {
            assert_eq!(read(test), None, "{test}");
        }
    }
}
