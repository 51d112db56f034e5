//! Bounds on the size of a synthesis problem.

// Terms.
/// Terms per site, not counting constants.
pub(super) const MOST_TERMS: usize = 120;
/// Literals per type, for each source of literals (condition, function, file).
pub(super) const MOST_LITERALS: usize = 12;

// Mined constants.
/// Distinct values of a term at changed outcomes. A term with more values is not compared with each.
pub(super) const MOST_EQUAL: usize = 3;
/// Mined constants per site.
pub(super) const MOST_MINED: usize = 40;

// Specs.
/// Choices of one cure per failing test.
pub(super) const MOST_SPECS: usize = 4;

/// Rows of a spec that are compared with another spec's regardless of their order.
pub(super) const MOST_COMPARED: usize = 2000;
