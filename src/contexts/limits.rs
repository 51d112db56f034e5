//! How much is taken into a problem: every bound of the room.

// Terms.
/// Terms read at a site, constants aside.
pub(super) const MOST_TERMS: usize = 120;
/// Literals taken from the function, and again from the file, per type.
pub(super) const MOST_LITERALS: usize = 12;

// Values seen.
/// Distinct values a term may have at changed outcomes to be compared with each of them.
pub(super) const MOST_EQUAL: usize = 3;
/// Values per site.
pub(super) const MOST_SEEN: usize = 40;

// Specs.
/// Ways to choose among angelic outcomes that are tried.
pub(super) const MOST_SPECS: usize = 4;

/// Rows that are compared in whichever order.
pub(super) const MOST_COUNTED: usize = 2000;
