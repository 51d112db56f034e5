//! Runs with choices open: tests, and calls of a function with arguments that may be open, too.

use std::collections::BTreeMap;

use nopol_program::ir::{FunctionId, Program, Scalar, Span, Test};
use nopol_program::position::Positions;

use super::memory::Value;
use super::word::{self, Word};
use super::{Bit, Choices, Circuit, Encoded, Encoder, Explored, Extent, Frees, Result, index_word};

/// What grows while runs are encoded.
pub struct Growing<'a> {
    /// The circuit.
    pub circuit: &'a mut Circuit,
    /// The positions.
    pub positions: &'a mut Positions,
}

/// A call as a circuit.
#[derive(Clone, Debug)]
pub struct Called {
    /// Whether it returns within the bound, or leaves what is explored. Not if an assumption fails.
    pub returns: Bit,
    /// Whether a fault happens.
    pub faults: Bit,
    /// Whether it ends the program by `exit`.
    pub exits: Bit,
    /// Whether the run leaves what is explored.
    pub escapes: Bit,
    /// Whether a loop or recursion goes beyond the bound.
    pub cut: Bit,
    /// What it returns.
    pub result: Option<Word>,
}

/// The circuit of a test's run in which choices are open.
///
/// # Errors
/// If the run needs what circuits do not have, or too many gates.
pub fn encode_test(
    program: &Program,
    test: &Test,
    extent: Extent,
    explored: &Explored,
    choices: &Choices,
    growing: Growing<'_>,
) -> Result<Encoded> {
    let (broken, mut frees) = (BTreeMap::new(), Frees::default());
    let Growing { circuit, positions } = growing;
    let (of, frees) = ((&broken, choices), &mut frees);
    let mut encoder = Encoder::new(program, extent, explored, of, circuit, positions, frees);
    let ended_well = encoder.run(test)?;
    encoder.check_limits(Span::default())?;
    Ok(encoder.encoded(ended_well))
}

/// The circuit of a call with these words for the cells of the parameters, in which choices are open.
///
/// # Errors
/// If the run needs what circuits do not have, or too many gates.
pub fn encode_call(
    program: &Program,
    (function, arguments): (FunctionId, &[Word]),
    extent: Extent,
    explored: &Explored,
    choices: &Choices,
    growing: Growing<'_>,
) -> Result<Called> {
    let (broken, mut frees) = (BTreeMap::new(), Frees::default());
    let Growing { circuit, positions } = growing;
    let (of, frees) = ((&broken, choices), &mut frees);
    let mut encoder = Encoder::new(program, extent, explored, of, circuit, positions, frees);
    encoder.globals()?;
    let called = &program.functions[function];
    let result = encoder.entered(function, arguments)?;
    encoder.check_limits(Span::default())?;
    let result = match (called.result, result) {
        (None, _) => None,
        (Some(Scalar::Pointer), _) | (_, Value::Pointer(_)) => {
            return encoder.stop(
                Span::default(),
                "the function returns a pointer, which is not supported",
            );
        }
        (Some(_), Value::Bits(word)) => Some(word),
    };
    let exited = encoder.exited.take();
    Ok(Called {
        exits: exited.map_or(Bit::FALSE, |(state, _)| state.live),
        returns: encoder.circuit.or(encoder.state.live, encoder.escapes),
        faults: encoder.faults,
        escapes: encoder.escapes,
        cut: encoder.cut,
        result,
    })
}

/// A number as the word of a type.
pub fn number(ty: Scalar, value: i128) -> Word {
    word::constant(value, usize::from(ty.bits()))
}

impl Encoder<'_> {
    /// Calls a function with a word for each cell of its parameters.
    fn entered(&mut self, function: FunctionId, arguments: &[Word]) -> Result<Value> {
        let mut values = Vec::new();
        let mut words = arguments.iter();
        for parameter in &self.program.functions[function].parameters {
            let cells = &self.program.variables[*parameter].cells;
            let of_parameter = cells.iter().zip(words.by_ref());
            let of_parameter: Vec<(Word, bool)> = of_parameter
                .map(|(ty, word)| (word.clone(), ty.is_signed()))
                .collect();
            values.push(of_parameter);
        }
        self.call_with(function, true, &mut |this, at, object| {
            for (cell, (word, is_signed)) in (0..).zip(values.get(at).into_iter().flatten()) {
                let value = (Value::Bits(word.clone()), Bit::FALSE);
                this.write(object, &index_word(cell), (value, *is_signed), Bit::TRUE);
            }
        })
    }
}
