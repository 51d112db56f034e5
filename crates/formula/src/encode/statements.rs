//! Statements as circuits: what is written, where runs part and where they meet again.

use nopol_program::ir::{Expr, ExprKind, Lvalue, NodeId, PlaceId, Scalar, Statement};
use nopol_program::position::{Instance, Step};

use super::addresses::Located;
use super::memory::{INDEX_BITS, Value, choose};
use super::{Bit, Encoder, Encountered, Free, Result, State};
use crate::circuit::word;

impl Encoder<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::Declare(variable) => {
                self.declared(*variable);
            }
            Statement::Assign {
                place,
                target,
                value,
            } => self.assign(*place, target, value)?,
            Statement::Copy {
                target,
                source,
                cells,
                ..
            } => {
                let source = self.locate(source)?;
                let target = self.locate(target)?;
                self.copy(&target, &source, cells);
            }
            Statement::Eval(Expr {
                kind: ExprKind::Call(node, function, arguments),
                span,
                ..
            }) => {
                // A result that is missing is not missed.
                self.called(*node, *function, arguments, *span, false)?;
            }
            Statement::Eval(expr) => {
                self.value(expr)?;
            }
            Statement::If {
                node,
                place,
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(*place, condition)?;
                let before = self.state.clone();
                let mut after: Option<State> = None;
                for (condition, holds, side) in
                    [(condition, true, then), (!condition, false, otherwise)]
                {
                    self.state = before.clone();
                    if self.enters(*node, condition, holds) {
                        self.statements(side)?;
                        let end = self.state.clone();
                        after = Some(self.join_to(after, end));
                    }
                }
                self.state = after.unwrap_or(State {
                    live: Bit::FALSE,
                    ..before
                });
            }
            Statement::Loop {
                node,
                place,
                condition,
                tests_first,
                body,
                update,
            } => {
                let before = self.position;
                self.surround(*node);
                let done = self.repeat(*node, *place, condition, *tests_first, body, update);
                self.position = before;
                done?;
            }
            Statement::Breakable(node, statements) => {
                self.surround(*node);
                self.statements(statements)?;
                self.land(*node, true);
            }
            Statement::Scope(variables, statements) => {
                let around = self.frame().ending.len();
                self.frame().ending.extend(variables);
                self.statements(statements)?;
                self.end_inner(around);
                self.frame().ending.truncate(around);
            }
            Statement::Break(node) => self.leave(*node, true),
            Statement::Continue(node) => self.leave(*node, false),
            Statement::Return { place, value } => {
                let value = match value {
                    None => None,
                    Some(expr) => Some(self.placed(*place, expr)?),
                };
                self.end_inner(0);
                let state = self.departing();
                let returned = self.frame().exits.returned.take();
                let joined = match returned {
                    None => (state, value),
                    Some((other, old)) => {
                        let value = match (old, value) {
                            (Some(old), Some(new)) => {
                                Some(Value::choose(self.circuit, other.live, &old, &new))
                            }
                            (old, new) => old.or(new),
                        };
                        (self.join(other, state), value)
                    }
                };
                self.frame().exits.returned = Some(joined);
            }
            Statement::Assert(condition, kind) => {
                let holds = self.bit(condition)?;
                self.fault(*kind, !holds);
            }
            Statement::Opaque(..) => {
                // Also where faults are suppressed: no other value there makes the run go on.
                self.faults = self.circuit.or(self.faults, self.state.live);
                self.state.live = Bit::FALSE;
            }
            Statement::Assume(condition) => {
                let holds = self.bit(condition)?;
                self.state.live = self.circuit.and(self.state.live, holds);
            }
        }
        Ok(())
    }

    /// The signal of a place that may be broken, and the free value of the instance at hand.
    fn free(&mut self, place: Option<PlaceId>, ty: Scalar, has_index: bool) -> Option<(Bit, Free)> {
        let place = place?;
        let broken = *self.broken.get(&place)?;
        if ty == Scalar::Pointer {
            return None;
        }
        let position = self.position;
        let instance = Instance { place, position };
        let circuit = &mut *self.circuit;
        let free = self.frees.0.entry(instance).or_insert_with(|| Free {
            value: circuit.free(usize::from(ty.bits())),
            is_signed: ty.is_signed(),
            index: has_index.then(|| circuit.free(INDEX_BITS)),
        });
        let free = free.clone();
        self.encountered.push(Encountered {
            instance,
            live: self.state.live,
            free: free.clone(),
        });
        Some((broken, free))
    }

    /// The value of an expression at a place.
    fn placed(&mut self, place: Option<PlaceId>, expr: &Expr) -> Result<Value> {
        match self.free(place, expr.ty, false) {
            None => self.value(expr),
            Some((broken, free)) => {
                let value = self.suppressing(broken, |this| this.value(expr))?;
                Ok(Value::choose(
                    self.circuit,
                    broken,
                    &Value::Bits(free.value),
                    &value,
                ))
            }
        }
    }

    fn condition(&mut self, place: Option<PlaceId>, expr: &Expr) -> Result<Bit> {
        match self.placed(place, expr)? {
            Value::Bits(bits) => Ok(bits.first().copied().unwrap_or(Bit::FALSE)),
            Value::Pointer(_) => self.stop(expr.span, "a pointer is used as a condition"),
        }
    }

    fn assign(&mut self, place: Option<PlaceId>, target: &Lvalue, expr: &Expr) -> Result<()> {
        let element = match target {
            Lvalue::Index {
                array,
                index,
                length,
                stride,
            } if index.is_written() => Some((array, index, *length, *stride)),
            _ => None,
        };
        let Some((broken, free)) = self.free(place, expr.ty, element.is_some()) else {
            let value = self.carried(expr)?;
            let located = self.locate(target)?;
            self.carry_to(&located, &value, expr.ty);
            return Ok(());
        };
        let value = self.suppressing(broken, |this| this.carried(expr))?;
        let other = (Value::Bits(free.value), Bit::FALSE);
        let value = choose(self.circuit, broken, &other, &value);
        let located = match (element, free.index) {
            (Some((array, index, length, stride)), Some(other)) => {
                let array = self.locate(array)?;
                let signed = index.ty.is_signed();
                let index = self.suppressing(broken, |this| this.bits(index))?;
                let width = (index.len() + 1).max(other.len());
                let (index, other) = (
                    word::resized(&index, width, signed),
                    word::resized(&other, width, true),
                );
                let index = self.circuit.choose(broken, &other, &index);
                self.element(&array, &index, length, stride)
            }
            _ => self.locate(target)?,
        };
        self.carry_to(&located, &value, expr.ty);
        Ok(())
    }

    /// Copies cells. All are read before the first is written.
    fn copy(&mut self, target: &Located, source: &Located, cells: &[Scalar]) {
        let mut values = Vec::new();
        for (at, ty) in (0..).zip(cells) {
            let from = self.further(source, at);
            values.push(self.carried_from(&from, *ty));
        }
        for (at, (value, ty)) in (0..).zip(values.iter().zip(cells)) {
            let to = self.further(target, at);
            self.carry_to(&to, value, *ty);
        }
    }

    fn repeat(
        &mut self,
        node: NodeId,
        place: Option<PlaceId>,
        condition: &Expr,
        tests_first: bool,
        body: &[Statement],
        update: &[Statement],
    ) -> Result<()> {
        let outside = self.position;
        let mut left: Option<State> = None;
        for iteration in 0..=self.extent.bound {
            self.position = self
                .positions
                .child(outside, Step::Iteration(node, iteration));
            let is_last = iteration == self.extent.bound;
            if tests_first && !self.goes_on(node, place, condition, is_last, &mut left)? {
                break;
            }
            if is_last {
                self.cut(Bit::TRUE);
                break;
            }
            self.statements(body)?;
            self.land(node, false);
            self.statements(update)?;
            let is_last = iteration + 1 == self.extent.bound;
            if !tests_first && !self.goes_on(node, place, condition, is_last, &mut left)? {
                break;
            }
        }
        let end = self.state.clone();
        self.state = match left {
            Some(left) => self.join(left, end),
            None => end,
        };
        self.land(node, true);
        Ok(())
    }

    /// Evaluates a loop's condition; runs for which it does not hold go to `left`. Whether any goes on.
    fn goes_on(
        &mut self,
        node: NodeId,
        place: Option<PlaceId>,
        condition: &Expr,
        is_last: bool,
        left: &mut Option<State>,
    ) -> Result<bool> {
        if self.state.live == Bit::FALSE {
            return Ok(false);
        }
        let condition = self.condition(place, condition)?;
        let before = self.state.clone();
        if self.enters(node, !condition, false) {
            let end = self.state.clone();
            *left = Some(self.join_to(left.take(), end));
        }
        self.state = before;
        if is_last {
            self.state.live = self.circuit.and(self.state.live, condition);
            self.cut(Bit::TRUE);
            return Ok(false);
        }
        Ok(self.enters(node, condition, true))
    }

    /// The state here, which goes elsewhere.
    pub(super) fn departing(&mut self) -> State {
        let state = self.state.clone();
        self.state.live = Bit::FALSE;
        state
    }

    /// Notes which blocks are around a loop or block that may be left.
    fn surround(&mut self, node: NodeId) {
        let frame = self.frame();
        let around = frame.ending.len();
        frame.around.insert(node, around);
    }

    fn leave(&mut self, node: NodeId, is_break: bool) {
        let stay = self.frame().around.get(&node).copied().unwrap_or(0);
        self.end_inner(stay);
        let state = self.departing();
        let exits = &mut self.frame().exits;
        let exits = if is_break {
            &mut exits.breaks
        } else {
            &mut exits.continues
        };
        let there = exits.remove(&node);
        let joined = self.join_to(there, state);
        let exits = &mut self.frame().exits;
        let exits = if is_break {
            &mut exits.breaks
        } else {
            &mut exits.continues
        };
        exits.insert(node, joined);
    }

    /// Joins those that left for here.
    fn land(&mut self, node: NodeId, is_break: bool) {
        let exits = &mut self.frame().exits;
        let exits = if is_break {
            &mut exits.breaks
        } else {
            &mut exits.continues
        };
        if let Some(state) = exits.remove(&node) {
            let here = self.state.clone();
            self.state = self.join(here, state);
        }
    }
}
