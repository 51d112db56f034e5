//! A test's run as a circuit: the program is executed with circuits for values, and where both sides of a branch are
//! possible, both are, and what they leave is joined (φ). Loops are unwound and calls inlined up to a bound.
//!
//! The value of a place is `broken ? free : expression`, where `broken` is one signal for all instances of the place and
//! `free` another word for each instance. So an assignment of the signals that makes [`Encoded::passes`] true is an angelic
//! run: AgxFaults §3.3, with the fault predicate `ab` as a multiplexer, so that known values fold away.

mod addresses;
mod builtins;
mod choices;
pub mod entry;
mod expressions;
mod lifetimes;
pub mod memory;
mod statements;
pub mod stream;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use nopol_basics::deadline::Deadline;
use nopol_program::ir::{
    ChoiceId, Dialect, Entry, FaultKind, FunctionId, Initially, NodeId, PlaceId, Program, Scalar,
    Span, Test, VariableId,
};
use nopol_program::position::{Instance, PositionId, Positions};
use nopol_program::visit::addressed;

use self::memory::{Carried, ContentsId, Memory, ObjectId, Value};
use self::stream::{Output, Progress};
use super::circuit::cnf::Patience;
use super::circuit::word::{self, Word};
use super::circuit::{Bit, Circuit};

/// How far a program is followed.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Most iterations of a loop, and most activations of a function at once.
    pub bound: u32,
    /// Whether faults count that the program does not state; some always do ([`FaultKind::counts`]).
    pub implicit: bool,
    /// Most gates.
    pub gates: usize,
    /// Most statements of a run.
    pub steps: u64,
    /// Most decisions of a solver. This limit is the same on every machine.
    pub decisions: Option<u64>,
    /// When to give up.
    pub deadline: Deadline,
}

/// Most gates of a formula unless less is wanted: about 2 GB.
const GATES: usize = 30_000_000;

/// Most statements of a run unless less is wanted.
const STEPS: u64 = 10_000_000;

impl Extent {
    /// As far as memory allows, whatever time it takes.
    pub const fn new(bound: u32, implicit: bool) -> Self {
        Self {
            bound,
            implicit,
            gates: GATES,
            steps: STEPS,
            decisions: None,
            deadline: Deadline::Never,
        }
    }

    /// For how long a solver may search.
    pub const fn patience(&self) -> Patience {
        Patience {
            deadline: self.deadline,
            decisions: self.decisions,
        }
    }

    /// The limit that is reached, if one is.
    fn reached(&self, circuit: &Circuit) -> Option<StopKind> {
        if circuit.len() > self.gates {
            return Some(StopKind::Large);
        }
        self.deadline.is_over().then_some(StopKind::Late)
    }
}

/// Why there is no circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where.
    pub span: Span,
    /// Ends a sentence.
    pub reason: String,
    /// What kind of reason.
    pub kind: StopKind,
}

/// Why there is no circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// Circuits do not have something.
    Outside,
    /// The time is over.
    Late,
    /// It would be too large.
    Large,
}

type Result<T> = std::result::Result<T, Stop>;

/// One side of a branch instance.
pub type Side = (PositionId, NodeId, bool);

/// Which sides of branches are part of the circuit. A run that takes another one is taken for a run that passes.
#[derive(Clone, Debug)]
pub enum Explored {
    /// All: the program formula.
    All,
    /// These: the angelic program of AgxFaults, which grows on demand. And these of a branch, wherever it is.
    Only(HashSet<Side>, Rc<HashSet<(NodeId, bool)>>),
    /// These, taken whatever the conditions say: the flow-insensitive formula of one path.
    Straight(HashSet<Side>),
}

impl Explored {
    fn has(&self, side: Side) -> bool {
        match self {
            Self::All => true,
            Self::Only(sides, everywhere) => {
                everywhere.contains(&(side.1, side.2)) || sides.contains(&side)
            }
            Self::Straight(sides) => sides.contains(&side),
        }
    }
}

/// The free values of an instance.
#[derive(Clone, Debug)]
pub struct Free {
    /// What is computed there instead.
    pub value: Word,
    /// Whether that is a signed number.
    pub is_signed: bool,
    /// The number of the element that is written instead, if an element is.
    pub index: Option<Word>,
}

/// An instance as the circuit has it.
#[derive(Clone, Debug)]
pub struct Encountered {
    /// Which.
    pub instance: Instance,
    /// When it is evaluated.
    pub live: Bit,
    /// The free values.
    pub free: Free,
}

/// A test's run as a circuit.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Whether the test passes, or the run leaves what is explored.
    pub passes: Bit,
    /// Whether a fault happens. Not before an assumption fails or the bound is reached.
    pub faults: Bit,
    /// Whether the run leaves what is explored.
    pub escapes: Bit,
    /// Each side of a branch that is not explored, and when it is taken.
    pub unexplored: Vec<(Side, Bit)>,
    /// Every instance with a place that may be broken.
    pub encountered: Vec<Encountered>,
    /// Whether a loop or recursion goes beyond the bound.
    pub cut: Bit,
}

/// What stays from one encoding of a test to the next: the free values, so that what is encoded twice is the same.
#[derive(Clone, Debug, Default)]
pub struct Frees(HashMap<Instance, Free>);

/// The signals of choices, and the words that those of any number bring along.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Whether each is made; one that is missing is not.
    pub made: HashMap<ChoiceId, Bit>,
    /// The numbers.
    pub numbers: HashMap<ChoiceId, Word>,
}

/// What a run has done so far.
#[derive(Clone, Debug)]
struct State {
    /// Whether it is here.
    live: Bit,
    /// What each object holds.
    contents: Vec<ContentsId>,
    /// The objects that may have been given back, and when they were.
    freed: BTreeMap<ObjectId, Bit>,
    /// How far it has read and printed.
    input: Progress,
    output: Progress,
}

/// What is left by `break`, `continue` and `return`.
#[derive(Debug, Default)]
struct Exits {
    breaks: HashMap<NodeId, State>,
    continues: HashMap<NodeId, State>,
    returned: Option<(State, Option<Value>)>,
}

/// The activation of a function.
#[derive(Debug, Default)]
struct Frame {
    objects: HashMap<VariableId, ObjectId>,
    exits: Exits,
    /// The variables of the blocks around the statement at hand that end with them, the innermost last.
    ending: Vec<VariableId>,
    /// How many of these there are around each loop and block that may be left.
    around: HashMap<NodeId, usize>,
    /// When faults of the expression at hand are suppressed.
    suppressed: Bit,
}

/// Executes a program with circuits for values.
struct Encoder<'a> {
    program: &'a Program,
    extent: Extent,
    explored: &'a Explored,
    /// The signal of each place that may be broken.
    broken: &'a BTreeMap<PlaceId, Bit>,
    /// The signal of each choice that may be made.
    choices: &'a Choices,
    circuit: &'a mut Circuit,
    positions: &'a mut Positions,
    frees: &'a mut Frees,
    memory: Memory,
    globals: HashMap<VariableId, ObjectId>,
    /// The objects that nothing may write to; empty while the globals are initialized.
    constants: HashSet<ObjectId>,
    /// The variables with an address that the program of C takes: where it leads is no more there when their function has returned.
    addressed: HashSet<VariableId>,
    frames: Vec<Frame>,
    /// How often each function is active.
    active: HashMap<FunctionId, u32>,
    position: PositionId,
    state: State,
    stdin: Rc<[u8]>,
    stdout: Option<Rc<Output>>,
    /// Where the program ended by `exit`.
    exited: Option<(State, Value)>,
    faults: Bit,
    escapes: Bit,
    cut: Bit,
    unexplored: Vec<(Side, Bit)>,
    encountered: Vec<Encountered>,
}

/// The circuit of a test's run.
///
/// # Errors
/// If the run needs what circuits do not have, or too many gates.
#[expect(clippy::too_many_arguments, reason = "three are inputs, three grow")]
pub fn encode(
    program: &Program,
    test: &Test,
    extent: Extent,
    explored: &Explored,
    broken: &BTreeMap<PlaceId, Bit>,
    circuit: &mut Circuit,
    positions: &mut Positions,
    frees: &mut Frees,
) -> Result<Encoded> {
    let choices = Choices::default();
    let mut encoder = Encoder::new(
        program,
        extent,
        explored,
        (broken, &choices),
        circuit,
        positions,
        frees,
    );
    let ended_well = encoder.run(test)?;
    encoder.check_limits(Span::default())?;
    Ok(encoder.encoded(ended_well))
}

impl<'a> Encoder<'a> {
    fn new(
        program: &'a Program,
        extent: Extent,
        explored: &'a Explored,
        (broken, choices): (&'a BTreeMap<PlaceId, Bit>, &'a Choices),
        circuit: &'a mut Circuit,
        positions: &'a mut Positions,
        frees: &'a mut Frees,
    ) -> Self {
        Self {
            program,
            extent,
            explored,
            broken,
            choices,
            circuit,
            positions,
            frees,
            memory: Memory::new(extent),
            globals: HashMap::new(),
            constants: HashSet::new(),
            addressed: match program.dialect {
                Dialect::C => addressed(program),
                Dialect::Rust => HashSet::new(),
            },
            frames: Vec::new(),
            active: HashMap::new(),
            position: Positions::ROOT,
            state: State {
                live: Bit::TRUE,
                contents: Vec::new(),
                freed: BTreeMap::new(),
                input: stream::start(),
                output: stream::start(),
            },
            stdin: [].into(),
            stdout: None,
            exited: None,
            faults: Bit::FALSE,
            escapes: Bit::FALSE,
            cut: Bit::FALSE,
            unexplored: Vec::new(),
            encountered: Vec::new(),
        }
    }

    /// The circuit of a test's run, given whether it ends as it should.
    fn encoded(self, ended_well: Bit) -> Encoded {
        let ends = self.circuit.or(ended_well, self.escapes);
        let passes = self.circuit.and(ends, !self.faults);
        Encoded {
            passes,
            faults: self.faults,
            escapes: self.escapes,
            unexplored: self.unexplored,
            encountered: self.encountered,
            cut: self.cut,
        }
    }

    /// Makes the global variables and initializes them.
    fn globals(&mut self) -> Result<()> {
        for (variable, declared) in self.program.variables.iter_enumerated() {
            if declared.is_global {
                let object = self.new_object(declared.cells.len(), declared.initially);
                self.globals.insert(variable, object);
            }
        }
        self.frames.push(Frame::default());
        self.statements(&self.program.globals)?;
        let constants = self.globals.iter().filter(|(variable, _)| {
            let declared = self.program.variables.get(**variable);
            declared.is_some_and(|declared| declared.is_constant)
        });
        self.constants = constants.map(|(_, object)| *object).collect();
        Ok(())
    }

    /// Whether the run ends as the test wants, faults aside.
    fn run(&mut self, test: &Test) -> Result<Bit> {
        self.globals()?;
        match &test.entry {
            Entry::Function(function) => {
                self.call(*function, Vec::new(), false)?;
                Ok(self.state.live)
            }
            Entry::Main {
                main,
                arguments,
                input,
                output,
                exit,
            } => {
                self.stdin = input.as_slice().into();
                self.stdout = output.as_ref().map(|output| Rc::new(Output::new(output)));
                let passed = self.arguments(*main, arguments);
                let result = self.call(*main, passed, false)?;
                let returned = match self.program.functions[*main].result {
                    Some(_) => result,
                    None => Value::zero(Scalar::INT),
                };
                let code = Scalar::INT.wrap(i128::from(*exit));
                let state = self.state.clone();
                let mut passes = self.ends_well(&state, &returned, code);
                if let Some((state, value)) = self.exited.take() {
                    let other = self.ends_well(&state, &value, code);
                    passes = self.circuit.or(passes, other);
                }
                Ok(passes)
            }
        }
    }

    /// The arguments of `main`: how many, and pointers to the strings.
    fn arguments(&mut self, main: FunctionId, arguments: &[Vec<u8>]) -> Vec<Value> {
        let char = Scalar::CHAR;
        let vector = self.new_object(arguments.len() + 1, Initially::Zero);
        for (at, argument) in arguments.iter().enumerate() {
            let object = self.new_object(argument.len() + 1, Initially::Zero);
            for (at, byte) in argument.iter().enumerate() {
                self.write_cell(object, at, Value::Bits(constant(char, i128::from(*byte))));
            }
            let pointer = Value::pointer(object, index_word(0));
            self.write_cell(vector, at, pointer);
        }
        let mut passed = vec![
            Value::Bits(constant(Scalar::INT, arguments.len() as i128)),
            Value::pointer(vector, index_word(0)),
        ];
        passed.truncate(self.program.functions[main].parameters.len());
        passed
    }

    /// Whether a run that ends in this state with this exit code passes.
    fn ends_well(&mut self, state: &State, code: &Value, expected: i128) -> Bit {
        let right = match code {
            Value::Bits(word) => {
                // As a shell sees it.
                let low = word::resized(word, 8, false);
                self.circuit.equal(&low, &word::constant(expected, 8))
            }
            Value::Pointer(_) => Bit::FALSE,
        };
        let done = match self.stdout.clone() {
            Some(output) => output.is_done(self.circuit, &state.output),
            None => Bit::TRUE,
        };
        self.circuit.all([state.live, right, done])
    }

    fn new_object(&mut self, cells: usize, initially: Initially) -> ObjectId {
        let object = self.memory.object(index_word(cells as i128), initially);
        self.contents(object);
        object
    }

    /// What an object holds here.
    fn contents(&mut self, object: ObjectId) -> &mut ContentsId {
        let contents = &mut self.state.contents;
        // Objects that were made elsewhere are zero here; nothing can reach them.
        for missing in contents.len()..=usize::from(object) {
            contents.push(self.memory.zero(ObjectId::from(missing)));
        }
        &mut contents[usize::from(object)]
    }

    fn write_cell(&mut self, object: ObjectId, cell: usize, value: Value) {
        // Nothing else has the first cells of such an object.
        let value = ((value, Bit::FALSE), false);
        self.write(object, &index_word(cell as i128), value, Bit::TRUE);
    }

    /// Writes to a cell within an object, under a condition. With the value comes whether its type has a sign.
    fn write(&mut self, object: ObjectId, cell: &Word, value: (Carried, bool), when: Bit) {
        let contents = *self.contents(object);
        let written = self.memory.written(object, contents, cell, value, when);
        *self.contents(object) = written;
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Records a fault, if a run is here and the fault counts.
    fn fault(&mut self, kind: FaultKind, when: Bit) {
        if kind.counts(self.extent.implicit) {
            let suppressed = self.frame().suppressed;
            let when = self.circuit.all([self.state.live, when, !suppressed]);
            self.faults = self.circuit.or(self.faults, when);
        }
    }

    /// Ends runs that are here under a condition, for which the bound is too small.
    fn cut(&mut self, when: Bit) {
        let here = self.circuit.and(self.state.live, when);
        self.cut = self.circuit.or(self.cut, here);
        self.state.live = self.circuit.and(self.state.live, !when);
    }

    /// Joins two states that no run is in at the same time.
    fn join(&mut self, a: State, b: State) -> State {
        match (a.live, b.live) {
            (Bit::FALSE, _) => return with_objects(b, &a),
            (_, Bit::FALSE) => return with_objects(a, &b),
            _ => {}
        }
        let when = a.live;
        let mut contents = match a.contents.len() >= b.contents.len() {
            true => a.contents.clone(),
            false => b.contents.clone(),
        };
        for ((joined, &one), &other) in contents.iter_mut().zip(&a.contents).zip(&b.contents) {
            *joined = self.memory.joined(when, one, other);
        }
        let mut freed = BTreeMap::new();
        for object in a.freed.keys().chain(b.freed.keys()) {
            let [one, other] = [&a, &b].map(|state| state.freed.get(object));
            let [one, other] = [one, other].map(|bit| bit.copied().unwrap_or(Bit::FALSE));
            freed.insert(*object, self.circuit.mux(when, one, other));
        }
        State {
            live: self.circuit.or(a.live, b.live),
            contents,
            freed,
            input: stream::choose(self.circuit, when, &a.input, &b.input),
            output: stream::choose(self.circuit, when, &a.output, &b.output),
        }
    }

    /// Joins a state to one that may be there already.
    fn join_to(&mut self, there: Option<State>, new: State) -> State {
        match there {
            Some(there) => self.join(there, new),
            None => new,
        }
    }

    /// Fails if the time is over or the formula is too large.
    fn check_limits(&self, span: Span) -> Result<()> {
        let Some(kind) = self.extent.reached(self.circuit) else {
            return Ok(());
        };
        let reason = match kind {
            StopKind::Late => "the time limit was reached",
            StopKind::Large | StopKind::Outside => "the formula is too large",
        };
        Err(Stop {
            span,
            reason: reason.to_owned(),
            kind,
        })
    }

    fn stop<T>(&self, span: Span, reason: &str) -> Result<T> {
        Err(Stop {
            span,
            reason: reason.to_owned(),
            kind: StopKind::Outside,
        })
    }
}

/// A state with the objects of another one, which cannot be reached from it.
fn with_objects(mut state: State, other: &State) -> State {
    let from = state.contents.len();
    state.contents.extend(other.contents.iter().skip(from));
    state
}

/// A constant of a type.
fn constant(ty: Scalar, value: i128) -> Word {
    word::constant(value, usize::from(ty.bits()))
}

/// The number of a cell.
fn index_word(value: i128) -> Word {
    word::constant(value, memory::INDEX_BITS)
}
