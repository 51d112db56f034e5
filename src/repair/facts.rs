//! Collects what is known about plausible fixes, for ranking them.

use std::collections::BTreeMap;

use nopol_process::run::suite::TestIndex;
use nopol_source::{FunctionIndex, Language, Sources};

use super::fix::{Fix, SiteEdit};
use super::knowledge::Knowledge;
use super::panics::Panics;
use super::ranking::Ranker;
use crate::localize::failure::FailureSignature;
use crate::rank::facts::{Candidate, Case, EditFacts, Failure, FunctionText};

/// Most lines of a test's text.
const MOST_LINES: usize = 200;

impl Ranker<'_, '_> {
    /// The facts about these fixes.
    pub fn facts(&self, knowledge: &Knowledge, fixes: &[Fix]) -> Case {
        let mut targets: Vec<TestIndex> =
            fixes.iter().flat_map(|fix| fix.targets.clone()).collect();
        targets.sort();
        targets.dedup();
        let mut case = Case {
            is_c: self.session.sources.language == Language::C,
            failures: targets.iter().map(|test| self.failure(*test)).collect(),
            ..Case::default()
        };
        let mut known: BTreeMap<FunctionIndex, usize> = BTreeMap::new();
        let mut panics_of: BTreeMap<&[TestIndex], Panics> = BTreeMap::new();
        for fix in fixes {
            let panics = panics_of
                .entry(&fix.targets)
                .or_insert_with(|| Panics::at(self.session, knowledge, &fix.targets));
            let edits = fix.edits.iter();
            let edits = edits.map(|edit| {
                let number = *known.entry(edit.function).or_insert_with(|| {
                    let text = function_text(self.session.sources, edit.function);
                    case.functions.push(text);
                    case.functions.len() - 1
                });
                edit_facts(self.session.sources, edit, number, panics)
            });
            case.candidates.push(Candidate {
                edits: edits.collect(),
                cost: fix.cost,
                cures: u32::try_from(fix.targets.len()).unwrap_or(u32::MAX),
                is_trivial: fix.is_trivial(),
            });
        }
        case
    }

    fn failure(&self, test: TestIndex) -> Failure {
        let output = self
            .session
            .baseline
            .output
            .get(&test)
            .map_or("", String::as_str);
        let name = self.session.tests[test].to_string();
        let text = match self.session.sources.language {
            Language::Rust => self.test_text(&name),
            // A test of a C program is an input, not code.
            Language::C => None,
        };
        Failure {
            message: FailureSignature::of(output).message,
            text: text.unwrap_or_default(),
            test: name,
        }
    }

    /// The text of a test function, if one of the files read contains it.
    fn test_text(&self, name: &str) -> Option<String> {
        let last = name.rsplit("::").next()?;
        let head = format!("fn {last}(");
        let (text, at) = self
            .session
            .sources
            .files
            .iter()
            .find_map(|file| Some((&file.text, file.text.find(&head)?)))?;
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let indent = text[line..].len() - text[line..].trim_start_matches(' ').len();
        let end = format!("\n{}}}", " ".repeat(indent));
        let text = &text[line..];
        let text = &text[..text.find(&end).unwrap_or(text.len())];
        Some(text.lines().take(MOST_LINES).collect::<Vec<_>>().join("\n"))
    }
}

/// The facts about an edit. `function` is the index of its function in the case.
pub fn edit_facts(
    sources: &Sources,
    edit: &SiteEdit,
    function: usize,
    panics: &Panics,
) -> EditFacts {
    let site = &sources.sites[edit.site];
    let start = sources.functions[site.function].span.start;
    let place = |at: usize| at.saturating_sub(start);
    EditFacts {
        function,
        span: place(site.span.start)..place(site.span.end),
        line: site.line,
        kind: site.kind,
        before: site.text.clone(),
        after: edit.condition.clone(),
        body: site.body.clone(),
        body_origin: site.body_origin,
        checks: site.checks,
        suspiciousness: edit.suspiciousness,
        panic: panics.seen_from(sources, edit.site),
        prevents: panics.is_prevented_by(sources, edit),
        is_loose: edit.is_loose,
        why: edit.why.clone(),
        support: edit.evidence.support(),
    }
}

/// A function with its text.
pub fn function_text(sources: &Sources, index: FunctionIndex) -> FunctionText {
    let function = &sources.functions[index];
    let file = &sources.files[function.file];
    FunctionText {
        name: function.name.clone(),
        file: file.path.to_string(),
        text: file
            .text
            .get(function.span.clone())
            .unwrap_or("")
            .to_owned(),
    }
}
