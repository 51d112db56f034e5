//! When a mutated program is right, and inputs for which it is not.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use nopol_program::interpret::{End, Limits, Value, call, call_mutant, run_mutant};
use nopol_program::ir::{FaultKind, FunctionId, Made, Program, Scalar, Test};
use nopol_program::position::Positions;

use super::applied::mutant;
use super::small::{self, SmallCalls};
use super::space::Space;
use crate::circuit::cnf::{Lit, Solver, Unknown};
use crate::circuit::word::{self, Word};
use crate::circuit::{Bit, Circuit};
use crate::encode::entry::{Called, Growing, encode_call, encode_test, number};
use crate::encode::{Choices, Explored, Extent, Side, Stop, StopKind};

/// What a program must do.
#[derive(Clone, Debug)]
pub enum Specification {
    /// It passes these tests.
    Tests(Vec<Test>),
    /// Whatever its arguments are, this function returns without a fault, and what the reference returns if there is
    /// one. Without a reference it may also end the program where it does not return unchanged. Arguments for which the
    /// reference has a fault or ends the program do not count, nor do runs beyond the bound (AllRepair, Definition 2).
    Function {
        /// The function.
        function: FunctionId,
        /// The one that it is held against.
        reference: Option<FunctionId>,
    },
}

/// An input for which a program was wrong: from then on all programs are held against it.
#[derive(Clone, Debug)]
pub enum Check {
    /// A test, by its number.
    Test(usize),
    /// A call with these numbers for the cells of the parameters.
    Call {
        /// The numbers.
        arguments: Vec<i128>,
        /// What must be returned, if that matters.
        expected: Option<i128>,
        /// Whether it is right to end the program instead: there is no reference, and the unchanged function does not return.
        may_exit: bool,
    },
}

/// How a program fares with a [`Check`].
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Whether it is right.
    pub holds: bool,
    /// Whether the run comes to its end.
    pub ends: bool,
    /// The sides of branches that it takes.
    pub sides: Vec<Side>,
    /// The choices on which the run depends.
    pub telling: FixedBitSet,
    /// What a call returns.
    pub result: Option<i128>,
}

/// The types of the cells of a function's parameters.
pub fn cells(program: &Program, function: FunctionId) -> Vec<Scalar> {
    let parameters = program.functions[function].parameters.iter();
    parameters
        .flat_map(|parameter| program.variables[*parameter].cells.iter().copied())
        .collect()
}

impl Specification {
    /// Runs a program with these choices made on an input.
    pub fn judge(
        &self,
        program: &Program,
        made: &Made,
        check: &Check,
        extent: Extent,
        positions: &mut Positions,
    ) -> Verdict {
        let limits = limits(extent);
        match (self, check) {
            (Self::Tests(tests), Check::Test(test)) => {
                let run = run_mutant(program, &tests[*test], &limits, positions, made);
                let holds = run.end == End::Passed;
                Verdict {
                    holds,
                    ends: holds,
                    sides: run.branches,
                    telling: run.telling,
                    result: None,
                }
            }
            (
                Self::Function { function, .. },
                Check::Call {
                    arguments,
                    expected,
                    may_exit,
                },
            ) => {
                let (run, result) =
                    call_mutant(program, *function, arguments, &limits, positions, made);
                let ends = run.end == End::Passed;
                let is_cut = matches!(run.end, End::Bound(_) | End::Assumption | End::Steps);
                let result = number_of(result);
                let is_expected = expected.is_none_or(|wanted| result == Some(wanted));
                let exits = matches!(run.end, End::WrongExit(_));
                Verdict {
                    holds: is_cut || ends && is_expected || exits && *may_exit,
                    ends,
                    sides: run.branches,
                    telling: run.telling,
                    result,
                }
            }
            _ => Verdict {
                holds: true,
                ends: true,
                sides: Vec::new(),
                telling: FixedBitSet::new(),
                result: None,
            },
        }
    }

    /// What the unchanged program does on an input that the language forbids or the program states as a fault; nothing if it
    /// comes to its end.
    pub fn fault(&self, program: &Program, check: &Check, extent: Extent) -> Option<FaultKind> {
        let (Self::Function { function, .. }, Check::Call { arguments, .. }) = (self, check) else {
            return None;
        };
        let (limits, mut positions) = (limits(extent), Positions::default());
        let made = Made::new();
        let (run, _) = call_mutant(
            program,
            *function,
            arguments,
            &limits,
            &mut positions,
            &made,
        );
        match run.end {
            End::Fault(kind, _) => Some(kind),
            _ => None,
        }
    }

    /// Whether a program with these choices open is right for an input, or the run leaves what is explored.
    ///
    /// # Errors
    /// If the run cannot be encoded.
    pub fn holds(
        &self,
        space: &Space,
        check: &Check,
        (extent, explored): (Extent, &Explored),
        choices: &Choices,
        growing: Growing<'_>,
    ) -> Result<Bit, Stop> {
        let program = &space.program;
        match (self, check) {
            (Self::Tests(tests), Check::Test(test)) => {
                let encoded =
                    encode_test(program, &tests[*test], extent, explored, choices, growing)?;
                Ok(encoded.passes)
            }
            (
                Self::Function { function, .. },
                Check::Call {
                    arguments,
                    expected,
                    may_exit,
                },
            ) => {
                let cells = cells(program, *function);
                let words = cells.iter().zip(arguments);
                let words: Vec<Word> = words.map(|(ty, value)| number(*ty, *value)).collect();
                let Growing { circuit, positions } = growing;
                let called = encode_call(
                    program,
                    (*function, &words),
                    extent,
                    explored,
                    choices,
                    Growing { circuit, positions },
                )?;
                let wanted = match (expected, program.functions[*function].result) {
                    (Some(wanted), Some(ty)) => Some(number(ty, *wanted)),
                    _ => None,
                };
                // What is returned by a run that escapes is not known, but a fault before that is one.
                let other = differs(circuit, &called, wanted.as_ref());
                let right = circuit.or(!other, called.escapes);
                let right = circuit.and(right, !called.faults);
                Ok(match may_exit {
                    true => right,
                    false => circuit.and(right, !called.exits),
                })
            }
            _ => Ok(Bit::TRUE),
        }
    }
}

pub(super) const fn limits(extent: Extent) -> Limits {
    Limits {
        bound: extent.bound,
        steps: extent.steps,
        implicit: extent.implicit,
        deadline: extent.deadline,
    }
}

const fn number_of(result: Option<Value>) -> Option<i128> {
    match result {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// When a call returns something else.
fn differs(circuit: &mut Circuit, called: &Called, wanted: Option<&Word>) -> Bit {
    match (&called.result, wanted) {
        (Some(result), Some(wanted)) => {
            let same = circuit.equal(result, wanted);
            circuit.and(called.returns, !same)
        }
        _ => Bit::FALSE,
    }
}

/// The verdict on a program.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It is right.
    Right {
        /// Whether that holds for all runs: none goes beyond the bound.
        is_unbounded: bool,
    },
    /// It is wrong for an input.
    Wrong(Check),
}

/// Looks for inputs for which programs are wrong.
pub struct Judge<'a> {
    specification: &'a Specification,
    space: &'a Space,
    extent: Extent,
    /// The tests, those that refuted programs lately first.
    order: Vec<usize>,
    proof: Option<Proof>,
    /// How often a solver was asked.
    pub asked: usize,
}

/// Proofs about a function for all arguments: everything is in one circuit, so that what programs have in common is
/// encoded once.
struct Proof {
    circuit: Circuit,
    positions: Positions,
    solver: Solver,
    arguments: Vec<Word>,
    /// What the reference returns, and when it returns without a fault.
    reference: Option<(Option<Word>, Bit)>,
    /// When the original is wrong, and when its run comes to its end or to the bound.
    original: Bit,
    counts: Bit,
    /// When a program may end by `exit`: the original does so or has a fault, and there is no reference.
    may_exit: Bit,
    /// When the run of the reference comes to the bound: what it returns is not known.
    cut: Bit,
    /// When the original returns within the bound or rightly ends the program, and the reference returns.
    ends: Bit,
    /// When a program must return: the reference does within the bound, or without one the original comes to an end.
    must_end: Bit,
    /// Runs with small arguments, which are followed beyond the bound.
    small: SmallCalls,
}

/// How many arguments are tried for which a run goes beyond the bound, and how many bits they have at most.
const MOST_LONG: usize = 12;
const FEW_BITS: usize = 8;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A run cannot be encoded.
    Stop(Stop),
    /// The formula and the interpreter disagree, which is a bug here.
    Disagreement,
    /// The time is over.
    Late,
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop.kind {
            StopKind::Late => Self::Late,
            StopKind::Outside | StopKind::Large => Self::Stop(stop),
        }
    }
}

impl From<Unknown> for Trouble {
    fn from(_: Unknown) -> Self {
        Self::Late
    }
}

impl<'a> Judge<'a> {
    /// A judge of the mutants of a program.
    ///
    /// # Errors
    /// If the original cannot be encoded.
    pub fn new(
        specification: &'a Specification,
        space: &'a Space,
        extent: Extent,
    ) -> Result<Self, Trouble> {
        let mut judge = Self {
            specification,
            space,
            extent,
            order: Vec::new(),
            proof: None,
            asked: 0,
        };
        match specification {
            Specification::Tests(tests) => judge.order = (0..tests.len()).collect(),
            Specification::Function {
                function,
                reference,
            } => judge.proof = Some(judge.proof(*function, *reference)?),
        }
        Ok(judge)
    }

    fn proof(&self, function: FunctionId, reference: Option<FunctionId>) -> Result<Proof, Trouble> {
        let mut proof = Proof {
            circuit: Circuit::default(),
            positions: Positions::default(),
            solver: Solver::patient(self.extent.patience()),
            arguments: Vec::new(),
            reference: None,
            original: Bit::FALSE,
            counts: Bit::FALSE,
            may_exit: Bit::FALSE,
            cut: Bit::FALSE,
            ends: Bit::FALSE,
            must_end: Bit::FALSE,
            small: SmallCalls::new(&self.space.program, function, reference, self.extent)?,
        };
        for ty in cells(&self.space.program, function) {
            let word = proof.circuit.free(usize::from(ty.bits()));
            proof.arguments.push(word);
        }
        let original = mutant(&self.space.program, &Made::new());
        if let Some(reference) = reference {
            let called = proof.call(&original, reference, self.extent)?;
            let counts = proof.circuit.and(called.returns, !called.faults);
            proof.cut = called.cut;
            proof.reference = Some((called.result, counts));
        }
        let called = proof.call(&original, function, self.extent)?;
        if reference.is_none() {
            proof.may_exit = proof.circuit.or(called.exits, called.faults);
        }
        proof.original = proof.wrong(&called);
        let reference = proof.reference.as_ref();
        let counts = reference.map_or(Bit::TRUE, |(_, counts)| *counts);
        let ends = proof.ends(&called);
        let reference = proof.reference.as_ref();
        proof.ends = proof.circuit.and(ends, counts);
        let ends = proof
            .circuit
            .any([called.returns, called.faults, called.exits]);
        proof.counts = proof.circuit.or(ends, called.cut);
        proof.must_end = match reference {
            Some(_) => counts,
            None => ends,
        };
        Ok(proof)
    }

    /// An input for which a program is wrong, if there is one.
    ///
    /// # Errors
    /// If the solver gives up, or the program cannot be encoded.
    pub fn ask(&mut self, made: &Made, positions: &mut Positions) -> Result<Answer, Trouble> {
        match self.specification {
            Specification::Tests(_) => {
                for at in 0..self.order.len() {
                    let check = Check::Test(self.order[at]);
                    let program = &self.space.program;
                    let verdict =
                        self.specification
                            .judge(program, made, &check, self.extent, positions);
                    // Of a run that was given up nothing is known.
                    if is_late(self.extent) {
                        return Err(Trouble::Late);
                    }
                    if !verdict.holds {
                        self.order[..=at].rotate_right(1);
                        return Ok(Answer::Wrong(check));
                    }
                }
                Ok(Answer::Right { is_unbounded: true })
            }
            Specification::Function { function, .. } => {
                self.asked += 1;
                let program = mutant(&self.space.program, made);
                match &mut self.proof {
                    Some(proof) => proof.ask(self.specification, &program, *function, self.extent),
                    None => Ok(Answer::Right {
                        is_unbounded: false,
                    }),
                }
            }
        }
    }

    /// Whether no arguments meet the assumptions, so that every program is right.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn is_vacuous(&mut self) -> Result<bool, Trouble> {
        match &mut self.proof {
            Some(proof) => {
                let counts = proof.solver.literal(&proof.circuit, proof.counts);
                Ok(!proof.solver.check(&[counts])?)
            }
            None => Ok(false),
        }
    }

    /// Whether for no arguments the original and the reference return within the bound.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn ends_never(&mut self) -> Result<bool, Trouble> {
        match &mut self.proof {
            Some(proof) => {
                let ends = proof.solver.literal(&proof.circuit, proof.ends);
                Ok(!proof.solver.check(&[ends])?)
            }
            None => Ok(false),
        }
    }

    /// Whether a program that is right comes to an end for an input for which the original is wrong. If it does not, it is
    /// only right because it never ends.
    ///
    /// # Errors
    /// If the solver gives up, or the program cannot be encoded.
    pub fn mends(&mut self, made: &Made) -> Result<bool, Trouble> {
        match (self.specification, &mut self.proof) {
            (Specification::Function { function, .. }, Some(proof)) => {
                self.asked += 1;
                let program = &mutant(&self.space.program, made);
                let called = proof.call(program, *function, self.extent)?;
                let ends = proof.ends(&called);
                let mended = proof.circuit.and(proof.original, ends);
                let mended = proof.solver.literal(&proof.circuit, mended);
                Ok(proof.solver.check(&[mended])?)
            }
            _ => Ok(true),
        }
    }

    /// Whether a program that is right within the bound goes wrong beyond it for some small arguments ([`SmallCalls`]), or runs
    /// on without an end for some for which it must return ([`Proof::must_end`]): it is right only because its run is cut off.
    /// Only few such arguments are tried.
    ///
    /// # Errors
    /// If the solver gives up, or the program cannot be encoded.
    pub fn goes_wrong_later(&mut self, made: &Made) -> Result<bool, Trouble> {
        let (Specification::Function { function, .. }, Some(proof)) =
            (self.specification, &mut self.proof)
        else {
            return Ok(false);
        };
        let program = &mutant(&self.space.program, made);
        if proof.small.refute(program, *function, self.extent)? {
            return Ok(true);
        }
        let called = proof.call(program, *function, self.extent)?;
        let types = cells(program, *function);
        let mut asked = proof.circuit.and(called.cut, proof.must_end);
        for (word, ty) in proof.arguments.iter().zip(&types) {
            let small = word::resized(
                &word[..word.len().min(FEW_BITS)],
                word.len(),
                ty.is_signed(),
            );
            let is_small = proof.circuit.equal(word, &small);
            asked = proof.circuit.and(asked, is_small);
        }
        for _ in 0..MOST_LONG {
            let literal = proof.solver.literal(&proof.circuit, asked);
            if !proof.solver.check(&[literal])? {
                return Ok(false);
            }
            let values = types.iter().zip(&proof.arguments);
            let arguments: Vec<i128> = values
                .map(|(ty, word)| ty.value(proof.solver.number(word)))
                .collect();
            let (end, _) = small::far(program, *function, &arguments, self.extent)?;
            if small::is_endless(&end) {
                return Ok(true);
            }
            let mut other = Bit::FALSE;
            for ((word, ty), value) in proof.arguments.iter().zip(&types).zip(&arguments) {
                let same = proof.circuit.equal(word, &number(*ty, *value));
                other = proof.circuit.or(other, !same);
            }
            asked = proof.circuit.and(asked, other);
        }
        Ok(false)
    }
}

/// Whether the time is over.
pub fn is_late(extent: Extent) -> bool {
    extent.deadline.is_over()
}

impl Proof {
    fn call(
        &mut self,
        program: &Program,
        function: FunctionId,
        extent: Extent,
    ) -> Result<Called, Stop> {
        encode_call(
            program,
            (function, &self.arguments),
            extent,
            &Explored::All,
            &Choices::default(),
            Growing {
                circuit: &mut self.circuit,
                positions: &mut self.positions,
            },
        )
    }

    /// When a call returns, or ends the program where it may.
    fn ends(&mut self, called: &Called) -> Bit {
        let exits = self.circuit.and(called.exits, self.may_exit);
        self.circuit.or(called.returns, exits)
    }

    /// When a call is wrong.
    fn wrong(&mut self, called: &Called) -> Bit {
        let (wanted, counts) = match &self.reference {
            Some((wanted, counts)) => (wanted.as_ref(), *counts),
            None => (None, Bit::TRUE),
        };
        let other = differs(&mut self.circuit, called, wanted);
        let exits = self.circuit.and(called.exits, !self.may_exit);
        let wrong = self.circuit.any([called.faults, other, exits]);
        self.circuit.and(wrong, counts)
    }

    fn ask(
        &mut self,
        specification: &Specification,
        program: &Program,
        function: FunctionId,
        extent: Extent,
    ) -> Result<Answer, Trouble> {
        if let Some(check) = self.small.refuted(specification, program, extent) {
            return Ok(Answer::Wrong(check));
        }
        let called = self.call(program, function, extent)?;
        let wrong = self.wrong(&called);
        let wrong: Lit = self.solver.literal(&self.circuit, wrong);
        if !self.solver.check(&[wrong])? {
            // Arguments for which the function ends and the reference does not were not judged either.
            let ends = [called.returns, called.faults, called.exits];
            let ends = self.circuit.any(ends);
            let unjudged = self.circuit.and(ends, self.cut);
            let cut = self.circuit.or(called.cut, unjudged);
            let cut = self.solver.literal(&self.circuit, cut);
            let is_unbounded = !self.solver.check(&[cut])?;
            return Ok(Answer::Right { is_unbounded });
        }
        let values = cells(program, function).into_iter().zip(&self.arguments);
        let arguments: Vec<i128> = values
            .map(|(ty, word)| ty.value(self.solver.number(word)))
            .collect();
        let expected = match specification {
            Specification::Function {
                reference: Some(reference),
                ..
            } => {
                let positions = &mut Positions::default();
                let limits = limits(extent);
                let of = (program, *reference);
                let (_, result) = call(of.0, of.1, &arguments, &limits, positions, &HashMap::new());
                number_of(result)
            }
            _ => None,
        };
        let check = Check::Call {
            arguments,
            expected,
            may_exit: self.solver.value(self.may_exit),
        };
        let positions = &mut Positions::default();
        let verdict = specification.judge(program, &Made::new(), &check, extent, positions);
        if is_late(extent) {
            return Err(Trouble::Late);
        }
        match verdict.holds {
            true => Err(Trouble::Disagreement),
            false => Ok(Answer::Wrong(check)),
        }
    }
}
