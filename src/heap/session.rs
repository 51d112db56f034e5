//! An interactive session: gdb runs the program, the user corrects its heap and forces branches, and what is asserted becomes a
//! repair that is in force from then on (Wolverine2, sections 2.1, 3.2 and 6).
//!
//! What is typed is a [`command::Command`]; what is said is text for the user. Prompts, scripts and files are left to the caller.

pub mod command;
mod history;
mod place;
mod screen;
mod tracked;

use std::fmt::Write;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use self::command::{Command, HELP, Named};
use self::screen::{Instead, inserted, instead};
use self::tracked::Tracked;
use super::confine::{Confinement, search};
use super::gdb::{self, Interrupter, Names, Stop, Subject, Why};
use super::load::Loaded;
use super::memory::Memory;
use super::notation::nearest;
use super::picture;
use super::repair::{Options, Outcome};
use super::rewrite::{edits, rewritten};
use super::state::{State, Value, Variable};
use super::written::Written;

/// What a session shows, and how long it waits.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The width of the terminal.
    pub width: usize,
    /// Whether pictures are in colour.
    pub color: bool,
    /// How long a command of the subject may run.
    pub limit: Duration,
    /// Most nodes that are shown.
    pub most_nodes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 100,
            color: false,
            limit: Duration::from_secs(10),
            most_nodes: 50,
        }
    }
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Text for the user.
    Text {
        /// What the program printed meanwhile.
        output: String,
        /// What the session says.
        text: String,
    },
    /// The session is over.
    Quit,
}

/// A session.
pub struct Session {
    subject: Subject,
    /// The source files that are read.
    files: Vec<(Utf8PathBuf, String)>,
    settings: Settings,
    names: Names,
    stop: Option<Stop>,
    /// The state that was shown last.
    shown: Option<State>,
    tracked: Option<Tracked>,
    /// Functions that cannot be followed were named already.
    unfollowed: Vec<String>,
    /// What `change` changed since the last checkpoint, with the values before.
    changed: Vec<(Named, Value)>,
    /// Pictures as SVG, for who shows them elsewhere.
    picture: Option<String>,
    steps: usize,
}

/// What goes wrong in a command: a sentence for the user.
type Done<T> = Result<T, String>;

impl Session {
    /// A session with a program that is loaded; `files` are its sources.
    pub fn new(subject: Subject, files: Vec<(Utf8PathBuf, String)>, settings: Settings) -> Self {
        Self {
            subject,
            files,
            settings,
            names: Names::default(),
            stop: None,
            shown: None,
            tracked: None,
            unfollowed: Vec::new(),
            changed: Vec::new(),
            picture: None,
            steps: 0,
        }
    }

    /// What interrupts the program from elsewhere.
    pub fn interrupter(&self) -> Interrupter {
        self.subject.interrupter()
    }

    /// The picture of the state that was shown last, as SVG, with its number; once for each.
    pub fn take_picture(&mut self) -> Option<(usize, String)> {
        self.picture.take().map(|picture| (self.steps, picture))
    }

    /// Where the program is: the file, its text and the line, counted from 1. `None` outside of its sources.
    pub fn source_line(&self) -> Option<(&Utf8Path, &str, u32)> {
        let frame = self.stop.as_ref()?.frame.as_ref()?;
        let file = frame.file.as_deref()?;
        let (path, text) = self.source(file)?;
        Some((path, text, frame.line?))
    }

    /// The names that can be completed: variables and fields.
    pub fn entities(&self) -> Vec<String> {
        let Some(state) = &self.shown else {
            return Vec::new();
        };
        let variables = state.variables.iter().map(|variable| variable.name.clone());
        let fields = state.nodes.iter().flat_map(|node| {
            let fields = node.fields.iter();
            fields.map(|field| format!("{}->{}", node.id, field.name))
        });
        variables.chain(fields).collect()
    }

    /// Executes a command.
    pub fn execute(&mut self, command: &Command) -> Reply {
        if *command == Command::Quit {
            return Reply::Quit;
        }
        let text = self.dispatch(command).unwrap_or_else(|sentence| sentence);
        Reply::Text {
            output: self.subject.take_output(),
            text: text.trim_end().to_owned(),
        }
    }

    fn dispatch(&mut self, command: &Command) -> Done<String> {
        match command {
            Command::Start => self.start(),
            Command::Next(times) => self.next(*times),
            Command::Step => {
                self.alive()?;
                let stop = self.subject.step(self.settings.limit).map_err(said)?;
                self.arrived(stop)
            }
            Command::Enter => self.force(true),
            Command::Leave => self.force(false),
            Command::Break(place) => self.set_break(place),
            Command::Continue => self.resume(),
            Command::Finish => self.finish(),
            Command::Print(None) => self.show(false),
            Command::Print(Some(named)) => {
                let named = self.resolved(named)?;
                let held = printed(&self.read()?, &named)?;
                Ok(format!("{} = {held}", written(&named)))
            }
            Command::Change(named, value) => self.change(named, *value),
            Command::Spec => self.assert(),
            Command::Repair => self.repair(),
            Command::Rewrite(file) => self.rewrite(file.as_deref()),
            Command::Concrete(first, last) => self.concrete(*first, *last),
            Command::Checkpoints => self.checkpoints(),
            Command::Resume(number) => self.resume_checkpoint(*number),
            Command::Undo => self.undo(),
            Command::Help => Ok(HELP.to_owned()),
            Command::Quit => Ok(String::new()),
        }
    }

    /// That the program runs.
    fn alive(&self) -> Done<()> {
        match &self.stop {
            Some(stop) if stop.is_alive() => Ok(()),
            _ => Err("the program does not run: `start` starts it".to_owned()),
        }
    }

    fn start(&mut self) -> Done<String> {
        self.names.forget_all();
        self.shown = None;
        self.changed.clear();
        // The patch and the assertions stay: the run begins anew, not the session.
        if let Some(tracked) = &mut self.tracked {
            tracked.has_ended = true;
        }
        let stop = self.subject.start(self.settings.limit).map_err(said)?;
        let text = self.arrived(stop)?;
        Ok(format!("the program is at the beginning of `main`\n{text}"))
    }

    fn next(&mut self, times: u32) -> Done<String> {
        self.alive()?;
        let started = Instant::now();
        let mut text = String::new();
        for _ in 0..times.max(1) {
            let stop = self.advance()?;
            let ends = self.ends(&stop, started);
            text = self.arrived(stop)?;
            if self.alive().is_err() || ends {
                break;
            }
        }
        Ok(self.with_limit(text, started))
    }

    /// Whether a row of steps ends here: somebody interrupted it, or it took too long.
    fn ends(&self, stop: &Stop, started: Instant) -> bool {
        let is_stopped = matches!(
            stop.why,
            Why::Interrupted | Why::OutOfTime | Why::Signal { .. }
        );
        is_stopped || started.elapsed() >= self.settings.limit
    }

    /// What is said, and that the steps took too long if they did.
    fn with_limit(&self, text: String, started: Instant) -> String {
        match started.elapsed() >= self.settings.limit {
            true => format!(
                "the program was stopped after {} s on its way\n{text}",
                self.settings.limit.as_secs()
            ),
            false => text,
        }
    }

    /// Executes the next statement, as the patch in force has it.
    fn advance(&mut self) -> Done<Stop> {
        let limit = self.settings.limit;
        if self
            .here()
            .is_some_and(|(tracked, _)| tracked.is_entering())
        {
            let before = self.memory()?;
            if let Some(tracked) = &mut self.tracked {
                tracked.enter(before);
            }
        }
        let Some((tracked, at)) = self.here() else {
            return self.subject.next(limit).map_err(said);
        };
        let (routine, texts) = (&tracked.loaded.routine, &tracked.loaded.texts);
        match instead(routine, texts, &tracked.changes, at) {
            Instead::Nothing => {
                let freed = tracked.loaded.routine.freed_at(at);
                let freed = match freed {
                    Some(pointer) => self.resolved(&Named::Variable(pointer)).and_then(|named| {
                        let state = self.read()?;
                        found(&state, &named)
                    }),
                    None => Ok(Value::Null),
                };
                let stop = self.subject.next(limit).map_err(said)?;
                if let Ok(Value::Node(node)) = freed {
                    self.names.mark_freed(node);
                }
                Ok(stop)
            }
            Instead::Evaluate(text, line) => {
                self.subject.evaluate(&text).map_err(said)?;
                self.subject.jump(line, limit).map_err(said)
            }
            Instead::Decide(condition) => {
                let holds = self.holds(&condition)?;
                let Some((tracked, at)) = self.here() else {
                    return Err("the function is not followed".to_owned());
                };
                let line = tracked.loaded.routine.line_after(at, holds);
                let line = line.ok_or("there is nothing to go on with")?;
                self.subject.jump(line, limit).map_err(said)
            }
            Instead::Unable => self.subject.next(limit).map_err(said),
        }
    }

    /// The memory of the function that is followed.
    fn memory(&mut self) -> Done<Memory> {
        let state = self.read()?;
        let nodes = self.nodes(&state);
        let tracked = self.tracked.as_ref().ok_or("no function is followed")?;
        Ok(tracked.memory(&state, nodes))
    }

    fn holds(&mut self, condition: &str) -> Done<bool> {
        let value = self
            .subject
            .evaluate(&format!("({condition}) ? 1 : 0"))
            .map_err(said)?;
        Ok(value.trim() == "1")
    }

    /// The function that is followed and the instruction that comes next, if the program is there.
    fn here(&self) -> Option<(&Tracked, usize)> {
        let tracked = self.tracked.as_ref()?;
        let frame = self.stop.as_ref()?.frame.as_ref()?;
        let at = tracked.at?;
        (frame.identity == tracked.frame
            && frame.function.as_deref() == Some(&tracked.loaded.routine.name))
        .then_some((tracked, at))
    }

    /// Goes into a loop or branch, or past it.
    fn force(&mut self, enters: bool) -> Done<String> {
        self.alive()?;
        let Some((tracked, at)) = self.here() else {
            return Err("there is no loop or branch here".to_owned());
        };
        let routine = &tracked.loaded.routine;
        let is_condition = routine.loop_at(at).is_some()
            || matches!(routine.code.get(at), Some(super::ir::Instruction::Test(..)));
        if !is_condition {
            return Err("the next statement is no loop and no branch".to_owned());
        }
        let line = routine.line_after(at, enters);
        let line = line.ok_or("there is nothing to go on with")?;
        let stop = self.subject.jump(line, self.settings.limit).map_err(said)?;
        if let Some(tracked) = &mut self.tracked {
            tracked.is_forced = true;
        }
        self.arrived(stop)
    }

    fn set_break(&mut self, place: &str) -> Done<String> {
        let set = match place.rsplit_once(':') {
            Some((file, line)) => {
                let line = line
                    .parse()
                    .map_err(|_| format!("`{line}` is no number of a line"))?;
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
        let set = set.map_err(|error| format!("there is no place `{place}`: {error}"))?;
        Ok(format!("breakpoint {} at `{place}`", set.number))
    }

    /// Runs to the next breakpoint; step by step where a patch is in force or assertions are being made.
    fn resume(&mut self) -> Done<String> {
        self.alive()?;
        let started = Instant::now();
        while self.here().is_some() && self.is_screened() {
            let stop = self.advance()?;
            let is_there = !stop.is_alive() || matches!(stop.why, Why::Breakpoint { .. });
            let ends = self.ends(&stop, started);
            let text = self.arrived(stop)?;
            if is_there || ends {
                return Ok(self.with_limit(text, started));
            }
        }
        self.outrun();
        let stop = self.subject.resume(self.settings.limit).map_err(said)?;
        self.arrived(stop)
    }

    fn finish(&mut self) -> Done<String> {
        self.alive()?;
        let started = Instant::now();
        while self.here().is_some() && self.is_screened() {
            let stop = self.advance()?;
            let ends = self.ends(&stop, started);
            let text = self.arrived(stop)?;
            if self.here().is_none() || self.alive().is_err() || ends {
                return Ok(self.with_limit(text, started));
            }
        }
        self.outrun();
        let stop = self.subject.finish(self.settings.limit).map_err(said)?;
        self.arrived(stop)
    }

    /// The program runs too fast to be followed.
    fn outrun(&mut self) {
        if let Some(tracked) = &mut self.tracked {
            tracked.visits = None;
        }
    }

    fn is_screened(&self) -> bool {
        self.tracked.as_ref().is_some_and(|tracked| {
            !tracked.changes.is_empty()
                || !tracked.loaded.routine.concrete.is_empty()
                || tracked.history.current.is_some()
        })
    }

    /// The program stopped: says where and why, and shows the heap.
    fn arrived(&mut self, stop: Stop) -> Done<String> {
        let mut text = String::new();
        self.stop = Some(stop.clone());
        match &stop.why {
            Why::Exited { code } => return Ok(format!("the program ended with exit code {code}")),
            Why::Killed { name, meaning } => {
                return Ok(format!("the program was ended by {name} ({meaning})"));
            }
            Why::Signal { name, meaning } => {
                push(&mut text, &format!("the program got {name} ({meaning})"));
            }
            Why::OutOfTime => push(
                &mut text,
                &format!(
                    "the program ran for {} s without coming there: it was interrupted",
                    self.settings.limit.as_secs()
                ),
            ),
            Why::Interrupted => push(&mut text, "the program was interrupted"),
            Why::Finished { value: Some(value) } => {
                push(&mut text, &format!("it returned {value}"));
            }
            Why::Finished { value: None }
            | Why::Breakpoint { .. }
            | Why::EndOfStep
            | Why::Reached
            | Why::Other(_) => {}
        }
        self.follow(&stop, &mut text)?;
        push(&mut text, &self.place());
        text.push_str(&self.show(true)?);
        Ok(text)
    }

    /// Follows the function where the program stopped.
    fn follow(&mut self, stop: &Stop, text: &mut String) -> Done<()> {
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
            let has_specified = self
                .tracked
                .as_ref()
                .is_some_and(|tracked| !tracked.history.checkpoints.is_empty());
            if is_followed {
                if let Some(tracked) = &mut self.tracked {
                    tracked.call(frame.identity);
                }
            } else if has_specified || function == "main" {
                return Ok(());
            } else {
                match Loaded::leniently(&self.files, &function) {
                    Ok(loaded) => {
                        push(text, &unmodelled(&loaded));
                        self.tracked = Some(Tracked::new(loaded, frame.identity));
                    }
                    Err(outside) => {
                        if !self.unfollowed.contains(&function) {
                            push(
                                text,
                                &format!(
                                    "`{function}` can be looked at but not repaired: {outside}"
                                ),
                            );
                            self.unfollowed.push(function);
                        }
                        return Ok(());
                    }
                }
            }
        }
        let Some(tracked) = &mut self.tracked else {
            return Ok(());
        };
        let Some(way) = tracked.arrive(line) else {
            return Ok(());
        };
        let statements = inserted(&tracked.loaded.routine, &tracked.changes, &way.slots);
        for statement in statements {
            self.subject.evaluate(&statement).map_err(said)?;
        }
        if self.tracked.as_ref().is_some_and(Tracked::is_leaving) {
            let after = self.memory()?;
            if let Some(tracked) = &mut self.tracked {
                tracked.leave(&after);
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
                tracked.begin(point, memory);
            }
        }
        Ok(())
    }

    /// The source file that debug information calls so, and its text.
    fn source(&self, file: &str) -> Option<(&Utf8Path, &str)> {
        let name = file.rsplit('/').next();
        let mut files = self.files.iter();
        let found = files.find(|(path, _)| path.file_name() == name);
        found.map(|(path, text)| (path.as_path(), text.as_str()))
    }

    /// The line where the program is.
    fn place(&self) -> String {
        let frame = self.stop.as_ref().and_then(|stop| stop.frame.as_ref());
        let Some((frame, line)) = frame.and_then(|frame| Some((frame, frame.line?))) else {
            return "the program is outside of its sources".to_owned();
        };
        let file = frame.file.clone().unwrap_or_default();
        let name = file.rsplit('/').next().unwrap_or(&file);
        let source = self.source(&file);
        let text = source.and_then(|(_, text)| text.lines().nth(line.saturating_sub(1) as usize));
        format!("{name}:{line}  {}", text.unwrap_or_default().trim())
    }

    fn read(&mut self) -> Done<State> {
        let globals = self
            .subject
            .globals()
            .iter()
            .map(|global| global.name.clone());
        let here = self.here().map(|(tracked, _)| tracked.unset());
        let request = gdb::Request {
            globals: globals.collect(),
            most_nodes: self.settings.most_nodes,
            // Of other functions it is not known what was assigned to, so that anything may look like a node.
            lost: here.is_some(),
            unset: here.unwrap_or_default(),
        };
        self.subject
            .read_state(&request, &mut self.names)
            .map_err(said)
    }

    /// How many numbers of nodes were given away.
    fn nodes(&self, state: &State) -> u32 {
        let mut count = state
            .nodes
            .iter()
            .map(|node| node.id.0 + 1)
            .max()
            .unwrap_or(0);
        while self.names.record(super::state::NodeId(count)).is_some() {
            count += 1;
        }
        count
    }

    /// Draws the heap; only if it changed, if that is wanted.
    fn show(&mut self, only_changes: bool) -> Done<String> {
        self.alive()?;
        let state = self.read()?;
        let before = self.shown.replace(state.clone());
        if only_changes && before.as_ref() == Some(&state) {
            return Ok(String::new());
        }
        self.steps += 1;
        self.picture = Some(picture::svg(&state, before.as_ref(), &self.place()));
        let picture = picture::draw(
            &state,
            before.as_ref(),
            self.settings.width,
            self.settings.color,
        );
        Ok(format!("\n{picture}"))
    }

    /// `current->next` by the node that `current` points to.
    fn resolved(&mut self, named: &Named) -> Done<Named> {
        self.alive()?;
        let Named::Variable(name) = named else {
            return Ok(named.clone());
        };
        let Some((variable, field)) = name.rsplit_once("->") else {
            return Ok(named.clone());
        };
        let holder = self.resolved(&Named::Variable(variable.to_owned()))?;
        let state = self.read()?;
        match found(&state, &holder)? {
            Value::Node(node) => Ok(Named::Field(node, field.to_owned())),
            value => Err(format!("{variable} is {value}: it has no fields")),
        }
    }

    fn change(&mut self, named: &Named, value: Value) -> Done<String> {
        let named = &self.resolved(named)?;
        let state = self.read()?;
        let before = found(&state, named)?;
        if let Value::Node(node) = value
            && self.names.address(node).is_none()
        {
            let nodes = state
                .nodes
                .iter()
                .map(|node| node.id.to_string())
                .collect::<Vec<_>>();
            return Err(format!(
                "there is no node {node}{}",
                match nodes.as_slice() {
                    [] => String::new(),
                    nodes => format!("; the nodes are {}", nodes.join(", ")),
                }
            ));
        }
        self.write(named, value)?;
        self.changed.push((named.clone(), before));
        let after = self.read()?;
        let wide = picture::beside(
            &state,
            &after,
            ("as the program has it", "as you want it"),
            self.settings.width,
            self.settings.color,
        );
        self.steps += 1;
        self.picture = Some(picture::svg(&after, Some(&state), &self.place()));
        self.shown = Some(after);
        Ok(wide)
    }

    fn write(&mut self, named: &Named, value: Value) -> Done<()> {
        match named {
            Named::Variable(name) => self.subject.set_variable(name, value, &self.names),
            Named::Field(node, field) => self.subject.set_field(*node, field, value, &self.names),
        }
        .map_err(said)
    }

    fn assert(&mut self) -> Done<String> {
        self.alive()?;
        if self.here().is_none() {
            return Err(match &self.tracked {
                Some(tracked) => format!(
                    "states are asserted in `{}`, where the program is not",
                    tracked.loaded.routine.name
                ),
                None => "states are asserted within the function under repair: `step` enters one"
                    .to_owned(),
            });
        }
        if self.tracked.as_ref().is_some_and(Tracked::is_halfway) {
            return Err(
                "this statement is not modelled, and half done: go to its end by `next` first"
                    .to_owned(),
            );
        }
        let state = self.read()?;
        let nodes = self.nodes(&state);
        let line = self.stop.as_ref().and_then(Stop::line).unwrap_or(0);
        let changed: Vec<Named> = self.changed.drain(..).map(|(named, _)| named).collect();
        let number = self
            .tracked
            .as_mut()
            .and_then(|tracked| tracked.assert(&state, nodes, line, &changed));
        match number {
            Some(number) => Ok(format!(
                "the state is added to the specification: checkpoint {number}"
            )),
            None => Err("the state cannot be asserted here".to_owned()),
        }
    }

    fn repair(&mut self) -> Done<String> {
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
        let triples = history.triples(&routine, since.clone(), false);
        if triples.is_empty() {
            return Err(
                "nothing is asserted yet: `spec` asserts the state that is shown".to_owned(),
            );
        }
        let started = Instant::now();
        let mut found = search(
            &routine,
            &triples,
            Confinement::Suspects,
            Options::default(),
        );
        let mut note = "";
        if !matches!(found.repaired.result, Outcome::Correct | Outcome::Patch(_)) {
            // Whoever corrects the heap rarely looks at every local variable.
            let loose = history.triples(&routine, since, true);
            let other = search(&routine, &loose, Confinement::Suspects, Options::default());
            if matches!(other.repaired.result, Outcome::Correct | Outcome::Patch(_)) {
                note = " (local variables that you did not change may have other values)";
                found = other;
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let chain = history.chain();
        match found.repaired.result {
            Outcome::Correct => {
                tracked.changes.clear();
                Ok(format!("nothing has to be changed: the program does all that is asserted{note}"))
            }
            Outcome::Patch(changes) => {
                tracked.changes = changes;
                Ok(format!(
                    "repaired in {seconds:.2} s{note}; the patch is in force from here on:\n\n{}",
                    self.diff()
                ))
            }
            Outcome::Contradiction(at) => {
                let of: Vec<String> = at
                    .iter()
                    .filter_map(|at| chain.get(*at))
                    .map(ToString::to_string)
                    .collect();
                Err(match of.as_slice() {
                    [] => "no change of the function explains what is asserted".to_owned(),
                    [one] => format!(
                        "no change of the function leads to the state of checkpoint {one}: `undo` or `resume` takes it back"
                    ),
                    of => format!(
                        "the states of checkpoints {} contradict each other, or no change explains them together",
                        of.join(" and ")
                    ),
                })
            }
            Outcome::Exhausted => {
                Err("no repair was found that explains all that is asserted".to_owned())
            }
            Outcome::Unknown => Err(
                "no repair was found: the way between two checkpoints is too long; assert states more often".to_owned(),
            ),
        }
    }

    fn diff(&self) -> String {
        self.patch().unwrap_or_default().diff.trim_end().to_owned()
    }

    /// The patch in force, if there is one.
    pub fn patch(&self) -> Option<Written> {
        let tracked = self.tracked.as_ref()?;
        let patch = Written::new(&tracked.loaded, &tracked.changes, Utf8Path::to_owned);
        (!patch.edits.is_empty()).then_some(patch)
    }

    /// The patched texts of the files that change.
    fn rewritten(&self) -> Vec<(Utf8PathBuf, String)> {
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

    fn rewrite(&self, file: Option<&str>) -> Done<String> {
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
            Err(error) => Err(format!("cannot write {file}: {error}")),
        }
    }

    fn concrete(&mut self, first: u32, last: u32) -> Done<String> {
        let Some(tracked) = &mut self.tracked else {
            return Err("there is no function yet: `step` enters one".to_owned());
        };
        let lines = first..=last;
        let known = tracked.loaded.routine.statements.iter();
        let known =
            known.filter(|statement| lines.contains(&statement.line) && !statement.is_locked);
        if known.count() == 0 {
            return Err(format!(
                "there is no statement of `{}` there",
                tracked.loaded.routine.name
            ));
        }
        tracked.concrete.extend(lines);
        Ok("these statements are taken for right".to_owned())
    }

    fn checkpoints(&self) -> Done<String> {
        let history = self.tracked.as_ref().map(|tracked| &tracked.history);
        let Some(history) = history.filter(|history| !history.checkpoints.is_empty()) else {
            return Err("there are no checkpoints: `spec` makes one".to_owned());
        };
        let chain = history.chain();
        let mut text = String::new();
        for (number, checkpoint) in history.checkpoints.iter().enumerate() {
            let mark = match (history.current == Some(number), chain.contains(&number)) {
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

    fn resume_checkpoint(&mut self, number: usize) -> Done<String> {
        self.alive()?;
        if self.here().is_none() {
            return Err(
                "the call with the checkpoints has ended: `start` and come here again".to_owned(),
            );
        }
        let Some(checkpoint) = self
            .tracked
            .as_mut()
            .and_then(|tracked| tracked.resume(number))
        else {
            return Err(format!(
                "there is no checkpoint {number}: `checkpoints` lists them"
            ));
        };
        self.restore(&checkpoint.state)?;
        let stop = self
            .subject
            .jump(checkpoint.line, self.settings.limit)
            .map_err(said)?;
        self.stop = Some(stop);
        self.changed.clear();
        let shown = self.show(false)?;
        Ok(format!(
            "the program is at checkpoint {number} again\n{}{shown}",
            self.place()
        ))
    }

    /// Writes a state into the program.
    fn restore(&mut self, state: &State) -> Done<()> {
        let now = self.read()?;
        for variable in &state.variables {
            let named = Named::Variable(variable.name.clone());
            if variable.value != Value::Unknown && found(&now, &named) != Ok(variable.value) {
                self.write(&named, variable.value)?;
            }
        }
        for node in &state.nodes {
            for field in &node.fields {
                let named = Named::Field(node.id, field.name.clone());
                if field.value != Value::Unknown && found(&now, &named) != Ok(field.value) {
                    self.write(&named, field.value)?;
                }
            }
        }
        Ok(())
    }

    fn undo(&mut self) -> Done<String> {
        if let Some((named, before)) = self.changed.pop() {
            self.write(&named, before)?;
            let shown = self.show(false)?;
            return Ok(format!("{} is {before} again\n{shown}", written(&named)));
        }
        match self.tracked.as_mut().and_then(Tracked::take_back) {
            Some(last) => Ok(format!("checkpoint {last} does not count any more")),
            None => Err("there is nothing to take back".to_owned()),
        }
    }
}

/// Which lines of a function are not modelled; nothing if all are.
fn unmodelled(loaded: &Loaded) -> String {
    let all = loaded.routine.concrete.iter().map(|concrete| {
        let first = loaded.routine.statements[concrete.statement].line;
        let lines = match concrete.last == first {
            true => format!("line {first} does"),
            false => format!("lines {first}-{} do", concrete.last),
        };
        format!(
            "what {lines} is taken from the run: {}",
            concrete.outside.reason
        )
    });
    all.collect::<Vec<_>>().join("\n")
}

/// What an entity holds.
fn found(state: &State, named: &Named) -> Done<Value> {
    let (all, name) = candidates(state, named)?;
    if let Some(found) = all.iter().rfind(|one| one.name == *name) {
        return Ok(found.value);
    }
    let whole = written(named);
    if all.iter().any(|one| one.name == format!("{name}[0]")) {
        return Err(format!(
            "`{whole}` is an array: name one of its elements, such as `{whole}[0]`"
        ));
    }
    let near = nearest(all.iter().map(|one| &*one.name), name);
    Err(match named {
        Named::Variable(_) => format!("there is no variable `{name}` here{near}"),
        Named::Field(id, _) => format!("{id} has no field `{name}`{near}"),
    })
}

/// What an entity holds, as the picture has it, where an array of numbers is one entity.
fn printed(state: &State, named: &Named) -> Done<String> {
    let (all, name) = candidates(state, named)?;
    match picture::array(all, name) {
        Some(array) => Ok(array),
        None => found(state, named).map(|value| value.to_string()),
    }
}

/// The variables or fields among which an entity is, and its name there.
fn candidates<'s>(state: &'s State, named: &'s Named) -> Done<(&'s [Variable], &'s str)> {
    match named {
        Named::Variable(name) => Ok((&state.variables, name)),
        Named::Field(id, name) => match state.nodes.iter().find(|node| node.id == *id) {
            Some(node) => Ok((&node.fields, name)),
            None => Err(format!("there is no node {id} here")),
        },
    }
}

fn written(named: &Named) -> String {
    match named {
        Named::Variable(name) => name.clone(),
        Named::Field(node, field) => format!("{node}->{field}"),
    }
}

fn push(text: &mut String, line: &str) {
    if line.is_empty() {
        return;
    }
    text.push_str(line);
    text.push('\n');
}

/// An error with its cause, as a sentence.
fn said(error: gdb::Error) -> String {
    let source = std::error::Error::source(&error).map(ToString::to_string);
    match source {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
