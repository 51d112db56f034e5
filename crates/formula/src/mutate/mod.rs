//! All minimal repairs by mutations, or the proof that there is none: Rothenberg and Grumberg, *Sound and Complete
//! Mutation-Based Program Repair* (AllRepair), 2016, and *Must Fault Localization for Program Repair* (FL-AllRepair), 2020.
//!
//! [`space`] finds the mutations of a program (the mutation unit, AllRepair §3.2) and [`operators`] says which there are
//! ([`operators`], Table 1). [`search`] is the repair unit (Fig. 4): one solver proposes sets of mutations, the smallest
//! first, and [`judge`] looks for an input for which the mutated program is wrong by the [`specification`]. What is learned from such an
//! input is [`must`]'s concern. [`applied`] is the mutated program itself: the judge of everything.

pub mod applied;
mod homes;
pub mod judge;
pub mod literals;
pub mod must;
mod numbers;
pub mod operators;
pub mod rearranged;
mod rewrite;
pub mod scopes;
pub mod search;
mod small;
pub mod space;
pub mod specification;

pub use operators::Level;
pub use search::{MutateOptions, MutateOutcome, MutateRepairs, Repair, repairs};
pub use space::{MutationEdit, Space};
pub use specification::Specification;
