//! What `CMakeLists.txt` builds and tests: cmake and ctest are asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::build_info::{BuildInfo, CommandTest, Started, invocation};
use super::listing::is_test;
use super::tools::{Answer, Tools};
use crate::subject::paths::normal;

const LISTS: &str = "CMakeLists.txt";
/// Properties of tests that do not change when they pass.
const HARMLESS: [&str; 10] = [
    "TIMEOUT",
    "LABELS",
    "COST",
    "RUN_SERIAL",
    "PROCESSORS",
    WORKING_DIRECTORY,
    ENVIRONMENT,
    // A fixture that builds is part of the build.
    "FIXTURES_REQUIRED",
    "FIXTURES_SETUP",
    "DEPENDS",
];
const WORKING_DIRECTORY: &str = "WORKING_DIRECTORY";
const ENVIRONMENT: &str = "ENVIRONMENT";
/// The build directory in the working copy.
const BUILD: &str = "nopol-build";
/// How many files are compiled at a time.
const JOBS: usize = 4;
/// The directory of CMake's file API, in the build directory.
const API: &str = ".cmake/api/v1";

/// Reads what CMake builds here, and which tests it adds.
///
/// # Errors
/// As [`Tools::ask`], or if the copy cannot be written.
pub fn read(tools: &mut dyn Tools) -> Result<BuildInfo> {
    // CMake refuses the cache of another directory, which a copy of the user's `build` would have.
    let build = BUILD;
    let configure = ["cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Debug"];
    let mut build_info = BuildInfo {
        command: format!("{} && {}", configure.join(" "), compile(&[])),
        from: LISTS.to_owned(),
        ..BuildInfo::default()
    };
    let query = tools.root()?.join(build).join(API).join("query");
    fs::create_dir_all(&query)?;
    fs::write(query.join("codemodel-v2"), "")?;
    let Answer { mut failure, .. } = tools.ask(Utf8Path::new(""), &configure)?;
    if failure.is_none() {
        let options = switched_off(tools.root()?, build);
        let compile = compile(&[]);
        let with_tests: Vec<&str> = configure
            .into_iter()
            .chain(options.iter().map(String::as_str))
            .collect();
        if !options.is_empty() {
            let Answer { failure: other, .. } = tools.ask(Utf8Path::new(""), &with_tests)?;
            match other {
                None => {
                    build_info.command = format!("{} && {compile}", with_tests.join(" "));
                }
                // As it was before; the cache has the options.
                Some(_) => {
                    let reset: Vec<String> =
                        options.iter().map(|it| it.replace("=ON", "=OFF")).collect();
                    let words = configure
                        .into_iter()
                        .chain(reset.iter().map(String::as_str));
                    let words: Vec<&str> = words.collect();
                    Answer { failure, .. } = tools.ask(Utf8Path::new(""), &words)?;
                }
            }
        }
    }
    if let Some(failure) = failure {
        build_info.is_guess = true;
        build_info.todo.push(format!(
            "check `build`: `{}` {failure}, so {LISTS} was not read",
            configure.join(" ")
        ));
        return Ok(build_info);
    }
    let root = tools.root()?.to_owned();
    let Made {
        programs,
        sources,
        tests: files,
    } = made(&root, build).context("cannot read the answer of cmake")?;
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
    for test in tests.iter().filter(|test| !test.builds()) {
        match test.command_test(&root) {
            Some(command) => build_info.tests.push(CommandTest {
                functions: files_of(&files, &root, test),
                ..command
            }),
            None => unsupported.push(test.name.as_str()),
        }
    }
    let started = tests.iter().filter_map(|test| test.command.first());
    let started = started.filter_map(|path| Utf8Path::new(path).strip_prefix(&root).ok());
    let started: BTreeSet<&Utf8Path> = started
        .filter(|path| files.contains_key(*path) && !is_made_by_default(&root, path))
        .collect();
    let targets = started.iter().filter_map(|path| path.file_stem());
    let targets: Vec<String> = targets.map(str::to_owned).collect();
    if !targets.is_empty() {
        let all = compile(&[]);
        build_info.command = build_info.command.replace(&all, &compile(&targets));
    }
    if !unsupported.is_empty() {
        let names = unsupported.join(", ");
        build_info.todo.push(format!(
            "tests of {LISTS} that are more than a command are left out: {names}"
        ));
    }
    Ok(build_info)
}

/// The options by which tests are built that are not, as arguments: those that are switched off and have a word for tests in
/// their names.
fn switched_off(root: &Utf8Path, build: &str) -> Vec<String> {
    let cache = fs::read_to_string(root.join(build).join("CMakeCache.txt")).unwrap_or_default();
    let declared = cache.lines().filter_map(|line| line.split_once(':'));
    let (off, on): (Vec<_>, Vec<_>) = declared.partition(|(_, value)| *value == "BOOL=OFF");
    let lists = fs::read_to_string(root.join(LISTS)).unwrap_or_default();
    // One that is asked for and that nothing declares.
    let asked = lists.lines().filter_map(|line| {
        let line = line.trim_start().strip_prefix("if")?;
        let name = line
            .trim_start()
            .strip_prefix('(')?
            .split_once(')')?
            .0
            .trim();
        let is_declared = on.iter().any(|(declared, _)| *declared == name)
            || lists.contains(&format!("set({name} "))
            || matches!(name, "BUILD_TESTING");
        (!is_declared).then_some(name)
    });
    let speaks = |name: &&str| {
        let mut words = name.split('_');
        let speaks = words.any(|word| matches!(word, "TEST" | "TESTS" | "TESTING" | "UNITTESTS"));
        let is_other = ["COVERAGE", "FUZZ", "VALGRIND", "INSTALL", "BENCH"];
        speaks && !is_other.iter().any(|word| name.contains(word))
    };
    let off = off.iter().map(|(name, _)| *name);
    let options: BTreeSet<&str> = off.chain(asked).filter(speaks).collect();
    options.iter().map(|name| format!("-D{name}=ON")).collect()
}

/// The command that builds everything, and these targets, which may be left out of that.
fn compile(targets: &[String]) -> String {
    let build = format!("cmake --build {BUILD} --parallel {JOBS}");
    let more = targets
        .iter()
        .map(|target| format!(" && {build} --target {target}"));
    build.clone() + &more.collect::<String>()
}

/// Whether the target of a program belongs to those that a build makes without being asked. Only known of makefiles.
fn is_made_by_default(root: &Utf8Path, program: &Utf8Path) -> bool {
    let path = root.join(BUILD).join("CMakeFiles/Makefile2");
    let below = program.strip_prefix(BUILD).unwrap_or(program);
    let name = below.file_stem().unwrap_or_default();
    let target = format!("CMakeFiles/{name}.dir/all");
    fs::read_to_string(path).ok().is_none_or(|text| {
        let mut lines = text.lines().filter(|line| line.ends_with(&target));
        let is_of_dir = |line: &str| {
            let (made, _) = line.split_once(": ").unwrap_or_default();
            made == "all" || made.ends_with("/all") && !made.ends_with(".dir/all")
        };
        !text.contains(&target) || lines.any(is_of_dir)
    })
}

/// The files of tests in the program that a test starts.
fn files_of(
    files: &BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>>,
    root: &Utf8Path,
    test: &Test,
) -> Vec<Utf8PathBuf> {
    let program = test.command.first().map(Utf8Path::new);
    let program = program.and_then(|program| program.strip_prefix(root).ok());
    let files = program.and_then(|program| files.get(program));
    files.cloned().unwrap_or_default()
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
    /// The tests among the C files that are compiled for each program.
    tests: BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>>,
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
    let mut tests = BTreeMap::new();
    let below = |dir: &Utf8Path, path: &Utf8Path| {
        let path = normal(&dir.join(path));
        path.strip_prefix(root).ok().map(Utf8Path::to_owned)
    };
    for named in model.configurations.iter().flat_map(|one| &one.targets) {
        let target: Target = parse(&replies.join(&named.json_file))?;
        let made = target.artifacts.first();
        let made = made.filter(|_| target.kind == "EXECUTABLE");
        let program = made.and_then(|made| below(&root.join(build), &made.path));
        let compiled = target.sources.iter().filter(|source| {
            let group = source.compile_group_index;
            let group = group.and_then(|group| target.compile_groups.get(group));
            group.is_some_and(|group| group.language == "C") && !source.is_generated
        });
        let compiled = compiled.filter_map(|source| below(root, &source.path));
        // What is in the build directory is generated, whatever CMake says of it.
        let compiled =
            compiled.filter(|path| root.join(path).is_file() && !path.starts_with(BUILD));
        let (of_tests, others): (Vec<_>, Vec<_>) = compiled.partition(|path| is_test(path));
        sources.extend(others);
        if let Some(program) = program {
            tests.insert(program.clone(), of_tests);
            programs.insert(program);
        }
    }
    Ok(Made {
        tests,
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
    /// Whether it builds the program of another test.
    fn builds(&self) -> bool {
        let program = self.command.first().map(Utf8Path::new);
        let name = program.and_then(Utf8Path::file_name);
        matches!(name, Some("cmake" | "make" | "ninja"))
            && self
                .command
                .iter()
                .any(|word| word == "--build" || word == "--target")
    }

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
        let variables = self.properties.iter();
        let variables = variables.filter(|property| property.name == ENVIRONMENT);
        let variables = variables.filter_map(|property| property.value.as_array());
        let variables = variables.flatten().filter_map(|value| value.as_str());
        let started = Started {
            root,
            cwd: cwd.into(),
            words: &self.command,
            variables: variables.map(str::to_owned).collect(),
        };
        started.test(&self.name)
    }
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
    fn a_test_has_the_variables_of_ctest() {
        let test = r#"{"name": "a", "command": ["/t/p/build/a", "1"],
            "properties": [{"name": "ENVIRONMENT", "value": ["DIR=/t/p/data", "B=x y"]},
                {"name": "WORKING_DIRECTORY", "value": "/t/p/build"}]}"#;
        let test = read(test).unwrap();
        assert_eq!(test.command, "env 'DIR=../data' 'B=x y' ./a 1");
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
