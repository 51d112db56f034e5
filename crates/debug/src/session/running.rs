//! Runs the program: step by step where a function is followed, as the patch in force has it, and says where it came to.

use std::sync::atomic::Ordering;
use std::time::Instant;

use nopol_heap::ir::Instruction;
use nopol_heap::load::Loaded;
use nopol_heap::state::NodeId;

use super::screen::{Instead, inserted, instead};
use super::tracked::Tracked;
use super::{DebugSession, Done, push, said};
use crate::gdb::{self, Stop, Why};

impl DebugSession {
    /// Checks that the program is running.
    pub(super) fn alive(&self) -> Done<()> {
        match &self.stop {
            Some(stop) if stop.is_alive() => Ok(()),
            _ => Err("the program is not running: `start` starts it".to_owned()),
        }
    }

    pub(super) fn start(&mut self) -> Done<String> {
        self.names.forget_all();
        self.shown = None;
        self.changed.clear();
        self.moves += 1;
        // The patch and the assertions stay: the run begins anew, not the session.
        if let Some(tracked) = &mut self.tracked {
            tracked.has_ended = true;
        }
        let stop = self.subject.start(self.settings.limit).map_err(said)?;
        let text = self.arrived(stop)?;
        let unobserved = self.subject.unobserved().map_or_else(String::new, |reason| {
            format!("freed memory is noticed only in statements that you step through, because {reason}\n")
        });
        Ok(format!(
            "the program is at the beginning of `main`\n{unobserved}{text}"
        ))
    }

    pub(super) fn next(&mut self, times: u32) -> Done<String> {
        self.alive()?;
        let mut left = times.max(1);
        let (text, _) = self.walk(|_| {
            left -= 1;
            left > 0
        })?;
        Ok(text)
    }

    /// Executes statements as long as `goes_on` returns true after each of them, the program is alive, the user does not
    /// interrupt it, and the time limit is not reached. Returns the text for the user, and whether `goes_on` ended it.
    fn walk(&mut self, mut goes_on: impl FnMut(&Self) -> bool) -> Done<(String, bool)> {
        let started = Instant::now();
        let limit = self.settings.limit;
        let mut text = String::new();
        loop {
            self.note_freed_use()?;
            let stop = self.advance()?;
            let is_stopped = !stop.is_alive()
                || matches!(
                    stop.why,
                    Why::Interrupted | Why::OutOfTime | Why::WaitsForInput | Why::Signal { .. }
                );
            if is_stopped {
                self.reached(stop, &mut text)?;
                return Ok((text, false));
            }
            self.pass(&stop, &mut text)?;
            let ends = !goes_on(self);
            let is_asked = self.asked.load(Ordering::SeqCst);
            if ends || is_asked || started.elapsed() >= limit {
                if is_asked && !ends {
                    push(&mut text, "the program was interrupted");
                } else if !ends {
                    let seconds = limit.as_secs();
                    push(
                        &mut text,
                        &format!("the program was stopped after {seconds} s, before it got there"),
                    );
                }
                self.shown_at(&mut text)?;
                return Ok((text, ends));
            }
        }
    }

    /// Notes if the next statement uses a freed node.
    pub(super) fn note_freed_use(&mut self) -> Done<()> {
        let Some(node) = self.freed_use()? else {
            return Ok(());
        };
        let frame = self.stop.as_ref().and_then(|stop| stop.frame.as_ref());
        let file = frame.and_then(|frame| frame.file.as_deref());
        let file = file.map_or("", |file| file.rsplit('/').next().unwrap_or(file));
        let line = frame.and_then(|frame| frame.line).unwrap_or(0);
        let note = format!("{file}:{line} uses {node}, which was freed\n");
        if !self.notes.contains(&note) {
            self.notes.push_str(&note);
        }
        Ok(())
    }

    /// The freed node that the next statement of a function that is followed uses.
    fn freed_use(&mut self) -> Done<Option<NodeId>> {
        let Some((tracked, at)) = self.here() else {
            return Ok(None);
        };
        let pointers = tracked.loaded.routine.followed_at(at);
        // What the patch in force makes of a statement is another one.
        let is_checked = !self.is_changed_here()
            && self
                .subject
                .may_use_freed(pointers.as_deref(), &mut self.names)
                .map_err(said)?;
        if !is_checked {
            return Ok(None);
        }
        let memory = self.memory()?;
        let routine = self.tracked.as_ref().map(|tracked| &tracked.loaded.routine);
        Ok(routine
            .zip(memory)
            .and_then(|(routine, memory)| routine.freed_use(memory, at)))
    }

    /// Executes the next statement, as the patch in force has it.
    pub(super) fn advance(&mut self) -> Done<Stop> {
        let limit = self.settings.limit;
        if self
            .here()
            .is_some_and(|(tracked, _)| tracked.is_entering())
        {
            let before = self.memory()?;
            if let (Some(tracked), Some(before)) = (&mut self.tracked, before) {
                tracked.enter(before);
            }
        }
        let Some((tracked, at)) = self.here() else {
            return self.plain_next();
        };
        let mut next = instead(&tracked.loaded, tracked.in_force(), at)
            .map_err(|reason| self.give_up(&reason))?;
        // A statement that was begun before the patch is the program's own.
        if next != Instead::Nothing && !self.subject.is_between_statements().map_err(said)? {
            next = Instead::Nothing;
        }
        match next {
            Instead::Nothing => self.plain_next(),
            Instead::Evaluate(text, line) => {
                self.evaluate(&text)?;
                self.subject.jump(line, limit).map_err(said)
            }
            Instead::Decide(condition) => {
                let holds = self.holds(&condition)?;
                let Some((tracked, at)) = self.here() else {
                    return Err("this function is not tracked".to_owned());
                };
                let line = tracked.loaded.routine.line_after(at, holds);
                let line = line.ok_or("there is no statement to continue at")?;
                self.subject.jump(line, limit).map_err(said)
            }
        }
    }

    /// Whether the patch changes the statement that comes next.
    pub(super) fn is_changed_here(&self) -> bool {
        self.here().is_some_and(|(tracked, at)| {
            instead(&tracked.loaded, tracked.in_force(), at) != Ok(Instead::Nothing)
        })
    }

    /// From here on the program goes on as it was compiled: the sentence that says why.
    fn give_up(&mut self, reason: &str) -> String {
        if let Some(tracked) = &mut self.tracked {
            tracked.obstacle = Some(reason.to_owned());
        }
        format!(
            "the session no longer continues with the patch: {reason}; the program runs as it was compiled, and `rewrite FILE` writes the patch"
        )
    }

    pub(super) fn holds(&mut self, condition: &str) -> Done<bool> {
        Ok(self.evaluate(&format!("!({condition})"))? == "0")
    }

    /// The value of an expression in the program, which may call functions.
    fn evaluate(&mut self, expression: &str) -> Done<String> {
        match self.subject.evaluate(expression, self.settings.limit) {
            Ok(value) => Ok(value),
            Err(error) if !self.subject.is_alive() => {
                self.stop = None;
                Err(said(error))
            }
            // That is what the patched program does.
            Err(error @ gdb::Error::Call { .. }) => Err(said(error)),
            Err(error) => Err(self.give_up(&format!("`{expression}`: {}", said(error)))),
        }
    }

    /// The function that is followed and the instruction that comes next, if the program is there.
    pub(super) fn here(&self) -> Option<(&Tracked, usize)> {
        let tracked = self.tracked.as_ref()?;
        let frame = self.stop.as_ref()?.frame.as_ref()?;
        let at = tracked.at?;
        (frame.identity == tracked.frame
            && frame.function.as_deref() == Some(&tracked.loaded.routine.name))
        .then_some((tracked, at))
    }

    /// Goes into a loop or branch, or past it.
    pub(super) fn force(&mut self, enters: bool) -> Done<String> {
        self.alive()?;
        let Some((tracked, at)) = self.here() else {
            return Err(self.is_within_statement().unwrap_or_else(|| {
                "`enter` and `leave` work only in a function under repair: `step` enters one"
                    .to_owned()
            }));
        };
        let routine = &tracked.loaded.routine;
        let is_condition = routine.loop_at(at).is_some()
            || matches!(routine.code.get(at), Some(Instruction::Test(..)));
        if !is_condition {
            return Err("the next statement is neither a loop nor a branch".to_owned());
        }
        if !routine.leads_elsewhere(at, enters) {
            return Err(match routine.loop_at(at) {
                Some(_) => "the body of this loop has no statement: there is nothing to enter",
                None => "this branch has no statement: the program continues in the same way with and without it",
            }
            .to_owned());
        }
        let line = routine.line_after(at, enters);
        let line = line.ok_or("there is no statement to continue at")?;
        let stop = self.subject.jump(line, self.settings.limit).map_err(said)?;
        if let Some(tracked) = &mut self.tracked {
            tracked.is_forced = true;
        }
        self.arrived(stop)
    }

    pub(super) fn set_break(&mut self, place: &str) -> Done<String> {
        let set = match place.rsplit_once(':') {
            Some((file, line)) => {
                let line = line
                    .parse()
                    .map_err(|_| format!("`{line}` is not a line number"))?;
                self.subject.break_at_line(file, line)
            }
            None => match place.parse::<u32>() {
                Ok(line) => {
                    let file = self.files.first().map(|(file, _)| file.to_string());
                    self.subject.break_at_line(&file.unwrap_or_default(), line)
                }
                Err(_) => self.subject.break_at_function(place),
            },
        };
        set.map_err(|error| format!("there is no place `{place}`: {error}"))?;
        Ok(format!("breakpoint at `{place}`"))
    }

    /// Runs to the next breakpoint.
    pub(super) fn resume(&mut self) -> Done<String> {
        self.alive()?;
        if self.is_screened() {
            let (text, has_left) =
                self.walk(|this| !this.is_at_breakpoint() && this.is_screened())?;
            if !has_left || self.is_at_breakpoint() {
                return Ok(text);
            }
        }
        self.outrun();
        let stop = self.subject.resume(self.settings.limit).map_err(said)?;
        self.arrived(stop)
    }

    fn is_at_breakpoint(&self) -> bool {
        let why = self.stop.as_ref().map(|stop| &stop.why);
        matches!(why, Some(Why::Breakpoint { .. }))
    }

    /// Runs to the end of a function that is followed, where its state can be asserted; from there, and in other functions,
    /// back to the caller.
    pub(super) fn finish(&mut self) -> Done<String> {
        self.alive()?;
        if self.here().is_some() {
            let is_at_end = |this: &Self| {
                this.here()
                    .is_some_and(|(tracked, at)| at >= tracked.loaded.routine.code.len())
            };
            let leaves = is_at_end(self);
            let (text, _) = self.walk(|this| {
                this.here().is_some() && !this.is_at_breakpoint() && (leaves || !is_at_end(this))
            })?;
            return Ok(text);
        }
        self.outrun();
        let stop = self.subject.finish(self.settings.limit).map_err(said)?;
        self.arrived(stop)
    }

    /// The program runs too fast to be followed.
    pub(super) fn outrun(&mut self) {
        self.may_have_allocated();
        if let Some(tracked) = &mut self.tracked {
            tracked.visits = None;
        }
    }

    /// Whether the program goes step by step: it is in a function with a patch in force, with assertions, or with statements
    /// that are not modelled.
    fn is_screened(&self) -> bool {
        self.here().is_some_and(|(tracked, _)| {
            !tracked.in_force().is_empty()
                || !tracked.loaded.routine.concrete.is_empty()
                || tracked.history.current.is_some()
        })
    }

    /// The program stopped: says where and why, and shows the heap.
    pub(super) fn arrived(&mut self, stop: Stop) -> Done<String> {
        let mut text = String::new();
        self.reached(stop, &mut text)?;
        Ok(text)
    }

    fn reached(&mut self, stop: Stop, text: &mut String) -> Done<()> {
        match &stop.why {
            Why::Exited { code } => {
                push(text, &format!("the program ended with exit code {code}"));
            }
            Why::Killed { name, meaning } => {
                push(
                    text,
                    &format!("the program was ended by {name} ({meaning})"),
                );
            }
            Why::Signal { name, meaning } => {
                push(text, &format!("the program got {name} ({meaning})"));
            }
            Why::OutOfTime => push(
                text,
                &format!(
                    "the program ran for {} s without reaching that place: it was interrupted",
                    self.settings.limit.as_secs()
                ),
            ),
            Why::WaitsForInput => push(
                text,
                "the program was interrupted: it waits for input, and a session gives it none; to debug a test of nopol.toml with its input, choose that test with --only",
            ),
            Why::Interrupted => push(text, "the program was interrupted"),
            Why::Finished { value: Some(value) } => {
                push(text, &format!("it returned {value}"));
            }
            Why::Finished { value: None }
            | Why::Breakpoint { .. }
            | Why::EndOfStep
            | Why::Reached
            | Why::Other(_) => {}
        }
        self.pass(&stop, text)?;
        match stop.is_alive() {
            true => self.shown_at(text),
            false => Ok(()),
        }
    }

    /// The program stopped, and may go on at once.
    fn pass(&mut self, stop: &Stop, text: &mut String) -> Done<()> {
        self.stop = Some(stop.clone());
        self.moves += 1;
        self.unchanged = None;
        self.follow(stop, text)
    }

    /// Says where the program is, and shows the heap.
    fn shown_at(&mut self, text: &mut String) -> Done<()> {
        push(text, &self.place());
        text.push_str(&self.show(true)?);
        Ok(())
    }

    /// Follows the function where the program stopped.
    pub(super) fn follow(&mut self, stop: &Stop, text: &mut String) -> Done<()> {
        let (Some(frame), Some(line)) = (&stop.frame, stop.line()) else {
            return Ok(());
        };
        let Some(function) = frame.function.clone() else {
            return Ok(());
        };
        let mut is_followed = false;
        let mut is_same = false;
        if let Some(tracked) = &mut self.tracked {
            is_followed = tracked.loaded.routine.name == function;
            tracked.see(frame.identity, is_followed);
            is_same = is_followed && tracked.is_in(frame.identity, line);
        }
        if !is_same {
            let has_specified = self.tracked.as_ref().is_some_and(Tracked::is_in_use);
            if is_followed {
                if let Some(tracked) = &mut self.tracked {
                    tracked.call(frame.identity);
                }
            } else if has_specified || function == "main" || self.unfollowed.contains(&function) {
                return Ok(());
            } else {
                match Loaded::leniently(&self.files, &function) {
                    Ok(loaded) => {
                        push(text, &unmodelled(&loaded));
                        self.tracked = Some(Tracked::new(loaded, frame.identity));
                    }
                    Err(outside) => {
                        push(
                            text,
                            &format!("`{function}` can be inspected, but not repaired: {outside}"),
                        );
                        self.unfollowed.push(function);
                        return Ok(());
                    }
                }
            }
        }
        let Some(tracked) = &mut self.tracked else {
            return Ok(());
        };
        let was_seen = tracked.visits.is_some();
        let Some(way) = tracked.arrive(line) else {
            return Ok(());
        };
        if way.is_open && was_seen {
            push(
                text,
                "a loop is on one line: its iterations were not observed, so its condition decides how many there are",
            );
        }
        let statements = inserted(&tracked.loaded, tracked.in_force(), &way.slots);
        let statements = statements.map_err(|reason| self.give_up(&reason))?;
        for statement in statements {
            if let Err(sentence) = self.evaluate(&statement) {
                push(text, &sentence);
                break;
            }
        }
        if self.tracked.as_ref().is_some_and(Tracked::is_leaving) {
            let after = self.memory()?;
            if let Some(tracked) = &mut self.tracked {
                tracked.leave(after.as_ref());
            }
        }
        let is_beginning = self
            .tracked
            .as_ref()
            .is_some_and(|tracked| tracked.is_beginning);
        if is_beginning {
            let memory = self.memory()?;
            if let Some(tracked) = &mut self.tracked {
                let point = tracked.loaded.routine.point(way.to);
                tracked.begin(memory.map(|memory| (point, memory)));
            }
        }
        Ok(())
    }
}

/// Which lines of a function are not modelled; nothing if all are.
fn unmodelled(loaded: &Loaded) -> String {
    let all = loaded.routine.concrete.iter().map(|concrete| {
        let first = loaded.routine.statements[concrete.statement].line;
        let lines = match concrete.last == first {
            true => format!("line {first}"),
            false => format!("lines {first}-{}", concrete.last),
        };
        format!(
            "the effect of {lines} is taken from the run: {}",
            concrete.outside.reason
        )
    });
    all.collect::<Vec<_>>().join("\n")
}
