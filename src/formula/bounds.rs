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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_named_by_what_it_limits() {
        let of = |loops, calls| {
            let repeats = Repeats { loops, calls };
            [within(repeats, 8), as_long_as(repeats, 8)]
        };
        assert_eq!(
            of(true, false),
            [
                ", with at most 8 iterations of a loop",
                "no loop iterates more than 8 times"
            ]
        );
        assert_eq!(
            of(false, true),
            [
                ", with at most 8 nested calls of a function",
                "no function has more than 8 nested calls"
            ]
        );
        assert!(
            of(true, true)[1].ends_with("8 times and no function has more than 8 nested calls")
        );
        assert_eq!(of(false, false)[0], "");
    }
}
