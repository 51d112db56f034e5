//! Synthesis problems of any size from a seed, in the format of `src/exchange/problem.rs`.

use serde_json::{Value, json};

/// SplitMix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// `left op right` of two variables.
struct Clause {
    left: usize,
    op: &'static str,
    right: usize,
}

impl Clause {
    /// A clause over `lefts` and `rights`, of two different variables.
    fn random(random: &mut Random, lefts: &[usize], rights: &[usize]) -> Self {
        let right = rights[random.below(rights.len())];
        let lefts: Vec<usize> = lefts
            .iter()
            .copied()
            .filter(|left| *left != right)
            .collect();
        Self {
            left: lefts[random.below(lefts.len())],
            op: ["<", "<=", "!="][random.below(3)],
            right,
        }
    }

    fn text(&self) -> String {
        format!("x{} {} x{}", self.left, self.op, self.right)
    }

    fn holds(&self, values: &[i64]) -> bool {
        let (left, right) = (values[self.left], values[self.right]);
        match self.op {
            "<" => left < right,
            "<=" => left <= right,
            _ => left != right,
        }
    }
}

/// A problem of at least five variables, three of five signed, one unsigned, one boolean. Even
/// seeds have an old condition, which lacks the second of two clauses; odd ones have none.
pub fn problem(seed: u64, variables: usize, contexts: usize) -> Value {
    let mut random = Random(seed);
    let types: Vec<&str> = (0..variables)
        .map(|index| ["i64", "i64", "usize", "i64", "bool"][index % 5])
        .collect();
    let signed: Vec<usize> = (0..variables)
        .filter(|index| types[*index] == "i64")
        .collect();
    let first = Clause::random(&mut random, &signed, &signed);
    // The second clause has a variable of its own, so that the two cannot exclude each other.
    let others: Vec<usize> = (signed.iter().copied())
        .filter(|index| ![first.left, first.right].contains(index))
        .collect();
    let second = Clause::random(&mut random, &signed, &others);
    let holds = |values: &[i64]| first.holds(values) && second.holds(values);
    let mut rows = Vec::new();
    for index in 0..contexts {
        // Draw until the outcome is the one whose turn it is, so that both are frequent.
        let mut values = Vec::new();
        for _ in 0..100 {
            values = types.iter().map(|ty| value(&mut random, ty)).collect();
            if holds(&values) == (index % 2 == 0) {
                break;
            }
        }
        let shown: Vec<Value> = (values.iter().zip(&types))
            .map(|(value, ty)| match *ty {
                "bool" => json!(*value > 0),
                _ => json!(value),
            })
            .collect();
        rows.push(json!({"values": shown, "expected": holds(&values)}));
    }
    let described: Vec<Value> = (types.iter().enumerate())
        .map(|(index, ty)| json!({"name": format!("x{index}"), "type": ty}))
        .collect();
    json!({
        "name": format!("generated-{variables}-{contexts}-{seed}"),
        "variables": described,
        "literals": [-1, 0, 1, 7, 19, 42],
        "original": seed.is_multiple_of(2).then(|| first.text()),
        "reference": format!("{} && {}", first.text(), second.text()),
        "contexts": rows,
    })
}

/// Small values, so that equal ones are frequent.
fn value(random: &mut Random, ty: &str) -> i64 {
    match ty {
        "bool" => random.below(2) as i64,
        "usize" => random.below(20) as i64,
        _ => random.below(24) as i64 - 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_problem_with_both_outcomes() {
        let problem = problem(2, 5, 10);
        assert_eq!(problem, super::problem(2, 5, 10));
        assert_ne!(problem, super::problem(3, 5, 10));
        let contexts = problem["contexts"].as_array().unwrap();
        assert_eq!(contexts.len(), 10);
        for outcome in [true, false] {
            assert!(
                contexts
                    .iter()
                    .any(|context| context["expected"] == outcome)
            );
        }
    }
}
