//! Where the subject stopped, and why: read from gdb's records. Making it stop is left to [`super::execution`].

use camino::Utf8PathBuf;

use super::mi::{Item, Message};

/// Tells the activations of functions apart: two stops in the same activation have equal identities, and the
/// activations of a recursive function have different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameIdentity(pub u64);

/// An activation of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function. Nothing is known of code without symbols.
    pub function: Option<String>,
    /// The source file as the compiler was given it. There is none without debug information.
    pub file: Option<String>,
    /// The source file.
    pub full_path: Option<Utf8PathBuf>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The address of the next instruction.
    pub address: u64,
    /// How many frames there are between this one and the innermost: 0 for the innermost.
    pub level: u32,
    /// How many frames there are, counted up to 1000.
    pub depth: u32,
    /// Which activation it is.
    pub identity: FrameIdentity,
}

/// Why the subject stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It reached a breakpoint.
    Breakpoint {
        /// The number of the breakpoint.
        number: u32,
    },
    /// A step ended.
    EndOfStep,
    /// It reached the line to which it ran or jumped.
    Reached,
    /// The function to finish returned.
    Finished {
        /// What it returned, as gdb prints it. Nothing for a void function.
        value: Option<String>,
    },
    /// It got a signal.
    Signal {
        /// Its name: `SIGSEGV`.
        name: String,
        /// What it means: `Segmentation fault`.
        meaning: String,
    },
    /// It ended by itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal ended it.
    Killed {
        /// Its name.
        name: String,
        /// What it means.
        meaning: String,
    },
    /// It was interrupted by an [`super::Interrupter`].
    Interrupted,
    /// It ran for longer than the limit, and was interrupted.
    OutOfTime,
    /// The same, but it did not run: it waits for something to read.
    WaitsForInput,
    /// Another reason, by gdb's name for it.
    Other(String),
}

/// A stop of the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where. Nowhere if it ended.
    pub frame: Option<Frame>,
    /// Why.
    pub why: Why,
}

impl Stop {
    /// Whether there is still a process.
    pub fn is_alive(&self) -> bool {
        !matches!(self.why, Why::Exited { .. } | Why::Killed { .. })
    }

    /// The line of the innermost frame.
    pub fn line(&self) -> Option<u32> {
        self.frame.as_ref()?.line
    }

    /// The function of the innermost frame.
    pub fn function(&self) -> Option<&str> {
        self.frame.as_ref()?.function.as_deref()
    }
}

/// The reason that a `*stopped` record gives. `is_asked` tells whether the caller wanted it to stop.
pub(super) fn why(stopped: &Message, is_asked: bool) -> Why {
    let text = |name| stopped.text(name).unwrap_or_default().to_owned();
    match stopped.text("reason") {
        Some("breakpoint-hit") => Why::Breakpoint {
            number: stopped
                .text("bkptno")
                .and_then(|number| number.parse().ok())
                .unwrap_or_default(),
        },
        Some("end-stepping-range" | "location-reached") => Why::EndOfStep,
        Some("function-finished") => Why::Finished {
            value: stopped.text("return-value").map(str::to_owned),
        },
        Some("exited-normally") => Why::Exited { code: 0 },
        Some("exited") => Why::Exited {
            // gdb prints it in octal.
            code: stopped
                .text("exit-code")
                .and_then(|code| i32::from_str_radix(code, 8).ok())
                .unwrap_or_default(),
        },
        Some("exited-signalled") => Why::Killed {
            name: text("signal-name"),
            meaning: text("signal-meaning"),
        },
        Some("signal-received") => match stopped.text("signal-name") {
            Some("SIGINT" | "SIGSTOP" | "0") if is_asked => Why::Interrupted,
            _ => Why::Signal {
                name: text("signal-name"),
                meaning: text("signal-meaning"),
            },
        },
        other => Why::Other(other.unwrap_or("unknown").to_owned()),
    }
}

/// The signal with which the program stopped, and that it gets when it goes on.
pub(super) fn pending(stopped: &Message) -> Option<String> {
    let is_signal = stopped.text("reason") == Some("signal-received");
    let name = stopped.text("signal-name").filter(|_| is_signal)?;
    // The others are not passed on: see the settings of the process.
    (!matches!(name, "SIGINT" | "SIGSTOP" | "SIGTRAP" | "0")).then(|| name.to_owned())
}

/// A frame as gdb describes it. Its depth and identity are for the caller to fill in.
pub(super) fn frame(item: &Item) -> Frame {
    Frame {
        function: item
            .text("func")
            .filter(|name| *name != "??")
            .map(str::to_owned),
        file: item.text("file").map(str::to_owned),
        full_path: item.text("fullname").map(Utf8PathBuf::from),
        line: item.text("line").and_then(|line| line.parse().ok()),
        address: item.text("addr").and_then(address).unwrap_or_default(),
        level: item
            .text("level")
            .and_then(|level| level.parse().ok())
            .unwrap_or_default(),
        depth: 0,
        identity: FrameIdentity(0),
    }
}

/// The first hexadecimal number in a text, with its `0x`.
pub(super) fn address(text: &str) -> Option<u64> {
    let start = text.find("0x")? + 2;
    let digits = &text[start..];
    let end = digits
        .find(|character: char| !character.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], 16).ok()
}
