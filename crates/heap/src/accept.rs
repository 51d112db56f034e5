//! Searches for a repair of a Rust program. A repair must compile, because the compiler checks more about pointers than is
//! modelled, and the changed function, read again, must meet the whole specification.

use camino::Utf8PathBuf;

use super::confine::{ConfinedRepair, Confinement, search};
use super::load::Loaded;
use super::patch::Change;
use super::problem::Triple;
use super::repair::{HeapOptions, HeapOutcome};
use super::rewrite::{edits, rewritten};

/// Most patches that are left out.
const MOST_REFUSED: usize = 12;

/// What the compiler says against the program with these texts; nothing if it accepts them.
///
/// # Errors
/// If it cannot be asked: a sentence.
pub type Compile<'c> = &'c dyn Fn(&[(Utf8PathBuf, String)]) -> Result<Option<String>, String>;

/// Searches until it finds a patch that the compiler accepts and that holds `again`. Also returns why other patches
/// were discarded.
///
/// # Errors
/// If the compiler cannot be asked.
pub fn accepted(
    loaded: &mut Loaded,
    triples: &[Triple],
    options: HeapOptions<'_>,
    compile: Compile<'_>,
    again: &dyn Fn(&Loaded, &[Change]) -> bool,
) -> Result<(ConfinedRepair, Vec<String>), String> {
    let mut refusals = Vec::new();
    loop {
        let mut found = search(&loaded.routine, triples, Confinement::Suspects, options);
        let HeapOutcome::Patch(changes) = &found.repaired.result else {
            return Ok((found, refusals));
        };
        let culprits = match refusal(loaded, compile, changes)? {
            None if again(loaded, changes) => return Ok((found, refusals)),
            None => {
                refusals.push(
                    "a patch was discarded: once written into the source, it does not meet the specification".to_owned(),
                );
                changes.last().cloned().into_iter().collect()
            }
            Some(said) => {
                if refusal(loaded, compile, &[])?.is_some() {
                    return Err(format!("the package does not compile: {said}"));
                }
                refusals.push(format!(
                    "a patch was discarded, because the compiler rejects it: {said}"
                ));
                culprits(loaded, compile, changes)?
            }
        };
        if culprits.is_empty() || refusals.len() > MOST_REFUSED {
            found.repaired.result = HeapOutcome::Exhausted;
            return Ok((found, refusals));
        }
        loaded.routine.refused.extend(culprits);
    }
}

/// The changes that the compiler refuses by themselves.
fn culprits(
    loaded: &Loaded,
    compile: Compile<'_>,
    changes: &[Change],
) -> Result<Vec<Change>, String> {
    if let [change] = changes {
        return Ok(vec![change.clone()]);
    }
    let mut culprits = Vec::new();
    for change in changes {
        if refusal(loaded, compile, std::slice::from_ref(change))?.is_some() {
            culprits.push(change.clone());
        }
    }
    Ok(culprits)
}

/// What the compiler says against the program with these changes.
fn refusal(
    loaded: &Loaded,
    compile: Compile<'_>,
    changes: &[Change],
) -> Result<Option<String>, String> {
    let edits = edits(&loaded.routine, &loaded.texts, changes);
    let changed = rewritten(&loaded.texts, &edits);
    let files = loaded.program.files.iter().cloned().zip(changed);
    compile(&files.collect::<Vec<_>>())
}
