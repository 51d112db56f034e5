//! Stands in for `search.rs` where the solver is not built in.

use super::Answer;
use super::collect::Collector;
use super::table::Bits;

/// Records that the solver's levels were not tried.
pub(super) fn levels(
    _constrained: &Bits,
    _last: usize,
    _base: u32,
    _rlimit: u32,
    _collector: &mut Collector,
    mut record: impl FnMut(&str, Answer),
) {
    record("solver", Answer::Unknown("built without z3".to_owned()));
}
