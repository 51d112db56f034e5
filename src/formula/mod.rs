//! Programs as formulas: `cargo nopol faults` after Phung and Lee, *Incremental Formula-Based Fix Localization*
//! (AgxFaults), 2021. `docs/faults.md` shows it from outside.
//!
//! A front end ([`front`]) translates a program of a stated subset to the IR ([`ir`]). The interpreter ([`interpret`])
//! runs it and is the judge of everything. [`encode`] makes a circuit of a test's run, [`circuit`] gives it to a SAT
//! solver, and [`faults`] asks for the minimal sets of places where different values make the failing tests pass.

pub mod bounds;
mod chosen;
pub mod conditions;
mod elements;
pub mod left_out;
pub mod load;
pub mod localization;
pub mod mutation;
pub mod read;
pub mod report;
pub mod short;
mod user_stop;

pub use self::user_stop::UserStop;

use std::time::{Duration, Instant};

use nopol_formula::encode::{Extent, Stop};
use nopol_formula::faults::{FaultsOptions, Formula, Trouble};
use nopol_program::ir::{Outside, PlaceId, Program};

use self::load::{Builds, Loaded, Refusal, RunBounds, whole_of};
use self::localization::{Localization, Phase};
use crate::report::Ended;
use crate::subject::{Project, Subject};

/// What to localize.
#[derive(Clone, Debug)]
pub struct FaultsRequest {
    /// The program.
    pub project: Project,
    /// The tests that count; all if none is named.
    pub tests: Vec<String>,
    /// Most places in a candidate.
    pub size: usize,
    /// Most iterations of a loop, and most activations of a function at once; a little more than the tests need if it is
    /// not given.
    pub bound: Option<u32>,
    /// Whether overflow, division by zero and the like are faults.
    pub implicit: bool,
    /// How much of the program is in the formula.
    pub formula: Formula,
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// What ends it earlier.
    pub stop: UserStop,
}

/// Finds every minimal set of places where different values make the failing tests pass. `builds` says what the build compiles.
///
/// # Errors
/// If the program cannot be read, is outside of the subset, or the search goes wrong.
pub fn localize(request: &FaultsRequest, builds: Builds<'_>) -> Result<Localization, Refusal> {
    let started = Instant::now();
    let subject = Subject::load(&request.project)?;
    let whole = whole_of(&subject, builds)?;
    let deadline = request
        .stop
        .or_at(request.time_limit.map(|limit| started + limit));
    let far = RunBounds {
        deadline,
        ..RunBounds::new(request.bound, request.implicit)
    };
    let loaded = match Loaded::new(&whole, &request.tests, far) {
        Err(Refusal::Outside(_)) if deadline.is_over() => {
            let (outcome, message) = unread(request.stop, request.time_limit);
            return Ok(Localization {
                outcome,
                message: Some(message),
                ..Localization::default()
            });
        }
        loaded => loaded?,
    };
    let read = started.elapsed();
    let failing = loaded.failing();
    let mut shown = if failing.is_empty() {
        let (outcome, message) = loaded.nothing("localize", request.time_limit);
        Localization {
            outcome,
            message: Some(message),
            ..Localization::default()
        }
    } else {
        let options = FaultsOptions {
            extent: Extent {
                deadline,
                ..Extent::new(loaded.bound, request.implicit)
            },
            formula: request.formula,
            size: request.size,
            places: None,
            budget: Default::default(),
        };
        let found =
            nopol_formula::faults::localize(&loaded.program, &failing, &loaded.usual, options)
                .map_err(|trouble| refusal(&loaded, trouble))?;
        let mut shown = localization::shown(&loaded, request, &failing, &found, &|place| {
            loaded.suspiciousness(place)
        });
        [shown.pointers, shown.wholes, shown.absent] = localization::not_examined(&loaded);
        shown.phases = vec![Phase {
            name: "solving",
            seconds: found.solving,
        }];
        shown
    };
    if shown.outcome == Ended::Limit && request.stop.is_wanted() {
        shown.outcome = Ended::Interrupted;
        shown.message = Some("the search was interrupted".to_owned());
    }
    let ends = loaded.tests.iter().zip(&loaded.ends);
    shown.failing = ends
        .filter(|(_, end)| **end != nopol_program::interpret::End::Passed)
        .map(|(test, end)| loaded.failing_test(test, end))
        .collect();
    shown.passing = loaded.tests.len() - shown.failing.len();
    shown.left_out.clone_from(&loaded.left_out);
    shown.warnings = left_out::functions(&loaded.program, &loaded.left_out);
    shown.warnings.extend(whole.unbuilt());
    let all = started.elapsed();
    shown.phases.insert(
        0,
        Phase {
            name: "reading and running the tests",
            seconds: read.as_secs_f64(),
        },
    );
    shown.phases.push(Phase {
        name: "all",
        seconds: all.as_secs_f64(),
    });
    Ok(shown)
}

fn refusal(loaded: &Loaded, trouble: Trouble) -> Refusal {
    match trouble {
        Trouble::Stop(stop) => {
            Refusal::Outside(located(&loaded.program, &loaded.texts, stop).to_string())
        }
        Trouble::Disagreement { test, end } => Refusal::Internal(format!(
            "the formula and a run of failing test {} disagree, which is a defect of this tool: please report it ({end})",
            test + 1
        )),
        Trouble::Unknown => Refusal::Internal("the solver gave up".to_owned()),
        Trouble::Limit(limit) => Refusal::Internal(limit.to_string()),
    }
}

fn located(program: &Program, texts: &[String], stop: Stop) -> Outside {
    let number = stop.span.file as usize;
    let text = texts.get(number).map_or("", String::as_str);
    let before = text.get(..stop.span.start as usize).unwrap_or_default();
    Outside {
        file: program.files.get(number).cloned().unwrap_or_default(),
        line: u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX),
        reason: stop.reason,
    }
}

/// That the time limit ended something, and what raises it: nobody may have given it.
pub(crate) fn late(limit: Option<Duration>, what: &str) -> String {
    let (of, gives_more) = match limit {
        Some(limit) => (
            format!(" of {} s", limit.as_secs_f64()),
            " (--time-limit sets another)",
        ),
        None => (String::new(), ""),
    };
    format!("the time limit{of}{gives_more} ended {what}")
}

/// How a command ends that had no time to read the program, and why.
pub(crate) fn unread(stop: UserStop, limit: Option<Duration>) -> (Ended, String) {
    match stop.is_wanted() {
        true => (
            Ended::Interrupted,
            "the search was interrupted while it read the program".to_owned(),
        ),
        false => (
            Ended::Limit,
            late(limit, "the reading of the program, before any test was run"),
        ),
    }
}

/// `a single place`, `at most 2 places`.
pub(crate) fn at_most(number: usize, noun: &str) -> String {
    match number {
        1 => format!("a single {noun}"),
        _ => format!("at most {}", nopol_basics::count(number, noun)),
    }
}

impl Loaded {
    /// How much failing tests go through a place and passing ones do not: Ochiai, from 0 to 1.
    fn suspiciousness(&self, place: PlaceId) -> f64 {
        let mut counts = [[0_u32; 2]; 2];
        for (covered, end) in self.covered.iter().zip(&self.ends) {
            let fails = usize::from(*end != nopol_program::interpret::End::Passed);
            counts[fails][usize::from(covered.contains(usize::from(place)))] += 1;
        }
        let [[_, passing], [missed, failing]] = counts.map(|row| row.map(f64::from));
        match failing {
            0.0 => 0.0,
            _ => failing / ((failing + missed) * (failing + passing)).sqrt(),
        }
    }
}
