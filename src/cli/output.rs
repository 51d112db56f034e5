//! Runs the pipeline with signal handling, and shows the outcome.

use std::io::Write;
use std::sync::Arc;

use super::request::Request;
use crate::invocation::Invocation;
use crate::report::format::{Format, Rendered, human};
use crate::report::terminal::Terminal;
use crate::report::{Ending, Outcome};

/// Runs the pipeline with progress on standard error.
pub fn run(request: &Request) -> Outcome {
    let invocation = Invocation::new(request.settings.clone()).and_then(|invocation| {
        invocation.handle_signals()?;
        Ok(invocation)
    });
    match invocation {
        Ok(invocation) => invocation.run(Arc::new(Terminal::new(request.display.verbose))),
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
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Prints an error message to standard error.
pub fn complain(message: &str) {
    // A closed pipe is no reason to fail.
    let _ = writeln!(anstream::stderr(), "error: {message}");
}

/// Prints a tip below an error message.
pub fn tip(text: &str) {
    let _ = writeln!(anstream::stderr(), "\n  tip: {text}");
}

/// Shows the outcome in the chosen format; returns the exit code.
pub fn show(outcome: &Outcome, format: Format) -> u8 {
    if human::is_error(outcome.ending) {
        complain(outcome.message.as_deref().unwrap_or("no reason known"));
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
    print(&report, outcome.ending.exit_code())
}

/// Writes to standard output; returns `code`, or the code of an internal error if writing fails.
pub fn print(text: &str, code: u8) -> u8 {
    let mut stdout = anstream::stdout();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => code,
        Err(error) => {
            complain(&format!(
                "cannot write the report to standard output: {error}"
            ));
            Ending::Internal.exit_code()
        }
    }
}
