//! Expressions that choices may change: what is made is evaluated, and what else could have been made is compared with
//! it.

use super::value::Value;
use super::{Carried, Flow, Interpreter, arithmetic};
use crate::ir::{ChoiceId, Expr, ExprKind, LogicalOp, Variant};

impl<'p> Interpreter<'p, '_> {
    /// The value of an expression, or of what the choice that is made makes of it.
    pub(super) fn choose(
        &mut self,
        original: &'p Expr,
        variants: &'p [(ChoiceId, Variant)],
    ) -> Flow<Carried> {
        let made = variants
            .iter()
            .find_map(|(choice, variant)| Some((*choice, variant, *self.made.get(choice)?)));
        let chosen = made.map(|(choice, ..)| choice);
        match (&original.kind, variants.first()) {
            (ExprKind::Binary(op, overflow, a, b), Some((_, Variant::Operator(_)))) => {
                let (x, y) = (self.eval(a)?.number(), self.eval(b)?.number());
                let of = |op| arithmetic::binary(op, *overflow, original.ty, x, y);
                let used = match made {
                    Some((_, Variant::Operator(other), _)) => *other,
                    _ => *op,
                };
                let result = of(used);
                for (choice, variant) in variants {
                    let other = match variant {
                        _ if Some(*choice) == chosen => of(*op),
                        Variant::Operator(other) => of(*other),
                        _ => continue,
                    };
                    if other != result {
                        self.tells(*choice);
                    }
                }
                Ok((self.total(result, original.span)?, true))
            }
            (ExprKind::Logical(op, node, a, b), _) => {
                variants.iter().for_each(|(choice, _)| self.tells(*choice));
                let first = self.eval(a)?;
                let is_and =
                    (*op == LogicalOp::And) != matches!(made, Some((_, Variant::Connective, _)));
                let decides = match made {
                    Some((_, Variant::First, _)) => false,
                    Some((_, Variant::Second, _)) => true,
                    _ => first.is_true() == is_and,
                };
                self.branches.push((self.position, *node, decides));
                let value = if decides { self.eval(b)? } else { first };
                Ok((value, true))
            }
            _ => self.replaced(original, variants, made),
        }
    }

    fn replaced(
        &mut self,
        original: &'p Expr,
        variants: &'p [(ChoiceId, Variant)],
        made: Option<(ChoiceId, &'p Variant, i128)>,
    ) -> Flow<Carried> {
        let value = match made {
            Some((_, Variant::Instead(other), _)) => self.carried(other)?,
            Some((_, Variant::Any, number)) => (Value::Number(original.ty.wrap(number)), true),
            Some((_, Variant::Opposite, _)) => (Value::bool(!self.eval(original)?.is_true()), true),
            _ => self.carried(original)?,
        };
        for (choice, variant) in variants {
            let is_same = match variant {
                // What takes its place is compared with the original, whether that is made or not.
                Variant::Instead(_) if made.is_some_and(|(made, ..)| made == *choice) => {
                    self.carried_suppressed(original)? == value
                }
                Variant::Instead(other) => self.carried_suppressed(other)? == value,
                _ => false,
            };
            if !is_same {
                self.tells(*choice);
            }
        }
        Ok(value)
    }

    fn tells(&mut self, choice: ChoiceId) {
        self.telling.grow_and_insert(usize::from(choice));
    }
}
