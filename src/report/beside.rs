//! A patch as two columns: the old lines beside the new ones, with the changed parts in colours.

use std::collections::BTreeMap;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use nopol_basics::diff::{Line, beside};

use super::{EditReport, PatchReport};

/// Unchanged lines before and after a change.
const CONTEXT: usize = 3;
/// Columns before the text of a line: its number, and a sign if it changed.
const MARGIN: usize = 8;
/// The narrowest column of text.
const NARROWEST: usize = 12;

/// The lines around each change of a patch, in this number of columns, with ANSI colours.
pub fn side_by_side(patch: &PatchReport, columns: usize) -> String {
    let mut files: BTreeMap<&str, Vec<&EditReport>> = BTreeMap::new();
    for edit in &patch.edits {
        files.entry(&edit.file).or_default().push(edit);
    }
    let width = (columns.saturating_sub(3) / 2)
        .saturating_sub(MARGIN)
        .max(NARROWEST);
    let mut out = String::new();
    for (file, mut edits) in files {
        edits.sort_by_key(|edit| edit.span.start);
        let old = &*edits[0].original;
        let mut new = old.to_owned();
        for edit in edits.iter().rev() {
            new.replace_range(edit.span.clone(), &edit.after);
        }
        // Writing to a string does not fail.
        let _ = writeln!(out, "{file}");
        for rows in beside(old, &new, CONTEXT) {
            for [old, new] in rows {
                row(&mut out, old.as_ref(), new.as_ref(), width);
            }
        }
    }
    out
}

/// One line of each text. A line that is wider than its column goes on below.
fn row(out: &mut String, old: Option<&Line>, new: Option<&Line>, width: usize) {
    let old = cells(old, '-', AnsiColor::Red, width);
    let new = cells(new, '+', AnsiColor::Green, width);
    let empty = " ".repeat(MARGIN + width);
    for at in 0..old.len().max(new.len()) {
        let left = old.get(at).unwrap_or(&empty);
        let right = new.get(at).map_or("", String::as_str);
        let line = format!("{left} | {right}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// A line in pieces of one width, with its number before the first, and with the changed parts in a colour.
fn cells(line: Option<&Line>, sign: char, color: AnsiColor, width: usize) -> Vec<String> {
    let Some(line) = line else {
        return Vec::new();
    };
    let parts = line.parts.iter();
    let letters: Vec<(bool, char)> = parts
        .flat_map(|(differs, part)| {
            let text = part.replace('\t', "    ");
            text.chars()
                .map(|letter| (*differs, letter))
                .collect::<Vec<_>>()
        })
        .collect();
    let pieces: Vec<&[(bool, char)]> = match letters.is_empty() {
        true => vec![&[]],
        false => letters.chunks(width).collect(),
    };
    let sign = if line.is_changed { sign } else { ' ' };
    let changed = Style::new().fg_color(Some(color.into())).bold();
    let plain = Style::new();
    let cell = |(nth, piece): (usize, &[(bool, char)])| {
        let mut cell = match nth {
            0 => format!("{:>5} {sign} ", line.number),
            _ => " ".repeat(MARGIN),
        };
        let mut rest = piece;
        while let Some((differs, _)) = rest.first() {
            let length = rest
                .iter()
                .take_while(|(other, _)| other == differs)
                .count();
            let text: String = rest[..length].iter().map(|(_, letter)| letter).collect();
            let style = if *differs { changed } else { plain };
            let _ = write!(cell, "{style}{text}{style:#}");
            rest = &rest[length..];
        }
        cell + &" ".repeat(width - piece.len())
    };
    pieces.into_iter().enumerate().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use nopol_basics::visible;

    use super::*;

    fn edit(original: &str, before: &str, after: &str) -> EditReport {
        let start = original.find(before).unwrap();
        EditReport {
            file: "src/lib.rs".to_owned(),
            original: original.into(),
            span: start..start + before.len(),
            before: before.to_owned(),
            after: after.to_owned(),
            condition: after.to_owned(),
            line: 2,
            column: 8,
            mark: None,
        }
    }

    /// The text without its colours.
    fn bare(text: &str) -> String {
        let mut parts = text.split('\u{1b}');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |bare, part| {
            bare + part.split_once('m').map_or(part, |(_, rest)| rest)
        })
    }

    #[test]
    fn old_and_new_stand_in_columns() {
        let text = "fn f(a: u8) -> u8 {\n    if a > 1 {\n        return 0;\n    }\n    a\n}\n";
        let patch = PatchReport {
            edits: vec![edit(text, "a > 1", "a >= 1")],
            ..PatchReport::default()
        };
        let shown = side_by_side(&patch, 60);
        assert!(shown.contains("\u{1b}[32m>="), "{shown:?}");
        assert_eq!(visible::styled(&shown), shown);
        let bare = bare(&shown);
        let lines: Vec<&str> = bare.lines().collect();
        assert_eq!(lines[0], "src/lib.rs");
        assert_eq!(
            lines[1],
            "    1   fn f(a: u8) -> u8 {  |     1   fn f(a: u8) -> u8 {"
        );
        assert_eq!(
            lines[2],
            "    2 -     if a > 1 {       |     2 +     if a >= 1 {"
        );
        // A column too narrow for a line goes on below it.
        let narrow = super::side_by_side(&patch, 10);
        assert!(narrow.lines().count() > lines.len(), "{narrow}");
    }
}
