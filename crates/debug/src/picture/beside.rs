//! Draws two memory graphs beside each other, such as what the program did and what the user wants.
//!
//! Each is drawn as by [`super::text`], with what differs from the other marked. Which nodes are the same is decided
//! by their numbers.

use nopol_heap::state::State;

use super::block::{Block, Ink, Phrase};
use super::changes::Changes;
use super::text::picture;

/// What is between the two pictures.
const BAR: &str = " │ ";

/// The least columns for one of two pictures.
const NARROW: usize = 24;

/// Draws two states with their titles: side by side when both fit, or one below the other.
///
/// What is different from the other state is drawn in another colour, or marked with a star when `color` is false.
pub fn beside(
    left: &State,
    right: &State,
    titles: (&str, &str),
    width: usize,
    color: bool,
) -> String {
    let changes = (
        Changes::new(left, Some(right)),
        Changes::new(right, Some(left)),
    );
    let draw = |width: usize| {
        (
            titled(
                titles.0,
                &picture(left, &changes.0, width, color, false),
                width,
            ),
            titled(
                titles.1,
                &picture(right, &changes.1, width, color, false),
                width,
            ),
        )
    };
    let half = width.saturating_sub(BAR.chars().count()) / 2;
    if half >= NARROW {
        let pictures = draw(half);
        if pictures.0.width().max(pictures.1.width()) <= half {
            return side_by_side(&pictures.0, &pictures.1, half).render(color);
        }
    }
    let (mut above, below) = draw(width);
    above.gap();
    above.add(0, &below);
    above.render(color)
}

/// Puts two pictures side by side with a bar between them.
fn side_by_side(left: &Block, right: &Block, half: usize) -> Block {
    let mut block = Block::default();
    block.stamp(0, 0, left);
    for line in 0..left.height().max(right.height()) {
        block.put(half, line, BAR, Ink::Faint);
    }
    block.stamp(half + BAR.chars().count(), 0, right);
    block
}

/// A picture with a title that is underlined.
fn titled(title: &str, picture: &Block, width: usize) -> Block {
    let words: Vec<Phrase> = title
        .split_whitespace()
        .map(|word| Phrase::new(word, Ink::Name))
        .collect();
    let mut block = Block::flow(&words, width, 1, 0);
    if block.height() > 0 {
        let line = "─".repeat(block.width());
        block.put(0, block.height(), &line, Ink::Faint);
    }
    block.add(0, picture);
    block
}
