//! The trace file. It is a shared memory mapping, so everything written survives however the process ends.

use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::hash::BuildHasherDefault;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::layout::{self, env};

// std links the C library already; declaring these functions here keeps the runtime free of dependencies.
mod c {
    extern "C" {
        pub fn mmap(
            addr: *mut u8,
            len: usize,
            prot: i32,
            flags: i32,
            fd: i32,
            offset: i64,
        ) -> *mut u8;
        pub fn _exit(code: i32) -> !;
    }
    pub const PROT_READ_WRITE: i32 = 1 | 2;
    pub const MAP_SHARED: i32 = 1;
}

/// Ends the process without unwinding or flushing.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: takes no pointers.
    unsafe { c::_exit(code) }
}

/// The mapped trace file of this process.
pub(crate) struct Trace {
    base: *mut u8,
    sites: u32,
    /// Rows recorded per site and outcome, at most.
    pub(crate) most_rows: u32,
    log: Mutex<Log>,
}

// SAFETY: `base` points to a mapping that is never unmapped; counters are accessed atomically,
// the log only under its mutex.
unsafe impl Send for Trace {}
// SAFETY: as above.
unsafe impl Sync for Trace {}

#[derive(Default)]
struct Log {
    start: usize,
    end: usize,
    used: usize,
    names: Map<Vec<u8>, u32>,
    /// The offset of each row's count, by the row's content.
    rows: Map<Vec<u8>, usize>,
    /// The number of distinct rows, by site and outcome.
    rows_of_site: Map<(u32, bool), u32>,
}

/// A map without a random seed: requesting one would change the seeds of the subject's maps.
type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

impl Trace {
    pub(crate) fn from_env() -> Option<Self> {
        let prefix = std::env::var_os(env::TRACE)?;
        let number = |name| -> Option<usize> { std::env::var(name).ok()?.parse().ok() };
        let sites = number(env::SITES).unwrap_or(0) as u32;
        let log_size: usize = number(env::LOG).unwrap_or(0);
        let start = (layout::COUNTERS + sites as usize * layout::COUNTER).next_multiple_of(8);
        let len = start + log_size;

        let mut path = prefix;
        path.push(format!(".{}", std::process::id()));
        if std::env::var_os(env::BY_PROGRAM).is_some() {
            let program = std::env::current_exe().unwrap_or_default();
            let dir = program.parent().and_then(std::path::Path::file_name);
            path.push(".");
            // A run that is not traced would count as one that reaches nothing.
            path.push(dir.unwrap_or("unknown".as_ref()));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .ok()?;
        file.set_len(len as u64).ok()?;
        // SAFETY: a fresh shared mapping of a file that is `len` bytes long.
        let base = unsafe {
            c::mmap(
                std::ptr::null_mut(),
                len,
                c::PROT_READ_WRITE,
                c::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base as isize == -1 {
            return None;
        }
        let trace = Self {
            base,
            sites,
            most_rows: number(env::ROWS).map_or(layout::MOST_ROWS, |rows| rows as u32),
            log: Mutex::new(Log {
                start,
                end: len,
                ..Log::default()
            }),
        };
        trace.at_u64(0).store(layout::MAGIC, Ordering::Relaxed);
        trace.at_u32(layout::SITES).store(sites, Ordering::Relaxed);
        // As `seed` in the crate root.
        #[cfg(all(
            nopol_rt,
            target_os = "linux",
            target_pointer_width = "64",
            any(
                target_arch = "x86_64",
                target_arch = "aarch64",
                target_arch = "riscv64",
                target_arch = "loongarch64"
            )
        ))]
        crate::seed::report_to(trace.at_u32(layout::DRAWN));
        Some(trace)
    }

    /// The number of counters.
    pub(crate) fn sites(&self) -> u32 {
        self.sites
    }

    fn at_u32(&self, offset: usize) -> &'static AtomicU32 {
        // SAFETY: offsets come from `layout`, are inside the mapping, which is never unmapped, and aligned.
        unsafe { &*self.base.add(offset).cast::<AtomicU32>() }
    }

    fn at_u64(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: as above.
        unsafe { &*self.base.add(offset).cast::<AtomicU64>() }
    }

    /// Adds one to a counter of the site: 0 entered, 1 false, 2 true.
    pub(crate) fn count(&self, site: u32, which: usize) {
        if site < self.sites {
            let offset = layout::COUNTERS + site as usize * layout::COUNTER + 4 * which;
            self.at_u32(offset).fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn steps(&self, steps: u64) {
        self.at_u64(layout::STEPS).store(steps, Ordering::Relaxed);
    }

    pub(crate) fn ended(&self, why: u32) {
        self.at_u32(layout::ENDED).store(why, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of an access path, which is written to the log when first used.
    pub(crate) fn name(&self, name: &[u8]) -> Option<u32> {
        let mut log = self.lock();
        if let Some(id) = log.names.get(name) {
            return Some(*id);
        }
        let mut record = vec![layout::NAME];
        record.extend(u16::try_from(name.len()).ok()?.to_ne_bytes());
        record.extend(name);
        self.append(&mut log, &record)?;
        let id = log.names.len() as u32;
        log.names.insert(name.to_vec(), id);
        Some(id)
    }

    /// Records a row, or counts it if it was recorded before.
    pub(crate) fn row(&self, site: u32, flags: u8, entries: &[u8]) {
        let mut log = self.lock();
        let mut key = site.to_ne_bytes().to_vec();
        key.push(flags);
        key.extend(entries);
        if let Some(at) = log.rows.get(&key).copied() {
            // SAFETY: `at` is where this process wrote the row's count, inside the mapping.
            unsafe {
                let count = self.base.add(at).cast::<u32>();
                count.write_unaligned(count.read_unaligned().saturating_add(1));
            }
            return;
        }
        let outcome = flags & layout::OUTCOME != 0;
        let seen = log.rows_of_site.entry((site, outcome)).or_default();
        *seen += 1;
        let mut appended = None;
        if *seen <= self.most_rows {
            let mut record = vec![layout::ROW];
            record.extend(site.to_ne_bytes());
            record.push(flags);
            record.extend(1u32.to_ne_bytes());
            record.extend((entries.len() as u32).to_ne_bytes());
            record.extend(entries);
            appended = self.append(&mut log, &record);
        }
        match appended {
            Some(at) => {
                log.rows.insert(key, at + 6);
            }
            None => {
                self.at_u32(layout::DROPPED).fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Counts an evaluation that was not sampled.
    pub(crate) fn skipped(&self) {
        self.at_u32(layout::DROPPED).fetch_add(1, Ordering::Relaxed);
    }

    /// Notes what is being evaluated to be recorded, 0 for nothing. What was noted before.
    pub(crate) fn evaluating(&self, noted: u32) -> u32 {
        self.at_u32(layout::EVALUATING)
            .swap(noted, Ordering::Relaxed)
    }

    fn append(&self, log: &mut Log, record: &[u8]) -> Option<usize> {
        let at = log.start + log.used;
        if at + record.len() > log.end {
            return None;
        }
        // SAFETY: the range was just checked, and the lock is held.
        unsafe {
            std::ptr::copy_nonoverlapping(record.as_ptr(), self.base.add(at), record.len());
        }
        log.used += record.len();
        self.at_u64(layout::LOG_USED)
            .store(log.used as u64, Ordering::Release);
        Some(at)
    }
}
