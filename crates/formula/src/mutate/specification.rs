//! When a mutated program is right, for one input or in a formula of its run.

use fixedbitset::FixedBitSet;
use nopol_program::interpret::{End, Limits, Value, call_mutant, run_mutant};
use nopol_program::ir::{FaultKind, FunctionId, Made, Program, Scalar, Test};
use nopol_program::position::Positions;

use super::space::Space;
use crate::circuit::word::Word;
use crate::circuit::{Bit, Circuit};
use crate::encode::entry::{Called, Growing, encode_call, encode_test, number};
use crate::encode::{Choices, Explored, Extent, Side, Stop};

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

pub(super) const fn number_of(result: Option<Value>) -> Option<i128> {
    match result {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// When a call returns something else.
pub(super) fn differs(circuit: &mut Circuit, called: &Called, wanted: Option<&Word>) -> Bit {
    match (&called.result, wanted) {
        (Some(result), Some(wanted)) => {
            let same = circuit.equal(result, wanted);
            circuit.and(called.returns, !same)
        }
        _ => Bit::FALSE,
    }
}
