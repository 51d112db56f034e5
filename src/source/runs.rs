//! Runs of statements that can be skipped together: what an `if` can be put around.

use std::ops::Range;

use super::words::mentions;

/// What a statement of a block is to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The block compiles without it.
    Skippable,
    /// It binds these names. The block compiles without it if it also does without all statements that use them.
    Binds(Vec<String>),
    /// The block needs it.
    Needed,
}

/// The most parts of a run, unless it cannot be continued on either side.
const MOST_PARTS: usize = 4;
/// The most statements of a part.
const MOST_STATEMENTS: usize = 6;

/// The runs of a block, given the role and the text of each statement: of each run its parts, and of each part its
/// statements. A part is a statement, or a binding with what uses it. Runs may overlap, their parts do not cross.
/// Those that begin at the same statement stand together, longest first.
pub fn runs(statements: &[(Role, &str)]) -> Vec<Vec<Range<usize>>> {
    let units = units(statements);
    let is_skippable = |nth: usize| statements[nth].0 == Role::Skippable;
    let mut found: Vec<Vec<Range<usize>>> = Vec::new();
    // What can be skipped, one part after the other; `None` where a run must end.
    let mut outer: Vec<Option<Range<usize>>> = Vec::new();
    let mut nth = 0;
    while nth < statements.len() {
        if let Some(unit) = units.iter().find(|unit| unit.start == nth) {
            let inner = unit
                .clone()
                .map(|at| is_skippable(at).then_some(at..at + 1));
            sequences(&inner.collect::<Vec<_>>(), &mut found);
            nth = unit.end;
            outer.push(Some(unit.clone()));
        } else {
            outer.push(is_skippable(nth).then_some(nth..nth + 1));
            nth += 1;
        }
    }
    sequences(&outer, &mut found);
    let end = |run: &Vec<Range<usize>>| run.last().map_or(0, |part| part.end);
    found.sort_by_key(|run| (run[0].start, usize::MAX - end(run)));
    found.dedup();
    found
}

/// Adds the runs of several statements in a sequence of parts.
fn sequences(parts: &[Option<Range<usize>>], found: &mut Vec<Vec<Range<usize>>>) {
    for whole in parts.split(Option::is_none) {
        let whole: Vec<Range<usize>> = whole.iter().flatten().cloned().collect();
        for start in 0..whole.len() {
            for end in start + 1..=whole.len() {
                let run = &whole[start..end];
                let is_short = run.len() <= MOST_PARTS || run.len() == whole.len();
                let length: usize = run.iter().map(ExactSizeIterator::len).sum();
                if is_short && length > 1 {
                    found.push(run.to_vec());
                }
            }
        }
    }
}

/// Bindings, each with the statements up to the last one that uses its names.
fn units(statements: &[(Role, &str)]) -> Vec<Range<usize>> {
    let mut units: Vec<Range<usize>> = Vec::new();
    for (nth, (role, _)) in statements.iter().enumerate() {
        let Role::Binds(names) = role else {
            continue;
        };
        // Texts may name variables, too: `"{name}"`.
        let uses = |at: &usize| names.iter().any(|name| mentions(statements[*at].1, name));
        let last = (nth + 1..statements.len()).rev().find(uses).unwrap_or(nth);
        match units.last_mut() {
            Some(unit) if nth < unit.end => unit.end = unit.end.max(last + 1),
            _ => units.push(nth..last + 1),
        }
    }
    units.retain(|unit| {
        let mut roles = unit.clone().map(|nth| &statements[nth].0);
        (2..=MOST_STATEMENTS).contains(&unit.len()) && roles.all(|role| *role != Role::Needed)
    });
    units
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn skippable(text: &str) -> (Role, &str) {
        (Role::Skippable, text)
    }

    fn binds<'a>(name: &str, text: &'a str) -> (Role, &'a str) {
        (Role::Binds(vec![name.to_owned()]), text)
    }

    #[test]
    fn every_short_run_is_found() {
        let statements = [skippable("a();"), skippable("b();"), skippable("c();")];
        assert_eq!(
            runs(&statements),
            [vec![0..1, 1..2, 2..3], vec![0..1, 1..2], vec![1..2, 2..3]]
        );
    }

    #[test]
    fn a_long_run_is_taken_whole_or_in_short_pieces() {
        let statements = vec![skippable("a();"); 6];
        let lengths: BTreeSet<usize> = runs(&statements).iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 3, 4, 6].into());
    }

    #[test]
    fn a_statement_that_is_needed_ends_a_run() {
        let statements = [skippable("a();"), (Role::Needed, "x"), skippable("b();")];
        assert!(runs(&statements).is_empty());
    }

    #[test]
    fn a_binding_goes_with_what_uses_it() {
        let statements = [
            binds("n", "let n = f();"),
            skippable("g(n);"),
            skippable("h();"),
        ];
        let found = runs(&statements);
        assert_eq!(found[0], [0..2, 2..3]);
        assert_eq!(found[1].len(), 1);
        assert_eq!(found[1][0], 0..2);
        let in_a_text = [
            binds("n", "let n = f();"),
            skippable("g(n);"),
            (Role::Needed, "println!(\"{n}\")"),
        ];
        assert!(runs(&in_a_text).is_empty());
        let used_at_the_end = [
            binds("n", "let n = f();"),
            skippable("g();"),
            (Role::Needed, "n"),
        ];
        assert!(runs(&used_at_the_end).is_empty());
    }

    #[test]
    fn no_run_leaves_a_binding_halfway() {
        let statements = [
            binds("n", "let n = f();"),
            skippable("g();"),
            skippable("h(n);"),
            skippable("i();"),
        ];
        for run in runs(&statements) {
            let crosses = run.iter().any(|part| part.start < 3) && run.last().unwrap().end > 3;
            assert!(!crosses || run[0] == (0..3), "{run:?}");
        }
    }
}
