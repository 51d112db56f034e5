//! Random statements.

use nopol_program::ir::{
    BinaryOp, Expr, ExprKind, FaultKind, FunctionId, LogicalOp, Lvalue, PlaceKind, Scalar, Span,
    Statement, VariableId,
};

use super::expressions::binary;
use super::{Generator, Shape, constant, expr, load};

impl Generator {
    /// At least this many statements, with blocks so deep within them.
    pub fn statements(&mut self, least: usize, depth: u32) -> Vec<Statement> {
        let outer = self.scope.len();
        let mut statements = Vec::new();
        for _ in 0..least + self.pick(4) {
            self.statement(depth, &mut statements);
        }
        let declared = self.scope.split_off(outer).into_iter();
        let declared: Vec<_> = declared.map(|(variable, _)| variable).collect();
        match self.has_pointers && !declared.is_empty() {
            true => vec![Statement::Scope(declared, statements)],
            false => statements,
        }
    }

    pub fn assign(&mut self, target: Lvalue, value: Expr) -> Statement {
        Statement::Assign {
            place: Some(self.place(PlaceKind::Value)),
            target,
            value,
        }
    }

    pub fn returns(&mut self, value: Expr) -> Statement {
        Statement::Return {
            place: Some(self.place(PlaceKind::Return)),
            value: Some(value),
        }
    }

    /// A function with an `int` parameter calls itself while it is small and positive.
    pub fn recursion(&mut self, parameters: &[VariableId]) -> Option<Statement> {
        let first = *parameters.first()?;
        if self.pick(4) != 3 || self.program.variables[first].cells != [Scalar::INT] {
            return None;
        }
        let number = || load(Lvalue::Variable(first), Scalar::INT);
        let int = |value| constant(Scalar::INT, value);
        let is_positive = Box::new(binary(BinaryOp::Lt, int(0), number(), Scalar::Bool));
        let is_small = Box::new(binary(
            BinaryOp::Lt,
            number(),
            int(super::BOUND.into()),
            Scalar::Bool,
        ));
        let condition = ExprKind::Logical(LogicalOp::And, self.node(), is_positive, is_small);
        let mut arguments = vec![binary(BinaryOp::Sub, number(), int(1), Scalar::INT)];
        for parameter in &parameters[1..] {
            let ty = self.program.variables[*parameter].cells[0];
            arguments.push(self.expr(ty, 1));
        }
        let itself: FunctionId = self.program.functions.next_key();
        let call = expr(ExprKind::Call(self.node(), itself, arguments), self.result);
        let other = self.expr(self.result, 1);
        let value = binary(BinaryOp::Xor, call, other, self.result);
        let then = vec![self.returns(value)];
        Some(Statement::If {
            node: self.node(),
            place: Some(self.place(PlaceKind::Condition)),
            condition: expr(condition, Scalar::Bool),
            then,
            otherwise: vec![],
        })
    }

    fn statement(&mut self, depth: u32, to: &mut Vec<Statement>) {
        match self.pick(12) {
            0..=4 => {
                if let Some((cell, ty)) = self.cell(2) {
                    let value = self.expr(ty, 3);
                    to.push(self.assign(cell, value));
                }
            }
            5 | 6 if depth > 0 => to.push(self.branch(depth)),
            7 | 8 if depth > 0 && self.loops.len() < 2 => self.counted(depth, to),
            9 => {
                let condition = self.expr(Scalar::Bool, 2);
                to.push(Statement::Assert(condition, FaultKind::Assertion));
            }
            10 => self.copy_or_call(to),
            _ if self.has_pointers => {
                let pointers = self
                    .scope
                    .iter()
                    .filter(|(_, shape)| *shape == Shape::Pointer);
                let pointers: Vec<_> = pointers.map(|(variable, _)| *variable).collect();
                if let Some(pointer) = self.one_of(&pointers) {
                    let value = self.expr(Scalar::Pointer, 2);
                    to.push(self.assign(Lvalue::Variable(pointer), value));
                }
            }
            _ => {
                let ty = self.number();
                let value = self.expr(ty, 2);
                let variable = self.variable(Shape::Number(ty), false);
                to.push(Statement::Declare(variable));
                to.push(self.assign(Lvalue::Variable(variable), value));
            }
        }
    }

    /// `if`, now and then with a jump in it.
    fn branch(&mut self, depth: u32) -> Statement {
        let condition = self.expr(Scalar::Bool, 2);
        let mut then = self.statements(0, depth - 1);
        match (self.pick(6), self.loops.last()) {
            (3, Some(node)) => then.push(Statement::Break(*node)),
            (4, Some(node)) => then.push(Statement::Continue(*node)),
            (5, _) => {
                let value = self.expr(self.result, 1);
                then.push(self.returns(value));
            }
            _ => {}
        }
        let otherwise = self.statements(0, depth - 1);
        Statement::If {
            node: self.node(),
            place: Some(self.place(PlaceKind::Condition)),
            condition,
            then,
            otherwise,
        }
    }

    /// A loop of up to three iterations, and its counter.
    fn counted(&mut self, depth: u32, to: &mut Vec<Statement>) {
        let outer = self.scope.len();
        let counter = self.variable(Shape::Counter, false);
        let number = || load(Lvalue::Variable(counter), Scalar::INT);
        let most = i128::try_from(1 + self.pick(3)).unwrap_or(1);
        let mut condition = binary(
            BinaryOp::Lt,
            number(),
            constant(Scalar::INT, most),
            Scalar::Bool,
        );
        if self.pick(3) == 2 {
            let other = self.expr(Scalar::Bool, 1);
            let kind = ExprKind::Logical(
                LogicalOp::And,
                self.node(),
                Box::new(condition),
                Box::new(other),
            );
            condition = expr(kind, Scalar::Bool);
        }
        let tests_first = self.pick(3) < 2;
        let node = self.node();
        self.loops.push(node);
        let body = self.statements(1, depth - 1);
        self.loops.pop();
        self.scope.truncate(outer);
        let more = binary(
            BinaryOp::Add,
            number(),
            constant(Scalar::INT, 1),
            Scalar::INT,
        );
        let update = vec![self.assign(Lvalue::Variable(counter), more)];
        to.push(Statement::Declare(counter));
        to.push(Statement::Loop {
            node,
            place: Some(self.place(PlaceKind::Condition)),
            condition,
            tests_first,
            body,
            update,
        });
    }

    /// Copies an array, or one of its elements, to another one of the same type, or calls something for its effects.
    fn copy_or_call(&mut self, to: &mut Vec<Statement>) {
        let arrays = self
            .scope
            .iter()
            .filter_map(|(variable, shape)| match shape {
                Shape::Array(ty, length) => Some((*variable, *ty, *length)),
                _ => None,
            });
        let arrays: Vec<_> = arrays.collect();
        let pair = (self.one_of(&arrays), self.one_of(&arrays));
        if let (Some((target, ty, length)), Some((source, other, most))) = pair
            && ty == other
        {
            let [mut target, mut source] = [target, source].map(Lvalue::Variable);
            let mut cells = length.min(most) as usize;
            if self.pick(2) == 0 {
                target = self.element(target, Some(length), 1);
                source = self.element(source, Some(most), 1);
                cells = 1;
            }
            to.push(Statement::Copy {
                target,
                source,
                cells: vec![ty; cells],
                span: Span::default(),
            });
        } else if let (Some(callee), true) =
            (self.one_of(&self.callees.clone()), self.loops.len() < 2)
        {
            let types = self.parameter_types(callee);
            let arguments = types.iter().map(|ty| self.expr(*ty, 1)).collect();
            to.push(Statement::Eval(self.call(callee, arguments)));
        }
    }
}
