//! Expressions over machine values as z3 sees them: bit-vectors of the type's width for integers,
//! the bits of floats, code points for `char`, places in an order for strings; each value with a
//! definedness bit. What an expression yields is what [`Expr::eval`] says, with one exception: a
//! sum of floats is some float, about which [`Machine::learn`] is told the truth point by point.
//! (z3's own floats are exact, but one addition of doubles costs it tens of milliseconds.)

use super::number::constant;
use super::texts::Texts;
use super::{all, any, next};
use crate::spec::{ArithOp, CmpOp, Expr, Int, IntType, Pool, Row, TermId, Type, Value};
use std::collections::BTreeMap;
use z3::Model;
use z3::ast::{BV, Bool};

/// A value with its definedness.
#[derive(Clone)]
pub(super) struct Symbol {
    pub value: Datum,
    pub defined: Bool,
}

/// A value of one of the kinds of types.
#[derive(Clone)]
pub(super) enum Datum {
    Truth(Bool),
    /// Integers, characters and strings, in their order; whether the highest bit is a sign.
    Bits(BV, bool),
    /// The bits of a float, where there is only one NaN.
    Float(BV),
}

/// The terms of a pool, and what is built of them.
pub(super) struct Machine<'a> {
    pool: &'a Pool,
    pub texts: Texts,
    pub terms: BTreeMap<TermId, Symbol>,
    /// Sums of floats: what stands for them.
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

    /// A term's variables, with what restricts them to the type's values.
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
                        Datum::Bits(bits, false)
                    }
                    Type::Str => {
                        rules.push(bits.bvule(BV::from_u64(self.texts.last(), bits.get_size())));
                        Datum::Bits(bits, false)
                    }
                    _ => Datum::Bits(bits, matches!(ty, Type::Int(int) if int.signed())),
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

    /// An expression; `None` if its operands do not fit, or a string has no place in the order.
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

    /// Some float, the same one for the same operands.
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

    /// Whether some float is computed.
    pub fn adds_floats(&self) -> bool {
        !self.sums.is_empty()
    }

    /// What is true of all sums of floats: NaN stays NaN.
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

    /// What the sums of floats are in a row.
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

    /// That a term has this value, or is undefined.
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
            Value::Int(ty, value) => Datum::Bits(int(*value), ty.signed()),
            Value::Char(value) => {
                Datum::Bits(BV::from_u64(u64::from(u32::from(*value)), width), false)
            }
            Value::Str(value) => Datum::Bits(BV::from_u64(self.texts.code(value)?, width), false),
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

/// `a op b`; `None` where there is no such comparison.
pub(super) fn compare(op: CmpOp, a: &Datum, b: &Datum) -> Option<Bool> {
    let (equal, less, greater) = match (a, b) {
        (Datum::Truth(a), Datum::Truth(b)) => (
            a.iff(b),
            all([a.not(), b.clone()]),
            all([a.clone(), b.not()]),
        ),
        (Datum::Bits(a, true), Datum::Bits(b, _)) => (a.eq(b), a.bvslt(b), a.bvsgt(b)),
        (Datum::Bits(a, false), Datum::Bits(b, _)) => (a.eq(b), a.bvult(b), a.bvugt(b)),
        (Datum::Float(a), Datum::Float(b)) => {
            let known = all([is_nan(a).not(), is_nan(b).not()]);
            let (a, b) = (float_key(a), float_key(b));
            (
                all([known.clone(), a.eq(&b)]),
                all([known.clone(), a.bvult(&b)]),
                all([known, a.bvugt(&b)]),
            )
        }
        _ => return None,
    };
    Some(match op {
        CmpOp::Eq => equal,
        CmpOp::Ne => equal.not(),
        CmpOp::Lt => less,
        CmpOp::Le => any([less, equal]),
        CmpOp::Gt => greater,
        CmpOp::Ge => any([greater, equal]),
    })
}

/// `a op b`, and whether that is defined. Computed with room to spare: z3 4.8.12 has predicates for
/// overflow, but takes -1 * -1 for one.
fn arith(op: ArithOp, a: &BV, b: &BV, signed: bool) -> (BV, Bool) {
    let width = a.get_size();
    let number = |value: i64| BV::from_i64(value, width);
    let wide = |bits: &BV| match signed {
        true => bits.sign_ext(1),
        false => bits.zero_ext(1),
    };
    let narrowed = |sum: BV| {
        let low = sum.extract(width - 1, 0);
        let fits = wide(&low).eq(sum);
        (low, fits)
    };
    // `MIN / -1` and `MIN % -1`.
    let quotient = || {
        let lowest = number(1).bvshl(number(i64::from(width) - 1));
        let fits = any([a.eq(lowest).not(), b.eq(number(-1)).not()]);
        let fits = if signed { fits } else { Bool::from_bool(true) };
        all([b.eq(number(0)).not(), fits])
    };
    match (op, signed) {
        (ArithOp::Add, _) => narrowed(wide(a).bvadd(wide(b))),
        (ArithOp::Sub, _) => narrowed(wide(a).bvsub(wide(b))),
        (ArithOp::Mul, _) => product(a, b, signed),
        (ArithOp::Div, true) => (a.bvsdiv(b), quotient()),
        (ArithOp::Div, false) => (a.bvudiv(b), quotient()),
        (ArithOp::Rem, true) => (a.bvsrem(b), quotient()),
        (ArithOp::Rem, false) => (a.bvurem(b), quotient()),
    }
}

/// `a * b` by magnitudes in twice the width, and whether it fits.
fn product(a: &BV, b: &BV, signed: bool) -> (BV, Bool) {
    let width = a.get_size();
    let negative = |bits: &BV| match signed {
        true => bits.bvslt(BV::from_u64(0, width)),
        false => Bool::from_bool(false),
    };
    let magnitude = |bits: &BV| negative(bits).ite(&bits.bvneg(), bits).zero_ext(width);
    let product = magnitude(a).bvmul(magnitude(b));
    let (high, low) = (
        product.extract(2 * width - 1, width),
        product.extract(width - 1, 0),
    );
    let opposed = negative(a).xor(negative(b));
    let value = opposed.ite(&low.bvneg(), &low);
    // Below zero the value is negative or zero, else it is not negative.
    let zero = BV::from_u64(0, width);
    let sign = any([negative(&value).iff(&opposed), low.eq(&zero)]);
    let fits = all([high.eq(zero), sign]);
    (value, fits)
}

/// Bits of the exponent.
fn exponent(width: u32) -> u32 {
    if width == 32 { 8 } else { 11 }
}

/// All bits of the exponent set, and some of the mantissa.
fn is_nan(float: &BV) -> Bool {
    let width = float.get_size();
    let mantissa = width - 1 - exponent(width);
    let (high, low) = (
        float.extract(width - 2, mantissa),
        float.extract(mantissa - 1, 0),
    );
    let ones = BV::from_i64(-1, high.get_size());
    let zero = BV::from_u64(0, low.get_size());
    all([high.eq(ones), low.eq(zero).not()])
}

/// An unsigned number with the order of the float, NaN aside; the two zeros have the same.
fn float_key(float: &BV) -> BV {
    let width = float.get_size();
    let sign = BV::from_u64(1, width).bvshl(BV::from_u64(u64::from(width) - 1, width));
    let negative = float.bvslt(BV::from_u64(0, width));
    negative.ite(&float.bvneg(), &float.bvor(sign))
}

fn canonical_nan(ty: Type) -> Int {
    Int::from_u128(match ty {
        Type::F32 => u128::from(f32::NAN.to_bits()),
        _ => u128::from(f64::NAN.to_bits()),
    })
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
    let shift = 128 - ty.bits();
    match ty.signed() {
        true => Int::from_i128(((bits << shift) as i128) >> shift),
        false => Int::from_u128(bits),
    }
}
