//! `cargo nopol c --init`: a `nopol.toml` from what is found.

use camino::Utf8Path;

use crate::subject::SubjectError;

pub fn init(_dir: &Utf8Path) -> Result<String, SubjectError> {
    todo!()
}
