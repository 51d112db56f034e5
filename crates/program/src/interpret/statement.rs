//! Runs statements.

use super::value::Value;
use super::{Angelic, End, Evaluated, Flow, Interpreter, Jump};
use crate::ir::{Expr, ExprKind, Lvalue, NodeId, PlaceId, Statement};
use crate::position::{Instance, PositionId, Step};

/// A place that is about to be evaluated, and what is used there instead.
type Spot = Option<(Instance, Option<Angelic>)>;

/// The parts of a [`Statement::Loop`].
#[derive(Clone, Copy)]
struct Loop<'p> {
    node: NodeId,
    place: Option<PlaceId>,
    condition: &'p Expr,
    tests_first: bool,
    body: &'p [Statement],
    update: &'p [Statement],
}

impl<'p> Interpreter<'p, '_> {
    /// Runs statements one after another.
    pub fn block(&mut self, statements: &'p [Statement]) -> Flow<()> {
        statements
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'p Statement) -> Flow<()> {
        self.check_stack()?;
        self.spend(1)?;
        match statement {
            Statement::Declare(variable) => self.declare(*variable).map(|_| ()),
            Statement::Assign {
                place,
                target,
                value,
            } => {
                let spot = self.spot(*place);
                let done = self.assign(spot, target, value);
                self.note_unfinished(spot, done)
            }
            Statement::Copy {
                target,
                source,
                cells,
                span,
            } => self.copy(source, target, cells.len(), *span),
            Statement::Eval(expr) => match &expr.kind {
                // Nobody needs the value, so it may be missing.
                ExprKind::Call(node, function, arguments) => self
                    .call(*node, *function, arguments, expr.span)
                    .map(|_| ()),
                _ => self.eval(expr).map(|_| ()),
            },
            Statement::If {
                node,
                place,
                condition,
                then,
                otherwise,
            } => {
                let holds = self.condition(*node, *place, condition)?;
                self.block(if holds { then } else { otherwise })
            }
            Statement::Loop {
                node,
                place,
                condition,
                tests_first,
                body,
                update,
            } => self.run_loop(Loop {
                node: *node,
                place: *place,
                condition,
                tests_first: *tests_first,
                body,
                update,
            }),
            Statement::Breakable(node, body) => match self.block(body) {
                Err(Jump::Break(left)) if left == *node => Ok(()),
                done => done,
            },
            Statement::Scope(variables, body) => {
                let done = self.block(body);
                for variable in variables {
                    self.end(*variable);
                }
                done
            }
            Statement::Break(node) => Err(Jump::Break(*node)),
            Statement::Continue(node) => Err(Jump::Continue(*node)),
            Statement::Return { place, value } => {
                self.result = match value {
                    Some(value) => Some(self.placed(*place, value)?),
                    None => None,
                };
                Err(Jump::Return)
            }
            Statement::Assert(condition, kind) => {
                if !self.eval(condition)?.is_true() {
                    self.fault(*kind, condition.span)?;
                }
                Ok(())
            }
            Statement::Opaque(outside, _) => Err(Jump::End(End::Outside(outside.clone()))),
            Statement::Assume(condition) => match self.eval(condition)?.is_true() {
                true => Ok(()),
                false => Err(Jump::End(End::Assumption)),
            },
        }
    }

    fn assign(&mut self, spot: Spot, target: &'p Lvalue, value: &'p Expr) -> Flow<()> {
        let span = value.span;
        let spared = self.spared.get();
        let (value, original) = match spot {
            Some((_, Some(_))) => {
                let (value, original) = self.value(spot, value)?;
                ((value, true), original)
            }
            _ => {
                let value = self.carried(value)?;
                (value, value.0)
            }
        };
        let located = self.locate(target, spot.and_then(|(_, angelic)| angelic?.index))?;
        let original = (original, located.original_index);
        self.record(spot, value.0, located.index, original, spared);
        self.write(located, value, span)
    }

    fn condition(
        &mut self,
        node: NodeId,
        place: Option<PlaceId>,
        condition: &'p Expr,
    ) -> Flow<bool> {
        let holds = self.placed(place, condition)?.is_true();
        self.branches.push((self.position, node, holds));
        Ok(holds)
    }

    /// The value of a place without a target.
    fn placed(&mut self, place: Option<PlaceId>, expr: &'p Expr) -> Flow<Value> {
        let spot = self.spot(place);
        let spared = self.spared.get();
        let value = self.value(spot, expr);
        let (value, original) = self.note_unfinished(spot, value)?;
        self.record(spot, value, None, (original, None), spared);
        Ok(value)
    }

    fn run_loop(&mut self, of: Loop<'p>) -> Flow<()> {
        let outer = self.position;
        let done = self.iterations(of, outer);
        self.position = outer;
        match done {
            Err(Jump::Break(left)) if left == of.node => Ok(()),
            done => done,
        }
    }

    fn iterations(&mut self, of: Loop<'p>, outer: PositionId) -> Flow<()> {
        for iteration in 0..=u32::MAX {
            self.spend(1)?;
            self.position = self
                .positions
                .child(outer, Step::Iteration(of.node, iteration));
            if of.tests_first && !self.condition(of.node, of.place, of.condition)? {
                return Ok(());
            }
            if iteration >= self.limits.bound {
                return Err(Jump::End(End::Bound(of.node)));
            }
            match self.block(of.body) {
                Err(Jump::Continue(left)) if left == of.node => {}
                done => done?,
            }
            self.block(of.update)?;
            if !of.tests_first && !self.condition(of.node, of.place, of.condition)? {
                return Ok(());
            }
        }
        Err(Jump::End(End::Steps))
    }

    fn spot(&self, place: Option<PlaceId>) -> Spot {
        let instance = Instance {
            place: place?,
            position: self.position,
        };
        Some((instance, self.angelic.get(&instance).copied()))
    }

    /// The value that is used, which is that of the expression unless another one is angelic, and that of the expression.
    fn value(&mut self, spot: Spot, expr: &'p Expr) -> Flow<(Value, Value)> {
        let Some((_, Some(angelic))) = spot else {
            let value = self.eval(expr)?;
            return Ok((value, value));
        };
        let original = self.eval_suppressed(expr)?;
        let value = match original {
            Value::Number(_) => Value::Number(angelic.value).fit(expr.ty),
            Value::Pointer(_) => original,
        };
        Ok((value, original))
    }

    /// Notes what was used at a place. `spared` is the number of faults that did not count before it was evaluated.
    fn record(
        &mut self,
        spot: Spot,
        value: Value,
        index: Option<i128>,
        original: (Value, Option<i128>),
        spared: u32,
    ) {
        if let Some((instance, angelic)) = spot {
            self.evaluated.push(Evaluated {
                instance,
                value,
                index,
                is_angelic: angelic.is_some(),
                original,
                spares_fault: self.spared.get() != spared,
            });
        }
    }

    /// Notes the place if the run ends in it.
    fn note_unfinished<T>(&mut self, spot: Spot, done: Flow<T>) -> Flow<T> {
        if let (Some((instance, _)), Err(Jump::End(_))) = (spot, &done) {
            self.unfinished.push(instance);
        }
        done
    }
}
