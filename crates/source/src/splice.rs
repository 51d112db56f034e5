//! Byte splices: inserts text into a file, and maps the new text back to the insertions. Nothing is reprinted, so line
//! numbers stay correct as long as no insertion contains a line break.

use std::ops::Range;

/// Text to insert before the byte `at`. Insertions at the same byte are sorted by `order`; ties keep the order in which
/// they were pushed.
#[derive(Clone, Debug)]
pub struct Insertion<O> {
    /// The byte of the original text at which it is inserted.
    pub at: usize,
    /// Of several insertions at one byte, those with a smaller number come first.
    pub order: i64,
    /// The inserted text.
    pub text: String,
    /// The owner to which errors in the insertion are attributed.
    pub owner: O,
}

/// A text with insertions.
#[derive(Clone, Debug)]
pub struct Spliced<O> {
    /// The text with all insertions.
    pub text: String,
    /// The ranges of the insertions in the new text, ascending.
    pub inserted: Vec<(Range<usize>, O)>,
}

/// Inserts all insertions.
pub fn splice<O: Clone>(text: &str, mut insertions: Vec<Insertion<O>>) -> Spliced<O> {
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
    let mut result = Spliced {
        text: String::with_capacity(text.len() * 2),
        inserted: Vec::with_capacity(insertions.len()),
    };
    let mut done = 0;
    for insertion in insertions {
        result.text.push_str(&text[done..insertion.at]);
        done = insertion.at;
        let start = result.text.len();
        result.text.push_str(&insertion.text);
        result
            .inserted
            .push((start..result.text.len(), insertion.owner));
    }
    result.text.push_str(&text[done..]);
    result
}

impl<O> Spliced<O> {
    /// The owners of the insertions that a range of the new text touches.
    pub fn owners(&self, range: &Range<usize>) -> impl Iterator<Item = &O> {
        self.inserted
            .iter()
            .filter(|(at, _)| at.start < range.end.max(range.start + 1) && range.start < at.end)
            .map(|(_, owner)| owner)
    }

    /// Maps a byte of the new text to the old text. A byte of an insertion maps to the insertion point.
    pub fn original(&self, offset: usize) -> usize {
        let before: usize = self
            .inserted
            .iter()
            .map(|(at, _)| at.end.min(offset).saturating_sub(at.start.min(offset)))
            .sum();
        offset - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_nest_and_lead_back_to_their_owners() {
        let insertion = |at, order, text: &str, owner| Insertion {
            at,
            order,
            text: text.to_string(),
            owner,
        };
        let spliced = splice(
            "if a { b }",
            vec![
                insertion(4, 0, ")", 1),
                insertion(3, 0, "c!(", 1),
                insertion(3, -1, "<", 2),
            ],
        );
        assert_eq!(spliced.text, "if <c!(a) { b }");
        assert_eq!(spliced.owners(&(4..5)).collect::<Vec<_>>(), [&1]);
        assert_eq!(spliced.owners(&(3..4)).collect::<Vec<_>>(), [&2]);
        assert_eq!(spliced.owners(&(7..8)).count(), 0);
        assert_eq!(spliced.original(7), 3);
        assert_eq!(spliced.original(12), 7);
    }
}
