//! The spliced texts of each language. The text around a site's macro call is not among them: it comes from the
//! site's template.

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_source::splice::Insertion;
use nopol_source::{File, FileIndex, Language, Site, SiteIndex, Sources};

use super::{Capture, Part, c, rust};

/// The dialect of a language's runtime.
pub(super) fn dialect(language: Language) -> &'static dyn Dialect {
    match language {
        Language::Rust => &rust::Macros,
        Language::C => &c::Macros,
    }
}

/// The spliced texts before and after a condition.
pub(super) struct Pieces {
    pub opening: Vec<(String, Part)>,
    pub closing: Vec<(String, Part)>,
}

/// The macro calls of a language's runtime.
pub(super) trait Dialect {
    /// The text that spliced texts need, and where to insert it in a file, which has others or not.
    fn start_of_file(&self, file: &File, has_texts: bool) -> Option<(usize, String)>;

    /// What compilers must not read in a file that has texts, as comments begin and end there: the names of other files in
    /// `#line`, by which they would report errors.
    fn other_names(&self, file: &File) -> Vec<Range<usize>>;

    /// Burns fuel for one loop iteration.
    fn tick(&self) -> &'static str;

    /// Opens a block that is entered only if the run's plan names one of these sites.
    fn here(&self, first: SiteIndex, last: SiteIndex) -> String;

    /// The texts around a condition that is evaluated once and kept under a name, and what opens a block that is entered
    /// if it was true; `}` closes that.
    fn kept(&self, site: SiteIndex) -> [String; 3];

    /// A site that directly follows its leader and shares the leader's snapshot.
    fn again(&self, site: SiteIndex, leader: SiteIndex, old: &str) -> String;

    /// The texts around a condition that is traced, forced and captured. `old` is the condition's constant
    /// value where the subject has no condition. `eager` means that it must always be evaluated.
    fn condition(
        &self,
        index: SiteIndex,
        site: &Site,
        eager: bool,
        captures: Vec<(String, Part)>,
        old: &str,
    ) -> Pieces;

    /// The texts around an expression that is only traced.
    fn computation(&self, index: SiteIndex) -> Pieces;

    /// The texts around an expression that can be replaced, at run time, by one of several numbered candidates.
    fn selection(
        &self,
        index: SiteIndex,
        site: &Site,
        candidates: Vec<(u32, &str, Part)>,
        old: &str,
    ) -> Pieces;

    /// One capture; `weak` means that it reads by dynamic type only.
    fn capture(&self, capture: &Capture, weak: bool) -> String;

    /// The code, next to the definitions of the subject's types, that reads their values, each with its file.
    /// Dropped parts are left out.
    fn observers(
        &self,
        sources: &Sources,
        dropped: &BTreeSet<Part>,
    ) -> Vec<(FileIndex, Insertion<Part>)>;
}
