//! Where edits are, in the units that reports use: lines, characters, bytes, whole lines.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use super::EditReport;

/// A place in a text. All numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column in characters.
    pub character: usize,
    /// The column in bytes.
    pub byte: usize,
}

/// The place of the byte `at`, counted from 0.
pub fn position(text: &str, at: usize) -> Position {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        character: before[start..].chars().count() + 1,
        byte: at - start + 1,
    }
}

/// The places where the text that an edit replaces starts and ends.
pub fn region(edit: &EditReport) -> Range<Position> {
    position(&edit.original, edit.span.start)..position(&edit.original, edit.span.end)
}

/// A range of whole lines of a file, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The path relative to the subject's root.
    pub file: String,
    /// The line numbers, counted from 1.
    pub range: RangeInclusive<usize>,
    /// The new lines, without the last newline.
    pub after: String,
}

/// The lines that edits change, by file and line. Edits that share a line are joined.
pub fn lines(edits: &[EditReport]) -> Vec<Lines> {
    let mut files: BTreeMap<&str, Vec<&EditReport>> = BTreeMap::new();
    for edit in edits {
        files.entry(&edit.file).or_default().push(edit);
    }
    let mut all = Vec::new();
    for (file, mut edits) in files {
        edits.sort_by_key(|edit| edit.span.start);
        let mut pieces: Vec<(Range<usize>, Vec<&EditReport>)> = Vec::new();
        for edit in edits {
            let text = &edit.original;
            let start = text[..edit.span.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[edit.span.end..].find('\n');
            let end = end.map_or(text.len(), |at| edit.span.end + at);
            match pieces.last_mut() {
                Some((range, edits)) if start <= range.end => {
                    range.end = end;
                    edits.push(edit);
                }
                _ => pieces.push((start..end, vec![edit])),
            }
        }
        for (range, edits) in pieces {
            let text = &edits[0].original;
            let mut after = text[range.clone()].to_owned();
            // Apply the last edit first, so that no edit shifts the span of another.
            for edit in edits.iter().rev() {
                let span = edit.span.start - range.start..edit.span.end - range.start;
                after.replace_range(span, &edit.after);
            }
            let first = position(text, range.start).line;
            all.push(Lines {
                file: file.to_owned(),
                range: first..=position(text, range.end).line,
                after,
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, before: &str, after: &str) -> EditReport {
        let start = text.find(before).unwrap();
        EditReport {
            file: "src/lib.rs".into(),
            line: 0,
            column: 0,
            span: start..start + before.len(),
            mark: None,
            original: text.into(),
            before: before.into(),
            after: after.into(),
            condition: after.into(),
        }
    }

    const TEXT: &str = "fn f() {\n    let ä = 1;\n    if a < b {\n        g();\n    }\n}";

    #[test]
    fn columns_count_characters_and_bytes() {
        let at = TEXT.find("= 1").unwrap();
        let expected = Position {
            line: 2,
            character: 11,
            byte: 12,
        };
        assert_eq!(position(TEXT, at), expected);
        assert_eq!(position(TEXT, 0).line, 1);
    }

    #[test]
    fn edits_of_one_line_are_joined_and_others_are_not() {
        let edits = [
            edit(TEXT, "b {", "b + 1 {"),
            edit(TEXT, "a <", "a <="),
            edit(TEXT, "g();", "if x {\n            g();\n        }"),
        ];
        let pieces = lines(&edits);
        let told: Vec<_> = pieces
            .iter()
            .map(|it| (it.range.clone(), &*it.after))
            .collect();
        assert_eq!(
            told,
            [
                (3..=3, "    if a <= b + 1 {"),
                (4..=4, "        if x {\n            g();\n        }")
            ]
        );
        assert_eq!(lines(&[edit(TEXT, "\n}", "\n}\n")])[0].range, 5..=6);
    }
}
