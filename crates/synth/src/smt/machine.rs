//! Expressions over machine values in z3: bit-vectors of the type's width for integers, the bits of floats, code
//! points for `char`, and places in an order for strings, each with a definedness bit. Values agree with
//! [`Expr::eval`], with one exception: a sum of floats is an unknown float whose values [`Machine::learn`] adds
//! point by point. (z3's own floats are exact, but one addition of doubles takes tens of milliseconds.)

use std::collections::BTreeMap;

use nopol_expr::{ArithOp, Expr, Int, IntType, Pool, Row, TermId, Type, Value};
use z3::Model;
use z3::ast::{BV, Bool};

use super::number::constant;
use super::operators::{Datum, Sign, arith, canonical_nan, compare, is_nan};
use super::texts::Texts;
use super::{all, any, next};

/// A value with its definedness.
#[derive(Clone)]
pub(super) struct Symbol {
    pub value: Datum,
    pub defined: Bool,
}

/// The variables of a pool's terms, and the expressions built from them.
pub(super) struct Machine<'a> {
    pool: &'a Pool,
    pub texts: Texts,
    pub terms: BTreeMap<TermId, Symbol>,
    /// The variable of each sum of floats.
    sums: BTreeMap<(ArithOp, Expr, Expr), (BV, BV, BV)>,
    fresh: u32,
}

impl<'a> Machine<'a> {
    pub fn new(pool: &'a Pool, texts: Texts) -> Self {
        Self {
            pool,
            texts,
            terms: BTreeMap::new(),
            sums: BTreeMap::new(),
            fresh: 0,
        }
    }

    /// A term's variables, and the constraints that restrict them to the type's values.
    pub fn declare(&mut self, term: TermId, rules: &mut Vec<Bool>) {
        let ty = self.pool.terms[term].ty;
        let value = match ty {
            Type::Bool => Datum::Truth(self.boolean()),
            _ => {
                let bits = BV::new_const(next(&mut self.fresh), self.width(ty));
                match ty {
                    Type::F32 | Type::F64 => {
                        let canonical = constant(canonical_nan(ty), bits.get_size());
                        rules.push(is_nan(&bits).implies(bits.eq(canonical)));
                        Datum::Float(bits)
                    }
                    Type::Char => {
                        let at = |code: u64| BV::from_u64(code, bits.get_size());
                        rules.push(bits.bvule(at(u64::from(u32::from(char::MAX)))));
                        rules.push(any([bits.bvult(at(0xD800)), bits.bvugt(at(0xDFFF))]));
                        Datum::Bits(bits, Sign::Unsigned)
                    }
                    Type::Str => {
                        rules.push(bits.bvule(BV::from_u64(self.texts.last(), bits.get_size())));
                        Datum::Bits(bits, Sign::Unsigned)
                    }
                    Type::Int(int) => Datum::Bits(bits, Sign::of(int)),
                    Type::Bool => Datum::Truth(self.boolean()),
                }
            }
        };
        let defined = self.boolean();
        self.terms.insert(term, Symbol { value, defined });
    }

    fn width(&self, ty: Type) -> u32 {
        match ty {
            Type::Bool => 1,
            Type::Int(int) => int.bits(),
            Type::F32 => 32,
            Type::F64 => 64,
            Type::Char => 21,
            Type::Str => self.texts.width(),
        }
    }

    /// The value of an expression; `None` if its operands do not fit, or a string has no place in the order.
    pub fn expr(&mut self, expr: &Expr) -> Option<Symbol> {
        match expr {
            Expr::Term(term) => match &self.pool.terms[*term].constant {
                Some(value) => Some(Symbol {
                    value: self.datum(value)?,
                    defined: Bool::from_bool(true),
                }),
                None => self.terms.get(term).cloned(),
            },
            Expr::Not(a) => {
                let (a, defined) = self.truth(a)?;
                Some(truth(a.not(), defined))
            }
            Expr::And(a, b) => {
                let ((a, da), (b, db)) = (self.truth(a)?, self.truth(b)?);
                let defined = all([da, any([a.not(), db])]);
                Some(truth(all([a, b]), defined))
            }
            Expr::Or(a, b) => {
                let ((a, da), (b, db)) = (self.truth(a)?, self.truth(b)?);
                let defined = all([da, any([a.clone(), db])]);
                Some(truth(any([a, b]), defined))
            }
            Expr::Cmp(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                let value = compare(*op, &a.value, &b.value)?;
                Some(truth(value, all([a.defined, b.defined])))
            }
            Expr::Arith(op, left, right) => {
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                let (value, fits) = match (&a.value, &b.value) {
                    (Datum::Bits(a, signed), Datum::Bits(b, _)) => {
                        let (value, fits) = arith(*op, a, b, *signed);
                        (Datum::Bits(value, *signed), fits)
                    }
                    (Datum::Float(a), Datum::Float(b)) => {
                        let value = self.sum(*op, (left, a), (right, b));
                        (Datum::Float(value), Bool::from_bool(true))
                    }
                    _ => return None,
                };
                Some(Symbol {
                    value,
                    defined: all([a.defined, b.defined, fits]),
                })
            }
        }
    }

    fn truth(&mut self, expr: &Expr) -> Option<(Bool, Bool)> {
        match self.expr(expr)? {
            Symbol {
                value: Datum::Truth(value),
                defined,
            } => Some((value, defined)),
            _ => None,
        }
    }

    /// An unknown float, the same one for the same operands.
    fn sum(&mut self, op: ArithOp, (left, a): (&Expr, &BV), (right, b): (&Expr, &BV)) -> BV {
        let mut operands = [(left.clone(), a.clone()), (right.clone(), b.clone())];
        if matches!(op, ArithOp::Add | ArithOp::Mul) && right < left {
            operands.reverse();
        }
        let [(left, a), (right, b)] = operands;
        let fresh = &mut self.fresh;
        let mut value = || BV::new_const(next(fresh), a.get_size());
        let sum = self.sums.entry((op, left, right));
        sum.or_insert_with(|| (a.clone(), b, value())).2.clone()
    }

    /// Whether any float is computed.
    pub fn adds_floats(&self) -> bool {
        !self.sums.is_empty()
    }

    /// A property of all sums of floats: NaN stays NaN.
    pub fn facts(&self) -> Vec<Bool> {
        let sums = self.sums.values();
        sums.map(|(a, b, sum)| {
            let is_nan = any([is_nan(a), is_nan(b)]);
            let width = sum.get_size();
            let ty = if width == 32 { Type::F32 } else { Type::F64 };
            is_nan.implies(sum.eq(constant(canonical_nan(ty), width)))
        })
        .collect()
    }

    /// Adds the values of the sums of floats in a row.
    pub fn learn(&self, row: &Row) -> Vec<Bool> {
        let truth = |((op, left, right), (a, b, sum)): (&(ArithOp, Expr, Expr), &(BV, BV, BV))| {
            let (left, right) = (left.eval(row)?, right.eval(row)?);
            let bits = |value: &Value| match self.datum(value) {
                Some(Datum::Float(bits)) => Some(bits),
                _ => None,
            };
            let there = all([a.eq(bits(&left)?), b.eq(bits(&right)?)]);
            Some(there.implies(sum.eq(bits(&left.arith(*op, &right)?)?)))
        };
        self.sums.iter().filter_map(truth).collect()
    }

    /// The constraint that a term has this value, or is undefined.
    pub fn is(&self, term: TermId, value: Option<&Value>) -> Bool {
        let Some(symbol) = self.terms.get(&term) else {
            return Bool::from_bool(true);
        };
        let Some(value) = value else {
            return symbol.defined.not();
        };
        let same = match (self.datum(value), &symbol.value) {
            (Some(Datum::Truth(a)), Datum::Truth(b)) => a.iff(b),
            (Some(Datum::Bits(a, _)), Datum::Bits(b, _))
            | (Some(Datum::Float(a)), Datum::Float(b)) => a.eq(b),
            _ => Bool::from_bool(false),
        };
        all([symbol.defined.clone(), same])
    }

    fn datum(&self, value: &Value) -> Option<Datum> {
        let width = self.width(value.ty());
        let int = |int: Int| constant(int, width);
        Some(match value {
            Value::Bool(value) => Datum::Truth(Bool::from_bool(*value)),
            Value::Int(ty, value) => Datum::Bits(int(*value), Sign::of(*ty)),
            Value::Char(value) => Datum::Bits(
                BV::from_u64(u64::from(u32::from(*value)), width),
                Sign::Unsigned,
            ),
            Value::Str(value) => {
                Datum::Bits(BV::from_u64(self.texts.code(value)?, width), Sign::Unsigned)
            }
            Value::F32(bits) => Datum::Float(match f32::from_bits(*bits).is_nan() {
                true => int(canonical_nan(Type::F32)),
                false => int(Int::from_u128(u128::from(*bits))),
            }),
            Value::F64(bits) => Datum::Float(match f64::from_bits(*bits).is_nan() {
                true => int(canonical_nan(Type::F64)),
                false => int(Int::from_u128(u128::from(*bits))),
            }),
        })
    }

    /// A term's value in a model: `Some(None)` if it is undefined there.
    pub fn read(&self, term: TermId, model: &Model) -> Option<Option<Value>> {
        let symbol = self.terms.get(&term)?;
        if !model.eval(&symbol.defined, true)?.as_bool()? {
            return Some(None);
        }
        let value = match (&symbol.value, self.pool.terms[term].ty) {
            (Datum::Truth(truth), _) => Value::Bool(model.eval(truth, true)?.as_bool()?),
            (Datum::Bits(bits, _), Type::Int(int)) => {
                Value::Int(int, integer(raw(bits, model)?, int))
            }
            (Datum::Bits(bits, _), Type::Char) => {
                Value::Char(char::from_u32(raw(bits, model)?.try_into().ok()?)?)
            }
            (Datum::Bits(bits, _), _) => {
                Value::Str(self.texts.text(raw(bits, model)?.try_into().ok()?)?.into())
            }
            (Datum::Float(bits), Type::F32) => Value::F32(raw(bits, model)?.try_into().ok()?),
            (Datum::Float(bits), _) => Value::F64(raw(bits, model)?.try_into().ok()?),
        };
        Some(Some(value))
    }

    pub fn boolean(&mut self) -> Bool {
        Bool::new_const(next(&mut self.fresh))
    }
}

fn truth(value: Bool, defined: Bool) -> Symbol {
    Symbol {
        value: Datum::Truth(value),
        defined,
    }
}

/// The bits of a value in a model, as an unsigned number.
fn raw(bits: &BV, model: &Model) -> Option<u128> {
    let width = bits.get_size();
    let part = |high: u32, low: u32| model.eval(&bits.extract(high, low), true)?.as_u64();
    let low = u128::from(part(width.min(64) - 1, 0)?);
    match width > 64 {
        true => Some(u128::from(part(width - 1, 64)?) << 64 | low),
        false => Some(low),
    }
}

/// The integer that has these bits.
fn integer(bits: u128, ty: IntType) -> Int {
    Int::from_u128(bits).wrapped(ty)
}
