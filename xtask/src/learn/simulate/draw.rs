//! Random contexts, the same for the same seed: small numbers, the literals of the function and their neighbours, equal
//! operands often enough, and much that is as it usually is.

use nopol_expr::{Int, IntType, Type, Value};
use nopol_source::Language;

use super::state::{Context, Domain, Variable, number_of};

/// A stream of random numbers (`SplitMix64`).
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// How often a variable has its usual value, in percent.
const USUAL: usize = 50;
/// How often a number is that of another variable, in percent.
const EQUAL: usize = 25;

/// Draws contexts of one site.
pub struct Source<'s> {
    variables: &'s [Variable],
    numbers: Vec<i128>,
    characters: Vec<char>,
    texts: Vec<String>,
    usual: Context,
}

impl<'s> Source<'s> {
    /// The contexts of variables in a function with these literals.
    pub fn new(
        language: Language,
        variables: &'s [Variable],
        literals: &[String],
        random: &mut Random,
    ) -> Self {
        let mut source = Self {
            variables,
            numbers: Vec::new(),
            characters: vec!['a', ' ', '0', 'Z', '-'],
            texts: ["", "a", "x y", "name"].map(str::to_owned).to_vec(),
            usual: Vec::new(),
        };
        for literal in literals {
            let widest = match language {
                Language::C => IntType::I64,
                Language::Rust => IntType::I128,
            };
            if let Some(Value::Int(_, value)) = language.constant(literal, Type::Int(widest))
                && let Some(value) = value.to_i128()
            {
                source.numbers.extend([value - 1, value, value + 1]);
            } else if let Some(Value::Char(value)) = language.constant(literal, Type::Char) {
                source.characters.push(value);
            } else if let Some(Value::Str(value)) = language.constant(literal, Type::Str) {
                source.texts.push(value.to_string());
            }
        }
        source.usual = source.fresh(random);
        source
    }

    /// One context.
    pub fn context(&self, random: &mut Random) -> Context {
        let mut context = self.fresh(random);
        for (at, variable) in self.variables.iter().enumerate() {
            if variable.is_fixed || random.chance(USUAL) {
                context[at] = self.usual[at].clone();
            }
        }
        context
    }

    fn fresh(&self, random: &mut Random) -> Context {
        let mut context = Context::with_capacity(self.variables.len());
        for variable in self.variables {
            let value = match &variable.domain {
                Domain::Of(Type::Bool) => Value::Bool(random.chance(50)),
                Domain::Of(Type::Int(int)) => self.number(*int, &context, random),
                Domain::Of(Type::F32) => Value::F32((random.below(5) as f32 - 1.0).to_bits()),
                Domain::Of(Type::F64) => Value::F64((random.below(5) as f64 - 1.0).to_bits()),
                Domain::Of(Type::Char) => Value::Char(*random.one_of(&self.characters)),
                Domain::Of(Type::Str) => Value::Str(random.one_of(&self.texts).as_str().into()),
                Domain::Variants(all) => number_of(random.below(*all)),
            };
            context.push(value);
        }
        context
    }

    fn number(&self, int: IntType, context: &Context, random: &mut Random) -> Value {
        let known: Vec<Int> = context
            .iter()
            .filter_map(|value| match value {
                Value::Int(_, value) if value.fits(int) => Some(*value),
                _ => None,
            })
            .collect();
        if !known.is_empty() && random.chance(EQUAL) {
            return Value::Int(int, *random.one_of(&known));
        }
        let value = match random.below(10) {
            0..=4 => random.below(3) as i128,
            5..=7 if !self.numbers.is_empty() => *random.one_of(&self.numbers),
            9 if int.signed() => -1 - random.below(3) as i128,
            _ => *random.one_of(&[3, 4, 5, 7, 8, 10, 16, 100]),
        };
        let value = Int::from_i128(value);
        match value.fits(int) {
            true => Value::Int(int, value),
            false => Value::Int(int, Int::from_i128(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_depend_on_the_seed_alone_and_have_literals_and_equal_numbers() {
        let number = || Variable {
            domain: Domain::Of(Type::Int(IntType::U8)),
            is_fixed: false,
        };
        let variables = [number(), number()];
        let drawn = |seed| -> Vec<Context> {
            let mut random = Random::new(seed);
            let source = Source::new(Language::Rust, &variables, &["40".to_owned()], &mut random);
            (0..200).map(|_| source.context(&mut random)).collect()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        let all = drawn(1);
        let has = |value: i128| {
            let value = Value::Int(IntType::U8, Int::from_i128(value));
            all.iter().any(|context| context[0] == value)
        };
        assert!(has(39) && has(40) && has(41) && has(0));
        assert!(
            all.iter()
                .filter(|context| context[0] == context[1])
                .count()
                > 20
        );
    }
}
