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

/// Why a patch is discarded that the compiler accepts, once the function is read again with it: a sentence. `None` if it holds.
pub type Again<'a> = &'a dyn Fn(&Loaded, &[Change]) -> Option<String>;

/// Searches until it finds a patch that the compiler accepts and that holds `again`. Also returns why other patches
/// were discarded. After that nothing is proved about the specification, because those patches fulfil it.
///
/// # Errors
/// If the compiler cannot be asked.
pub fn accepted(
    loaded: &mut Loaded,
    triples: &[Triple],
    options: HeapOptions<'_>,
    compile: Compile<'_>,
    again: Again<'_>,
) -> Result<(ConfinedRepair, Vec<String>), String> {
    let mut refusals = Vec::new();
    loop {
        let mut found = search(&loaded.routine, triples, Confinement::Suspects, options);
        let HeapOutcome::Patch(changes) = &found.repaired.result else {
            let is_proved = matches!(found.repaired.result, HeapOutcome::Contradiction(_));
            if is_proved && !refusals.is_empty() {
                found.repaired.result = HeapOutcome::Exhausted;
            }
            return Ok((found, refusals));
        };
        let culprits = match refusal(loaded, compile, changes)? {
            None => match again(loaded, changes) {
                None => return Ok((found, refusals)),
                Some(reason) => {
                    refusals.push(format!("a patch was discarded: {reason}"));
                    changes.last().cloned().into_iter().collect()
                }
            },
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

#[cfg(all(test, feature = "z3"))]
mod tests {
    use nopol_program::front::rust;

    use super::accepted;
    use crate::effect::Effects;
    use crate::load::Loaded;
    use crate::machine::Point;
    use crate::notation::parse;
    use crate::patch::Change;
    use crate::problem::{Control, Triple};
    use crate::repair::{HeapOptions, HeapOutcome};

    const MOVED: &str = "
pub struct Tree { left: Option<Box<Tree>>, right: Option<Box<Tree>> }
pub fn turn(mut t: Box<Tree>) -> Box<Tree> {
    match t.right.take() {
        None => t,
        Some(mut r) => {
            t.right = r.right.take();
            r.left = Some(t);
            r
        }
    }
}
";

    /// What the search ends with if patches, read again, are judged so.
    fn result(again: super::Again<'_>) -> (HeapOutcome, Vec<String>) {
        let files = [("src/lib.rs".into(), MOVED.to_owned())];
        let (program, _) = rust::read_functions(&files, None, &["turn"])
            .unwrap_or_else(|outside| panic!("{outside}"));
        let mut loaded = Loaded::of(program, vec![MOVED.to_owned()], "turn")
            .unwrap_or_else(|outside| panic!("{outside}"));
        let state = |text| parse(&loaded.routine, text).unwrap_or_else(|error| panic!("{error}"));
        let triple = Triple {
            from: Point::Start,
            before: state(
                "t = n1; n1.left = null; n1.right = n2; n2.left = n3; n2.right = n4; \
                 n3.left = null; n3.right = null; n4.left = null; n4.right = null",
            ),
            control: Control::Free,
            to: Point::End,
            after: state("return = n2; n2.left = n1; n2.right = n4; n1.left = null; n1.right = n3"),
            effects: Effects::new(),
        };
        let options = HeapOptions::default();
        let compile = |_: &[_]| Ok(None);
        let (found, refusals) = accepted(&mut loaded, &[triple], options, &compile, again)
            .unwrap_or_else(|error| panic!("{error}"));
        (found.repaired.result, refusals)
    }

    #[test]
    fn another_operand_of_take_is_a_patch_of_one_change() {
        let (result, refusals) = result(&|_, _| None);
        let is_one = matches!(&result, HeapOutcome::Patch(changes)
            if matches!(changes.as_slice(), [Change::Leaf { leaf: 1, .. }]));
        assert!(is_one, "{result:?}");
        assert_eq!(refusals, [""; 0]);
    }

    #[test]
    fn nothing_is_proved_where_patches_were_discarded() {
        let (result, refusals) = result(&|_, _| Some("not this one".to_owned()));
        assert_eq!(result, HeapOutcome::Exhausted);
        assert!(!refusals.is_empty());
        let text = "a patch was discarded: not this one";
        assert!(refusals.iter().all(|refusal| refusal == text));
    }
}
