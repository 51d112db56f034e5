//! Assignments: to one place, to the parts of a tuple, and those that compute.

use syn::{BinOp, Expr as Syntax};

use super::blocks::{Role, is_flow};
use super::body::{Body, is_simple};
use super::build::{Repr, Value, field};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{Expr, ExprKind as Kind, Outside, Span};

impl Body<'_, '_> {
    pub(super) fn assignment(
        &mut self,
        left: &Syntax,
        right: &Syntax,
        span: Span,
    ) -> Result<(), Outside> {
        let left = bare(left);
        match left {
            Syntax::Infer(_) => {
                let value = self.value(right, None)?;
                self.let_go(right, value, false, span);
                return Ok(());
            }
            Syntax::Tuple(targets) => {
                let value = self.built(right, None, true)?;
                let (Type::Tuple(types), Repr::At(source)) = (value.ty, value.repr) else {
                    return Err(self.outside(span, "this assignment is not supported"));
                };
                let mut offset = 0;
                for (target, ty) in targets.elems.iter().zip(&*types) {
                    let size = ty.size();
                    let part = Value::at(ty.clone(), field(source.clone(), offset));
                    let part = self.loaded(part, span);
                    if !matches!(target, Syntax::Infer(_)) {
                        self.assign_to(target, part, false, span)?;
                    }
                    offset += size;
                }
                return Ok(());
            }
            _ => {}
        }
        // The value is evaluated before the target's indices are, but its type is the target's.
        // The values of branches are places of their own.
        let right = bare(right);
        let is_place = !is_flow(right);
        if is_plain(left) {
            let target = self.locate(left)?;
            let ty = target.ty.clone();
            let value = self.assigned(right, Some(&ty))?;
            let at = self.span(right);
            let value = self.coerced(value, &ty, at)?;
            let places = self.front.state.program.places.len();
            self.assign_located(target, value, is_place, at)?;
            // What is assigned to may be wrong, too.
            let at = self.span(left);
            let mut written = self.front.state.program.places.iter_mut().skip(places);
            if let Some(place) = written.next() {
                place.target = Some(at);
            }
            return Ok(());
        }
        let value = self.assigned(right, None)?;
        let at = self.span(right);
        self.assign_to(left, value, is_place, at)
    }

    /// The value of an assignment. The cells of an aggregate that is written out are places.
    fn assigned(&mut self, syntax: &Syntax, ty: Option<&Type>) -> Result<Value, Outside> {
        let syntax = bare(syntax);
        let is_literal =
            matches!(syntax, Syntax::Tuple(_) | Syntax::Struct(_)) || self.is_constructor(syntax);
        let is_link = ty.is_some_and(|ty| self.guesses.resolved(ty).is_link());
        if is_literal && !is_link {
            self.built(syntax, ty, true)
        } else {
            self.value(syntax, ty)
        }
    }

    fn assign_to(
        &mut self,
        target: &Syntax,
        mut value: Value,
        is_place: bool,
        span: Span,
    ) -> Result<(), Outside> {
        let mark = self.out.len();
        let target = self.locate(target)?;
        self.keep_value(mark, &mut value, span);
        let value = self.coerced(value, &target.ty.clone(), span)?;
        self.assign_located(target, value, is_place, span)
    }

    fn assign_located(
        &mut self,
        target: Value,
        value: Value,
        is_place: bool,
        span: Span,
    ) -> Result<(), Outside> {
        match target.repr {
            Repr::At(lvalue) => {
                let role = Role {
                    has_places: is_place,
                    ..Role::STORE
                };
                let value = Value {
                    ty: target.ty,
                    ..value
                };
                self.write(lvalue, value, role, span);
                Ok(())
            }
            Repr::Nothing => Ok(()),
            _ => Err(self.outside(span, "this cannot be assigned to")),
        }
    }

    pub(super) fn compound_assignment(
        &mut self,
        of: &syn::ExprBinary,
        span: Span,
    ) -> Result<(), Outside> {
        let operator: BinOp = of.op;
        let is_plain = is_plain(bare(&of.left));
        let shape = if is_plain {
            Some(self.locate(&of.left)?)
        } else {
            None
        };
        let is_shift = matches!(operator, BinOp::ShlAssign(_) | BinOp::ShrAssign(_));
        let expected = shape
            .as_ref()
            .map(|shape| shape.ty.clone())
            .filter(|_| !is_shift);
        let right_span = self.span(&of.right);
        let right = self.whole(|body| {
            let (right, ty) = body.operand(&of.right, expected.as_ref())?;
            Ok(Value::scalar(ty, right))
        })?;
        let (mut right, right_type) = self.as_scalar(right, right_span)?;
        let mark = self.out.len();
        let target = match shape {
            Some(target) => target,
            None => self.locate(&of.left)?,
        };
        self.keep(mark, [&mut right]);
        let Repr::At(lvalue) = target.repr else {
            return Err(self.no_operator("this assignment", &target.ty, span));
        };
        // The right operand is evaluated first, and what is written is read behind it.
        let right = if has_effects(&right) {
            self.saved(right)
        } else {
            right
        };
        let lvalue = self.steady(lvalue, span);
        let Some(scalar) = target.ty.scalar() else {
            return Err(self.no_operator(&self.text(span), &target.ty, span));
        };
        let left = super::build::load(lvalue.clone(), scalar, self.span(&of.left));
        let value = self.calculated(&operator, (left, target.ty), (right, right_type), span)?;
        self.write(lvalue, value, Role::STORE, span);
        Ok(())
    }
}

/// Whether the cell that is meant can be found without statements.
fn is_plain(target: &Syntax) -> bool {
    match bare(target) {
        Syntax::Path(_) => true,
        Syntax::Field(of) => is_plain(&of.base),
        Syntax::Unary(of) => is_plain(&of.expr),
        Syntax::Index(of) => {
            is_plain(&of.expr) && (is_plain(&of.index) || matches!(bare(&of.index), Syntax::Lit(_)))
        }
        _ => false,
    }
}

/// Whether evaluating it may change something.
fn has_effects(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Constant(_) | Kind::Null => false,
        Kind::Load(_) | Kind::Address(..) => !is_simple(expr),
        Kind::Unary(_, a) | Kind::Cast(a) => has_effects(a),
        Kind::Binary(_, _, a, b)
        | Kind::Logical(_, _, a, b)
        | Kind::Offset(a, b, _)
        | Kind::Distance(a, b, _) => has_effects(a) || has_effects(b),
        Kind::Conditional(_, a, b, c) => has_effects(a) || has_effects(b) || has_effects(c),
        Kind::Call(..) | Kind::Builtin(..) | Kind::Block(..) | Kind::Choice(..) => true,
    }
}
