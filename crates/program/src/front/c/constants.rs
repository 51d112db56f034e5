//! Constants: those known when a program is compiled, and macros that stand for one.

use nopol_scalar::arithmetic::{self, Fault};

use super::build::{self, Value};
use super::macros::Constant;
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{
    Expr, ExprKind, LogicalOp, Lvalue, Overflow, PlaceKind, Scalar, Statement, UnaryOp, VariableId,
};
use crate::written::Owner;

impl Translator<'_> {
    /// Translates something that leaves nothing behind: only its type or its value is wanted.
    pub(super) fn folding<T>(
        &mut self,
        within: impl FnOnce(&mut Self) -> Translated<T>,
    ) -> Translated<T> {
        let was_folding = std::mem::replace(&mut self.is_folding, true);
        let (places, globals) = (self.program.places.len(), self.program.globals.len());
        let (variables, nodes) = (self.program.variables.len(), self.program.nodes);
        let result = within(self);
        self.program.places.truncate(places);
        self.program.globals.truncate(globals);
        self.program.variables.truncate(variables);
        let is_left = |id: VariableId| self.program.variables.get(id).is_some();
        self.literals.retain(|_, id| is_left(*id));
        self.typed.retain(|(id, _)| is_left(*id));
        self.program.nodes = nodes;
        self.is_folding = was_folding;
        result
    }

    /// The value of a constant expression, and its type.
    pub(super) fn constant(&mut self, syntax: Syntax<'_>) -> Translated<(i128, Type)> {
        let value = self.folding(|this| this.value(syntax))?;
        match fold(&value.expr) {
            Some(number) => Ok((number, value.ty)),
            None => self.outside(
                syntax,
                format!("`{}` must be a constant here", self.written(syntax)),
            ),
        }
    }

    /// The length of an array.
    pub(super) fn length(&mut self, syntax: Syntax<'_>) -> Translated<u32> {
        self.fix(syntax);
        let (number, _) = self.constant(syntax)?;
        u32::try_from(number)
            .map_err(|_| self.error(syntax, format!("an array cannot have {number} elements")))
    }

    /// The value of a macro that is a constant: that of a global variable, which is initialized where the macro is
    /// defined.
    pub(super) fn macro_constant(
        &mut self,
        constant: &Constant,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        if self.is_folding {
            let body = self.macro_body(constant, syntax)?;
            return self.value(body);
        }
        if !self.constants.contains_key(&constant.directive) {
            let body = self.macro_body(constant, syntax)?;
            let function = self.function.take();
            let id = self.variable(&*constant.name, Vec::new(), true);
            let owner = self.owner.replace(Owner::Variable(id));
            self.note(body, body.span(), self.owner);
            let made = self.at_statement(constant.directive, |this| {
                let value = this.value(body)?;
                let number = this.number(value, body)?;
                let place = this.place(PlaceKind::Value, body);
                Ok((number, place))
            });
            (self.function, self.owner) = (function, owner);
            let (number, place) = made?;
            self.program.variables[id].cells = vec![number.expr.ty];
            self.program.globals.push(Statement::Assign {
                place,
                target: Lvalue::Variable(id),
                value: number.expr,
            });
            self.constants.insert(constant.directive, (id, number.ty));
        }
        let (id, ty) = self.constants[&constant.directive].clone();
        let Some(scalar) = ty.scalar() else {
            return self.outside(syntax, format!("`{}` is not a number", constant.name));
        };
        Ok(Value {
            expr: build::load(Lvalue::Variable(id), scalar, syntax.span()),
            ty,
        })
    }

    pub(super) fn macro_body<'c>(
        &self,
        constant: &'c Constant,
        syntax: Syntax<'_>,
    ) -> Translated<Syntax<'c>> {
        let declaration = constant.source.root().children().first().copied();
        declaration
            .and_then(|declaration| declaration.field("declarator"))
            .and_then(|declarator| declarator.field("value"))
            .ok_or_else(|| self.error(syntax, format!("`{}` is not a number", constant.name)))
    }
}

/// The value of an expression that only has constants.
pub(super) fn fold(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Constant(number) => Some(*number),
        ExprKind::Cast(inner) => {
            let number = fold(inner)?;
            Some(if expr.ty == Scalar::Bool {
                i128::from(number != 0)
            } else {
                expr.ty.wrap(number)
            })
        }
        ExprKind::Unary(op, inner) => {
            let number = fold(inner)?;
            Some(expr.ty.wrap(match op {
                UnaryOp::Neg(_) => number.wrapping_neg(),
                UnaryOp::BitNot => !number,
                UnaryOp::Not => i128::from(number == 0),
            }))
        }
        ExprKind::Binary(op, _, left, right) => {
            let (left, right) = (fold(left)?, fold(right)?);
            match arithmetic::binary(*op, Overflow::Wraps, expr.ty.kind(), left, right) {
                (value, None | Some(Fault::Overflow)) => Some(value),
                (_, Some(Fault::DivisionByZero | Fault::Shift)) => None,
            }
        }
        ExprKind::Logical(op, _, left, right) => match (op, fold(left)?) {
            (LogicalOp::And, 0) => Some(0),
            (LogicalOp::Or, 1) => Some(1),
            _ => fold(right),
        },
        ExprKind::Conditional(_, condition, yes, no) => {
            fold(if fold(condition)? == 0 { no } else { yes })
        }
        _ => None,
    }
}
