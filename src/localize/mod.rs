//! Angelic fix localization (the Nopol paper, §3.2): finds the sites where another outcome makes a failing
//! test pass. Knows nothing about syntax or solvers.

pub mod angelic;
pub mod bounds;
pub mod failure;
pub mod foreseen;
mod guided;
pub mod pairs;
mod sequences;
pub mod spectrum;

#[cfg(test)]
mod fixture;
