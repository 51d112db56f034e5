//! `cargo nopol c --init`: writes a `nopol.toml` from what is detected in a program's directory.

mod autotools;
mod build_info;
mod cases;
mod cmake;
mod database;
mod detect;
mod functions;
mod listing;
mod make;
mod meson;
mod recipe;
mod text;
mod tools;
mod unsuited;

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::count;
use nopol_process::run::process::Supervisor;

use self::build_info::{CommandTest, TestTarget};
use self::cases::{Pairs, Script};
use self::listing::Listing;
use self::text::Plan;
use self::tools::{Copy, Tools};
use super::config::{self, NAME};
use crate::subject::SubjectError;

/// The most source files that are listed.
const MOST_SOURCES: usize = 400;

/// Writes a `nopol.toml` in `dir`. Returns a summary of what was detected, what was guessed and what the user
/// still has to fill in. Build tools run in a copy of the directory.
///
/// # Errors
/// [`SubjectError::Usage`] if the file exists already or cannot be written, or if there is no C file; and if a build tool
/// cannot be asked, or the user interrupts it.
pub fn init(dir: &Utf8Path, supervisor: &Supervisor) -> Result<String> {
    let dir = match dir.canonicalize_utf8() {
        Ok(dir) => dir,
        Err(error) => return Err(SubjectError::Usage(format!("cannot read {dir}: {error}")).into()),
    };
    write(&dir, &mut Copy::of(&dir, supervisor))
}

/// Writes the file in a directory with an absolute path.
fn write(dir: &Utf8Path, tools: &mut dyn Tools) -> Result<String> {
    let usage = |text: String| Err(SubjectError::Usage(text).into());
    let exists = || {
        usage(format!(
            "{NAME} already exists and was not changed; delete it to get a new one"
        ))
    };
    let path = dir.join(NAME);
    if path.symlink_metadata().is_ok() {
        return exists();
    }
    let listing = Listing::of(dir);
    if listing.sources().is_empty() {
        return usage(format!("there is no C file in {dir} or below it"));
    }
    let (mut plan, mut summary) = plan(&listing, tools)?;
    let mut text = plan.text();
    if let Err(error) = config::parse(dir, &path, &text) {
        // Detected tests that are not valid are left to the user, as a comment.
        summary.todo.push(format!("tests are left out: {error}"));
        plan.build_info.tests.clear();
        plan.pairs = None;
        text = plan.text();
        config::parse(dir, &path, &text)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(summary.text()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => exists(),
        Err(error) => usage(format!("cannot write {path}: {error}")),
    }
}

/// The summary for the user.
#[derive(Default)]
struct Summary {
    lines: Vec<String>,
    todo: Vec<String>,
}

impl Summary {
    fn text(&self) -> String {
        let mut text = format!("Wrote {NAME}:\n");
        for line in &self.lines {
            let _ = writeln!(text, "  {line}");
        }
        for item in &self.todo {
            let _ = writeln!(text, "Still to do: {item}.");
        }
        text + "`cargo nopol c list` shows tests and places; `cargo nopol c` looks for patches."
    }
}

/// Removes what should not be patched, unless that is all; says what, for the end of a line of the summary.
fn leave_out_unsuited(listing: &Listing, sources: &mut Vec<Utf8PathBuf>) -> String {
    let is_framework = |path: &&Utf8PathBuf| unsuited::is_of_framework(path);
    let (of_frameworks, others): (Vec<_>, Vec<_>) = sources.iter().partition(is_framework);
    let is_generated = |path: &&Utf8PathBuf| unsuited::is_generated(&listing.text(path));
    let (generated, kept): (Vec<&Utf8PathBuf>, Vec<&Utf8PathBuf>) =
        others.into_iter().partition(is_generated);
    if kept.is_empty() {
        return String::new();
    }
    let mut named = Vec::new();
    if !generated.is_empty() {
        named.push(count(generated.len(), "generated file"));
    }
    if !of_frameworks.is_empty() {
        named.push(count(of_frameworks.len(), "file") + " of a test framework");
    }
    *sources = kept.into_iter().cloned().collect();
    match named.is_empty() {
        true => String::new(),
        false => format!(", without {}", named.join(" and ")),
    }
}

fn plan(listing: &Listing, tools: &mut dyn Tools) -> Result<(Plan, Summary)> {
    let mut pairs = cases::pairs(listing);
    let has_outputs = pairs.as_ref().is_some_and(|pairs| pairs.count > 0);
    let mut build_info = detect::detect(listing, tools, !has_outputs)?;
    // Beside tests that the build names, it is a guess which of several programs the files belong to. Inputs alone say little.
    let is_doubtful = match build_info.tests.is_empty() {
        true => !has_outputs && build_info.programs.is_empty(),
        false => !has_outputs || build_info.programs.len() > 1,
    };
    if is_doubtful {
        pairs = None;
    }
    functions::find(listing, &mut build_info.tests);
    let mut summary = Summary::default();
    let headers = listing.headers_with_functions();
    let has_headers = !headers.is_empty();
    let (mut sources, from): (Vec<Utf8PathBuf>, String) =
        match (database::compiled(listing), build_info.sources.take()) {
            (_, Some(sources)) if !(has_headers && listing.has_only_tests()) => {
                (sources, "which the build compiles".to_owned())
            }
            (Some(found), _) => (found.sources, format!("listed in {}", found.name)),
            (None, _) if !listing.has_only_tests() => {
                let sources = listing.sources();
                let which = match sources.len() {
                    1 => "the only C file that does not look like a test",
                    _ => "all C files that do not look like tests",
                };
                (sources, which.to_owned())
            }
            (None, _) if has_headers => (
                Vec::new(),
                "all headers with functions, because all C files look like tests".to_owned(),
            ),
            (None, _) => (
                listing.sources(),
                "all C files, which look like tests".to_owned(),
            ),
        };
    let left_out = leave_out_unsuited(listing, &mut sources);
    let and_headers = match has_headers && !sources.is_empty() {
        true => ", and headers with functions",
        false => "",
    };
    sources.extend(headers);
    for test in &mut build_info.tests {
        // A file that may be patched has no guards.
        if test.functions.iter().any(|path| sources.contains(path)) {
            test.functions.clear();
        }
    }
    let left = sources.len().saturating_sub(MOST_SOURCES);
    sources.truncate(MOST_SOURCES);
    summary.lines.push(format!(
        "sources: {}, {from}{and_headers}{left_out}",
        match sources.as_slice() {
            [only] => only.to_string(),
            _ => count(sources.len(), "file"),
        }
    ));
    if left > 0 {
        summary.todo.push(format!(
            "check `sources`: {left} more were found; list those that may contain the bug"
        ));
    }
    summary.lines.push(format!(
        "build: `{}`, {}",
        build_info.command,
        match &*build_info.from {
            detect::FILES => "guessed from the files".to_owned(),
            from => format!("from {from}"),
        }
    ));
    let main = || {
        sources
            .iter()
            .find(|path| listing.has_main(path))
            .and_then(|path| path.file_stem())
    };
    let program = match build_info.programs.as_slice() {
        [program] => program.clone(),
        [program, others @ ..] => {
            if build_info.tests.is_empty() {
                summary.todo.push(format!(
                    "check `command`: it runs {program}, and the build also makes {}",
                    others.join(", ")
                ));
            }
            program.clone()
        }
        [] => build_info::invocation(main().unwrap_or("program")),
    };
    let script = cases::script(listing).filter(|script| {
        let is_test = |test: &CommandTest| test.command == script.without_name();
        !build_info.tests.iter().any(is_test)
    });
    if !build_info.tests.is_empty() {
        let split = build_info.tests.iter();
        let split = split.filter(|test| !test.functions.is_empty()).count();
        let functions = match split {
            0 => String::new(),
            1 if build_info.tests.len() == 1 => "; each of its test functions is a test".to_owned(),
            split if split == build_info.tests.len() => {
                "; each of their test functions is a test".to_owned()
            }
            1 => "; each test function of one of them is a test".to_owned(),
            split => format!("; each test function of {split} of them is a test"),
        };
        summary.lines.push(format!(
            "tests: {}, from {}{functions}",
            count(build_info.tests.len(), "command"),
            build_info.tests_from()
        ));
    }
    if let Some(pairs) = &pairs {
        let how = if pairs.as_arguments {
            "arguments"
        } else {
            "standard input"
        };
        let (found, Pairs { input, output, .. }) = (count(pairs.count, "pair"), pairs);
        summary.lines.push(match pairs.count {
            0 => format!(
                "tests: {}, `{input}` (taken as {how} of `{program}`)",
                count(pairs.apart.len(), "input")
            ),
            _ => {
                format!("tests: {found}, `{input}` (taken as {how} of `{program}`) and `{output}`")
            }
        });
        let lacking = pairs.apart.iter().filter(|one| one.output.is_none());
        let lacking: Vec<String> = lacking.map(|one| format!("`{}`", one.name)).collect();
        if let [first, others @ ..] = lacking.as_slice() {
            let more = match others.len() {
                0 => String::new(),
                more => format!(" and {}", count(more, "other test")),
            };
            summary.todo.push(format!(
                "say what {first}{more} must print: without an output, a test passes if the program exits with 0"
            ));
        }
        summary.todo.push(
            "check `exit`: all these tests must exit with 0; a test with another exit code needs its own `[[c.test]]` of the same name"
                .to_owned(),
        );
        if build_info.programs.is_empty() {
            summary.todo.push(format!(
                "check `command`: it is not known which program is built, and `{program}` is a guess"
            ));
        }
        if pairs.has_odd_line_ends {
            summary.todo.push(
                "check `match`: some outputs have unusual line endings, so they are compared word by word"
                    .to_owned(),
            );
        }
    }
    if let Some(script) = &script {
        summary.todo.push(match script.names {
            Some(_) => format!(
                "if `{}` runs one test, uncomment `[c.script]` in {NAME} and list the names; otherwise write each test as a `[[c.test]]`, which also runs faster",
                script.command
            ),
            None => format!(
                "if `{}` runs your tests, uncomment the example in {NAME}",
                script.command
            ),
        });
    }
    let is_named = |target: &&TestTarget| {
        let scripts = script.iter();
        scripts
            .map(Script::without_name)
            .any(|script| target.runs(script))
    };
    for target in build_info.test_targets.iter().filter(|it| !is_named(it)) {
        let each = match pairs {
            Some(_) => "if it runs other tests than these pairs, write each",
            None => "write each test",
        };
        summary.todo.push(format!(
            "the target `{}` of {} may run tests. A comment in {NAME} shows its commands; {each} as a `[[c.test]]`",
            target.name, target.file
        ));
    }
    if build_info.tests.is_empty() && pairs.is_none() && script.is_none() {
        summary.todo.push(format!(
            "add tests. None were found; {NAME} has an example for `{program}` to fill in"
        ));
    }
    summary.todo.append(&mut build_info.todo);
    let plan = Plan {
        sources,
        build_info,
        program,
        pairs,
        script,
    };
    Ok((plan, summary))
}

#[cfg(test)]
mod tests;
