//! Captures that cost too much: a method of the subject may recurse without end, loop, or abort when it is called where the
//! subject never calls it. The run ends meanwhile, and its trace shows what was being evaluated.

use std::collections::BTreeSet;

use anyhow::Result;

use nopol_process::run::TestRun;

/// How often runs are repeated without what ended one of them.
const MOST_REPETITIONS: usize = 8;

/// Repeats runs until none ends while something is evaluated only to be recorded. That is left out from then on, in all runs
/// alike, so that the result does not depend on their order.
///
/// # Errors
/// Those of `runs`.
pub(super) fn leaving_out(
    costly: &mut BTreeSet<String>,
    runs: impl Fn(&BTreeSet<String>) -> Result<Vec<TestRun>>,
) -> Result<Vec<TestRun>> {
    for _ in 0..MOST_REPETITIONS {
        let done = runs(costly)?;
        let known = costly.len();
        let traces = done.iter().filter_map(|run| run.trace.as_ref());
        costly.extend(traces.filter_map(|trace| trace.evaluating.clone()));
        if costly.len() == known {
            return Ok(done);
        }
    }
    runs(costly)
}
