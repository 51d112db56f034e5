//! Estimates which of several plausible candidates a maintainer would write. This module works on texts and numbers: it
//! knows neither engines nor the program's sources, and gets the facts about a candidate as plain data ([`facts`]).

pub mod canonical;
pub mod change;
pub mod facts;
pub mod features;
pub mod guards;
mod learned;
pub mod model;
pub mod variables;
