//! What runs of small programs give.

mod angelic;
mod arithmetic;
mod build;
mod jumps;
mod main_programs;
mod objects;
mod text;
