//! Evaluates expressions.

use super::arithmetic;
use super::lvalue::Located;
use super::value::{Address, Value};
use super::{Carried, End, Flow, Interpreter, Jump};
use crate::ir::{
    BinaryOp, Expr, ExprKind, FaultKind, FunctionId, LogicalOp, Lvalue, NodeId, Overflow, Scalar,
    Span,
};
use crate::position::Step;

impl<'p> Interpreter<'p, '_> {
    /// The value of an expression; a fault if it was never set.
    pub fn eval(&mut self, expr: &'p Expr) -> Flow<Value> {
        let (value, is_set) = self.carried(expr)?;
        if !is_set {
            self.fault(FaultKind::Unset, expr.span)?;
        }
        Ok(value)
    }

    /// The value of an expression that is only moved.
    pub(super) fn carried(&mut self, expr: &'p Expr) -> Flow<Carried> {
        let (value, is_set) = match &expr.kind {
            ExprKind::Load(lvalue) => {
                let located = self.locate(lvalue, None)?;
                self.read(located, expr.ty, expr.span)?
            }
            ExprKind::Cast(operand) => {
                let (operand, is_set) = self.carried(operand)?;
                let value = match expr.ty {
                    Scalar::Bool => Value::bool(operand.is_true()),
                    _ => operand,
                };
                (value, is_set)
            }
            ExprKind::Block(statements, value) => {
                self.block(statements)?;
                self.carried(value)?
            }
            ExprKind::Choice(original, variants) => self.choose(original, variants)?,
            _ => (self.computed(expr)?, true),
        };
        Ok((value.fit(expr.ty), is_set))
    }

    /// The value of an expression that computes one.
    fn computed(&mut self, expr: &'p Expr) -> Flow<Value> {
        self.check_stack()?;
        Ok(match &expr.kind {
            ExprKind::Constant(value) => Value::Number(*value),
            ExprKind::Null => Value::Pointer(None),
            ExprKind::Load(_) | ExprKind::Cast(_) | ExprKind::Block(..) | ExprKind::Choice(..) => {
                self.carried(expr)?.0
            }
            ExprKind::Address(lvalue, cells) => {
                let Located {
                    address,
                    is_outside,
                    ..
                } = self.locate(lvalue, None)?;
                match address {
                    Some(address) => self.memory.share(address.object),
                    // `&*p` is `p`, but there is no part of nothing.
                    None if !matches!(**lvalue, Lvalue::Deref(_)) => {
                        self.fault(FaultKind::NullPointer, expr.span)?;
                    }
                    None => {}
                }
                Value::Pointer(match cells {
                    Some(cells) => address.map(|address| address.narrowed(*cells, is_outside)),
                    None => address,
                })
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.eval(operand)?.number();
                self.total(arithmetic::unary(*op, expr.ty, operand), expr.span)?
            }
            ExprKind::Binary(op, overflow, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                self.binary(*op, *overflow, expr, left, right)?
            }
            ExprKind::Logical(op, node, first, second) => {
                let first = self.eval(first)?;
                let decides = first.is_true() == (*op == LogicalOp::And);
                self.branches.push((self.position, *node, decides));
                if decides { self.eval(second)? } else { first }
            }
            ExprKind::Conditional(node, condition, then, otherwise) => {
                let holds = self.eval(condition)?.is_true();
                self.branches.push((self.position, *node, holds));
                self.eval(if holds { then } else { otherwise })?
            }
            ExprKind::Offset(pointer, elements, stride) => {
                self.offset(pointer, elements, *stride, expr.span)?
            }
            ExprKind::Distance(to, from, stride) => {
                let to = self.eval(to)?.address();
                let from = self.eval(from)?.address();
                self.distance(to, from, *stride, expr.span)?
            }
            ExprKind::Call(node, function, arguments) => {
                match self.call(*node, *function, arguments, expr.span)? {
                    Some(value) => value,
                    None => {
                        if self
                            .function(*function)
                            .is_some_and(|function| function.result.is_some())
                        {
                            self.fault(FaultKind::NoResult, expr.span)?;
                        }
                        Value::zero(expr.ty)
                    }
                }
            }
            ExprKind::Builtin(_, builtin, arguments) => {
                self.builtin(builtin, arguments, expr.span)?
            }
        })
    }

    /// Evaluates an expression for its effects: its own faults do not count, those of functions that it calls and of
    /// their arguments do.
    pub fn eval_suppressed(&mut self, expr: &'p Expr) -> Flow<Value> {
        Ok(self.carried_suppressed(expr)?.0)
    }

    /// The same, with whether the value was ever set.
    pub(super) fn carried_suppressed(&mut self, expr: &'p Expr) -> Flow<Carried> {
        let before = std::mem::replace(&mut self.is_suppressed, true);
        let value = self.carried(expr);
        self.is_suppressed = before;
        value
    }

    /// Calls a function; gives what it returns, which may be nothing though it has a result. Functions of the library are not
    /// in the source: what goes wrong in one goes wrong here, where it is called.
    pub fn call(
        &mut self,
        node: NodeId,
        callee: FunctionId,
        arguments: &'p [Expr],
        here: Span,
    ) -> Flow<Option<Value>> {
        // The function is called with them, whatever takes the place of its result.
        let is_suppressed = std::mem::replace(&mut self.is_suppressed, false);
        let arguments = self.arguments(callee, arguments)?;
        if self
            .active
            .get(callee)
            .is_some_and(|active| *active >= self.limits.bound)
        {
            return Err(Jump::End(End::Bound(node)));
        }
        let position = self.positions.child(self.position, Step::Call(node));
        let caller = std::mem::replace(&mut self.position, position);
        let result = self.enter(callee, &arguments).map_err(|jump| match jump {
            Jump::End(End::Fault(kind, span)) if span == Span::default() => {
                Jump::End(End::Fault(kind, here))
            }
            jump => jump,
        })?;
        self.position = caller;
        self.is_suppressed = is_suppressed;
        Ok(result)
    }

    /// The values of arguments, one for each cell of the parameters.
    fn arguments(&mut self, callee: FunctionId, arguments: &'p [Expr]) -> Flow<Vec<Value>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        let Some(function) = self.function(callee) else {
            return Ok(values);
        };
        let of_many = |interpreter: &Self, at: usize| {
            let cells = interpreter.cells(*function.parameters.get(at)?);
            (cells.len() != 1).then_some(cells)
        };
        // As many arguments as parameters: one of many cells is where they are. Else there is one for each cell.
        if values.len() != function.parameters.len()
            || (0..values.len()).all(|at| of_many(self, at).is_none())
        {
            return Ok(values);
        }
        let mut cells = Vec::new();
        for (at, (value, argument)) in values.into_iter().zip(arguments).enumerate() {
            let Some(types) = of_many(self, at) else {
                cells.push(value);
                continue;
            };
            for (cell, ty) in (0_i128..).zip(types) {
                let (value, _) = self.read_at(value.address(), cell, *ty, argument.span)?;
                cells.push(value);
            }
        }
        Ok(cells)
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        overflow: Overflow,
        expr: &Expr,
        left: Value,
        right: Value,
    ) -> Flow<Value> {
        if let (Value::Number(left), Value::Number(right)) = (left, right) {
            return self.total(
                arithmetic::binary(op, overflow, expr.ty, left, right),
                expr.span,
            );
        }
        Ok(Value::bool(match op {
            BinaryOp::Eq => self.is_same(left.address(), right.address(), expr.span)?,
            BinaryOp::Ne => !self.is_same(left.address(), right.address(), expr.span)?,
            _ => {
                let order = self.same_object(left.address(), right.address(), expr.span)?;
                let order = order.map(|(left, right)| left.cmp(&right));
                order.is_some() && op.comparison().is_some_and(|op| op.holds(order))
            }
        }))
    }

    fn offset(
        &mut self,
        pointer: &'p Expr,
        elements: &'p Expr,
        stride: u32,
        span: Span,
    ) -> Flow<Value> {
        let pointer = self.eval(pointer)?.address();
        let elements = self.eval(elements)?.number();
        if pointer.is_none() {
            self.fault(FaultKind::NullOffset, span)?;
        }
        let cells = elements.saturating_mul(i128::from(stride));
        Ok(Value::Pointer(pointer.map(|address| address.plus(cells))))
    }

    fn distance(
        &mut self,
        to: Option<Address>,
        from: Option<Address>,
        stride: u32,
        span: Span,
    ) -> Flow<Value> {
        if let (Some(to), Some(from)) = (to, from)
            && to.object == from.object
            && to.part != from.part
        {
            self.fault(FaultKind::OutOfBounds, span)?;
        }
        let cells = self
            .same_object(to, from, span)?
            .map_or(0, |(to, from)| i128::from(to) - i128::from(from));
        Ok(Value::Number(
            cells.checked_div(i128::from(stride)).unwrap_or(0),
        ))
    }

    /// Whether two addresses are the same.
    fn is_same(&mut self, left: Option<Address>, right: Option<Address>, span: Span) -> Flow<bool> {
        self.check_compared(left, right, span)?;
        if let (Some(left), Some(right)) = (left, right)
            && self.may_be_neighbours(left, right)
        {
            self.fault(FaultKind::OutOfBounds, span)?;
        }
        Ok(match (left, right) {
            (Some(left), Some(right)) => left.is_same(right),
            _ => left.is_none() && right.is_none(),
        })
    }

    /// Whether a compiler decides whether two addresses are equal: one is behind its object or part and the other elsewhere, or both
    /// lead to string literals of which one may be the end of the other.
    fn may_be_neighbours(&self, left: Address, right: Address) -> bool {
        let is_elsewhere = left.object != right.object || left.part != right.part;
        let is_outside =
            |address: Address| !address.is_within() || self.memory.read(address).is_none();
        let are_literals = [left, right].map(|it| self.memory.is_constant(it.object)) == [true; 2];
        is_elsewhere && (is_outside(left) || is_outside(right))
            || left.object != right.object && are_literals && {
                let [one, other] = [left, right].map(|it| self.memory.values(it.object));
                one.ends_with(other) || other.ends_with(one)
            }
    }

    /// A fault if one of two addresses that are compared leads to what is no more there: something else may be in its place, and a
    /// compiler may make null of the address of a variable.
    fn check_compared(
        &mut self,
        left: Option<Address>,
        right: Option<Address>,
        span: Span,
    ) -> Flow<()> {
        for (one, other) in [(left, right), (right, left)] {
            let Some(one) = one.filter(|one| self.memory.is_freed(one.object)) else {
                continue;
            };
            let is_elsewhere = other.is_some_and(|other| other.object != one.object);
            if is_elsewhere || !self.memory.is_of_heap(one.object) {
                self.fault(self.gone(one.object), span)?;
            }
        }
        Ok(())
    }

    /// The cells of two addresses; a fault if they are not in the same object.
    fn same_object(
        &mut self,
        left: Option<Address>,
        right: Option<Address>,
        span: Span,
    ) -> Flow<Option<(i64, i64)>> {
        self.check_compared(left, right, span)?;
        match (left, right) {
            (Some(left), Some(right)) if left.object == right.object => {
                Ok(Some((left.cell, right.cell)))
            }
            _ => {
                self.fault(FaultKind::OutOfBounds, span)?;
                Ok(None)
            }
        }
    }

    /// A result, after the fault that it came with.
    pub(super) fn total(
        &mut self,
        (value, fault): (i128, Option<FaultKind>),
        span: Span,
    ) -> Flow<Value> {
        if let Some(kind) = fault {
            self.fault(kind, span)?;
        }
        Ok(Value::Number(value))
    }
}
