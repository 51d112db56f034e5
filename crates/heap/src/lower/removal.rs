//! What goes with a statement that is removed. What is written then must be the function without this statement: nothing
//! else may go, and no other statement may become the body of a branch or a loop.

use nopol_program::ir::{Dialect, OutlineKind, Span};

use super::Lowering;
use crate::ir::{Removal, StatementId};

impl Lowering<'_> {
    /// Decides for every statement that has no effect but its own what goes with it.
    pub(super) fn removals(&mut self) {
        let candidates: Vec<StatementId> = self
            .routine
            .statements
            .iter_enumerated()
            .filter(|(_, of)| of.removal != Removal::No && !of.is_locked)
            .map(|(id, _)| id)
            .collect();
        for id in candidates {
            self.routine.statements[id].removal = self.removal(id);
        }
    }

    fn removal(&self, id: StatementId) -> Removal {
        let whole = self.routine.statements[id].whole;
        // As in `a = b, c = d;`, `a = b = c;` and `while ((a = b) != c)`.
        let others = self.routine.statements.iter_enumerated();
        let mut others = others.filter(|(other, of)| *other != id && !of.is_locked);
        if others.any(|(_, of)| overlap(of.span, whole)) {
            return Removal::No;
        }
        if !self.outline.has(whole) {
            return match self.is_part_of_for(whole) {
                true => Removal::Goes(whole),
                false => Removal::No,
            };
        }
        match self.outline.parent(whole) {
            None => Removal::No,
            Some(parent) if parent.kind == OutlineKind::Block => Removal::Goes(whole),
            Some(parent) => self
                .alternative(parent.span, whole)
                .map_or(Removal::Emptied, Removal::Goes),
        }
    }

    /// Whether it is all that is written in a part of the head of a `for`.
    fn is_part_of_for(&self, whole: Span) -> bool {
        let Some(text) = self.texts.get(whole.file as usize) else {
            return false;
        };
        let before = text.get(..whole.start as usize).unwrap_or_default();
        let after = text.get(whole.end as usize..).unwrap_or_default();
        before.trim_end().ends_with(['(', ';']) && after.trim_start().starts_with([')', ';'])
    }

    /// `else body`, if this is the body, and no other `else` could take its place.
    fn alternative(&self, branch: Span, body: Span) -> Option<Span> {
        if self.program.dialect != Dialect::C {
            return None;
        }
        let [then, otherwise] = self.outline.children(branch)[..] else {
            return None;
        };
        let between = self.text(Span {
            start: then.span.end,
            end: body.start,
            ..body
        });
        let text = self.texts.get(body.file as usize)?;
        let after = text.get(body.end as usize..)?.trim_start();
        // Behind a comment or a directive may be an `else`, too.
        let is_last = !["else", "/", "#", "\\"]
            .iter()
            .any(|start| after.starts_with(start));
        if otherwise.span != body || between.trim() != "else" || !is_last {
            return None;
        }
        // With the blank before it, unless it begins a line.
        let blank = &between[..between.len() - between.trim_start().len()];
        let kept = blank.rfind('\n').map_or(0, |_| blank.len());
        Some(Span {
            start: then.span.end + u32::try_from(kept).ok()?,
            ..body
        })
    }
}

/// Whether two spans have a byte in common.
const fn overlap(one: Span, other: Span) -> bool {
    one.file == other.file && one.start < other.end && other.start < one.end
}
