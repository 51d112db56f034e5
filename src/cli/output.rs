//! Runs the pipeline with signal handling, and shows the outcome.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::sync::Arc;

use anyhow::{Context, Result};
use camino::Utf8Path;
use nopol_basics::visible;

use super::request::SearchRequest;
use crate::invocation::Invocation;
use crate::report::format::{Format, Rendered, annotations, human};
use crate::report::terminal::Terminal;
use crate::report::{Ending, Outcome};
use crate::subject::files;

/// Runs the pipeline with progress on standard error.
pub fn run(request: &SearchRequest) -> Outcome {
    let invocation = Invocation::new(request.settings.clone()).and_then(|invocation| {
        invocation.handle_signals()?;
        Ok(invocation)
    });
    match invocation {
        Ok(invocation) => invocation.run(Arc::new(Terminal::new(
            request.display.verbose,
            request.display.quiet,
        ))),
        Err(error) => Outcome {
            ending: Ending::Internal,
            message: Some(format!("{error:#}")),
            ..Outcome::default()
        },
    }
}

/// Prints a line to standard error.
pub fn say(line: &str) {
    // A closed pipe is no reason to fail.
    let _ = writeln!(anstream::stderr(), "{}", visible::for_people(line));
}

/// Prints an error message to standard error.
pub fn complain(message: &str) {
    // A closed pipe is no reason to fail.
    let message = visible::for_people(message);
    let _ = writeln!(anstream::stderr(), "error: {message}");
}

/// Prints a tip below an error message.
pub fn tip(text: &str) {
    let _ = writeln!(anstream::stderr(), "\n  tip: {}", visible::for_people(text));
}

/// Shows the outcome, and writes the files that the user wants besides; returns the exit code.
pub fn present(outcome: &Outcome, request: &SearchRequest) -> u8 {
    let SearchRequest { display, files, .. } = request;
    let mut code = show(outcome, display.format);
    if code == outcome.ending.exit_code() {
        code = display.exit_code(outcome);
    }
    for (path, format) in files.all() {
        if let Err(error) = write(path, format, outcome) {
            complain(&format!("{error:#}"));
            code = Ending::Internal.exit_code();
        }
    }
    code
}

fn write(path: &Utf8Path, format: Format, outcome: &Outcome) -> Result<()> {
    let text = format.render(outcome)?.report;
    let written = match is_shared(path) {
        true => File::options()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes())),
        false => files::replace(path, text.as_bytes()),
    };
    written.with_context(|| format!("cannot write the report to {path}"))
}

/// Whether a file is the summary of a step of GitHub Actions, which has parts of others.
pub fn is_shared(path: &Utf8Path) -> bool {
    let shared = std::env::var("GITHUB_STEP_SUMMARY");
    shared.is_ok_and(|shared| shared == *path) && path.is_file()
}

/// Shows the outcome in the chosen format; returns the exit code.
pub fn show(outcome: &Outcome, format: Format) -> u8 {
    if human::is_error(outcome.ending) {
        let message = outcome.message.as_deref();
        let message = message.map(|it| outcome.names.in_sentence(it));
        complain(message.as_deref().unwrap_or("no reason known"));
    }
    let Rendered { report, remark } = match format.render(outcome) {
        Ok(rendered) => rendered,
        Err(error) => {
            complain(&format!("{error:#}"));
            return Ending::Internal.exit_code();
        }
    };
    // A closed pipe is no reason to fail.
    let _ = write!(anstream::stderr(), "{remark}");
    // Where GitHub reads along, patches become annotations without being asked for.
    let is_read = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    let notes = match format.is_default() && is_read {
        true => annotations(&outcome.shown()),
        false => String::new(),
    };
    let code = outcome.ending.exit_code();
    match format.is_for_people() {
        true => written(
            anstream::stdout(),
            &(visible::for_people(&report) + &notes),
            code,
        ),
        false => print_exact(&report, code),
    }
}

/// Writes to standard output what people read; returns `code`, or the code of an internal error if writing fails. Whoever
/// closes the pipe (`| head`) has read enough.
pub fn print(text: &str, code: u8) -> u8 {
    written(anstream::stdout(), &visible::for_people(text), code)
}

/// As [`print`], byte by byte, what programs read.
pub fn print_exact(text: &str, code: u8) -> u8 {
    written(std::io::stdout(), text, code)
}

fn written(mut stdout: impl Write, text: &str, code: u8) -> u8 {
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => code,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code,
        Err(error) => {
            complain(&format!(
                "cannot write the report to standard output: {error}"
            ));
            Ending::Internal.exit_code()
        }
    }
}
