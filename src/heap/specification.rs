//! What a function must fulfil: states that the user gives, or what a reference makes of each call; and which calls fail.

use nopol_basics::{agree, count};
use nopol_heap::RESULT;
use nopol_heap::effect::Effects;
use nopol_heap::load::Loaded;
use nopol_heap::machine::{Fault, Point};
use nopol_heap::memory::{Entity, Memory};
use nopol_heap::notation;
use nopol_heap::problem::{Control, Failure, Recording, Triple};
use nopol_heap::state::{NodeId, State, Value};
use nopol_program::ir::Test;

use super::batch::{HeapRequest, load};
use crate::formula::load::Refusal;

/// Most failing calls that are described.
const MOST_DESCRIBED: usize = 5;

/// What the function must fulfil, and what is to be known of it: a sentence each.
pub(super) fn triples(
    request: &HeapRequest,
    loaded: &Loaded,
    tests: &[Test],
) -> Result<(Vec<Triple>, Vec<String>), Refusal> {
    let mut triples = Vec::new();
    let mut notes = Vec::new();
    for (before, after) in &request.states {
        let (before, after) = (state(loaded, before)?, state(loaded, after)?);
        check_numbers(&before, &after)?;
        triples.push(Triple {
            from: Point::Start,
            before,
            control: Control::Free,
            to: Point::End,
            after,
            effects: Effects::new(),
        });
    }
    if let Some(reference) = &request.reference {
        let (program, texts) = (loaded.program.clone(), loaded.texts.clone());
        let right = load(program, texts, reference)?;
        let parameters = |loaded: &Loaded| loaded.routine.parameters.len();
        if parameters(&right) != parameters(loaded) {
            return Err(Refusal::Usage(format!(
                "`{}` and `{reference}` do not have the same parameters",
                loaded.routine.name
            )));
        }
        let (mut wrong, mut large) = (Vec::new(), 0);
        for before in tests.iter().flat_map(|test| loaded.entries_of(test)) {
            match before.map(|before| referred(loaded, &right, &before)) {
                Some(Ok(triple)) => triples.push(triple),
                Some(Err(fault)) => wrong.push(fault),
                None => large += 1,
            }
        }
        notes.extend(wrong.first().map(|fault| {
            let calls = count(wrong.len(), "call");
            let are = agree(wrong.len(), "is", "are");
            format!("{calls} of `{}` {are} left out, because `{reference}` itself goes wrong there: {fault}", loaded.routine.name)
        }));
        if large > 0 {
            let are = agree(large, "is", "are");
            notes.push(format!(
                "{} of `{}` {are} left out, because the heap there is too large, or a pointer points into the middle of an object",
                count(large, "call"),
                loaded.routine.name
            ));
        }
        if triples.is_empty() && !notes.is_empty() {
            return Err(Refusal::Outside(format!(
                "no call is left: {}",
                notes.join("; ")
            )));
        }
        if triples.is_empty() {
            return Err(Refusal::Usage(format!(
                "none of the tests considered calls `{}`: add one that does, or give states with --pre and --post",
                loaded.routine.name
            )));
        }
    }
    if triples.is_empty() {
        return Err(Refusal::Usage(
            "the function has no specification: give --reference-function FUNCTION, or --pre and --post".to_owned(),
        ));
    }
    Ok((triples, notes))
}

/// What the reference does from a state on, in terms of the function.
///
/// # Errors
/// If the reference goes wrong.
pub fn referred(loaded: &Loaded, right: &Loaded, before: &Memory) -> Result<Triple, Fault> {
    let mut state = before.state(&loaded.routine);
    let names = |loaded: &Loaded| -> Vec<String> {
        let parameters = loaded.routine.parameters.iter();
        let names = parameters.map(|id| loaded.routine.variables[*id].name.clone());
        names.collect()
    };
    for variable in &mut state.variables {
        let position = names(loaded).iter().position(|name| *name == variable.name);
        if let Some(at) = position {
            variable.name.clone_from(&names(right)[at]);
        }
    }
    let memory = Memory::from_state(&right.routine, &state);
    let recording = Recording::new(&right.routine, memory)?;
    // Only what a caller sees: the locals of the two are their own.
    let mut after: State = recording.after.state(&right.routine);
    let is_seen = |name: &str| {
        let globals = right
            .routine
            .variables
            .iter()
            .filter(|variable| variable.is_global);
        name == RESULT
            || globals
                .map(|variable| &variable.name)
                .any(|other| other == name)
    };
    after.variables.retain(|variable| is_seen(&variable.name));
    Ok(Triple {
        from: Point::Start,
        before: before.clone(),
        control: Control::Free,
        to: Point::End,
        after: Memory::from_state(&loaded.routine, &after),
        effects: Effects::new(),
    })
}

/// A state that the user gave: JSON, or the notation.
fn state(loaded: &Loaded, text: &str) -> Result<Memory, Refusal> {
    notation::parse(&loaded.routine, text).map_err(Refusal::Usage)
}

/// Checks that no new node has a number between those of the nodes that exist before: new nodes are numbered on.
fn check_numbers(before: &Memory, after: &Memory) -> Result<(), Refusal> {
    let is_mentioned = |memory: &Memory, id: NodeId| {
        let node = memory.node(id);
        node.is_some_and(|node| !node.fields.is_empty())
    };
    let number = |at: usize| NodeId(u32::try_from(at).unwrap_or(u32::MAX));
    let old = (0..before.nodes.len()).map(number);
    let mut between = old.filter(|id| !is_mentioned(before, *id) && is_mentioned(after, *id));
    match between.next() {
        None => Ok(()),
        Some(id) => Err(Refusal::Usage(format!(
            "--post names {id}, and --pre does not: call the first new node {}, the next one {}, and so on",
            number(before.nodes.len()),
            number(before.nodes.len() + 1)
        ))),
    }
}

/// What is wrong after each call that fails.
pub(super) fn describe(loaded: &Loaded, triples: &[Triple]) -> Vec<String> {
    let failing = (1..).zip(triples);
    let failing = failing.filter_map(|(number, triple)| {
        let failure = triple.check(&loaded.routine).err()?;
        let what = match failure {
            Failure::Fault(fault) => fault.to_string(),
            Failure::Control => "a loop runs a different number of iterations".to_owned(),
            Failure::Values(wrong) => {
                let mut machine = triple.machine(&loaded.routine);
                // The run ends, or there would be no values.
                let _ = triple.run(&mut machine);
                let named = wrong.iter().take(MOST_DESCRIBED).map(|entity| {
                    if let (Entity::Freed(id), Value::Number(is_freed)) =
                        (*entity, machine.memory.get(*entity))
                    {
                        let not = if is_freed == 0 { "not " } else { "" };
                        return format!("{id} is {not}freed");
                    }
                    let name = machine.memory.name(&loaded.routine, *entity);
                    let (is, wanted) = (machine.memory.get(*entity), triple.after.get(*entity));
                    format!("{name} is {is} instead of {wanted}")
                });
                named.collect::<Vec<_>>().join(", ")
            }
        };
        Some(format!("call {number}: {what}"))
    });
    failing.collect()
}

/// Why these calls cannot be fulfilled together.
pub(super) fn contradiction(triples: &[usize]) -> String {
    let calls: Vec<String> = triples.iter().map(|at| (at + 1).to_string()).collect();
    match calls.as_slice() {
        [] => {
            "none of the changes that this command tries leads to the given states: check --pre and --post"
                .to_owned()
        }
        [call] => format!("none of the changes that this command tries leads to the expected heap of call {call}"),
        calls => format!(
            "the expected heaps of calls {} contradict each other, or no change that this command tries produces all of them",
            calls.join(", ")
        ),
    }
}
