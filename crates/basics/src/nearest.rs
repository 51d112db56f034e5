//! What may have been meant by a name that does not exist.

use std::cmp::Ordering;

use strsim::{damerau_levenshtein, jaro};

/// How far another name is: the number of single-letter edits, if they are at most a third of the longer name.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let longer = wanted.chars().count().max(name.chars().count());
    let edits = damerau_levenshtein(wanted, name);
    (edits <= longer.div_ceil(3)).then_some(edits)
}

/// The name nearest to `wanted`, if one is near; of equally near ones the one with most letters in common, then the first in
/// the alphabet.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let near = names.filter_map(|name| Some((distance(wanted, name)?, name)));
    let order = |(near, name): &(usize, &str), (far, other): &(usize, &str)| -> Ordering {
        let common = jaro(wanted, other).total_cmp(&jaro(wanted, name));
        near.cmp(far).then(common).then_with(|| name.cmp(other))
    };
    near.min_by(order).map(|(_, name)| name)
}

/// As [`nearest`], where the names may be paths: `wanted` may be meant without the modules before it, or with others.
pub fn nearest_path<'n>(
    wanted: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Option<&'n str> {
    let last = |name: &'n str| name.rsplit("::").next().unwrap_or_default();
    nearest(wanted, names.clone()).or_else(|| {
        let short = wanted.rsplit("::").next().unwrap_or(wanted);
        let near = nearest(short, names.clone().map(last))?;
        names.clone().find(|name| last(name) == near)
    })
}

/// The end of a sentence about an unknown name: ``; did you mean `next`?``, or nothing.
pub fn did_you_mean<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match nearest_path(wanted, names.into_iter()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_suggested() {
        let names = [
            "mark",
            "next",
            "explain",
            "test-timeout",
            "reverse",
            "file",
            "fuel",
        ];
        for (wanted, meant) in [
            ("nxt", Some("next")),
            ("exlpain", Some("explain")),
            ("test-timeot", Some("test-timeout")),
            ("revers", Some("reverse")),
            ("fule", Some("fuel")),
            ("zzzzzz", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names.into_iter()), meant, "{wanted}");
        }
    }

    #[test]
    fn a_path_may_be_meant_by_its_last_name() {
        let names = ["tests::large", "tests::coprime_numbers"];
        for (wanted, meant) in [
            ("coprime_number", Some("tests::coprime_numbers")),
            ("tests::lage", Some("tests::large")),
            ("other::large", Some("tests::large")),
            ("zzzzzz", None),
        ] {
            assert_eq!(nearest_path(wanted, names.into_iter()), meant, "{wanted}");
        }
    }
}
