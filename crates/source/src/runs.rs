//! Runs of statements that can be skipped together, by an `if` around them.
//!
//! A binding ends a run: in a block of its own it would be dropped earlier, and later code could not read it.

use std::ops::Range;

/// Most statements of a run, unless the run cannot be extended on either side.
const MOST: usize = 4;

/// The runs of a block. `is_skippable` tells for each statement whether the block compiles without it. Runs may
/// overlap. Those that start at the same statement are adjacent, longest first.
pub fn runs(is_skippable: &[bool]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for whole in is_skippable.chunk_by(|a, b| a == b) {
        let range = from..from + whole.len();
        from = range.end;
        if !whole[0] {
            continue;
        }
        for start in range.clone() {
            for end in (start + 2..=range.end).rev() {
                let run = start..end;
                if run.len() <= MOST || run == range {
                    found.push(run);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn every_short_run_is_found() {
        assert_eq!(runs(&[true; 3]), [0..3, 0..2, 1..3]);
    }

    #[test]
    fn a_long_run_is_used_whole_or_in_short_pieces() {
        let mut lengths: Vec<usize> = runs(&[true; 6])
            .iter()
            .map(ExactSizeIterator::len)
            .collect();
        lengths.sort_unstable();
        lengths.dedup();
        assert_eq!(lengths, [2, 3, 4, 6]);
    }

    #[test]
    fn a_required_statement_ends_a_run() {
        assert!(runs(&[true, false, true]).is_empty());
        assert_eq!(runs(&[false, true, true]).len(), 1);
        assert_eq!(runs(&[false, true, true])[0], 1..3);
    }
}
