//! The front ends: what they read becomes a [`Program`](super::ir::Program).

pub mod c;
pub mod rust;
