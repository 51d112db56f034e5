//! Panics during a panic. std prints a full backtrace for each, whatever `RUST_BACKTRACE` says, and then aborts. In
//! a run with forced outcomes such panics are frequent, and naming the functions of a deep stack takes seconds. Whether
//! an earlier panic is over cannot be known here, so every panic of a thread but its first one is printed briefly.

use std::cell::Cell;
use std::os::raw::c_char;
use std::panic;
use std::sync::OnceLock;

#[allow(deprecated)] // The new name is newer than compilers that subjects may need.
type Hook = Box<dyn Fn(&panic::PanicInfo<'_>) + Sync + Send + 'static>;

static FIRST: OnceLock<Hook> = OnceLock::new();

thread_local! {
    /// Whether this thread has panicked before.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Runs before the test harness adds its own hook.
#[used]
#[link_section = ".init_array.00100"]
static CONSTRUCTOR: extern "C" fn() = construct;

extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

extern "C" fn construct() {
    // Whoever asked for random numbers before may have had another environment: that of a fork server.
    crate::seed::forget();
    // SAFETY: the names end with a NUL, and nothing else runs yet.
    let is_run = unsafe { !getenv(FUEL.as_ptr().cast()).is_null() };
    if is_run {
        print_briefly();
    }
}

/// [`crate::layout::env::FUEL`], which every run with forced outcomes has, with a NUL.
const FUEL: &[u8] = b"NOPOL_FUEL\0";

/// Makes every panic of a thread but its first one print its message without a backtrace. Allocates nothing.
fn print_briefly() {
    if FIRST.set(panic::take_hook()).is_err() {
        return;
    }
    panic::set_hook(Box::new(|info| {
        let first = FIRST.get();
        // The thread may have destroyed its variables.
        let panicked = PANICKED.try_with(|panicked| panicked.replace(true));
        match (panicked, first) {
            (Ok(false), Some(first)) => first(info),
            _ => {
                let thread = std::thread::current();
                let name = thread.name().unwrap_or("<unnamed>");
                let text = match (
                    info.payload().downcast_ref::<&str>(),
                    info.payload().downcast_ref::<String>(),
                ) {
                    (Some(text), _) => text,
                    (None, Some(text)) => text.as_str(),
                    (None, None) => "Box<dyn Any>",
                };
                match info.location() {
                    Some(at) => eprintln!("\nthread '{name}' panicked at {at}:\n{text}"),
                    None => eprintln!("\nthread '{name}' panicked:\n{text}"),
                }
            }
        }
    }));
}
