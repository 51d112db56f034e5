//! Makes randomness repeatable. Otherwise a loop over a `HashMap` has another order in each run, and the N-th
//! evaluation of a condition is a different one.
//!
//! On Linux, std takes the seeds of its hash maps from `getrandom`, and a definition in the program takes
//! precedence over that of the C library; the same applies to crates that call it through `libc` or look it up
//! dynamically. Crates that make the system call directly or hash addresses are not repeatable, nor is the
//! order in which threads request numbers. Other systems and processors are not supported.

use std::ffi::CStr;
use std::os::raw::{c_char, c_long};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicU8, Ordering};

use crate::layout::env;

mod c {
    use super::{c_char, c_long};
    extern "C" {
        pub fn syscall(number: c_long, ...) -> c_long;
        pub fn getenv(name: *const c_char) -> *mut c_char;
    }
    /// `getrandom`.
    #[cfg(target_arch = "x86_64")]
    pub const SYS_GETRANDOM: c_long = 318;
    #[cfg(not(target_arch = "x86_64"))]
    pub const SYS_GETRANDOM: c_long = 278;
}

static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const SYSTEM: u8 = 1;
const REPEATABLE: u8 = 2;

static SEED: AtomicU64 = AtomicU64::new(0);
/// The number of random numbers returned so far.
static GIVEN: AtomicU64 = AtomicU64::new(0);
/// The number of bytes drawn so far, but for the seeds of std's hash maps.
static DRAWN: AtomicU32 = AtomicU32::new(0);
/// Where [`DRAWN`] is reported, once there is a trace.
static REPORT: AtomicPtr<AtomicU32> = AtomicPtr::new(std::ptr::null_mut());
/// The bytes that std asks for, once in each thread, to seed its hash maps.
const SEEDS_OF_MAPS: usize = 16;

/// The C library's function, but repeatable if [`env::SEED`] is set.
///
/// # Safety
/// `len` bytes at `buffer` can be written.
#[no_mangle]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, len: usize, flags: u32) -> isize {
    if !is_repeatable() {
        // SAFETY: the arguments are passed on unchanged; the system call fails on invalid ones.
        return unsafe { c::syscall(c::SYS_GETRANDOM, buffer, len, flags) as isize };
    }
    if len != SEEDS_OF_MAPS {
        DRAWN.fetch_add(len as u32, Ordering::Relaxed);
        report();
    }
    let first = GIVEN.fetch_add(len.div_ceil(8) as u64, Ordering::Relaxed);
    for (nth, at) in (0..len).step_by(8).enumerate() {
        let bytes = number(first.wrapping_add(nth as u64)).to_ne_bytes();
        // SAFETY: these bytes are within the caller's buffer.
        unsafe {
            buffer
                .add(at)
                .copy_from_nonoverlapping(bytes.as_ptr(), (len - at).min(8))
        };
    }
    len as isize
}

/// Reports what was drawn so far, and what will be, at this place of the trace.
pub(crate) fn report_to(place: &'static AtomicU32) {
    REPORT.store(std::ptr::from_ref(place).cast_mut(), Ordering::Release);
    report();
}

fn report() {
    let place = REPORT.load(Ordering::Acquire);
    // SAFETY: the place is null, or a reference that lives forever.
    if let Some(place) = unsafe { place.as_ref() } {
        place.store(DRAWN.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Makes the next request look at [`env::SEED`] again: the environment is another one.
pub(crate) fn forget() {
    GIVEN.store(0, Ordering::Relaxed);
    DRAWN.store(0, Ordering::Relaxed);
    MODE.store(UNKNOWN, Ordering::Release);
}

/// Whether a seed is set. The caller may be an allocator, so this neither allocates nor locks.
fn is_repeatable() -> bool {
    let mode = match MODE.load(Ordering::Acquire) {
        UNKNOWN => {
            let seed = seed_from_env();
            SEED.store(seed.unwrap_or(0), Ordering::Relaxed);
            let mode = if seed.is_some() { REPEATABLE } else { SYSTEM };
            MODE.store(mode, Ordering::Release);
            mode
        }
        known => known,
    };
    mode == REPEATABLE
}

fn seed_from_env() -> Option<u64> {
    let mut name = [0; env::SEED.len() + 1];
    name[..env::SEED.len()].copy_from_slice(env::SEED.as_bytes());
    // SAFETY: `name` is NUL-terminated.
    let value = unsafe { c::getenv(name.as_ptr().cast()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the result of `getenv` is NUL-terminated.
    let value = unsafe { CStr::from_ptr(value) };
    value.to_str().ok()?.parse().ok()
}

/// The N-th number of the sequence: splitmix64.
fn number(n: u64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let start = SEED.load(Ordering::Relaxed);
    let z = start.wrapping_add(n.wrapping_add(1).wrapping_mul(STEP));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
