//! How much work the room does: every bound that is no weight. None is a clock, so that the answer is the
//! same everywhere; what callers may set is in [`super::Limits`].

// What is returned.
/// How many candidates that disagree with passing tests are returned beside those that do not.
pub(super) const DISAGREEING: usize = 6;

// Collecting.
/// How many expressions are kept while searching.
pub(super) const KEPT: usize = 400;
/// How many rows are looked at before all are: nearly everything fails one of these.
pub(super) const FIRST: usize = 64;

// Evaluating.
/// Sets of rows that are kept for later, in bytes.
pub(super) const KEPT_BYTES: usize = 4 << 20;

// Clauses.
/// How many clauses that agree in every row are kept, so that ranking can show alternatives.
pub(super) const PER_CLASS: usize = 3;
/// The same, of clauses that hold exactly where some term is defined: the right guard is among them.
pub(super) const PER_GUARD: usize = 12;

// Edits of the old condition.
/// With fewer single edits than are shown, a second one is looked at.
pub(super) const FEW_EDITS: usize = 5;

/// On top of how many edits a clause is added, cheapest first.
pub(super) const EXTENDED: usize = 64;

/// So many letters show a habit.
pub(super) const LETTERS: usize = 4;
/// Clauses of one shape.
pub(super) const MOST_PARALLEL: usize = 300;

// Several clauses.
/// Combinations tried at most in one search.
pub(super) const MOST_TRIED: usize = 60_000;
/// Combinations offered at most in one search.
pub(super) const MOST_OFFERED: usize = 1500;
/// Clauses that cover the same rows, cheapest first.
pub(super) const PER_COVER: usize = 3;
/// Clauses beside which a group is searched for.
pub(super) const MOST_OUTER: usize = 150;

// Sums and differences.
/// Terms of one type whose sums of two are looked at, cheapest first.
pub(super) const MOST_SUMMANDS: usize = 40;
/// Terms of one type whose sums of three are looked at.
pub(super) const MOST_OF_THREE: usize = 12;
/// Clauses kept.
pub(super) const MOST_SUMS: usize = 400;

// Telling conditions apart.
/// How many observed rows are varied.
pub(super) const NEAR_ROWS: usize = 24;
/// Up to how many values two variables are changed together.
pub(super) const FEW_VALUES: usize = 24;
