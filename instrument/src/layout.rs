//! The trace file and the environment variables: what the runtime and the tool agree on.
//!
//! ```text
//! 0   magic u64 | 8 log bytes used u64 | 16 sites u32 | 20 ended u32 | 24 ticks u64 | 32 rows dropped u32
//! 64  sites × (entered u32, false u32, true u32)
//! …   log: records, one after the other
//!     NAME  1 u8, length u16, what is read              (ids count up from 0)
//!     ROW   2 u8, site u32, flags u8, count u32, length u32, entries
//!     entry name id u32, tag u8, value
//! ```
//! What is read is the expression that was captured, as it stands in the macro call (length u16, text),
//! and the steps from there, see [`step`].
//!
//! Numbers are in the machine's byte order: writer and reader are on the same machine.

/// Environment variables read by the runtime.
pub mod env {
    /// Prefix of the trace file's path; the process id is appended.
    pub const TRACE: &str = "NOPOL_TRACE";
    /// Number of sites, decimal.
    pub const SITES: &str = "NOPOL_SITES";
    /// Size of the log in bytes, decimal.
    pub const LOG: &str = "NOPOL_LOG";
    /// `SITE=t`, `SITE=f` (evaluate, then override), `SITE=T`, `SITE=F` (do not evaluate),
    /// `SITE=x` (evaluate, then negate), separated by commas. After it `@N`: only at the N-th
    /// evaluation of the site in its thread, from 0; `@..N`: at those before; `@N..`: from that one
    /// on. Of several for one site the first that means an evaluation counts.
    pub const FORCE: &str = "NOPOL_FORCE";
    /// Sites whose contexts are recorded, separated by commas.
    pub const CAPTURE: &str = "NOPOL_CAPTURE";
    /// `SITE=CANDIDATE`, separated by commas.
    pub const SELECT: &str = "NOPOL_SELECT";
    /// How many loop iterations the process may make.
    pub const FUEL: &str = "NOPOL_FUEL";
    /// Randomness is to be the same in every run with this number, decimal.
    pub const SEED: &str = "NOPOL_SEED";
    /// All of them, so that a run can start from a clean environment.
    pub const ALL: [&str; 8] = [TRACE, SITES, LOG, FORCE, CAPTURE, SELECT, FUEL, SEED];
}

/// First eight bytes of a trace file.
pub const MAGIC: u64 = u64::from_ne_bytes(*b"nopol\0\0\x02");
/// Offset of the number of log bytes used (`u64`).
pub const LOG_USED: usize = 8;
/// Offset of the number of sites (`u32`).
pub const SITES: usize = 16;
/// Offset of the reason the runtime ended the process (`u32`): 0 or [`ENDED_FUEL`].
pub const ENDED: usize = 20;
/// Offset of the number of loop iterations (`u64`).
pub const TICKS: usize = 24;
/// Offset of the number of rows that found no room in the log (`u32`).
pub const DROPPED: usize = 32;
/// Offset of the counters.
pub const COUNTERS: usize = 64;
/// Bytes per site in the counters.
pub const COUNTER: usize = 12;

/// Exit code of a process that ran out of fuel.
pub const FUEL_EXIT: i32 = 86;
/// See [`ENDED`].
pub const ENDED_FUEL: u32 = 1;

/// Record kinds of the log.
pub const NAME: u8 = 1;
/// See [`NAME`].
pub const ROW: u8 = 2;

/// Row flags: the outcome the program went on with.
pub const OUTCOME: u8 = 1;
/// The subject's own condition was evaluated, and [`OLD`] is its value.
pub const OLD_KNOWN: u8 = 2;
/// See [`OLD_KNOWN`].
pub const OLD: u8 = 4;

/// Steps from a captured expression to what is read. After a step with a name come its length (u16)
/// and the name.
pub mod step {
    /// The value behind a reference or pointer.
    pub const DEREF: u8 = 1;
    /// The length of a string of C.
    pub const STRING_LENGTH: u8 = 2;
    /// A string of C as a whole.
    pub const CONTENTS: u8 = 3;
    /// A field, with its name.
    pub const FIELD: u8 = 4;
    /// A method without arguments, with its name.
    pub const METHOD: u8 = 5;
    /// Whether the value is a variant, with the variant's path: by `==`.
    pub const EQUAL: u8 = 6;
    /// Whether the value matches a pattern, with the pattern.
    pub const MATCHES: u8 = 7;
}

/// Value tags. Integers follow as 16 bytes (two's complement; `u128` as its bits), floats as
/// their bits (8 bytes), `bool` and `char` as `u32`, strings as length `u32` and UTF-8.
pub mod tag {
    pub const BOOL: u8 = 0;
    pub const CHAR: u8 = 1;
    pub const F32: u8 = 2;
    pub const F64: u8 = 3;
    pub const STR: u8 = 4;
    /// Integers: [`INT`] plus the index of the type's name here.
    pub const INT: u8 = 16;
    pub const INTS: [&str; 14] = [
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        "c_uint", "c_ulong",
    ];
}

/// Strings longer than this many bytes are not recorded by value.
pub const LONGEST_STRING: usize = 200;
/// Distinct rows recorded per site and process; further ones are counted as dropped.
pub const MOST_ROWS: u32 = 2000;
