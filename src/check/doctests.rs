//! Doctests with a patch and without. They are named by line, and a patch moves lines, so those of an item are told apart by their
//! order in it.

use std::collections::BTreeMap;

/// What a doctest belongs to, and its line.
fn place(name: &str) -> (&str, u64) {
    let split = name.rsplit_once(" (line ").and_then(|(item, rest)| {
        let (line, _) = rest.split_once(')')?;
        Some((item, line.parse().ok()?))
    });
    split.unwrap_or((name, 0))
}

/// The doctests of an item by their lines, each with its name and whether it passed.
type OfItem<'n> = BTreeMap<u64, (&'n str, bool)>;

fn by_item(tests: &BTreeMap<String, bool>) -> BTreeMap<&str, OfItem<'_>> {
    let mut items: BTreeMap<&str, OfItem> = BTreeMap::new();
    for (name, passed) in tests {
        let (item, line) = place(name);
        let of_item = items.entry(item).or_default();
        of_item.insert(line, (name, *passed));
    }
    items
}

/// By the line of each doctest of an item before a patch, what became of it. A doctest that hangs, and those after it, have no
/// outcome: then the others are found by how far the patch moved the item.
fn outcomes(before: &OfItem, after: &OfItem) -> BTreeMap<u64, bool> {
    if before.len() == after.len() {
        let after = after.values().map(|(_, passed)| *passed);
        return before.keys().copied().zip(after).collect();
    }
    let moved = |by: i128| {
        let now = before.keys().filter_map(move |line| {
            let at = u64::try_from(i128::from(*line) + by).ok()?;
            Some((*line, after.get(&at)?.1))
        });
        now.collect::<BTreeMap<u64, bool>>()
    };
    let distances = before
        .keys()
        .flat_map(|line| after.keys().map(|now| i128::from(*now) - i128::from(*line)));
    let found = distances.map(|by| (by, moved(by)));
    let best = found.max_by_key(|(by, now)| (now.len(), std::cmp::Reverse(by.unsigned_abs())));
    best.map(|(_, now)| now).unwrap_or_default()
}

/// The doctests that fail with a patch and failed without it, by their names without it; `None` if one that passed does not
/// pass any more.
pub fn still_failing(
    before: &BTreeMap<String, bool>,
    after: &BTreeMap<String, bool>,
) -> Option<Vec<String>> {
    let after = by_item(after);
    let none = OfItem::new();
    let mut failing = Vec::new();
    for (item, tests) in by_item(before) {
        let now = outcomes(&tests, after.get(item).unwrap_or(&none));
        for (line, (name, passed)) in tests {
            match (passed, now.get(&line)) {
                (true, Some(true)) | (false, None | Some(true)) => {}
                (true, None | Some(false)) => return None,
                (false, Some(false)) => failing.push(name.to_owned()),
            }
        }
    }
    Some(failing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(pairs: &[(&str, bool)]) -> BTreeMap<String, bool> {
        let named = pairs
            .iter()
            .map(|(name, passed)| ((*name).to_owned(), *passed));
        named.collect()
    }

    /// The doctests of `f`, by line.
    fn of(lines: &[(u64, bool)]) -> BTreeMap<String, bool> {
        let named = lines
            .iter()
            .map(|(line, passed)| (format!("src/lib.rs - f (line {line})"), *passed));
        named.collect()
    }

    #[test]
    fn doctests_are_compared_by_item_since_a_patch_moves_lines() {
        let before = tests(&[
            ("src/lib.rs - f (line 3)", true),
            ("src/lib.rs - g (line 9)", false),
        ]);
        let after = |f: bool| {
            tests(&[
                ("src/lib.rs - f (line 5)", f),
                ("src/lib.rs - g (line 11)", false),
            ])
        };
        let failing = Some(vec!["src/lib.rs - g (line 9)".to_owned()]);
        assert_eq!(still_failing(&before, &after(true)), failing);
        assert_eq!(still_failing(&before, &after(false)), None);
    }

    #[test]
    fn one_doctest_that_passes_does_not_make_up_for_another_of_its_item_that_fails() {
        let before = of(&[(4, true), (9, false), (12, true)]);
        assert_eq!(
            still_failing(&before, &of(&[(4, false), (9, true), (12, true)])),
            None
        );
        assert_eq!(
            still_failing(&before, &of(&[(6, false), (11, true), (14, true)])),
            None
        );
        let mended = of(&[(6, true), (11, true), (14, true)]);
        assert_eq!(still_failing(&before, &mended), Some(Vec::new()));
    }

    #[test]
    fn where_one_of_an_item_hangs_the_others_are_found_by_their_distance() {
        let before = of(&[(4, true), (9, false), (12, true)]);
        let failing = Some(vec!["src/lib.rs - f (line 9)".to_owned()]);
        assert_eq!(
            still_failing(&before, &of(&[(6, true), (14, true)])),
            Some(Vec::new())
        );
        assert_eq!(still_failing(&before, &of(&[(6, true), (11, false)])), None);
        // Before, one more hung.
        let more = of(&[(6, true), (11, false), (14, true), (17, false)]);
        assert_eq!(still_failing(&before, &more), failing);
        assert_eq!(still_failing(&before, &BTreeMap::new()), None);
    }

    #[test]
    fn one_that_is_only_compiled_keeps_its_place_among_the_others() {
        let before = tests(&[
            ("src/lib.rs - f (line 10) - compile", true),
            ("src/lib.rs - f (line 4)", false),
        ]);
        let after = tests(&[
            ("src/lib.rs - f (line 11) - compile", false),
            ("src/lib.rs - f (line 5)", true),
        ]);
        assert_eq!(still_failing(&before, &after), None);
    }
}
