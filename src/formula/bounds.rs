//! What the bound of a formula limits, in words: iterations of loops, nested calls of functions, or both.

use nopol_basics::{count, times};
use nopol_program::visit::Repeats;

/// Within which runs something was looked for, as the end of a sentence; empty if no run can go beyond the bound.
pub fn within(repeats: Repeats, bound: u32) -> String {
    let bound = bound as usize;
    match (repeats.loops, repeats.calls) {
        (false, false) => String::new(),
        (true, false) => format!(", with at most {} of a loop", count(bound, "iteration")),
        (false, true) => format!(
            ", with at most {} of a function",
            count(bound, "nested call")
        ),
        (true, true) => format!(
            ", with at most {} of a loop or nested calls of a function",
            count(bound, "iteration")
        ),
    }
}

/// The condition under which a run is within the bound.
pub fn as_long_as(repeats: Repeats, bound: u32) -> String {
    let bound = bound as usize;
    let calls = format!("no function has more than {}", count(bound, "nested call"));
    let loops = format!("no loop iterates more than {}", times(bound));
    match (repeats.loops, repeats.calls) {
        (false, true) => calls,
        (true, true) => format!("{loops} and {calls}"),
        (_, false) => loops,
    }
}
