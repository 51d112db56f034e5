//! Powers of integers: `pow`, `wrapping_pow` and `checked_pow`. The exponent is a `u32`, whatever the integer is.

use nopol_scalar::IntType;
use syn::Expr as Syntax;

use super::body::Body;
use super::build::{Repr, Value, binary, cast, constant, either, load_variable, not, truth};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{BinaryOp, Expr, Outside, Overflow, Scalar, Span, VariableId};

/// The largest exponent that is written as a product.
const MOST_FACTORS: i128 = 63;

/// What becomes of a power that does not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Powers {
    Fault,
    Wrap,
    Checked,
}

impl Powers {
    /// The method with this name, if it gives a power.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "pow" => Some(Self::Fault),
            "wrapping_pow" => Some(Self::Wrap),
            "checked_pow" => Some(Self::Checked),
            _ => None,
        }
    }
}

impl Body<'_, '_> {
    pub fn power(
        &mut self,
        mut base: Value,
        exponent: &Syntax,
        (int, powers): (IntType, Powers),
        span: Span,
    ) -> Result<Value, Outside> {
        let home = self.home.clone();
        let ty = base.ty.clone();
        let scalar = Scalar::from(int);
        let one = constant(1, scalar, span);
        let overflow = match powers {
            Powers::Fault => Overflow::Fault,
            Powers::Wrap | Powers::Checked => Overflow::Wraps,
        };
        // Where a constant is an exponent only of these, it is a variable like others.
        let is_read = powers == Powers::Fault || matches!(bare(exponent), Syntax::Lit(_));
        if powers != Powers::Checked
            && is_read
            && let Ok(exponent @ 0..=MOST_FACTORS) = self.front.constant_value(&home, exponent)
        {
            let (base, _) = self.as_scalar(base, span)?;
            let base = self.repeatable(base);
            let times = |a, b| binary(BinaryOp::Mul, overflow, a, b);
            let power = (1..exponent).fold(base.clone(), |power, _| times(power, base.clone()));
            return Ok(Value::scalar(ty, if exponent == 0 { one } else { power }));
        }
        let exponents = [&Type::Int(IntType::U32)];
        let Some([times]) = self.operands(&mut base, &[exponent], exponents, span)? else {
            return Err(self.outside(span, "this exponent is not supported"));
        };
        let Repr::Scalar(base) = base.repr else {
            return Err(self.outside(span, "this base is not supported"));
        };
        let base = self.lasting(base);
        let power = self.declare("#power", &ty, false);
        self.set(power, one);
        let now = load_variable(power, scalar, span);
        let lost = (powers == Powers::Checked).then(|| self.declare("#lost", &Type::Bool, false));
        let is_lost = |lost: VariableId| load_variable(lost, Scalar::Bool, span);
        if let Some(lost) = lost {
            self.set(lost, truth(false, span));
        }
        let times = cast(times, Scalar::SIZE);
        self.repeated(times, span, |body, _| {
            if let Some(lost) = lost {
                let overflows: Expr = body.overflows(BinaryOp::Mul, &now, &base, int, span);
                body.set(lost, either(is_lost(lost), overflows));
            }
            let next = binary(BinaryOp::Mul, overflow, now.clone(), base);
            body.set(power, next);
            Ok(())
        })?;
        let power = self.saved(now);
        Ok(match lost {
            Some(lost) => self.option(&ty, not(is_lost(lost)), power),
            None => Value::scalar(ty, power),
        })
    }
}
