//! The pipeline: baseline, engines, judgement, validation. Each step has its own file in `repair/`;
//! this one only puts them in order.

mod angelic;
mod arithmetic;
mod baseline;
mod bounds;
mod chance;
mod circumstances;
pub mod compiling;
pub mod confirming;
pub mod debugging;
mod described;
pub mod discriminating;
mod doctests;
pub(crate) mod ending;
mod engine;
mod examples;
mod facts;
mod families;
mod fix;
mod foreseeing;
mod heap_search;
mod hints;
mod hunk;
pub mod identity;
mod instrument;
mod judging;
mod knowledge;
mod panics;
mod parts;
mod place;
pub mod places;
mod ranking;
mod rating;
mod reference;
mod reports;
mod session;
pub mod settings;
mod setup;
pub mod shard;
mod showing;
mod simplest;
mod switches;
mod validating;
mod written;

use anyhow::Result;
use nopol_basics::counted;
use nopol_process::run::process::{Stopped, Supervisor};
use nopol_process::run::suite::TestIndex;

pub use self::angelic::simulated;
use self::engine::{ENGINES, QUICK};
use self::fix::{Fix, is_exceeded};
use self::foreseeing::Foreseeing;
use self::hints::Hints;
use self::judging::Judge;
use self::knowledge::Knowledge;
use self::ranking::Ranker;
use self::session::Session;
use self::settings::{Depth, Settings};
use self::setup::Setup;
use self::showing::Presenter;
use crate::exchange;
use crate::report::progress::Progress;
use crate::report::{Ending, Outcome, RunTest, Scope};
use crate::subject::{Subject, SubjectError, dependencies};

/// Repairs the subject, or goes as far as the settings say. Whatever happens becomes part of the
/// outcome, even that there is no subject; what was found before the run was stopped is kept.
pub fn run(
    settings: &Settings,
    subject: Result<Subject, SubjectError>,
    supervisor: &Supervisor,
    progress: Progress,
) -> Outcome {
    let mut outcome = Outcome {
        command: settings.project.command(),
        place: settings.place.clone(),
        narrowed_by: settings.narrowed_by(),
        scope: Scope {
            is_localization: settings.depth == Depth::Localize,
            ..Scope::default()
        },
        share: settings.shard.map(shard::Shard::numbers),
        ..Outcome::default()
    };
    let ended = match subject {
        Ok(subject) => pipeline(settings, subject, supervisor, &progress, &mut outcome),
        Err(error) => Err(error.into()),
    };
    // Whatever ended it, what was seen until then counts.
    progress.take_preparation().report(&mut outcome);
    if let Err(error) = ended {
        let (ending, mut message) = ending::of(&error);
        if let (Ending::TimeLimit, Some(phase)) = (ending, progress.abandoned()) {
            message = format!("{message} in the phase `{phase}`");
        }
        outcome.ending = ending;
        outcome.message = Some(message);
    }
    outcome.warnings = counted(outcome.warnings);
    for warning in outcome.own_warnings() {
        let warning = outcome.names.in_sentence(warning);
        progress.say(&format!("warning: {warning}"));
    }
    outcome.phases = progress.phases();
    outcome
}

fn pipeline(
    settings: &Settings,
    subject: Subject,
    supervisor: &Supervisor,
    progress: &Progress,
    outcome: &mut Outcome,
) -> Result<()> {
    let subject = match &settings.reference {
        Some(version) if settings.depth != Depth::List => {
            reference::answered(settings, subject, version, supervisor, progress)?
        }
        _ => subject,
    };
    let added = subject.ecosystem.added_file();
    outcome.run_test = added.map(|file| RunTest {
        path: file.path.clone(),
        text: file.text.clone(),
    });
    let setup = Setup::new(settings, subject, supervisor)?;
    if let Some(shortfall) = setup.shortfall() {
        progress.warn(shortfall);
    }
    let mut copies = setup.copies(progress)?;
    let runner = setup.runner();
    let mut sources = setup.read(&copies, progress)?;
    let hints = Hints::of(
        settings,
        &copies.plain.subject.root,
        &copies.plain.root,
        &sources,
    )?;
    reports::scope(settings, &hints, &sources, &mut outcome.scope);
    identity::tell(settings, &copies.plain, outcome)?;
    let built = setup.build(&mut copies, &sources, &runner, progress)?;

    let plain = &mut copies.plain;
    let warnings = built.plain.warnings.clone();
    outcome.made_lock = dependencies::made_lock(&plain.subject.root, &plain.root);
    let tested = baseline::take(settings, progress, plain, built.plain, &runner, &sources)?;
    outcome.made_files = dependencies::made_files(&plain.subject.root, &plain.root);
    copies.share_settings();
    let (tests, baseline) = tested;
    progress.take_preparation().report(outcome);
    if settings.depth == Depth::List {
        reports::list(settings, &hints, &sources, &tests, outcome);
        return Ok(());
    }
    let Some(targets) = baseline::targets(settings, outcome, &tests, &baseline)? else {
        if let (Some(message), Some(weak_oracle)) =
            (&mut outcome.message, copies.plain.subject.weak_oracle())
        {
            *message = format!("{message} {weak_oracle}");
        }
        return doctests::look_at(settings, progress, outcome, &copies.plain, &sources);
    };
    if settings.depth == Depth::Baseline {
        return Ok(());
    }
    let language = sources.language;
    let panic = baseline::expected_panic(&copies.plain, language, &tests, &targets, &baseline);
    if let Some(message) = panic {
        sources.panic_with(&message);
    }

    let foreseeing = match settings.no_formula || !settings.wants_outcomes() {
        true => Foreseeing::default(),
        false => {
            let plain = &copies.plain;
            let (subject, root) = (plain.subject, &plain.root);
            Foreseeing::start(subject, root, &sources, &tests, &baseline, &targets)
        }
    };
    let replays = chance::replays(
        settings, progress, &copies, &runner, language, &tests, &baseline,
    )?;
    let session = Session {
        settings,
        progress,
        supervisor,
        build_seconds: built.seconds,
        copies: &copies,
        runner: &runner,
        sources: &sources,
        tests: &tests,
        baseline: &baseline,
        warnings,
        replays,
        runtime: built.runtime,
        foreseeing,
        unwanted: hints.unwanted(settings, &sources),
        hints,
    };
    let mut knowledge = Knowledge {
        prebuilt: built.prebuilt,
        ..Knowledge::default()
    };
    outcome.ending = Ending::NoPatch;
    let presenter = Presenter::new(&session);
    let plausible = search(&session, &mut knowledge, &targets);
    let dumped = dump(&session, &knowledge, plausible.as_deref());
    let found = plausible.and_then(|plausible| {
        dumped?;
        finish(&session, &mut knowledge, &targets, plausible, outcome)
    });
    if found.as_ref().is_err_and(anyhow::Error::is::<Stopped>) {
        // Of a time limit something was kept for checking what was found until then.
        if supervisor.use_reserve() || knowledge.checked.is_some() {
            let plausible = knowledge.held.clone();
            // What ends this also ended the search.
            let _ = presenter.show(&mut knowledge, outcome, plausible);
        }
        presenter.show_unchecked(&mut knowledge, outcome);
    }
    if outcome.patches.is_empty() {
        let rejected = reports::rejected(&session, &knowledge, &targets);
        outcome.unread.extend(rejected);
    }
    knowledge.notes.report(outcome);
    panics::locate_crashes(&session, &knowledge, outcome);
    chance::tell(&session, &knowledge, outcome);
    outcome.files = reports::texts(&sources, &outcome.sites);
    let damage = runner.damage();
    let damage = damage
        .iter()
        .map(|(test, files)| setup::damage(test, files));
    outcome.warnings.extend(damage);
    setup.check(found)
}

/// Asks one engine after the other for fixes; those that the tests accept.
fn search(session: &Session, knowledge: &mut Knowledge, targets: &[TestIndex]) -> Result<Vec<Fix>> {
    let presenter = Presenter::new(session);
    let mut plausible = Vec::new();
    let engines = match session.settings.quick {
        true => &ENGINES[..QUICK],
        false => ENGINES,
    };
    for engine in engines {
        let targets = engine.wants(session, knowledge, targets, &plausible);
        if targets.is_empty() {
            continue;
        }
        if session.settings.depth == Depth::Repair {
            presenter.show_first(knowledge, &plausible)?;
            if !plausible.is_empty() {
                session.supervisor.reserve(session.time_to_check());
            }
        }
        let fixes = engine.search(session, knowledge, &targets, &plausible)?;
        let most = engine.most_judged();
        plausible.extend(Judge::new(session).judge(knowledge, &targets, fixes, &plausible, most)?);
    }
    let mut partial = std::mem::take(&mut knowledge.partial);
    partial.retain(|fix| {
        let is_known = plausible.iter().any(|it| it.is_text_of(fix));
        !is_known && !is_exceeded(fix, &plausible)
    });
    plausible.extend(partial);
    Ok(plausible)
}

/// Writes what `--dump` asks for: the problems, and the plausible fixes; of a search that was stopped those so far.
fn dump(
    session: &Session,
    knowledge: &Knowledge,
    plausible: Result<&[Fix], &anyhow::Error>,
) -> Result<()> {
    let Some(dir) = &session.settings.dump else {
        return Ok(());
    };
    if session.settings.depth != Depth::Repair {
        return Ok(());
    }
    let case = Ranker::new(session).facts(knowledge, plausible.unwrap_or(&knowledge.held));
    exchange::dump(dir, &knowledge.problems, &case)
        .map_err(|error| SubjectError::Usage(format!("--dump: {error}")).into())
}

/// Shows the best of the plausible fixes.
fn finish(
    session: &Session,
    knowledge: &mut Knowledge,
    targets: &[TestIndex],
    plausible: Vec<Fix>,
    outcome: &mut Outcome,
) -> Result<()> {
    if session.settings.depth == Depth::Localize {
        if !knowledge.angelic.is_empty() {
            outcome.ending = Ending::Localized;
        }
        return Ok(());
    }
    let presenter = Presenter::new(session);
    session.supervisor.use_reserve();
    presenter.show(knowledge, outcome, plausible)?;
    match outcome.patches.is_empty() && session.settings.is_for_structures() {
        true => presenter.show_structures(outcome, targets),
        false => Ok(()),
    }
}
