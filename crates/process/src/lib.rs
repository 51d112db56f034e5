//! Runs what belongs to a subject: in working copies ([`copy`]), one test a process, confined and limited ([`run`]).

pub mod copy;
pub mod run;
