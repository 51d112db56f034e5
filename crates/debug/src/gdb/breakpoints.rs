//! Breakpoints: at functions and lines, for always or for once. Reaching them is left to [`super::execution`].

use camino::Utf8PathBuf;

use super::mi::{Item, quote};
use super::stop;
use super::subject::Subject;
use super::{Error, Result};

/// A breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number.
    pub number: u32,
    /// The function it is in.
    pub function: Option<String>,
    /// The source file.
    pub full_path: Option<Utf8PathBuf>,
    /// Its line: the next one with code from the line asked for.
    pub line: Option<u32>,
    /// Its address.
    pub address: u64,
}

impl Subject {
    /// Sets a breakpoint at a function, after its prologue.
    ///
    /// # Errors
    ///
    /// If there is no such function.
    pub fn break_at_function(&mut self, function: &str) -> Result<Breakpoint> {
        self.set_breakpoint(&format!("--function {}", quote(function)))
    }

    /// Sets a breakpoint at a line, or the next one with code.
    ///
    /// # Errors
    ///
    /// If there is no such file or line.
    pub fn break_at_line(&mut self, file: &str, line: u32) -> Result<Breakpoint> {
        self.set_breakpoint(&format!("--source {} --line {line}", quote(file)))
    }

    /// Sets a breakpoint at a function that goes away when it is reached.
    ///
    /// # Errors
    ///
    /// If there is no such function.
    pub fn break_once_at_function(&mut self, function: &str) -> Result<Breakpoint> {
        self.set_breakpoint(&format!("-t --function {}", quote(function)))
    }

    /// Sets a breakpoint at a line, or the next one with code, that goes away when it is reached.
    ///
    /// # Errors
    ///
    /// If there is no such file or line.
    pub fn break_once_at_line(&mut self, file: &str, line: u32) -> Result<Breakpoint> {
        self.set_breakpoint(&format!("-t --source {} --line {line}", quote(file)))
    }

    /// Deletes a breakpoint. One that went away by itself is none.
    ///
    /// # Errors
    ///
    /// If there is no such breakpoint.
    pub fn delete_breakpoint(&mut self, number: u32) -> Result<()> {
        // gdb itself would not mind.
        if !self.breakpoints.remove(&number) {
            return Err(Error::Refused {
                message: format!("No breakpoint number {number}."),
            });
        }
        self.gdb.command(&format!("-break-delete {number}"))?;
        Ok(())
    }

    pub(super) fn set_breakpoint(&mut self, place: &str) -> Result<Breakpoint> {
        let command = format!("-break-insert {place}");
        let answer = self.gdb.command(&command)?;
        let item = answer.item("bkpt", &command)?;
        // One line may have code in several places, of which gdb then gives a list.
        let location = item
            .get("locations")
            .and_then(|locations| locations.elements().into_iter().next().cloned())
            .unwrap_or_else(|| item.clone());
        let breakpoint = breakpoint(item, &location).ok_or(Error::Unexpected { command })?;
        self.breakpoints.insert(breakpoint.number);
        Ok(breakpoint)
    }
}

fn breakpoint(item: &Item, location: &Item) -> Option<Breakpoint> {
    Some(Breakpoint {
        number: item.text("number")?.parse().ok()?,
        function: location.text("func").map(str::to_owned),
        full_path: location.text("fullname").map(Utf8PathBuf::from),
        line: location.text("line").and_then(|line| line.parse().ok()),
        address: location
            .text("addr")
            .and_then(stop::address)
            .unwrap_or_default(),
    })
}
