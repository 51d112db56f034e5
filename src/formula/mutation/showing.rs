//! Repairs in the user's terms: their order, what they change, and the patched source.

use nopol_basics::diff;
use nopol_formula::mutate::applied::mutant;
use nopol_formula::mutate::{Level, MutationEdit, Repair, Space, Specification};
use nopol_program::ir::Span;
use nopol_program::shown::ShownEdit;

use super::ShownRepair;
use super::Untried;
use super::goal::Goal;
use crate::subject::Subject;

impl Goal {
    /// Smaller repairs first, then lower levels, then suspicious places.
    pub(super) fn order(
        &self,
        space: &Space,
        repair: &Repair,
    ) -> (usize, Vec<Level>, i64, Vec<(Span, String)>) {
        let choices: Vec<_> = repair
            .made
            .keys()
            .map(|choice| &space.choices[*choice])
            .collect();
        let levels = choices.iter().map(|choice| choice.level).collect();
        let edits = repair.made.iter().map(|(choice, number)| {
            let edit = space.edit(*choice, *number);
            (edit.span, edit.text)
        });
        let edits = edits.collect();
        let scores = choices.iter().map(|choice| match &self.loaded {
            Some(loaded) => {
                let span = space.locations[choice.location];
                let places = self.program.places.iter_enumerated();
                let place = places
                    .filter(|(_, place)| place.span == span)
                    .map(|(id, _)| id)
                    .next();
                place.map_or(0.0, |place| loaded.suspiciousness(place))
            }
            None => 0.0,
        });
        // In thousandths, as floats have no order.
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        let score = (scores.fold(1.0, f64::min) * 1000.0) as i64;
        (repair.made.len(), levels, -score, edits)
    }

    /// The file and line of something.
    pub(super) fn place(&self, span: Span) -> String {
        let number = span.file as usize;
        let line = self
            .texts
            .get(number)
            .map_or(1, |text| position(text, span.start as usize).0);
        format!("{}:{line}", self.program.files[number])
    }

    /// The operators, constants and pointers that were not tried.
    pub(super) fn untried(&self, space: &Space) -> Vec<Untried> {
        let spans = space.untried.iter();
        let shown = spans.filter_map(|span| {
            let text = self.texts.get(span.file as usize)?;
            let (start, end) = (span.start as usize, span.end as usize);
            let (line, column) = position(text, start);
            Some(Untried {
                file: self.program.files[span.file as usize].to_string(),
                line,
                column,
                text: on_one_line(text.get(start..end)?),
                is_pointer: self.program.written.item(*span).is_none(),
            })
        });
        shown.collect()
    }

    pub(super) fn shown(
        &self,
        space: &Space,
        repair: &Repair,
        edits: &[MutationEdit],
        texts: &[String],
        subject: &Subject,
    ) -> ShownRepair {
        let is_of_tests = matches!(self.specification, Specification::Tests(_));
        let changed = self.program.files.iter().zip(self.texts.iter().zip(texts));
        let diffs = changed.filter(|(_, (before, after))| before != after).map(
            |(file, (before, after))| diff::unified(&subject.path_in_diffs(file), before, after),
        );
        ShownRepair {
            size: repair.made.len(),
            edits: self.shown_edits(space, repair, edits),
            proved: match (is_of_tests, repair.is_unbounded) {
                (true, _) => "tests",
                (false, true) => "all",
                (false, false) => "bound",
            },
            proved_to: (!is_of_tests && !repair.is_unbounded).then_some(self.bound),
            unsequenced: self.unsequenced(&mutant(&space.program, &repair.made)),
            after: repair.after.as_secs_f64(),
            diff: diffs.collect(),
        }
    }

    pub(super) fn shown_edits(
        &self,
        space: &Space,
        repair: &Repair,
        edits: &[MutationEdit],
    ) -> Vec<ShownEdit> {
        let changes = repair.made.keys().zip(edits).map(|(choice, edit)| {
            let location = space.locations[space.choices[*choice].location];
            let span = edit.span;
            let is_within = location.file == span.file
                && location.start <= span.start
                && span.end <= location.end;
            let whole = if is_within { location } else { span };
            let text = &self.texts[span.file as usize];
            let (start, end) = (whole.start as usize, whole.end as usize);
            let (from, to) = (span.start as usize, span.end as usize);
            let before = text.get(start..end).unwrap_or_default();
            let after = [&text[start..from], &edit.text, &text[to..end]].concat();
            let (line, column) = position(text, start);
            ShownEdit {
                file: self.program.files[span.file as usize].to_string(),
                line,
                column,
                before: on_one_line(before),
                after: on_one_line(&after),
                span: from..to,
                text: edit.text.clone(),
            }
        });
        let mut changes: Vec<ShownEdit> = changes.collect();
        changes.sort_by(|a, b| (&a.file, a.span.start).cmp(&(&b.file, b.span.start)));
        changes
    }
}

/// The line of a byte, and its column in characters, both counted from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts with these edits.
pub(super) fn patched(texts: &[String], edits: &[MutationEdit]) -> Vec<String> {
    let mut texts = texts.to_vec();
    let mut edits: Vec<&MutationEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    for edit in edits {
        let span = edit.span.start as usize..edit.span.end as usize;
        texts[edit.span.file as usize].replace_range(span, &edit.text);
    }
    texts
}
