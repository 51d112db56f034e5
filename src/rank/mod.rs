//! Estimates which of several plausible candidates a maintainer would write. Knows texts and numbers, and neither
//! engines nor the program's sources: the facts about a candidate come as plain data ([`facts`]).

pub mod canonical;
pub mod change;
pub mod facts;
pub mod features;
pub mod guards;
mod learned;
pub mod model;
pub mod variables;
