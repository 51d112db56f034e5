//! Bounds on the work of synthesis. None is a clock, so that the answer is the same on every machine. Bounds
//! that callers set are in [`super::Limits`].

// Results.
/// Candidates returned that disagree with passing tests.
pub(super) const DISAGREEING: usize = 6;

// Sampling.
/// With this many rows or fewer, a search looks at all of them.
pub(super) const ALL_ROWS: usize = 2000;
/// Rows of each kind in the first sample.
pub(super) const SAMPLED: usize = 250;
/// Rows that join the sample for each candidate that they refute.
pub(super) const REFUTING: usize = 3;
/// Searches on a growing sample.
pub(super) const MOST_ROUNDS: usize = 30;

// Collecting.
/// Expressions kept during a search.
pub(super) const KEPT: usize = 400;
/// Rows checked first, because nearly every wrong expression fails one of them.
pub(super) const FIRST: usize = 64;

// Evaluating.
/// Comparisons over no more rows are not cached.
pub(super) const FEW_ROWS: usize = 64;
/// Size of the cache of evaluated expressions, in bytes.
pub(super) const KEPT_BYTES: usize = 4 << 20;

// Clauses.
/// Clauses kept of those that agree in every row, so that ranking has alternatives.
pub(super) const PER_CLASS: usize = 3;
/// As `PER_CLASS`, for clauses that hold exactly where some term is defined, since these may be guards.
pub(super) const PER_GUARD: usize = 12;

// Edits of the original condition.
/// With fewer single edits than this, a clause is added on top of an edit.
pub(super) const FEW_EDITS: usize = 5;

/// Clauses added at one position of the original condition that explain the spec: more are costlier than what is kept.
pub(super) const PER_POSITION: usize = 200;
/// Edits on top of which a clause is added, cheapest first.
pub(super) const EXTENDED: usize = 64;

/// Letters in both cases from which on a new letter is added in both cases, too.
pub(super) const LETTERS: usize = 4;
/// Clauses tried of one shape.
pub(super) const MOST_PARALLEL: usize = 300;

// Several clauses.
/// Combinations tried in one search.
pub(super) const MOST_TRIED: usize = 60_000;
/// Combinations offered in one search.
pub(super) const MOST_OFFERED: usize = 1500;
/// Clauses kept of those that cover the same rows, cheapest first.
pub(super) const PER_COVER: usize = 3;
/// Clauses that are combined with a group.
pub(super) const MOST_OUTER: usize = 150;

// Sums and differences.
/// Terms of one type that sums of two are built from, cheapest first.
pub(super) const MOST_SUMMANDS: usize = 40;
/// Sums of three are built if a type has at most this many terms.
pub(super) const MOST_OF_THREE: usize = 12;
/// Clauses with sums kept.
pub(super) const MOST_SUMS: usize = 400;

// Distinguishing conditions.
/// Observed rows that are varied.
pub(super) const NEAR_ROWS: usize = 24;
/// Two variables are changed together if they have at most this many values.
pub(super) const FEW_VALUES: usize = 24;
