//! Takes snapshots: records the values visible at one evaluation of a site.

use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::layout::{tag, LONGEST_STRING};
use crate::sample;
use crate::snapshot::Snapshot;
use crate::state::{records, state, State, IN_SNAPSHOT};

thread_local! {
    static ENTRIES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The last snapshot, and the site it was taken at.
    static LAST: RefCell<(u32, Vec<u8>)> = const { RefCell::new((u32::MAX, Vec::new())) };
}

/// Starts a snapshot on this thread. The evaluations of sites until [`close`] are not traced.
pub fn open() {
    IN_SNAPSHOT.with(|in_snapshot| in_snapshot.set(true));
    sample::start();
    ENTRIES.with(|entries| entries.borrow_mut().clear());
}

/// Ends the snapshot of a site.
pub fn close(site: u32) -> Snapshot {
    IN_SNAPSHOT.with(|in_snapshot| in_snapshot.set(false));
    let entries = ENTRIES.with(|entries| std::mem::take(&mut *entries.borrow_mut()));
    sample::pay(site, entries.len());
    LAST.with(|last| *last.borrow_mut() = (site, entries.clone()));
    Snapshot::of(entries)
}

/// Whether to record the context of this evaluation of the site.
#[inline(never)]
pub fn wants(site: u32) -> bool {
    match state() {
        None => false,
        Some(state) => records(site) && !IN_SNAPSHOT.with(Cell::get) && is_due(state, site),
    }
}

/// Whether this evaluation is sampled; counts it as dropped if not.
fn is_due(state: &State, site: u32) -> bool {
    let is_due = sample::is_due(site, state.most_rows(), state.spans());
    if let (false, Some(trace)) = (is_due, &state.trace) {
        trace.skipped();
        LAST.with(|last| last.borrow_mut().0 = u32::MAX);
    }
    is_due
}

/// The snapshot just taken at `leader`, for `site`, which directly follows it.
pub fn again(site: u32, leader: u32) -> Snapshot {
    if !records(site) || IN_SNAPSHOT.with(Cell::get) {
        return Snapshot::NONE;
    }
    LAST.with(|last| {
        let last = last.borrow();
        match last.0 == leader {
            true => Snapshot::of(last.1.clone()),
            false => Snapshot::NONE,
        }
    })
}

/// Runs code of the subject for a capture of `what`, which is at `path`. It may panic, or never end: what is being evaluated when
/// the process ends can be left out of the next one.
pub(crate) fn call(what: &str, path: &[u8], captured: impl Fn()) {
    let Some(state) = state() else {
        return;
    };
    let Some(trace) = state.trace.as_ref() else {
        return;
    };
    let is_left_out = |left: &Vec<u8>| left == what.as_bytes();
    if state.without.iter().any(is_left_out) {
        return;
    }
    let Some(id) = trace.name(path) else {
        return;
    };
    let outer = trace.evaluating(id + 1);
    // The subject's panic hook would print a message for a panic that the subject never had.
    let hook = QuietHook::install();
    // What was recorded before the panic counts.
    let _ = catch_unwind(AssertUnwindSafe(captured));
    drop(hook);
    trace.evaluating(outer);
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Whether panics were quiet before: captures nest.
struct QuietHook(bool);

impl QuietHook {
    fn install() -> Self {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let previous = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if !QUIET.with(Cell::get) {
                    previous(info);
                }
            }));
        });
        Self(QUIET.with(|quiet| quiet.replace(true)))
    }
}

impl Drop for QuietHook {
    fn drop(&mut self) {
        QUIET.with(|quiet| quiet.set(self.0));
    }
}

fn put(name: &[u8], tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let Some(id) = state()
        .and_then(|state| state.trace.as_ref())
        .and_then(|trace| trace.name(name))
    else {
        return;
    };
    ENTRIES.with(|entries| {
        let mut entries = entries.borrow_mut();
        entries.extend(id.to_ne_bytes());
        entries.push(tag);
        write(&mut entries);
    });
}

pub(crate) fn put_bool(name: &[u8], value: bool) {
    put(name, tag::BOOL, |out| {
        out.extend(u32::from(value).to_ne_bytes())
    });
}

pub(crate) fn put_char(name: &[u8], value: char) {
    put(name, tag::CHAR, |out| {
        out.extend(u32::from(value).to_ne_bytes())
    });
}

pub(crate) fn put_int(name: &[u8], ty: u8, value: i128) {
    put(name, tag::INT + ty, |out| out.extend(value.to_ne_bytes()));
}

pub(crate) fn put_f32(name: &[u8], value: f32) {
    put(name, tag::F32, |out| {
        out.extend(u64::from(value.to_bits()).to_ne_bytes())
    });
}

pub(crate) fn put_f64(name: &[u8], value: f64) {
    put(name, tag::F64, |out| {
        out.extend(value.to_bits().to_ne_bytes())
    });
}

pub(crate) fn put_str(name: &[u8], value: &str) {
    if value.len() <= LONGEST_STRING {
        put(name, tag::STR, |out| {
            out.extend((value.len() as u32).to_ne_bytes());
            out.extend(value.as_bytes());
        });
    }
}
