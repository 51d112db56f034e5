//! Reads a C program and records where it enters the function under repair.

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;
use nopol_basics::nearest::did_you_mean;
use nopol_program::front::c;
use nopol_program::interpret::{End, Limits, entries, run_with_entries};
use nopol_program::ir::{Entry, FunctionId, Outside, Program, Test};

use super::ir::Routine;
use super::lower::lower;
use super::memory::Memory;
use super::record::memory;

/// Most iterations of a loop, and most statements, while a program is run to its function.
const LIMITS: Limits = Limits {
    bound: 100_000,
    steps: 5_000_000,
    implicit: true,
    deadline: Deadline::Never,
};

/// How far a test is run that decides on a change. One that runs further fails.
pub const TRIED: Limits = Limits {
    bound: 20_000,
    steps: 400_000,
    implicit: true,
    deadline: Deadline::Never,
};

/// A program with the routine under repair.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// The texts of its files.
    pub texts: Vec<String>,
    /// The function in the program.
    pub function: FunctionId,
    /// The function as guarded statements.
    pub routine: Routine,
}

/// The message that a program has no function with this name; `None` if it has one, even beyond what is modelled.
pub fn missing(program: &Program, function: &str) -> Option<String> {
    let mut names = program.functions.iter().map(|function| &*function.name);
    let is_there = program.unread.contains_key(function) || names.any(|name| name == function);
    (!is_there).then(|| {
        let names = program.functions.iter().map(|function| &*function.name);
        let near = did_you_mean(function, names);
        format!("there is no function `{function}`{near}")
    })
}

impl Loaded {
    /// Reads these files, and lowers a function.
    ///
    /// # Errors
    /// If there is no such function, or something in the program is beyond what is modelled.
    pub fn new(files: &[(Utf8PathBuf, String)], function: &str) -> Result<Self, Outside> {
        let program = c::read(files)?;
        let texts: Vec<String> = files.iter().map(|(_, text)| text.clone()).collect();
        Self::of(program, texts, function)
    }

    /// The path of a file, by its number in the program.
    pub fn file(&self, number: u32) -> String {
        let file = self.program.files.get(number as usize);
        file.map_or_else(String::new, ToString::to_string)
    }

    /// The same for a caller that observes what statements do: of those that are beyond what is modelled, only the
    /// effect counts.
    ///
    /// # Errors
    /// If there is no such function, or all of it is beyond what is modelled.
    pub fn leniently(files: &[(Utf8PathBuf, String)], function: &str) -> Result<Self, Outside> {
        let program = c::read_leniently(files)?;
        let texts: Vec<String> = files.iter().map(|(_, text)| text.clone()).collect();
        if !program.functions.iter().any(|of| of.name == function) {
            // Not even its head is modelled: why, only a strict reader says.
            let unread = c::read(files)?.unread.remove(function);
            unread.map_or(Ok(()), Err)?;
        }
        let loaded = Self::lowered(program, texts, function, true)?;
        match loaded.routine.concrete.first() {
            Some(first) if loaded.routine.units().is_empty() => Err(first.outside.clone()),
            _ => Ok(loaded),
        }
    }

    /// Lowers a function of a program with these texts.
    ///
    /// # Errors
    /// If there is no such function, or something in it is beyond what is modelled.
    pub fn of(program: Program, texts: Vec<String>, function: &str) -> Result<Self, Outside> {
        Self::lowered(program, texts, function, false)
    }

    /// The same for a function of which there may be namesakes in other files.
    ///
    /// # Errors
    /// If something in it is beyond what is modelled.
    pub fn of_one(
        program: Program,
        texts: Vec<String>,
        function: FunctionId,
    ) -> Result<Self, Outside> {
        Self::lowered_one(program, texts, function, false)
    }

    fn lowered(
        program: Program,
        texts: Vec<String>,
        function: &str,
        is_lenient: bool,
    ) -> Result<Self, Outside> {
        let found = program.functions.iter_enumerated();
        let mut found = found.filter(|(_, of)| of.name == function);
        let Some((id, _)) = found.next() else {
            if let Some(outside) = program.unread.get(function) {
                return Err(outside.clone());
            }
            return Err(Outside {
                file: program.files.first().cloned().unwrap_or_default(),
                line: 1,
                reason: missing(&program, function).unwrap_or_default(),
            });
        };
        Self::lowered_one(program, texts, id, is_lenient)
    }

    fn lowered_one(
        program: Program,
        texts: Vec<String>,
        id: FunctionId,
        is_lenient: bool,
    ) -> Result<Self, Outside> {
        let routine = lower(&program, &texts, id, is_lenient)?;
        Ok(Self {
            program,
            texts,
            function: id,
            routine,
        })
    }

    /// The memory whenever the program, run with these arguments, enters the function.
    pub fn entries(&self, arguments: &[String]) -> Vec<Memory> {
        let Some(main) = c::main_of(&self.program) else {
            return Vec::new();
        };
        let arguments = std::iter::once("program").chain(arguments.iter().map(String::as_str));
        let test = Test {
            name: String::new(),
            entry: Entry::Main {
                main,
                arguments: arguments
                    .map(|argument| argument.as_bytes().to_vec())
                    .collect(),
                input: Vec::new(),
                output: None,
                exit: 0,
            },
        };
        self.entries_of(&test).into_iter().flatten().collect()
    }

    /// Runs a test with this program, which differs in the function only: the memory whenever it enters the function, `None`
    /// where it is too large, and how it ends.
    pub fn run_of(&self, program: &Program, test: &Test) -> (Vec<Option<Memory>>, End) {
        let (entered, end) = run_with_entries(program, test, &TRIED, self.function);
        let entered = entered.iter();
        let memories = entered.map(|entered| memory(&self.routine, entered));
        (memories.collect(), end)
    }

    /// The memory whenever a test enters the function; `None` where it is too large, or a pointer leads into the middle of
    /// something.
    pub fn entries_of(&self, test: &Test) -> Vec<Option<Memory>> {
        entries(&self.program, test, &LIMITS, self.function)
            .iter()
            .map(|entered| memory(&self.routine, entered))
            .collect()
    }
}
