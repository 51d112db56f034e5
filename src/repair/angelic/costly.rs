//! Captures that end the run: a method of the subject may recurse endlessly, loop or abort when a capture calls it
//! where the subject never does. The trace of such a run names the capture that was being evaluated.

use std::collections::BTreeSet;

use anyhow::Result;

use nopol_process::run::TestRun;

/// Most repetitions of the runs.
const MOST_REPETITIONS: usize = 8;

/// Repeats the runs until none of them ends while it evaluates a capture. Each capture that ended a run is added to
/// `costly` and left out of all later runs, so the result does not depend on their order.
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
