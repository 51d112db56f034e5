//! The macro calls of the runtime for C (`instrument/c/nopol.h`).

use super::dialect::{Dialect, Frame, Pieces};
use super::{Capture, CaptureKind, Part};
use crate::source::c::condition::{Access, access};
use crate::source::{File, Site, SiteIndex, SiteKind};

pub(super) struct Macros;

impl Dialect for Macros {
    /// Lines keep their numbers.
    fn start_of_file(&self, _: &File) -> Option<(usize, String)> {
        Some((0, "#include <nopol.h>\n#line 1\n".to_owned()))
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
        site: SiteIndex,
        _eager: bool,
        captures: Vec<(String, Part)>,
        old: &str,
    ) -> Pieces {
        // In pieces, for of an error in a macro's argument gcc only tells where the macro begins.
        let owner = Part::Site(site);
        let mut closing = vec![(format!(" NOPOL_THEN({site}) "), owner)];
        let captures = captures.into_iter();
        closing.extend(captures.map(|(text, part)| (format!("{text} "), part)));
        closing.push((format!("NOPOL_END({site})"), owner));
        Pieces {
            opening: vec![(format!("NOPOL_BEGIN({site}) {}", truth(old)), owner)],
            closing,
        }
    }

    fn selection(&self, site: SiteIndex, candidates: Vec<(u32, &str, Part)>, old: &str) -> Pieces {
        let owner = Part::Site(site);
        let mut opening = vec![("(".to_owned(), owner)];
        let candidates = candidates.into_iter();
        opening.extend(candidates.map(|(number, text, part)| {
            (format!("NOPOL_PICK({site}, {number}, {}) ", truth(text)), part)
        }));
        opening.push((format!("!!({}", truth(old)), owner));
        Pieces {
            opening,
            closing: vec![("))".to_owned(), owner)],
        }
    }

    /// In braces of its own, so that no `else` belongs to another `if` than before.
    fn frame(&self, site: &Site) -> Frame {
        let (before, after, at_end) = match site.kind {
            SiteKind::Statement | SiteKind::Run => ("{ if (", ") { ".to_owned(), " } }"),
            SiteKind::Exit => ("if (", format!(") {{ {} }} ", site.body), ""),
            _ => ("", String::new(), ""),
        };
        Frame {
            before,
            after,
            at_end,
        }
    }

    fn capture(&self, capture: &Capture, weak: bool) -> String {
        let text = &capture.text;
        let name = format!("{text:?}");
        match (capture.kind, access(text)) {
            (CaptureKind::Purity, _) => String::new(),
            _ if weak => format!("NOPOL_VALUE({name}, {text})"),
            (_, Access::Plain) => format!("NOPOL_SEE({name}, {text})"),
            (_, Access::Field(pointer, field)) => {
                format!("NOPOL_FIELD({name}, {pointer}, {field})")
            }
            (_, Access::Element(array, index)) => {
                format!("NOPOL_ELEMENT({name}, {array}, {index})")
            }
            (_, Access::Value) => format!("NOPOL_VALUE({name}, {text})"),
        }
    }
}

/// The constants of conditions that are none, as they are written where there is no `stdbool.h`.
fn truth(text: &str) -> &str {
    match text {
        "true" => "1",
        "false" => "0",
        _ => text,
    }
}
