//! Looks for an input for which a mutated program is wrong: a test, or arguments that a proof for all of them finds.

use std::collections::HashMap;

use nopol_program::interpret::call;
use nopol_program::ir::{FunctionId, Made, Program};
use nopol_program::position::Positions;

use super::applied::mutant;
use super::small::{self, SmallCalls};
use super::space::Space;
use super::specification::{Check, Specification, cells, differs, limits, number_of};
use crate::circuit::cnf::{Lit, Solver, Unknown};
use crate::circuit::word::{self, Word};
use crate::circuit::{Bit, Circuit};
use crate::encode::entry::{Called, Growing, encode_call, number};
use crate::encode::{Choices, Explored, Extent, Stop, StopKind};

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
