//! Methods of integers, and the order of scalars.

use std::rc::Rc;

use nopol_scalar::{IntKind, IntType};
use syn::Expr as Syntax;

use super::body::Body;
use super::build::{Value, both, cast, compare, constant, not, unary, wrapping};
use super::powers::Powers;
use super::shifts::Shift;
use super::types::{Enum, Type};
use crate::ir::{BinaryOp, Expr, ExprKind, Lvalue, Outside, Overflow, Scalar, Span, UnaryOp};

/// Whether a method of two integers may be supported: both have the same type.
fn takes_its_own_type(name: &str) -> bool {
    let is_euclidean = ["rem_euclid", "div_euclid", "abs_diff"].contains(&name);
    is_euclidean
        || name.split_once('_').is_some_and(|(prefix, op)| {
            let prefixes = ["wrapping", "checked", "saturating", "overflowing"];
            prefixes.contains(&prefix) && ["add", "sub", "mul", "div", "rem"].contains(&op)
        })
}

impl Body<'_, '_> {
    /// A method of an integer, character, bool or enumeration.
    pub fn scalar_method(
        &mut self,
        name: &str,
        (expr, ty): (Expr, Type),
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        if ["clone", "to_owned"].contains(&name) && arguments.is_empty() {
            return Ok(Some(Value::scalar(ty, expr)));
        }
        if let Some(found) = self.order_method(name, (&expr, &ty), arguments, span)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.character_method(name, (&expr, &ty), arguments, span) {
            return Ok(Some(found));
        }
        let Some(int) = ty.int() else {
            return Ok(None);
        };
        let mut receiver = Value::scalar(ty.clone(), expr);
        if let (Some(overflow), [exponent]) = (Powers::of(name), arguments) {
            let power = self.power(receiver, exponent, (int, overflow), span);
            return power.map(Some);
        }
        if let Some(shift) = Shift::of(name) {
            let types = [&Type::Int(IntType::U32)];
            let Some([by]) = self.operands(&mut receiver, arguments, types, span)? else {
                return Ok(None);
            };
            let (a, _) = self.as_scalar(receiver, span)?;
            let (a, by) = self.both_repeatable(a, by);
            return Ok(Some(self.shifted(shift, (a, by), &ty, int, span)));
        }
        match (name, arguments) {
            (_, []) => {
                let (expr, _) = self.as_scalar(receiver, span)?;
                let expr = self.repeatable(expr);
                Ok(self.alone(name, expr, &ty, int, span))
            }
            _ if takes_its_own_type(name) => {
                let Some([b]) = self.operands(&mut receiver, arguments, [&ty], span)? else {
                    return Ok(None);
                };
                let (a, _) = self.as_scalar(receiver, span)?;
                let (a, b) = self.both_repeatable(a, b);
                Ok(self.with_other(name, a, b, &ty, int, span))
            }
            // What their arguments are does not matter.
            _ => Ok(None),
        }
    }

    /// `min`, `max`, `clamp` and `cmp`
    fn order_method(
        &mut self,
        name: &str,
        (expr, ty): (&Expr, &Type),
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        if ty.int().is_none() && !matches!(ty, Type::Char | Type::Bool) {
            return Ok(None);
        }
        let mut receiver = Value::scalar(ty.clone(), expr.clone());
        match name {
            "min" | "max" => {
                let Some([b]) = self.operands(&mut receiver, arguments, [ty], span)? else {
                    return Ok(None);
                };
                let (a, ty) = self.as_scalar(receiver, span)?;
                let (a, b) = self.both_repeatable(a, b);
                let op = if name == "min" {
                    BinaryOp::Le
                } else {
                    BinaryOp::Gt
                };
                let is_first = compare(op, a.clone(), b.clone());
                Ok(Some(Value::scalar(ty, self.choose(is_first, a, b))))
            }
            "clamp" => {
                let Some([low, high]) = self.operands(&mut receiver, arguments, [ty, ty], span)?
                else {
                    return Ok(None);
                };
                let (a, ty) = self.as_scalar(receiver, span)?;
                let [a, low, high] = [a, low, high].map(|expr| self.lasting(expr));
                let is_order = compare(BinaryOp::Le, low.clone(), high.clone());
                self.assert(is_order);
                let below = compare(BinaryOp::Lt, a.clone(), low.clone());
                let above = compare(BinaryOp::Gt, a.clone(), high.clone());
                let upper = self.choose(above, high, a);
                Ok(Some(Value::scalar(ty, self.choose(below, low, upper))))
            }
            "cmp" => {
                let reference = Type::reference(ty.clone());
                let Some([b]) = self.operands(&mut receiver, arguments, [&reference], span)? else {
                    return Ok(None);
                };
                let (a, _) = self.as_scalar(receiver, span)?;
                let b = self.dereferenced(Value::scalar(reference, b), span)?;
                let (b, _) = self.as_scalar(b, span)?;
                let (a, b) = self.both_repeatable(a, b);
                let ty = Type::Enum(Rc::new(Enum::ordering()));
                let scalar = Enum::ordering().scalar();
                let [less, equal, greater] = [-1, 0, 1].map(|value| constant(value, scalar, span));
                let is_less = compare(BinaryOp::Lt, a.clone(), b.clone());
                let is_equal = compare(BinaryOp::Eq, a, b);
                let rest = self.choose(is_equal, equal, greater);
                Ok(Some(Value::scalar(ty, self.choose(is_less, less, rest))))
            }
            _ => Ok(None),
        }
    }

    /// `condition ? a : b`
    pub fn choose(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        let node = self.node();
        Expr {
            ty: a.ty,
            span: a.span,
            kind: ExprKind::Conditional(node, Box::new(condition), Box::new(a), Box::new(b)),
        }
    }

    pub fn both_repeatable(&mut self, mut a: Expr, b: Expr) -> (Expr, Expr) {
        let mark = self.out.len();
        let b = self.repeatable(b);
        self.keep(mark, [&mut a]);
        (self.repeatable(a), b)
    }

    /// Methods without an argument.
    fn alone(&mut self, name: &str, a: Expr, ty: &Type, int: IntType, span: Span) -> Option<Value> {
        let scalar = Scalar::from(int);
        let zero = || constant(0, scalar, span);
        let is_negative = compare(BinaryOp::Lt, a.clone(), zero());
        let negative = |overflow| unary(UnaryOp::Neg(overflow), a.clone());
        let same = |expr| Some(Value::scalar(ty.clone(), expr));
        let truth = |expr| Some(Value::scalar(Type::Bool, expr));
        match name {
            "abs" if int.signed() => {
                same(self.choose(is_negative, negative(Overflow::Fault), a.clone()))
            }
            "wrapping_abs" if int.signed() => {
                same(self.choose(is_negative, negative(Overflow::Wraps), a.clone()))
            }
            "unsigned_abs" if int.signed() => {
                let size = self.choose(is_negative, negative(Overflow::Wraps), a.clone());
                let unsigned = int.unsigned();
                Some(Value::scalar(
                    Type::Int(unsigned),
                    cast(size, unsigned.into()),
                ))
            }
            "signum" if int.signed() => {
                let is_zero = compare(BinaryOp::Eq, a.clone(), zero());
                let rest = self.choose(is_zero, zero(), constant(1, scalar, span));
                same(self.choose(is_negative, constant(-1, scalar, span), rest))
            }
            "is_negative" if int.signed() => truth(is_negative),
            "is_positive" if int.signed() => truth(compare(BinaryOp::Gt, a, zero())),
            "wrapping_neg" => {
                let negative = wrapping(BinaryOp::Sub, zero(), a);
                same(negative)
            }
            "checked_neg" | "checked_abs" => {
                let is_some = match (name, int.signed()) {
                    (_, true) => compare(
                        BinaryOp::Ne,
                        a.clone(),
                        constant(int.kind().least(), scalar, span),
                    ),
                    ("checked_neg", false) => compare(BinaryOp::Eq, a.clone(), zero()),
                    _ => return None,
                };
                let value = wrapping(BinaryOp::Sub, zero(), a.clone());
                let value = if name == "checked_neg" {
                    value
                } else {
                    self.choose(is_negative, value, a)
                };
                Some(self.option(ty, is_some, value))
            }
            "is_power_of_two" if !int.signed() => {
                let before = wrapping(BinaryOp::Sub, a.clone(), constant(1, scalar, span));
                let common = wrapping(BinaryOp::And, a.clone(), before);
                let has_one = compare(BinaryOp::Eq, common, zero());
                truth(both(compare(BinaryOp::Ne, a, zero()), has_one))
            }
            _ => None,
        }
    }

    /// Methods with an argument of the same type.
    fn with_other(
        &mut self,
        name: &str,
        a: Expr,
        b: Expr,
        ty: &Type,
        int: IntType,
        span: Span,
    ) -> Option<Value> {
        let scalar = Scalar::from(int);
        let number = |value| constant(value, scalar, span);
        let (prefix, op) = name.split_once('_')?;
        let op = match op {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" => BinaryOp::Mul,
            "div" => BinaryOp::Div,
            "rem" => BinaryOp::Rem,
            _ => return self.euclidean(name, a, b, ty, int, span),
        };
        let is_division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        let result = wrapping(op, a.clone(), b.clone());
        let is_minus_one = || compare(BinaryOp::Eq, b.clone(), number(-1));
        match prefix {
            "wrapping" if is_division && int.signed() => {
                let of_minus_one = match op {
                    BinaryOp::Div => wrapping(BinaryOp::Sub, number(0), a),
                    _ => number(0),
                };
                Some(Value::scalar(
                    ty.clone(),
                    self.choose(is_minus_one(), of_minus_one, result),
                ))
            }
            "wrapping" => Some(Value::scalar(ty.clone(), result)),
            "checked" if is_division => {
                let mut is_some = compare(BinaryOp::Ne, b.clone(), number(0));
                if int.signed() {
                    let is_min = compare(BinaryOp::Eq, a, number(int.kind().least()));
                    is_some = both(is_some, not(both(is_min, is_minus_one())));
                }
                let is_some = self.saved(is_some);
                let value = self.choose(is_some.clone(), result, number(0));
                Some(self.option(ty, is_some, value))
            }
            "checked" => {
                let overflows = self.overflows(op, &a, &b, int, span);
                Some(self.option(ty, not(overflows), result))
            }
            "overflowing" if !is_division => {
                let overflows = self.overflows(op, &a, &b, int, span);
                Some(self.with_flag(ty, result, overflows))
            }
            "saturating" if !is_division => {
                let overflows = self.overflows(op, &a, &b, int, span);
                let negative = |expr: &Expr| compare(BinaryOp::Lt, expr.clone(), number(0));
                let limit = match (op, int.signed()) {
                    (BinaryOp::Sub, false) => number(0),
                    (_, false) => number(int.kind().greatest()),
                    (BinaryOp::Mul, true) => {
                        let is_below = compare(BinaryOp::Ne, negative(&a), negative(&b));
                        self.choose(
                            is_below,
                            number(int.kind().least()),
                            number(int.kind().greatest()),
                        )
                    }
                    (_, true) => self.choose(
                        negative(&a),
                        number(int.kind().least()),
                        number(int.kind().greatest()),
                    ),
                };
                Some(Value::scalar(
                    ty.clone(),
                    self.choose(overflows, limit, result),
                ))
            }
            _ => None,
        }
    }

    fn euclidean(
        &mut self,
        name: &str,
        a: Expr,
        b: Expr,
        ty: &Type,
        int: IntType,
        span: Span,
    ) -> Option<Value> {
        let scalar = Scalar::from(int);
        let number = |value| constant(value, scalar, span);
        let fault = |op| super::build::binary(op, Overflow::Fault, a.clone(), b.clone());
        let result = match name {
            "rem_euclid" => {
                let rest = self.saved(fault(BinaryOp::Rem));
                let is_negative = compare(BinaryOp::Lt, rest.clone(), number(0));
                let minus = wrapping(BinaryOp::Sub, rest.clone(), b.clone());
                let plus = wrapping(BinaryOp::Add, rest.clone(), b.clone());
                let moved = self.choose(compare(BinaryOp::Lt, b, number(0)), minus, plus);
                self.choose(is_negative, moved, rest)
            }
            "div_euclid" => {
                let quotient = self.saved(fault(BinaryOp::Div));
                let rest = wrapping(BinaryOp::Rem, a, b.clone());
                let is_negative = compare(BinaryOp::Lt, rest, number(0));
                let below = wrapping(BinaryOp::Sub, quotient.clone(), number(1));
                let above = wrapping(BinaryOp::Add, quotient.clone(), number(1));
                let moved = self.choose(compare(BinaryOp::Gt, b, number(0)), below, above);
                self.choose(is_negative, moved, quotient)
            }
            "abs_diff" => {
                let unsigned = int.unsigned();
                let is_less = compare(BinaryOp::Lt, a.clone(), b.clone());
                let up = wrapping(BinaryOp::Sub, b.clone(), a.clone());
                let down = wrapping(BinaryOp::Sub, a, b);
                let result = cast(self.choose(is_less, up, down), unsigned.into());
                return Some(Value::scalar(Type::Int(unsigned), result));
            }
            _ => return None,
        };
        Some(Value::scalar(ty.clone(), result))
    }

    /// Whether the result does not fit.
    pub fn overflows(
        &mut self,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        int: IntType,
        span: Span,
    ) -> Expr {
        let scalar = Scalar::from(int);
        let number = |value| constant(value, scalar, span);
        let result = wrapping(op, a.clone(), b.clone());
        let negative = |expr| compare(BinaryOp::Lt, expr, number(0));
        let differ = |a: &Expr, b: &Expr| wrapping(BinaryOp::Xor, a.clone(), b.clone());
        match (op, int.signed()) {
            (BinaryOp::Add, false) => compare(BinaryOp::Lt, result, a.clone()),
            (BinaryOp::Sub, false) => compare(BinaryOp::Lt, a.clone(), b.clone()),
            // The sign of the result is neither that of the first operand nor the one that the second leads to.
            (BinaryOp::Add, true) => {
                let both_differ = wrapping(BinaryOp::And, differ(a, &result), differ(b, &result));
                negative(both_differ)
            }
            (BinaryOp::Sub, true) => {
                let both_differ = wrapping(BinaryOp::And, differ(a, b), differ(a, &result));
                negative(both_differ)
            }
            _ if int.bits() < 64 => {
                let kind = int.kind();
                let wide = Scalar::Int(IntKind::new(kind.bits * 2, kind.signed));
                let product = wrapping(op, cast(a.clone(), wide), cast(b.clone(), wide));
                compare(BinaryOp::Ne, product, cast(result, wide))
            }
            _ => {
                // Divided by the first operand, the product must be the second one again.
                let is_zero = compare(BinaryOp::Eq, a.clone(), number(0));
                let mut is_wrong = {
                    let quotient = wrapping(BinaryOp::Div, result, a.clone());
                    compare(BinaryOp::Ne, quotient, b.clone())
                };
                if int.signed() {
                    let is_minus_one = compare(BinaryOp::Eq, a.clone(), number(-1));
                    let is_min = compare(BinaryOp::Eq, b.clone(), number(int.kind().least()));
                    is_wrong = self.choose(is_minus_one, is_min, is_wrong);
                }
                let never = super::build::truth(false, span);
                self.choose(is_zero, never, is_wrong)
            }
        }
    }

    /// An option in memory.
    pub fn option(&mut self, ty: &Type, is_some: Expr, value: Expr) -> Value {
        let option = Type::option(ty.clone());
        if option.is_link() {
            let null = super::pointers::null(value.span);
            let link = self.choose(is_some, value, null);
            return Value::scalar(option, link);
        }
        let variable = self.temporary(&option);
        let target = Lvalue::Variable(variable);
        self.assign(None, target.clone(), is_some);
        self.assign(None, super::build::field(target.clone(), 1), value);
        Value::at(option, target)
    }

    /// A pair of a number and a truth in memory.
    pub fn with_flag(&mut self, ty: &Type, value: Expr, flag: Expr) -> Value {
        let pair = Type::Tuple(Rc::new([ty.clone(), Type::Bool]));
        let target = Lvalue::Variable(self.temporary(&pair));
        self.assign(None, target.clone(), value);
        self.assign(None, super::build::field(target.clone(), 1), flag);
        Value::at(pair, target)
    }
}
