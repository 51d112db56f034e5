//! Programs as formulas.
//!
//! [`encode`] makes a circuit of a test's run, [`circuit`] gives it to a SAT solver. [`faults`] asks for the minimal sets of
//! places where different values make the failing tests pass, after Phung and Lee, *Incremental Formula-Based Fix
//! Localization* (AgxFaults), 2021; [`mutate`] for the minimal sets of mutations that repair the program.

pub mod circuit;
pub mod encode;
pub mod faults;
#[cfg(test)]
mod generate;
pub mod mutate;
#[cfg(test)]
mod tests;
