//! What is asserted, going back to it, and the repair that explains it.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_heap::RESULT;
use nopol_heap::confine::{Confinement, search};
use nopol_heap::ir::{Atom, Routine};
use nopol_heap::load::Loaded;
use nopol_heap::machine::Fault;
use nopol_heap::problem::{Control, Failure, Triple};
use nopol_heap::repair::{HeapOptions, HeapOutcome};
use nopol_heap::rewrite::{edits, rewritten};
use nopol_heap::state::{State, Value};
use nopol_heap::until::Until;
use nopol_heap::written::Written;

use super::history::Trust;
use super::screen::obstacle;
use super::tracked::Tracked;
use super::{DebugSession, Done, MOST_NODES, said, written};
use crate::gdb::{self, Stop, Why};
use crate::picture;

/// Which values are asserted if no patch explains all of them, and the note that the answer gets then.
const LOOSER: [(Trust, &str); 2] = [
    (
        Trust::Variables,
        " (local variables that you did not change may have other values)",
    ),
    (
        Trust::NewNodes,
        " (local variables, and fields of new nodes, that you did not change may have other values)",
    ),
];

/// In how many parts the time is split: with all that is asserted, and with each of [`LOOSER`].
const PARTS: u32 = 3;

/// Why no patch can be offered: the assertions say nothing about a triple that fails, or it begins with a value that could
/// not be read. None if there is no such triple.
fn unspecified(routine: &Routine, triples: &[Triple]) -> Option<String> {
    for triple in triples {
        let Err(failure) = triple.check(routine) else {
            continue;
        };
        let is_forced = matches!(&triple.control, Control::Along(visits) if !visits.is_empty());
        if triple.wanted(routine).is_empty() && !is_forced {
            return Some(
                "cannot search for a repair: none of the asserted values could be read".to_owned(),
            );
        }
        if let Failure::Fault(Fault::Dangling(statement) | Fault::Unknown(statement)) = failure {
            let leaves = &routine.statements[statement].leaves;
            let unread = leaves.iter().find_map(|leaf| match &leaf.atom {
                Atom::Read(path)
                    if routine.parameters.contains(&path.base)
                        && triple.from == routine.point(0)
                        && triple.before.variables[path.base] == Value::Unknown =>
                {
                    Some(&routine.variables[path.base].name)
                }
                _ => None,
            });
            if let Some(name) = unread {
                return Some(format!(
                    "cannot search for a repair: `{name}` cannot be read, and line {} needs it",
                    routine.statements[statement].line
                ));
            }
        }
    }
    None
}

/// Whether nothing is executed between two states.
fn is_empty(triple: &Triple) -> bool {
    triple.from == triple.to
        && matches!(&triple.control, Control::Along(visits) if visits.is_empty())
}

impl DebugSession {
    /// Says so if the program is in the middle of a statement of the function under repair.
    pub(super) fn is_within_statement(&self) -> Option<String> {
        let frame = self.stop.as_ref().and_then(|stop| stop.frame.as_ref());
        let name = &self.tracked.as_ref()?.loaded.routine.name;
        let is_in_it = frame?.function.as_ref() == Some(name);
        is_in_it.then(|| {
            format!(
                "the program is in the middle of a statement of `{name}`: use `next` to reach the next statement first"
            )
        })
    }

    pub(super) fn assert(&mut self) -> Done<String> {
        self.alive()?;
        if self.here().is_none() {
            return Err(match (self.is_within_statement(), &self.tracked) {
                (Some(why), _) => why,
                (None, Some(tracked)) => format!(
                    "states are asserted in `{}`, but the program is elsewhere; to repair another function, `undo` these states",
                    tracked.loaded.routine.name
                ),
                (None, None) => {
                    "states can be asserted only in a function under repair: `step` enters one"
                        .to_owned()
                }
            });
        }
        if let Some(Why::Signal { name, .. }) = self.stop.as_ref().map(|stop| &stop.why) {
            return Err(format!(
                "the program got {name} here, in the middle of a statement: `resume` a checkpoint before it, or `start`"
            ));
        }
        if self.tracked.as_ref().is_some_and(Tracked::is_halfway) {
            return Err(
                "the program is in the middle of a statement that is not modelled: use `next` to reach its end first"
                    .to_owned(),
            );
        }
        let state = self.whole()?;
        if state.hidden > 0
            || self
                .tracked
                .as_ref()
                .is_some_and(|tracked| tracked.is_beyond)
        {
            return Err(format!(
                "nothing can be asserted in this call: the heap has more than {MOST_NODES} nodes; give the program a smaller input"
            ));
        }
        if let Some(tracked) = &self.tracked
            && tracked.is_lost()
        {
            return Err(
                "it is not known how often this line was reached: continue to the end of the loop, or `start` again and come here with `next`"
                    .to_owned(),
            );
        }
        let nodes = self.nodes(&state);
        let unread = self.unread(&state);
        let line = self.stop.as_ref().and_then(Stop::line).unwrap_or(0);
        let program = match self.subject.snapshot() {
            Ok(snapshot) => Ok(snapshot),
            Err(gdb::Error::Unkept(reason)) => Err(reason),
            Err(error) => return Err(said(error)),
        };
        self.unchanged = None;
        let changed = std::mem::take(&mut self.changed);
        let number = self.tracked.as_mut().and_then(|tracked| {
            tracked.assert(&state, nodes, line, changed, (program, &self.names))
        });
        match number {
            Some(number) => {
                let mut text =
                    format!("added this state to the specification as checkpoint {number}");
                if !unread.is_empty() {
                    let names = unread.join("`, `");
                    let it = nopol_basics::agree(unread.len(), "it", "them");
                    let _ = write!(
                        text,
                        "\n`{names}` cannot be read: nothing is asserted about {it}"
                    );
                }
                Ok(text)
            }
            None => Err("the state cannot be asserted here".to_owned()),
        }
    }

    /// The variables of the function that hold something that the debugger cannot read.
    fn unread(&self, state: &State) -> Vec<String> {
        let Some(tracked) = &self.tracked else {
            return Vec::new();
        };
        let unset = tracked.unset();
        let modelled = tracked.loaded.routine.variables.iter();
        let modelled = modelled.filter(|variable| !variable.is_hidden && variable.name != RESULT);
        let is_unread = |name: &str| {
            let mut held = state.variables.iter().filter(|held| held.name == name);
            !unset.iter().any(|other| other == name)
                && held
                    .next_back()
                    .is_some_and(|held| held.value == Value::Unknown)
        };
        let unread = modelled.filter(|variable| is_unread(&variable.name));
        unread.map(|variable| variable.name.clone()).collect()
    }

    pub(super) fn repair(&mut self) -> Done<String> {
        let Some(tracked) = &mut self.tracked else {
            return Err(
                "nothing is asserted yet: `spec` asserts the state that is shown".to_owned(),
            );
        };
        let history = &tracked.history;
        let mut routine = tracked.loaded.routine.clone();
        for statement in &mut routine.statements {
            statement.is_locked |= tracked.concrete.contains(&statement.line);
        }
        let since = tracked.since();
        let triples = history.triples(&routine, since.clone(), Trust::All);
        if triples.is_empty() {
            return Err(
                "nothing is asserted yet: `spec` asserts the state that is shown".to_owned(),
            );
        }
        if let Some(refusal) = unspecified(&routine, &triples) {
            return Err(refusal);
        }
        let started = Instant::now();
        let limit = self.settings.search_limit;
        let asked = &*self.asked;
        // Each of the searches has a part of the time, so that one without an answer leaves some to the next.
        let searched = |triples: &[Triple], part: u32| {
            let until = Until {
                deadline: started.checked_add(limit * part / PARTS),
                asked: Some(asked),
            };
            let options = HeapOptions {
                until,
                ..HeapOptions::default()
            };
            search(&routine, triples, Confinement::Suspects, options)
        };
        let mut found = searched(&triples, 1);
        let mut note = "";
        // Whoever corrects the heap rarely looks at everything.
        for (part, (trust, said)) in (2..).zip(LOOSER) {
            if matches!(
                found.repaired.result,
                HeapOutcome::Correct | HeapOutcome::Patch(_)
            ) {
                break;
            }
            let loose = history.triples(&routine, since.clone(), trust);
            let other = searched(&loose, part);
            if matches!(
                other.repaired.result,
                HeapOutcome::Correct | HeapOutcome::Patch(_)
            ) {
                note = said;
                found = other;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let chain = history.chain();
        let seen = seen(&tracked.loaded);
        let answer = match found.repaired.result {
            HeapOutcome::Correct => {
                tracked.changes.clear();
                tracked.obstacle = None;
                Ok(match chain.as_slice() {
                    [_] if triples.iter().all(is_empty) => "there is nothing to repair yet: only the state at the beginning of the call is asserted; continue, and assert another state".to_owned(),
                    _ => format!("there is nothing to repair: the program satisfies all assertions{note}"),
                })
            }
            HeapOutcome::Patch(changes) => {
                tracked.obstacle = obstacle(&tracked.loaded, &changes);
                tracked.changes = changes;
                Ok(format!(
                    "repaired in {seconds:.2} s{note}{}:\n\n{}",
                    self.in_force_since(),
                    self.diff()
                ))
            }
            HeapOutcome::Contradiction(at) => {
                let of: Vec<String> = at
                    .iter()
                    .filter_map(|at| chain.get(*at))
                    .map(ToString::to_string)
                    .collect();
                Err(match of.as_slice() {
                    [] => "no change that `repair` tries meets the specification".to_owned(),
                    [one] => format!(
                        "no change that `repair` tries leads to the state of checkpoint {one}: take it back with `undo`, or go back before it with `resume`"
                    ),
                    of => format!(
                        "the states of checkpoints {} contradict each other, or no change that `repair` tries leads to all of them",
                        of.join(" and ")
                    ),
                })
            }
            HeapOutcome::Exhausted => {
                Err("no repair was found that satisfies all assertions".to_owned())
            }
            HeapOutcome::Unknown if asked.load(Ordering::SeqCst) => {
                Err("the search was interrupted before it found a repair".to_owned())
            }
            HeapOutcome::Unknown if started.elapsed() >= limit / PARTS => Err(format!(
                "no repair was found in {seconds:.0} s: assert states more often or on fewer nodes, or declare lines correct with `concrete`"
            )),
            HeapOutcome::Unknown if !seen.is_empty() => Err("no repair was found".to_owned()),
            HeapOutcome::Unknown => Err(
                "no repair was found: the path between two checkpoints is too long, or there are too many nodes; assert states more often or on fewer nodes".to_owned(),
            ),
        };
        answer.map_err(|sentence| sentence + &seen)
    }

    /// Since when the patch is in force, after a comma or semicolon.
    fn in_force_since(&self) -> String {
        let Some(tracked) = &self.tracked else {
            return String::new();
        };
        let function = &tracked.loaded.routine.name;
        match (&tracked.obstacle, self.stop.as_ref().map(|stop| &stop.why)) {
            (Some(reason), _) => format!(
                ", but the session cannot continue with the patch, because {reason}; `rewrite FILE` writes it"
            ),
            (None, Some(Why::Signal { name, .. })) => format!(
                "; the program got {name} here, so the session continues with the patch in `{function}` only after `start` or `resume`"
            ),
            _ if self.here().is_none() => {
                format!(
                    "; the session continues with the patch as soon as the program is in `{function}` again"
                )
            }
            _ => "; the session continues with the patch".to_owned(),
        }
    }

    pub(super) fn diff(&self) -> String {
        self.patch().unwrap_or_default().diff.trim_end().to_owned()
    }

    /// The patch in force, if there is one.
    pub fn patch(&self) -> Option<Written> {
        let tracked = self.tracked.as_ref()?;
        let patch = Written::new(&tracked.loaded, &tracked.changes, Utf8Path::to_owned);
        (!patch.edits.is_empty()).then_some(patch)
    }

    /// The patched texts of the files that change.
    pub(super) fn rewritten(&self) -> Vec<(Utf8PathBuf, String)> {
        let Some(tracked) = &self.tracked else {
            return Vec::new();
        };
        let loaded = &tracked.loaded;
        let edits = edits(&loaded.routine, &loaded.texts, &tracked.changes);
        let after = rewritten(&loaded.texts, &edits);
        let pairs = loaded
            .program
            .files
            .iter()
            .zip(loaded.texts.iter().zip(after));
        pairs
            .filter(|(_, (before, after))| *before != after)
            .map(|(file, (_, after))| (file.clone(), after))
            .collect()
    }

    pub(super) fn rewrite(&self, file: Option<&str>) -> Done<String> {
        let texts = self.rewritten();
        let [(_, text)] = texts.as_slice() else {
            return match texts.is_empty() {
                true => Err("there is no patch yet: `repair` searches for one".to_owned()),
                false => Ok(self.diff()),
            };
        };
        let Some(file) = file else {
            return Ok(self.diff());
        };
        let written = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(file)
            .and_then(|mut opened| std::io::Write::write_all(&mut opened, text.as_bytes()));
        match written {
            Ok(()) => Ok(format!("the patched source is in {file}")),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(format!("{file} exists already: name a new file"))
            }
            Err(error) => Err(format!("cannot write {file}: {error}")),
        }
    }

    pub(super) fn concrete(&mut self, first: u32, last: u32) -> Done<String> {
        let Some(tracked) = &mut self.tracked else {
            return Err("no function is under repair yet: `step` enters one".to_owned());
        };
        let lines = first..=last;
        let known = tracked.loaded.routine.statements.iter();
        let known =
            known.filter(|statement| lines.contains(&statement.line) && !statement.is_locked);
        if known.count() == 0 {
            return Err(format!(
                "`{}` has no statement that could be changed there",
                tracked.loaded.routine.name
            ));
        }
        tracked.concrete.extend(lines);
        Ok("these statements are assumed to be correct".to_owned())
    }

    pub(super) fn checkpoints(&self) -> Done<String> {
        let history = self.tracked.as_ref().map(|tracked| &tracked.history);
        let Some(history) = history.filter(|history| !history.checkpoints.is_empty()) else {
            return Err("there are no checkpoints: `spec` makes one".to_owned());
        };
        let chain = history.chain();
        let mut text = String::new();
        for (number, checkpoint) in &history.checkpoints {
            let mark = match (history.current == Some(*number), chain.contains(number)) {
                (true, _) => ">",
                (false, true) => "*",
                (false, false) => " ",
            };
            let after = checkpoint
                .parent
                .map_or_else(String::new, |parent| format!(", after {parent}"));
            let _ = writeln!(
                text,
                "{mark} {number}  line {}{after}: {}",
                checkpoint.line,
                picture::words(&checkpoint.state)
            );
        }
        Ok(text)
    }

    pub(super) fn resume_checkpoint(&mut self, number: usize) -> Done<String> {
        self.alive()?;
        let tracked = self.tracked.as_ref();
        let checkpoint = tracked.and_then(|tracked| tracked.history.checkpoints.get(&number));
        let Some(kept) = checkpoint.map(|checkpoint| Arc::clone(&checkpoint.kept)) else {
            return Err(format!(
                "there is no checkpoint {number}: `checkpoints` lists them"
            ));
        };
        let gone = match &kept.program {
            Ok(snapshot) => self.subject.go_back(snapshot).map_err(said),
            Err(reason) => Err(reason.clone()),
        };
        let stop = gone.map_err(|reason| {
            format!("the program cannot go back to checkpoint {number}: {reason}")
        })?;
        self.names = kept.names.clone();
        if let Some(tracked) = &mut self.tracked {
            tracked.resume(number);
        }
        self.stop = Some(stop);
        self.changed.clear();
        self.moves += 1;
        self.unchanged = None;
        // What was shown last is later than this state: nothing has changed since then.
        self.shown = None;
        let shown = self.show(false)?;
        Ok(format!(
            "the program is at checkpoint {number} again\n{}{shown}",
            self.place()
        ))
    }

    pub(super) fn undo(&mut self) -> Done<String> {
        if let Some(changed) = self.changed.last().cloned() {
            let name = written(&changed.named);
            if changed.moves != self.moves {
                self.changed.pop();
                return Err(format!(
                    "the change of `{name}` stays, because the program has moved on since then; another `undo` undoes the `change` or `spec` before it"
                ));
            }
            self.write(&changed.named, changed.before)?;
            self.changed.pop();
            let shown = self.show(false)?;
            return Ok(format!("{name} is {} again\n{shown}", changed.before));
        }
        let taken = self.tracked.as_mut().and_then(Tracked::take_back);
        let Some((last, changed)) = taken else {
            return Err("there is nothing to undo".to_owned());
        };
        self.changed = changed;
        let history = self.tracked.as_ref().map(|tracked| &tracked.history);
        let after = history.map_or_else(Vec::new, |history| history.after(last));
        let mut text = match after.as_slice() {
            [] => format!("removed checkpoint {last}\n"),
            [first, ..] => format!(
                "checkpoint {last} no longer counts; it is kept, because checkpoint {first} follows it, and counts again after `resume`\n"
            ),
        };
        // The function where the program is may be another one, which can be followed now.
        if self.here().is_none()
            && let Some(stop) = self.stop.clone()
        {
            self.follow(&stop, &mut text)?;
        }
        Ok(text)
    }
}

/// Which lines stay as they are because they are not modelled, and why, after a semicolon; nothing if all are.
fn seen(loaded: &Loaded) -> String {
    let all = loaded.routine.concrete.iter().map(|concrete| {
        let first = loaded.routine.statements[concrete.statement].line;
        let lines = match concrete.last == first {
            true => format!("line {first} stays as it is"),
            false => format!("lines {first}-{} stay as they are", concrete.last),
        };
        format!("; {lines}, because {}", concrete.outside.reason)
    });
    all.collect()
}
