//! How likely people write a line of Rust at a place: a small decoder of edits (6.6 million parameters), trained on the hunks of
//! public histories. It knows neither places nor tests, but what code looks like.
//!
//! `data/decoder.safetensors` has every matrix as int8 rows with a scale each; `data/merges.txt` has the merges of the
//! tokenizer. docs/internals.md says what it was trained on.

mod decoder;
mod matrix;
mod tokenizer;

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::Result;
use foldhash::fast::FixedState;

use self::decoder::{Decoder, State};
use self::tokenizer::{Special, Tokenizer};

/// Lines before a place, and after it, that the decoder was trained to see.
const LINES: [usize; 2] = [22, 12];

/// The decoder and its tokenizer.
#[derive(Debug)]
pub struct Prior {
    tokenizer: Tokenizer,
    decoder: Decoder,
    /// The logarithms of probabilities that were asked for: fixes are ranked several times in a search.
    known: Mutex<HashMap<[String; 4], f64, FixedState>>,
}

/// A place in a file: whole lines, each with its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place<'t> {
    /// The file up to the lines that go.
    pub before: &'t str,
    /// The lines that go; empty where lines are only inserted.
    pub old: &'t str,
    /// The file after them.
    pub after: &'t str,
}

impl Prior {
    /// The one that was trained.
    ///
    /// # Errors
    /// If the data are damaged.
    pub fn shipped() -> Result<&'static Self> {
        static SHIPPED: OnceLock<Prior> = OnceLock::new();
        if let Some(known) = SHIPPED.get() {
            return Ok(known);
        }
        let prior = Self {
            tokenizer: Tokenizer::new(include_str!("../data/merges.txt"))?,
            decoder: Decoder::new(include_bytes!("../data/decoder.safetensors"))?,
            known: Mutex::default(),
        };
        Ok(SHIPPED.get_or_init(|| prior))
    }

    /// The logarithm of the probability that people write each of these texts, whole lines, in the place of the old lines.
    pub fn log_probabilities(&self, place: Place, texts: &[&str]) -> Vec<f64> {
        let before = last_lines(place.before, LINES[0]);
        let after = first_lines(place.after, LINES[1]);
        let key = |text: &str| [before, place.old, after, text].map(str::to_owned);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let remembered: Vec<Option<f64>> = {
            let known = known();
            texts
                .iter()
                .map(|text| known.get(&key(text)).copied())
                .collect()
        };
        if remembered.iter().all(Option::is_some) {
            return remembered.into_iter().flatten().collect();
        }
        let mut tokens = vec![Special::Fix as u16];
        tokens.extend(self.tokenizer.tokens(before));
        tokens.push(Special::Old as u16);
        tokens.extend(self.tokenizer.tokens(place.old));
        tokens.push(Special::Post as u16);
        tokens.extend(self.tokenizer.tokens(after));
        tokens.push(Special::New as u16);
        let read = self.decoder.read(&State::default(), &tokens);
        let found = texts.iter().zip(remembered).map(|(text, remembered)| {
            remembered.unwrap_or_else(|| {
                let mut tokens = self.tokenizer.tokens(text);
                tokens.push(Special::End as u16);
                let found = self.decoder.log_probability(&read, &tokens);
                known().insert(key(text), found);
                found
            })
        });
        found.collect()
    }
}

fn last_lines(text: &str, most: usize) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start = body.rmatch_indices('\n').nth(most - 1);
    &text[start.map_or(0, |(at, _)| at + 1)..]
}

fn first_lines(text: &str, most: usize) -> &str {
    let end = text.match_indices('\n').nth(most - 1);
    &text[..end.map_or(text.len(), |(at, _)| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_place_are_whole() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc\n");
        assert_eq!(last_lines("a\n", 2), "a\n");
        assert_eq!(first_lines("a\nb\nc\n", 2), "a\nb\n");
        assert_eq!(first_lines("a", 2), "a");
    }

    /// Numbers from another implementation of the same decoder.
    #[test]
    fn probabilities_are_those_of_the_decoder() {
        let place = Place {
            before: "fn last(items: &[u32]) -> Option<u32> {\n",
            old: "    if items.len() > 1 {\n",
            after: "        return None;\n    }\n    Some(items[items.len() - 1])\n}\n",
        };
        let texts = ["    if items.is_empty() {\n", "    if items.len() > 7 {\n"];
        let found = Prior::shipped().unwrap().log_probabilities(place, &texts);
        for (found, expected) in found.iter().zip(EXPECTED) {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
    }

    const EXPECTED: [f64; 2] = [-1.408, -8.864];
}
