//! The macro calls of the runtime for Rust (`instrument/src/macros.rs`).

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_source::splice::Insertion;
use nopol_source::{File, FileIndex, Site, SiteIndex, SiteKind, Sources};

use super::dialect::{Dialect, Pieces};
use super::{Capture, CaptureKind, Part, observe};

/// The runtime's name in the subject.
pub(super) const RUNTIME: &str = "::nopol_rt";

pub(super) struct Macros;

impl Dialect for Macros {
    fn start_of_file(&self, file: &File, _: bool) -> Option<(usize, String)> {
        let at = file.needs_extern_crate?;
        Some((at, "extern crate nopol_rt; ".to_owned()))
    }

    fn other_names(&self, _: &File) -> Vec<Range<usize>> {
        Vec::new()
    }

    fn tick(&self) -> &'static str {
        "::nopol_rt::tick!();"
    }

    fn here(&self, first: SiteIndex, last: SiteIndex) -> String {
        format!("if {RUNTIME}::here!({first}, {last}) {{ ")
    }

    fn kept(&self, site: SiteIndex) -> [String; 3] {
        [
            format!("let nopol_kept_{site} = "),
            "; ".to_owned(),
            format!("if nopol_kept_{site} {{ "),
        ]
    }

    fn again(&self, site: SiteIndex, leader: SiteIndex, old: &str) -> String {
        format!("{RUNTIME}::cond_again!({site}, {leader}, {old})")
    }

    fn condition(
        &self,
        site: SiteIndex,
        _: &Site,
        eager: bool,
        captures: Vec<(String, Part)>,
        old: &str,
    ) -> Pieces {
        let owner = Part::Site(site);
        let name = if eager { "cond_eager" } else { "cond" };
        let mut opening = vec![(format!("{RUNTIME}::{name}!({site}, ["), owner)];
        let captures = captures.into_iter();
        opening.extend(captures.map(|(text, part)| (format!("{text}, "), part)));
        opening.push((format!("], {old}"), owner));
        Pieces {
            opening,
            closing: vec![(")".to_owned(), owner)],
        }
    }

    fn computation(&self, site: SiteIndex) -> Pieces {
        let owner = Part::Site(site);
        Pieces {
            opening: vec![(format!("{RUNTIME}::value!({site}, "), owner)],
            closing: vec![(")".to_owned(), owner)],
        }
    }

    fn selection(
        &self,
        site: SiteIndex,
        at: &Site,
        candidates: Vec<(u32, &str, Part)>,
        old: &str,
    ) -> Pieces {
        let owner = Part::Site(site);
        let mut closing = vec![(", [".to_owned(), owner)];
        let candidates = candidates.into_iter();
        // The type of a candidate must not become that of the old expression, where it is inferred: errors would be
        // elsewhere. A patch that needs the conversion does not compile by itself.
        let [before, after] = match at.kind {
            SiteKind::Integer => ["(", ") as _"],
            _ => ["", ""],
        };
        closing
            .extend(candidates.map(|(number, text, part)| {
                (format!("{number} => {before}{text}{after}, "), part)
            }));
        closing.push(("])".to_owned(), owner));
        Pieces {
            opening: vec![(format!("{RUNTIME}::select!({site}, {old}"), owner)],
            closing,
        }
    }

    fn capture(&self, capture: &Capture, weak: bool) -> String {
        let text = &capture.text;
        match capture.kind {
            CaptureKind::Variable if weak => format!("{RUNTIME}::see_any!({text})"),
            CaptureKind::Variable => format!("{RUNTIME}::see!({text})"),
            CaptureKind::Index => format!("{RUNTIME}::see_place!({text:?}, {text})"),
            CaptureKind::Value => format!("{RUNTIME}::see_value!({text:?}, {text})"),
            CaptureKind::Purity => format!("{RUNTIME}::pure!({text})"),
        }
    }

    fn observers(
        &self,
        sources: &Sources,
        dropped: &BTreeSet<Part>,
    ) -> Vec<(FileIndex, Insertion<Part>)> {
        let types = sources.types.iter().enumerate();
        let texts = types.flat_map(|(number, item)| {
            let methods = observe::methods(sources, item);
            let texts = observe::impl_for(number, item, &methods, dropped);
            texts.into_iter().map(|text| (item.file, text))
        });
        texts.collect()
    }
}
