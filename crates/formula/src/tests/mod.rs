//! Tests of the formulas against the interpreter.

mod agreement;
mod arithmetic;
mod candidates;
mod late;
mod mutants;
mod strings;
mod unset;
