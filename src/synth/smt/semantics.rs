//! φ_FUNC of papers/nopol.txt §3.4.4: what a wiring computes in one row, and what it must.

use super::number::{Format, Number, constant};
use super::{Encoding, Location, all, next};
use crate::spec::{ArithOp, Int, IntType, TermId, Type, Value};
use crate::synth::library::{Block, Library};
use std::collections::{BTreeMap, BTreeSet};
use z3::ast::Bool;

/// A boolean value variable with its definedness.
#[derive(Clone)]
struct Truth {
    value: Bool,
    defined: Bool,
}

/// The values of the input terms in one row.
struct RowScale {
    row: usize,
    /// By location: `None` if undefined, `Some(None)` for a NaN, else the rank in this row.
    ranks: Vec<Option<Option<usize>>>,
    format: Format,
}

impl Encoding<'_> {
    /// φ_FUNC (§3.4.4) of one row: a conjunct of φ_PATCH.
    pub fn phi_func(&mut self, row: usize) {
        let library = self.library;
        let scale = self.scale(row);
        let mut numbers: BTreeMap<usize, Number> = BTreeMap::new();
        let mut truths: BTreeMap<usize, Truth> = BTreeMap::new();
        for (index, block) in library.blocks.iter().enumerate() {
            match block {
                Block::Arith(..) => {
                    let number = self.number(scale.format);
                    numbers.insert(index, number);
                }
                _ => {
                    let truth = self.truth();
                    truths.insert(index, truth);
                }
            }
        }
        for (index, block) in library.blocks.iter().enumerate() {
            match block {
                Block::Arith(op, int) => {
                    let [a, b] =
                        [0, 1].map(|input| self.conn_number(index, input, &scale, &numbers));
                    self.lib_arith(*op, *int, &a, &b, &numbers[&index]);
                }
                Block::Cmp => {
                    let [a, b] =
                        [0, 1].map(|input| self.conn_number(index, input, &scale, &numbers));
                    self.lib_cmp(index, &a, &b, &truths[&index]);
                }
                Block::Not | Block::And | Block::Or => {
                    let inputs: Vec<Truth> = (0..block.arity())
                        .map(|input| {
                            let truth = self.truth();
                            self.conn_truth(&self.inputs[index][input], &truth, row, &truths);
                            truth
                        })
                        .collect();
                    self.lib_connective(*block, &inputs, &truths[&index]);
                }
            }
        }
        let expected = Truth {
            value: Bool::from_bool(library.table.spec.rows[row].expected),
            defined: Bool::from_bool(true),
        };
        self.conn_truth(&self.result, &expected, row, &truths);
    }

    /// φ_CONN (§3.4.4) of a numeric input: it has the value of what is at its location.
    fn conn_number(
        &mut self,
        block: usize,
        input: usize,
        scale: &RowScale,
        outputs: &BTreeMap<usize, Number>,
    ) -> Number {
        let number = self.number(scale.format);
        let location = &self.inputs[block][input];
        for (place, at) in &location.at {
            let Some(term) = self.library.inputs.get(*place) else {
                continue;
            };
            let value = match (&scale.ranks[*place], scale.format) {
                (None, _) => {
                    self.solver.assert(at.implies(number.defined.not()));
                    continue;
                }
                (Some(None), _) => number.nan.clone(),
                (Some(Some(rank)), format) => {
                    let row = &self.library.table.spec.rows[scale.row];
                    let value = match (format, &row.values[*term]) {
                        (Format::Bits(_), Some(Value::Int(_, int))) => number.is_int(*int),
                        _ => number.is_rank(*rank),
                    };
                    all([number.nan.not(), value])
                }
            };
            self.solver
                .assert(at.implies(all([number.defined.clone(), value])));
        }
        for (source, output) in outputs {
            let connected = self.connected(location, *source);
            self.solver.assert(connected.implies(number.is(output)));
        }
        number
    }

    /// φ_CONN (§3.4.4) of a boolean input or the result.
    fn conn_truth(
        &self,
        location: &Location,
        truth: &Truth,
        row: usize,
        outputs: &BTreeMap<usize, Truth>,
    ) {
        for (place, at) in &location.at {
            let Some(term) = self.library.inputs.get(*place) else {
                continue;
            };
            let value = self.library.table.spec.rows[row].values[*term].as_ref();
            self.solver
                .assert(at.implies(match value.and_then(Value::as_bool) {
                    Some(true) => Bool::and(&[&truth.value, &truth.defined]),
                    Some(false) => Bool::and(&[&truth.value.not(), &truth.defined]),
                    None => truth.defined.not(),
                }));
        }
        for (source, output) in outputs {
            let connected = self.connected(location, *source);
            let same = Bool::and(&[
                truth.value.iff(&output.value),
                truth.defined.iff(&output.defined),
            ]);
            self.solver.assert(connected.implies(same));
        }
    }

    /// φ_LIB (§3.4.4) of a sum or difference: undefined outside the type.
    fn lib_arith(&self, op: ArithOp, ty: IntType, a: &Number, b: &Number, output: &Number) {
        let Some(value) = a.sum(b, op == ArithOp::Sub) else {
            return;
        };
        let mut defined = vec![a.defined.clone(), b.defined.clone()];
        let (low, high) = bounds(ty);
        // A bound beyond the width cannot be passed.
        if high.bits() < self.width {
            defined.push(value.bvsle(constant(high, self.width)));
        }
        if low.bits() < self.width {
            defined.push(value.bvsge(constant(low, self.width)));
        }
        self.solver.assert(output.is_bits(&value));
        self.solver.assert(output.nan.not());
        self.solver.assert(output.defined.iff(all(defined)));
    }

    /// φ_LIB (§3.4.4) of a comparison with the operator it was given.
    fn lib_cmp(&mut self, block: usize, a: &Number, b: &Number, output: &Truth) {
        let Some((order, second)) = self.operators[block].clone() else {
            return;
        };
        let [below, above] = [(a, b), (b, a)].map(|(a, b)| {
            let fresh = &mut self.fresh;
            a.less(b, &self.solver, || next(fresh))
        });
        let ordered = Bool::and(&[a.nan.not(), b.nan.not()]);
        let less = Bool::and(&[&ordered, &below]);
        let equal = Bool::and(&[ordered, below.not(), above.not()]);
        let at_most = Bool::or(&[&less, &Bool::and(&[&second, &equal])]);
        let value = order.ite(&at_most, &equal.xor(&second));
        self.solver.assert(output.value.iff(value));
        self.solver
            .assert(output.defined.iff(Bool::and(&[&a.defined, &b.defined])));
    }

    /// φ_LIB (§3.4.4) of a connective, short-circuiting.
    fn lib_connective(&self, block: Block, inputs: &[Truth], output: &Truth) {
        let (value, defined) = match (block, inputs) {
            (Block::And, [a, b]) => (
                Bool::and(&[&a.value, &b.value]),
                Bool::and(&[
                    a.defined.clone(),
                    Bool::or(&[a.value.not(), b.defined.clone()]),
                ]),
            ),
            (Block::Or, [a, b]) => (
                Bool::or(&[&a.value, &b.value]),
                Bool::and(&[a.defined.clone(), Bool::or(&[&a.value, &b.defined])]),
            ),
            (_, [a, ..]) => (a.value.not(), a.defined.clone()),
            _ => return,
        };
        self.solver.assert(output.value.iff(value));
        self.solver.assert(output.defined.iff(defined));
    }

    fn truth(&mut self) -> Truth {
        Truth {
            value: self.boolean(),
            defined: self.boolean(),
        }
    }

    fn number(&mut self, format: Format) -> Number {
        let fresh = &mut self.fresh;
        Number::new(format, &self.solver, || next(fresh))
    }

    /// The values of the input terms in a row, as ranks.
    fn scale(&self, row: usize) -> RowScale {
        let library = self.library;
        let rank = |term: &TermId| library.table.rank(*term, row);
        let ty = |term: &TermId| library.table.pool.terms[*term].ty;
        let mut seen: BTreeMap<Type, BTreeSet<u32>> = BTreeMap::new();
        for term in &library.inputs {
            if let Some(Some(rank)) = rank(term) {
                seen.entry(ty(term)).or_default().insert(rank);
            }
        }
        let local = |term: &TermId, rank: u32| {
            seen.get(&ty(term))
                .map_or(0, |ranks| ranks.range(..rank).count())
        };
        let ranks = library.inputs.iter();
        let ranks = ranks
            .map(|term| rank(term).map(|rank| Some(local(term, rank?))))
            .collect();
        let top = seen.values().map(BTreeSet::len).max().unwrap_or(1) - 1;
        let format = match library.level_is_arithmetic() {
            true => Format::Bits(self.width),
            false => Format::Steps(top),
        };
        RowScale { row, ranks, format }
    }
}

/// Bits that hold every value, every rank and every sum.
pub(super) fn width(library: &Library) -> u32 {
    let rows = &library.table.spec.rows;
    let ranks = usize::BITS - library.inputs.len().leading_zeros();
    let of_value = |value: &Value| match value {
        Value::Int(_, int) => int.bits(),
        _ => 0,
    };
    let values = rows.iter().flat_map(|row| row.values.iter().flatten());
    // The two blocks of one type may nest, and each may double the magnitude; then the sign.
    ranks.max(values.map(of_value).max().unwrap_or(0) + 2) + 1
}

/// The smallest and largest value of a type.
fn bounds(ty: IntType) -> (Int, Int) {
    let bits = ty.bits();
    match ty.signed() {
        true => {
            let high = i128::MAX >> (128 - bits);
            (Int::from_i128(-high - 1), Int::from_i128(high))
        }
        false => (Int::from_u128(0), Int::from_u128(u128::MAX >> (128 - bits))),
    }
}
