//! The general registers of the subject, one by one: what a call by hand and going back to an earlier place need.
//!
//! gdb writes all registers at once when it calls a function itself, and that fails where it does not know all of them: gdb 13
//! on processors with AMX. Vector registers are left alone here. That is harmless where a statement begins, because code that
//! is not optimised keeps nothing in them from one statement to the next, and [`Subject::is_between_statements`] tells whether
//! one does.

use std::time::Duration;

use super::mi::quote;
use super::stop::{self, Why};
use super::subject::Subject;
use super::{Error, Result};

/// How long it may take to arrive where the subject already is.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a processor's calling convention says of functions with integers and pointers.
#[derive(Debug)]
pub(super) struct Convention {
    /// What gdb calls the processor.
    architecture: &'static str,
    /// The registers that a call may change or that lead back from it, in the order in which they are restored.
    pub(super) saved: &'static [&'static str],
    /// The registers of the first arguments.
    pub(super) arguments: &'static [&'static str],
    pub(super) result: &'static str,
    pub(super) stack: &'static str,
    pub(super) next: &'static str,
    /// Where the caller leaves the address to return to; on the stack if there is none.
    pub(super) link: Option<&'static str>,
    /// How many bytes beyond the top of the stack are in use.
    pub(super) red_zone: u64,
    /// What a call needs besides.
    pub(super) others: &'static [(&'static str, i64)],
}

/// Those that are known.
static CONVENTIONS: [Convention; 2] = [
    // System V ABI, AMD64 Architecture Processor Supplement, section 3.2.
    Convention {
        architecture: "i386:x86-64",
        saved: &[
            "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12",
            "r13", "r14", "r15", "eflags", "rsp", "rip", "orig_rax",
        ],
        arguments: &["rdi", "rsi", "rdx", "rcx", "r8", "r9"],
        result: "rax",
        stack: "rsp",
        next: "rip",
        link: None,
        red_zone: 128,
        // A function with variable arguments reads from `al` how many vector registers have some. With a system call under
        // way, Linux would move the next instruction to restart it.
        others: &[("rax", 0), ("orig_rax", -1)],
    },
    // Procedure Call Standard for the Arm 64-bit Architecture, section 6.
    Convention {
        architecture: "aarch64",
        saved: &[
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
            "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25",
            "x26", "x27", "x28", "x29", "x30", "cpsr", "sp", "pc",
        ],
        arguments: &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"],
        result: "x0",
        stack: "sp",
        next: "pc",
        link: Some("x30"),
        red_zone: 0,
        others: &[],
    },
];

/// The general registers of a thread at a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Registers {
    /// gdb's number of the thread.
    pub(super) thread: u32,
    values: Vec<(&'static str, u64)>,
}

impl Registers {
    pub(super) fn get(&self, name: &str) -> u64 {
        let mut values = self.values.iter();
        let found = values.find(|(other, _)| *other == name);
        found.map_or(0, |(_, value)| *value)
    }
}

impl Subject {
    /// The convention of the subject's processor, if it is known.
    pub(super) fn convention(&mut self) -> Result<Option<&'static Convention>> {
        let command = "-stack-info-frame";
        let answer = self.gdb.command(command)?;
        let architecture = answer.item("frame", command)?.text("arch");
        let mut all = CONVENTIONS.iter();
        Ok(all.find(|one| Some(one.architecture) == architecture))
    }

    /// The registers of the selected thread.
    pub(super) fn registers(&mut self, convention: &Convention) -> Result<Registers> {
        let thread = self.gdb.evaluate("$_thread")?;
        let mut registers = Registers {
            thread: thread.parse().unwrap_or(1),
            values: Vec::new(),
        };
        for name in convention.saved {
            let value = self.register(registers.thread, name)?;
            registers.values.push((name, value));
        }
        Ok(registers)
    }

    pub(super) fn register(&mut self, thread: u32, name: &str) -> Result<u64> {
        let text = format!("output/x ${name}");
        let command = format!(
            "-interpreter-exec --thread {thread} --frame 0 console {}",
            quote(&text)
        );
        let printed = self.gdb.command(&command)?.console;
        stop::address(&printed).ok_or(Error::Unexpected { command })
    }

    pub(super) fn set_register(&mut self, thread: u32, name: &str, value: u64) -> Result<()> {
        // `eflags` is smaller than the others, and takes no wide number.
        let assignment = match u32::try_from(value) {
            Ok(value) => format!("${name} = {value}"),
            Err(_) => format!("${name} = {value:#x}"),
        };
        let command = format!(
            "-data-evaluate-expression --thread {thread} --frame 0 {}",
            quote(&assignment)
        );
        self.gdb.command(&command)?;
        Ok(())
    }

    /// Puts the registers back, so that the subject stands where it stood, and gdb knows it: a breakpoint there is not reached
    /// anew. No signal is left to be delivered.
    pub(super) fn put_back(
        &mut self,
        convention: &Convention,
        registers: &Registers,
    ) -> Result<()> {
        let before = self.register(registers.thread, convention.next)?;
        for (name, value) in &registers.values {
            self.set_register(registers.thread, name, *value)?;
        }
        self.gdb.console("queue-signal 0")?;
        let next = registers.get(convention.next);
        // gdb goes on from a breakpoint only if it stopped there: where it did not, it is made to. Where it did, it would go on.
        if next != before {
            let target = self.set_breakpoint(&format!("-t *{next:#x}"))?.number;
            let stop = self.execute(GO_ON, PATIENCE);
            let stop = self.reach(target, stop)?;
            if stop.why != Why::Reached {
                return Err(Error::Unexpected {
                    command: GO_ON.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Whether the innermost frame is where a line begins.
    pub fn is_between_statements(&mut self) -> Result<bool> {
        let thread = self.gdb.evaluate("$_thread")?;
        let command = format!("-stack-info-frame --thread {thread} --frame 0");
        let answer = self.gdb.command(&command)?;
        let at = stop::frame(answer.item("frame", &command)?).address;
        let text = self.gdb.console(&format!("info line *{at:#x}"))?;
        let start = text.split_once("starts at address ");
        Ok(start.and_then(|(_, start)| stop::address(start)) == Some(at))
    }
}

/// Goes on without the signal that the subject may have got.
pub(super) const GO_ON: &str = "-interpreter-exec console \"signal 0\"";
