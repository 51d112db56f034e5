//! Signals where no run handles them. Ctrl-C in an interactive session is for the program that is debugged, not for the
//! tool; a search in formulas or heaps ends with a sentence.

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

/// Ends the tool with exit code 130 at the first SIGINT, SIGTERM or SIGHUP, after this was called.
///
/// # Errors
/// If the signals cannot be caught.
pub fn end_on_signals(before: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            before();
            std::process::exit(130);
        }
    });
    Ok(())
}
