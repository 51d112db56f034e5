//! A mutated program: choices are made, and no choice is left.

use nopol_program::ir::{
    Expr, ExprKind, LogicalOp, Lvalue, Made, Program, Statement, UnaryOp, Variant,
};

/// A program in which these choices are made and no other.
pub fn mutant(program: &Program, made: &Made) -> Program {
    let mut mutant = program.clone();
    statements(&mut mutant.globals, made);
    for function in &mut mutant.functions {
        statements(&mut function.body, made);
    }
    mutant
}

fn statements(of: &mut [Statement], made: &Made) {
    for statement in of {
        match statement {
            Statement::Declare(_)
            | Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Opaque(..) => {}
            Statement::Assign { target, value, .. } => {
                lvalue(target, made);
                expr(value, made);
            }
            Statement::Copy { target, source, .. } => {
                lvalue(target, made);
                lvalue(source, made);
            }
            Statement::Eval(value) | Statement::Assert(value, _) | Statement::Assume(value) => {
                expr(value, made);
            }
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                expr(condition, made);
                statements(then, made);
                statements(otherwise, made);
            }
            Statement::Loop {
                condition,
                body,
                update,
                ..
            } => {
                expr(condition, made);
                statements(body, made);
                statements(update, made);
            }
            Statement::Breakable(_, body) | Statement::Scope(_, body) => statements(body, made),
            Statement::Return { value, .. } => {
                if let Some(value) = value {
                    expr(value, made);
                }
            }
        }
    }
}

fn lvalue(of: &mut Lvalue, made: &Made) {
    match of {
        Lvalue::Variable(_) => {}
        Lvalue::Deref(pointer) => expr(pointer, made),
        Lvalue::Index { array, index, .. } => {
            lvalue(array, made);
            expr(index, made);
        }
        Lvalue::Field(structure, _) => lvalue(structure, made),
    }
}

fn expr(of: &mut Expr, made: &Made) {
    match &mut of.kind {
        ExprKind::Constant(_) | ExprKind::Null => {}
        ExprKind::Load(from) | ExprKind::Address(from, _) => lvalue(from, made),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => expr(a, made),
        ExprKind::Binary(_, _, a, b)
        | ExprKind::Logical(_, _, a, b)
        | ExprKind::Offset(a, b, _)
        | ExprKind::Distance(a, b, _) => {
            expr(a, made);
            expr(b, made);
        }
        ExprKind::Conditional(_, a, b, c) => {
            expr(a, made);
            expr(b, made);
            expr(c, made);
        }
        ExprKind::Call(_, _, arguments) | ExprKind::Builtin(_, _, arguments) => {
            for argument in arguments {
                expr(argument, made);
            }
        }
        ExprKind::Block(body, value) => {
            statements(body, made);
            expr(value, made);
        }
        ExprKind::Choice(original, variants) => {
            let chosen = variants
                .iter()
                .find_map(|(choice, variant)| Some((variant, *made.get(choice)?)));
            let chosen = chosen.map(|(variant, number)| (variant.clone(), number));
            let mut original = std::mem::replace(
                &mut **original,
                Expr {
                    kind: ExprKind::Null,
                    ty: of.ty,
                    span: of.span,
                },
            );
            expr(&mut original, made);
            *of = match chosen {
                Some((variant, number)) => changed(original, variant, number),
                None => original,
            };
        }
    }
}

/// What a variant makes of an expression.
fn changed(original: Expr, variant: Variant, number: i128) -> Expr {
    let (ty, span) = (original.ty, original.span);
    let kind = match (variant, original.kind) {
        (Variant::Operator(op), ExprKind::Binary(_, overflow, a, b)) => {
            ExprKind::Binary(op, overflow, a, b)
        }
        (Variant::Connective, ExprKind::Logical(op, node, a, b)) => {
            let other = match op {
                LogicalOp::And => LogicalOp::Or,
                LogicalOp::Or => LogicalOp::And,
            };
            ExprKind::Logical(other, node, a, b)
        }
        (Variant::First, ExprKind::Logical(_, node, a, _)) => {
            let no = Expr {
                kind: ExprKind::Constant(0),
                ty,
                span,
            };
            ExprKind::Logical(LogicalOp::Or, node, a, Box::new(no))
        }
        (Variant::Second, ExprKind::Logical(_, _, _, b)) => return *b,
        (Variant::Opposite, kind) => {
            let original = Expr { kind, ty, span };
            ExprKind::Unary(UnaryOp::Not, Box::new(original))
        }
        (Variant::Instead(other), _) => return *other,
        (Variant::Any, _) => ExprKind::Constant(ty.wrap(number)),
        (_, kind) => kind,
    };
    Expr { kind, ty, span }
}
