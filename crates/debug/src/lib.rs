//! Interactive repair of heap programs: the program under gdb ([`gdb`]), drawn ([`picture`]), driven by commands
//! ([`session`]) and on a page ([`web`]).

pub mod gdb;
pub mod picture;
pub mod session;
pub mod web;
