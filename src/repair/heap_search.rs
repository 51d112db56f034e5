//! If no condition repairs a C program: searches for small changes of how its functions change linked structures
//! ([`nopol_heap::trial`]). Each is built and tested like any other patch.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use nopol_basics::count;
use nopol_basics::hash;
use nopol_process::run::suite::TestIndex;
use nopol_synth::weights::WEIGHTS;

use super::showing::Presenter;
use super::validating::MOST_WATCHED;
use crate::check::doubts;
use crate::check::validate::{self, Validator};
use crate::heap::by_tests::{HeapProgram, Repair, repairs};
use crate::patch::edit::Edit;
use crate::report::Assurance;
use crate::report::EditReport;
use crate::report::GroupReport;
use crate::report::Outcome;
use crate::report::PatchReport;

/// Time limit of the search.
const LIMIT: Duration = Duration::from_secs(60);

/// Most repairs built for one group of tests.
const MOST_BUILT: usize = 6;

impl Presenter<'_, '_> {
    /// Adds patches of statements that change linked structures to the outcome, if it finds any.
    ///
    /// # Errors
    /// If the run is stopped.
    pub fn show_structures(&self, outcome: &mut Outcome, targets: &[TestIndex]) -> Result<()> {
        let subject = self.session.copies.plain.subject;
        let Some(structures) = HeapProgram::of(subject) else {
            return Ok(());
        };
        let phase = self.session.progress.start(
            "searching linked structures",
            0,
            self.session.runner.runs(),
        );
        let started = Instant::now();
        // A signal and the time limit of the run end the search, too.
        let is_over = || started.elapsed() >= LIMIT || self.session.supervisor.check().is_err();
        let found = |targets: &[TestIndex]| -> Vec<Repair> {
            let names = targets
                .iter()
                .map(|target| self.session.tests[*target].name.clone());
            repairs(&structures, subject, &names.collect::<Vec<_>>(), &is_over)
        };
        let mut groups = vec![(targets.to_vec(), found(targets))];
        if groups[0].1.is_empty() && targets.len() > 1 {
            // No repair cures all targets together, so try each alone.
            groups = targets
                .iter()
                .map(|target| (vec![*target], found(&[*target])))
                .collect();
        }
        let number = groups.iter().map(|(_, found)| found.len()).sum();
        let number = count(number, "candidate");
        self.session
            .progress
            .finish(phase, self.session.runner.runs(), &number);
        self.session.supervisor.check()?;
        groups.retain(|(_, found)| !found.is_empty());
        if groups.is_empty() {
            return Ok(());
        }
        let phase = self
            .session
            .progress
            .start("checking patches", 0, self.session.runner.runs());
        self.session.runner.end_servers();
        let validator = Validator::new(
            validate::Copies {
                used: vec![&self.session.copies.plain],
                instrumented: &self.session.copies.instrumented,
                unsanitized: self.session.copies.bare.as_ref(),
            },
            self.session.runner,
            self.session.sources,
            self.session.tests,
            self.session.baseline,
            validate::Chance {
                random: BTreeSet::new(),
                drawing: BTreeSet::new(),
                replays: &self.session.replays,
            },
            self.session.settings.test_timeout,
        );
        let mut unwatched = None;
        for (targets, found) in groups {
            let from = outcome.patches.len();
            // There is no data to learn from, so all repairs of a search share one probability.
            let share = WEIGHTS.confidence.usual / count_of(found.len());
            let mut held = Vec::new();
            for repair in found.iter().take(MOST_BUILT) {
                if held.len() == self.session.settings.shown() {
                    break;
                }
                let Ok(mut accepted) =
                    validator.judge(&repair.edits, &targets, validate::Examples::All)?
                else {
                    continue;
                };
                if held.len() < MOST_WATCHED && validator.can_watch() {
                    match validator.memory_errors(&repair.edits, &targets)? {
                        Ok(errors) => accepted.doubts.extend(errors),
                        Err(reason) => unwatched = Some(reason),
                    }
                }
                held.push((repair, accepted));
            }
            held.sort_by_key(|(_, accepted)| !accepted.doubts.is_empty());
            for (repair, accepted) in held {
                let cured = accepted.cured.iter();
                let cured = cured.map(|test| self.session.tests[*test].to_string());
                let left = match accepted.doubts.is_empty() {
                    true => 1.0,
                    false => WEIGHTS.confidence.doubted,
                };
                let patch = PatchReport {
                    rank: outcome.patches.len() + 1,
                    confidence: (100.0 * share * left).round() / 100.0,
                    ..self.structural(repair, cured.collect())
                };
                let doubts = accepted.doubts;
                outcome.patches.push(PatchReport { doubts, ..patch });
            }
            let patches = &outcome.patches[from..];
            if !patches.is_empty() {
                outcome.message = None;
                outcome.groups.push(GroupReport {
                    tests: targets
                        .iter()
                        .map(|test| self.session.tests[*test].to_string())
                        .collect(),
                    patches: patches.iter().map(|patch| patch.id.clone()).collect(),
                });
                outcome.set_patched();
            }
        }
        outcome.warnings.extend(unwatched.map(doubts::unwatched));
        let number = count(outcome.patches.len(), "patch");
        self.session
            .progress
            .finish(phase, self.session.runner.runs(), &number);
        Ok(())
    }

    fn structural(&self, repair: &Repair, fixes: Vec<String>) -> PatchReport {
        let original = |edit: &Edit| -> Arc<str> {
            let mut files = self.session.sources.files.iter();
            let found = files.find(|known| known.path == edit.file);
            found.map_or("", |known| &known.text).into()
        };
        PatchReport {
            id: format!("{}-{}", repair.function, hash::short(&repair.diff)),
            rank: 0,
            cost: 0,
            confidence: 0.0,
            kind: "expression",
            edits: repair
                .edits
                .iter()
                .map(|edit| EditReport {
                    file: edit.file.to_string(),
                    line: edit.line,
                    column: edit.column,
                    span: edit.span.clone(),
                    mark: None,
                    original: original(edit),
                    before: edit.before.clone(),
                    after: edit.after.clone(),
                    condition: edit.after.trim().to_owned(),
                })
                .collect(),
            diff: repair.diff.clone(),
            fixes,
            is_trivial: false,
            evidence: Assurance::Tested,
            doubts: Vec::new(),
            why: format!(
                "{} of `{}` changed",
                count(repair.edits.len(), "statement"),
                repair.function
            ),
            clauses: Vec::new(),
            unrecorded: Vec::new(),
            tables: Vec::new(),
            differs: None,
            alternatives: Vec::new(),
            failing_examples: Vec::new(),
            alike: 0,
        }
    }
}

fn count_of(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
