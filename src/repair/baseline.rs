//! The baseline: builds the subject, lists its tests, and finds those that fail in every run.

use std::collections::BTreeMap;

use anyhow::Result;
use nopol_basics::nearest::nearest_path;
use nopol_basics::{agree, all};
use nopol_process::run::id::TestId;
use nopol_process::run::suite::{Baseline, Suite, TestIndex};
use nopol_process::run::{Plan, Runner, TestRun, Verdict};
use nopol_source::{Language, Sources};
use typed_index_collections::{TiSlice, TiVec};

use super::circumstances;
use super::doctests;
use super::parts;
use super::reports;
use super::settings::{Depth, Settings};
use crate::localize::failure::FailureSignature;
use crate::report::Complaint;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::markup::code;
use crate::report::phrases::{capitalized, names};
use crate::report::progress::Progress;
use crate::subject::SubjectError;
use crate::subject::workspace::{Build, Linked, Workspace};

/// Builds the subject. Caps lints if nothing but denied lints fails the build.
pub fn build(progress: &Progress, workspace: &mut Workspace, runner: &Runner) -> Result<Build> {
    let phase = progress.start("building", 0, runner.runs());
    progress.prepare(|seen| seen.builds += 1);
    let mut build = workspace.build(Linked::Plain)?;
    if build.failed_by_lints() {
        workspace.caps_lints = true;
        progress.prepare(|seen| seen.builds += 1);
        let capped = workspace.build(Linked::Plain)?;
        if capped.succeeded {
            build = capped;
            progress.warn(
                "the program treats some warnings as errors, and this compiler, which may be newer than the program, gives such warnings; warnings are switched off in the working copy"
                    .to_string(),
            );
        }
    }
    if !build.succeeded {
        return Err(build.failure(workspace.subject).into());
    }
    let built = workspace.subject.ecosystem.built(&build);
    progress.finish(phase, runner.runs(), &built);
    Ok(build)
}

/// Runs every test a second time. Tests that passed run in one process per binary, and in a process each only if one of
/// them fails there. A test that hangs is not run again.
fn second_runs(
    suite: &Suite,
    first: &TiSlice<TestIndex, TestRun>,
    plan: impl Fn(TestIndex) -> Plan + Sync,
    done: &(dyn Fn() + Sync),
) -> Result<BTreeMap<TestIndex, TestRun>> {
    let ended = |test: &TestIndex| first[*test].verdict != Verdict::TimedOut;
    let ended = suite.all().into_iter().filter(ended);
    let (passed, failed): (Vec<TestIndex>, Vec<TestIndex>) =
        ended.partition(|test| first[*test].verdict.passed());
    let known = Baseline::from_runs(first, &BTreeMap::new());
    let timeout = passed.first().map(|test| plan(*test).timeout);
    let flaky = suite.not_passing(&passed, &known, timeout.unwrap_or_default())?;
    let again = suite.run_all(&failed, plan, done)?;
    let flaky = flaky.into_iter().map(|test| {
        let run = TestRun {
            verdict: Verdict::Failed,
            ..first[test].clone()
        };
        (test, run)
    });
    Ok(failed.into_iter().zip(again).chain(flaky).collect())
}

/// That a test tool runs none of these tests.
fn none_run(tests: &[TestId]) -> String {
    let tests: Vec<String> = tests.iter().map(ToString::to_string).collect();
    let number = tests.len();
    format!(
        "cargo-nextest runs no test: {} {} ignored, or its configuration leaves {} out",
        names(&tests),
        agree(number, "is", "are"),
        agree(number, "it", "them")
    )
}

/// Lists the tests of a plain build and runs each test twice, unless the tests are only to be listed.
pub fn take(
    settings: &Settings,
    progress: &Progress,
    workspace: &mut Workspace,
    mut build: Build,
    runner: &Runner,
    sources: &Sources,
) -> Result<(TiVec<TestIndex, TestId>, Baseline)> {
    let (tests, unlisted) = workspace.tests(&mut build)?;
    let mut tests = TiVec::from(tests);
    if let Some(told) = workspace.rules()? {
        told.warnings.into_iter().for_each(|it| progress.warn(it));
        workspace.rules = told.rules;
        for (target, binary) in &mut build.binaries {
            if let Some(rules) = workspace.rules.get(target) {
                binary.follow(rules);
            }
        }
        let is_run = |test: &TestId| {
            let of_target = workspace.rules.get(&test.target);
            of_target.is_some_and(|rules| rules.contains_key(&test.name))
        };
        let listed = std::mem::take(&mut tests);
        let (run, left_out): (Vec<TestId>, Vec<TestId>) = listed.into_iter().partition(is_run);
        if run.is_empty() && !left_out.is_empty() {
            return Err(SubjectError::UnusableBaseline(none_run(&left_out)).into());
        }
        tests = run.into();
    }
    let capturing = build
        .binaries
        .iter()
        .filter(|(_, binary)| binary.harness.captures());
    workspace.capturing = capturing.map(|(target, _)| target.clone()).collect();
    for target in unlisted {
        let is_whole = tests.iter().any(|test| test.target == target);
        progress.warn(format!(
            "the tests of target `{}` of package `{}` cannot be listed (its harness does not follow the standard one){}",
            target.target,
            target.package,
            match is_whole {
                true => "; it counts as one test, `main`",
                false => ", and listing them hangs: the target is left out",
            }
        ));
        workspace.whole.extend(is_whole.then_some(target));
    }
    if tests.is_empty() {
        return Err(doctests::no_tests(settings, progress, workspace, sources, &[])?.into());
    }
    progress.prepare(|seen| seen.names = Some(reports::names(&tests)));
    let listed = parts::without_wholes(&build.binaries, tests.clone());
    let shown = listed.len();
    check_tests(settings, &tests, shown)?;
    if settings.depth == Depth::List {
        return Ok((listed, Baseline::default()));
    }

    let suite = Suite {
        runner,
        tests: &tests,
        binaries: &build.binaries,
    };
    let phase = progress.start("running tests twice", 2 * tests.len(), runner.runs());
    let plan = |_| Plan {
        timeout: settings.test_timeout,
        ..Plan::default()
    };
    let first = suite.run_all(&suite.all(), plan, &|| phase.step())?;
    let is_ignored = |run: &TestRun| run.verdict == Verdict::Ignored;
    let ignored = tests.iter().zip(&first).filter(|(_, run)| is_ignored(run));
    let ignored: Vec<String> = ignored.map(|(test, _)| test.to_string()).collect();
    let run = tests
        .into_iter()
        .zip(first)
        .filter(|(_, run)| !is_ignored(run));
    let (mut tests, mut first): (TiVec<TestIndex, TestId>, TiVec<TestIndex, TestRun>) = run.unzip();
    if tests.is_empty() {
        let none = doctests::no_tests(settings, progress, workspace, sources, &ignored)?;
        return Err(none.into());
    }
    (tests, first) = parts::settled(progress, &build.binaries, tests, first);
    progress.prepare(|seen| seen.names = Some(reports::names(&tests)));
    check_tests(settings, &tests, shown)?;
    let suite = Suite {
        runner,
        tests: &tests,
        binaries: &build.binaries,
    };
    let second = second_runs(&suite, &first, plan, &|| phase.step())?;
    let crashing = first.iter_enumerated();
    let crashing = crashing.filter(|(_, run)| run.verdict == Verdict::Crashed);
    runner.keep_stack(crashing.map(|(test, _)| tests[test].name.clone()));
    let mut baseline = Baseline::from_runs(&first, &second);
    if let Some(alone) = serially(progress, &suite, &baseline, plan)? {
        (first, baseline) = alone;
    }
    for test in &baseline.flaky {
        progress.warn(format!(
            "{} passed once and failed once: it is flaky. It is set aside: neither fixed nor used to judge patches",
            code(&tests[*test].to_string())
        ));
    }
    retry_failing(progress, &suite, &mut baseline, plan)?;
    circumstances::set_aside(settings, progress, workspace, &suite, &mut baseline)?;
    if first.iter().all(|run| run.verdict.passed()) {
        let failing = circumstances::failing_for_user(settings, &suite)?;
        let names: Vec<String> = failing
            .iter()
            .map(|test| code(&tests[*test].to_string()))
            .collect();
        if !names.is_empty() {
            progress.warn(format!(
                "{} {} in the working copy and {} in {}. Either {} on something that is not copied (files outside the workspace, your home directory, or the contents of the target directory), or {} flaky",
                names.join(", "),
                agree(names.len(), "passes", "pass"),
                agree(names.len(), "fails", "fail"),
                workspace.subject.root,
                agree(names.len(), "it depends", "they depend"),
                agree(names.len(), "it is", "they are")
            ));
        }
    }
    let name = |test: &TestIndex| tests[*test].to_string();
    let panics = sources.language.panics();
    let placed =
        |test: TestIndex, why: String| match panics.place(&workspace.root, &tests[test].name) {
            Some(place) => format!("{why}; the test is at {place}"),
            None => why,
        };
    let told = baseline.failing().into_iter().filter_map(|test| {
        let run = &first[test];
        let panic = FailureSignature::of(&run.output).sentence();
        let expected = panics.complaint(&run.output);
        let expected = expected.map(|why| match &panic {
            Some(panic) => format!("{why}; it {panic}"),
            None => why,
        });
        let said = run.failure_reason.clone().or(expected).or(panic);
        let why = match baseline.verdicts[test] {
            Verdict::Failed => said.or_else(|| Some(placed(test, panics.silent(&run.output)?))),
            _ => said.or_else(|| Some(placed(test, cut(run, sources.language)))),
        };
        Some(Complaint {
            test: tests[test].to_string(),
            why: why?,
        })
    });
    progress.prepare(|seen| {
        seen.failing_tests = baseline.failing().iter().map(name).collect();
        seen.complaints = told.collect();
        seen.passing_tests = baseline.passing().iter().map(name).collect();
        seen.flaky_tests = baseline.flaky.iter().map(name).collect();
    });
    progress.finish(
        phase,
        runner.runs(),
        &format!(
            "{} pass, {} fail, {} flaky{}",
            baseline.passing().len(),
            baseline.failing().len(),
            baseline.flaky.len(),
            match workspace.tree.writers().len() {
                0 | 1 => String::new(),
                writers => format!(
                    "; {writers} write files in the working copy and run one after the other"
                ),
            }
        ),
    );
    for test in baseline.failing() {
        let verdict = baseline.verdicts[test];
        if verdict != Verdict::Failed {
            let how = placed(test, cut(&first[test], sources.language));
            progress.warn(format!("{} {how}", code(&tests[test].to_string())));
        }
    }
    Ok((tests, baseline))
}

/// Describes the end of a run that crashed or hit a limit, to follow the test's name, and names the option that sets
/// the limit.
fn cut(run: &TestRun, language: Language) -> String {
    let described = run.verdict.describe_with(run.signal);
    let is_late = run.verdict == Verdict::TimedOut && described == run.verdict.describe();
    let limit = match (run.verdict, language) {
        (Verdict::TimedOut, _) if !is_late => "",
        (Verdict::TimedOut, Language::Rust) => " (`--test-timeout` sets it)",
        (Verdict::TimedOut, Language::C) => {
            " (`--test-timeout`, or `timeout` in nopol.toml, sets it)"
        }
        _ => "",
    };
    format!("{described}{limit}")
}

/// Most seconds, in all, spent on running tests alone that fail in parallel runs.
const MOST_SECONDS_ALONE: f64 = 20.0;
/// A test that passes this many times alone would probably always pass alone.
const ENOUGH_ALONE: usize = 4;

/// The runs of all tests one after the other, if some tests pass only that way: they share a port, or something else
/// outside the working copy. From then on all tests run serially.
fn serially(
    progress: &Progress,
    suite: &Suite,
    baseline: &Baseline,
    plan: impl Fn(TestIndex) -> Plan + Copy + Sync,
) -> Result<Option<(TiVec<TestIndex, TestRun>, Baseline)>> {
    if suite.runner.jobs() == 1 || suite.tests.len() == 1 {
        return Ok(None);
    }
    let failing = baseline.failing().into_iter();
    let failing = failing.filter(|test| baseline.verdicts[*test] != Verdict::TimedOut);
    let mut disturbed = Vec::new();
    let mut seconds = 0.0;
    for test in baseline.flaky.iter().copied().chain(failing) {
        let mut passed = 0;
        while passed < ENOUGH_ALONE && seconds < MOST_SECONDS_ALONE {
            let run = suite.run(test, &plan(test))?;
            seconds += run.seconds;
            if !run.verdict.passed() {
                break;
            }
            passed += 1;
        }
        if passed == ENOUGH_ALONE {
            disturbed.push(test);
        }
    }
    if disturbed.is_empty() || !fail_beside_others(suite, &disturbed, plan)? {
        return Ok(None);
    }
    suite.runner.set_serial(true);
    let first = TiVec::from(suite.run_all(&suite.all(), plan, &|| ())?);
    let second = second_runs(suite, &first, plan, &|| ())?;
    let baseline = Baseline::from_runs(&first, &second);
    let passing = baseline.passing();
    disturbed.retain(|test| passing.contains(test));
    if disturbed.is_empty() {
        suite.runner.set_serial(false);
        return Ok(None);
    }
    // The tests that fail in parallel may differ from run to run, so they are not named.
    progress.warn(
        "some tests fail in parallel but pass alone, so all tests run one at a time; `--jobs 1`, or for a C \
         program `serial = true` in nopol.toml, does so from the start"
            .to_owned(),
    );
    Ok(Some((first, baseline)))
}

/// Whether one of these tests, which pass alone, fails again in a parallel run. If none does, their first failure may
/// have had any cause.
fn fail_beside_others(
    suite: &Suite,
    tests: &[TestIndex],
    plan: impl Fn(TestIndex) -> Plan + Copy + Sync,
) -> Result<bool> {
    const MOST_TRIED: usize = 3;
    for _ in 0..MOST_TRIED {
        let runs = TiVec::<TestIndex, TestRun>::from(suite.run_all(&suite.all(), plan, &|| ())?);
        if tests.iter().any(|test| !runs[*test].verdict.passed()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A failing test counts as steady after this many failures.
const MOST_RUNS: usize = 10;
/// Most such runs of all failing tests together: if one of many is flaky, the others still show the bug.
const MOST_RUNS_IN_ALL: usize = 120;
/// Most seconds spent on repeating one failing test.
const MOST_SECONDS: f64 = 10.0;

/// Repeats failing tests to find flaky ones: no patch can cure a flaky test.
fn retry_failing(
    progress: &Progress,
    suite: &Suite,
    baseline: &mut Baseline,
    plan: impl Fn(TestIndex) -> Plan + Sync,
) -> Result<()> {
    let failing = baseline.failing().len().max(1);
    for runs in 2..(MOST_RUNS_IN_ALL / failing).min(MOST_RUNS) {
        let mut doubted = baseline.failing();
        doubted.retain(|test| {
            let seconds = baseline.seconds[*test] * runs as f64;
            baseline.verdicts[*test] != Verdict::TimedOut && seconds < MOST_SECONDS
        });
        let again = suite.run_all(&doubted, &plan, &|| ())?;
        for (test, run) in doubted.into_iter().zip(again) {
            if run.verdict.passed() {
                baseline.flaky.push(test);
                progress.warn(format!(
                    "{} failed {runs} times and then passed: it is flaky. It is set aside: neither fixed nor used to judge patches",
                    code(&suite.tests[test].to_string())
                ));
            }
        }
    }
    baseline.flaky.sort_unstable();
    Ok(())
}

/// Checks that every requested test exists. `list` shows `shown` tests.
fn check_tests(
    settings: &Settings,
    tests: &TiSlice<TestIndex, TestId>,
    shown: usize,
) -> Result<(), SubjectError> {
    let unknown = |wanted: &&String| !tests.iter().any(|test| test.matches(wanted));
    match settings.failing.iter().find(unknown) {
        None => Ok(()),
        Some(wanted) => {
            let meant = meant(wanted, tests);
            let meant = meant.map(|name| format!(". Did you mean `{name}`?"));
            Err(SubjectError::Usage(format!(
                "no test is named `{wanted}`; `{} list{}` shows {}{}",
                settings.project.command(),
                settings.place,
                match shown {
                    1 => "the only test".to_owned(),
                    _ => all(shown, "test"),
                },
                meant.unwrap_or_else(|| {
                    format!(
                        "; if it is not there, check {}",
                        settings.project.test_options()
                    )
                })
            )))
        }
    }
}

/// The test that the user probably meant by `wanted`, named with or without its modules.
fn meant<'t>(wanted: &str, tests: &'t TiSlice<TestIndex, TestId>) -> Option<&'t str> {
    nearest_path(wanted, tests.iter().map(|test| &*test.name))
}

/// The tests to cure. `None` if there is nothing to repair; the outcome then says why.
pub fn targets(
    settings: &Settings,
    outcome: &mut Outcome,
    tests: &TiSlice<TestIndex, TestId>,
    baseline: &Baseline,
) -> Result<Option<Vec<TestIndex>>> {
    let failing = baseline.failing();
    let targets: Vec<TestIndex> = match settings.failing.is_empty() {
        true => failing.clone(),
        false => failing
            .iter()
            .copied()
            .filter(|test| {
                settings
                    .failing
                    .iter()
                    .any(|wanted| tests[*test].matches(wanted))
            })
            .collect(),
    };
    let others = failing.iter().filter(|test| !targets.contains(test));
    outcome.not_targeted = others.map(|test| tests[*test].to_string()).collect();
    for wanted in &settings.failing {
        let is_meant = |test: &TestIndex| tests[*test].matches(wanted);
        let mut others = failing
            .iter()
            .chain(&baseline.flaky)
            .chain(&baseline.environment_dependent);
        if !others.any(is_meant) && !targets.is_empty() {
            outcome.warnings.push(format!(
                "{wanted} passes; there is nothing to repair for it"
            ));
        }
    }
    let asked_for_flaky = baseline.flaky.iter().any(|test| {
        settings
            .failing
            .iter()
            .any(|wanted| tests[*test].matches(wanted))
    });
    if targets.is_empty() {
        if !baseline.flaky.is_empty() && (settings.failing.is_empty() || asked_for_flaky) {
            return Err(SubjectError::UnusableBaseline(format!(
                "the only failing tests are flaky ({}): they pass in some runs and fail in others, so a test that passes with a patch may pass by luck. Make them fail every time",
                names(&outcome.flaky_tests)
            ))
            .into());
        }
        if !baseline.denied.is_empty() && failing.is_empty() {
            return Err(SubjectError::UnusableBaseline(
                "all failing tests are set aside: the sandbox refused one of their operations. `--sandbox off` shows whether they pass without \
                 it; they can then write to your files"
                    .to_owned(),
            )
            .into());
        }
        let aside: Vec<&String> = settings
            .failing
            .iter()
            .filter(|wanted| {
                let mut aside = baseline.environment_dependent.iter();
                aside.any(|test| tests[*test].matches(wanted))
            })
            .collect();
        if !aside.is_empty() {
            return Err(SubjectError::UnusableBaseline(format!(
                "{} {} set aside for the reason in the warning about {}, so there is nothing to repair",
                names(&aside),
                agree(aside.len(), "is", "are"),
                agree(aside.len(), "it", "them")
            ))
            .into());
        }
        // The test of `--run` or `--fuzz` has the name of its file; `--failing` can ask for another one.
        let added = outcome.run_test.as_ref();
        let added = added.and_then(|added| added.path.file_stem());
        let added = added.filter(|added| settings.failing.iter().any(|wanted| wanted == added));
        outcome.ending = Ending::NothingToRepair;
        outcome.message = Some(match settings.failing.is_empty() {
            _ if added == Some("nopol_run") => "The run succeeds.".to_owned(),
            _ if added.is_some() => "The fuzz target passes with this input.".to_owned(),
            true if !baseline.environment_dependent.is_empty() => {
                let aside = baseline.environment_dependent.len();
                match (baseline.passing().is_empty(), aside) {
                    (true, 1) => "The only test is set aside.".to_owned(),
                    (true, _) => format!("{} are set aside.", capitalized(&all(aside, "test"))),
                    (false, _) => "Every test passes except those set aside.".to_owned(),
                }
            }
            true => {
                let chosen = match settings.project.test_args().is_empty() {
                    true => "",
                    false => " selected by the arguments after `--`",
                };
                match tests.len() {
                    1 => format!("The only test{chosen} passes."),
                    all_of => format!("{}{chosen} pass.", capitalized(&all(all_of, "test"))),
                }
            }
            false if failing.is_empty() => format!(
                "{} {}.",
                names(&settings.failing),
                agree(settings.failing.len(), "passes", "pass")
            ),
            false => format!(
                "{} {}, but {} {}.",
                names(&settings.failing),
                agree(settings.failing.len(), "passes", "pass"),
                names(&outcome.failing_tests),
                agree(outcome.failing_tests.len(), "fails", "fail")
            ),
        });
        return Ok(None);
    }
    if baseline.passing().is_empty() {
        let (none, more) = match settings.project.test_args().is_empty() {
            true => ("no test passes", "add tests that pass"),
            false => (
                "no test selected by the arguments after `--` passes",
                "without these arguments, more tests may run",
            ),
        };
        outcome.warnings.push(format!(
            "{none}, so nothing shows whether a patch breaks working code; {more}"
        ));
    }
    Ok(Some(targets))
}

/// The panic message that the first failing test with an expected panic expects.
pub fn expected_panic(
    workspace: &Workspace,
    language: Language,
    tests: &TiSlice<TestIndex, TestId>,
    targets: &[TestIndex],
    baseline: &Baseline,
) -> Option<String> {
    let panics = language.panics();
    let expects = |test: &&TestIndex| panics.is_missing(&baseline.output[test]);
    let test = &tests[*targets.iter().find(expects)?].name;
    let name = test.rsplit("::").next().unwrap_or(test);
    panics.message(&workspace.root, name)
}
