//! The instruction screen: simulates a patch in gdb, so that the session goes on as if the program had been compiled with it
//! (Wolverine2, section 3.2, algorithm "ExecuteStatement"). A changed statement is skipped and its new text evaluated; a changed
//! condition is evaluated and control sent where it says; an inserted statement is evaluated where control passes its place.

use crate::formula::ir::Span;
use crate::heap::ir::{Instruction, Kind, Routine, SlotId};
use crate::heap::patch::Change;
use crate::heap::rewrite::{Edit, edits};

/// What to do instead of the statement that comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// Nothing else: it is as it was.
    Nothing,
    /// Evaluate this, then go on in that line.
    Evaluate(String, u32),
    /// Evaluate this condition, and go where it says.
    Decide(String),
    /// A changed `return`, which gdb cannot evaluate.
    Unable,
}

/// What a patch makes of the statement at an instruction.
pub(super) fn instead(
    routine: &Routine,
    texts: &[String],
    changes: &[Change],
    at: usize,
) -> Instead {
    let Some(statement) = routine.statement_at(at) else {
        return Instead::Nothing;
    };
    let unit = routine.unit(statement);
    let is_changed = changes
        .iter()
        .filter_map(Change::statement)
        .any(|changed| routine.unit(changed) == unit);
    if !is_changed {
        return Instead::Nothing;
    }
    let of = &routine.statements[statement];
    let is_skipped = changes
        .iter()
        .any(|change| matches!(change, Change::Skip(skipped) if routine.unit(*skipped) == unit));
    let edits = edits(routine, texts, changes);
    match (of.kind, &routine.code[at]) {
        (Kind::Return, _) => Instead::Unable,
        (_, Instruction::Test(..) | Instruction::Head { .. }) => {
            Instead::Decide(evaluable(&patched(texts, &edits, of.span)))
        }
        _ => {
            let text = match is_skipped {
                true => "0".to_owned(),
                false => patched(texts, &edits, of.whole),
            };
            // Initializers are assignments for gdb: the type before them is left out.
            let text = match (of.kind, text.split_once('=')) {
                (Kind::Initializer, Some((target, value))) => {
                    let name = target.trim().rsplit([' ', '*']).next().unwrap_or_default();
                    format!("{name} = {value}")
                }
                _ => text,
            };
            let next = (at + 1..=routine.code.len())
                .filter(|next| {
                    routine
                        .statement_at(*next)
                        .is_none_or(|next| routine.unit(next) != unit)
                })
                .find_map(|next| routine.line_from(next));
            next.map_or(Instead::Unable, |line| {
                Instead::Evaluate(evaluable(text.trim().trim_end_matches(';')), line)
            })
        }
    }
}

/// The statements that a patch inserts in these places.
pub(super) fn inserted(routine: &Routine, changes: &[Change], slots: &[SlotId]) -> Vec<String> {
    let all = slots.iter().flat_map(|slot| {
        changes.iter().filter_map(move |change| match change {
            Change::Insert(insertion) if insertion.slot == *slot => Some(insertion),
            _ => None,
        })
    });
    all.map(|insertion| {
        evaluable(&format!(
            "{} = {}",
            routine.written(&insertion.target),
            routine.written_atom(&insertion.value)
        ))
    })
    .collect()
}

/// What is written at a span after these edits.
fn patched(texts: &[String], edits: &[Edit], span: Span) -> String {
    let Some(text) = texts.get(span.file as usize) else {
        return String::new();
    };
    let mut written = String::new();
    let mut at = span.start;
    for edit in edits {
        let is_within = edit.span.file == span.file
            && edit.span.start >= at
            && edit.span.end <= span.end
            && edit.span.start < edit.span.end;
        // `!` before a condition that is one name.
        let is_before = edit.span.start == span.start && edit.span.end == span.start;
        if is_within || is_before {
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

/// As gdb can evaluate it, which does not know macros.
fn evaluable(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for char in text.chars().chain([' ']) {
        if char.is_ascii_alphanumeric() || char == '_' {
            word.push(char);
            continue;
        }
        match &*word {
            "NULL" | "nullptr" => out.push('0'),
            _ => out.push_str(&word),
        }
        word.clear();
        out.push(char);
    }
    out.trim().to_owned()
}
