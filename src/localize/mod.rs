//! Angelic fix localization (papers/nopol.txt §3.2): where a branch taken otherwise makes a
//! failing test pass. Knows no syntax and no solver.

pub mod angelic;
mod complaint;
pub mod pairs;
mod sequences;
pub mod spectrum;

#[cfg(test)]
mod fixture;
