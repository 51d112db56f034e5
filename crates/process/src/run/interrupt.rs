//! Signals where no run handles them. Ctrl-C in an interactive session is for the program that is debugged, not for the
//! tool; a search in formulas or heaps ends and shows what it found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Calls this, on a thread of its own, whenever the user interrupts the tool, which then goes on.
///
/// # Errors
/// If the signal cannot be caught.
pub fn on_interrupt(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT])?;
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
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
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
