//! Where failing tests panic or crash inside the subject. A test that panics in the middle of a function often needs a
//! guard or another condition right there.

use std::collections::{BTreeMap, BTreeSet};

use nopol_process::run::Verdict;
use nopol_process::run::suite::TestIndex;
use nopol_source::language::Prevented;
use nopol_source::{FileIndex, Form, Function, FunctionIndex, SiteIndex, Sources};
use nopol_synth::weights::WEIGHTS;

use super::fix::SiteEdit;
use super::knowledge::Knowledge;
use super::session::Session;
use crate::localize::failure::FailureSignature;
use crate::rank::facts::PanicAt;
use crate::report::Outcome;

/// The lines, counted from 1, in which failing tests panic or crash, and the functions that contain them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panics {
    lines: BTreeSet<(FileIndex, usize)>,
    functions: BTreeSet<FunctionIndex>,
    /// Conditions that prevent an expression of a function from panicking again.
    prevented: BTreeMap<FunctionIndex, Vec<Prevented>>,
    /// C: pointers that may be null where a test crashes, by the functions in which they are written.
    null: BTreeSet<(FunctionIndex, String)>,
    /// Whether one of the tests reports an arithmetic overflow.
    is_overflow: bool,
}

/// Adds to how failing tests crash where they do: the place that each reaches last.
pub fn locate_crashes(session: &Session, knowledge: &Knowledge, outcome: &mut Outcome) {
    for (test, last) in &knowledge.spectrum.crashes {
        let name = session.tests[*test].to_string();
        let site = session.site(*last);
        let file = &session.sources.files[site.file].path;
        let mut complaints = outcome.complaints.iter_mut();
        let of_test = complaints.find(|it| it.test == name && it.why.starts_with("crashes"));
        if let Some(complaint) = of_test {
            let place = format!("; the last place that it reaches is {file}:{}", site.line);
            complaint.why.push_str(&place);
        }
    }
}

impl Panics {
    /// Where these failing tests panic or crash. Only places in functions with sites are included.
    pub fn at(session: &Session, knowledge: &Knowledge, targets: &[TestIndex]) -> Self {
        let outputs = targets.iter().map(|test| &session.baseline.output[test]);
        let mut panics = Self::of(session.sources, outputs.map(String::as_str));
        for test in targets {
            panics.is_overflow |= session.baseline.output[test].contains(" with overflow");
            // A failed assertion crashes where the fault was noticed, which may be far from the fault.
            let asserts = session.baseline.output[test].contains("Assertion `");
            if let Some(last) = knowledge.spectrum.crashes.get(test).filter(|_| !asserts) {
                let site = session.site(*last);
                panics.lines.insert((site.file, site.line));
                panics.functions.insert(site.function);
            }
            let last = knowledge.spectrum.crashes.get(test);
            let last = last.or(knowledge.spectrum.ends.get(test));
            if let Some(last) = last.filter(|_| !asserts && dies(session, *test)) {
                let crashed = session.site(*last).function;
                let language = session.sources.language.panics();
                let pointers = language.null_pointers(session.sources, crashed);
                panics.null.extend(pointers);
            }
        }
        panics
    }

    fn of<'o>(sources: &Sources, outputs: impl Iterator<Item = &'o str>) -> Self {
        let mut panics = Self::default();
        // Many tests may fail in the same way.
        let mut seen = BTreeSet::new();
        for signature in outputs.map(FailureSignature::of) {
            if !seen.insert((signature.location.clone(), signature.message.clone())) {
                continue;
            }
            let Some((path, line, column)) = place(&signature.location) else {
                continue;
            };
            let mut files = sources.files.iter_enumerated();
            let Some((file, _)) = files.find(|(_, file)| file.path.as_str() == path) else {
                continue;
            };
            let text = &sources.files[file].text;
            let Some(at) = start_of(text, line) else {
                continue;
            };
            // Of nested functions, the innermost starts last. Test code has no functions with sites.
            let functions = sources.functions.iter_enumerated();
            let has_it = |(_, function): &(FunctionIndex, &Function)| {
                function.file == file && function.span.start <= at && at < function.span.end
            };
            let innermost = functions.filter(has_it).max_by_key(|(_, it)| it.span.start);
            if let Some((function, _)) = innermost {
                panics.lines.insert((file, line));
                panics.functions.insert(function);
                let known = panics.prevented.entry(function).or_default();
                let language = sources.language.panics();
                for condition in language.prevented(text, line, column, &signature.message) {
                    if !known.contains(&condition) {
                        known.push(condition);
                    }
                }
            }
        }
        panics
    }

    /// Conditions that prevent the expressions of a function from panicking as in the tests.
    pub fn prevented_in(&self, function: FunctionIndex) -> &[Prevented] {
        self.prevented.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Whether an edit adds one of those conditions as a clause, or no longer always evaluates the operand that
    /// panicked.
    pub fn is_prevented_by(&self, sources: &Sources, edit: &SiteEdit) -> bool {
        if self.is_null_test(sources, edit) {
            return true;
        }
        let prevented = self.prevented_in(edit.function);
        if prevented.is_empty() {
            return false;
        }
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let site = &sources.sites[edit.site];
        let old = bare(&site.text);
        let replaces = site.kind.form() == Form::Replace;
        if replaces && is_made_lazy(&old, &bare(&edit.condition)) {
            return self.seen_from(sources, edit.site) == PanicAt::Here;
        }
        let tree = edit.condition.tree(sources.language);
        let mut clauses = tree.iter().flat_map(|tree| tree.all_clauses());
        clauses.any(|clause| {
            let clause = bare(&clause.text);
            let is_it = |it: &Prevented| {
                [&it.holds, &it.fails]
                    .map(|text| bare(text))
                    .contains(&clause)
            };
            prevented.iter().any(is_it) && !(replaces && old.contains(&clause))
        })
    }

    /// Whether an edit adds a test of a pointer that may be null where a test crashes.
    fn is_null_test(&self, sources: &Sources, edit: &SiteEdit) -> bool {
        let site = &sources.sites[edit.site];
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let old = bare(&site.text);
        let tree = edit.condition.tree(sources.language);
        let mut clauses = tree.iter().flat_map(|tree| tree.all_clauses());
        clauses.any(|clause| {
            let clause = bare(&clause.text);
            let is_new = site.kind.form() != Form::Replace || !old.contains(&clause);
            let ends = ["!=NULL", "==NULL", "!=0", "==0"];
            let pointer = ends.iter().find_map(|end| clause.strip_suffix(end));
            let pointer = pointer.or(clause.strip_prefix('!')).unwrap_or(&clause);
            is_new && self.null.contains(&(edit.function, pointer.to_owned()))
        })
    }

    /// How much less a patch at a site costs because a failing test panics there.
    pub fn bonus(&self, sources: &Sources, index: SiteIndex) -> u32 {
        match self.seen_from(sources, index) {
            PanicAt::Elsewhere => 0,
            PanicAt::Function => WEIGHTS.place.panics_in_function,
            PanicAt::Here => WEIGHTS.place.panics_here,
        }
    }

    /// Whether a failing test reports an arithmetic overflow at a site.
    pub fn overflows_at(&self, sources: &Sources, index: SiteIndex) -> bool {
        self.is_overflow && self.seen_from(sources, index) == PanicAt::Here
    }

    /// Where the tests panic, relative to a site.
    pub fn seen_from(&self, sources: &Sources, index: SiteIndex) -> PanicAt {
        let site = &sources.sites[index];
        if !self.functions.contains(&site.function) {
            return PanicAt::Elsewhere;
        }
        let last = site.line + site.text.matches('\n').count();
        let is_in = |(file, line): &(FileIndex, usize)| {
            *file == site.file && (site.line..=last).contains(line)
        };
        match self.lines.iter().any(is_in) {
            true => PanicAt::Here,
            false => PanicAt::Function,
        }
    }
}

/// Whether a condition, written without blanks, differs only in `||` for `|` or `&&` for `&`, which may skip the second
/// operand.
fn is_made_lazy(old: &str, new: &str) -> bool {
    let eager = |text: &str| text.replace("||", "|").replace("&&", "&");
    new.len() > old.len() && eager(old) == eager(new)
}

/// The file, line and column in a location such as `src/lib.rs:3:5:`.
fn place(location: &str) -> Option<(&str, usize, usize)> {
    let mut parts = location.trim().trim_end_matches(':').rsplitn(3, ':');
    let (column, line, path) = (parts.next()?, parts.next()?, parts.next()?);
    Some((path, line.parse().ok()?, column.parse().ok()?))
}

/// The byte at which the text of a line, counted from 1, starts after its indentation.
fn start_of(text: &str, line: usize) -> Option<usize> {
    let mut at = 0;
    for (number, found) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            return Some(at + found.len() - found.trim_start().len());
        }
        at += found.len();
    }
    None
}

/// Whether the memory that a failing test uses ends it: a signal, which a framework of tests may report as a failure.
fn dies(session: &Session, test: TestIndex) -> bool {
    let output = &session.baseline.output[&test];
    let reports = [
        "Segmentation fault",
        "SIGSEGV",
        "AddressSanitizer",
        "Bus error",
    ];
    session.baseline.verdicts[test] == Verdict::Crashed
        || reports.iter().any(|report| output.contains(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_starts_after_its_indentation() {
        assert_eq!(start_of("a\n  b\n", 2), Some(4));
        assert_eq!(start_of("a\n", 3), None);
    }

    #[test]
    fn a_location_is_a_file_a_line_and_a_column() {
        assert_eq!(place(" src/lib.rs:3:5:"), Some(("src/lib.rs", 3, 5)));
        assert_eq!(place(" C:/a.rs:12:1:"), Some(("C:/a.rs", 12, 1)));
        assert_eq!(place(""), None);
    }
}
