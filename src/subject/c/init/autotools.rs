//! What a `configure` script builds and tests: it is run in the copy, and make is asked for the variables of automake's
//! makefiles.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::build_info::{BuildInfo, CommandTest, Started, invocation, line};
use super::listing::{Listing, is_test};
use super::make;
use super::tools::{Answer, Tools};

/// The script that `configure.ac` describes.
const SCRIPT: &str = "configure";
/// How many files are compiled at a time.
const JOBS: &str = "-j4";
/// A makefile that prints variables, each in a line, in the root of the copy.
const PRINTING: &str = "nopol-variables.mk";
const PRINTED: &str = "nopol-variables";
/// Its text. What a program is made of, what runs tests of an extension, and the variables themselves.
const TEXT: &str = "\
nopol_programs = $(check_PROGRAMS) $(noinst_PROGRAMS) $(bin_PROGRAMS)
nopol_name = $(subst .,_,$(subst -,_,$(subst /,_,$(1))))
nopol_upper = $(shell echo '$(1)' | tr -d . | tr a-z A-Z)
nopol-variables:
\t$(info tests: $(TESTS))
\t$(info inverted: $(XFAIL_TESTS))
\t$(info programs: $(nopol_programs))
\t$(info built: $(check_PROGRAMS) $(check_LIBRARIES) $(check_LTLIBRARIES) $(check_SCRIPTS) $(check_DATA))
\t$(info sources: $(SOURCES))
\t$(info environment: $(AM_TESTS_ENVIRONMENT) $(TESTS_ENVIRONMENT))
\t$(info compiler: $(LOG_COMPILER) $(AM_LOG_FLAGS) $(LOG_FLAGS))
\t$(info driver: $(LOG_DRIVER))
\t$(foreach it,$(nopol_programs),$(info of $(it): $($(call nopol_name,$(it))_SOURCES)))
\t$(foreach it,$(TEST_EXTENSIONS),$(info compiler $(it): \
$($(call nopol_upper,$(it))_LOG_COMPILER) $(AM_$(call nopol_upper,$(it))_LOG_FLAGS)))
\t$(foreach it,$(TEST_EXTENSIONS),$(info driver $(it): $($(call nopol_upper,$(it))_LOG_DRIVER)))
\t@:
";

/// Whether a program is built by a `configure` script, or by one that autoconf makes.
pub fn is_used(listing: &Listing) -> bool {
    listing.has(SCRIPT) || listing.has("configure.ac") && listing.has("Makefile.am")
}

/// Reads what is built, and the tests.
///
/// # Errors
/// As [`Tools::ask`], or if the copy cannot be written.
pub fn read(listing: &Listing, tools: &mut dyn Tools, wants_tests: bool) -> Result<BuildInfo> {
    let mut commands = Vec::new();
    let mut build_info = BuildInfo {
        from: SCRIPT.to_owned(),
        ..BuildInfo::default()
    };
    let mut failure = None;
    if !listing.has(SCRIPT) {
        build_info.from = "configure.ac".to_owned();
        let words = ["autoreconf", "-fi"];
        failure = tools.ask(Utf8Path::new(""), &words)?.failure;
        commands.push(line(words));
    }
    let path = tools.root()?.join(SCRIPT);
    let script = fs::read_to_string(&path).unwrap_or_default();
    let mut configure = vec!["./configure"];
    if script.contains("GNU Autoconf") {
        // What is built for a debugger compiles in half the time.
        configure.push("CFLAGS=-g");
        if script.contains("--enable-shared") {
            // A test then starts the program itself, not a script.
            configure.push("--disable-shared");
        }
    }
    commands.push(line(configure.iter().copied()));
    if failure.is_none() {
        failure = tools.ask(Utf8Path::new(""), &configure)?.failure;
    }
    if let Some(failure) = failure {
        build_info.command = format!("{} && make", commands.join(" && "));
        build_info.is_guess = true;
        build_info.todo.push(format!(
            "check `build`: `{}` {failure}, so the makefiles were not read",
            commands.join(" && ")
        ));
        return Ok(build_info);
    }
    let root = tools.root()?.to_owned();
    let makefile = fs::read_to_string(root.join("Makefile")).unwrap_or_default();
    if !is_made(&makefile) {
        let of_make = make::read(tools, "Makefile", wants_tests)?;
        commands.push(of_make.command);
        return Ok(BuildInfo {
            command: commands.join(" && "),
            from: build_info.from,
            tests_from: of_make.tests_from.or(Some("Makefile".to_owned())),
            ..of_make
        });
    }
    commands.push(format!("make {JOBS}"));
    fs::write(root.join(PRINTING), TEXT)?;
    let dirs = listing
        .files
        .iter()
        .filter(|path| path.file_name() == Some("Makefile.am"));
    let dirs = dirs.filter_map(|path| path.parent());
    let mut sources = Vec::new();
    for dir in dirs.filter(|dir| root.join(dir).join("Makefile").is_file()) {
        let variables = Variables::of(tools, &root, dir)?;
        let found = variables.words("sources").map(|path| dir.join(path));
        sources.extend(
            found.filter(|path| listing.files.contains(path) && path.extension() == Some("c")),
        );
        let programs = variables.words("programs").map(|name| dir.join(name));
        let is_program = |path: &Utf8PathBuf| !is_test(path);
        build_info.programs.extend(
            programs
                .filter(is_program)
                .map(|path| invocation(path.as_str())),
        );
        let tests = variables.tests(&root, dir);
        if !wants_tests || tests.is_empty() {
            continue;
        }
        let built: Vec<&str> = variables.words("built").collect();
        if !built.is_empty() {
            let here = (!dir.as_str().is_empty()).then_some(["-C", dir.as_str()]);
            let words = ["make", JOBS].into_iter().chain(here.into_iter().flatten());
            commands.push(line(words.chain(built)));
        }
        build_info.tests.extend(tests);
        build_info.tests_from = Some("the Makefile.am files".to_owned());
    }
    sources.sort();
    sources.dedup();
    sources.retain(|path| !is_test(path));
    build_info.sources = (!sources.is_empty()).then_some(sources);
    build_info.command = commands.join(" && ");
    if wants_tests && build_info.tests.is_empty() {
        make::add_target(&mut build_info, tools)?;
    }
    Ok(build_info)
}

/// Whether automake made a makefile.
pub fn is_made(makefile: &str) -> bool {
    makefile
        .lines()
        .take(3)
        .any(|line| line.contains("generated by automake"))
}

/// What one makefile says, by the words before the colon.
#[derive(Debug, Default)]
struct Variables(BTreeMap<String, String>);

impl Variables {
    fn of(tools: &mut dyn Tools, root: &Utf8Path, dir: &Utf8Path) -> Result<Self> {
        let printing = root.join(PRINTING);
        let words = [
            "make",
            "-s",
            "-f",
            "Makefile",
            "-f",
            printing.as_str(),
            PRINTED,
        ];
        let Answer { stdout, .. } = tools.ask(dir, &words)?;
        Ok(Self::read(&stdout))
    }

    fn read(printed: &str) -> Self {
        let lines = printed.lines().filter_map(|line| line.split_once(": "));
        Self(
            lines
                .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
                .collect(),
        )
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn words(&self, name: &str) -> impl Iterator<Item = &str> {
        self.text(name).split_whitespace()
    }

    /// The tests of a directory. Those that are expected to fail are left out.
    fn tests(&self, root: &Utf8Path, dir: &Utf8Path) -> Vec<CommandTest> {
        let is_inverted = |name: &str| self.words("inverted").any(|it| it == name);
        let names = self.words("tests").filter(|name| !is_inverted(name));
        names.map(|name| self.test(root, dir, name)).collect()
    }

    fn test(&self, root: &Utf8Path, dir: &Utf8Path, name: &str) -> CommandTest {
        let path = Utf8Path::new(name);
        let is_program = self.words("programs").any(|it| it == name);
        let extension = path.extension().map(|it| format!(".{it}"));
        let of = |what: &str| {
            let of_extension = extension
                .as_ref()
                .and_then(|it| self.0.get(&format!("{what} {it}")));
            of_extension.map_or(self.text(what), String::as_str)
        };
        let started = Started {
            root,
            cwd: &root.join(dir),
            words: &[],
            variables: Vec::new(),
        };
        let environment = started.named_from(self.text("environment"));
        let compiler = started.named_from(of("compiler"));
        let start = [&*compiler, &invocation(name)].join(" ");
        let mut command = match environment.trim() {
            "" if is_program => start.trim().to_owned(),
            // As automake's own driver does; 77 is a test that is skipped.
            environment => {
                let end = ["", ";"]
                    [usize::from(environment.contains(';') && !environment.ends_with(';'))];
                format!(
                    "srcdir=.; export srcdir; {environment}{end} {} || test $? -eq 77",
                    start.trim()
                )
            }
        };
        let mut files: Vec<Utf8PathBuf> = Vec::new();
        if is_program {
            let sources = self.words_of(name).map(|file| dir.join(file));
            files.extend(sources.filter(|file| file.extension() == Some("c")));
            let texts = files
                .iter()
                .map(|file| fs::read_to_string(root.join(file)).unwrap_or_default());
            if texts.into_iter().any(|text| text.contains("\"srcdir\""))
                && environment.trim().is_empty()
            {
                command = format!("env srcdir=. {command}");
            }
        }
        let test = CommandTest {
            name: path.with_extension("").to_string(),
            command,
            cwd: (!dir.as_str().is_empty()).then(|| dir.to_string()),
            functions: files,
        };
        match of("driver").contains("tap-driver") {
            true => test.judged_by_lines(),
            false => test,
        }
    }

    /// The files that a program is made of.
    fn words_of(&self, program: &str) -> impl Iterator<Item = String> {
        let files = self.text(&format!("of {program}"));
        let own = files.is_empty().then(|| format!("{program}.c"));
        let files: Vec<String> = files.split_whitespace().map(str::to_owned).collect();
        own.into_iter().chain(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/t/p";

    fn commands(printed: &str) -> Vec<String> {
        let tests = Variables::read(printed).tests(ROOT.into(), "tests".into());
        tests
            .into_iter()
            .map(|test| format!("{}: {}", test.name, test.command))
            .collect()
    }

    #[test]
    fn programs_are_started_and_scripts_may_be_skipped() {
        let printed = "tests: one two.sh three\ninverted: three\nprograms: one three\nenvironment: \n\
                       compiler .sh: /bin/bash\nof one: one.c util.c util.h";
        assert_eq!(
            commands(printed),
            [
                "one: ./one",
                "two: srcdir=.; export srcdir;  /bin/bash ./two.sh || test $? -eq 77"
            ]
        );
        let tests = Variables::read(printed).tests(ROOT.into(), "tests".into());
        assert_eq!(tests[0].functions, ["tests/one.c", "tests/util.c"]);
        assert_eq!(tests[0].cwd.as_deref(), Some("tests"));
    }

    #[test]
    fn a_test_has_the_environment_of_automake() {
        let printed = "tests: a\nprograms: a\nenvironment: TOP=/t/p/data; export TOP;\ndriver: sh ../tap-driver.sh";
        let [command] = &commands(printed)[..] else {
            panic!("one test");
        };
        assert!(command.starts_with("a: { srcdir=.; export srcdir; TOP=../data; export TOP; ./a || test $? -eq 77 || echo Bail out!; } | awk"), "{command}");
    }
}
