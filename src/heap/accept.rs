//! Searches for a repair of a Rust program: what is found must compile, and fulfil everything when it is read again.

use super::compile::Checker;
use super::confine::{Confinement, Found, search};
use super::load::Loaded;
use super::patch::Change;
use super::problem::Triple;
use super::repair::{Options, Outcome};
use super::rewrite::{edits, rewritten};
use crate::subject::Subject;

/// Most patches that the compiler may refuse.
const MOST_REFUSED: usize = 12;

/// Searches until a patch is found that the compiler accepts; and what it said against others.
pub fn accepted(
    loaded: &mut Loaded,
    triples: &[Triple],
    subject: &Subject,
    again: &dyn Fn(&Loaded, &[Change]) -> bool,
) -> (Found, Vec<String>) {
    let mut refusals = Vec::new();
    let mut checker = None;
    loop {
        let mut found = search(
            &loaded.routine,
            triples,
            Confinement::Suspects,
            Options::default(),
        );
        let Outcome::Patch(changes) = &found.repaired.result else {
            return (found, refusals);
        };
        if checker.is_none() {
            checker = Checker::new(&subject.root).ok();
        }
        let Some(checker) = &checker else {
            refusals.push("the patch is not compiled: the package cannot be copied".to_owned());
            return (found, refusals);
        };
        let Some(said) = refusal(loaded, checker, changes) else {
            if again(loaded, changes) {
                return (found, refusals);
            }
            refusals
                .push("a patch is left out: written into the source it does not hold".to_owned());
            if refusals.len() > MOST_REFUSED {
                found.repaired.result = Outcome::Exhausted;
                return (found, refusals);
            }
            loaded.routine.refused.extend(changes.last().cloned());
            continue;
        };
        if refusal(loaded, checker, &[]).is_some() {
            refusals.push(format!("the package does not compile: {said}"));
            return (found, refusals);
        }
        let mut culprits = changes.clone();
        if changes.len() > 1 {
            culprits
                .retain(|change| refusal(loaded, checker, std::slice::from_ref(change)).is_some());
        }
        let is_last = refusals.len() == MOST_REFUSED || culprits.is_empty();
        refusals.push(format!("a patch is left out: {said}"));
        if is_last {
            found.repaired.result = Outcome::Exhausted;
            return (found, refusals);
        }
        loaded.routine.refused.extend(culprits);
    }
}

/// What the compiler says against the program with these changes.
fn refusal(loaded: &Loaded, checker: &Checker, changes: &[Change]) -> Option<String> {
    let edits = edits(&loaded.routine, &loaded.texts, changes);
    let changed = rewritten(&loaded.texts, &edits);
    let files = loaded.program.files.iter().map(|path| &**path);
    let said = checker.refusal(files.zip(&changed));
    said.unwrap_or_else(|error| Some(error.to_string()))
}
