//! Checks whether failing tests also fail for the user. The working copy is not the user's tree, and its runs are
//! confined. A test that fails only for these reasons shows nothing about the subject.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use nopol_process::run::confine::Circumstances;
use nopol_process::run::id::TargetId;
use nopol_process::run::sandbox::SandboxMode;
use nopol_process::run::suite::{Baseline, Suite, TestIndex};
use nopol_process::run::{Binary, Harness, Runner, TestRun, Verdict};

use super::settings::Settings;
use crate::localize::failure::FailureSignature;
use crate::report::markup::code;
use crate::report::progress::Progress;
use crate::subject::stale;
use crate::subject::workspace::{Linked, Workspace};

/// Most failing tests of one binary that are examined one by one.
const MOST: usize = 40;
/// The tests of a binary run together once more only if they take at most this many seconds.
const MOST_SECONDS_TOGETHER: f64 = 60.0;
/// Least seconds to wait for a test that timed out, or for the tests beside it.
const LEAST_PATIENCE: f64 = 5.0;

/// Sets aside failing tests that pass when run as the user runs them, and warns why.
pub fn set_aside(
    settings: &Settings,
    progress: &Progress,
    workspace: &Workspace,
    suite: &Suite,
    baseline: &mut Baseline,
) -> Result<()> {
    let mut by_target: BTreeMap<&TargetId, Vec<TestIndex>> = BTreeMap::new();
    for test in baseline.failing() {
        by_target
            .entry(&suite.tests[test].target)
            .or_default()
            .push(test);
    }
    for (target, failing) in by_target {
        let Some(binary) = suite.binaries.get(target) else {
            continue;
        };
        let own = Own {
            settings,
            workspace,
            runner: suite.runner,
            target,
            binary,
            // Only command tests find their programs in the directory where they start.
            is_stale: matches!(binary.harness, Harness::Commands(_))
                && stale::is_stale(&workspace.subject.root, &workspace.root),
        };
        let mut elsewhere: Option<Option<Binary>> = None;
        let together = own.together(suite, baseline)?;
        let mut examined = 0;
        for test in failing {
            let name = &suite.tests[test].name;
            let limit = match baseline.verdicts[test] {
                Verdict::TimedOut => own.patience(0.0),
                _ => settings.test_timeout,
            };
            let denied = denial(&baseline.output[&test]).filter(|_| own.is_shut_in());
            let why = match together.contains(name) {
                true => Some(format!(
                    "passes only as `cargo test` runs it, together with all tests of {} and without arguments",
                    target.target
                )),
                false => match denied {
                    Some(words) => {
                        baseline.denied.push(test);
                        let more = match settings.sandbox {
                            SandboxMode::Strict => ", uses the network or signals a process",
                            _ => "",
                        };
                        Some(format!(
                            "fails in the sandbox (“{words}”), perhaps only because it writes outside the working copy and TMPDIR{more}; `--sandbox off` allows that"
                        ))
                    }
                    None if examined == MOST => None,
                    None => {
                        examined += 1;
                        match own.why(name, limit, &mut elsewhere)? {
                            None => {
                                let limited = own.limited(test, baseline, name, limit)?;
                                if let Some(how) = limited {
                                    progress.warn(format!(
                                        "{} {how}",
                                        code(&suite.tests[test].to_string())
                                    ));
                                }
                                None
                            }
                            why => why,
                        }
                    }
                },
            };
            if let Some(why) = why {
                baseline.environment_dependent.push(test);
                progress.warn(format!(
                    "{} {why}. The test is set aside: neither fixed nor used to judge patches",
                    code(&suite.tests[test].to_string())
                ));
            }
        }
    }
    Ok(())
}

/// The tests that fail when run as the user runs them, although none fails here. A test does not count if it fails
/// because it may not write to the user's directory.
pub fn failing_for_user(settings: &Settings, suite: &Suite) -> Result<Vec<TestIndex>> {
    let mut failing = Vec::new();
    for (target, binary) in suite.binaries {
        let of_target = |test: &TestIndex| suite.tests[*test].target == *target;
        let tests: Vec<TestIndex> = suite.all().into_iter().filter(of_target).collect();
        let is_one = matches!(binary.harness, Harness::Standard { .. });
        if !is_one || !suite.runner.is_enforced() || tests.is_empty() {
            continue;
        }
        let (own, limit) = (Circumstances::AS_USER, settings.test_timeout);
        let passing = suite
            .runner
            .passing_together(binary, limit.mul_f64(2.0), own)?;
        let others = tests
            .into_iter()
            .filter(|test| !passing.contains(&suite.tests[*test].name));
        for test in others.take(MOST) {
            let name = &suite.tests[test].name;
            let run = suite.runner.run_under(binary, name, limit, own)?;
            let fails = |run: &TestRun| !run.verdict.passed() && denial(&run.output).is_none();
            if run.as_ref().is_some_and(fails) {
                failing.push(test);
            }
        }
    }
    Ok(failing)
}

/// A binary with failing tests.
struct Own<'a> {
    settings: &'a Settings,
    workspace: &'a Workspace<'a>,
    runner: &'a Runner<'a>,
    target: &'a TargetId,
    binary: &'a Binary,
    /// Whether the user's build is older than the sources, so that running it shows nothing about them.
    is_stale: bool,
}

impl Own<'_> {
    /// The tests that pass when all tests of the binary run in one process.
    fn together(
        &self,
        suite: &Suite,
        baseline: &Baseline,
    ) -> Result<std::collections::BTreeSet<String>> {
        let of_target = suite
            .tests
            .keys()
            .filter(|test| suite.tests[*test].target == *self.target);
        let seconds: f64 = of_target.clone().map(|test| baseline.seconds[test]).sum();
        let is_one = matches!(self.binary.harness, Harness::Standard { .. });
        if !is_one || seconds > MOST_SECONDS_TOGETHER {
            return Ok(Default::default());
        }
        let ending = of_target.filter(|test| baseline.verdicts[*test] != Verdict::TimedOut);
        let of_ending: f64 = ending.map(|test| baseline.seconds[test]).sum();
        // A test that hangs alone will hardly end here, so wait only for the others.
        let limit = match of_ending < seconds {
            true => self.patience(of_ending),
            false => self.settings.test_timeout.mul_f64(2.0),
        };
        let confined = Circumstances::default();
        self.runner.passing_together(self.binary, limit, confined)
    }

    /// How long to wait for tests that would pass within these seconds in the right circumstances.
    fn patience(&self, seconds: f64) -> Duration {
        let least = Duration::from_secs_f64(LEAST_PATIENCE + 2.0 * seconds.max(0.0));
        least.min(self.settings.test_timeout)
    }

    /// Why a test passes, within the limit, when run as the user runs it; `None` if it does not pass. `elsewhere`
    /// caches the binary compiled as if it were in the user's tree. It holds `Some(None)` if that would make no
    /// difference.
    fn why(
        &self,
        test: &str,
        limit: Duration,
        elsewhere: &mut Option<Option<Binary>>,
    ) -> Result<Option<String>> {
        if !self.is_stale && self.passes(self.binary, test, limit, Circumstances::AS_USER)? {
            for single in Circumstances::SINGLE {
                if self.passes(self.binary, test, limit, single)? {
                    return Ok(Some(self.reason(single, test, limit)?));
                }
            }
            return Ok(Some(format!(
                "fails in the working copy and passes in your directory. It needs more than one of: files outside the workspace, your home directory, more than {} GiB of memory, a file above 256 MiB, output above 16 MiB; or it reads uninitialized memory",
                self.settings.memory
            )));
        }
        if let Harness::Commands(_) = self.binary.harness {
            // The user's directory may lack build products.
            for single in Circumstances::SINGLE {
                if single.cwd && self.is_stale {
                    continue;
                }
                if self.passes(self.binary, test, limit, single)? {
                    return Ok(Some(self.reason(single, test, limit)?));
                }
            }
            return Ok(None);
        }
        if elsewhere.is_none() {
            *elsewhere = Some(self.in_place()?);
        }
        let Some(Some(binary)) = elsewhere else {
            return Ok(None);
        };
        let passes = self.passes(binary, test, limit, Circumstances::AS_USER)?;
        match passes {
            true => Ok(Some(self.reason(Circumstances::SINGLE[0], test, limit)?)),
            false => Ok(None),
        }
    }

    /// If a test fails in the working copy because of the limits, and fails otherwise without them: a sentence on both
    /// failures.
    fn limited(
        &self,
        test: TestIndex,
        baseline: &Baseline,
        name: &str,
        limit: Duration,
    ) -> Result<Option<String>> {
        if baseline.verdicts[test] == Verdict::TimedOut {
            return Ok(None);
        }
        let place =
            |verdict: Verdict, output: &str| (verdict, FailureSignature::of(output).location);
        let here = place(baseline.verdicts[test], &baseline.output[&test]);
        let again = |limits| {
            let circumstances = Circumstances {
                limits,
                ..Circumstances::default()
            };
            let run = self
                .runner
                .run_under(self.binary, name, limit, circumstances)?;
            anyhow::Ok(run.map(|run| (place(run.verdict, &run.output), run.output)))
        };
        let Some((without, output)) = again(true)? else {
            return Ok(None);
        };
        // If another run within the limits fails elsewhere, the limits are not the reason.
        if without == here || again(false)?.is_none_or(|(place, _)| place != here) {
            return Ok(None);
        }
        let sentence = FailureSignature::of(&output).sentence();
        let needs = self.needs(name, limit)?;
        Ok(Some(format!(
            "fails in the working copy because of a limit: it {needs}. Without that limit it fails, too ({})",
            sentence.unwrap_or_else(|| without.0.describe().to_owned())
        )))
    }

    /// What a test that passes without limits needs and which option provides it, as far as its run shows which limit
    /// it reached.
    fn needs(&self, test: &str, limit: Duration) -> Result<String> {
        let confined = Circumstances::default();
        let run = self.runner.run_under(self.binary, test, limit, confined)?;
        let memory = format!(
            "needs more than {} GiB of memory (`--memory` sets another limit)",
            self.settings.memory
        );
        Ok(match run.as_ref().and_then(reached) {
            Some(Reached::Files) => TOO_MUCH.to_owned(),
            Some(Reached::Memory) => memory,
            None => format!("{memory}, or {TOO_MUCH}"),
        })
    }

    /// Whether runs are sandboxed.
    fn is_shut_in(&self) -> bool {
        self.settings.sandbox != SandboxMode::Off
    }

    fn passes(
        &self,
        binary: &Binary,
        test: &str,
        limit: Duration,
        circumstances: Circumstances,
    ) -> Result<bool> {
        let run = self.runner.run_under(binary, test, limit, circumstances)?;
        Ok(run.is_some_and(|run| run.verdict.passed()))
    }

    fn reason(&self, single: Circumstances, test: &str, limit: Duration) -> Result<String> {
        let root = &self.workspace.subject.root;
        Ok(match single {
            Circumstances { cwd: true, .. } => format!(
                "fails in the working copy and passes in {root}: it reads files outside the workspace, which the copy does not have"
            ),
            Circumstances { home: true, .. } => {
                "fails in the working copy and passes with your home directory: it depends on that directory, perhaps on a file there; test runs have a private home with only your git configuration"
                    .to_owned()
            }
            _ => format!(
                "fails in the working copy and passes without limits: it {}",
                self.needs(test, limit)?
            ),
        })
    }

    /// The binary compiled as if it were in the user's tree. `None` if the path of the working copy is not compiled in.
    fn in_place(&self) -> Result<Option<Binary>> {
        if !self.binary.has_compiled_in(&self.workspace.root) {
            return Ok(None);
        }
        let mut build = self.workspace.build(Linked::InPlace)?;
        Ok(build.binaries.remove(self.target))
    }
}

/// How a run reaches the limit on its output or on a file.
const TOO_MUCH: &str = "writes more than 16 MiB of output, or more than 256 MiB to a file";

/// A limit on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    Memory,
    Files,
}

/// The limit that a run reached, if its output or signal shows one.
fn reached(run: &TestRun) -> Option<Reached> {
    const MEMORY: [&str; 5] = [
        "memory allocation of",
        "Cannot allocate memory",
        "bad_alloc",
        "out of memory",
        "Out of memory",
    ];
    let says = |words: &&str| run.output.contains(words);
    if run.signal == Some("SIGXFSZ") || says(&"File too large") {
        return Some(Reached::Files);
    }
    MEMORY.iter().any(says).then_some(Reached::Memory)
}

/// Words in a test's output which show that the sandbox denied it something.
fn denial(output: &str) -> Option<&'static str> {
    const WORDS: [&str; 6] = [
        "Permission denied",
        "permission denied",
        "PermissionDenied",
        "EACCES",
        "Operation not permitted",
        "Network is unreachable",
    ];
    WORDS.into_iter().find(|words| output.contains(words))
}
