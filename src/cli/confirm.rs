//! Builds and tests a patch that was not tested alone before `apply` writes it, and reports the result.

use std::fmt;
use std::sync::Arc;

use anyhow::Result;
use camino::Utf8PathBuf;
use nopol_basics::count;

use crate::invocation::Invocation;
use crate::repair::confirming::Confirmation;
use crate::repair::settings::Settings;
use crate::report::Choice;
use crate::report::markup::code;
use crate::report::phrases::names;
use crate::report::terminal::Terminal;

/// What is known of a patch that may be written.
#[derive(Debug, Default)]
pub struct Confirmed {
    /// The findings of the build and the tests, a sentence each.
    pub notes: Vec<String>,
    /// Whether its tests ran.
    pub is_tested: bool,
}

/// A patch that does not hold, with the reason.
#[derive(Debug)]
pub struct Refuted {
    choice: Choice,
    why: String,
}

impl std::error::Error for Refuted {}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "patch {} was rejected: {}; nothing was written",
            self.choice, self.why
        )
    }
}

/// A patch that cannot be tested, since the program does not build without it either.
#[derive(Debug)]
pub struct Untestable {
    choice: Choice,
}

impl std::error::Error for Untestable {}

impl fmt::Display for Untestable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "patch {} cannot be tested: the program does not build even without it. Nothing was written; make the program build first",
            self.choice
        )
    }
}

/// Builds and tests a patch: what its files become, and the tests that it is to fix.
///
/// # Errors
/// [`Refuted`] if it does not hold, [`Untestable`] if the program does not build without it; or if the subject cannot be copied, or the run is stopped.
pub fn confirmed(
    settings: &Settings,
    choice: Choice,
    texts: &[(Utf8PathBuf, String)],
    fixes: &[String],
) -> Result<Confirmed> {
    // The limit of a search is none for the patch that it has found.
    let invocation = Invocation::new(Settings {
        time_limit: None,
        ..settings.clone()
    })?;
    invocation.handle_signals()?;
    let observer = Arc::new(Terminal::new(false, false));
    let confirmation = invocation.confirmation(texts, fixes, observer)?;
    Ok(Confirmed {
        is_tested: matches!(confirmation, Confirmation::Holds { .. }),
        notes: match confirmation {
            Confirmation::Refuted(why) => return Err(Refuted { choice, why }.into()),
            Confirmation::Unbuildable => return Err(Untestable { choice }.into()),
            Confirmation::WithoutTests => {
                vec!["The program builds with it; there is no test to run.".to_owned()]
            }
            Confirmation::Holds {
                cured,
                failing,
                passing,
                doubts,
            } => notes(&cured, &failing, passing, doubts),
        },
    })
}

fn notes(cured: &[String], failing: &[String], passing: usize, doubts: Vec<String>) -> Vec<String> {
    let before = match passing {
        0 => String::new(),
        1 => "the test that passed before still does".to_owned(),
        _ => format!("the {} that passed before still do", count(passing, "test")),
    };
    let cures = match cured {
        [] => String::new(),
        [one] => format!("{} passes now", code(one)),
        _ => format!("{} pass now", names(cured)),
    };
    let parts: Vec<String> = [cures, before]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let mut notes = match parts.is_empty() {
        true => vec!["It was built and tested.".to_owned()],
        false => vec![format!(
            "It was built and tested: {}.",
            parts.join(", and ")
        )],
    };
    if !failing.is_empty() {
        notes.push(format!("Still failing: {}.", names(failing)));
    }
    notes.extend(doubts);
    notes
}

#[cfg(test)]
mod tests {
    use super::notes;

    #[test]
    fn what_the_tests_say_is_told() {
        let names =
            |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
        assert_eq!(
            notes(&names(&["a"]), &names(&["b"]), 2, Vec::new()),
            [
                "It was built and tested: `a` passes now, and the 2 tests that passed before still do.",
                "Still failing: `b`."
            ]
        );
        assert_eq!(
            notes(&[], &names(&["b"]), 0, Vec::new()),
            ["It was built and tested.", "Still failing: `b`."]
        );
    }
}
