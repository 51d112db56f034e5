//! Tests of programs: what they run, and when they pass.

use super::FunctionId;

/// A test of a program.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name, as the main command has it.
    pub name: String,
    /// What is run.
    pub entry: Entry,
}

/// What a test runs, and when it passes.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A program: `main`.
    Main {
        /// The function.
        main: FunctionId,
        /// The program's name and its arguments.
        arguments: Vec<Vec<u8>>,
        /// Standard input.
        input: Vec<u8>,
        /// What it must print, if that matters.
        output: Option<Expected>,
        /// The exit code that it must have.
        exit: i32,
    },
    /// A function without parameters; it passes if it returns without a fault.
    Function(FunctionId),
}

impl Entry {
    /// The function that is called.
    pub const fn function(&self) -> FunctionId {
        match self {
            Self::Main { main: entry, .. } | Self::Function(entry) => *entry,
        }
    }
}

/// What a program must print.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether only the words count, however much white space there is between them.
    pub words: bool,
}
