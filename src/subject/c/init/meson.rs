//! What `meson.build` builds and tests: meson is asked.

use std::collections::BTreeMap;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::build_info::{BuildInfo, CommandTest, Started, invocation};
use super::listing::is_test;
use super::tools::{Answer, Tools};

pub const FILE: &str = "meson.build";
/// The build directory in the working copy.
const BUILD: &str = "nopol-build";

/// Reads what meson builds here, and which tests it has.
///
/// # Errors
/// As [`Tools::ask`].
pub fn read(tools: &mut dyn Tools) -> Result<BuildInfo> {
    let mut setup = ["meson", "setup", BUILD].map(str::to_owned).to_vec();
    let mut build_info = BuildInfo {
        from: FILE.to_owned(),
        ..BuildInfo::default()
    };
    let mut failure = ask(tools, &setup)?.failure;
    if failure.is_none() {
        let options: Vec<BuildOption> = introspect(tools, "--buildoptions")?;
        let more: Vec<String> = options
            .iter()
            .filter_map(BuildOption::switched_on)
            .collect();
        if !more.is_empty() {
            let with_tests = [&setup[..], &more].concat();
            let again = |flag: &str, words: &[String]| [words, &[flag.to_owned()]].concat();
            match ask(tools, &again("--reconfigure", &with_tests))?.failure {
                None => setup = with_tests,
                // As it was before; they may need what is not there.
                Some(_) => failure = ask(tools, &again("--wipe", &setup))?.failure,
            }
        }
    }
    build_info.command = format!("{} && meson compile -C {BUILD}", setup.join(" "));
    if let Some(failure) = failure {
        build_info.is_guess = true;
        build_info.todo.push(format!(
            "check `build`: `{}` {failure}, so {FILE} was not read",
            setup.join(" ")
        ));
        return Ok(build_info);
    }
    let root = tools.root()?.to_owned();
    let targets: Vec<Target> = introspect(tools, "--targets")?;
    let below = |path: &Utf8Path| path.strip_prefix(&root).ok().map(Utf8Path::to_owned);
    let mut sources = Vec::new();
    let mut files: BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>> = BTreeMap::new();
    for target in &targets {
        let of_c = target.target_sources.iter().filter(|it| it.language == "c");
        let compiled = of_c
            .flat_map(|group| &group.sources)
            .filter_map(|path| below(path));
        let compiled = compiled.filter(|path| !path.starts_with(BUILD));
        let (tests, others): (Vec<_>, Vec<_>) = compiled.partition(|path| is_test(path));
        sources.extend(others);
        let program = target
            .filename
            .first()
            .filter(|_| target.kind == "executable");
        if let Some(program) = program.and_then(|path| below(path)) {
            files.insert(program, tests);
        }
    }
    sources.sort();
    sources.dedup();
    build_info.sources = (!sources.is_empty()).then_some(sources);
    let is_program = |path: &&Utf8PathBuf| !is_test(path) && !is_test(&path.with_extension("c"));
    let programs = files.keys().filter(is_program);
    build_info.programs = programs.map(|path| invocation(path.as_str())).collect();
    let tests: Vec<Test> = introspect(tools, "--tests")?;
    let mut unsupported = Vec::new();
    for test in &tests {
        let program = test.cmd.first().map(Utf8Path::new).and_then(below);
        match test.command_test(&root) {
            Some(command) => build_info.tests.push(CommandTest {
                functions: program
                    .and_then(|program| files.get(&program).cloned())
                    .unwrap_or_default(),
                ..command
            }),
            None => unsupported.push(test.name.as_str()),
        }
    }
    // Some are only built before the tests.
    let is_later = |target: &&Target| !target.build_by_default && target.kind == "executable";
    for target in targets.iter().filter(is_later) {
        let is_started = |test: &Test| {
            target
                .filename
                .iter()
                .any(|path| test.cmd.iter().any(|word| word == path))
        };
        if tests.iter().any(is_started) {
            build_info.command += &format!(" && meson compile -C {BUILD} {}", target.name);
        }
    }
    if !unsupported.is_empty() {
        build_info.todo.push(format!(
            "tests of {FILE} that are more than a command are left out: {}",
            unsupported.join(", ")
        ));
    }
    Ok(build_info)
}

fn ask(tools: &mut dyn Tools, words: &[String]) -> Result<Answer> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    tools.ask(Utf8Path::new(""), &words)
}

/// What `meson introspect` answers; nothing where it does not.
fn introspect<T: DeserializeOwned + Default>(tools: &mut dyn Tools, what: &str) -> Result<T> {
    let Answer { stdout, .. } =
        tools.ask(Utf8Path::new(""), &["meson", "introspect", BUILD, what])?;
    Ok(serde_json::from_str(&stdout).unwrap_or_default())
}

#[derive(Deserialize)]
struct BuildOption {
    name: String,
    value: Value,
    #[serde(rename = "type")]
    kind: String,
}

impl BuildOption {
    /// The argument that switches it on, if it is for tests and off.
    fn switched_on(&self) -> Option<String> {
        let mut words = self.name.split(['-', '_']);
        let is_for_tests = words.any(|word| matches!(word, "test" | "tests" | "testing"));
        let on = match (&*self.kind, &self.value) {
            ("boolean", Value::Bool(false)) => "true",
            ("combo" | "feature", Value::String(value)) if value == "disabled" => "enabled",
            _ => return None,
        };
        let is_other = ["install", "bench", "fuzz", "valgrind"];
        let is_other = is_other.iter().any(|word| self.name.contains(word));
        (is_for_tests && !is_other).then(|| format!("-D{}={on}", self.name))
    }
}

#[derive(Deserialize)]
struct Target {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// Absolute.
    #[serde(default)]
    filename: Vec<Utf8PathBuf>,
    #[serde(default)]
    build_by_default: bool,
    #[serde(default)]
    target_sources: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    language: String,
    /// Absolute.
    #[serde(default)]
    sources: Vec<Utf8PathBuf>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    /// The program and its arguments.
    cmd: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    workdir: Option<Utf8PathBuf>,
    #[serde(default)]
    protocol: String,
}

impl Test {
    /// The test, if its exit code or its lines say whether it passes.
    fn command_test(&self, root: &Utf8Path) -> Option<CommandTest> {
        let is_judged = matches!(&*self.protocol, "" | "exitcode" | "tap" | "gtest");
        let build = root.join(BUILD);
        let variables = self.env.iter();
        let started = Started {
            root,
            cwd: self.workdir.as_deref().unwrap_or(&build),
            words: &self.cmd,
            variables: variables
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
        };
        let test = started.test(&self.name).filter(|_| is_judged)?;
        Some(match &*self.protocol {
            "tap" => test.judged_by_lines(),
            _ => test,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/t/p";

    /// A meson whose project has a library, a test program that is only built for its tests, and tests that are switched off.
    #[derive(Default)]
    struct Meson {
        has_tests: bool,
    }

    impl Tools for Meson {
        fn root(&mut self) -> Result<&Utf8Path> {
            Ok(ROOT.into())
        }

        fn ask(&mut self, _: &Utf8Path, words: &[&str]) -> Result<Answer> {
            self.has_tests |= words.contains(&"-Denable-tests=true");
            let stdout = match words {
                [_, "introspect", _, "--buildoptions"] => {
                    r#"[{"name": "enable-tests", "type": "boolean", "value": false},
                        {"name": "install-tests", "type": "boolean", "value": false},
                        {"name": "tests", "type": "feature", "value": "auto"}]"#
                }
                [_, "introspect", _, "--targets"] => {
                    r#"[{"name": "p", "type": "static library", "filename": ["/t/p/nopol-build/libp.a"], "build_by_default": true,
                         "target_sources": [{"language": "c", "sources": ["/t/p/src/p.c", "/t/p/nopol-build/made.c"]}]},
                        {"name": "check", "type": "executable", "filename": ["/t/p/nopol-build/test/check"], "build_by_default": false,
                         "target_sources": [{"language": "c", "sources": ["/t/p/test/check.c"]}]}]"#
                }
                [_, "introspect", _, "--tests"] if self.has_tests => {
                    r#"[{"name": "all", "cmd": ["/t/p/nopol-build/test/check", "/t/p/test/data"], "env": {"A": "b"}, "protocol": "exitcode"},
                        {"name": "tap", "cmd": ["/t/p/nopol-build/test/check"], "workdir": "/t/p/test", "protocol": "tap"},
                        {"name": "rust", "cmd": ["/t/p/nopol-build/test/check"], "protocol": "rust"}]"#
                }
                _ => "",
            };
            Ok(Answer {
                stdout: stdout.to_owned(),
                failure: None,
            })
        }
    }

    #[test]
    fn tests_that_are_switched_off_are_built_and_listed() {
        let found = read(&mut Meson::default()).unwrap();
        assert_eq!(
            found.command,
            "meson setup nopol-build -Denable-tests=true && meson compile -C nopol-build && meson compile -C nopol-build check"
        );
        assert_eq!(found.sources, Some(vec!["src/p.c".into()]));
        let [all, tap] = &found.tests[..] else {
            panic!("{:?}", found.tests);
        };
        assert_eq!(all.command, "env 'A=b' test/check ../test/data");
        assert_eq!(all.cwd.as_deref(), Some("nopol-build"));
        assert_eq!(all.functions, ["test/check.c"]);
        assert!(
            tap.command
                .starts_with("{ ../nopol-build/test/check || echo Bail out!; } | awk")
        );
        assert!(found.todo.iter().any(|it| it.ends_with("left out: rust")));
    }
}
