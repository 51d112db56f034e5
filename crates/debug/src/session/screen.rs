//! The instruction screen: simulates a patch in gdb, so that the session goes on as if the program had been compiled with it
//! (Wolverine2, section 3.2, algorithm "ExecuteStatement"). A changed statement is skipped and its new text evaluated; a changed
//! condition is evaluated and control sent where it says; an inserted statement is evaluated where control passes its place.

use nopol_heap::ir::{Instruction, Kind, Routine, SlotId, StatementId};
use nopol_heap::load::Loaded;
use nopol_heap::patch::Change;
use nopol_heap::rewrite::{StatementEdit, edits};
use nopol_program::front::c;
use nopol_program::ir::Span;

/// What to do instead of the statement that comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// Nothing else: it is as it was.
    Nothing,
    /// Evaluate this, then go on in that line.
    Evaluate(String, u32),
    /// Evaluate this condition, and go where it says.
    Decide(String),
}

/// Why a patch cannot be simulated, as a sentence; nothing if it can, as far as can be seen without the program.
pub(super) fn obstacle(loaded: &Loaded, changes: &[Change]) -> Option<String> {
    let instructions = 0..loaded.routine.code.len();
    let mut statements = instructions.map(|at| instead(loaded, changes, at).map(|_| ()));
    let slots: Vec<SlotId> = loaded.routine.slots.keys().collect();
    let inserted = inserted(loaded, changes, &slots).map(|_| ());
    statements.find_map(Result::err).or(inserted.err())
}

/// What a patch makes of the statement at an instruction.
///
/// # Errors
/// If it cannot be simulated: why.
pub(super) fn instead(loaded: &Loaded, changes: &[Change], at: usize) -> Result<Instead, String> {
    let (routine, texts) = (&loaded.routine, &loaded.texts);
    let Some(statement) = routine.statement_at(at) else {
        return Ok(Instead::Nothing);
    };
    let unit = routine.unit(statement);
    let is_changed = changes
        .iter()
        .filter_map(Change::statement)
        .any(|changed| routine.unit(changed) == unit);
    if !is_changed {
        return Ok(Instead::Nothing);
    }
    let of = &routine.statements[statement];
    let is_skipped = changes
        .iter()
        .any(|change| matches!(change, Change::Skip(skipped) if routine.unit(*skipped) == unit));
    // Those of other statements may be inside, as what is inserted in a branch.
    let own = changes.iter().filter(|change| {
        let changed = change.statement();
        changed.is_some_and(|changed| routine.unit(changed) == unit)
    });
    let own: Vec<Change> = own.cloned().collect();
    let edits = edits(routine, texts, &own);
    let line = of.line;
    let is_decision = matches!(
        routine.code[at],
        Instruction::Test(..) | Instruction::Head { .. }
    );
    let is_shared = line_before(routine, at) == Some(line)
        || (routine.loop_at(at).is_some() && routine.line_after(at, true) == Some(line));
    if is_shared {
        return Err(format!(
            "line {line} has several statements, and gdb can only execute all of them at once"
        ));
    }
    if of.kind == Kind::Return {
        return Err(format!("gdb cannot change what line {line} returns"));
    }
    if is_decision {
        return evaluable(loaded, of.span, &patched(texts, &edits, of.span)).map(Instead::Decide);
    }
    let text = match (is_skipped, of.kind) {
        (true, _) => "0".to_owned(),
        (false, Kind::Initializer) => initializers(routine, texts, &edits, unit),
        (false, _) => patched(texts, &edits, of.whole),
    };
    // The functions that it calls are in between.
    let all = (at..routine.code.len()).filter(|at| {
        let other = routine.statement_at(*at);
        other.is_some_and(|other| routine.unit(other) == unit)
    });
    let next = all.max().and_then(|last| routine.line_from(last + 1));
    let next = next.ok_or_else(|| format!("it is not known which line follows line {line}"))?;
    let text = text.trim().trim_end_matches(';');
    evaluable(loaded, of.whole, text).map(|text| Instead::Evaluate(text, next))
}

/// The line of the statement before an instruction, where control does not stop in between.
fn line_before(routine: &Routine, at: usize) -> Option<u32> {
    let unit = routine
        .statement_at(at)
        .map(|statement| routine.unit(statement));
    let earlier = (0..at).rev().filter(|earlier| {
        let statement = routine.statement_at(*earlier);
        statement.is_some_and(|statement| Some(routine.unit(statement)) != unit)
    });
    earlier
        .into_iter()
        .find_map(|earlier| routine.line_at(earlier))
}

/// The initializers of a declaration as assignments, which is what they are for gdb.
fn initializers(
    routine: &Routine,
    texts: &[String],
    edits: &[StatementEdit],
    unit: StatementId,
) -> String {
    let all = routine.statements.iter_enumerated();
    let all = all.filter(|(id, of)| of.kind == Kind::Initializer && routine.unit(*id) == unit);
    let assignments = all.filter_map(|(_, of)| {
        let target = of.leaves.first()?;
        let value = patched(texts, edits, of.span);
        Some(format!("{} = {value}", routine.written_atom(&target.atom)))
    });
    assignments.collect::<Vec<_>>().join(", ")
}

/// The statements that a patch inserts in these places.
///
/// # Errors
/// If one cannot be evaluated: why.
pub(super) fn inserted(
    loaded: &Loaded,
    changes: &[Change],
    slots: &[SlotId],
) -> Result<Vec<String>, String> {
    let all = slots.iter().flat_map(|slot| {
        changes.iter().filter_map(move |change| match change {
            Change::Insert(insertion) if insertion.slot == *slot => Some(insertion),
            _ => None,
        })
    });
    let routine = &loaded.routine;
    all.map(|insertion| {
        let target = routine.written(&insertion.target);
        let text = format!("{target} = {}", routine.written_atom(&insertion.value));
        evaluable(loaded, routine.slots[insertion.slot].at, &text)
    })
    .collect()
}

/// What is written at a span after these edits.
fn patched(texts: &[String], edits: &[StatementEdit], span: Span) -> String {
    let Some(text) = texts.get(span.file as usize) else {
        return String::new();
    };
    let mut written = String::new();
    let mut at = span.start;
    for edit in edits {
        let is_within =
            edit.span.file == span.file && edit.span.start >= at && edit.span.end <= span.end;
        if is_within {
            written.push_str(
                text.get(at as usize..edit.span.start as usize)
                    .unwrap_or_default(),
            );
            written.push_str(&edit.text);
            at = edit.span.end;
        }
    }
    written.push_str(text.get(at as usize..span.end as usize).unwrap_or_default());
    written
}

/// The text as gdb, which knows no macros, can evaluate it.
fn evaluable(loaded: &Loaded, place: Span, text: &str) -> Result<String, String> {
    let files = loaded.program.files.iter().cloned();
    let files: Vec<_> = files.zip(loaded.texts.iter().cloned()).collect();
    c::expanded(&files, place, text)
        .map_err(|reason| format!("gdb knows no macros, and {reason}: `{text}`"))
}
