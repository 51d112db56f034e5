//! The texts that are spliced in, which is all that differs between the languages here. What stands
//! around a site's call is no part of it: that is the site's template.

use std::collections::BTreeSet;

use super::{Capture, Part, c, rust};
use crate::source::splice::Insertion;
use crate::source::{File, FileIndex, Language, Site, SiteIndex, Sources};

/// The dialect of a language's runtime.
pub(super) fn dialect(language: Language) -> &'static dyn Dialect {
    match language {
        Language::Rust => &rust::Macros,
        Language::C => &c::Macros,
    }
}

/// What stands around a condition: before it, and after it.
pub(super) struct Pieces {
    pub opening: Vec<(String, Part)>,
    pub closing: Vec<(String, Part)>,
}

/// The macro calls of a language's runtime.
pub(super) trait Dialect {
    /// What a file must have for all the others, and where.
    fn start_of_file(&self, file: &File) -> Option<(usize, String)>;

    /// Pays for one iteration.
    fn tick(&self) -> &'static str;

    /// Opens what is only done if one of these sites has something to do.
    fn here(&self, first: SiteIndex, last: SiteIndex) -> String;

    /// A site right behind another one, with its snapshot.
    fn again(&self, site: SiteIndex, leader: SiteIndex, old: &str) -> String;

    /// Around a condition that is traced, forced and captured; `old` stands for it where the text
    /// has none. `eager` if it must always be evaluated.
    fn condition(
        &self,
        index: SiteIndex,
        site: &Site,
        eager: bool,
        captures: Vec<(String, Part)>,
        old: &str,
    ) -> Pieces;

    /// Around a condition in whose place any of some candidates, by number, may be evaluated.
    fn selection(
        &self,
        index: SiteIndex,
        site: &Site,
        candidates: Vec<(u32, &str, Part)>,
        old: &str,
    ) -> Pieces;

    /// One capture; `weak` reads by dynamic type only.
    fn capture(&self, capture: &Capture, weak: bool) -> String;

    /// What reads values of the subject's own types, beside their definitions: the number of the file,
    /// and the text. Parts that were dropped are left out.
    fn observers(
        &self,
        sources: &Sources,
        dropped: &BTreeSet<Part>,
    ) -> Vec<(FileIndex, Insertion<Part>)>;
}
