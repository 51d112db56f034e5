//! Running the subject: every command runs it until it stops or the time is over, and reports where and why it stopped.
//!
//! The time limit bounds each command: a subject that runs on is interrupted, and can be looked at and go on as after
//! any other stop. What the records mean is left to [`super::stop`].

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use nix::sys::signal::Signal;

use super::mi::{Message, quote};
use super::process::deadline;
use super::stop::{self, Stop, Why};
use super::subject::Subject;
use super::{Error, Result};

/// How long an interrupted subject may take to stop.
const PATIENCE: Duration = Duration::from_secs(3);

const FINISH: &str = "-exec-finish";

/// How often a step goes on that has left the code with lines.
const DETOURS: usize = 100;

impl Subject {
    /// Starts the program from its beginning. A process that there still is ends.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn run(&mut self, limit: Duration) -> Result<Stop> {
        self.execute("-exec-run", limit)
    }

    /// Starts the program and stops in `main`.
    ///
    /// # Errors
    ///
    /// If it cannot be started, or has no `main`.
    pub fn start(&mut self, limit: Duration) -> Result<Stop> {
        let target = self.break_once_at_function("main")?.number;
        let stop = self.run(limit);
        self.reach(target, stop)
    }

    /// Goes on until something stops it: `continue`.
    ///
    /// # Errors
    ///
    /// If there is no process.
    pub fn resume(&mut self, limit: Duration) -> Result<Stop> {
        self.execute("-exec-continue", limit)
    }

    /// Goes on to another line, not stopping in called functions.
    ///
    /// # Errors
    ///
    /// If there is no process.
    pub fn next(&mut self, limit: Duration) -> Result<Stop> {
        self.advance("-exec-next", limit)
    }

    /// Goes on to another line, which may be in a called function that has lines.
    ///
    /// # Errors
    ///
    /// If there is no process.
    pub fn step(&mut self, limit: Duration) -> Result<Stop> {
        self.advance("-exec-step", limit)
    }

    /// Goes on until the function of the selected frame returns. `main` ends with the program.
    ///
    /// # Errors
    ///
    /// If there is no process.
    pub fn finish(&mut self, limit: Duration) -> Result<Stop> {
        match self.execute(FINISH, limit) {
            Err(Error::Refused { message }) if message.contains("outermost") => self.resume(limit),
            other => other,
        }
    }

    /// Goes on until a line is reached, in any frame, or until something else stops it.
    ///
    /// # Errors
    ///
    /// If there is no process, or no such line.
    pub fn run_until(&mut self, file: &str, line: u32, limit: Duration) -> Result<Stop> {
        let target = self.break_once_at_line(file, line)?.number;
        let stop = self.resume(limit);
        self.reach(target, stop)
    }

    /// Makes a line of the same function the next one, without running what is between. It works on the innermost
    /// frame. A line without code means the next one with code.
    ///
    /// # Errors
    ///
    /// If there is no process, no such line, or the line is in another function.
    pub fn jump(&mut self, line: u32, limit: Duration) -> Result<Stop> {
        self.select_frame(0)?;
        let here = self.frame()?;
        let function = here.function.unwrap_or_default();
        let file = here.full_path.ok_or_else(|| Error::OtherFunction {
            line,
            function: function.clone(),
        })?;
        let Some(address) = self.address_of(&file, line, &function, here.address)? else {
            return Err(Error::OtherFunction { line, function });
        };
        let target = self.set_breakpoint(&format!("-t *{address:#x}"))?.number;
        let stop = self.execute(&format!("-exec-jump *{address:#x}"), limit);
        self.reach(target, stop)
    }

    /// Where a line of a function begins; where it does so several times, as the head of a loop, the first one after `from`.
    /// Nothing if it is in another function.
    fn address_of(
        &mut self,
        file: &Utf8Path,
        line: u32,
        function: &str,
        from: u64,
    ) -> Result<Option<u64>> {
        let command = format!(
            "-break-insert -t --source {} --line {line}",
            quote(file.as_str())
        );
        let answer = self.gdb.command(&command)?;
        let target = answer.item("bkpt", &command)?;
        let number = target.text("number").unwrap_or_default();
        self.gdb.command(&format!("-break-delete {number}"))?;
        // A header in several functions has code in several places.
        let places = match target.get("locations") {
            Some(locations) => locations.elements(),
            None => vec![target],
        };
        let mut places = places.into_iter();
        let place = places.find(|place| place.text("func") == Some(function));
        let Some(place) = place else {
            return Ok(None);
        };
        let first = place.text("addr").and_then(stop::address);
        // It may be a later line, the first one with code.
        let line = place.text("line").unwrap_or_default();
        let command = format!("-symbol-list-lines {}", quote(file.as_str()));
        let answer = self.gdb.command(&command)?;
        let mut after: Option<u64> = None;
        for entry in answer.item("lines", &command)?.elements() {
            let Some(address) = entry.text("pc").and_then(stop::address) else {
                continue;
            };
            if entry.text("line") != Some(line)
                || address <= from
                || after.is_some_and(|after| after <= address)
            {
                continue;
            }
            let symbol = self.gdb.console(&format!("info symbol {address:#x}"))?;
            if symbol.split_whitespace().next() == Some(function) {
                after = Some(address);
            }
        }
        Ok(after.or(first))
    }

    /// What a stop means that was to be at this breakpoint, which goes away.
    pub(super) fn reach(&mut self, target: u32, stop: Result<Stop>) -> Result<Stop> {
        // If it was reached, gdb has deleted it.
        if self.breakpoints.contains(&target) {
            self.delete_breakpoint(target)?;
        }
        let mut stop = stop?;
        if stop.why == (Why::Breakpoint { number: target }) {
            stop.why = Why::Reached;
        }
        Ok(stop)
    }

    /// Steps, and goes on where there are no lines: there is nothing to see at the end of `main`, or in a function
    /// of a library that a callback returns to.
    fn advance(&mut self, command: &str, limit: Duration) -> Result<Stop> {
        let end = deadline(limit);
        let mut stop = self.execute(command, limit)?;
        for _ in 0..DETOURS {
            if stop.why != Why::EndOfStep || stop.line().is_some() {
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            stop = match self.execute(command, left) {
                // It does not even know the function.
                Err(Error::Refused { .. }) => self.finish(left)?,
                other => other?,
            };
            if matches!(stop.why, Why::Finished { .. }) {
                stop.why = Why::EndOfStep;
            }
        }
        Ok(stop)
    }

    /// Runs the subject by a command until it stops.
    pub(super) fn execute(&mut self, command: &str, limit: Duration) -> Result<Stop> {
        // A stop that came before is none of this command.
        let earlier = self.gdb.events(Instant::now())?;
        self.observe(&earlier);
        self.process.is_asked.store(false, Ordering::SeqCst);
        self.process.is_running.store(true, Ordering::SeqCst);
        let stopped = self.execute_command(command, limit);
        self.process.is_running.store(false, Ordering::SeqCst);
        let (stopped, late) = stopped?;
        self.pending = stop::pending(&stopped);

        let is_asked = self.process.is_asked.swap(false, Ordering::SeqCst);
        let mut why = stop::why(&stopped, is_asked);
        if let (Some(late), Why::Interrupted) = (late, &why) {
            why = late;
        }
        if stopped.get("reason").is_none() && command == FINISH {
            // gdb gives no reason where it does not know the function.
            why = Why::Finished { value: None };
        }
        let mut stop = Stop { frame: None, why };
        if stop.is_alive() {
            stop.frame = match self.frame() {
                Ok(frame) => Some(frame),
                // A stack that is destroyed.
                Err(Error::Refused { .. }) => stopped.get("frame").map(stop::frame),
                Err(error) => return Err(error),
            };
        } else {
            self.renew_terminal()?;
        }
        Ok(stop)
    }

    /// Sends a command and waits for the stop after it. Says too what the subject did when the time was over, if it was.
    fn execute_command(
        &mut self,
        command: &str,
        limit: Duration,
    ) -> Result<(Message, Option<Why>)> {
        let answer = self.gdb.command(command);
        // A process that could not be started well is to be known too, so that it can be killed.
        let mut end = deadline(limit);
        let mut events = self.gdb.events(Instant::now())?;
        self.observe(&events);
        answer?;
        if self.process.is_asked.load(Ordering::SeqCst) {
            // There may have been no process yet.
            self.process.signal(Signal::SIGINT);
        }
        // No program can block the second one.
        let mut signals = [Signal::SIGINT, Signal::SIGSTOP].into_iter();
        let mut late = None;
        loop {
            if let Some(stopped) = events.into_iter().find(|event| event.class == "stopped") {
                return Ok((stopped, late));
            }
            if Instant::now() >= end {
                let Some(signal) = signals.next() else {
                    return Err(Error::NoAnswer {
                        command: command.to_owned(),
                        seconds: limit.as_secs_f64(),
                    });
                };
                late.get_or_insert(match self.process.waits_for_input() {
                    true => Why::WaitsForInput,
                    false => Why::OutOfTime,
                });
                self.process.is_asked.store(true, Ordering::SeqCst);
                self.process.signal(signal);
                end = Instant::now() + PATIENCE;
            }
            events = self.gdb.events(end)?;
            self.observe(&events);
        }
    }

    /// Keeps the number of the process and the breakpoints up to date.
    pub(super) fn observe(&mut self, events: &[Message]) {
        for event in events {
            match event.class.as_str() {
                "thread-group-started" => {
                    let id = event.text("pid").and_then(|id| id.parse().ok());
                    self.process.id.store(id.unwrap_or(0), Ordering::SeqCst);
                }
                "thread-group-exited" => self.process.id.store(0, Ordering::SeqCst),
                "breakpoint-deleted" => {
                    let number = event.text("id").and_then(|id| id.parse().ok());
                    number.map(|number: u32| self.breakpoints.remove(&number));
                }
                _ => {}
            }
        }
    }
}
