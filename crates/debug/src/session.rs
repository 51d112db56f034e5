//! An interactive session: gdb runs the program, the user corrects its heap and forces branches, and what is asserted becomes a
//! repair that is in force from then on (Wolverine2, sections 2.1, 3.2 and 6).
//!
//! Input is a [`command::Command`], output is text for the user. Prompts, scripts and files are left to the caller.

mod allocating;
pub mod command;
mod history;
mod running;
mod screen;
mod specifying;
mod tracked;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::nearest::did_you_mean;
use nopol_heap::memory::Memory;
use nopol_heap::notation::parse_node;
use nopol_heap::state::{NodeId, State, Value, Variable};

use self::command::{Command, HELP, Named};
use self::history::Changed;
use self::tracked::Tracked;
use super::gdb::{self, FrameIdentity, Names, Stop, Subject};
use super::picture;

/// What a session shows, and how long it waits.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The width of the terminal.
    pub width: usize,
    /// Whether pictures are in colour.
    pub color: bool,
    /// How long a command of the subject may run.
    pub limit: Duration,
    /// How long a search for a repair may take.
    pub search_limit: Duration,
    /// Most nodes that are shown.
    pub most_nodes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 100,
            color: false,
            limit: Duration::from_secs(10),
            search_limit: Duration::from_secs(60),
            most_nodes: 50,
        }
    }
}

/// Most nodes of a state that is asserted, or begins a call.
pub(super) const MOST_NODES: usize = 5000;

/// Ends from elsewhere what a session is doing: the program, or a search. The session lives on.
#[derive(Clone, Debug)]
pub struct Interrupter {
    subject: gdb::Interrupter,
    asked: Arc<AtomicBool>,
}

impl Interrupter {
    /// Interrupts the program if it runs, and else what the session does.
    pub fn interrupt(&self) {
        if !self.subject.interrupt() {
            self.asked.store(true, Ordering::SeqCst);
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
        /// What is wrong with statements on the way, a line each.
        notes: String,
        /// What the session says.
        text: String,
    },
    /// The session is over.
    Quit,
}

/// A session.
pub struct DebugSession {
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
    /// What `change` changed since the last checkpoint.
    changed: Vec<Changed>,
    /// How often the program went on, or back.
    moves: usize,
    /// The state in which the program stopped, once it is changed.
    unchanged: Option<State>,
    /// The activation whose state was shown last.
    shown_in: Option<FrameIdentity>,
    /// Pictures as SVG, for callers that show them elsewhere.
    picture: Option<String>,
    steps: usize,
    /// What is wrong with the statements that the command executed.
    notes: String,
    /// Whether the user wants the command to end.
    asked: Arc<AtomicBool>,
}

/// What goes wrong in a command: a sentence for the user.
type Done<T> = Result<T, String>;

impl DebugSession {
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
            moves: 0,
            unchanged: None,
            shown_in: None,
            picture: None,
            steps: 0,
            notes: String::new(),
            asked: Arc::default(),
        }
    }

    /// What interrupts a command from elsewhere.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter {
            subject: self.subject.interrupter(),
            asked: Arc::clone(&self.asked),
        }
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
        self.asked.store(false, Ordering::SeqCst);
        let text = self.dispatch(command).unwrap_or_else(|sentence| sentence);
        Reply::Text {
            output: self.subject.take_output(),
            notes: std::mem::take(&mut self.notes),
            text: text.trim_end().to_owned(),
        }
    }

    fn dispatch(&mut self, command: &Command) -> Done<String> {
        match command {
            Command::Start => self.start(),
            Command::Next(times) => self.next(*times),
            Command::Step => {
                self.alive()?;
                if self.is_changed_here() {
                    let text = self.next(1)?;
                    return Ok(format!(
                        "the patch changes this statement: it was executed as a whole\n{text}"
                    ));
                }
                self.note_freed_use()?;
                let guess = self.guess();
                let stop = self.subject.step(self.settings.limit).map_err(said)?;
                self.believe(guess);
                self.arrived(stop)
            }
            Command::Enter => self.force(true),
            Command::Leave => self.force(false),
            Command::Break(place) => self.set_break(place),
            Command::Continue => self.resume(),
            Command::Finish => self.finish(),
            Command::Print(None) => self.show(false),
            Command::Print(Some(named)) => {
                self.refuse_node(named)?;
                let named = self.resolved(named)?;
                let held = printed(&self.holding(&named)?, &named)?;
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

    /// The memory of the function that is followed; none if it is too large to be read.
    fn memory(&mut self) -> Done<Option<Memory>> {
        let state = self.whole()?;
        let nodes = self.nodes(&state);
        let tracked = self.tracked.as_mut().ok_or("no function is followed")?;
        tracked.is_beyond |= state.hidden > 0;
        Ok((!tracked.is_beyond).then(|| tracked.memory(&state, nodes)))
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
            return "the program is executing code that is not in its source files".to_owned();
        };
        let file = frame.file.clone().unwrap_or_default();
        let name = file.rsplit('/').next().unwrap_or(&file);
        let source = self.source(&file);
        let text = source.and_then(|(_, text)| text.lines().nth(line.saturating_sub(1) as usize));
        format!("{name}:{line}  {}", text.unwrap_or_default().trim())
    }

    /// The state with as many nodes as are shown.
    fn read(&mut self) -> Done<State> {
        self.read_nodes(self.settings.most_nodes)
    }

    /// The state with all its nodes, if they are not too many to assert anything of.
    fn whole(&mut self) -> Done<State> {
        self.read_nodes(MOST_NODES)
    }

    /// A state that has what is named, if there is such a thing: a field may be that of a node that is not shown.
    fn holding(&mut self, named: &Named) -> Done<State> {
        match named {
            Named::Variable(_) => self.read(),
            Named::Field(..) => self.whole(),
        }
    }

    fn read_nodes(&mut self, most_nodes: usize) -> Done<State> {
        let globals = self
            .subject
            .globals()
            .iter()
            .map(|global| global.name.clone());
        let here = self.here().map(|(tracked, _)| tracked.unset());
        let request = gdb::StateRequest {
            globals: globals.collect(),
            most_nodes,
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
        while self.names.record(NodeId(count)).is_some() {
            count += 1;
        }
        count
    }

    /// Draws the heap; only if it changed, if that is wanted.
    fn show(&mut self, only_changes: bool) -> Done<String> {
        self.alive()?;
        let state = self.read()?;
        let mut before = self.shown.replace(state.clone());
        if only_changes && before.as_ref() == Some(&state) {
            return Ok(String::new());
        }
        let frame = self.stop.as_ref().and_then(|stop| stop.frame.as_ref());
        let frame = frame.map(|frame| frame.identity);
        if std::mem::replace(&mut self.shown_in, frame) != frame
            && let Some(before) = &mut before
        {
            // The variables of another function are not gone.
            let is_here = |name: &str| state.variables.iter().any(|here| here.name == name);
            before.variables.retain(|variable| is_here(&variable.name));
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

    /// `current->next` by the node that `current` points to, `queue.head` by the node that `queue` is.
    fn resolved(&mut self, named: &Named) -> Done<Named> {
        self.alive()?;
        let Named::Variable(name) = named else {
            return Ok(named.clone());
        };
        let Some((variable, field)) = name.rsplit_once("->") else {
            let Some((global, field)) = name.split_once('.') else {
                return Ok(named.clone());
            };
            let state = self.read()?;
            return Ok(match found(&state, &Named::Variable(global.to_owned())) {
                Ok(Value::Node(node)) => Named::Field(node, field.to_owned()),
                _ => named.clone(),
            });
        };
        let holder = self.resolved(&Named::Variable(variable.to_owned()))?;
        let state = self.holding(&holder)?;
        match found(&state, &holder)? {
            Value::Node(node) => Ok(Named::Field(node, field.to_owned())),
            value => Err(format!("{variable} is {value}: it has no fields")),
        }
    }

    /// Refuses a node where the user has to name one of its fields.
    fn refuse_node(&mut self, named: &Named) -> Done<()> {
        let Named::Variable(name) = named else {
            return Ok(());
        };
        let Some(node) = parse_node(name) else {
            return Ok(());
        };
        self.alive()?;
        Err(match self.names.address(node) {
            Some(_) => format!("`{node}` is a node: name one of its fields, as in `{node}->next`"),
            None => no_node(node, &self.read()?),
        })
    }

    fn change(&mut self, named: &Named, value: Value) -> Done<String> {
        self.refuse_node(named)?;
        let named = &self.resolved(named)?;
        let state = self.read()?;
        let holding = self.holding(named)?;
        let before = found(&holding, named)?;
        if let Named::Field(id, _) = named
            && holding
                .nodes
                .iter()
                .any(|node| node.id == *id && node.is_freed)
        {
            return Err(format!(
                "{id} was freed: nothing can be asserted about its fields"
            ));
        }
        if let Value::Node(node) = value
            && self.names.address(node).is_none()
        {
            return Err(no_node(node, &state));
        }
        self.write(named, value)?;
        let held = found(&self.holding(named)?, named);
        if let (Value::Number(_), Ok(held)) = (value, held)
            && held != value
            && held != Value::Null
        {
            self.write(named, before)?;
            return Err(format!(
                "{} cannot hold {value}: it would be {held}",
                written(named)
            ));
        }
        self.changed.push(Changed {
            named: named.clone(),
            before,
            moves: self.moves,
        });
        let after = self.read()?;
        let program = self.unchanged.get_or_insert(state);
        let wide = picture::beside(
            program,
            &after,
            ("actual", "corrected"),
            self.settings.width,
            self.settings.color,
        );
        self.steps += 1;
        self.picture = Some(picture::svg(&after, self.unchanged.as_ref(), &self.place()));
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
    let field = all.iter().find(|one| {
        let inside = one.name.strip_prefix(name);
        inside.is_some_and(|inside| inside.starts_with('.'))
    });
    if let (Named::Variable(_), Some(field)) = (named, field) {
        return Err(format!(
            "`{whole}` is a structure: name one of its fields, such as `{}`",
            field.name
        ));
    }
    let near = did_you_mean(name, all.iter().map(|one| &*one.name));
    Err(match named {
        Named::Variable(_) => format!("there is no variable `{name}` here{near}"),
        Named::Field(id, _) => format!("{id} has no field `{name}`{near}"),
    })
}

/// That there is no such node, and which there are.
fn no_node(node: NodeId, state: &State) -> String {
    let nodes = state.nodes.iter().map(|node| node.id.to_string());
    match &*nodes.collect::<Vec<_>>() {
        [] => format!("there is no node {node}"),
        nodes => format!(
            "there is no node {node}; the nodes are {}",
            nodes.join(", ")
        ),
    }
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
