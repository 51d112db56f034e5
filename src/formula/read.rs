//! Reading a subject's program and tests, in C or Rust, without running them.

use std::cell::RefCell;

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;
use nopol_basics::nearest::did_you_mean;
use nopol_basics::stack::until;
use nopol_process::run::command::{Case, Command, Comparison, Input};
use nopol_program::front;
use nopol_program::front::rust::{ReadTests, Wanted};
use nopol_program::ir::{Entry, Expected, FunctionId, Program, Test};

use super::chosen::Chosen;
use super::left_out::LeftOut;
use super::load::Refusal;
use crate::report::phrases::all_ignored;
use crate::subject::ecosystem::ProgramText;
use crate::subject::paths::normal;

/// A program, its tests, and those that are left out.
pub type Read = (Program, Vec<Test>, Vec<LeftOut>);

/// A C program and its tests, the wanted ones only, and why others are left out.
///
/// # Errors
/// If something is outside of the subset.
pub fn of_c(whole: &ProgramText, wanted: &[String]) -> Result<Read, Refusal> {
    of_c_until(whole, wanted, Deadline::Never)
}

pub(super) fn of_c_until(
    whole: &ProgramText,
    wanted: &[String],
    deadline: Deadline,
) -> Result<Read, Refusal> {
    let program = front::c::read_until(&whole.files, deadline)?;
    let Some(main) = front::c::main_of(&program) else {
        return Err(match program.unread.get("main") {
            Some(outside) => outside.clone().into(),
            None => Refusal::Outside("the sources have no function `main`".to_owned()),
        });
    };
    if let Some(outside) = program.opaque(main) {
        return Err(outside.clone().into());
    }
    let (mut tests, mut left_out) = (Vec::new(), Vec::new());
    let program_of = program_of(&program, main, &whole.cases);
    let of_program = |words, case: &Case| match command_of(case) == program_of {
        true => Ok(words),
        false => Err("the command runs another program"),
    };
    for case in &whole.cases {
        if !wanted.is_empty() && !wanted.contains(&case.name) {
            continue;
        }
        match words(case).and_then(|words| of_program(words, case)) {
            Ok(words) => tests.push(Test {
                name: case.name.clone(),
                entry: Entry::Main {
                    main,
                    arguments: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
                    input: match &case.stdin {
                        Input::Text(text) => text.as_bytes().to_vec(),
                        Input::Nothing | Input::File(_) => Vec::new(),
                    },
                    output: case.stdout.as_ref().map(|text| Expected {
                        bytes: text.as_bytes().to_vec(),
                        words: case.comparison == Comparison::Space,
                    }),
                    exit: case.exit,
                },
            }),
            Err(reason) => left_out.push(LeftOut {
                test: case.name.clone(),
                reason: reason.to_owned(),
            }),
        }
    }
    Ok((program, tests, left_out))
}

/// The function of a C program with this name, which may have its file in front: `FILE:NAME`. `None` if there is none.
///
/// # Errors
/// If several files have a function of this name.
pub fn function_named(program: &Program, name: &str) -> Result<Option<FunctionId>, Refusal> {
    let (file, bare) = match name.rsplit_once(':') {
        Some((file, bare)) => (Some(file), bare),
        None => (None, name),
    };
    let place_of = |id: FunctionId| {
        let mut places = program.places.iter();
        let place = places.find(|place| place.function == Some(id))?;
        let path = program.files.get(place.span.file as usize)?;
        Some((path.as_str(), place.line))
    };
    let functions = program.functions.iter_enumerated();
    let found: Vec<FunctionId> = functions
        .filter(|(_, function)| function.name == bare)
        .map(|(id, _)| id)
        .filter(|id| file.is_none_or(|file| place_of(*id).is_some_and(|(path, _)| path == file)))
        .collect();
    if found.len() < 2 {
        return Ok(found.first().copied());
    }
    let places = found.iter().filter_map(|id| place_of(*id));
    let places: Vec<String> = places
        .map(|(path, line)| format!("{path}:{line}"))
        .collect();
    Err(Refusal::Usage(format!(
        "several functions have the name `{bare}`, with statements at {}: write FILE:{bare} to choose one",
        places.join(" and ")
    )))
}

/// The program that tests run which has the name of the file with `main`, or else the one that most tests run.
fn program_of(program: &Program, main: FunctionId, cases: &[Case]) -> Option<Utf8PathBuf> {
    let file = program
        .places
        .iter()
        .find(|place| place.function == Some(main));
    let file = file.and_then(|place| program.files.get(place.span.file as usize));
    let name = file.and_then(|path| path.file_stem());
    let commands: Vec<Utf8PathBuf> = cases.iter().filter_map(command_of).collect();
    let rank = |command: &Utf8PathBuf| {
        let number = commands.iter().filter(|other| *other == command).count();
        (command.file_name() == name, number)
    };
    // The first of the best, not the last.
    commands
        .iter()
        .rev()
        .max_by_key(|command| rank(command))
        .cloned()
}

/// The program that a test runs, relative to the root.
fn command_of(case: &Case) -> Option<Utf8PathBuf> {
    let program = words(case).ok()?.first()?;
    Some(normal(&case.cwd.join(program)))
}

/// The program's name and arguments.
fn words(case: &Case) -> Result<&[String], &'static str> {
    match &case.command {
        Command::Words(words)
            if words
                .first()
                .is_some_and(|program| program.contains('/') && !program.starts_with('/')) =>
        {
            Ok(words)
        }
        Command::Words(_) => Err("the command is not the program itself"),
        Command::Line(_) => Err("the command is a script or needs a shell"),
    }
}

/// The same of a Rust program, with these functions even if no test calls them: their full names.
///
/// # Errors
/// If something that the functions reach is outside of the subset, there is no such function, or the time is over.
pub fn of_rust_with(
    whole: &ProgramText,
    wanted: &[String],
    functions: &[&str],
    deadline: Deadline,
) -> Result<(Read, Vec<String>), Refusal> {
    let (whole, wanted) = (whole.clone(), wanted.to_vec());
    let functions: Vec<String> = functions.iter().map(|name| (*name).to_owned()).collect();
    read_until(deadline, move || {
        let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
        of_rust_and(&whole, &wanted, &functions)
    })
}

fn of_rust_and(
    whole: &ProgramText,
    wanted: &[String],
    functions: &[&str],
) -> Result<(Read, Vec<String>), Refusal> {
    let is_wanted = wanted_of(whole, wanted)?;
    let (read, ids) =
        front::rust::read_with(&whole.files, whole.features.as_ref(), &is_wanted, functions)?;
    let mut names = Vec::new();
    for (name, id) in functions.iter().zip(ids) {
        match id {
            Some(id) => names.push(read.program.functions[id].name.clone()),
            None => {
                let known = read.program.functions.iter();
                let near = did_you_mean(name, known.map(|function| &*function.name));
                return Err(Refusal::Usage(format!(
                    "there is no function `{name}`{near}"
                )));
            }
        }
    }
    Ok((chosen(read), names))
}

pub(super) fn of_rust_until(
    whole: &ProgramText,
    wanted: &[String],
    deadline: Deadline,
) -> Result<Read, Refusal> {
    let (whole, wanted) = (whole.clone(), wanted.to_vec());
    read_until(deadline, move || {
        let read = of_rust(&whole, &wanted)?;
        let (_, tests, left_out) = &read;
        let has_none = tests.is_empty() && left_out.is_empty();
        if has_none && wanted.is_empty() && whole.test_args.is_empty() {
            refuse_ignored(&whole)?;
        }
        Ok(read)
    })
}

/// Reads Rust until a deadline, which its parser does not ask for.
fn read_until<T: Send + 'static>(
    deadline: Deadline,
    read: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let late = || {
        Err(Refusal::Outside(
            "the time for reading the program is over".to_owned(),
        ))
    };
    until(deadline, read).unwrap_or_else(late)
}

/// The error that all tests are ignored, if there are any; none of them was asked for.
fn refuse_ignored(whole: &ProgramText) -> Result<(), Refusal> {
    let ignored = RefCell::new(Vec::new());
    let note = |name: &str, is_ignored: bool| {
        if is_ignored {
            ignored.borrow_mut().push(name.to_owned());
        }
        Wanted::No
    };
    front::rust::read_all(&whole.files, whole.features.as_ref(), &note)?;
    let ignored = ignored.into_inner();
    match ignored.is_empty() {
        true => Ok(()),
        false => Err(Refusal::Outside(all_ignored(&ignored, false))),
    }
}

pub(super) fn of_rust(whole: &ProgramText, wanted: &[String]) -> Result<Read, Refusal> {
    let is_wanted = wanted_of(whole, wanted)?;
    let read = front::rust::read_all(&whole.files, whole.features.as_ref(), &is_wanted)?;
    let (program, tests, left_out) = chosen(read);
    if tests.is_empty() && left_out.is_empty() && !whole.test_args.is_empty() {
        return Err(Refusal::Outside(format!(
            "no test matches the arguments after `--` ({})",
            whole.test_args.join(" ")
        )));
    }
    Ok((program, tests, left_out))
}

/// Whether a test counts, by its name and whether it is to be ignored. One that the user names is never passed over
/// without a word.
fn wanted_of<'w>(
    whole: &ProgramText,
    wanted: &'w [String],
) -> Result<impl Fn(&str, bool) -> Wanted + use<'w>, Refusal> {
    let chosen = Chosen::new(&whole.test_args).map_err(Refusal::Usage)?;
    Ok(move |name: &str, is_ignored: bool| {
        let is_named = wanted.iter().any(|wanted| wanted == name);
        match chosen.why_not(name, is_ignored) {
            None if is_named || wanted.is_empty() => Wanted::Yes,
            Some(reason) if is_named => Wanted::LeftOut(reason),
            _ => Wanted::No,
        }
    })
}

fn chosen(read: ReadTests) -> Read {
    let outside = read.outside.into_iter();
    let outside = outside.map(|(test, outside)| (test, outside.to_string()));
    let passed_over = read.passed_over.into_iter();
    let passed_over = passed_over.map(|(test, reason)| (test, reason.to_owned()));
    let left_out = outside
        .chain(passed_over)
        .map(|(test, reason)| LeftOut { test, reason });
    (read.program, read.tests, left_out.collect())
}
