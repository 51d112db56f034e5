//! Drives a real gdb by its machine interface, for an interactive debugger of the heap of C programs.
//!
//! A [`Subject`] is a C program in gdb: [`Subject::load`] loads it, the methods in `execution` run it, those in
//! `memory` read its variables and structures as a memory graph, and those in `write` change them. A [`Names`] table,
//! which the caller keeps for the session, numbers the nodes. An [`Interrupter`] stops the subject from elsewhere.
//!
//! ```ignore
//! use std::time::Duration;
//!
//! use gdb::{Launch, Names, GdbOptions, StateRequest, Subject};
//!
//! let limit = Duration::from_secs(10);
//! let launch = Launch::new("./lists", &["3".to_owned()]);
//! let mut subject = Subject::load(&launch, &GdbOptions::default())?;
//! let mut names = Names::default();
//! subject.break_at_function("reverse")?;
//! let mut stop = subject.run(limit)?;
//! while stop.is_alive() {
//!     println!("{stop:?} {}", subject.take_output());
//!     println!("{:?}", subject.read_state(&StateRequest::default(), &mut names)?);
//!     stop = subject.next(limit)?;
//! }
//! # Ok::<(), gdb::Error>(())
//! ```
//!
//! [`mi`] has the records of the machine interface, and [`process`] the process. What to show of a memory graph is left to the caller; so
//! is when a node is freed, where [`Subject::unobserved`] says that this cannot be seen.

mod blocks;
mod breakpoints;
mod call;
mod execution;
mod expression;
mod fields;
mod launch;
mod layout;
mod memory;
pub mod mi;
mod names;
mod parse;
pub mod process;
mod registers;
mod snapshot;
mod stop;
mod subject;
mod terminal;
mod types;
mod variables;
mod write;

use std::io;

use camino::Utf8PathBuf;

use nopol_heap::state::{NodeId, Value};

pub use breakpoints::Breakpoint;
pub use launch::Launch;
pub use memory::StateRequest;
pub use names::Names;
pub use process::GdbOptions;
pub use snapshot::Snapshot;
pub use stop::{Frame, FrameIdentity, Stop, Why};
pub use subject::{Interrupter, SourceFile, Subject};
pub use variables::Global;

/// Why something did not work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no gdb.
    #[error("cannot find gdb at `{path}`: install it, e.g. `apt install gdb`")]
    NotFound {
        /// Where it was looked for.
        path: Utf8PathBuf,
    },
    /// gdb cannot be started.
    #[error("cannot start gdb at `{path}`")]
    Start {
        /// The program.
        path: Utf8PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no pseudo terminal for the subject.
    #[error("cannot open a pseudo-terminal for the program")]
    Terminal(#[source] io::Error),
    /// gdb is not there any more.
    #[error("gdb ended")]
    Ended,
    /// gdb did not answer in time.
    #[error("no answer from gdb within {seconds} s to `{command}`")]
    NoAnswer {
        /// What it was asked.
        command: String,
        /// How long it had.
        seconds: f64,
    },
    /// gdb did not do it.
    #[error("gdb refused: {message}")]
    Refused {
        /// Its message.
        message: String,
    },
    /// gdb's answer is none that this library knows.
    #[error("unexpected answer from gdb to `{command}`")]
    Unexpected {
        /// What it was asked.
        command: String,
    },
    /// A function cannot be called from outside.
    #[error("`{function}` cannot be called: {reason}")]
    Uncallable {
        /// The function, as it is written.
        function: String,
        /// Why.
        reason: String,
    },
    /// A function that was called did not return. If there still is a process, it stands where it stood.
    #[error("the call of `{function}` {how}")]
    Call {
        /// The function, as it is written.
        function: String,
        /// What became of it.
        how: String,
    },
    /// The subject cannot go back to a stop, or not be kept at one, for this reason.
    #[error("{0}")]
    Unkept(String),
    /// A jump would leave the function.
    #[error("line {line} is not in the function `{function}`")]
    OtherFunction {
        /// The line to jump to.
        line: u32,
        /// Where the subject is.
        function: String,
    },
    /// There is no node with this number, or it was freed and forgotten.
    #[error("there is no node {0}")]
    NoNode(NodeId),
    /// The target holds something else than this value.
    #[error("{target} holds {holds}: {value} does not fit")]
    Unfit {
        /// What would be assigned to.
        target: String,
        /// What it holds.
        holds: &'static str,
        /// What it cannot hold.
        value: Value,
    },
    /// This value cannot be written.
    #[error("the value `{0}` cannot be written")]
    NotWritable(Value),
}

/// What comes of talking to gdb.
pub type Result<T, E = Error> = std::result::Result<T, E>;
