//! Circuits compute what machine integers do.

use nopol_scalar::IntKind;

use std::collections::HashMap;

use nopol_program::ir::Scalar;
use proptest::prelude::*;

use crate::circuit::word::{self, Word};
use crate::circuit::{Bit, Circuit};

/// A word that is constant or made of inputs with these values.
fn operand(
    circuit: &mut Circuit,
    inputs: &mut HashMap<Bit, bool>,
    value: i128,
    bits: u8,
    is_free: bool,
) -> Word {
    let constant = word::constant(value, usize::from(bits));
    if !is_free {
        return constant;
    }
    let free = circuit.free(usize::from(bits));
    for (bit, value) in free.iter().zip(constant.iter()) {
        inputs.insert(*bit, *value == Bit::TRUE);
    }
    free
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arithmetic_is_that_of_the_machine(
        a in any::<i64>(), b in prop_oneof![any::<i64>(), -3_i64..70], width in prop::sample::select(vec![8_u8, 16, 32, 64]),
        signed in any::<bool>(), free in any::<(bool, bool)>(),
    ) {
        let ty = Scalar::Int(IntKind::new(width, signed));
        let (a, b) = (ty.wrap(i128::from(a)), ty.wrap(i128::from(b)));
        let (mut circuit, mut inputs) = (Circuit::default(), HashMap::new());
        let x = operand(&mut circuit, &mut inputs, a, width, free.0);
        let y = operand(&mut circuit, &mut inputs, b, width, free.1);
        let (sum, sum_overflow) = circuit.add(&x, &y, signed);
        let (difference, difference_overflow) = circuit.sub(&x, &y, signed);
        let (product, product_overflow) = circuit.mul(&x, &y, signed);
        let (quotient, remainder) = circuit.div_rem(&x, &y, signed);
        let (left, right) = (circuit.shifted(&x, &y, true, signed), circuit.shifted(&x, &y, false, signed));
        let (less, equal) = (circuit.less(&x, &y, signed), circuit.equal(&x, &y));
        let values = circuit.evaluate(&inputs);
        let number = |word: &[Bit]| {
            let bits = word.iter().enumerate();
            ty.value(bits.fold(0, |value, (at, bit)| value | u64::from(values.of(*bit)) << at))
        };
        for (word, overflow, exact) in [
            (&sum, sum_overflow, (a + b, false)), (&difference, difference_overflow, (a - b, false)),
            (&product, product_overflow, a.overflowing_mul(b)),
        ] {
            let (exact, is_huge) = exact;
            prop_assert_eq!(number(word), ty.wrap(exact));
            prop_assert_eq!(values.of(overflow), is_huge || ty.wrap(exact) != exact);
        }
        prop_assert_eq!(number(&quotient), ty.wrap(a.checked_div(b).unwrap_or(0)));
        prop_assert_eq!(number(&remainder), ty.wrap(a.checked_rem(b).unwrap_or(a)));
        let by = b.rem_euclid(i128::from(width));
        prop_assert_eq!(number(&left), ty.wrap(a << by));
        prop_assert_eq!(number(&right), a >> by);
        prop_assert_eq!(values.of(less), a < b);
        prop_assert_eq!(values.of(equal), a == b);
    }
}
