//! Assignments, as statements and as expressions.

use super::build::{self, Value};
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{Expr, ExprKind, Lvalue, PlaceId, PlaceKind, Scalar, Statement};

/// What is assigned.
struct Assignment {
    /// What comes before.
    before: Vec<Statement>,
    target: Lvalue,
    scalar: Scalar,
    ty: Type,
    value: Expr,
}

impl Translator<'_> {
    /// An assignment whose value is not used.
    pub(super) fn assignment(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let (left, right) = self.sides(syntax)?;
        if syntax.operator() == "=" {
            let (target, ty) = self.lvalue(left)?;
            if matches!(ty, Type::Struct(_)) {
                let copy = self.copy(target, &ty, right)?;
                statements.push(copy);
                return Ok(());
            }
        }
        let assignment = self.assigned(syntax)?;
        let place = self.assignment_place(syntax);
        self.note_type(place, &assignment.ty);
        statements.extend(assignment.before);
        statements.push(Statement::Assign {
            place,
            target: assignment.target,
            value: assignment.value,
        });
        Ok(())
    }

    /// An assignment whose value is used.
    pub(super) fn assignment_value(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let assignment = self.assigned(syntax)?;
        let place = self.assignment_place(syntax);
        self.note_type(place, &assignment.ty);
        Ok(self.used(assignment, place, syntax))
    }

    fn assignment_place(&mut self, syntax: Syntax<'_>) -> Option<PlaceId> {
        match syntax.field("right") {
            Some(right) if syntax.operator() == "=" => {
                let place = self.value_place(right)?;
                self.program.places[place].target = syntax.field("left").map(Syntax::span);
                Some(place)
            }
            _ => self.place(PlaceKind::Value, syntax),
        }
    }

    fn assigned(&mut self, syntax: Syntax<'_>) -> Translated<Assignment> {
        let (left, right) = self.sides(syntax)?;
        let operator = syntax.operator();
        if operator == "=" {
            let (target, ty) = self.lvalue(left)?;
            let scalar = self.assignable(&ty, left)?;
            let value = self.converted(right, &ty)?;
            return Ok(Assignment {
                before: Vec::new(),
                target,
                scalar,
                ty,
                value,
            });
        }
        let right = self.value(right)?;
        self.operated(left, operator.trim_end_matches('='), right, syntax)
    }

    fn assignable(&self, ty: &Type, syntax: Syntax<'_>) -> Translated<Scalar> {
        let unassignable = || {
            self.error(
                syntax,
                format!("`{}` cannot be assigned to here", self.written(syntax)),
            )
        };
        ty.scalar().ok_or_else(unassignable)
    }

    /// What `target operator= right` assigns. The target is evaluated once.
    fn operated(
        &mut self,
        target: Syntax<'_>,
        operator: &str,
        right: Value,
        syntax: Syntax<'_>,
    ) -> Translated<Assignment> {
        let span = target.span();
        let (lvalue, ty) = self.lvalue(target)?;
        let scalar = self.assignable(&ty, target)?;
        let mut before = Vec::new();
        let lvalue = if build::is_repeatable(&lvalue) {
            lvalue
        } else {
            let pointer = self.temporary("target", build::address(lvalue, span), &mut before);
            Lvalue::Deref(build::load(
                Lvalue::Variable(pointer),
                Scalar::Pointer,
                span,
            ))
        };
        let old = Value {
            expr: build::load(lvalue.clone(), scalar, span),
            ty: ty.clone(),
        };
        let value = self.binary(operator, old, right, syntax)?;
        let value = self.convert(value, &ty, syntax)?;
        Ok(Assignment {
            before,
            target: lvalue,
            scalar,
            ty,
            value,
        })
    }

    /// Assigns, and goes on with what was assigned.
    fn used(
        &mut self,
        assignment: Assignment,
        place: Option<PlaceId>,
        syntax: Syntax<'_>,
    ) -> Value {
        let Assignment {
            before: mut statements,
            target,
            scalar,
            ty,
            value,
        } = assignment;
        let span = syntax.span();
        let from = if let Lvalue::Variable(variable) = target {
            statements.push(Statement::Assign {
                place,
                target,
                value,
            });
            variable
        } else {
            let variable = self.variable("#assigned", vec![scalar], false);
            self.typed.push((variable, ty.clone()));
            statements.push(Statement::Declare(variable));
            statements.push(Statement::Assign {
                place,
                target: Lvalue::Variable(variable),
                value,
            });
            statements.push(build::assign(
                target,
                build::load(Lvalue::Variable(variable), scalar, span),
            ));
            variable
        };
        Value {
            expr: build::block(
                statements,
                build::load(Lvalue::Variable(from), scalar, span),
            ),
            ty,
        }
    }

    /// `x++` and the like whose value is not used.
    pub(super) fn update(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let assignment = self.updated(syntax)?;
        let place = self.place(PlaceKind::Value, syntax);
        self.note_type(place, &assignment.ty);
        statements.extend(assignment.before);
        statements.push(Statement::Assign {
            place,
            target: assignment.target,
            value: assignment.value,
        });
        Ok(())
    }

    /// `x++` and the like as a part of an expression.
    pub(super) fn update_value(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let argument = self.argument_of(syntax)?;
        let is_prefix = syntax.node.start_byte() < argument.node.start_byte();
        let assignment = self.updated(syntax)?;
        if is_prefix {
            return Ok(self.used(assignment, None, syntax));
        }
        let Assignment {
            before: mut statements,
            target,
            scalar,
            ty,
            value,
        } = assignment;
        let span = syntax.span();
        let old = self.temporary(
            "before",
            build::load(target.clone(), scalar, span),
            &mut statements,
        );
        statements.push(build::assign(target, value));
        Ok(Value {
            expr: build::block(statements, build::load(Lvalue::Variable(old), scalar, span)),
            ty,
        })
    }

    fn updated(&mut self, syntax: Syntax<'_>) -> Translated<Assignment> {
        let argument = self.argument_of(syntax)?;
        let one = Value {
            expr: build::constant(1, Scalar::INT, build::nowhere(syntax.span())),
            ty: Type::INT,
        };
        let operator = syntax.operator();
        self.operated(argument, operator.get(..1).unwrap_or_default(), one, syntax)
    }

    /// Copies a structure.
    pub(super) fn copy(
        &mut self,
        target: Lvalue,
        ty: &Type,
        from: Syntax<'_>,
    ) -> Translated<Statement> {
        let (source, from_ty) = self.lvalue(from)?;
        self.note_whole(from);
        match self.types.scalars(ty) {
            Some(cells) if self.types.are_compatible(ty, &from_ty) => Ok(Statement::Copy {
                target,
                source,
                cells,
                span: from.span(),
            }),
            _ => self.outside(from, format!("`{}` has another type", self.written(from))),
        }
    }

    /// Whether evaluating the expression does nothing else and cannot be wrong: a variable, a constant or a call.
    pub(super) fn is_plain(value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Constant(_) | ExprKind::Null | ExprKind::Call(..) | ExprKind::Builtin(..) => {
                true
            }
            ExprKind::Load(of) | ExprKind::Address(of, _) => matches!(**of, Lvalue::Variable(_)),
            ExprKind::Cast(inner) => Self::is_plain(inner),
            _ => false,
        }
    }
}
