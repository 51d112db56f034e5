//! Strings as places in an order. The empty string, the literals and the observed strings are known; between any
//! two of them, and after the last, there are places for as many other strings as there are terms. Comparing
//! strings is then comparing numbers.

use nopol_expr::Value;
use std::collections::BTreeSet;

pub(super) struct Texts {
    known: Vec<String>,
    /// Distance from one known text to the next.
    step: u64,
}

impl Texts {
    /// The order of these known texts, with places for this number of others after each.
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

    /// Number of bits that hold a place.
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

    /// The text at a place, known or invented. `None` if there is no such text, as between `a` and `a\0`.
    pub fn text(&self, code: u64) -> Option<String> {
        let (place, offset) = (code / self.step, code % self.step);
        let place = usize::try_from(place).ok()?;
        let (before, after) = (self.known.get(place)?, self.known.get(place + 1));
        let longer = |letter: &str, count: u64| {
            let count = usize::try_from(count).unwrap_or_default();
            before.clone() + &letter.repeat(count)
        };
        // Invented texts repeat one letter, so that they are in order.
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
