//! The trace file and the environment variables: the interface between the runtime and the tool.
//!
//! ```text
//! 0   magic u64 | 8 log bytes used u64 | 16 sites u32 | 20 ended u32 | 24 steps u64 | 32 rows dropped u32
//! 36  evaluating u32 | 40 last u32 | 44 drawn u32
//! 64  sites × (entered u32, false u32, true u32)
//! …   log: consecutive records
//!     NAME  1 u8, length u16, access path               (ids count up from 0)
//!     ROW   2 u8, site u32, flags u8, count u32, length u32, entries
//!     entry name id u32, tag u8, value
//! ```
//! An access path is the captured expression as written in the macro call (length u16, text), followed by the
//! steps from there, see [`step`].
//!
//! Numbers are in native byte order, because writer and reader run on the same machine.

/// Environment variables read by the runtime.
pub mod env {
    /// Prefix of the trace file's path; the process id is appended.
    pub const TRACE: &str = "NOPOL_TRACE";
    /// Number of sites, decimal.
    pub const SITES: &str = "NOPOL_SITES";
    /// Set if the name of the program's directory is appended to the trace file's path, after the process id.
    pub const BY_PROGRAM: &str = "NOPOL_BY_PROGRAM";
    /// Size of the log in bytes, decimal.
    pub const LOG: &str = "NOPOL_LOG";
    /// Forced outcomes, separated by commas: `SITE=t`, `SITE=f` (evaluate, then override), `SITE=T`,
    /// `SITE=F` (do not evaluate), `SITE=x` (evaluate, then negate). An optional suffix restricts the
    /// evaluations of the site in its thread, which count from 0: `@N` means the N-th only, `@..N` those
    /// before it, `@N..` it and those after it. Of several entries for one site, the first that applies to
    /// an evaluation counts.
    pub const FORCE: &str = "NOPOL_FORCE";
    /// Sites whose contexts are recorded, separated by commas.
    pub const CAPTURE: &str = "NOPOL_CAPTURE";
    /// Distinct rows recorded per site, outcome and process, decimal; [`super::MOST_ROWS`] unless set.
    pub const ROWS: &str = "NOPOL_ROWS";
    /// What is not recorded, because evaluating it takes too much: methods without arguments by their names, other expressions as
    /// written in the macro call, each in hexadecimal, separated by commas.
    pub const WITHOUT: &str = "NOPOL_WITHOUT";
    /// `SITE=CANDIDATE`, separated by commas.
    pub const SELECT: &str = "NOPOL_SELECT";
    /// Sets of candidates to try in processes of their own, each as in [`SELECT`], separated by `+`. [`SITES`] counts each set as one
    /// more site.
    pub const TRIALS: &str = "NOPOL_TRIALS";
    /// The longest time of such a process in milliseconds, decimal.
    pub const TRIAL_LIMIT: &str = "NOPOL_TRIAL_LIMIT";
    /// The number of steps that the process may make: loop iterations and evaluations.
    pub const FUEL: &str = "NOPOL_FUEL";
    /// The seed of randomness, decimal: runs with the same seed get the same random numbers.
    pub const SEED: &str = "NOPOL_SEED";
    /// Which of its counterexamples a test with generated input runs on, from 1; without it, on generated input.
    pub const REPLAY: &str = "NOPOL_REPLAY";
    /// Set in a process that is to serve runs instead of being one ([`super::serve`]).
    pub const SERVE: &str = "NOPOL_SERVE";
    /// All variables, so that a run can start from a clean environment.
    pub const ALL: [&str; 15] = [
        TRACE,
        SITES,
        BY_PROGRAM,
        LOG,
        FORCE,
        CAPTURE,
        ROWS,
        WITHOUT,
        SELECT,
        TRIALS,
        TRIAL_LIMIT,
        FUEL,
        SEED,
        REPLAY,
        SERVE,
    ];
}

/// The protocol of a process that serves runs (`instrument/c/serve.c`). It sends [`HELLO`](serve::HELLO) when it is
/// ready.
///
/// ```text
/// request  length of the strings u32, time limit in milliseconds u32, number of arguments u32,
///          strings, each with a NUL: files for standard input, output and error, working directory,
///          arguments, variables `NAME=value`
/// answer   status as from `waitpid` i32, flags u32, nanoseconds u64
/// ```
pub mod serve {
    /// What a server says first.
    pub const HELLO: u8 = b'n';
    /// Bytes of an answer.
    pub const ANSWER: usize = 16;
    /// Flag: the run was ended because its time was up.
    pub const TIMED_OUT: u32 = 1;
    /// Flag: the run left processes behind, and this server serves no more.
    pub const SPENT: u32 = 2;
    /// A flag: the run was ended because it wrote more than [`MOST_OUTPUT`].
    pub const FLOODED: u32 = 4;
    /// The most that a run may write to its standard streams, in bytes.
    pub const MOST_OUTPUT: u64 = 16 << 20;
    /// Exit code of a server that cannot serve, and of a run that it could not prepare.
    pub const CANNOT: i32 = 87;
}

/// First eight bytes of a trace file.
pub const MAGIC: u64 = u64::from_ne_bytes(*b"nopol\0\0\x02");
/// Offset of the number of log bytes used (`u64`).
pub const LOG_USED: usize = 8;
/// Offset of the number of sites (`u32`).
pub const SITES: usize = 16;
/// Offset of the reason the runtime ended the process (`u32`): 0 or [`ENDED_FUEL`].
pub const ENDED: usize = 20;
/// Offset of the number of steps (`u64`).
pub const STEPS: usize = 24;
/// Offset of the number of rows that were not recorded (`u32`).
pub const DROPPED: usize = 32;
/// Offset of what is being evaluated only to be recorded (`u32`): 0, or one more than the id of its access path. It stays if
/// the process ends meanwhile.
pub const EVALUATING: usize = 36;
/// Offset of the site that was entered last (`u32`): one more than its number, or 0 if there was none, with
/// [`ENDED_BY_ITSELF`] if the process was not ended by a signal. Only the runtime for C writes it; a panic says where it is.
pub const LAST: usize = 40;
/// The bit of [`LAST`] that says so.
pub const ENDED_BY_ITSELF: u32 = 1 << 31;
/// Offset of the number of random bytes that the process drew, but for the seeds of std's hash maps (`u32`).
pub const DRAWN: usize = 44;
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

/// Row flag: the outcome with which the program continued.
pub const OUTCOME: u8 = 1;
/// Row flag: the subject's own condition was evaluated, and [`OLD`] is its value.
pub const OLD_KNOWN: u8 = 2;
/// See [`OLD_KNOWN`].
pub const OLD: u8 = 4;

/// Steps from a captured expression to the value that is read. The length (u16) and the name follow a step
/// that has a name.
pub mod step {
    /// The value behind a reference or pointer.
    pub const DEREF: u8 = 1;
    /// The length of a C string.
    pub const STRING_LENGTH: u8 = 2;
    /// A whole C string.
    pub const CONTENTS: u8 = 3;
    /// A field, with its name.
    pub const FIELD: u8 = 4;
    /// A method without arguments, with its name.
    pub const METHOD: u8 = 5;
    /// Whether the value equals (`==`) a variant, with the variant's path.
    pub const EQUAL: u8 = 6;
    /// Whether the value matches a pattern, with the pattern.
    pub const MATCHES: u8 = 7;
    /// Whether a pointer is not null.
    pub const PRESENCE: u8 = 8;
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
/// Distinct rows recorded per site, outcome and process; any others are counted as dropped. A rare outcome is not
/// crowded out by a frequent one.
pub const MOST_ROWS: u32 = 2000;
