//! Boolean circuits in which equal gates are shared, so that constants fold away and a part that is encoded twice exists
//! once. [`word`] has machine arithmetic, [`cnf`] gives a circuit to a SAT solver.

pub mod cnf;
pub mod count;
mod justify;
pub mod word;

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A signal of a circuit: a gate, or its negation. The default is the constant 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    /// The constant 0.
    pub const FALSE: Self = Self(0);
    /// The constant 1.
    pub const TRUE: Self = Self(1);

    /// A constant.
    pub const fn constant(value: bool) -> Self {
        Self(value as u32)
    }

    /// Which constant it is, if it is one.
    pub const fn known(self) -> Option<bool> {
        match self {
            Self::FALSE => Some(false),
            Self::TRUE => Some(true),
            _ => None,
        }
    }

    const fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    const fn negated_if(self, negated: bool) -> Self {
        Self(self.0 ^ negated as u32)
    }
}

impl std::ops::Not for Bit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What computes a signal. Operands are in a fixed order, and negations are outside where that is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gate {
    /// The constant 0; gate 0 only.
    Constant,
    /// A free signal.
    Input,
    And(Bit, Bit),
    Xor(Bit, Bit),
    /// The second if the first, else the third.
    Mux(Bit, Bit, Bit),
    /// At least two of the three.
    Majority(Bit, Bit, Bit),
}

/// A circuit. Grows only.
#[derive(Clone, Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    known: HashMap<Gate, u32, RandomState>,
}

impl Default for Circuit {
    fn default() -> Self {
        Self {
            gates: vec![Gate::Constant],
            known: HashMap::default(),
        }
    }
}

impl Circuit {
    /// How many gates and inputs there are.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there is none but the constant.
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// A new free signal.
    pub fn input(&mut self) -> Bit {
        self.push(Gate::Input)
    }

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn push(&mut self, gate: Gate) -> Bit {
        self.gates.push(gate);
        Bit(((self.gates.len() - 1) as u32) << 1)
    }

    fn shared(&mut self, gate: Gate) -> Bit {
        if let Some(&number) = self.known.get(&gate) {
            return Bit(number);
        }
        let bit = self.push(gate);
        self.known.insert(gate, bit.0);
        bit
    }

    /// `a ∧ b`
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (a, b) {
            (Bit::FALSE, _) => return Bit::FALSE,
            (Bit::TRUE, _) => return b,
            _ if a == b => return a,
            _ if a == !b => return Bit::FALSE,
            _ => {}
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Gate::And(c, d) = self.gates[x.gate()] {
                let has = |bit| c == bit || d == bit;
                match x.is_negated() {
                    false if has(y) => return x,
                    false if has(!y) => return Bit::FALSE,
                    // y ∧ ¬(¬y ∧ …)
                    true if has(!y) => return y,
                    true if c == y => return self.and(y, !d),
                    true if d == y => return self.and(y, !c),
                    _ => {}
                }
            }
        }
        self.shared(Gate::And(a, b))
    }

    /// `a ∨ b`
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    /// `a ⊕ b`
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let negated = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.negated_if(a.is_negated()), b.negated_if(b.is_negated()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let bit = match a {
            _ if a == b => Bit::FALSE,
            Bit::FALSE => b,
            _ => self.shared(Gate::Xor(a, b)),
        };
        bit.negated_if(negated)
    }

    /// `condition ? then : otherwise`
    pub fn mux(&mut self, condition: Bit, then: Bit, otherwise: Bit) -> Bit {
        let (c, a, b) = match condition.is_negated() {
            true => (!condition, otherwise, then),
            false => (condition, then, otherwise),
        };
        match (c, a, b) {
            _ if a == b => a,
            (Bit::FALSE, ..) => b,
            _ if a == !b => self.xor(c, b),
            (_, Bit::TRUE, _) => self.or(c, b),
            (_, Bit::FALSE, _) => self.and(!c, b),
            (_, _, Bit::TRUE) => self.or(!c, a),
            (_, _, Bit::FALSE) => self.and(c, a),
            _ if c == a => self.or(c, b),
            _ if c == !a => self.and(!c, b),
            _ if c == b => self.and(c, a),
            _ if c == !b => self.or(!c, a),
            _ if a.is_negated() => !self.shared(Gate::Mux(c, !a, !b)),
            _ => self.shared(Gate::Mux(c, a, b)),
        }
    }

    /// Whether at least two of three are true.
    pub fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut bits = [a, b, c];
        bits.sort_unstable();
        match bits {
            [Bit::FALSE, b, c] => self.and(b, c),
            [Bit::TRUE, b, c] => self.or(b, c),
            // Two equal ones decide; of two opposite ones the third decides.
            [a, b, _] if a == b => a,
            [_, b, c] if b == c => b,
            [a, b, c] if a == !b => c,
            [a, b, c] if b == !c => a,
            _ if bits[0].is_negated() && bits[1].is_negated() => {
                let [a, b, c] = bits.map(|bit| !bit);
                !self.shared_majority([a, b, c])
            }
            _ => self.shared_majority(bits),
        }
    }

    fn shared_majority(&mut self, mut bits: [Bit; 3]) -> Bit {
        bits.sort_unstable();
        self.shared(Gate::Majority(bits[0], bits[1], bits[2]))
    }

    /// Whether all of them are true.
    pub fn all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter()
            .fold(Bit::TRUE, |all, bit| self.and(all, bit))
    }

    /// Whether one of them is true.
    pub fn any(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter()
            .fold(Bit::FALSE, |any, bit| self.or(any, bit))
    }
}

impl Circuit {
    /// The value of every gate, for these values of the inputs; inputs that are not named are 0.
    pub fn evaluate(&self, inputs: &HashMap<Bit, bool>) -> Values {
        let mut values: Vec<bool> = Vec::with_capacity(self.gates.len());
        for (number, gate) in (0..).zip(&self.gates) {
            let of = |bit: Bit| values[bit.gate()] != bit.is_negated();
            values.push(match *gate {
                Gate::Constant => false,
                Gate::Input => inputs.get(&Bit(number << 1)).copied().unwrap_or(false),
                Gate::And(a, b) => of(a) && of(b),
                Gate::Xor(a, b) => of(a) != of(b),
                Gate::Mux(c, a, b) => of(if of(c) { a } else { b }),
                Gate::Majority(a, b, c) => u8::from(of(a)) + u8::from(of(b)) + u8::from(of(c)) >= 2,
            });
        }
        Values(values)
    }
}

/// The values of all gates of a circuit.
pub struct Values(Vec<bool>);

impl Values {
    /// The value of a signal.
    pub fn of(&self, bit: Bit) -> bool {
        self.0[bit.gate()] != bit.is_negated()
    }
}
