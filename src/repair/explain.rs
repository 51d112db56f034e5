//! Why the patches shown are what they are: which tests decided each clause, and the smallest
//! context on which a patch differs from another one.

use super::Run;
use super::candidates::SiteCandidate;
use super::ranking::Fix;
use crate::contexts::{Evidence, evidence};
use crate::patch::render::Style;
use crate::report::{ClauseReport, DifferenceReport, PatchReport};
use crate::source::write;
use crate::spec::{Binding, Expr, Row, TermId, Value};
use crate::synth;

/// A fix that is shown, and the index of its patch.
pub(super) struct Shown<'c> {
    pub fix: &'c Fix,
    pub patch: usize,
}

impl Run<'_> {
    /// Completes the patches shown.
    pub(super) fn explain(&mut self, shown: &[Shown]) {
        for (nth, Shown { fix, patch }) in shown.iter().enumerate() {
            let clauses = fix.parts.iter().flat_map(|part| {
                let evidence = evidence(&part.problem, &part.recorded, &part.written);
                let clauses = evidence.iter().map(|evidence| self.clause(part, evidence));
                clauses.collect::<Vec<ClauseReport>>()
            });
            let clauses = clauses.collect();
            // The best of the others at this place.
            let mut others = shown.iter().enumerate();
            let other =
                others.find(|(other, shown)| *other != nth && shown.fix.sites() == fix.sites());
            let differs = other.and_then(|(_, other)| {
                let other_patch = &self.outcome.patches[other.patch];
                let mut parts = fix.parts.iter().zip(&other.fix.parts);
                let (part, other) = parts.find(|(a, b)| a.expr != b.expr)?;
                difference(part, other, *patch, other_patch)
            });
            let patch = &mut self.outcome.patches[*patch];
            patch.clauses = clauses;
            patch.differs = differs;
        }
    }

    fn clause(&self, candidate: &SiteCandidate, evidence: &Evidence) -> ClauseReport {
        let named = |wanted: bool| {
            let tests = evidence
                .tests
                .iter()
                .filter(|(_, is_failing)| **is_failing == wanted);
            tests
                .map(|(test, _)| self.tests[*test].to_string())
                .collect()
        };
        let style = Style {
            language: self.sources.language,
            pool: &candidate.problem.pool,
            old: &candidate.problem.old_texts,
            suffixed: false,
        };
        let example = evidence.example.as_ref();
        ClauseReport {
            text: style.text(&evidence.clause, Binding::Or),
            failing_tests: named(true),
            passing_tests: named(false),
            contexts: evidence.contexts,
            example: example.map_or_else(Vec::new, |(row, _)| {
                values(candidate, &evidence.clause, row)
            }),
            outcome: example.map(|(_, outcome)| *outcome),
        }
    }
}

/// The value of each variable of an expression, as text.
fn values(candidate: &SiteCandidate, expr: &Expr, row: &Row) -> Vec<(String, String)> {
    let terms = &candidate.problem.pool.terms;
    let mut used: Vec<TermId> = Vec::new();
    for term in expr.terms() {
        if terms[term].constant.is_none() && !used.contains(&term) {
            used.push(term);
        }
    }
    let text = |term: TermId| {
        (
            write::text(&terms[term].access),
            text(row.values[term].as_ref()),
        )
    };
    used.into_iter().map(text).collect()
}

fn text(value: Option<&Value>) -> String {
    value.map_or_else(|| "undefined".to_owned(), ToString::to_string)
}

/// Where a patch differs from another one at the same place.
fn difference(
    candidate: &SiteCandidate,
    other: &SiteCandidate,
    patch: usize,
    other_patch: &PatchReport,
) -> Option<DifferenceReport> {
    let pool = &candidate.problem.pool;
    let rows = candidate.problem.rows();
    let is_seen = rows
        .iter()
        .any(|row| candidate.written.eval_bool(row) != other.written.eval_bool(row));
    let found = synth::difference(&candidate.written, &other.written, pool, rows);
    let context: Vec<(String, String)> = found
        .iter()
        .flat_map(|context| &context.values)
        .map(|(term, value)| (write::text(&pool.terms[*term].access), text(value.as_ref())))
        .collect();
    Some(DifferenceReport {
        other: other_patch.id.clone(),
        ranks: [patch + 1, other_patch.rank],
        is_seen,
        yields: found.as_ref().map(|context| context.yields),
        context,
    })
}
