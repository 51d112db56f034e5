//! The sources of this crate, for the tool that compiles them anew with the compiler of the subject.

/// The files and their texts.
pub const RUST: [(&str, &str); 12] = [
    ("lib.rs", include_str!("lib.rs")),
    ("capture.rs", include_str!("capture.rs")),
    ("layout.rs", include_str!("layout.rs")),
    ("macros.rs", include_str!("macros.rs")),
    ("observe.rs", include_str!("observe.rs")),
    ("sample.rs", include_str!("sample.rs")),
    ("seed.rs", include_str!("seed.rs")),
    ("panics.rs", include_str!("panics.rs")),
    ("snapshot.rs", include_str!("snapshot.rs")),
    ("state.rs", include_str!("state.rs")),
    ("trace.rs", include_str!("trace.rs")),
    ("trials.rs", include_str!("trials.rs")),
];

/// What programs in C include.
pub const HEADER: &str = include_str!("../c/nopol.h");

/// What serves the runs of programs in C.
pub const SERVER: &str = include_str!("../c/serve.c");

/// The library by which `tmpfile` follows `TMPDIR`.
pub const TEMPORARY: &str = include_str!("../c/temporary.c");
