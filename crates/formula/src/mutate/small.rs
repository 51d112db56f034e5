//! Runs of a function with small arguments, beyond the bound. A mutated program that is right within the bound may be right
//! only because its wrong runs come to the bound: with small arguments it must return, too, and what it should.

use std::collections::HashMap;

use nopol_program::interpret::{End, Limits, Value, call};
use nopol_program::ir::{FunctionId, Made, Program, Scalar};
use nopol_program::position::Positions;

use super::judge::{Trouble, is_late};
use super::specification::{Check, Specification, cells, limits};
use crate::encode::Extent;

/// How many rounds a loop may go, and how many statements a run may take: of what takes longer the end is not awaited.
const MANY_ROUNDS: u32 = 100_000;
const MANY_STEPS: u64 = 1_000_000;

/// The same for runs that say what is expected: a mutated program may take somewhat longer.
const STEPS_EXPECTED: u64 = 100_000;

/// After this many runs that do not end within this, no others are tried.
const MOST_ENDLESS: usize = 8;

/// How a run of a program ends that is followed far beyond the bound, and what it returns.
pub fn far(
    program: &Program,
    function: FunctionId,
    arguments: &[i128],
    extent: Extent,
) -> Result<(End, Option<i128>), Trouble> {
    run(program, function, arguments, extent, MANY_STEPS)
}

fn run(
    program: &Program,
    function: FunctionId,
    arguments: &[i128],
    extent: Extent,
    steps: u64,
) -> Result<(End, Option<i128>), Trouble> {
    let limits = Limits {
        bound: MANY_ROUNDS,
        steps,
        implicit: extent.implicit,
        deadline: extent.deadline,
    };
    let positions = &mut Positions::default();
    let (run, result) = call(
        program,
        function,
        arguments,
        &limits,
        positions,
        &HashMap::new(),
    );
    match run.end {
        End::Late => Err(Trouble::Late),
        end => Ok((
            end,
            match result {
                Some(Value::Number(number)) => Some(number),
                _ => None,
            },
        )),
    }
}

/// Whether a run has no end that was awaited.
pub const fn is_endless(end: &End) -> bool {
    matches!(end, End::Bound(_) | End::Steps)
}

/// Calls with small arguments in which a function must return.
pub struct SmallCalls(Vec<SmallCall>);

/// A call with small arguments.
struct SmallCall {
    arguments: Vec<i128>,
    /// What must be returned, if that matters.
    expected: Option<i128>,
    /// Whether the program may end instead ([`Check::Call`]).
    may_exit: bool,
    /// Whether the reference returns within the bound, so that the call counts for the formula, too.
    is_within: bool,
}

impl SmallCalls {
    /// The calls that the reference returns from, with what it returns; without a reference those in which the unchanged
    /// function comes to an end, be it a fault.
    ///
    /// # Errors
    /// If the time is over.
    pub fn new(
        program: &Program,
        function: FunctionId,
        reference: Option<FunctionId>,
        extent: Extent,
    ) -> Result<Self, Trouble> {
        let mut calls = Vec::new();
        let mut endless = 0;
        for arguments in small(&cells(program, function)) {
            let asked = reference.unwrap_or(function);
            let (end, result) = run(program, asked, &arguments, extent, STEPS_EXPECTED)?;
            // Without a reference a fault is an end, too.
            let counts = end == End::Passed || reference.is_none() && matches!(end, End::Fault(..));
            endless += usize::from(is_endless(&end));
            if counts {
                let limits = limits(extent);
                let (positions, none) = (&mut Positions::default(), &HashMap::new());
                let is_within = reference.is_none_or(|reference| {
                    let (run, _) = call(program, reference, &arguments, &limits, positions, none);
                    run.end == End::Passed
                });
                calls.push(SmallCall {
                    arguments,
                    expected: reference.and(result),
                    may_exit: end != End::Passed,
                    is_within,
                });
            }
            if endless == MOST_ENDLESS {
                break;
            }
        }
        Ok(Self(calls))
    }

    /// The first call in which a program is wrong within the bound: a run costs less than a solver.
    pub fn refuted(
        &self,
        specification: &Specification,
        program: &Program,
        extent: Extent,
    ) -> Option<Check> {
        let (original, positions) = (Made::new(), &mut Positions::default());
        let mut calls = self.0.iter().filter(|call| call.is_within);
        calls.find_map(|call| {
            let check = Check::Call {
                arguments: call.arguments.clone(),
                expected: call.expected,
                may_exit: call.may_exit,
            };
            let verdict = specification.judge(program, &original, &check, extent, positions);
            (!verdict.holds && !is_late(extent)).then_some(check)
        })
    }

    /// Whether a program goes wrong in one of the calls: it does not return, or not what it should.
    ///
    /// # Errors
    /// If the time is over.
    pub fn refute(
        &self,
        program: &Program,
        function: FunctionId,
        extent: Extent,
    ) -> Result<bool, Trouble> {
        for SmallCall {
            arguments,
            expected,
            may_exit,
            ..
        } in &self.0
        {
            let (end, result) = far(program, function, arguments, extent)?;
            let is_right = match end {
                End::Passed => expected.is_none() || result == *expected,
                // What is not assumed does not count.
                End::Assumption => true,
                End::WrongExit(_) => *may_exit,
                _ => false,
            };
            if !is_right {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How many cells all small arguments have together.
const MOST_SMALL: usize = 100_000;

/// Small arguments for parameters with these cells, the smallest first: all combinations for up to three of them; for more, those in which at
/// most one differs from the others, and of very many cells only one of the first.
fn small(cells: &[Scalar]) -> Vec<Vec<i128>> {
    let range = match cells.len() {
        0 => 0..=0,
        1 => -20..=40,
        2 => -2..=7,
        3 => -1..=3,
        _ => -1..=2,
    };
    let values: Vec<i128> = range.collect();
    let mut all: Vec<Vec<i128>> = Vec::new();
    if cells.len() <= 3 {
        all.push(Vec::new());
        for _ in cells {
            let longer = all.iter().flat_map(|arguments| {
                let longer = |value: &i128| [&arguments[..], &[*value]].concat();
                values.iter().map(longer)
            });
            all = longer.collect();
        }
    } else {
        let varied = (MOST_SMALL / (values.len() * values.len() * cells.len())).min(cells.len());
        for other in &values {
            all.push(vec![*other; cells.len()]);
            for at in 0..varied {
                for value in values.iter().filter(|value| *value != other) {
                    let mut arguments = vec![*other; cells.len()];
                    arguments[at] = *value;
                    all.push(arguments);
                }
            }
        }
    }
    let fits = |(ty, value): (&Scalar, &i128)| ty.wrap(*value) == *value;
    all.retain(|arguments| cells.iter().zip(arguments).all(fits));
    // The simplest first: one of them is shown.
    all.sort_by_key(|arguments| arguments.iter().map(|value| value.abs()).sum::<i128>());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_arguments_fit_their_types() {
        assert_eq!(small(&[]), [Vec::new()]);
        assert_eq!(small(&[Scalar::INT]).len(), 61);
        assert_eq!(small(&[Scalar::UINT]).len(), 41);
        assert_eq!(small(&[Scalar::INT, Scalar::Bool]).len(), 20);
        assert_eq!(small(&[Scalar::INT; 4]).len(), 4 * (1 + 4 * 3));
        assert_eq!(small(&[Scalar::INT; 70_000]).len(), 4);
    }
}
