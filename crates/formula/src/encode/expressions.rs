//! Expressions as circuits.

use std::rc::Rc;

use nopol_program::ir::{
    BinaryOp, Expr, ExprKind, FaultKind, FunctionId, LogicalOp, Lvalue, NodeId, Overflow, Scalar,
    Span, Statement, UnaryOp, VariableId,
};
use nopol_program::position::Step;

use super::memory::{Carried, ObjectId, Target, Value};
use super::{Bit, Circuit, Encoder, Explored, Frame, Result, State, Stop, constant};
use crate::circuit::word::{self, Word};

impl Encoder<'_> {
    /// The value of an expression, evaluated where the run is; a fault if it was never set.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value> {
        let (value, unset) = self.carried(expr)?;
        self.fault(FaultKind::Unset, unset);
        Ok(value)
    }

    /// The value of an expression that is only moved.
    pub(super) fn carried(&mut self, expr: &Expr) -> Result<Carried> {
        self.check_limits(expr.span)?;
        match &expr.kind {
            ExprKind::Load(from) => {
                let located = self.locate(from)?;
                Ok(self.carried_from(&located, expr.ty))
            }
            ExprKind::Cast(operand) => {
                let from = operand.ty;
                let (Value::Bits(operand), unset) = self.carried(operand)? else {
                    return self.stop(operand.span, "a pointer is used as a number");
                };
                let value = Value::Bits(match expr.ty {
                    Scalar::Bool => [self.circuit.nonzero(&operand)].into(),
                    ty => word::resized(&operand, usize::from(ty.bits()), from.is_signed()),
                });
                Ok((value, unset))
            }
            ExprKind::Block(statements, value) => {
                self.statements(statements)?;
                self.carried(value)
            }
            ExprKind::Choice(original, variants) => self.chosen(original, variants),
            _ => Ok((self.computed(expr)?, Bit::FALSE)),
        }
    }

    /// The value of an expression that computes one.
    fn computed(&mut self, expr: &Expr) -> Result<Value> {
        Ok(match &expr.kind {
            ExprKind::Constant(value) => Value::Bits(constant(expr.ty, *value)),
            ExprKind::Null => Value::null(),
            ExprKind::Load(_) | ExprKind::Cast(_) | ExprKind::Block(..) | ExprKind::Choice(..) => {
                self.carried(expr)?.0
            }
            ExprKind::Address(of, cells) => {
                // That it is outside matters only where it is read or written.
                let located = self.locate(of)?;
                if !matches!(**of, Lvalue::Deref(_)) {
                    // `&*p` is `p`, but there is no part of nothing.
                    let nulls = located
                        .targets
                        .iter()
                        .filter(|target| target.address.is_none());
                    for when in nulls.map(|target| target.when).collect::<Vec<_>>() {
                        self.fault(FaultKind::NullPointer, when);
                    }
                }
                Value::Pointer(match cells {
                    Some(cells) => self.narrowed(&located, *cells),
                    None => located.targets,
                })
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.bits(operand)?;
                Value::Bits(self.unary(*op, &operand, expr.ty))
            }
            ExprKind::Binary(op, overflow, a, b) => {
                let (x, y) = (self.value(a)?, self.value(b)?);
                match (x, y) {
                    (Value::Bits(x), Value::Bits(y)) => {
                        Value::Bits(self.binary(*op, *overflow, &x, &y, a.ty))
                    }
                    (Value::Pointer(x), Value::Pointer(y)) => {
                        Value::bit(self.compare_pointers(*op, &x, &y))
                    }
                    _ => return self.stop(expr.span, "a number is mixed with a pointer"),
                }
            }
            ExprKind::Logical(op, node, a, b) => self.logical(*op, *node, a, b)?,
            ExprKind::Conditional(node, condition, a, b) => {
                let condition = self.bit(condition)?;
                let neither = Value::zero(expr.ty);
                let then = &mut |this: &mut Self| this.value(a);
                self.either(*node, condition, then, |this| this.value(b), neither)?
            }
            ExprKind::Offset(pointer, by, stride) => {
                let (targets, by) = (self.pointer(pointer)?, self.bits(by)?);
                let by = self.scaled(&by, *stride);
                for null in targets.iter().filter(|target| target.address.is_none()) {
                    self.fault(FaultKind::NullOffset, null.when);
                }
                Value::Pointer(self.moved(&targets, &by))
            }
            ExprKind::Distance(a, b, stride) => {
                let (a, b) = (self.pointer(a)?, self.pointer(b)?);
                let distance = self.distance(&a, &b, *stride);
                Value::Bits(word::resized(&distance, usize::from(expr.ty.bits()), true))
            }
            ExprKind::Call(node, function, arguments) => {
                self.called(*node, *function, arguments, expr.span, true)?
            }
            ExprKind::Builtin(_, builtin, arguments) => {
                self.builtin(builtin, arguments, expr.ty, expr.span)?
            }
        })
    }

    /// A number or bool.
    pub(super) fn bits(&mut self, expr: &Expr) -> Result<Word> {
        match self.value(expr)? {
            Value::Bits(bits) => Ok(bits),
            Value::Pointer(_) => self.stop(expr.span, "a pointer is used as a number"),
        }
    }

    /// A bool.
    pub(super) fn bit(&mut self, expr: &Expr) -> Result<Bit> {
        let bits = self.bits(expr)?;
        Ok(bits.first().copied().unwrap_or(Bit::FALSE))
    }

    /// A pointer.
    pub(super) fn pointer(&mut self, expr: &Expr) -> Result<Rc<[Target]>> {
        match self.value(expr)? {
            Value::Pointer(targets) => Ok(targets),
            Value::Bits(_) => self.stop(expr.span, "a number is used as a pointer"),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Word, ty: Scalar) -> Word {
        match op {
            UnaryOp::Not | UnaryOp::BitNot => operand.iter().map(|&bit| !bit).collect(),
            UnaryOp::Neg(overflow) => {
                let zero = constant(ty, 0);
                let (negated, overflows) = self.circuit.sub(&zero, operand, ty.is_signed());
                if overflow == Overflow::Fault {
                    self.fault(FaultKind::Overflow, overflows);
                }
                negated
            }
        }
    }

    /// An operator between numbers or bools of this type.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        overflow: Overflow,
        a: &Word,
        b: &Word,
        ty: Scalar,
    ) -> Word {
        let signed = ty.is_signed();
        let circuit = &mut *self.circuit;
        let arithmetic = match op {
            BinaryOp::Add => Some(circuit.add(a, b, signed)),
            BinaryOp::Sub => Some(circuit.sub(a, b, signed)),
            BinaryOp::Mul => Some(circuit.mul(a, b, signed)),
            _ => None,
        };
        if let Some((result, overflows)) = arithmetic {
            if overflow == Overflow::Fault {
                self.fault(FaultKind::Overflow, overflows);
            }
            return result;
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => Rc::clone(a),
            BinaryOp::Div | BinaryOp::Rem => self.divided(op, a, b, signed),
            BinaryOp::And => circuit.zip(a, b, Circuit::and),
            BinaryOp::Or => circuit.zip(a, b, Circuit::or),
            BinaryOp::Xor => circuit.zip(a, b, Circuit::xor),
            BinaryOp::Shl | BinaryOp::Shr => self.shifted(op, overflow, a, b, signed),
            BinaryOp::Eq => [circuit.equal(a, b)].into(),
            BinaryOp::Ne => [!circuit.equal(a, b)].into(),
            BinaryOp::Lt => [circuit.less(a, b, signed)].into(),
            BinaryOp::Ge => [!circuit.less(a, b, signed)].into(),
            BinaryOp::Gt => [circuit.less(b, a, signed)].into(),
            BinaryOp::Le => [!circuit.less(b, a, signed)].into(),
        }
    }

    fn divided(&mut self, op: BinaryOp, a: &Word, b: &Word, signed: bool) -> Word {
        let by_zero = !self.circuit.nonzero(b);
        self.fault(FaultKind::DivisionByZero, by_zero);
        if signed {
            let smallest = word::constant(1 << (a.len() - 1), a.len());
            let by_minus_one = self.circuit.all(b.iter().copied());
            let is_smallest = self.circuit.equal(a, &smallest);
            let overflows = self.circuit.and(is_smallest, by_minus_one);
            self.fault(FaultKind::Overflow, overflows);
        }
        let (quotient, remainder) = self.circuit.div_rem(a, b, signed);
        if op == BinaryOp::Div {
            quotient
        } else {
            remainder
        }
    }

    fn shifted(
        &mut self,
        op: BinaryOp,
        overflow: Overflow,
        a: &Word,
        by: &Word,
        signed: bool,
    ) -> Word {
        let stages = (a.len().ilog2() as usize).min(by.len());
        // A negative amount is too large, too, whatever its type.
        let too_far = self.circuit.nonzero(&by[stages..]);
        self.fault(FaultKind::Shift, too_far);
        let shifted = self.circuit.shifted(a, by, op == BinaryOp::Shl, signed);
        if op == BinaryOp::Shl && overflow == Overflow::Fault {
            // Back where it came from is what it was, unless something was lost.
            let back = self.circuit.shifted(&shifted, by, false, signed);
            let overflows = !self.circuit.equal(&back, a);
            self.fault(FaultKind::Overflow, overflows);
            let is_negative = a.last().copied().filter(|_| signed);
            self.fault(FaultKind::Shift, is_negative.unwrap_or(Bit::FALSE));
        }
        shifted
    }

    fn logical(&mut self, op: LogicalOp, node: NodeId, a: &Expr, b: &Expr) -> Result<Value> {
        let a = self.bit(a)?;
        let (decides, settled) = match op {
            LogicalOp::And => (a, Bit::FALSE),
            LogicalOp::Or => (!a, Bit::TRUE),
        };
        self.second(node, decides, settled, b)
    }

    /// The second operand of a logical operation if it decides, else what is settled without it.
    pub(super) fn second(
        &mut self,
        node: NodeId,
        decides: Bit,
        settled: Bit,
        b: &Expr,
    ) -> Result<Value> {
        let then = &mut |this: &mut Self| this.value(b);
        let otherwise = |_: &mut Self| Ok(Value::bit(settled));
        self.either(node, decides, then, otherwise, Value::bit(Bit::FALSE))
    }

    /// One of two values, each with its effects; a run that is not here has the value `neither`, which is of the same type.
    fn either(
        &mut self,
        node: NodeId,
        condition: Bit,
        then: &mut dyn FnMut(&mut Self) -> Result<Value>,
        mut otherwise: impl FnMut(&mut Self) -> Result<Value>,
        neither: Value,
    ) -> Result<Value> {
        let before = self.state.clone();
        let mut one = None;
        if self.enters(node, condition, true) {
            let value = then(self)?;
            one = Some((self.state.clone(), value));
        }
        self.state = before;
        if !self.enters(node, !condition, false) {
            let dead = State {
                live: Bit::FALSE,
                ..self.state.clone()
            };
            let (state, value) = one.unwrap_or((dead, neither));
            self.state = state;
            return Ok(value);
        }
        let other = otherwise(self)?;
        let Some((state, value)) = one else {
            return Ok(other);
        };
        // A side that left has no value.
        let value = match self.state.live {
            Bit::FALSE => value,
            _ => Value::choose(self.circuit, state.live, &value, &other),
        };
        let here = self.state.clone();
        self.state = self.join(state, here);
        Ok(value)
    }

    /// Goes to one side of a branch, unless no run does or it is not explored.
    pub(super) fn enters(&mut self, node: NodeId, condition: Bit, holds: bool) -> bool {
        let side = (self.position, node, holds);
        if let Explored::Straight(_) = self.explored {
            return self.explored.has(side);
        }
        self.state.live = self.circuit.and(self.state.live, condition);
        if self.state.live == Bit::FALSE {
            return false;
        }
        if self.explored.has(side) {
            return true;
        }
        self.escapes = self.circuit.or(self.escapes, self.state.live);
        self.unexplored.push((side, self.state.live));
        // Nothing that comes later happens to a run that left.
        self.state.live = Bit::FALSE;
        false
    }

    /// Calls a function with these arguments. Functions of the library are not in the source: what stops in one stops here, where
    /// it is called.
    pub(super) fn called(
        &mut self,
        node: NodeId,
        function: FunctionId,
        arguments: &[Expr],
        here: Span,
        is_used: bool,
    ) -> Result<Value> {
        // The function is called with them, whatever takes the place of its result.
        let suppressed = std::mem::take(&mut self.frame().suppressed);
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        self.frame().suppressed = suppressed;
        let before = self.position;
        self.position = self.positions.child(before, Step::Call(node));
        let result = self.call(function, values, is_used);
        self.position = before;
        result.map_err(|stop| {
            let is_inside = stop.span == Span::default();
            Stop {
                span: if is_inside { here } else { stop.span },
                ..stop
            }
        })
    }

    /// Runs a function; the position is that of its body.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value>,
        is_used: bool,
    ) -> Result<Value> {
        let mut arguments = arguments.into_iter();
        self.call_with(function, is_used, &mut |this, _, object| {
            if let Some(value) = arguments.next() {
                this.write_cell(object, 0, value);
            }
        })
    }

    /// Runs a function whose parameters' objects are filled by `pass`, which is given the number of each.
    pub(super) fn call_with(
        &mut self,
        function: FunctionId,
        is_used: bool,
        pass: &mut dyn FnMut(&mut Self, usize, ObjectId),
    ) -> Result<Value> {
        let called = &self.program.functions[function];
        let zero = Value::zero(called.result.unwrap_or(Scalar::INT));
        let active = self.active.entry(function).or_default();
        if *active >= self.extent.bound {
            self.cut(Bit::TRUE);
            return Ok(zero);
        }
        *active += 1;
        self.frames.push(Frame::default());
        for (at, &parameter) in called.parameters.iter().enumerate() {
            let object = self.declared(parameter);
            pass(self, at, object);
        }
        let done = self.statements(&called.body);
        let frame = self.frames.pop().unwrap_or_default();
        *self.active.entry(function).or_default() -= 1;
        done?;
        let objects = frame.objects;
        if called.result.is_some() && is_used {
            self.fault(FaultKind::NoResult, Bit::TRUE);
        }
        let fell_through = self.state.clone();
        let result = match frame.exits.returned {
            None => zero,
            Some((state, value)) => {
                let value = match value {
                    Some(value) if fell_through.live == Bit::FALSE => value,
                    Some(value) => Value::choose(self.circuit, state.live, &value, &zero),
                    None => zero,
                };
                self.state = self.join(state, fell_through);
                value
            }
        };
        self.end(&objects);
        Ok(result)
    }

    /// A new object for a variable of the function at hand.
    pub(super) fn declared(&mut self, variable: VariableId) -> ObjectId {
        let of = &self.program.variables[variable];
        let object = self.new_object(of.cells.len(), of.initially);
        self.frame().objects.insert(variable, object);
        object
    }

    /// Evaluates while faults of the expression itself are suppressed under a condition.
    pub(super) fn suppressing<T>(
        &mut self,
        when: Bit,
        evaluate: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = self.frame().suppressed;
        self.frame().suppressed = self.circuit.or(before, when);
        let result = evaluate(self);
        self.frame().suppressed = before;
        result
    }

    /// Statements, one after another.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<()> {
        for statement in statements {
            if self.state.live == Bit::FALSE {
                break;
            }
            self.statement(statement)?;
        }
        Ok(())
    }
}
