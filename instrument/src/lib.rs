//! The runtime linked into the subject.
