//! Which memory the subject has allocated and freed, however fast it runs: a library that is loaded into it keeps a table of its
//! blocks, and the table is read at a stop.
//!
//! The library stands between the subject and the allocator of glibc, so not every subject can be observed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::snapshot;
use super::stop;
use super::subject::Subject;
use super::{Error, Result};

const SOURCE: &str = include_str!("blocks.c");

/// Most blocks in the table, and how many bytes each has there: as in the library.
const MOST: usize = 1 << 16;
const SIZE: usize = 24;

/// The bytes of an ELF file that say for which machines it is: the class, and the machine.
const MACHINE: [std::ops::Range<usize>; 2] = [4..5, 18..20];

/// What programs have inside that come with an allocator of their own.
const SANITIZERS: [&str; 5] = [
    "__asan_init",
    "__hwasan_init",
    "__lsan_init",
    "__msan_init",
    "__tsan_init",
];

/// The library that observes the subject.
#[derive(Debug)]
pub(super) struct Observer {
    /// Where the library is, until the session ends.
    _directory: TempDir,
    pub(super) library: Utf8PathBuf,
    /// Where its table is in a process.
    table: Option<(i32, u64)>,
}

impl Observer {
    /// Compiles the library for a program.
    ///
    /// # Errors
    ///
    /// Why the program cannot be observed, as the end of a sentence.
    pub(super) fn of(program: &Utf8Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("no library can be made for it: {error}");
        let bytes = fs::read(program).map_err(|error| format!("it cannot be read: {error}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let has = |name: &str| text.contains(name);
        if !has("ld-linux") {
            return Err("it does not load the C library of the system".to_owned());
        }
        if SANITIZERS.into_iter().any(has) {
            return Err("it is built with a sanitizer".to_owned());
        }
        let directory = TempDir::with_prefix("nopol-").map_err(failed)?;
        let library = Utf8Path::from_path(directory.path()).map(|path| path.join("blocks.so"));
        // Where libraries are listed, these two stand between them.
        let library = library.filter(|path| !path.as_str().contains([' ', ':', '\'']));
        let library = library.ok_or("the temporary directory has an unusual name")?;
        let source = directory.path().join("blocks.c");
        fs::write(&source, SOURCE).map_err(failed)?;
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let compiled = Command::new(&compiler)
            .args(["-O2", "-fno-builtin", "-shared", "-fPIC", "-Wl,-z,defs"])
            .arg("-o")
            .arg(&library)
            .arg(&source)
            .stdin(Stdio::null())
            .output();
        if !compiled.is_ok_and(|compiled| compiled.status.success()) {
            return Err(format!(
                "the C compiler `{compiler}` makes no library for it"
            ));
        }
        let own = fs::read(&library).map_err(failed)?;
        if MACHINE
            .into_iter()
            .any(|at| own.get(at.clone()) != bytes.get(at))
        {
            return Err("it is built for another machine than this one".to_owned());
        }
        Ok(Self {
            _directory: directory,
            library,
            table: None,
        })
    }
}

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// In a block that is allocated. Another block at the same place is a different one.
    Allocated(Block),
    /// In one that was freed.
    Freed,
    /// In none.
    Elsewhere,
}

/// A block that is allocated: its address, and how often something was allocated and freed there.
pub(super) type Block = (u64, u64);

/// The blocks at a stop.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// Sizes and states, by address.
    allocated: BTreeMap<u64, (u64, u64)>,
    /// Sizes, by address.
    freed: BTreeMap<u64, u64>,
    /// The largest size of a freed block.
    largest: u64,
}

impl Blocks {
    /// The blocks of a table.
    fn new(table: &[u8]) -> Self {
        let mut blocks = Self::default();
        for entry in table.chunks_exact(SIZE) {
            let mut numbers = entry.chunks_exact(8).map(|number| {
                let number = number.try_into().unwrap_or_default();
                u64::from_ne_bytes(number)
            });
            let mut next = || numbers.next().unwrap_or_default();
            let (address, size, state) = (next(), next(), next());
            if state % 2 == 1 {
                blocks.allocated.insert(address, (size, state));
            } else if state > 0 {
                blocks.freed.insert(address, size);
                blocks.largest = blocks.largest.max(size);
            }
        }
        blocks
    }

    pub(super) fn has_freed(&self) -> bool {
        !self.freed.is_empty()
    }

    /// In which block an address is. Blocks that are allocated do not overlap, but may lie where others were.
    pub(super) fn at(&self, address: u64) -> Held {
        let before = self.allocated.range(..=address).next_back();
        if let Some((start, (size, state))) = before
            && address - start < *size
        {
            return Held::Allocated((*start, *state));
        }
        let first = address.saturating_sub(self.largest);
        let mut freed = self.freed.range(first..=address);
        match freed.any(|(start, size)| address - start < *size) {
            true => Held::Freed,
            false => Held::Elsewhere,
        }
    }
}

impl Subject {
    /// Why it is not known what the subject frees where it is not stepped through, as the end of a sentence; none if that is
    /// known.
    pub fn unobserved(&self) -> Option<&str> {
        self.observer.as_ref().err().map(String::as_str)
    }

    /// The blocks at this stop; none if the subject is not observed.
    pub(super) fn blocks(&mut self) -> Result<Option<Blocks>> {
        let process = self.process.id.load(Ordering::SeqCst);
        let Ok(observer) = &mut self.observer else {
            return Ok(None);
        };
        let table = match observer.table {
            Some((of, table)) if of == process => table,
            _ => {
                let value = self.gdb.evaluate("&nopol_blocks");
                let Some(address) = value.ok().and_then(|value| stop::address(&value)) else {
                    self.observer = Err(
                        "no library can be loaded into it, as if it were linked statically"
                            .to_owned(),
                    );
                    return Ok(None);
                };
                observer.table = Some((process, address));
                address
            }
        };
        let read = || {
            let memory = snapshot::memory(process).ok()?;
            let mut count = [0; 8];
            memory.read_exact_at(&mut count, table).ok()?;
            let count = usize::try_from(u64::from_ne_bytes(count)).ok()?;
            let mut bytes = vec![0; count.min(MOST) * SIZE];
            memory.read_exact_at(&mut bytes, table + 8).ok()?;
            Some((count, bytes))
        };
        match read() {
            Some((count, bytes)) if count <= MOST => Ok(Some(Blocks::new(&bytes))),
            Some(_) => {
                self.observer = Err(format!(
                    "it has allocated memory at more than {MOST} addresses"
                ));
                Ok(None)
            }
            None => {
                self.observer = Err("its memory cannot be read".to_owned());
                Ok(None)
            }
        }
    }

    /// Whether the program has an allocator of its own, so that its calls do not reach that of the library.
    pub(super) fn has_allocator(&mut self) -> Result<bool> {
        let command = "-symbol-info-functions --name ^malloc$";
        match self.gdb.command(command) {
            Ok(answer) => Ok(answer.item("symbols", command)?.get("debug").is_some()),
            // An old gdb.
            Err(Error::Refused { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, Held};

    fn table(entries: &[[u64; 3]]) -> Blocks {
        let numbers = entries.iter().flatten();
        Blocks::new(
            &numbers
                .flat_map(|number| number.to_ne_bytes())
                .collect::<Vec<u8>>(),
        )
    }

    #[test]
    fn an_address_is_in_the_block_that_is_allocated_there() {
        let blocks = table(&[
            [0x10, 0x20, 2],
            [0x100, 0x40, 3],
            [0x110, 8, 2],
            [0x200, 8, 4],
        ]);
        assert_eq!(blocks.at(0x2f), Held::Freed);
        assert_eq!(blocks.at(0x30), Held::Elsewhere);
        assert_eq!(blocks.at(0x110), Held::Allocated((0x100, 3)));
        assert_eq!(blocks.at(0x140), Held::Elsewhere);
        assert_eq!(blocks.at(0x207), Held::Freed);
    }
}
