//! Builds plausible fixes on their own, the best of each family first, until every group of failing tests has enough
//! accepted patches.

use anyhow::Result;
use nopol_basics::{agree, count};
use nopol_process::run::pool;
use nopol_synth::weights::WEIGHTS;

use super::bounds;
use super::examples::{self, Examples};
use super::families::Family;
use super::fix::Fix;
use super::knowledge::{Knowledge, Notes};
use super::ranking::groups;
use super::session::Session;
use super::showing::Presenter;
use crate::check::doubts;
use crate::check::format::Formatter;
use crate::check::validate::{self, Accepted, Rejection, Validator};
use crate::patch::edit::Edit;
use crate::report::GroupReport;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::subject::workspace::Workspace;

/// With more patches than this, it pays off to find out first what the doctests reach: that takes as long as checking one.
const FEW: usize = 2;
/// Most members of a family that are built on their own before one is accepted.
const MOST_TRIED: usize = 3;
/// Number of first patches per group of failing tests that are checked for memory errors.
pub(super) const MOST_WATCHED: usize = 2;

/// A fix that is shown, its family and the index of its patch.
pub(super) struct Shown<'c> {
    pub fix: &'c Fix,
    pub family: &'c Family,
    /// Number of better members of the family that were built on their own and rejected.
    pub rejected: usize,
    pub patch: usize,
}

/// A fix that was built on its own, and the verdict.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(super) edits: Vec<Edit>,
    pub(super) verdict: Result<Accepted, Rejection>,
}

/// Builds fixes on their own.
pub(super) struct Checker<'a> {
    session: &'a Session<'a>,
    validator: Validator<'a>,
    /// What the doctests reach, if that is known.
    examples: Option<Examples>,
    pub formatter: Formatter,
}

impl<'a> Checker<'a> {
    /// A checker that builds in these copies.
    pub fn new(
        session: &'a Session<'a>,
        knowledge: &Knowledge,
        copies: Vec<&'a Workspace<'a>>,
    ) -> Self {
        session.runner.end_servers();
        let validator = Validator::new(
            validate::Copies {
                used: copies,
                instrumented: &session.copies.instrumented,
                unsanitized: session.copies.bare.as_ref(),
            },
            session.runner,
            session.sources,
            session.tests,
            session.baseline,
            validate::Chance {
                random: knowledge.spectrum.random(),
                drawing: knowledge.spectrum.drawing.clone(),
                replays: &session.replays,
            },
            session.settings.test_timeout,
        );
        Self {
            session,
            validator,
            examples: knowledge.examples.clone(),
            formatter: Formatter::default(),
        }
    }

    pub fn check(&self, fix: &Fix) -> Result<Checked> {
        let presenter = Presenter::new(self.session);
        let edits = presenter.edits(fix, &self.formatter);
        let verdict = match presenter.diff(&edits).is_empty() {
            true => Err(Rejection::ChangesNothing),
            false => {
                let known = self.examples.as_ref();
                let seeing = known.and_then(|known| known.seeing(fix));
                let examples = match &seeing {
                    Some(seeing) => validate::Examples::Only(seeing),
                    None => validate::Examples::All,
                };
                self.validator.judge(&edits, &fix.targets, examples)?
            }
        };
        Ok(Checked { edits, verdict })
    }

    /// Checks those accepted candidates for memory errors that were not checked yet, and returns their number. Skips
    /// candidates with compiler warnings, because those are doubted already.
    fn watch(&self, notes: &mut Notes, first: &mut [Candidates], at_once: usize) -> Result<usize> {
        if !self.validator.can_watch() {
            return Ok(0);
        }
        let mut unknown: Vec<(&Fix, &mut Candidates)> = first
            .iter_mut()
            .filter(|candidates| !candidates.is_watched && !candidates.is_doubted())
            .filter_map(|candidates| Some((candidates.next()?, candidates)))
            .collect();
        let errors = pool::map(at_once, &unknown, |(fix, candidates)| {
            let held = candidates.held.as_ref();
            held.map_or(Ok(Ok(Vec::new())), |(edits, _)| {
                self.validator.memory_errors(edits, &fix.targets)
            })
        })?;
        for ((_, candidates), errors) in unknown.iter_mut().zip(errors) {
            candidates.is_watched = true;
            match (errors, &mut candidates.held) {
                (Ok(errors), Some((_, accepted))) => accepted.doubts.extend(errors),
                (Ok(_), None) => {}
                (Err(reason), _) => notes.warn(doubts::unwatched(reason)),
            }
        }
        Ok(unknown.len())
    }
}

impl Presenter<'_, '_> {
    /// The fixes that are likely to be checked: of each group as many as are shown and some to spare.
    fn next<'c>(&self, knowledge: &Knowledge, families: &'c [Family]) -> Vec<&'c Fix> {
        let best: Vec<Fix> = families.iter().map(|family| family.best.clone()).collect();
        let most = 2 * self.session.settings.shown();
        let first = knowledge.checked.as_ref();
        let is_checked = |fix: &Fix| first.is_some_and(|(known, _)| known.is_text_of(fix));
        let groups = groups(&best);
        let fixes = groups
            .iter()
            .flat_map(|group| group.fixes.iter().take(most));
        let mut fixes: Vec<usize> = fixes.copied().collect();
        fixes.sort_unstable();
        fixes.dedup();
        let fixes = fixes.iter().map(|nth| &families[*nth].best);
        fixes.filter(|fix| !is_checked(fix)).collect()
    }

    /// Validates families, best first, until each group of failing tests has enough patches. If the best member of a
    /// family is rejected, the next one is tried.
    pub(super) fn validate<'c>(
        &self,
        knowledge: &mut Knowledge,
        outcome: &mut Outcome,
        families: &'c [Family],
    ) -> Result<Vec<Shown<'c>>> {
        let runner = self.session.runner;
        if families.len() > FEW {
            examples::trace(self.session, knowledge, &self.next(knowledge, families))?;
        }
        let phase = self
            .session
            .progress
            .start("checking patches", 0, runner.runs());
        let mut copies = vec![
            &self.session.copies.instrumented,
            &self.session.copies.plain,
        ];
        if self.session.settings.jobs() == 1 {
            copies.remove(0);
        }
        let at_once = copies.len();
        let checker = Checker::new(self.session, knowledge, copies);
        let first = knowledge.checked.take();
        let check = |fix: &Fix| match &first {
            Some((known, checked)) if known.is_text_of(fix) && known.targets == fix.targets => {
                Ok(checked.clone())
            }
            _ => checker.check(fix),
        };

        let mut shown: Vec<Shown> = Vec::new();
        let best: Vec<Fix> = families.iter().map(|family| family.best.clone()).collect();
        for group in groups(&best) {
            let mut open: Vec<Candidates> = group
                .fixes
                .iter()
                .map(|nth| Candidates::new(&families[*nth]))
                .collect();
            // If the run is stopped, keep the patches before the first unchecked one.
            let mut stopped = None;
            while stopped.is_none() {
                open.retain(|candidates| candidates.next().is_some());
                // Doubted candidates may be replaced by as many others as are shown.
                let likeliest = open.len().min(2 * self.session.settings.shown());
                open[..likeliest].sort_by_key(Candidates::is_doubted);
                // Check everything at once that will be shown if nothing is rejected.
                let wanted = open.iter_mut().take(self.session.settings.shown());
                let mut wanted: Vec<&mut Candidates> = wanted
                    .filter(|candidates| candidates.held.is_none())
                    .collect();
                if wanted.is_empty() {
                    let first = MOST_WATCHED
                        .min(self.session.settings.shown())
                        .min(open.len());
                    match checker.watch(&mut knowledge.notes, &mut open[..first], at_once) {
                        Ok(0) => break,
                        Ok(builds) => knowledge.notes.builds += u32::try_from(builds)?,
                        Err(error) => stopped = Some(error),
                    }
                    continue;
                }
                knowledge.notes.builds += u32::try_from(wanted.len())?;
                let fixes: Vec<&Fix> = wanted.iter().filter_map(|it| it.next()).collect();
                let checked = pool::map(at_once, &fixes, |fix| Ok(check(fix)))?;
                for ((candidates, fix), checked) in wanted.iter_mut().zip(fixes).zip(checked) {
                    match checked {
                        Ok(Checked { edits, verdict }) => {
                            knowledge.held.retain(|held| !held.is_text_of(fix));
                            match verdict {
                                Ok(accepted) => candidates.held = Some((edits, accepted)),
                                Err(_) => candidates.tried += 1,
                            }
                        }
                        Err(error) => {
                            stopped = Some(error);
                            break;
                        }
                    }
                }
            }
            let from = outcome.patches.len();
            for candidates in open.into_iter().take(self.session.settings.shown()) {
                let (Some(fix), Some((edits, accepted))) = (candidates.next(), &candidates.held)
                else {
                    break;
                };
                let patch = outcome.patches.len();
                let report = PatchReport {
                    confidence: candidates.confidence(),
                    ..self.accepted(fix, edits, accepted, patch + 1)
                };
                outcome.patches.push(report);
                outcome.set_patched();
                shown.push(Shown {
                    fix,
                    family: candidates.family,
                    rejected: candidates.tried,
                    patch,
                });
            }
            // A rejected member was replaced by a less likely one, and doubted ones moved last, so the confidences may
            // rise.
            let shown_now = outcome.patches[from..].iter_mut();
            bounds::fall(shown_now.map(|patch| &mut patch.confidence));
            let patches = &outcome.patches[from..];
            if !patches.is_empty() {
                let tests = group
                    .tests
                    .iter()
                    .map(|test| self.session.tests[*test].to_string());
                outcome.groups.push(GroupReport {
                    tests: tests.collect(),
                    patches: patches.iter().map(|patch| patch.id.clone()).collect(),
                });
            }
            if let Some(error) = stopped {
                return Err(error);
            }
        }
        self.add_alternatives(knowledge, outcome, &shown, &checker.formatter);
        let traced = knowledge.examples.as_ref();
        outcome.has_doctests =
            checker.validator.has_doctests() || traced.is_some_and(|it| it.exist);
        let doctests = checker.validator.failing_doctests();
        if !doctests.is_empty() {
            knowledge.notes.warn(format!(
                "{} {} {} without a patch, and doctests are not fixed",
                agree(doctests.len(), "the doctest", "the doctests"),
                crate::report::phrases::names(&doctests),
                agree(doctests.len(), "fails", "fail")
            ));
            outcome.failing_examples = doctests.iter().map(ToString::to_string).collect();
        }
        let result = count(outcome.patches.len(), "patch");
        self.session
            .progress
            .finish(phase, self.session.runner.runs(), &result);
        Ok(shown)
    }
}

/// A family whose members are tried in order.
struct Candidates<'c> {
    family: &'c Family,
    /// Number of rejected members.
    tried: usize,
    /// The edits of the next member and its verdict; `None` before it was built on its own.
    held: Option<(Vec<Edit>, Accepted)>,
    /// Whether the next member was checked for memory errors.
    is_watched: bool,
}

impl<'c> Candidates<'c> {
    fn new(family: &'c Family) -> Self {
        Self {
            family,
            tried: 0,
            held: None,
            is_watched: false,
        }
    }

    /// The confidence in the next member, rounded to hundredths.
    fn confidence(&self) -> f64 {
        let known = self.family.confidence.get(self.tried);
        let share = match self.is_doubted() {
            true => WEIGHTS.confidence.doubted,
            false => 1.0,
        };
        (known.copied().unwrap_or(0.0) * share * 100.0).round() / 100.0
    }

    /// Whether the next member was accepted with doubts.
    fn is_doubted(&self) -> bool {
        let held = self.held.as_ref();
        held.is_some_and(|(_, accepted)| !accepted.doubts.is_empty())
    }

    fn next(&self) -> Option<&'c Fix> {
        self.family.members().take(MOST_TRIED).nth(self.tried)
    }
}
