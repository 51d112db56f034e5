//! `cargo nopol mutate`: what is searched, and what was found in the user's terms.

mod called;
mod goal;
mod showing;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nopol_basics::deadline::Deadline;
use nopol_basics::{agree, counted};
use nopol_formula::encode::Extent;
use nopol_formula::mutate::judge::Trouble;
use nopol_formula::mutate::must::Prune;
use nopol_formula::mutate::{self, Level, MutateOutcome, MutationEdit, Repair, Space};
use nopol_program::shown::ShownEdit;
use nopol_program::visit::Repeats;
use serde::Serialize;

use self::goal::{Confirmed, Goal};
use self::showing::patched;
use super::UserStop;
use super::left_out::{self, LeftOut};
use super::load::{Builds, Refusal, whole_of};
use super::localization::{Failing, Phase};
use super::{late, unread};
use crate::report::Ended;
use crate::report::phrases::listed;
use crate::subject::{Project, Subject};

/// What the search leaves of the time limit for reading again what it found, which takes as long as reading the program and
/// running its tests did: so many times that, but at least a tenth of the limit and at most half of it.
const READINGS: u32 = 3;
const FEWEST_OF: u32 = 10;
const MOST_OF: u32 = 2;

/// How long that may take after the user ended the search.
const READING_AGAIN: Duration = Duration::from_secs(10);

/// What to repair.
#[derive(Clone, Debug)]
pub struct MutateRequest {
    /// The program.
    pub project: Project,
    /// The tests that count; all if none is named.
    pub tests: Vec<String>,
    /// A function that must be right whatever its arguments are, instead of tests.
    pub function: Option<String>,
    /// The function that it must equal.
    pub reference: Option<String>,
    /// How many mutations there are.
    pub level: Level,
    /// Most statements that a repair changes.
    pub size: usize,
    /// Most iterations of a loop, and most activations of a function at once.
    pub bound: Option<u32>,
    /// Whether overflow, division by zero and the like are faults.
    pub implicit: bool,
    /// How programs are ruled out.
    pub prune: Prune,
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// What ends it earlier.
    pub stop: UserStop,
}

/// What a search for repairs found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Mutation {
    /// How it ended.
    pub outcome: Ended,
    /// Why it ended so, if that needs words.
    pub message: Option<String>,
    /// What the user should know besides, a sentence each.
    pub warnings: Vec<String>,
    /// The tests that no formula is made of.
    pub left_out: Vec<LeftOut>,
    /// The tests that were asked about, if not all were.
    pub only: Vec<String>,
    /// Whether the arguments after `--` select some of the tests.
    #[serde(skip)]
    pub are_chosen: bool,
    /// Whether the documentation may have examples, which are tests, too.
    #[serde(skip)]
    pub may_have_examples: bool,
    /// The failing tests, or the function that is wrong, with the reason.
    pub failing: Vec<Failing>,
    /// How many tests pass.
    pub passing: usize,
    /// Their names.
    #[serde(skip)]
    pub passing_tests: Vec<String>,
    /// Most iterations of a loop, and most activations of a function at once.
    pub bound: u32,
    /// In which runs of tests repairs were looked for, as the end of a sentence: not those that go beyond the bound.
    #[serde(skip)]
    pub within: String,
    /// What runs may do several times.
    #[serde(skip)]
    pub repeats: Repeats,
    /// Which mutations there were: 1 to 3, as --level.
    #[serde(skip)]
    pub level: u8,
    /// The largest size that was searched completely.
    pub complete_to: usize,
    /// Whether larger ones would find nothing more.
    pub is_exhausted: bool,
    /// The operators, constants and pointers that were not tried, though the level has changes of them.
    pub untried: Vec<Untried>,
    /// Whether every change of the level was tried, up to that size; false if it is 0.
    pub is_complete: bool,
    /// Whether global or static variables are read: their initial values are taken for granted.
    pub has_globals: bool,
    /// Their names.
    #[serde(skip)]
    pub globals: Vec<String>,
    /// Whether the function or its reference reads standard input, which is taken to be empty.
    pub reads_input: bool,
    /// Files and lines where the order matters in which operands are evaluated, though C does not say it. From left to right was
    /// examined.
    pub unsequenced: Vec<String>,
    /// The repairs, the likeliest first.
    pub repairs: Vec<ShownRepair>,
    /// How many mutations there are, and of how many statements.
    pub mutations: usize,
    /// The statements that may be changed.
    pub statements: usize,
    /// Whether a repair brings a number along for which others would do, too: one such number is shown.
    pub has_any_number: bool,
    /// How many mutated programs were examined.
    pub examined: usize,
    /// How many of them a solver had to judge.
    pub checks: usize,
    /// What was done, and how long it took.
    pub phases: Vec<Phase>,
    /// The texts of the files, by their paths; needed to apply a repair.
    #[serde(skip)]
    pub texts: BTreeMap<String, String>,
}

impl Mutation {
    /// Which tests a repair was not run with, as a sentence; `None` if it was with all.
    pub fn unasked(&self) -> Option<&'static str> {
        match () {
            () if !self.only.is_empty() => Some(agree(
                self.only.len(),
                "only the test named by --only was considered",
                "only the tests named by --only were considered",
            )),
            () if self.are_chosen => {
                Some("only the tests selected by the arguments after `--` were considered")
            }
            () if !self.left_out.is_empty() => Some(agree(
                self.left_out.len(),
                "the test that was left out was not run with it",
                "the tests that were left out were not run with it",
            )),
            () => None,
        }
    }

    /// With which initial values and which input runs begin, after a comma; nothing if there are none.
    pub fn initially(&self) -> String {
        let globals = match self.globals.is_empty() {
            true => None,
            false => Some(format!(
                "the global and static variables ({}) at their initial values",
                self.globals.join(", ")
            )),
        };
        let input = self
            .reads_input
            .then(|| "an empty standard input".to_owned());
        let both: Vec<String> = globals.into_iter().chain(input).collect();
        match both.is_empty() {
            true => String::new(),
            false => format!(", with {}", both.join(" and ")),
        }
    }

    /// The result for a program that is outside of the subset, for this reason.
    pub fn outside(reason: String) -> Self {
        Self {
            outcome: Ended::Outside,
            message: Some(reason),
            ..Self::default()
        }
    }
}

/// A minimal repair.
#[derive(Clone, Debug, Serialize)]
pub struct ShownRepair {
    /// How many statements it changes.
    pub size: usize,
    /// The changes, in the order of the source.
    pub edits: Vec<ShownEdit>,
    /// What it is proved for: `tests`, `bound` (all arguments, up to the bound) or `all` (all arguments: no run comes to
    /// the bound).
    pub proved: &'static str,
    /// The bound, if that is what it is proved to.
    pub proved_to: Option<u32>,
    /// Files and lines where the order matters in which operands are evaluated, though C does not say it. It is proved for the one
    /// from left to right.
    pub unsequenced: Vec<String>,
    /// Seconds after which it was found.
    pub after: f64,
    /// The same as a unified diff.
    pub diff: String,
}

/// An operator, a constant or a pointer that was not tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Untried {
    /// The file, relative to the subject's root.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// How it is written.
    pub text: String,
    /// Whether it is a variable with a pointer or reference, which no other one replaced.
    pub is_pointer: bool,
}

/// In which order operands are evaluated at these places, after a comma; nothing if there are none.
pub fn in_order(unsequenced: &[String]) -> String {
    /// So many are named.
    const NAMED: usize = 3;
    let mut named: Vec<String> = unsequenced.iter().take(NAMED).cloned().collect();
    match unsequenced.len().saturating_sub(NAMED) {
        0 => {}
        more => named.push(nopol_basics::count(more, "other place")),
    }
    match named.is_empty() {
        true => String::new(),
        false => format!(
            ", with the operands at {} evaluated from left to right (of `=`, the right side first)",
            listed(&named)
        ),
    }
}

/// Finds every minimal repair by mutations. `builds` says what the build compiles.
///
/// # Errors
/// If the program cannot be read, is outside of the subset, or the search goes wrong.
pub fn repair(request: &MutateRequest, builds: Builds<'_>) -> Result<Mutation, Refusal> {
    let started = Instant::now();
    let subject = Subject::load(&request.project)?;
    let whole = whole_of(&subject, builds)?;
    let last = request.time_limit.map(|limit| started + limit);
    let deadline = request.stop.or_at(last);
    let goal = match Goal::new(&whole, request, deadline) {
        Err(Refusal::Outside(_)) if deadline.is_over() => {
            let (outcome, message) = unread(request.stop, request.time_limit);
            return Ok(Mutation {
                outcome,
                message: Some(message),
                ..Mutation::default()
            });
        }
        goal => goal?,
    };
    let mutations = (request.level, request.prune == Prune::Run);
    let space = Space::new(&goal.program, &goal.texts, &goal.kept, mutations);
    let read = started.elapsed();
    let options = mutate::MutateOptions {
        extent: Extent {
            deadline: request.stop.or_at(request.time_limit.map(|limit| {
                let reserve = (limit / FEWEST_OF).max(READINGS * read);
                started + limit - reserve.min(limit / MOST_OF)
            })),
            ..Extent::new(goal.bound, request.implicit)
        },
        size: request.size,
        prune: request.prune,
    };
    let found = mutate::repairs(&space, &goal.specification, options)
        .map_err(|trouble| refusal(&goal, trouble))?;
    let is_interrupted = request.stop.is_wanted();
    // What was found is still read again.
    let end = Deadline::from(match is_interrupted {
        true => Some(Instant::now() + READING_AGAIN),
        false => last,
    });
    let globals = goal.globals();
    let mut shown = Mutation {
        bound: goal.bound,
        within: goal.within(),
        repeats: goal.repeats(),
        level: match request.level {
            Level::One => 1,
            Level::Two => 2,
            Level::Three => 3,
        },
        complete_to: found.complete_to,
        is_exhausted: found.is_exhausted,
        mutations: space.choices.len(),
        statements: space.locations.len(),
        has_any_number: found.has_odd_numbers
            || found.repairs.iter().any(|repair| {
                let mut made = repair.made.keys();
                made.any(|choice| space.choices[*choice].number.is_some())
            }),
        examined: found.examined,
        checks: found.asked,
        has_globals: !globals.is_empty(),
        globals,
        reads_input: goal.reads_input(),
        unsequenced: goal.unsequenced(&goal.program),
        left_out: goal.left_out.clone(),
        only: request.tests.clone(),
        are_chosen: !request.project.test_args().is_empty(),
        may_have_examples: whole.may_have_examples,
        failing: goal.failing.clone(),
        passing: goal.passing.len(),
        passing_tests: goal.passing.clone(),
        ..Mutation::default()
    };
    let files = goal.program.files.iter().map(ToString::to_string);
    shown.texts = files.zip(goal.texts.iter().cloned()).collect();
    shown.untried = goal.untried(&space);
    let lacks_numbers = request.level == Level::Three && !mutations.1;
    let mut is_all_read = true;
    if request.function.is_none() {
        shown.warnings = left_out::functions(&goal.program, &goal.left_out);
        shown.warnings.extend(whole.unbuilt());
        is_all_read = !left_out::has_unread(&goal.program);
    }
    // Where no size was searched to its end, no change is known to have been tried.
    shown.is_complete = found.complete_to > 0
        && is_all_read
        && shown.untried.is_empty()
        && !found.is_sampled
        && !lacks_numbers;
    goal.explain(request, &found, &mut shown);
    if is_interrupted && shown.outcome == Ended::Limit {
        shown.outcome = Ended::Interrupted;
        if found.outcome != MutateOutcome::Limit {
            shown.message =
                Some("the search was interrupted before a test was seen to fail".to_owned());
        }
    }
    if found.is_sampled {
        shown.warnings.push(
            "not every number was tried in place of a constant, because the runs have too many statements to search all numbers \
             at once"
                .to_owned(),
        );
    }
    if lacks_numbers {
        shown.warnings.push(
            "of the numbers that a constant N may become, only N + 1, N - 1, -N and 0 were tried: --prune run tries all"
                .to_owned(),
        );
    }
    let mut ordered: Vec<&Repair> = found.repairs.iter().collect();
    ordered.sort_by_cached_key(|repair| goal.order(&space, repair));
    let mut unconfirmed = 0;
    for repair in ordered {
        let edits: Vec<MutationEdit> = repair
            .made
            .iter()
            .map(|(choice, number)| space.edit(*choice, *number))
            .collect();
        let texts = patched(&goal.texts, &edits);
        let extent = Extent {
            deadline: end,
            ..options.extent
        };
        let confirmed = goal.confirm(&whole, &texts, &found, extent, request);
        if confirmed == Confirmed::Holds {
            let shown_repair = goal.shown(&space, repair, &edits, &texts, &subject);
            shown.repairs.push(shown_repair);
        } else if confirmed == Confirmed::Late {
            unconfirmed += 1;
        } else {
            let place = goal.shown_edits(&space, repair, &edits);
            let place = place.first().map_or_else(String::new, |edit| {
                format!(
                    "`{}` for `{}` at {}:{}",
                    edit.after, edit.before, edit.file, edit.line
                )
            });
            shown.is_complete = false;
            shown.warnings.push(format!(
                "{place} was discarded: it did not hold once it was written into the source"
            ));
        }
    }
    if unconfirmed > 0 {
        shown.is_complete = false;
        if !is_interrupted {
            shown.outcome = Ended::Limit;
        }
        let (were, they) = match unconfirmed {
            1 => ("was", "it was"),
            _ => ("were", "they were"),
        };
        shown.warnings.push(format!(
            "{} {were} discarded: {}",
            nopol_basics::count(unconfirmed, "patch"),
            match is_interrupted {
                true => format!(
                    "the search was interrupted before {they} written into the source and run"
                ),
                false => {
                    let before =
                        format!("the search before {they} written into the source and run");
                    late(request.time_limit, &before)
                }
            }
        ));
    }
    // Several repairs may be discarded for the same change.
    shown.warnings = counted(shown.warnings);
    if shown.repairs.is_empty() && shown.outcome == Ended::Repaired {
        shown.outcome = Ended::None;
    }
    shown.phases = vec![
        Phase {
            name: "reading",
            seconds: read.as_secs_f64(),
        },
        Phase {
            name: "searching",
            seconds: found.total.as_secs_f64(),
        },
        Phase {
            name: "all",
            seconds: started.elapsed().as_secs_f64(),
        },
    ];
    Ok(shown)
}

fn refusal(goal: &Goal, trouble: Trouble) -> Refusal {
    match trouble {
        Trouble::Stop(stop) => {
            Refusal::Outside(super::located(&goal.program, &goal.texts, stop).to_string())
        }
        Trouble::Disagreement => {
            Refusal::Internal(
                "the formula and a run of the program disagree, which is a defect of this tool: please report it"
                    .to_owned(),
            )
        }
        Trouble::Late => Refusal::Internal("the solver gave up".to_owned()),
    }
}
