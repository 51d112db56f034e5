//! Text to tokens: pairs of bytes that stand together often are one token (Sennrich, Haddow and Birch, *Neural Machine
//! Translation of Rare Words with Subword Units*, 2016), words and runs of signs each for themselves.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use foldhash::fast::FixedState;
use regex::Regex;

/// Tokens that no text has.
#[derive(Clone, Copy, Debug)]
pub enum Special {
    /// An edit by a commit that mends something.
    Fix = 2,
    /// The lines that go.
    Old = 4,
    /// The lines after the edit.
    Post = 5,
    /// The lines that come.
    New = 6,
    /// The end of them.
    End = 7,
}

/// Special tokens: the bytes come after them.
const SPECIAL: u16 = 8;
/// What is merged at most: a line's start with its indentation, a word, a digit, signs, blanks.
const PIECE: &str = r"\n[ \t]*| ?_?[A-Za-z]+| ?\d| ?[^\sA-Za-z0-9_]+|[ \t]+|_";

/// Cuts texts into tokens.
#[derive(Debug)]
pub struct Tokenizer {
    piece: Regex,
    /// The token of each byte.
    bytes: Vec<u16>,
    /// The token that two tokens make; a smaller one is made first.
    merges: HashMap<(u16, u16), u16, FixedState>,
}

impl Tokenizer {
    /// Reads the merges: two parts a line, in which a character stands for a byte.
    ///
    /// # Errors
    /// If a line has something else.
    pub fn new(merges: &str) -> Result<Self> {
        let characters = byte_characters();
        let mut known: HashMap<String, u16> = HashMap::new();
        let mut bytes = vec![0; 256];
        for ((byte, character), token) in characters.into_iter().zip(SPECIAL..) {
            bytes[usize::from(byte)] = token;
            known.insert(character.to_string(), token);
        }
        let mut found = HashMap::default();
        for (line, token) in merges.lines().zip(SPECIAL + 256..) {
            let parts = line.split_once(' ').context("a merge has two parts")?;
            let of = |part: &str| known.get(part).copied().context("an unknown part");
            found.insert((of(parts.0)?, of(parts.1)?), token);
            known.insert([parts.0, parts.1].concat(), token);
        }
        Ok(Self {
            piece: Regex::new(PIECE)?,
            bytes,
            merges: found,
        })
    }

    /// The tokens of a text.
    pub fn tokens(&self, text: &str) -> Vec<u16> {
        let mut tokens = Vec::new();
        let mut end = 0;
        for piece in self.piece.find_iter(text) {
            self.add(&text[end..piece.start()], &mut tokens);
            self.add(piece.as_str(), &mut tokens);
            end = piece.end();
        }
        self.add(&text[end..], &mut tokens);
        tokens
    }

    fn add(&self, piece: &str, tokens: &mut Vec<u16>) {
        let of_bytes = piece.bytes().map(|byte| self.bytes[usize::from(byte)]);
        let mut parts: Vec<u16> = of_bytes.collect();
        let first = |parts: &[u16]| {
            let pairs = parts.windows(2).enumerate();
            let merged = pairs.filter_map(|(at, pair)| {
                let token = self.merges.get(&(pair[0], pair[1]))?;
                Some((*token, at))
            });
            merged.min()
        };
        while let Some((token, at)) = first(&parts) {
            parts.splice(at..at + 2, [token]);
        }
        tokens.extend(parts);
    }
}

/// Bytes with the characters by which merges are written, in the order of their tokens: visible ones are themselves.
fn byte_characters() -> Vec<(u8, char)> {
    let is_visible = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..);
    let visible = (0..=255).filter(|byte| is_visible(*byte));
    let hidden = (0..=255).filter(|byte| !is_visible(*byte));
    let visible = visible.map(|byte| (byte, char::from(byte)));
    visible.chain(hidden.zip('\u{100}'..)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_training() {
        let tokenizer = Tokenizer::new(include_str!("../data/merges.txt")).unwrap();
        for (text, expected) in EXAMPLES {
            assert_eq!(tokenizer.tokens(text), *expected, "{text}");
        }
    }

    /// Made by the library with which the tokenizer was trained.
    const EXAMPLES: &[(&str, &[u16])] = &[
        (
            "    if items.is_empty() {\n",
            &[265, 311, 2708, 21, 307, 933, 278, 281, 206],
        ),
        (
            "let größe = x_1 + 42;\t// ok\r\n",
            &[
                295, 2213, 135, 122, 135, 261, 76, 279, 1747, 70, 24, 543, 1545, 25, 34, 205, 284,
                372, 82, 209, 206,
            ],
        ),
        ("r#\"\\n\"#", &[89, 3911, 67, 85, 3761]),
        ("x\u{a0}y", &[95, 134, 262, 96]),
    ];
}
