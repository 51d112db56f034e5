//! φ_FUNC of the Nopol paper, §3.4.4: the value of a wiring in one row, and the constraint on its result.

use std::collections::{BTreeMap, BTreeSet};

use nopol_expr::{Expr, IntType, Type, Value};
use z3::ast::Bool;

use super::library::{Block, Library};
use super::number::{Format, Number, bounds};
use super::{Encoding, Location, all, any, next};

/// A boolean with its definedness.
#[derive(Clone)]
struct Truth {
    value: Bool,
    defined: Bool,
}

/// A number with its definedness, and whether it is NaN instead.
#[derive(Clone)]
struct Quantity {
    number: Number,
    nan: Bool,
    defined: Bool,
}

/// The output of a block.
enum Output {
    Truth(Truth),
    Quantity(Quantity),
}

/// The value of an input term in one row.
enum Known {
    Undefined,
    Nan,
    Truth(bool),
    /// An integer or a rank among the values of the type in the row.
    Int(nopol_expr::Int),
    Rank(usize),
}

impl Encoding<'_> {
    /// φ_FUNC (§3.4.4) of one row: a conjunct of φ_PATCH.
    pub fn phi_func(&mut self, row: usize) {
        let (known, format) = scale(self.library, row);
        let mut outputs: Vec<Output> = Vec::new();
        for (index, block) in self.library.blocks.iter().enumerate() {
            let output = match block {
                Block::Sum(int) => {
                    let [a, b] = self.quantities(index, &known, format, &outputs);
                    Output::Quantity(self.lib_sum(index, *int, &a, &b))
                }
                Block::Cmp => {
                    let [a, b] = self.quantities(index, &known, format, &outputs);
                    Output::Truth(self.lib_cmp(index, &a, &b))
                }
                Block::Junction => {
                    let [a, b] = [0, 1].map(|input| {
                        let truth = self.conn_truth(Some((index, input)), &known, &outputs);
                        let negated = &self.choices[index][input + 1];
                        Truth {
                            value: truth.value.xor(negated),
                            defined: truth.defined,
                        }
                    });
                    Output::Truth(self.lib_junction(index, &a, &b))
                }
            };
            outputs.push(output);
        }
        let result = self.conn_truth(None, &known, &outputs);
        let expected = self.library.table.spec.rows[row].expected;
        self.solver.assert(result.defined);
        self.solver.assert(
            result
                .value
                .xor(&self.negated)
                .iff(Bool::from_bool(expected)),
        );
    }

    fn quantities(
        &mut self,
        block: usize,
        known: &[Known],
        format: Format,
        outputs: &[Output],
    ) -> [Quantity; 2] {
        [0, 1].map(|input| self.conn_quantity((block, input), known, format, outputs))
    }

    /// φ_CONN (§3.4.4) of a numeric input: it has the value at its location.
    fn conn_quantity(
        &mut self,
        (block, input): (usize, usize),
        known: &[Known],
        format: Format,
        outputs: &[Output],
    ) -> Quantity {
        let number = Number::new(format, &self.solver, || next(&mut self.fresh));
        let (mut nan, mut undefined) = (Vec::new(), Vec::new());
        for (place, at) in &self.inputs[block][input].at {
            let value = match known.get(*place) {
                Some(Known::Int(int)) => number.is_int(*int),
                Some(Known::Rank(rank)) => number.is_rank(*rank),
                Some(Known::Nan) => {
                    nan.push(at.clone());
                    continue;
                }
                Some(_) => {
                    undefined.push(at.clone());
                    continue;
                }
                None => match &outputs[place - known.len()] {
                    Output::Quantity(output) => {
                        undefined.push(all([at.clone(), output.defined.not()]));
                        number.is(&output.number)
                    }
                    Output::Truth(_) => continue,
                },
            };
            self.solver.assert(at.implies(value));
        }
        Quantity {
            number,
            nan: any(nan),
            defined: any(undefined).not(),
        }
    }

    /// φ_CONN (§3.4.4) of a boolean input, or of the result.
    fn conn_truth(
        &mut self,
        input: Option<(usize, usize)>,
        known: &[Known],
        outputs: &[Output],
    ) -> Truth {
        let value = self.boolean();
        let mut undefined = Vec::new();
        let location: &Location = match input {
            Some((block, input)) => &self.inputs[block][input],
            None => &self.result,
        };
        for (place, at) in &location.at {
            let is = match known.get(*place) {
                Some(Known::Truth(truth)) => value.iff(Bool::from_bool(*truth)),
                Some(_) => {
                    undefined.push(at.clone());
                    continue;
                }
                None => match &outputs[place - known.len()] {
                    Output::Truth(output) => {
                        undefined.push(all([at.clone(), output.defined.not()]));
                        value.iff(&output.value)
                    }
                    Output::Quantity(_) => continue,
                },
            };
            self.solver.assert(at.implies(is));
        }
        Truth {
            value,
            defined: any(undefined).not(),
        }
    }

    /// φ_LIB (§3.4.4) of a sum or difference: undefined outside the type.
    fn lib_sum(&self, block: usize, ty: IntType, a: &Quantity, b: &Quantity) -> Quantity {
        let number = a.number.sum(&b.number, &self.choices[block][0]);
        let (low, high) = bounds(ty);
        let within = number.within(low, high);
        Quantity {
            number,
            nan: Bool::from_bool(false),
            defined: all([a.defined.clone(), b.defined.clone(), within]),
        }
    }

    /// φ_LIB (§3.4.4) of a comparison with its chosen operator.
    fn lib_cmp(&mut self, block: usize, a: &Quantity, b: &Quantity) -> Truth {
        let [order, second] = [0, 1].map(|choice| self.choices[block][choice].clone());
        let [below, above] = [(a, b), (b, a)].map(|(a, b)| {
            let fresh = &mut self.fresh;
            a.number.less(&b.number, &self.solver, || next(fresh))
        });
        let ordered = Bool::and(&[a.nan.not(), b.nan.not()]);
        let less = Bool::and(&[&ordered, &below]);
        let equal = Bool::and(&[ordered, below.not(), above.not()]);
        let at_most = Bool::or(&[&less, &Bool::and(&[&second, &equal])]);
        Truth {
            value: order.ite(&at_most, &equal.xor(&second)),
            defined: all([a.defined.clone(), b.defined.clone()]),
        }
    }

    /// φ_LIB (§3.4.4) of a connective, short-circuiting.
    fn lib_junction(&self, block: usize, a: &Truth, b: &Truth) -> Truth {
        let or = &self.choices[block][0];
        let both = all([a.value.clone(), b.value.clone()]);
        let either = any([a.value.clone(), b.value.clone()]);
        // The left operand alone decides where it is true for `||` or false for `&&`.
        let decided = a.value.iff(or);
        Truth {
            value: or.ite(&either, &both),
            defined: all([a.defined.clone(), any([decided, b.defined.clone()])]),
        }
    }
}

/// The values of the inputs in a row, and how numbers are represented.
fn scale(library: &Library, row: usize) -> (Vec<Known>, Format) {
    let table = library.table;
    let bits = (library.sums() > 0).then(|| width(library));
    let mut seen: BTreeMap<Type, BTreeSet<u32>> = BTreeMap::new();
    for input in &library.inputs {
        if let (Expr::Term(term), true) = (&input.expr, input.ty != Type::Bool)
            && let Some(Some(rank)) = table.rank(*term, row)
        {
            seen.entry(input.ty).or_default().insert(rank);
        }
    }
    let known = library.inputs.iter().map(|input| {
        let value = input.expr.eval(&table.spec.rows[row]);
        let (value, term) = match (value, &input.expr) {
            (None, _) => return Known::Undefined,
            (Some(Value::Bool(truth)), _) => return Known::Truth(truth),
            (Some(value), Expr::Term(term)) => (value, *term),
            (Some(_), _) => return Known::Undefined,
        };
        match (table.rank(term, row), value) {
            (None, _) => Known::Undefined,
            (Some(None), _) => Known::Nan,
            (Some(Some(_)), Value::Int(_, int)) if bits.is_some() => Known::Int(int),
            (Some(Some(rank)), _) => {
                let below = seen.get(&input.ty).map(|ranks| ranks.range(..rank).count());
                Known::Rank(below.unwrap_or(0))
            }
        }
    });
    let known = known.collect();
    let top = seen.values().map(BTreeSet::len).max().unwrap_or(1) - 1;
    (known, bits.map_or(Format::Steps(top), Format::Bits))
}

/// Number of bits that hold every value, every rank and every sum.
fn width(library: &Library) -> u32 {
    let rows = &library.table.spec.rows;
    let ranks = usize::BITS - library.inputs.len().leading_zeros();
    let of_value = |value: &Value| match value {
        Value::Int(_, int) => int.bits(),
        _ => 0,
    };
    let values = rows.iter().flat_map(|row| row.values.iter().flatten());
    let sums = u32::try_from(library.sums()).unwrap_or(1);
    // Each nested sum may double the magnitude, and one bit is the sign.
    ranks.max(values.map(of_value).max().unwrap_or(0) + sums) + 1
}
