//! Why a signal has its value: the inputs that are enough for it.

use std::collections::HashSet;

use super::{Bit, Circuit, Gate, Values};

impl Circuit {
    /// Inputs that, as long as they keep their values, keep a signal at its value: of what decides a gate, one thing is
    /// followed. A gate that chooses depends on its condition and on the side that is chosen, as in Definition 4 of
    /// FL-AllRepair.
    pub fn justification(&self, values: &Values, bit: Bit) -> HashSet<Bit> {
        let mut inputs = HashSet::new();
        let mut seen = vec![false; self.gates.len()];
        let mut todo = vec![bit.gate()];
        while let Some(gate) = todo.pop() {
            if std::mem::replace(&mut seen[gate], true) {
                continue;
            }
            let mut follow = |bit: Bit| todo.push(bit.gate());
            match self.gates[gate] {
                Gate::Constant => {}
                Gate::Input => {
                    inputs.insert(Bit(u32::try_from(gate << 1).unwrap_or(u32::MAX)));
                }
                // One 0 is enough; the one that was built first depends on less.
                Gate::And(a, b) => match (values.of(a), values.of(b)) {
                    (false, false) => follow(if a.gate() < b.gate() { a } else { b }),
                    (false, true) => follow(a),
                    (true, false) => follow(b),
                    (true, true) => {
                        follow(a);
                        follow(b);
                    }
                },
                Gate::Xor(a, b) => {
                    follow(a);
                    follow(b);
                }
                Gate::Mux(c, a, b) => {
                    follow(c);
                    follow(if values.of(c) { a } else { b });
                }
                Gate::Majority(a, b, c) => {
                    let [x, y, z] = [a, b, c].map(|bit| values.of(bit));
                    let two = if x == y {
                        [a, b]
                    } else if x == z {
                        [a, c]
                    } else {
                        [b, c]
                    };
                    two.into_iter().for_each(follow);
                }
            }
        }
        inputs
    }
}
