//! Counting signals.

use super::{Bit, Circuit};

/// Signals that at least 1, 2, …, `most` of the bits are true: a totalizer.
pub fn at_least(circuit: &mut Circuit, bits: &[Bit], most: usize) -> Vec<Bit> {
    match bits {
        [] => Vec::new(),
        [bit] => vec![*bit],
        _ => {
            let (left, right) = bits.split_at(bits.len() / 2);
            let (left, right) = (
                at_least(circuit, left, most),
                at_least(circuit, right, most),
            );
            let count = (left.len() + right.len()).min(most);
            (1..=count)
                .map(|wanted| {
                    let mut ways = Vec::new();
                    for from_left in 0..=wanted.min(left.len()) {
                        let from_right = wanted - from_left;
                        if from_right > right.len() {
                            continue;
                        }
                        let pick = |side: &[Bit], number: usize| match number {
                            0 => Bit::TRUE,
                            _ => side[number - 1],
                        };
                        ways.push(circuit.and(pick(&left, from_left), pick(&right, from_right)));
                    }
                    circuit.any(ways)
                })
                .collect()
        }
    }
}
