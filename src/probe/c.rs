//! The macro calls of the runtime for C (`instrument/c/nopol.h`).

use std::collections::BTreeSet;

use super::dialect::{Dialect, Pieces};
use super::{Capture, CaptureKind, Part};
use crate::source::c::access::{Reading, reading};
use crate::source::splice::Insertion;
use crate::source::{File, FileIndex, Site, SiteIndex, Sources};

/// The numbers of lines that are spliced in: so many for each site, from there on.
const FIRST_LINE: u32 = 1_000_000;
const LINES: u32 = 512;

pub(super) struct Macros;

impl Dialect for Macros {
    /// Lines keep their numbers.
    fn start_of_file(&self, file: &File) -> Option<(usize, String)> {
        // A byte-order mark is one only in front of everything.
        let start = file.text.len() - file.text.trim_start_matches('\u{feff}').len();
        Some((start, "#include <nopol.h>\n#line 1\n".to_owned()))
    }

    fn tick(&self) -> &'static str {
        "NOPOL_TICK();"
    }

    fn here(&self, first: SiteIndex, last: SiteIndex) -> String {
        format!("if (NOPOL_HERE({first}, {last})) {{ ")
    }

    fn again(&self, site: SiteIndex, leader: SiteIndex, old: &str) -> String {
        format!("NOPOL_AGAIN({site}, {leader}, {})", truth(old))
    }

    /// A condition of C needs no other way to be evaluated: what it initializes is not checked.
    fn condition(
        &self,
        index: SiteIndex,
        site: &Site,
        _eager: bool,
        captures: Vec<(String, Part)>,
        old: &str,
    ) -> Pieces {
        // In pieces, for of an error in a macro's argument gcc only tells where the macro begins.
        let owner = Part::Site(index);
        let opening = vec![(format!("NOPOL_BEGIN({index}) {}", truth(old)), owner)];
        let then = (format!(" NOPOL_THEN({index}) "), owner);
        let end = (format!("NOPOL_END({index})"), owner);
        let last = site.line + site.text.matches('\n').count();
        let line = if old.is_empty() { last } else { site.line };
        let closing = match captures.is_empty() {
            true => vec![then, end],
            false => {
                let rows = std::iter::once(then).chain(captures);
                on_lines(index, rows.chain([end]).collect(), line)
            }
        };
        Pieces { opening, closing }
    }

    fn selection(
        &self,
        index: SiteIndex,
        site: &Site,
        candidates: Vec<(u32, &str, Part)>,
        old: &str,
    ) -> Pieces {
        let owner = Part::Site(index);
        let mut rows = vec![("(".to_owned(), owner)];
        let candidates = candidates.into_iter();
        rows.extend(candidates.map(|(number, text, part)| {
            (
                format!("NOPOL_PICK({index}, {number}, {})", truth(text)),
                part,
            )
        }));
        rows.push((format!("!!({}", truth(old)), owner));
        Pieces {
            opening: on_lines(index, rows, site.line),
            closing: vec![("))".to_owned(), owner)],
        }
    }

    fn capture(&self, capture: &Capture, weak: bool) -> String {
        let text = &capture.text;
        let name = format!("{text:?}");
        match (capture.kind, reading(&capture.access)) {
            (CaptureKind::Purity, _) => String::new(),
            _ if weak => format!("NOPOL_VALUE({name}, {text})"),
            (_, Reading::Plain) => format!("NOPOL_SEE({name}, {text})"),
            (_, Reading::Field(pointer, field)) => {
                format!("NOPOL_FIELD({name}, {pointer}, {field})")
            }
            (_, Reading::Element(array, index)) => {
                format!("NOPOL_ELEMENT({name}, {array}, {index})")
            }
            (_, Reading::Value) => format!("NOPOL_VALUE({name}, {text})"),
        }
    }

    /// Fields and elements are read where they are captured.
    fn observers(&self, _: &Sources, _: &BTreeSet<Part>) -> Vec<(FileIndex, Insertion<Part>)> {
        Vec::new()
    }
}

/// Each part on a line of its own, with a number that no line of a program has: compilers lose count of
/// the columns of long lines. What follows has the given line's number again.
fn on_lines(site: SiteIndex, parts: Vec<(String, Part)>, line: usize) -> Vec<(String, Part)> {
    let first = FIRST_LINE + site.number() * LINES;
    let last = parts.len().saturating_sub(1);
    let text = |(nth, (text, part)): (usize, (String, Part))| {
        let text = match nth {
            0 => format!("\n#line {first}\n{text}\n"),
            _ if nth == last => format!("{text}\n#line {line}\n"),
            _ => format!("{text}\n"),
        };
        (text, part)
    };
    parts.into_iter().enumerate().map(text).collect()
}

/// The constants of conditions that are none, as they are written where there is no `stdbool.h`.
fn truth(text: &str) -> &str {
    match text {
        "true" => "1",
        "false" => "0",
        _ => text,
    }
}
