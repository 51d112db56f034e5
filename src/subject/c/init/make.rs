//! What a makefile builds: make is asked what it would do.

use std::collections::BTreeSet;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::build_info::{BuildInfo, CommandTest, TestTarget, invocation, line};
use super::listing::is_test;
use super::recipe::Recipe;
use super::tools::{Answer, Tools};
use crate::subject::paths::normal;

/// The most lines of a recipe that are quoted in a comment.
const MOST_RECIPE_LINES: usize = 8;
/// The usual targets that run tests.
const TEST_TARGETS: [&str; 2] = ["test", "check"];
/// Prints the commands, with their targets and directories, as if nothing was up to date.
const DRY_RUN: [&str; 5] = ["make", "-n", "-B", "--trace", "-w"];

/// Reads what the makefile `name` builds and, if `wants_tests`, what its targets for tests run.
///
/// # Errors
/// As [`Tools::ask`].
pub fn read(tools: &mut dyn Tools, name: &str, wants_tests: bool) -> Result<BuildInfo> {
    let Answer { stdout, failure } = tools.ask(Utf8Path::new(""), &DRY_RUN)?;
    let steps = steps(&stdout, tools.root()?);
    let mut build_info = BuildInfo {
        command: "make".to_owned(),
        from: name.to_owned(),
        ..BuildInfo::default()
    };
    for step in &steps {
        let program = step.program().map(|path| invocation(path.as_str()));
        build_info
            .programs
            .extend(program.filter(|program| !build_info.programs.contains(program)));
    }
    // One that the build starts makes sources of the others.
    let started: BTreeSet<Utf8PathBuf> = steps.iter().flat_map(Step::started).collect();
    let is_tool =
        |program: &String| started.contains(Utf8Path::new(program.trim_start_matches("./")));
    build_info.programs.sort_by_key(is_tool);
    if let Some(failure) = failure {
        build_info
            .todo
            .push(format!("check `build`: `{}` {failure}", DRY_RUN.join(" ")));
    }
    if let Some(tests) = steps.iter().find(|step| step.runs_tests()) {
        let and_so = match without_tests(&steps) {
            Some(command) => {
                build_info.command = command;
                "whose failure would end the build, so `build` leaves it out"
            }
            None => "whose failure would end the build",
        };
        build_info.todo.push(format!(
            "check `build`: plain `make` also builds the target `{}`, {and_so}",
            tests.target
        ));
    }
    if wants_tests && steps.iter().any(Step::runs_tests) {
        build_info.tests = tests_among(&steps);
    }
    let mut seen = Vec::new();
    for target in TEST_TARGETS {
        let Answer { stdout, .. } =
            tools.ask(Utf8Path::new(""), &[&DRY_RUN[..], &[target]].concat())?;
        let of_target = self::steps(&stdout, tools.root()?);
        if wants_tests && build_info.tests.is_empty() {
            add_tests(&mut build_info, &steps, &of_target);
            if !build_info.tests.is_empty() {
                build_info.tests_from = Some(format!("the target `{target}` of {name}"));
            }
        }
        let recipe = recipe(&of_target, target);
        if recipe.is_empty() || seen.contains(&recipe) || !build_info.tests.is_empty() {
            continue;
        }
        build_info.notes.push(format!(
            "The target `{target}` of {name} may show how to run the tests:"
        ));
        let lines = recipe.iter().take(MOST_RECIPE_LINES);
        build_info
            .notes
            .extend(lines.map(|line| format!("    {line}")));
        build_info.test_targets.push(TestTarget {
            name: target.to_owned(),
            file: name.to_owned(),
            recipe: recipe.clone(),
        });
        seen.push(recipe);
    }
    Ok(build_info)
}

/// Adds the tests of a makefile that a tool has made: it would be made again if nothing counted as up to date.
///
/// # Errors
/// As [`Tools::ask`].
pub fn add_target(build_info: &mut BuildInfo, tools: &mut dyn Tools) -> Result<()> {
    let dry_run: Vec<&str> = DRY_RUN.into_iter().filter(|word| *word != "-B").collect();
    let root = tools.root()?.to_owned();
    let mut asked = |more: &[&str]| -> Result<Vec<Step>> {
        let words = [&dry_run[..], more].concat();
        let Answer { stdout, .. } = tools.ask(Utf8Path::new(""), &words)?;
        Ok(steps(&stdout, &root))
    };
    let built = asked(&[])?;
    for target in TEST_TARGETS {
        if build_info.tests.is_empty() {
            add_tests(build_info, &built, &asked(&[target])?);
            build_info.tests_from = Some(format!("the target `{target}` of Makefile"));
        }
    }
    Ok(())
}

/// The tests that plain `make` runs.
fn tests_among(steps: &[Step]) -> Vec<CommandTest> {
    let mut recipe = Recipe::default();
    let running = steps.iter().filter(|step| step.runs_tests());
    for step in running.filter(|step| !is_of_cpp(step, steps)) {
        recipe.add(&step.dir, &step.command);
    }
    recipe.tests
}

/// Adds what a target for tests runs as tests, and what it links or compiles to the build.
fn add_tests(build_info: &mut BuildInfo, built: &[Step], of_target: &[Step]) {
    let is_new = |step: &&Step| !built.contains(step) || step.runs_tests();
    let is_made =
        |step: &&Step| step.program().is_some() && !step.runs_on() && !also_runs(step, of_target);
    let new = of_target.iter().filter(is_new);
    let new = new.filter(|step| !is_of_cpp(step, of_target));
    let (linking, others): (Vec<&Step>, Vec<&Step>) = new.partition(is_made);
    let mut recipe = Recipe::default();
    let mut needed = Vec::new();
    for step in others {
        // A file that is no program is made for one.
        match step.compiles() && !step.runs_on() && !step.is_phony() {
            true if !also_runs(step, of_target) => needed.push(step),
            _ => recipe.add(&step.dir, &step.command),
        }
    }
    if recipe.tests.is_empty() {
        return;
    }
    // Make knows what a program needs, but not what a command of a recipe does.
    if recipe.builds.is_empty() {
        needed.clear();
    }
    let mut targets: Vec<(&Utf8Path, &str)> = Vec::new();
    for step in needed.into_iter().chain(linking) {
        let target = (step.dir.as_path(), step.target.as_str());
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let here = targets.iter().filter(|(dir, _)| dir.as_str().is_empty());
    let here: Vec<&str> = here.map(|(_, target)| *target).collect();
    if !here.is_empty() {
        build_info.command += &format!(" && {}", line(["make"].into_iter().chain(here)));
    }
    for (dir, target) in targets.iter().filter(|(dir, _)| !dir.as_str().is_empty()) {
        build_info.command += &format!(" && {}", line(["make", "-C", dir.as_str(), target]));
    }
    for build in recipe.builds {
        build_info.command += &format!(" && {build}");
    }
    build_info.tests = recipe.tests;
}

/// Whether the recipe of a step's target also runs something as a test: to make the target is to run it.
fn also_runs(step: &Step, steps: &[Step]) -> bool {
    let of_target = |other: &&Step| other.dir == step.dir && other.target == step.target;
    steps.iter().filter(of_target).any(Step::runs_tests)
}

/// Whether the recipe of a step's target calls a compiler for C++.
fn is_of_cpp(step: &Step, steps: &[Step]) -> bool {
    let of_target = |other: &&Step| other.dir == step.dir && other.target == step.target;
    let mut words = steps
        .iter()
        .filter(of_target)
        .flat_map(|step| commands(&step.command));
    words.any(|words| words.first().is_some_and(|word| word.ends_with("++")))
}

/// Adds the makefile of a directory of tests: what it builds, and the programs as tests.
///
/// # Errors
/// As [`Tools::ask`].
pub fn add_dir(build_info: &mut BuildInfo, tools: &mut dyn Tools, dir: &Utf8Path) -> Result<()> {
    let Answer { stdout, .. } = tools.ask(dir, &DRY_RUN)?;
    let steps = steps(&stdout, tools.root()?);
    let programs = steps.iter().filter_map(Step::program);
    let programs: BTreeSet<Utf8PathBuf> = programs
        .filter(|program| program.starts_with(dir))
        .collect();
    if programs.is_empty() || steps.iter().any(Step::runs_tests) {
        return Ok(());
    }
    build_info.command += &format!(" && {}", line(["make", "-C", dir.as_str()]));
    for program in programs {
        let below = program.strip_prefix(dir).unwrap_or(&program);
        build_info.tests.push(CommandTest {
            name: below.file_stem().unwrap_or("test").to_owned(),
            command: invocation(below.as_str()),
            cwd: Some(dir.to_string()),
            functions: Vec::new(),
        });
    }
    build_info.tests_from = Some(format!("the makefile in {dir}"));
    Ok(())
}

/// The command that builds what plain `make` builds so that no tests run; `None` if some of it can only be built from another
/// directory, or there is nothing.
fn without_tests(steps: &[Step]) -> Option<String> {
    let linking = || steps.iter().filter(|step| step.program().is_some());
    let is_here = |step: &Step| step.dir.as_str().is_empty();
    if !linking().all(is_here) || linking().next().is_none() {
        return None;
    }
    let (run, made): (Vec<&Step>, Vec<&Step>) = linking().partition(|it| also_runs(it, steps));
    let mut recipe = Recipe::default();
    for step in run {
        recipe.add(&step.dir, &step.command);
    }
    // What those programs need is made by targets of its own.
    let is_needed = |step: &&Step| {
        let is_file = !step.is_phony() && step.program().is_none();
        is_here(step) && step.compiles() && is_file && !also_runs(step, steps)
    };
    let needed = steps.iter().filter(is_needed);
    let needed = needed.filter(|_| !recipe.builds.is_empty());
    let mut targets: Vec<&str> = Vec::new();
    for step in needed.chain(made) {
        if !targets.contains(&&*step.target) {
            targets.push(&step.target);
        }
    }
    let make = (!targets.is_empty()).then(|| line(["make"].into_iter().chain(targets)));
    let commands: Vec<String> = make.into_iter().chain(recipe.builds).collect();
    Some(commands.join(" && "))
}

/// The commands of one target, without those of its prerequisites.
fn recipe(steps: &[Step], target: &str) -> Vec<String> {
    let own = steps
        .iter()
        .filter(|step| step.target == target && step.dir.as_str().is_empty());
    own.flat_map(|step| step.command.lines())
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// A command that make would run.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    target: String,
    /// The working directory, relative to the root.
    dir: Utf8PathBuf,
    /// The root itself, by which commands may name files.
    root: Utf8PathBuf,
    /// May have several lines.
    command: String,
}

/// Reads the steps from what [`DRY_RUN`] prints. Steps outside of the root are left out.
fn steps(printed: &str, root: &Utf8Path) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut dirs: Vec<Utf8PathBuf> = Vec::new();
    let mut target = None;
    let mut continues = false;
    for line in printed.lines() {
        if let Some(dir) = entered(line) {
            dirs.push(dir.into());
        } else if is_make(line, ": Leaving directory '") {
            dirs.pop();
        } else if let Some(next) = traced(line) {
            target = Some(next);
        } else if let Some(step) = steps.last_mut().filter(|_| continues) {
            step.command = format!("{}\n{line}", step.command);
        } else if let Some(target) = target {
            let dir = dirs.last().map_or(root, |dir| dir.as_path());
            if let Ok(dir) = dir.strip_prefix(root) {
                steps.push(Step {
                    target: target.to_owned(),
                    dir: dir.to_owned(),
                    root: root.to_owned(),
                    command: line.to_owned(),
                });
            }
        }
        continues = line.ends_with('\\');
    }
    steps
}

/// Whether make itself prints this line: `make: …` or `make[1]: …`.
fn is_make(line: &str, words: &str) -> bool {
    line.starts_with("make") && line.contains(words)
}

fn entered(line: &str) -> Option<&str> {
    let (_, dir) = line.split_once(": Entering directory '")?;
    dir.strip_suffix('\'').filter(|_| line.starts_with("make"))
}

/// The target of the commands that follow a line such as `Makefile:5: update target 'x' due to: y`.
fn traced(line: &str) -> Option<&str> {
    let (place, rest) = line.split_once(": ")?;
    let is_line = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = place == "<builtin>" || is_line(place.rsplit_once(':')?.1);
    let rest = rest.strip_prefix("update ").unwrap_or(rest);
    let rest = rest.strip_prefix("target '").filter(|_| is_place)?;
    let (target, why) = rest.split_once('\'')?;
    (why.starts_with(" due to") || why.contains("does not exist") || why.contains("PHONY"))
        .then_some(target)
}

impl Step {
    /// Whether this runs tests, judging by the target's name; a step that only compiles or links does not.
    fn runs_tests(&self) -> bool {
        let target = self.target.as_str();
        let is_named = TEST_TARGETS.contains(&target)
            || !target.contains(['.', '/']) && is_test(target.as_ref());
        is_named && (!self.compiles() || self.runs_on())
    }

    /// Whether it calls a compiler.
    fn compiles(&self) -> bool {
        commands(&self.command).any(|command| is_compiler(&command))
    }

    /// Whether its target is no file.
    fn is_phony(&self) -> bool {
        TEST_TARGETS.contains(&self.target.as_str()) || !self.command.contains(&self.target)
    }

    /// Whether it runs something after it has compiled.
    fn runs_on(&self) -> bool {
        let mut recipe = Recipe::default();
        recipe.add(&self.dir, &self.command);
        !recipe.builds.is_empty() && !recipe.tests.is_empty()
    }

    /// The program that this links, relative to the root.
    fn program(&self) -> Option<Utf8PathBuf> {
        let mut dir = self.dir.clone();
        for words in commands(&self.command) {
            if let [cd, to] = words.as_slice()
                && cd == "cd"
            {
                dir = dir.join(to);
            }
            if let Some(name) = linked(&words) {
                let path = normal(&self.root.join(dir).join(name));
                return path.strip_prefix(&self.root).ok().map(Utf8Path::to_owned);
            }
        }
        None
    }

    /// The programs below the root that this starts by their paths, relative to the root.
    fn started(&self) -> Vec<Utf8PathBuf> {
        let words = commands(&self.command).filter_map(|words| words.into_iter().next());
        let paths = words.filter(|word| word.contains('/'));
        let paths = paths.map(|path| normal(&self.root.join(&self.dir).join(path)));
        let below = |path: Utf8PathBuf| Some(path.strip_prefix(&self.root).ok()?.to_owned());
        paths.filter_map(below).collect()
    }
}

/// The words of each of the commands that a shell runs.
pub fn commands(line: &str) -> impl Iterator<Item = Vec<String>> {
    let line = line.replace("\\\n", " ");
    let parts: Vec<String> = line
        .split(['\n', ';', '&', '|'])
        .map(str::to_owned)
        .collect();
    parts
        .into_iter()
        .map(|part| shlex::split(&part).unwrap_or_default())
}

pub fn is_compiler(words: &[String]) -> bool {
    let name = words.first().and_then(|word| word.rsplit('/').next());
    name.is_some_and(|name| {
        name.ends_with("cc")
            || ["gcc", "clang", "c99", "c89"]
                .iter()
                .any(|one| name.contains(one))
            || name == "ld"
    })
}

/// The program that a command links.
fn linked(words: &[String]) -> Option<&str> {
    let is_other = |word: &str| {
        matches!(word, "-c" | "-E" | "-S" | "-shared" | "-r") || word.starts_with("-M")
    };
    if !is_compiler(words) || words.iter().any(|word| is_other(word)) {
        return None;
    }
    let name = match words.iter().position(|word| word.starts_with("-o")) {
        Some(at) if words[at] == "-o" => words.get(at + 1)?,
        Some(at) => &words[at][2..],
        None if words
            .iter()
            .any(|word| word.ends_with(".c") || word.ends_with(".o")) =>
        {
            "a.out"
        }
        None => return None,
    };
    let is_other = [".o", ".so", ".a", ".la"]
        .iter()
        .any(|end| name.ends_with(end));
    (!is_other).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/t/p";

    /// What GNU Make 4.3 prints for a makefile of which plain `make` links `calc`, calls itself in `sub`, and runs tests.
    const PRINTED: &str = "make: Entering directory '/t/p'
<builtin>: update target 'a.o' due to: a.c
gcc    -c -o a.o a.c
Makefile:5: update target 'calc' due to: a.o b.o
gcc -o calc a.o b.o
Makefile:11: target 'sub' does not exist
make -C sub
make[1]: Entering directory '/t/p/sub'
Makefile:2: update target 'q' due to: q.c
mkdir -p bin && cc -o bin/q q.c
make[1]: Leaving directory '/t/p/sub'
Makefile:7: update target 'check' due to: calc
./calc 7
echo hi; \\
 true
make: Leaving directory '/t/p'
";

    fn programs(command: &str) -> Vec<String> {
        let printed = format!("Makefile:1: target 'it' does not exist\n{command}\n");
        let steps = steps(&printed, ROOT.into());
        let programs = steps.iter().filter_map(Step::program);
        programs.map(Utf8PathBuf::into_string).collect()
    }

    #[test]
    fn programs_that_a_step_starts_are_known() {
        let printed = "make: Entering directory '/t/p/src'\nMakefile:1: target 'it' does not exist\n\
            ./tab a.y >b.c && ../bin/other; cc -o it b.c; /bin/true; /t/p/made 3\nmake: Leaving directory '/t/p/src'\n";
        let steps = steps(printed, ROOT.into());
        let started: Vec<Utf8PathBuf> = steps.iter().flat_map(Step::started).collect();
        assert_eq!(started, ["src/tab", "bin/other", "made"]);
    }

    #[test]
    fn commands_are_read_with_their_targets_and_directories() {
        let steps = steps(PRINTED, ROOT.into());
        let read: Vec<_> = steps
            .iter()
            .map(|step| {
                (
                    step.target.as_str(),
                    step.dir.as_str(),
                    step.command.as_str(),
                )
            })
            .collect();
        assert_eq!(
            read,
            [
                ("a.o", "", "gcc    -c -o a.o a.c"),
                ("calc", "", "gcc -o calc a.o b.o"),
                ("sub", "", "make -C sub"),
                ("q", "sub", "mkdir -p bin && cc -o bin/q q.c"),
                ("check", "", "./calc 7"),
                ("check", "", "echo hi; \\\n true"),
            ]
        );
        let programs: Vec<_> = steps.iter().filter_map(Step::program).collect();
        assert_eq!(programs, ["calc", "sub/bin/q"]);
        let tests: Vec<_> = steps.iter().filter(|step| step.runs_tests()).collect();
        assert_eq!(tests.len(), 2);
        assert_eq!(recipe(&steps, "check"), ["./calc 7", "echo hi; \\", "true"]);
        // The target of `sub` cannot be built from here.
        assert_eq!(without_tests(&steps), None);
        assert_eq!(without_tests(&steps[..3]).as_deref(), Some("make calc"));
    }

    #[test]
    fn a_linker_says_which_program_it_makes() {
        for (command, program) in [
            ("cc -ot a.o", "t"),
            ("/usr/bin/gcc-12 a.c", "a.out"),
            ("cd out && clang ../a.c -o p", "out/p"),
            ("gcc /t/p/a.c -o /t/p/bin/x", "bin/x"),
            ("cc -o 'a b' a.c; ./a", "a b"),
        ] {
            assert_eq!(programs(command), [program], "{command}");
        }
        for command in [
            "cc -c a.c -o a.o",
            "cc -shared -o a.so a.o",
            "ar rcs lib.a a.o",
            "gcc -o /usr/bin/x a.c",
            "gcc --version",
            "echo cc -o x a.c",
        ] {
            assert_eq!(programs(command), [""; 0], "{command}");
        }
    }
}
