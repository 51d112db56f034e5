//! Instruments the working copy: what is spliced into which file, and what is left out because the compiler
//! rejects it. Knows nothing of what the recorded values mean.

mod blame;
mod borrows;
mod c;
pub mod compiler;
mod dialect;
mod observe;
mod parts;
mod rust;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use camino::Utf8PathBuf;
use nopol_source::splice::{Insertion, Spliced, splice};
use nopol_source::template::Frame;
use nopol_source::{FileIndex, FunctionIndex, Site, SiteIndex, SiteKind, Sources};
use typed_index_collections::TiVec;

use self::dialect::dialect;
pub use self::parts::{Capture, CaptureKind, Part, captures};

/// The instrumented files.
pub type Files = TiVec<FileIndex, (Utf8PathBuf, Spliced<Part>)>;

/// What is spliced in at each site of one build.
#[derive(Clone, Debug)]
pub enum Stage {
    /// These sites can be traced and forced.
    Conditions(BTreeSet<SiteIndex>),
    /// These sites can be traced, forced and captured.
    Captures(BTreeMap<SiteIndex, Vec<Capture>>),
    /// These sites have candidates, numbered from 1, each the text of an expression.
    Candidates(BTreeMap<SiteIndex, Vec<String>>),
}

impl Stage {
    /// The sites that get something.
    pub fn sites(&self) -> Vec<SiteIndex> {
        match self {
            Self::Conditions(sites) => sites.iter().copied().collect(),
            Self::Captures(captures) => captures.keys().copied().collect(),
            Self::Candidates(candidates) => candidates.keys().copied().collect(),
        }
    }
}

/// What earlier builds of the same sources taught.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Sites that were in the last build. They stay, so that functions in which nothing is new are not compiled
    /// again.
    pub kept: BTreeSet<SiteIndex>,
    /// Sites that are never instrumented.
    pub excluded: BTreeSet<SiteIndex>,
    /// Sites whose condition is always evaluated.
    pub weakened: BTreeSet<Part>,
    /// Parts of no site that the compiler rejected.
    pub dropped: BTreeSet<Part>,
    /// Whether types had their `Observe` impls. They stay, too, whether or not anything is captured.
    pub observed: bool,
}

/// The instrumentation of one build, without the parts that the compiler has rejected so far.
#[derive(Clone, Debug)]
pub struct Instrumentation<'a> {
    /// What is instrumented.
    pub sources: &'a Sources,
    /// What each site gets.
    pub stage: Stage,
    /// Parts that the compiler rejected.
    pub dropped: BTreeSet<Part>,
    /// Sites whose condition is always evaluated, and captures read by dynamic type only.
    pub weakened: BTreeSet<Part>,
    /// Sites that are never instrumented.
    pub excluded: BTreeSet<SiteIndex>,
    /// Sites of earlier builds that can be traced and forced if the stage does not say more.
    pub kept: BTreeSet<SiteIndex>,
    /// Whether types have their `Observe` impls.
    pub observed: bool,
    /// Parts that were left out only because they are near an error.
    pub given_up: BTreeSet<Part>,
    /// Capture texts that do not compile anywhere in a function, independently of moves and borrows.
    pub refused: BTreeSet<(FunctionIndex, String)>,
}

impl<'a> Instrumentation<'a> {
    /// Everything of the stage, and of earlier builds what stays.
    pub fn new(sources: &'a Sources, stage: Stage, earlier: Earlier) -> Self {
        let observed = earlier.observed || matches!(stage, Stage::Captures(_));
        Self {
            sources,
            stage,
            observed,
            dropped: earlier.dropped,
            weakened: earlier.weakened,
            excluded: earlier.excluded,
            kept: earlier.kept,
            given_up: BTreeSet::new(),
            refused: BTreeSet::new(),
        }
    }

    /// The files in which parts were left out only because they are near an error.
    pub fn files_given_up(&self) -> BTreeSet<FileIndex> {
        let file = |part: &Part| match part {
            Part::Site(site) | Part::Capture(site, _) | Part::Candidate(site, _) => {
                self.sources.sites[*site].file
            }
            Part::Type(number) | Part::Member(number, _) => self.sources.types[*number].file,
            Part::Loop(file, _) | Part::File(file) => *file,
            Part::Constness(function) => self.sources.functions[*function].file,
        };
        self.given_up.iter().map(file).collect()
    }

    /// What this build taught, for the next one.
    pub fn taught(&self) -> Earlier {
        let sites = self.sources.sites.keys();
        let is_site = |part: &&Part| matches!(part, Part::Site(_));
        let of_no_site = |part: &&Part| {
            use Part::{Constness, Loop, Member, Type};
            matches!(part, Loop(..) | Type(_) | Member(..) | Constness(_))
        };
        Earlier {
            kept: sites.filter(|site| self.has(*site)).collect(),
            excluded: self.excluded.clone(),
            weakened: self.weakened.iter().filter(is_site).copied().collect(),
            dropped: self.dropped.iter().filter(of_no_site).copied().collect(),
            observed: self.observed,
        }
    }

    /// Whether the site is in this build.
    pub fn has(&self, site: SiteIndex) -> bool {
        let in_stage = match &self.stage {
            Stage::Conditions(sites) => sites.contains(&site),
            Stage::Captures(captures) => captures.contains_key(&site),
            Stage::Candidates(candidates) => candidates.contains_key(&site),
        };
        (in_stage || self.kept.contains(&site))
            && !self.excluded.contains(&site)
            && !self.dropped.contains(&Part::Site(site))
            && !self.is_constant(self.sources.sites[site].function)
    }

    /// Whether a function stays a `const fn`, in which nothing can be put.
    fn is_constant(&self, function: FunctionIndex) -> bool {
        self.dropped.contains(&Part::Constness(function))
    }

    /// The site that takes the snapshots for all early exits at its program point.
    pub fn leader(&self, site: SiteIndex) -> SiteIndex {
        let Stage::Captures(captures) = &self.stage else {
            return site;
        };
        let point = |index: SiteIndex| self.sources.sites[index].program_point();
        if !self.sources.sites[site].span.is_empty() || !captures.contains_key(&site) {
            return site;
        }
        let before = captures.range(..site).rev().map(|(other, _)| *other);
        let here = before.take_while(|other| point(*other) == point(site));
        here.filter(|other| self.has(*other)).last().unwrap_or(site)
    }

    /// The instrumented text of every file.
    pub fn files(&self) -> Files {
        let dialect = dialect(self.sources.language);
        let mut insertions: TiVec<FileIndex, Vec<Insertion<Part>>> =
            vec![Vec::new(); self.sources.files.len()].into();
        let mut constant: TiVec<FileIndex, Vec<Range<usize>>> =
            vec![Vec::new(); self.sources.files.len()].into();
        for (number, function) in self.sources.functions.iter_enumerated() {
            let Some(word) = &function.constness else {
                continue;
            };
            if self.is_constant(number) {
                constant[function.file].push(function.span.clone());
                continue;
            }
            // Only insertions keep all other places where they are.
            for (at, order, text) in [(word.start, i64::MAX, "/*"), (word.end, i64::MIN, "*/")] {
                insertions[function.file].push(Insertion {
                    at,
                    order,
                    text: text.to_owned(),
                    owner: Part::Constness(number),
                });
            }
        }
        for (number, file) in self.sources.files.iter_enumerated() {
            for (nth, body) in file.loops.iter().enumerate() {
                let owner = Part::Loop(number, nth);
                let is_within = |span: &Range<usize>| span.contains(&body.start);
                if self.dropped.contains(&owner) || constant[number].iter().any(is_within) {
                    continue;
                }
                let mut put = |at, order, text| {
                    insertions[number].push(Insertion {
                        at,
                        order,
                        text,
                        owner,
                    });
                };
                let tick = dialect.tick();
                match body.end {
                    None => put(body.start, i64::MIN + 1, format!(" {tick}")),
                    Some(end) => {
                        put(body.start, i64::MIN + 1, format!("{{ {tick} "));
                        put(end, i64::MAX, " }".to_string());
                    }
                }
            }
        }
        for (index, site) in self.sources.sites.iter_enumerated() {
            if self.has(index) {
                self.site(index, site, &mut insertions[site.file]);
            }
        }
        for (first, last) in self.groups() {
            let site = &self.sources.sites[first];
            let mut put = |order, text| {
                insertions[site.file].push(Insertion {
                    at: site.span.start,
                    order,
                    text,
                    owner: Part::Site(first),
                });
            };
            put(order(first) - 1, dialect.here(first, last));
            put(order(last) + PIECES - 1, "} ".to_string());
        }
        if self.observed {
            for (file, text) in dialect.observers(self.sources, &self.dropped) {
                insertions[file].push(text);
            }
        }
        for (number, file) in self.sources.files.iter_enumerated() {
            let insertions = &mut insertions[number];
            if let Some((at, text)) = dialect.start_of_file(file, !insertions.is_empty()) {
                let mut put = |at, order, text| {
                    insertions.push(Insertion {
                        at,
                        order,
                        text,
                        owner: Part::File(number),
                    });
                };
                put(at, i64::MIN, text);
                for name in dialect.other_names(file) {
                    put(name.start, i64::MAX, "/*".to_owned());
                    put(name.end, i64::MIN, "*/".to_owned());
                }
            }
        }
        self.sources
            .files
            .iter()
            .zip(insertions)
            .map(|(file, insertions)| (file.path.clone(), splice(&file.text, insertions)))
            .collect()
    }

    /// The first and last early exit of each program point that has several.
    fn groups(&self) -> Vec<(SiteIndex, SiteIndex)> {
        let mut groups: Vec<(SiteIndex, SiteIndex)> = Vec::new();
        let sites = &self.sources.sites;
        let exits = sites
            .iter_enumerated()
            .filter(|(_, site)| site.kind.is_early_exit());
        for (index, site) in exits.filter(|(index, _)| self.has(*index)) {
            match groups.last_mut() {
                Some((first, last)) if site.program_point() == sites[*first].program_point() => {
                    *last = index;
                }
                _ => groups.push((index, index)),
            }
        }
        groups.retain(|(first, last)| first != last);
        groups
    }

    /// The insertions of one site. Sites that start or end at the same byte must nest in the text, too; outer
    /// sites have smaller indices. Text at an insertion point comes after everything that ends there and before
    /// everything that starts there.
    fn site(&self, index: SiteIndex, site: &Site, insertions: &mut Vec<Insertion<Part>>) {
        const BEFORE_OLD: i64 = 1 << 51;
        const AFTER_NEW: i64 = 1 << 52;
        let opening = match site.span.is_empty() {
            // It goes on with the `if` before it, whatever ends there.
            true if site.kind == SiteKind::Branch => order(index) - AFTER_NEW,
            true => order(index),
            false if !site.parts.is_empty() => BEFORE_OLD + order(index),
            false => AFTER_NEW + order(index),
        };
        let closing = -(i64::from(index.number()) + 1) * PIECES;
        let (start, end) = (site.span.start, site.span.end);
        let mut pieces = 0;
        let mut put = |at, base: i64, text: String, owner| {
            pieces += 1;
            insertions.push(Insertion {
                at,
                order: base + pieces,
                text,
                owner,
            });
        };
        let owner = Part::Site(index);
        let dialect = dialect(self.sources.language);
        let Frame {
            mut before,
            mut after,
            mut at_end,
        } = site.template.shielded_frame(site);
        // Runs may overlap, so their blocks would cross: each part of a run gets a block of its own.
        if !site.parts.is_empty() {
            let [start, end, open] = dialect.kept(index);
            for part in &site.parts {
                put(part.start, AFTER_NEW + order(index), open.clone(), owner);
                put(part.end, closing, " }".to_owned(), owner);
            }
            (before, after, at_end) = (start, end, String::new());
        }
        // The original condition is already in the text, or it is a constant.
        let own = site.kind.unconditional().map(|own| own.to_string());
        let (close_at, closing) = match own {
            Some(_) => (start, opening),
            None => (end, closing),
        };
        let old = own.unwrap_or_default();
        if !before.is_empty() {
            put(start, opening, before, owner);
        }
        let candidates = match &self.stage {
            Stage::Candidates(candidates) => candidates.get(&index),
            Stage::Conditions(_) | Stage::Captures(_) => None,
        };
        let pieces = match candidates {
            None => {
                let leader = self.leader(index);
                if leader != index {
                    let call = dialect.again(index, leader, &old);
                    put(start, opening, call + &after, owner);
                    return;
                }
                let mut captured = Vec::new();
                if let Stage::Captures(captures) = &self.stage {
                    let of_site = captures.get(&index).into_iter().flatten();
                    for (nth, capture) in of_site.enumerate() {
                        let part = Part::Capture(index, nth);
                        if !self.dropped.contains(&part) {
                            let is_weak = self.weakened.contains(&part);
                            captured.push((dialect.capture(capture, is_weak), part));
                        }
                    }
                }
                let is_eager = self.weakened.contains(&owner);
                match site.kind.computes() {
                    true => dialect.computation(index),
                    false => dialect.condition(index, site, is_eager, captured, &old),
                }
            }
            Some(candidates) => {
                let candidates = (1..).zip(candidates);
                let candidates = candidates.map(|(number, text)| {
                    let part = Part::Candidate(index, number);
                    (number, text.as_str(), part)
                });
                let kept = candidates.filter(|(.., part)| !self.dropped.contains(part));
                dialect.selection(index, site, kept.collect(), &old)
            }
        };
        for (text, part) in pieces.opening {
            put(start, opening, text, part);
        }
        for (text, part) in pieces.closing {
            put(close_at, closing, text, part);
        }
        put(close_at, closing, after, owner);
        if !at_end.is_empty() {
            let closing = -(i64::from(index.number()) + 1) * PIECES;
            put(end, closing, at_end, owner);
        }
    }
}

/// The maximum number of insertions of one site at one byte.
const PIECES: i64 = 1 << 16;

/// The position of a site's insertions among those at one byte.
fn order(index: SiteIndex) -> i64 {
    (i64::from(index.number()) + 1) * PIECES
}
