//! Signals where no run handles them. Ctrl-C in an interactive session is for the program that is debugged, not for the
//! tool; a search in formulas or heaps ends and shows what it found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use signal_hook::iterator::Signals;

/// The signals by which the user ends the tool.
pub(super) const ENDING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Keeps these signals from the calling thread and from those that it starts. Returns the mask from before.
fn keep_away(signals: &[Signal]) -> nix::Result<SigSet> {
    let signals = SigSet::from_iter(signals.iter().copied());
    signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)
}

/// Keeps the signals that end the tool from the calling thread, which only waits for another one. The other one calls the
/// result first, and receives them all.
pub fn elsewhere() -> impl Fn() + Sync {
    let before = keep_away(&ENDING);
    // Without a mask from before, none was set.
    move || _ = before.map(|mask| mask.thread_set_mask())
}

/// Catches these signals. While a handler is being installed, it drops the signals that reach it; so the calling thread holds
/// them back until it is complete. See [`elsewhere`] for the other threads.
///
/// # Errors
/// If a signal cannot be caught.
pub(super) fn caught(signals: &[Signal]) -> std::io::Result<Signals> {
    let before = keep_away(signals)?;
    let caught = Signals::new(signals.iter().map(|signal| *signal as i32));
    before.thread_set_mask()?;
    caught
}

/// Calls this, on a thread of its own, whenever the user interrupts the tool, which then goes on.
///
/// # Errors
/// If the signal cannot be caught.
pub fn on_interrupt(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = caught(&[Signal::SIGINT])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            handler();
        }
    });
    Ok(())
}

/// How long a search may take to end by itself once it is asked to, until the tool ends in any case.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the first SIGINT, SIGTERM or SIGHUP sets: a search that asks it ends and shows what it found. Before that, this is
/// called. The tool ends with exit code 130 at the next signal, or if the search goes on too long.
///
/// # Errors
/// If the signals cannot be caught.
pub fn wanted_on_signals(
    before: impl Fn() + Send + 'static,
) -> std::io::Result<&'static AtomicBool> {
    static WANTED: AtomicBool = AtomicBool::new(false);
    let mut signals = caught(&ENDING)?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if WANTED.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            before();
            std::thread::spawn(|| {
                std::thread::sleep(PATIENCE);
                std::process::exit(130);
            });
        }
    });
    Ok(&WANTED)
}
