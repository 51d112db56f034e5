//! `for`: over ranges, arrays and slices. It becomes a loop with a counter.

use syn::{Expr as Syntax, ExprForLoop, ExprRange, Pat, RangeLimits};

use super::blocks::Role;
use super::body::{Body, Sink};
use super::build::{Repr, Value, cast, compare, constant, count, load_variable, wrapping};
use super::expressions::bare;
use super::places::slice_element;
use super::types::Type;
use crate::ir::{BinaryOp, Expr, Lvalue, Outside, Scalar, Span, Statement, VariableId};

/// What is between a range or row and the loop.
#[derive(Clone, Copy, PartialEq)]
enum Adaptor<'s> {
    Rev,
    Enumerate,
    Copied,
    StepBy(&'s Syntax),
}

impl Body<'_, '_> {
    pub fn for_loop(&mut self, of: &ExprForLoop) -> Result<(), Outside> {
        let header = (self.span(&of.for_token), self.span(&of.expr));
        let (base, adaptors) = adapted(&of.expr);
        self.in_scope(|body| {
            if let Syntax::Range(range) = base {
                body.for_range(of, range, &adaptors, header)
            } else {
                body.for_row(of, base, &adaptors, header)
            }
        })
    }

    fn unsupported_iterator(&self, syntax: &Syntax) -> Outside {
        let span = self.span(syntax);
        self.outside(
            span,
            format!("the iterator `{}` is not supported", self.text(span)),
        )
    }

    fn for_range(
        &mut self,
        of: &ExprForLoop,
        range: &ExprRange,
        adaptors: &[Adaptor],
        header: (Span, Span),
    ) -> Result<(), Outside> {
        let (Some(first), Some(last)) = (&range.start, &range.end) else {
            return Err(self.outside(header.1, "a range without an end is not supported"));
        };
        let is_inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let span = self.span(range);
        let (start, mut end, ty) = self.in_statement(header, |body| body.bounds(first, last))?;
        let Some(int) = ty.int() else {
            return Err(self.outside(span, format!("a range of `{ty}` is not supported")));
        };
        let scalar = Scalar::from(int);
        let one = constant(1, scalar, span);
        let now = load_variable(start, scalar, span);
        match adaptors {
            [] if !is_inclusive => {
                let condition = compare(BinaryOp::Lt, now.clone(), end);
                let update = vec![step(start, wrapping(BinaryOp::Add, now.clone(), one))];
                self.counted(of, condition, update, |body| {
                    body.bind_counter(&of.pat, &ty, now)
                })
            }
            [] => {
                // The largest number has no next one.
                let more = self.more(compare(BinaryOp::Le, now.clone(), end.clone()));
                let update = vec![
                    step(more.0, compare(BinaryOp::Lt, now.clone(), end)),
                    step(start, wrapping(BinaryOp::Add, now.clone(), one)),
                ];
                self.counted(of, more.1, update, |body| {
                    body.bind_counter(&of.pat, &ty, now)
                })
            }
            [Adaptor::Rev] => {
                let counter = self.declare("#counter", &ty, false);
                self.set(counter, end);
                let start = now;
                let now = load_variable(counter, scalar, span);
                let down = step(counter, wrapping(BinaryOp::Sub, now.clone(), one));
                if is_inclusive {
                    let more = self.more(compare(BinaryOp::Le, start.clone(), now.clone()));
                    let update = vec![
                        step(more.0, compare(BinaryOp::Lt, start, now.clone())),
                        down,
                    ];
                    return self.counted(of, more.1, update, |body| {
                        body.bind_counter(&of.pat, &ty, now)
                    });
                }
                let condition = compare(BinaryOp::Lt, start, now.clone());
                self.counted(of, condition, Vec::new(), |body| {
                    body.out.push(down);
                    body.bind_counter(&of.pat, &ty, now)
                })
            }
            [Adaptor::StepBy(by)] => {
                let by = self.step_width(by, span)?;
                end = self.lasting(end);
                let op = if is_inclusive {
                    BinaryOp::Le
                } else {
                    BinaryOp::Lt
                };
                let more = self.more(compare(op, now.clone(), end.clone()));
                let unsigned = Scalar::from(int.unsigned());
                let left = wrapping(
                    BinaryOp::Sub,
                    cast(end, unsigned),
                    cast(now.clone(), unsigned),
                );
                let left = cast(left, Scalar::SIZE);
                let update = vec![
                    step(more.0, compare(op, by.clone(), left)),
                    step(
                        start,
                        wrapping(BinaryOp::Add, now.clone(), cast(by, scalar)),
                    ),
                ];
                self.counted(of, more.1, update, |body| {
                    body.bind_counter(&of.pat, &ty, now)
                })
            }
            _ => Err(self.unsupported_iterator(&of.expr)),
        }
    }

    /// The variable that begins with the first number, the second one, and their type.
    fn bounds(
        &mut self,
        first: &Syntax,
        last: &Syntax,
    ) -> Result<(VariableId, Expr, Type), Outside> {
        let start = self.declare("#counter", &Type::unit(), false);
        let ty = self.store(first, Lvalue::Variable(start), None, Role::LET)?;
        let span = self.span(last);
        let end = self.declare("#end", &Type::unit(), true);
        let end_type = self.store(last, Lvalue::Variable(end), Some(&ty), Role::LET)?;
        self.unify(&ty, &end_type, span)?;
        let ty = self.guesses.resolved(&ty);
        self.set_cells(start, &ty);
        self.set_cells(end, &ty);
        let scalar = ty.scalar().unwrap_or(Scalar::INT);
        Ok((start, load_variable(end, scalar, span), ty))
    }

    /// A variable for whether there is another iteration.
    fn more(&mut self, first: Expr) -> (VariableId, Expr) {
        let span = first.span;
        let more = self.declare("#more", &Type::Bool, false);
        self.set(more, first);
        (more, load_variable(more, Scalar::Bool, span))
    }

    fn step_width(&mut self, by: &Syntax, span: Span) -> Result<Expr, Outside> {
        let by = self.size(by)?;
        let by = self.lasting(by);
        let is_positive = compare(BinaryOp::Gt, by.clone(), count(0, span));
        self.assert(is_positive);
        Ok(by)
    }

    fn bind_counter(&mut self, pat: &Pat, ty: &Type, now: Expr) -> Result<(), Outside> {
        self.bind(pat, Value::scalar(ty.clone(), now))
    }

    /// A loop with a counter.
    fn counted(
        &mut self,
        of: &ExprForLoop,
        condition: Expr,
        update: Vec<Statement>,
        bind: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<(), Outside> {
        let node = self.node();
        let label = of.label.as_ref().map(|label| label.name.ident.to_string());
        let body = self.loop_body(node, label, &Sink::Discard, |body| {
            bind(body)?;
            body.block(&of.body, &Sink::Discard)
        })?;
        self.out.push(Statement::Loop {
            node,
            place: None,
            condition,
            tests_first: true,
            body,
            update,
        });
        Ok(())
    }

    fn for_row(
        &mut self,
        of: &ExprForLoop,
        base: &Syntax,
        adaptors: &[Adaptor],
        header: (Span, Span),
    ) -> Result<(), Outside> {
        let span = self.span(base);
        let (element, pointer, length, is_value) =
            self.in_statement(header, |body| body.row(base))?;
        let is_copied = adaptors.contains(&Adaptor::Copied);
        let others: Vec<_> = adaptors
            .iter()
            .filter(|of| **of != Adaptor::Copied)
            .collect();
        let is_reversed = others.contains(&&Adaptor::Rev);
        let numbers = match &*others {
            [] | [Adaptor::Rev] => None,
            // Numbered before they are reversed, elements keep their numbers.
            [Adaptor::Enumerate] | [Adaptor::Enumerate, Adaptor::Rev] => Some(false),
            [Adaptor::Rev, Adaptor::Enumerate] => Some(true),
            _ => return Err(self.unsupported_iterator(&of.expr)),
        };
        let counter = self.declare("#counter", &Type::USIZE, false);
        let scalar = Scalar::SIZE;
        let now = load_variable(counter, scalar, span);
        let one = count(1, span);
        let mut update = Vec::new();
        let condition = if is_reversed {
            self.set(counter, length.clone());
            compare(BinaryOp::Gt, now.clone(), count(0, span))
        } else {
            update.push(step(
                counter,
                wrapping(BinaryOp::Add, now.clone(), one.clone()),
            ));
            compare(BinaryOp::Lt, now.clone(), length.clone())
        };
        let is_value = is_value || is_copied;
        self.counted(of, condition, update, |body| {
            if is_reversed {
                body.set(counter, wrapping(BinaryOp::Sub, now.clone(), one.clone()));
            }
            let item = Value::at(
                element.clone(),
                slice_element(pointer, now.clone(), &element),
            );
            let item = if is_value {
                body.loaded(item, span)
            } else {
                body.refer(item, span)
            };
            let Some(is_other_way) = numbers else {
                return body.bind(&of.pat, item);
            };
            let Pat::Tuple(pats) = &*of.pat else {
                return Err(body.outside(span, "the pattern of `enumerate` must be a pair here"));
            };
            let number = if is_other_way {
                wrapping(BinaryOp::Sub, wrapping(BinaryOp::Sub, length, one), now)
            } else {
                now
            };
            for (pat, part) in pats
                .elems
                .iter()
                .zip([Value::scalar(Type::USIZE, number), item])
            {
                body.bind(pat, part)?;
            }
            Ok(())
        })
    }

    /// The elements' type, a pointer to the first one, how many there are, and whether they are passed by value.
    fn row(&mut self, base: &Syntax) -> Result<(Type, Expr, Expr, bool), Outside> {
        let span = self.span(base);
        let (rows, has_method) = match base {
            Syntax::MethodCall(call) if call.args.is_empty() => match &*call.method.to_string() {
                "iter" | "iter_mut" => (&*call.receiver, true),
                "into_iter" => (&*call.receiver, false),
                _ => (base, false),
            },
            _ => (base, false),
        };
        let is_place = matches!(
            bare(rows),
            Syntax::Path(_) | Syntax::Field(_) | Syntax::Index(_) | Syntax::Unary(_)
        );
        let value = if is_place {
            self.locate(rows)?
        } else {
            self.value(rows, None)?
        };
        let is_value = !has_method && matches!(value.ty, Type::Array(..));
        // Elements that are passed by value are those of before the loop.
        let value = match value.repr {
            Repr::At(_) if is_value => self.copied(value),
            _ => value,
        };
        let value = self.through(value, span)?;
        if !matches!(value.ty, Type::Array(..) | Type::Slice(_)) {
            return Err(self.unsupported_iterator(base));
        }
        let (element, pointer, length) = self.as_slice(value, span)?;
        let (pointer, length) = (self.lasting(pointer), self.lasting(length));
        Ok((element, pointer, length, is_value))
    }
}

fn step(variable: VariableId, value: Expr) -> Statement {
    Statement::Assign {
        place: None,
        target: Lvalue::Variable(variable),
        value,
    }
}

/// What is adapted, and by what, first things first.
fn adapted(syntax: &Syntax) -> (&Syntax, Vec<Adaptor<'_>>) {
    let syntax = bare(syntax);
    if let Syntax::MethodCall(call) = syntax {
        let arguments: Vec<_> = call.args.iter().collect();
        let adaptor = match (&*call.method.to_string(), &*arguments) {
            ("rev", []) => Some(Adaptor::Rev),
            ("enumerate", []) => Some(Adaptor::Enumerate),
            ("copied" | "cloned", []) => Some(Adaptor::Copied),
            ("step_by", [by]) => Some(Adaptor::StepBy(by)),
            _ => None,
        };
        if let Some(adaptor) = adaptor {
            let (base, mut adaptors) = adapted(&call.receiver);
            adaptors.push(adaptor);
            return (base, adaptors);
        }
    }
    (syntax, Vec::new())
}
