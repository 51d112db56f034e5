//! Expressions that choices may change, as circuits: operands are evaluated once, and signals choose between what is made
//! of them.

use nopol_program::ir::{ChoiceId, Expr, ExprKind, FaultKind, LogicalOp, Variant};

use super::memory::{Carried, Value, choose};
use super::{Bit, Encoder, Result};

impl Encoder<'_> {
    /// The value of an expression, or of what the choice that is made makes of it.
    pub(super) fn chosen(
        &mut self,
        original: &Expr,
        variants: &[(ChoiceId, Variant)],
    ) -> Result<Carried> {
        let possible: Vec<(Bit, ChoiceId, &Variant)> = variants
            .iter()
            .map(|(choice, variant)| (self.signal(*choice), *choice, variant))
            .filter(|(made, ..)| *made != Bit::FALSE)
            .collect();
        let mut value = self.operation(original, &possible)?;
        let ty = original.ty;
        for (made, choice, variant) in possible {
            let other = match variant {
                Variant::Operator(_) | Variant::Connective | Variant::First | Variant::Second => {
                    continue;
                }
                Variant::Opposite => match &value {
                    (Value::Bits(bits), unset) => {
                        let opposite = bits.iter().map(|&bit| !bit).collect();
                        let used = self.circuit.and(made, *unset);
                        self.fault(FaultKind::Unset, used);
                        (Value::Bits(opposite), Bit::FALSE)
                    }
                    (Value::Pointer(_), _) => continue,
                },
                Variant::Instead(other) => self.suppressing(!made, |this| this.carried(other))?,
                Variant::Any => match self.choices.numbers.get(&choice) {
                    Some(number) => (Value::Bits(number.clone()), Bit::FALSE),
                    None => (Value::zero(ty), Bit::FALSE),
                },
            };
            value = choose(self.circuit, made, &other, &value);
        }
        Ok(value)
    }

    fn signal(&self, choice: ChoiceId) -> Bit {
        let made = self.choices.made.get(&choice);
        made.copied().unwrap_or(Bit::FALSE)
    }

    /// An operation with one of several operators; anything else as it is.
    fn operation(
        &mut self,
        original: &Expr,
        possible: &[(Bit, ChoiceId, &Variant)],
    ) -> Result<Carried> {
        match &original.kind {
            ExprKind::Binary(op, overflow, a, b) => {
                let others: Vec<_> = possible
                    .iter()
                    .filter_map(|(made, _, variant)| match variant {
                        Variant::Operator(op) => Some((*made, *op)),
                        _ => None,
                    })
                    .collect();
                if others.is_empty() {
                    return self.instead(original, possible);
                }
                let (x, y) = (self.value(a)?, self.value(b)?);
                let (Value::Bits(x), Value::Bits(y)) = (x, y) else {
                    return self.stop(original.span, "an operator on pointers cannot be replaced");
                };
                let changed = self.circuit.any(others.iter().map(|(made, _)| *made));
                let mut value =
                    self.suppressing(
                        changed,
                        |this| Ok(this.binary(*op, *overflow, &x, &y, a.ty)),
                    )?;
                for (made, op) in others {
                    let other = self
                        .suppressing(!made, |this| Ok(this.binary(op, *overflow, &x, &y, a.ty)))?;
                    value = self.circuit.choose(made, &other, &value);
                }
                Ok((Value::Bits(value), Bit::FALSE))
            }
            ExprKind::Logical(op, node, a, b) => {
                let made = |wanted: fn(&Variant) -> bool| {
                    let of = possible.iter().find(|(.., variant)| wanted(variant));
                    of.map_or(Bit::FALSE, |(made, ..)| *made)
                };
                let connective = made(|variant| matches!(variant, Variant::Connective));
                let first = made(|variant| matches!(variant, Variant::First));
                let second = made(|variant| matches!(variant, Variant::Second));
                let a = self.bit(a)?;
                // Whether it is `&&`: then the second operand decides if the first is true, and all is false if not.
                let is_and = match op {
                    LogicalOp::And => !connective,
                    LogicalOp::Or => connective,
                };
                let decides = !self.circuit.xor(a, is_and);
                let decides = self.circuit.or(decides, second);
                let decides = self.circuit.and(decides, !first);
                let settled = self.circuit.mux(first, a, !is_and);
                Ok((self.second(*node, decides, settled, b)?, Bit::FALSE))
            }
            _ => self.instead(original, possible),
        }
    }

    /// The original, whose faults count unless another one is in its place.
    fn instead(
        &mut self,
        original: &Expr,
        possible: &[(Bit, ChoiceId, &Variant)],
    ) -> Result<Carried> {
        let is_replaced =
            |variant: &&Variant| matches!(variant, Variant::Instead(_) | Variant::Any);
        let replaced = possible
            .iter()
            .filter(|(.., variant)| is_replaced(variant))
            .map(|(made, ..)| *made);
        let replaced: Vec<Bit> = replaced.collect();
        let replaced = self.circuit.any(replaced);
        self.suppressing(replaced, |this| this.carried(original))
    }
}
