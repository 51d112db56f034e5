//! The angelic program of one failing test (AgxFaults §3.2 and §3.3): the part of the program that the test's run, and the
//! angelic runs tried so far, go through, and small sides of branches. Everything else is taken for a run that passes,
//! until a candidate goes there.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use nopol_program::interpret::{Angelic, End, Limits, Run, Value, run};
use nopol_program::ir::{NodeId, PlaceId, Program, Test};
use nopol_program::position::{Instance, Positions, Step};

use crate::circuit::cnf::Solver;
use crate::circuit::{Bit, Circuit};
use crate::encode::{Encoded, Explored, Extent, Frees, Side, Stop, encode};

/// What all angelic programs share.
pub struct Shared<'a> {
    /// The program.
    pub program: &'a Program,
    /// How far it is followed.
    pub extent: Extent,
    /// The gates of all formulas.
    pub circuit: Circuit,
    /// The signal of each place: whether it is broken.
    pub broken: BTreeMap<PlaceId, Bit>,
    /// The positions of all runs.
    pub positions: Positions,
    /// The sides of branches that candidates led to in some test: they will lead there in others, too.
    pub led_to: HashSet<Side>,
    /// The sides of branches that are explored from the start.
    pub small: Rc<HashSet<(NodeId, bool)>>,
}

/// How much of the program a formula has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// What candidates need.
    #[default]
    OnDemand,
    /// All of it: the program formula (PF).
    Whole,
    /// The path of the failing run, where leaving it is not a way to pass: the flow-sensitive path formula (FS).
    Path,
    /// The same without the branches: the flow-insensitive one (FI).
    PathInsensitive,
}

impl Part {
    /// Whether a candidate of such a formula holds.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::OnDemand | Self::Whole)
    }
}

/// The angelic program of a test.
pub struct AngelicProgram<'a> {
    /// The test.
    pub test: &'a Test,
    frees: Frees,
    explored: Explored,
    part: Part,
    /// The formula as it is now.
    pub encoded: Encoded,
}

/// A failing test that is not encoded yet.
pub struct Failing<'a> {
    test: &'a Test,
    /// What its run evaluates.
    instances: Vec<Instance>,
}

/// A value for each of some places, whatever the instance.
pub type Guess = BTreeMap<PlaceId, Angelic>;

impl<'a> Failing<'a> {
    /// Runs a test.
    pub fn new(shared: &mut Shared<'_>, test: &'a Test) -> Self {
        let run = shared.run(test, &HashMap::new());
        let evaluated = run.evaluated.iter().map(|evaluated| evaluated.instance);
        Self {
            test,
            instances: evaluated.chain(run.unfinished).collect(),
        }
    }

    /// The test's run with these values, if it passes. What made one test pass often does it for others, and a run costs
    /// less than a solver.
    pub fn passes(&self, shared: &mut Shared<'_>, guess: &Guess) -> Option<Run> {
        let values = self.instances.iter();
        let values = values.filter_map(|instance| Some((*instance, *guess.get(&instance.place)?)));
        let values: HashMap<Instance, Angelic> = values.collect();
        let run = shared.run(self.test, &values);
        (run.end == End::Passed).then_some(run)
    }
}

/// The angelic values of a run, place by place: the last ones.
pub fn guess(run: &Run) -> Guess {
    let angelic = run
        .evaluated
        .iter()
        .filter(|evaluated| evaluated.is_angelic);
    angelic
        .filter_map(|evaluated| match evaluated.value {
            Value::Number(value) => {
                let index = evaluated.index;
                Some((evaluated.instance.place, Angelic { value, index }))
            }
            Value::Pointer(_) => None,
        })
        .collect()
}

/// What became of a candidate.
pub enum Replay {
    /// The run passes.
    Holds(Run),
    /// The run went where the formula knew nothing; now it does.
    Refined,
    /// The run does not pass although the formula says so.
    Disagrees(Run),
}

impl Shared<'_> {
    /// Runs a test with these values.
    pub fn run(&mut self, test: &Test, values: &HashMap<Instance, Angelic>) -> Run {
        let limits = Limits {
            bound: self.extent.bound,
            steps: self.extent.steps,
            implicit: self.extent.implicit,
            deadline: self.extent.deadline,
        };
        run(self.program, test, &limits, &mut self.positions, values)
    }

    /// That a loop goes on in as many iterations more as it has had, if it goes on in this one: a loop that candidates
    /// prolong once is prolonged again, and so the number of extensions grows with the logarithm of the iterations.
    fn later(&mut self, (position, node, holds): Side) -> Vec<Side> {
        let Some((outer, Step::Iteration(around, number))) = self.positions.last(position) else {
            return Vec::new();
        };
        if !holds || node != around {
            return Vec::new();
        }
        let end = (2 * number + 2).min(self.extent.bound);
        let numbers = number + 1..end;
        let steps = numbers.map(|number| Step::Iteration(node, number));
        steps
            .map(|step| (self.positions.child(outer, step), node, true))
            .collect()
    }
}

impl<'a> AngelicProgram<'a> {
    /// The angelic program that has only the run of the test itself (Algorithm 1, the first refinement).
    ///
    /// # Errors
    /// If the run cannot be encoded.
    pub fn new(shared: &mut Shared<'a>, test: &'a Test, part: Part) -> Result<Self, Stop> {
        let mut explored = Explored::All;
        if part != Part::Whole {
            let run = shared.run(test, &HashMap::new());
            let met = run.evaluated.iter();
            let met: HashSet<PlaceId> = met.map(|evaluated| evaluated.instance.place).collect();
            let knows_most = 2 * met.len() >= shared.program.places.len();
            let mut sides: HashSet<Side> = run.branches.into_iter().collect();
            explored = match part {
                Part::PathInsensitive => Explored::Straight(sides),
                Part::Path => Explored::Only(sides, Rc::default()),
                Part::OnDemand | Part::Whole => {
                    sides.extend(shared.led_to.iter().copied());
                    // A run that ends early leaves most of the program to be explored on demand.
                    let small = knows_most.then(|| Rc::clone(&shared.small));
                    Explored::Only(sides, small.unwrap_or_default())
                }
            };
        }
        let mut frees = Frees::default();
        let encoded = encode(
            shared.program,
            test,
            shared.extent,
            &explored,
            &shared.broken,
            &mut shared.circuit,
            &mut shared.positions,
            &mut frees,
        )?;
        Ok(Self {
            test,
            frees,
            explored,
            part,
            encoded,
        })
    }

    /// When a run of the angelic program counts as one that passes.
    pub fn goal(&self, circuit: &mut Circuit) -> Bit {
        match self.part {
            Part::OnDemand | Part::Whole => self.encoded.passes,
            Part::Path | Part::PathInsensitive => {
                let escapes = self.encoded.escapes;
                circuit.and(self.encoded.passes, !escapes)
            }
        }
    }

    /// The angelic values of a model of the formula at these places (§3.5).
    pub fn values(&self, solver: &Solver, places: &[PlaceId]) -> HashMap<Instance, Angelic> {
        let encountered = self.encoded.encountered.iter();
        encountered
            // Whether it is reached does not matter, and a solver that needs no such signal cannot say it.
            .filter(|met| places.contains(&met.instance.place))
            .map(|met| {
                let index = met.free.index.as_ref();
                let angelic = Angelic {
                    // Wrapped to its type by the interpreter.
                    value: i128::from(solver.number(&met.free.value)),
                    index: index.map(|word| i128::from(solver.number(word) as u32 as i32)),
                };
                (met.instance, angelic)
            })
            .collect()
    }

    /// Runs the program with these values (Algorithm 2); if the run leaves what is explored, that is explored, too.
    ///
    /// # Errors
    /// If the run cannot be encoded.
    pub fn replay(
        &mut self,
        shared: &mut Shared<'a>,
        values: &HashMap<Instance, Angelic>,
    ) -> Result<Replay, Stop> {
        let run = shared.run(self.test, values);
        if run.end == End::Passed {
            return Ok(Replay::Holds(run));
        }
        let Explored::Only(sides, small) = &mut self.explored else {
            return Ok(Replay::Disagrees(run));
        };
        let branches = run.branches.iter().copied();
        let is_new = |side: &Side| !sides.contains(side) && !small.contains(&(side.1, side.2));
        let mut new: Vec<Side> = branches.filter(is_new).collect();
        if new.is_empty() {
            return Ok(Replay::Disagrees(run));
        }
        for side in new.clone() {
            new.extend(shared.later(side));
        }
        sides.extend(new.iter().copied());
        shared.led_to.extend(new);
        self.encoded = encode(
            shared.program,
            self.test,
            shared.extent,
            &self.explored,
            &shared.broken,
            &mut shared.circuit,
            &mut shared.positions,
            &mut self.frees,
        )?;
        Ok(Replay::Refined)
    }
}
