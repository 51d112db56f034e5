//! Comparisons, also of aggregates.

use syn::Expr as Syntax;

use super::body::Body;
use super::build::{Repr, Value, both, compare, count, field, load, not, truth};
use super::expressions::bare;
use super::places::slice_element;
use super::source::number;
use super::types::Type;
use crate::ir::{BinaryOp, Expr, ExprKind, LogicalOp, Lvalue, Outside, Scalar, Span, Statement};

/// Up to this many elements are compared one by one.
const MOST_ONE_BY_ONE: u32 = 64;

impl Body<'_, '_> {
    pub fn comparison(
        &mut self,
        op: BinaryOp,
        left: &Syntax,
        right: &Syntax,
        span: Span,
    ) -> Result<Expr, Outside> {
        let mut a = self.value(left, None)?;
        let mark = self.out.len();
        let expected = self.compared_type(&a.ty, right);
        let b = self.value(right, Some(&expected))?;
        self.keep_value(mark, &mut a, span);
        match op {
            BinaryOp::Eq => self.equal(a, b, span),
            BinaryOp::Ne => Ok(not(self.equal(a, b, span)?)),
            _ => self.ordered(op, a, b, span),
        }
    }

    /// The type that something is expected to have because it is compared: arrays are compared with slices.
    pub fn compared_type(&self, ty: &Type, other: &Syntax) -> Type {
        let Syntax::Array(array) = bare(other) else {
            return ty.clone();
        };
        match self.guesses.resolved(ty) {
            Type::Array(of, _) | Type::Slice(of) => Type::Array(of, number(array.elems.len())),
            Type::Reference(to) => self.compared_type(&to, other),
            ty => ty,
        }
    }

    /// `<` and its kind
    pub fn ordered(
        &mut self,
        op: BinaryOp,
        a: Value,
        b: Value,
        span: Span,
    ) -> Result<Expr, Outside> {
        let a = self.through(a, span)?;
        let b = self.through(b, span)?;
        self.unify(&a.ty, &b.ty, span)?;
        let has_order = match &a.ty {
            Type::Enum(of) => of.derives.iter().any(|name| name == "PartialOrd"),
            ty => ty.scalar().is_some(),
        };
        if !has_order {
            return Err(self.outside(span, format!("the order of `{}` is not supported", a.ty)));
        }
        let (a, _) = self.as_scalar(a, span)?;
        let (b, _) = self.as_scalar(b, span)?;
        Ok(compare(op, a, b))
    }

    /// Whether two values are equal.
    pub fn equal(&mut self, a: Value, b: Value, span: Span) -> Result<Expr, Outside> {
        let a = self.through(a, span)?;
        let b = self.through(b, span)?;
        if is_row(&a.ty) && is_row(&b.ty) {
            return self.equal_rows(a, b, span);
        }
        self.unify(&a.ty, &b.ty, span)?;
        let derives = match &a.ty {
            Type::Struct(of) => Some((&of.name, &of.derives)),
            Type::Enum(of) => Some((&of.name, &of.derives)),
            Type::Str => return Err(self.outside(span, "strings are supported only in messages")),
            _ => None,
        };
        if let Some((name, derives)) = derives
            && !derives.iter().any(|derived| derived == "PartialEq")
        {
            let reason =
                format!("`{name}` does not derive `PartialEq`, and traits are not supported");
            return Err(self.outside(span, reason));
        }
        if a.ty.is_link() {
            let is_none = |value: &Value| matches!(&value.repr, Repr::Scalar(expr) if matches!(expr.kind, ExprKind::Null));
            if !is_none(&a) && !is_none(&b) {
                let reason = format!("comparing `{}` is not supported", a.ty);
                return Err(self.outside(span, reason));
            }
        }
        if a.ty.scalar().is_some() {
            let (a, _) = self.as_scalar(a, span)?;
            let (b, _) = self.as_scalar(b, span)?;
            return Ok(compare(BinaryOp::Eq, a, b));
        }
        let (Repr::At(x), Repr::At(y)) = (a.repr, b.repr) else {
            return Ok(truth(true, span));
        };
        let (x, y) = (self.steady(x, span), self.steady(y, span));
        match &a.ty {
            Type::Option(of) => {
                let is_some = |lvalue: &Lvalue| load(lvalue.clone(), Scalar::Bool, span);
                let same = compare(BinaryOp::Eq, is_some(&x), is_some(&y));
                let none = not(is_some(&x));
                // What is behind `None` is never read.
                let (statements, inner) =
                    self.scoped(|body| body.equal_parts(of, (&x, &y), 1, span))?;
                let inner = super::arithmetic::block(statements, inner);
                let inner = self.short(LogicalOp::Or, none, inner);
                Ok(self.short(LogicalOp::And, same, inner))
            }
            Type::Tuple(of) => {
                let mut all = truth(true, span);
                let mut offset = 0;
                for ty in &**of {
                    all = both(all, self.equal_parts(ty, (&x, &y), offset, span)?);
                    offset += ty.size();
                }
                Ok(all)
            }
            Type::Struct(of) => {
                let mut all = truth(true, span);
                for part in &of.fields {
                    all = both(
                        all,
                        self.equal_parts(&part.ty, (&x, &y), part.offset, span)?,
                    );
                }
                Ok(all)
            }
            ty => Err(self.outside(span, format!("comparing `{ty}` is not supported"))),
        }
    }

    /// `&&` or `||` of two expressions
    pub fn short(&mut self, op: LogicalOp, a: Expr, b: Expr) -> Expr {
        let node = self.node();
        Expr {
            ty: Scalar::Bool,
            span: a.span,
            kind: ExprKind::Logical(op, node, Box::new(a), Box::new(b)),
        }
    }

    fn equal_parts(
        &mut self,
        ty: &Type,
        (x, y): (&Lvalue, &Lvalue),
        offset: u32,
        span: Span,
    ) -> Result<Expr, Outside> {
        let a = Value::at(ty.clone(), field(x.clone(), offset));
        let b = Value::at(ty.clone(), field(y.clone(), offset));
        let (a, b) = (self.loaded(a, span), self.loaded(b, span));
        self.equal(a, b, span)
    }

    /// Whether arrays or slices are equal.
    fn equal_rows(&mut self, a: Value, b: Value, span: Span) -> Result<Expr, Outside> {
        let lengths = match (&a.ty, &b.ty) {
            (Type::Array(_, a), Type::Array(_, b)) => Some((*a, *b)),
            _ => None,
        };
        let (of_a, a, length_a) = self.as_slice(a, span)?;
        let (of_b, b, length_b) = self.as_slice(b, span)?;
        self.unify(&of_a, &of_b, span)?;
        let (a, b) = (self.lasting(a), self.lasting(b));
        if let Some((length, other)) = lengths {
            if length != other {
                return Err(self.outside(span, "arrays of different lengths are compared"));
            }
            if length <= MOST_ONE_BY_ONE {
                let mut all = truth(true, span);
                for nth in 0..length {
                    let nth = count(nth, span);
                    let part = |pointer: &Expr| {
                        let element = slice_element(pointer.clone(), nth.clone(), &of_a);
                        Value::at(of_a.clone(), element)
                    };
                    let (x, y) = (part(&a), part(&b));
                    let (x, y) = (self.loaded(x, span), self.loaded(y, span));
                    all = both(all, self.equal(x, y, span)?);
                }
                return Ok(all);
            }
        }
        let (length_a, length_b) = (self.lasting(length_a), self.lasting(length_b));
        let is_equal = self.declare("#equal", &Type::Bool, false);
        let now = super::build::load_variable(is_equal, Scalar::Bool, span);
        self.set(is_equal, compare(BinaryOp::Eq, length_a.clone(), length_b));
        let loop_ = self.statements(|body| {
            body.repeated(length_a, span, |body, nth| {
                let x = Value::at(of_a.clone(), slice_element(a, nth.clone(), &of_a));
                let y = Value::at(of_a.clone(), slice_element(b, nth, &of_a));
                let (x, y) = (body.loaded(x, span), body.loaded(y, span));
                let is_same = body.equal(x, y, span)?;
                let all = both(now.clone(), is_same);
                body.set(is_equal, all);
                Ok(())
            })
        })?;
        let node = self.node();
        self.out.push(Statement::If {
            node,
            place: None,
            condition: now.clone(),
            then: loop_,
            otherwise: Vec::new(),
        });
        Ok(now)
    }
}

fn is_row(ty: &Type) -> bool {
    matches!(ty, Type::Array(..) | Type::Slice(_))
}
