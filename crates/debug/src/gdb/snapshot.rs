//! The memory and the registers of the subject at a stop, so that it can go back there: all variables, also those that are
//! not shown, and the allocator's own data.
//!
//! What the system keeps for the process stays as it is: what it has read and printed, open files, memory that it shares with
//! other processes.

use std::fs::{self, File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

use super::registers::{Convention, Registers};
use super::stop::{Stop, Why};
use super::subject::Subject;
use super::{Error, Result};

/// Most bytes that are kept.
const MOST: u64 = 64 << 20;

/// A stop to which the subject can go back.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The process; a later run is another one.
    process: i32,
    convention: &'static Convention,
    registers: Registers,
    /// The memory that only this process writes.
    regions: Vec<(Range<u64>, Vec<u8>)>,
}

/// Memory of a process.
struct Mapping {
    range: Range<u64>,
    is_heap: bool,
}

impl Subject {
    /// Keeps the memory and the registers.
    ///
    /// # Errors
    ///
    /// [`Error::Unkept`] if that cannot be done here, or gdb does not answer.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        let Some(convention) = self.convention()? else {
            return Err(unkept("the registers of this processor are not known"));
        };
        let process = self.process.id.load(Ordering::SeqCst);
        alone(process)?;
        let mappings = writable(process)?;
        let size: u64 = mappings
            .iter()
            .map(|mapping| mapping.range.end - mapping.range.start)
            .sum();
        if size > MOST {
            return Err(unkept("the program has more than 64 MiB of memory"));
        }
        let memory = memory(process)?;
        let mut regions = Vec::new();
        for Mapping { range, .. } in mappings {
            let length = usize::try_from(range.end - range.start).unwrap_or_default();
            let mut bytes = vec![0; length];
            memory
                .read_exact_at(&mut bytes, range.start)
                .map_err(|error| unkept(&format!("the memory cannot be read: {error}")))?;
            regions.push((range, bytes));
        }
        Ok(Snapshot {
            process,
            convention,
            registers: self.registers(convention)?,
            regions,
        })
    }

    /// Goes back: the memory and the registers are as they were.
    ///
    /// # Errors
    ///
    /// [`Error::Unkept`] if that cannot be done; then nothing has changed.
    pub fn go_back(&mut self, snapshot: &Snapshot) -> Result<Stop> {
        let process = self.process.id.load(Ordering::SeqCst);
        if process != snapshot.process {
            return Err(unkept("it belongs to an earlier run of the program"));
        }
        alone(process)?;
        let mappings = writable(process)?;
        let is_mapped = |wanted: &Range<u64>| {
            let mut at = wanted.start;
            for Mapping { range, .. } in &mappings {
                if range.contains(&at) {
                    at = range.end;
                }
            }
            at >= wanted.end
        };
        if !snapshot.regions.iter().all(|(range, _)| is_mapped(range)) {
            return Err(unkept(
                "the program has given memory back to the system since then",
            ));
        }
        let memory = memory(process)?;
        let write = |bytes: &[u8], at: u64| {
            memory
                .write_all_at(bytes, at)
                .map_err(|error| unkept(&format!("the memory cannot be written: {error}")))
        };
        // The allocator gets what came to the heap since then again, and takes it for zero.
        for Mapping { range, is_heap } in &mappings {
            let kept = snapshot.regions.iter();
            let kept = kept.filter(|(kept, _)| range.contains(&kept.start));
            let start = kept.map(|(kept, _)| kept.end).max().unwrap_or(range.start);
            if *is_heap && start < range.end {
                let length = usize::try_from(range.end - start).unwrap_or_default();
                write(&vec![0; length], start)?;
            }
        }
        for (range, bytes) in &snapshot.regions {
            write(bytes, range.start)?;
        }
        self.enable_breakpoints(false)?;
        self.put_back(snapshot.convention, &snapshot.registers)?;
        self.enable_breakpoints(true)?;
        Ok(Stop {
            frame: Some(self.frame()?),
            why: Why::Reached,
        })
    }
}

fn unkept(reason: &str) -> Error {
    Error::Unkept(reason.to_owned())
}

/// Checks that the process has a single thread: others could not be put back.
fn alone(process: i32) -> Result<()> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    match tasks.map(Iterator::count) {
        Ok(1) => Ok(()),
        Ok(_) => Err(unkept("the program has several threads")),
        Err(error) => Err(unkept(&format!("the process cannot be read: {error}"))),
    }
}

/// The memory that only this process writes, by address.
fn writable(process: i32) -> Result<Vec<Mapping>> {
    let text = fs::read_to_string(format!("/proc/{process}/maps"));
    let text = text.map_err(|error| unkept(&format!("the memory cannot be read: {error}")))?;
    let mappings = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        words.next().filter(|rights| *rights == "rw-p")?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some(Mapping {
            range: number(start)?..number(end)?,
            is_heap: words.next_back() == Some("[heap]"),
        })
    });
    Ok(mappings.collect())
}

/// The memory of a process that gdb runs.
pub(super) fn memory(process: i32) -> Result<File> {
    let path = format!("/proc/{process}/mem");
    let opened = OpenOptions::new().read(true).write(true).open(path);
    opened.map_err(|error| unkept(&format!("the memory cannot be read: {error}")))
}
