//! Which sides of branches are part of an angelic program from the start. AgxFaults (§3.3) explores every side on
//! demand. That pays where a side leads to much code; where it leads to little, it costs less to encode it at once than to
//! ask a solver, run the program and extend the formula. What a side leads to is counted as it is inlined, loops with one
//! iteration: that they go on is always explored on demand.

use std::collections::HashSet;

use typed_index_collections::TiVec;

use nopol_program::ir::{Expr, ExprKind, FunctionId, Lvalue, NodeId, Program, Statement};

/// Most statements and expressions of a side that is explored at once.
const SMALL: usize = 400;

/// The size of everything that is larger.
const LARGE: usize = SMALL + 1;

/// The sides of a program's branches that are small.
pub fn small(program: &Program) -> HashSet<(NodeId, bool)> {
    let mut counter = Counter {
        program,
        small: HashSet::new(),
        sizes: program.functions.iter().map(|_| Size::Unknown).collect(),
    };
    counter.statements(&program.globals);
    for function in program.functions.keys() {
        counter.function(function);
    }
    counter.small
}

/// How large a function is.
#[derive(Clone, Copy)]
enum Size {
    Unknown,
    /// It is being counted: a call of it now is recursive.
    Open,
    Known(usize),
}

struct Counter<'a> {
    program: &'a Program,
    small: HashSet<(NodeId, bool)>,
    sizes: TiVec<FunctionId, Size>,
}

impl Counter<'_> {
    fn function(&mut self, function: FunctionId) -> usize {
        match self.sizes[function] {
            Size::Known(size) => size,
            Size::Open => LARGE,
            Size::Unknown => {
                self.sizes[function] = Size::Open;
                let program = self.program;
                let size = self.statements(&program.functions[function].body);
                self.sizes[function] = Size::Known(size);
                size
            }
        }
    }

    fn side(&mut self, node: NodeId, holds: bool, size: usize) -> usize {
        if size <= SMALL {
            self.small.insert((node, holds));
        }
        size
    }

    fn statements(&mut self, statements: &[Statement]) -> usize {
        let sizes = statements.iter().map(|statement| self.statement(statement));
        sizes.fold(0, |sum, size| LARGE.min(sum + size))
    }

    fn statement(&mut self, statement: &Statement) -> usize {
        let within = match statement {
            Statement::Declare(_)
            | Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Opaque(..) => 0,
            Statement::Assign { target, value, .. } => self.lvalue(target) + self.expr(value),
            Statement::Copy { target, source, .. } => self.lvalue(target) + self.lvalue(source),
            Statement::Eval(expr) | Statement::Assert(expr, _) | Statement::Assume(expr) => {
                self.expr(expr)
            }
            Statement::If {
                node,
                condition,
                then,
                otherwise,
                ..
            } => {
                let (then, otherwise) = (self.statements(then), self.statements(otherwise));
                let sides = self.side(*node, true, then) + self.side(*node, false, otherwise);
                self.expr(condition) + sides
            }
            Statement::Loop {
                node,
                condition,
                body,
                update,
                ..
            } => {
                self.side(*node, false, 0);
                self.expr(condition) + self.statements(body) + self.statements(update)
            }
            Statement::Breakable(_, body) | Statement::Scope(_, body) => self.statements(body),
            Statement::Return { value, .. } => value.as_ref().map_or(0, |value| self.expr(value)),
        };
        LARGE.min(within + 1)
    }

    fn expr(&mut self, expr: &Expr) -> usize {
        let within = match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Null => 0,
            ExprKind::Load(of) | ExprKind::Address(of, _) => self.lvalue(of),
            ExprKind::Unary(_, operand)
            | ExprKind::Cast(operand)
            | ExprKind::Choice(operand, _) => self.expr(operand),
            ExprKind::Binary(_, _, a, b)
            | ExprKind::Offset(a, b, _)
            | ExprKind::Distance(a, b, _) => self.expr(a) + self.expr(b),
            ExprKind::Logical(_, node, a, b) => {
                let b = self.expr(b);
                self.expr(a) + self.side(*node, true, b) + self.side(*node, false, 0)
            }
            ExprKind::Conditional(node, condition, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.expr(condition) + self.side(*node, true, a) + self.side(*node, false, b)
            }
            ExprKind::Call(_, function, arguments) => {
                self.exprs(arguments) + self.function(*function)
            }
            ExprKind::Builtin(_, _, arguments) => self.exprs(arguments),
            ExprKind::Block(statements, value) => self.statements(statements) + self.expr(value),
        };
        LARGE.min(within + 1)
    }

    fn exprs(&mut self, exprs: &[Expr]) -> usize {
        let sizes = exprs.iter().map(|expr| self.expr(expr));
        sizes.fold(0, |sum, size| LARGE.min(sum + size))
    }

    fn lvalue(&mut self, lvalue: &Lvalue) -> usize {
        match lvalue {
            Lvalue::Variable(_) => 1,
            Lvalue::Deref(pointer) => self.expr(pointer),
            Lvalue::Index { array, index, .. } => self.lvalue(array) + self.expr(index),
            Lvalue::Field(of, _) => self.lvalue(of),
        }
    }
}
