//! Random expressions and cells.

use nopol_program::ir::{
    BinaryOp, Expr, ExprKind, FunctionId, LogicalOp, Lvalue, Overflow, Scalar, Statement, UnaryOp,
};

use super::{Generator, Shape, constant, expr, load};

impl Generator {
    /// An expression of this type, so deep.
    pub fn expr(&mut self, ty: Scalar, depth: u32) -> Expr {
        if ty == Scalar::Pointer {
            return self.pointer(depth);
        }
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.pick(14) {
            0..=2 => self.leaf(ty),
            3 | 4 => match self.cell(depth - 1) {
                Some((cell, of)) => self.cast(load(cell, of), ty),
                None => self.leaf(ty),
            },
            5 => {
                let from = self.number();
                let value = self.expr(from, depth - 1);
                self.cast(value, ty)
            }
            6 => {
                let [condition, then, otherwise] =
                    [Scalar::Bool, ty, ty].map(|ty| Box::new(self.expr(ty, depth - 1)));
                let node = self.node();
                expr(ExprKind::Conditional(node, condition, then, otherwise), ty)
            }
            // A call in two loops would make large formulas.
            7 if self.loops.len() < 2 => match self.one_of(&self.callees.clone()) {
                Some(callee) => {
                    let types = self.parameter_types(callee);
                    let arguments = types.iter().map(|ty| self.expr(*ty, depth - 1)).collect();
                    let call = self.call(callee, arguments);
                    self.cast(call, ty)
                }
                None => self.leaf(ty),
            },
            8 => self.block(ty, depth),
            9 => {
                let op = match (ty, self.pick(2)) {
                    (Scalar::Bool, _) => UnaryOp::Not,
                    (_, 0) => UnaryOp::Neg(self.overflow()),
                    _ => UnaryOp::BitNot,
                };
                let operand = self.expr(ty, depth - 1);
                expr(ExprKind::Unary(op, Box::new(operand)), ty)
            }
            _ if ty == Scalar::Bool => self.condition(depth),
            _ => self.arithmetic(ty, depth),
        }
    }

    /// Often a small constant or one at the end of the range.
    pub fn constant(&mut self, ty: Scalar) -> Expr {
        let greatest = if ty.is_signed() {
            i128::from(u64::MAX >> (65 - ty.bits()))
        } else {
            -1
        };
        let constants = [0, 1, 2, 3, 5, -1, 10, greatest, greatest + 1];
        let value = match self.pick(10) {
            9 => i128::try_from(self.pick(0x1_0000)).unwrap_or(0),
            at => constants[at],
        };
        constant(ty, value)
    }

    pub fn call(&mut self, callee: FunctionId, arguments: Vec<Expr>) -> Expr {
        let ty = self.program.functions[callee].result.unwrap_or(Scalar::INT);
        expr(ExprKind::Call(self.node(), callee, arguments), ty)
    }

    pub fn equal(&self, left: Expr, right: Expr) -> Expr {
        binary(BinaryOp::Eq, left, right, Scalar::Bool)
    }

    /// A cell of numbers that can be written, and its type.
    pub fn cell(&mut self, depth: u32) -> Option<(Lvalue, Scalar)> {
        let scope: Vec<_> = self
            .scope
            .iter()
            .copied()
            .filter(|(_, shape)| *shape != Shape::Counter)
            .collect();
        let (variable, shape) = self.one_of(&scope)?;
        let variable = Lvalue::Variable(variable);
        Some(match shape {
            Shape::Number(ty) => (variable, ty),
            Shape::Counter => return None,
            Shape::Array(ty, length) => (self.element(variable, Some(length), depth), ty),
            Shape::Pointer => {
                let target = Lvalue::Deref(load(variable, Scalar::Pointer));
                let cell = match self.pick(2) {
                    0 => target,
                    _ => self.element(target, None, depth),
                };
                (cell, Scalar::INT)
            }
        })
    }

    /// An element of an array: mostly one that is there.
    pub fn element(&mut self, array: Lvalue, length: Option<u32>, depth: u32) -> Lvalue {
        let unsigned = Scalar::UINT;
        let size = i128::from(length.unwrap_or(2));
        let index = match self.pick(4) {
            0 | 1 => {
                let index = i128::try_from(self.pick(3)).unwrap_or(0) % size;
                constant(Scalar::INT, index)
            }
            2 => {
                let number = self.expr(unsigned, depth);
                binary(BinaryOp::Rem, number, constant(unsigned, size), unsigned)
            }
            _ => {
                let ty = self.number();
                let ty = if ty == Scalar::Bool { Scalar::INT } else { ty };
                self.expr(ty, depth)
            }
        };
        Lvalue::Index {
            array: Box::new(array),
            index,
            length,
            stride: 1,
        }
    }

    /// A constant, or a variable of this type if there is one.
    fn leaf(&mut self, ty: Scalar) -> Expr {
        let of_type = |shape: Shape| {
            shape == Shape::Number(ty) || (shape == Shape::Counter && ty == Scalar::INT)
        };
        let scope: Vec<_> = self
            .scope
            .iter()
            .filter(|(_, shape)| of_type(*shape))
            .map(|(variable, _)| *variable)
            .collect();
        if self.pick(3) == 0 {
            return self.constant(ty);
        }
        match self.one_of(&scope) {
            Some(variable) => load(Lvalue::Variable(variable), ty),
            None => self.constant(ty),
        }
    }

    /// A pointer to a number that is mostly there.
    fn pointer(&mut self, depth: u32) -> Expr {
        let pointers = |shape| {
            matches!(
                shape,
                Shape::Number(Scalar::INT) | Shape::Array(Scalar::INT, _) | Shape::Pointer
            )
        };
        let scope: Vec<_> = self
            .scope
            .iter()
            .copied()
            .filter(|(_, shape)| pointers(*shape))
            .collect();
        let kind = match self.one_of(&scope) {
            None => ExprKind::Null,
            Some((variable, shape)) => {
                let lvalue = Lvalue::Variable(variable);
                match shape {
                    Shape::Array(_, length) => {
                        let element = self.element(lvalue, Some(length), depth.saturating_sub(1));
                        // Sometimes to a part that begins there, which may be too long.
                        let cells = [None, None, Some(1), Some(2), Some(0)][self.pick(5)];
                        ExprKind::Address(Box::new(element), cells)
                    }
                    Shape::Pointer if depth > 0 => {
                        let amount = self.expr(Scalar::LONG, depth - 1);
                        let pointer = load(lvalue, Scalar::Pointer);
                        ExprKind::Offset(Box::new(pointer), Box::new(amount), 1)
                    }
                    Shape::Pointer => ExprKind::Load(Box::new(lvalue)),
                    _ => ExprKind::Address(Box::new(lvalue), None),
                }
            }
        };
        match self.pick(8) {
            7 => expr(ExprKind::Null, Scalar::Pointer),
            _ => expr(kind, Scalar::Pointer),
        }
    }

    fn cast(&self, value: Expr, ty: Scalar) -> Expr {
        if value.ty == ty {
            value
        } else {
            expr(ExprKind::Cast(Box::new(value)), ty)
        }
    }

    /// Statements with a value of their own variable.
    fn block(&mut self, ty: Scalar, depth: u32) -> Expr {
        let outer = self.scope.len();
        let first = self.expr(ty, depth - 1);
        let variable = self.variable(Shape::Number(ty), false);
        let set = self.assign(Lvalue::Variable(variable), first);
        let value = self.expr(ty, depth - 1);
        self.scope.truncate(outer);
        expr(
            ExprKind::Block(vec![Statement::Declare(variable), set], Box::new(value)),
            ty,
        )
    }

    fn condition(&mut self, depth: u32) -> Expr {
        let comparison = [
            BinaryOp::Eq,
            BinaryOp::Lt,
            BinaryOp::Ne,
            BinaryOp::Le,
            BinaryOp::Gt,
            BinaryOp::Ge,
        ];
        match self.pick(4) {
            0 | 1 => {
                let op = comparison[self.pick(6)];
                let ty = if self.has_pointers && self.pick(4) == 3 {
                    Scalar::Pointer
                } else {
                    self.number()
                };
                let [left, right] = [(); 2].map(|()| self.expr(ty, depth - 1));
                binary(op, left, right, Scalar::Bool)
            }
            2 => {
                let op = [LogicalOp::And, LogicalOp::Or][self.pick(2)];
                let [first, second] =
                    [(); 2].map(|()| Box::new(self.expr(Scalar::Bool, depth - 1)));
                expr(
                    ExprKind::Logical(op, self.node(), first, second),
                    Scalar::Bool,
                )
            }
            _ => {
                let op = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor][self.pick(3)];
                let [left, right] = [(); 2].map(|()| self.expr(Scalar::Bool, depth - 1));
                binary(op, left, right, Scalar::Bool)
            }
        }
    }

    fn arithmetic(&mut self, ty: Scalar, depth: u32) -> Expr {
        let op = match self.pick(12) {
            0..=2 => BinaryOp::Add,
            3 | 4 => BinaryOp::Sub,
            5 => BinaryOp::And,
            6 => BinaryOp::Or,
            7 => BinaryOp::Xor,
            8 => BinaryOp::Shl,
            9 => BinaryOp::Shr,
            // Wide products and quotients make hard formulas.
            _ if ty.bits() > 32 => BinaryOp::Sub,
            10 => BinaryOp::Mul,
            _ => [BinaryOp::Div, BinaryOp::Rem][self.pick(2)],
        };
        let left = self.expr(ty, depth - 1);
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let right = if is_shift {
            self.expr(Scalar::INT, depth - 1)
        } else {
            self.expr(ty, depth - 1)
        };
        expr(
            ExprKind::Binary(op, self.overflow(), Box::new(left), Box::new(right)),
            ty,
        )
    }

    fn overflow(&mut self) -> Overflow {
        [Overflow::Wraps, Overflow::Fault][self.pick(2)]
    }
}

/// An operator that cannot overflow.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Scalar) -> Expr {
    expr(
        ExprKind::Binary(op, Overflow::Wraps, Box::new(left), Box::new(right)),
        ty,
    )
}
