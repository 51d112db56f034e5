//! The debugger with real programs under gdb. One program, because each program links the crate again.

mod gdb;
mod limited;
mod mi;
