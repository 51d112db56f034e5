//! The macro calls of the runtime for C (`instrument/c/nopol.h`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use nopol_source::c::access::{Reading, reading};
use nopol_source::c::line_names::line_names;
use nopol_source::condition::one_line;
use nopol_source::splice::Insertion;
use nopol_source::{File, FileIndex, Site, SiteIndex, Sources};

use super::dialect::{Dialect, Pieces};
use super::{Capture, CaptureKind, Part};

/// The first line number for spliced lines.
const FIRST_LINE: u32 = 1_000_000;
/// Line numbers reserved for each site.
const LINES: u32 = 512;

pub(super) struct Macros;

impl Dialect for Macros {
    /// Includes the runtime's header; the line numbers of the file are preserved. A header without texts stays as it is,
    /// because C++ may include it.
    fn start_of_file(&self, file: &File, has_texts: bool) -> Option<(usize, String)> {
        if !has_texts {
            return None;
        }
        // A byte-order mark must stay at the very start.
        let start = file.text.len() - file.text.trim_start_matches('\u{feff}').len();
        Some((start, "#include <nopol.h>\n#line 1\n".to_owned()))
    }

    fn other_names(&self, file: &File) -> Vec<Range<usize>> {
        line_names(&file.text)
    }

    fn tick(&self) -> &'static str {
        "NOPOL_TICK();"
    }

    fn here(&self, first: SiteIndex, last: SiteIndex) -> String {
        format!("if (NOPOL_HERE({first}, {last})) {{ ")
    }

    /// The empty statement before it lets it follow a label.
    fn kept(&self, site: SiteIndex) -> [String; 3] {
        [
            format!("; int nopol_kept_{site} = ("),
            "); ".to_owned(),
            format!("if (nopol_kept_{site}) {{ "),
        ]
    }

    fn again(&self, site: SiteIndex, leader: SiteIndex, old: &str) -> String {
        format!("NOPOL_AGAIN({site}, {leader}, {})", truth(old))
    }

    /// C needs no eager variant of a condition, because the compiler does not check initialization.
    fn condition(
        &self,
        index: SiteIndex,
        site: &Site,
        _eager: bool,
        captures: Vec<(String, Part)>,
        old: &str,
    ) -> Pieces {
        // Separate macro calls rather than one, because gcc reports an error in a macro argument at the start
        // of the call.
        let owner = Part::Site(index);
        if captures.is_empty() && matches!(old, "true" | "false") {
            return Pieces {
                opening: vec![(format!("NOPOL_CONST({index}, {})", truth(old)), owner)],
                closing: Vec::new(),
            };
        }
        let opening = vec![(format!("NOPOL_BEGIN({index}) {}", truth(old)), owner)];
        if captures.is_empty() {
            return Pieces {
                opening,
                closing: vec![(format!(" NOPOL_END_BARE({index})"), owner)],
            };
        }
        let then = (format!(" NOPOL_THEN({index}) "), owner);
        let end = (format!("NOPOL_END({index})"), owner);
        let last = site.line + site.text.matches('\n').count();
        let line = if old.is_empty() { last } else { site.line };
        let rows = std::iter::once(then).chain(captures);
        Pieces {
            opening,
            closing: on_lines(index, rows.chain([end]).collect(), line),
        }
    }

    fn computation(&self, index: SiteIndex) -> Pieces {
        let owner = Part::Site(index);
        Pieces {
            opening: vec![(format!("(NOPOL_REACH({index}), "), owner)],
            closing: vec![(")".to_owned(), owner)],
        }
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
        // A condition yields 0 or 1, another expression what it yields.
        let computes = site.kind.computes();
        let own = if computes { "" } else { "!!" };
        rows.extend(candidates.map(|(number, text, part)| {
            let text = truth(text);
            let call = match computes {
                true => format!(
                    "NOPOL_TAKE({index}, {number}, ({}), {text})",
                    like(site, text)
                ),
                false => format!("NOPOL_PICK({index}, {number}, {text})"),
            };
            (call, part)
        }));
        rows.push((format!("{own}({}", truth(old)), owner));
        Pieces {
            opening: match site.is_argument {
                true => rows,
                false => on_lines(index, rows, site.line),
            },
            closing: vec![("))".to_owned(), owner)],
        }
    }

    fn capture(&self, capture: &Capture, weak: bool) -> String {
        let name = format!("{:?}", capture.text);
        // A comparison yields an `int`, but stands for a truth value.
        let text = match capture.access.as_comparison() {
            Some(_) => &format!("(_Bool)({})", capture.text),
            None => &capture.text,
        };
        match (capture.kind, reading(&capture.access)) {
            (CaptureKind::Purity, _) => String::new(),
            (_, Reading::Field(pointer, field)) if weak => {
                format!("NOPOL_BITS({name}, {pointer}, {field})")
            }
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

    /// Nothing: captures read fields and elements directly.
    fn observers(&self, _: &Sources, _: &BTreeSet<Part>) -> Vec<(FileIndex, Insertion<Part>)> {
        Vec::new()
    }
}

/// An expression of the type that a candidate gets at a site: the old one, or the candidate itself if the old one does not
/// fit into a line.
fn like<'a>(site: &'a Site, candidate: &'a str) -> Cow<'a, str> {
    let old = one_line(&site.text);
    match old.contains(['\n', '#']) || old.contains("//") {
        true => Cow::Borrowed(candidate),
        false => Cow::Owned(old),
    }
}

/// Puts each part on its own line, with a line number that no program has, because compilers do not track
/// columns reliably on long lines. The text that follows gets the given line number again.
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

/// A constant condition as an integer, which needs no `stdbool.h`; any other text unchanged.
fn truth(text: &str) -> &str {
    match text {
        "true" => "1",
        "false" => "0",
        _ => text,
    }
}
