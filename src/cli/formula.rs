//! What `faults`, `mutate` and `heap` have in common: a result is printed as text or JSON of its own, or as a report that is
//! made of its [`Outcome`]; and a refusal is explained.

use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nopol_process::run::interrupt;
use serde::Serialize;

use super::output;
use crate::formula::UserStop;
use crate::formula::load::Refusal;
use crate::formula::report;
use crate::invocation::Invocation;
use crate::repair::settings::Settings;
use crate::report::format::{FORMATS, Format};
use crate::report::terminal::Terminal;
use crate::report::{Ending, Outcome};
use crate::subject::ecosystem::Seen;

/// The formats that such a result has of its own.
const OWN: [(&str, &str); 2] = [
    ("human", "Text for people"),
    (
        "json",
        "All results, as one JSON object; its fields are specific to this command",
    ),
];

/// Their help says more elsewhere: these commands do not add annotations to the default format, and do not list tests that pass.
const OTHERS: [(&str, &str); 2] = [
    ("github", "GitHub Actions annotations"),
    (
        "junit",
        "The failing tests to fix, each with its first patch, as JUnit XML",
    ),
];

/// Makes SIGINT, SIGTERM and SIGHUP end the search, which then shows what it found, with exit code 130. Without a handler, if
/// there can be none, they end the tool.
pub fn end_on_signals() -> UserStop {
    let note = "interrupted: the search ends with what it has found so far; a second signal ends it at once";
    UserStop::on(interrupt::wanted_on_signals(|| output::complain(note)).ok())
}

/// What ends a search, and what can build the program within the search's time limit. Its warden is forked before the signals
/// have a handler.
///
/// # Errors
/// The exit code, after the message, if the process cannot be forked.
pub fn prepared(settings: &Settings, limit: Duration) -> Result<(UserStop, Invocation), u8> {
    let settings = Settings {
        time_limit: Some(limit),
        ..settings.clone()
    };
    let invocation = Invocation::new(settings).map_err(|error| {
        output::complain(&error.to_string());
        Ending::Internal.exit_code()
    })?;
    Ok((end_on_signals(), invocation))
}

/// What a build of the program shows, and what its tests show if they are to run.
pub fn built(invocation: &Invocation, settings: &Settings, runs_tests: bool) -> Seen {
    let observer = Arc::new(Terminal::new(false, true));
    match settings.subject() {
        Ok(subject) => invocation.as_built(subject, runs_tests, observer),
        Err(_) => Seen::default(),
    }
}

/// The formats of such a result: its own, and those of the reports that can show it.
pub fn formats(can_show: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let value = |format: &Format| {
        let mut known = OWN.iter().chain(&OTHERS);
        let help = match known.find(|(name, _)| *name == format.name()) {
            Some((_, help)) => help,
            None => format.help(),
        };
        if !is_own(*format) && !can_show(*format) {
            return None;
        }
        Some(PossibleValue::new(format.name()).help(help))
    };
    let values: Vec<PossibleValue> = FORMATS.iter().filter_map(value).collect();
    PossibleValuesParser::new(values).map(|name| Format::named(&name).unwrap_or_default())
}

/// The result; or the exit code, after the message that says why there is none. `outside` is the JSON of a program that is
/// outside of the subset, for this reason.
pub fn accepted<T: Serialize>(
    result: Result<T, Refusal>,
    format: Format,
    outside: impl FnOnce(String) -> T,
) -> Result<T, u8> {
    result.map_err(|refusal| {
        let (message, ending) = match refusal {
            Refusal::Usage(message) => (message, Ending::Usage),
            Refusal::Outside(message) => (message, Ending::UnusableBaseline),
            Refusal::Internal(message) => (message, Ending::Internal),
        };
        if !is_own(format) {
            let outcome = Outcome {
                ending,
                message: Some(message),
                ..Outcome::default()
            };
            return output::show(&outcome, format);
        }
        output::complain(&message);
        match (format.is_default(), ending) {
            (false, Ending::UnusableBaseline) => json(&outside(message), ending),
            _ => ending.exit_code(),
        }
    })
}

/// Prints a result, with `outcome` as what all other reports are made of; gives the exit code.
pub fn print<T: Serialize>(
    shown: &T,
    format: Format,
    human: impl FnOnce(&T) -> String,
    outcome: &Outcome,
) -> u8 {
    match (is_own(format), format.is_default()) {
        (false, _) => output::show(outcome, format),
        (true, true) => output::print(&human(shown), outcome.ending.exit_code()),
        (true, false) => json(shown, outcome.ending),
    }
}

fn is_own(format: Format) -> bool {
    OWN.iter().any(|(name, _)| *name == format.name())
}

fn json(shown: &impl Serialize, ending: Ending) -> u8 {
    match report::json(shown) {
        Ok(text) => output::print_exact(&text, ending.exit_code()),
        Err(error) => {
            output::complain(&error.to_string());
            Ending::Internal.exit_code()
        }
    }
}
