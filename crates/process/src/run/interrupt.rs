//! Ctrl-C in an interactive session: it is for the program that is debugged, not for the tool.

use signal_hook::consts::SIGINT;
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
