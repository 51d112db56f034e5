//! Strings as places in an order: the empty one, the literals and the ones observed are known, and
//! between any two of them, and behind the last, is room for as many others as there are terms.
//! Equality and order of strings are then equality and order of numbers.

use crate::spec::Value;
use std::collections::BTreeSet;

pub(super) struct Texts {
    known: Vec<String>,
    /// From one known text to the next.
    step: u64,
}

impl Texts {
    /// With these known, and room for that many others at each place.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a Value>, others: usize) -> Self {
        let texts = values.into_iter().filter_map(|value| match value {
            Value::Str(text) => Some(text.to_string()),
            _ => None,
        });
        let known: BTreeSet<String> = texts.chain([String::new()]).collect();
        Self {
            known: known.into_iter().collect(),
            step: others as u64 + 1,
        }
    }

    /// The last place.
    pub fn last(&self) -> u64 {
        self.known.len() as u64 * self.step - 1
    }

    /// Bits that hold a place.
    pub fn width(&self) -> u32 {
        (u64::BITS - self.last().leading_zeros()).max(1)
    }

    /// The place of a known text.
    pub fn code(&self, text: &str) -> Option<u64> {
        let known = self
            .known
            .binary_search_by(|known| known.as_str().cmp(text));
        Some(known.ok()? as u64 * self.step)
    }

    /// The text at a place: a known one, or one that is made up. `None` if there is no text there,
    /// as between `a` and `a\0`.
    pub fn text(&self, code: u64) -> Option<String> {
        let (place, offset) = (code / self.step, code % self.step);
        let place = usize::try_from(place).ok()?;
        let (before, after) = (self.known.get(place)?, self.known.get(place + 1));
        let longer = |letter: &str, count: u64| {
            let count = usize::try_from(count).unwrap_or_default();
            before.clone() + &letter.repeat(count)
        };
        // One letter for all of them, so that they are in order.
        let mut letters = ["a", " ", "\0"].into_iter();
        let letter = letters
            .find(|letter| after.is_none_or(|after| longer(letter, self.step - 1) < *after))?;
        Some(longer(letter, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_texts_lie_between_the_known_ones() {
        let known = ["a", "b", "b a"].map(|text| Value::Str(text.into()));
        let texts = Texts::new(&known, 2);
        let all: Vec<_> = (0..=texts.last())
            .map_while(|code| texts.text(code))
            .collect();
        assert_eq!(all.len(), 12);
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert_eq!(
            texts.code("b").and_then(|code| texts.text(code)).as_deref(),
            Some("b")
        );
    }

    #[test]
    fn nothing_lies_between_a_text_and_the_next() {
        let known = ["a", "a\0"].map(|text| Value::Str(text.into()));
        let texts = Texts::new(&known, 1);
        assert_eq!(texts.code("a").map(|code| texts.text(code + 1)), Some(None));
    }
}
