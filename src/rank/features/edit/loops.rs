//! Which jump is usual in which kind of loop.
//!
//! Counted in 7,970 guards without `else` in loops of published crates whose body is a single `break`, `continue` or
//! `return`: in `for` loops, 1,066 are `continue` and 328 `break`; in `while let`, 103 and 117; in `while` and `loop`,
//! 157 and 1,659. A loop without an end of its own needs a `break`, and continues without a `continue`.

use nopol_source::Language;

use super::EditFeatures;

/// The kinds of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    For,
    WhileLet,
    /// `while` and `loop`.
    Open,
}

impl EditFeatures<'_> {
    /// Whether a `break` leaves a `for` loop.
    pub(super) fn breaks_for(&self) -> bool {
        self.leaves_by("break", Loop::For)
    }

    /// Whether a `continue` starts the next round of a `while` or `loop` early.
    pub(super) fn continues_open_loop(&self) -> bool {
        self.leaves_by("continue", Loop::Open)
    }

    fn leaves_by(&self, word: &str, of: Loop) -> bool {
        let is_word = self.facts.body.trim_end_matches(';') == word;
        let text = super::function_text(self.case, self.facts);
        is_word
            && self.case.language() == Language::Rust
            && text
                .get(..self.facts.span.start)
                .and_then(innermost_loop)
                .is_some_and(|it| it == of)
    }
}

/// The innermost loop that is still open at the end of a text.
fn innermost_loop(before: &str) -> Option<Loop> {
    let mut closed = 0_usize;
    for (at, brace) in before.rmatch_indices(['{', '}']) {
        match brace {
            "}" => closed += 1,
            _ if closed > 0 => closed -= 1,
            _ => {
                let start = before[..at].rfind(['{', '}', ';']);
                let header = &before[start.map_or(0, |it| it + 1)..at];
                let mut words = header.split_whitespace();
                let word = words.find(|word| !word.starts_with('\''));
                match (word, words.next()) {
                    (Some("for"), _) => return Some(Loop::For),
                    (Some("while"), Some("let")) => return Some(Loop::WhileLet),
                    (Some("while" | "loop"), _) => return Some(Loop::Open),
                    _ => {}
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Loop, innermost_loop};

    #[test]
    fn the_innermost_open_loop_is_found() {
        for (text, wanted) in [
            ("fn f() { for x in y { if x { 1 } ", Some(Loop::For)),
            ("fn f() { 'all: loop { for x in y { } ", Some(Loop::Open)),
            (
                "fn f() { while let Some(x) = y { match x { A => { ",
                Some(Loop::WhileLet),
            ),
            ("fn f() { while a < b { ", Some(Loop::Open)),
            ("fn f() { while a { } ", None),
            ("fn f() { ", None),
        ] {
            assert_eq!(innermost_loop(text), wanted, "{text}");
        }
    }
}
