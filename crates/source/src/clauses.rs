//! Clauses that resemble an existing one: with sibling names (another field of the struct, another variant of the enum,
//! another name that shares a word), with two words of its names exchanged, or with another literal. A clause that
//! people add to a condition usually resembles the others: `a.minor == b.minor && a.patch == b.patch`.

mod kin;
mod literals;
mod together;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use self::kin::{Kin, kin};
use self::literals::{in_case_of, other_literals};
pub use self::literals::{literals, mate};
use self::together::bound_together;
use super::words::{mentions, words};

/// Most names that replace one name.
const MOST_NAMES: usize = 4;
/// Most variants or constants named in the function that replace one of the same type.
const MOST_OF_FUNCTION: usize = 5;
/// As [`MOST_OF_FUNCTION`], together with those named in the file and the subject.
const MOST_OF_PATH: usize = 8;

/// What the code around a clause offers.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The text of the function.
    pub function: &'a str,
    /// The text of the file.
    pub file: &'a str,
    /// Siblings of fields and variants.
    pub kin: &'a Kin,
    /// Literals of the function, then those of the file.
    pub literals: [&'a [String]; 2],
}

/// The clauses that resemble this one, likeliest first, without duplicates and without the clause itself.
pub fn like(clause: &str, around: Around) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut put = |text: String| {
        if text != clause && !found.contains(&text) {
            found.push(text);
        }
    };
    let names = words(clause);
    let mut seen = BTreeSet::new();
    for range in &names {
        let name = &clause[range.clone()];
        if !seen.insert(name) || !starts_a_name(name) {
            continue;
        }
        if is_called(clause, range) {
            let call = format!("{name}()");
            let kin = around.kin.alike.get(&call).into_iter().flatten();
            for other in kin.take(MOST_NAMES) {
                put(clause.replace(&format!(".{call}"), &format!(".{other}")));
            }
            continue;
        }
        for other in siblings(clause, range, around) {
            put(renamed(clause, &names, &|word| {
                (word == name).then(|| other.clone())
            }));
        }
    }
    for (a, b) in exchangeable(clause, &names) {
        let exchange = |word: &str| {
            let parts = word.split('_').map(|part| match part {
                part if part == a => b,
                part if part == b => a,
                part => part,
            });
            Some(parts.collect::<Vec<_>>().join("_"))
        };
        let text = renamed(clause, &names, &exchange);
        let mut words = words(&text).into_iter().map(|range| &text[range]);
        if words.all(|word| mentions(around.function, word)) {
            put(text.clone());
        }
    }
    for range in literals(clause) {
        let divides = clause[..range.start].trim_end().ends_with(['%', '/']);
        for other in other_literals(&clause[range.clone()], around) {
            if divides && other == "0" {
                continue;
            }
            let mut text = clause.to_owned();
            let other = match ["ignore_ascii_case(", "casecmp("]
                .iter()
                .any(|it| clause.contains(it))
            {
                true => in_case_of(&clause[range.clone()], &other),
                false => other,
            };
            text.replace_range(range.clone(), &other);
            put(text);
        }
    }
    found
}

fn starts_a_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Whether a name is called, as a function, method or macro.
pub(crate) fn is_called(text: &str, range: &Range<usize>) -> bool {
    text[range.end..].starts_with(['(', '!'])
}

/// The clause with some words replaced.
fn renamed(clause: &str, names: &[Range<usize>], new: &dyn Fn(&str) -> Option<String>) -> String {
    let mut text = clause.to_owned();
    for range in names.iter().rev() {
        if let Some(new) = new(&clause[range.clone()]) {
            text.replace_range(range.clone(), &new);
        }
    }
    text
}

/// Names that can replace a name. For a field or variant: its siblings, first those that the function mentions. For a
/// member or a name with several words: other names of the function that share a word with it. In a clause with a call:
/// names that are bound together with it.
fn siblings(clause: &str, range: &Range<usize>, around: Around) -> Vec<String> {
    let name = &clause[range.clone()];
    let before = &clause[..range.start];
    let is_member = before.ends_with('.') || before.ends_with("::");
    let mut found: Vec<String> = Vec::new();
    if is_member && let Some(kin) = around.kin.alike.get(name) {
        let (here, elsewhere): (Vec<&String>, Vec<&String>) = kin
            .iter()
            .partition(|other| mentions(around.function, other));
        found.extend(here.into_iter().chain(elsewhere).cloned());
    }
    if let Some(owner) = owner(before) {
        let at = around.function.find(clause).unwrap_or_default() + range.start;
        let near = of_owner(owner, around.function);
        let near = by_distance(near, around.function, at);
        add_new(&mut found, near, name, MOST_OF_FUNCTION);
        let of_file = names_of(owner, around.file);
        add_new(&mut found, by_number(of_file), name, MOST_OF_PATH);
        let of_subject = around.kin.of_types.get(owner).into_iter().flatten();
        let of_subject = of_subject.map(String::as_str).collect();
        add_new(&mut found, of_subject, name, MOST_OF_PATH);
        found.truncate(MOST_OF_PATH);
        return found;
    }
    let parts: Vec<&str> = name.split('_').filter(|part| part.len() > 1).collect();
    if name.contains('_') || is_member {
        for other in words(around.function) {
            let other = other.start..other.end;
            let word = &around.function[other.clone()];
            let has_part = word.split('_').any(|part| parts.contains(&part));
            let of_member = around.function[..other.start].ends_with('.');
            if word != name
                && has_part
                && of_member == before.ends_with('.')
                && !is_called(around.function, &other)
                && !found.iter().any(|known| known == word)
            {
                found.push(word.to_owned());
            }
        }
    }
    // Without a call, the synthesizer tries every variable anyway.
    if !is_member && clause.contains('(') {
        let together = bound_together(name, around.function);
        add_new(&mut found, together, name, MOST_NAMES);
    }
    found.truncate(MOST_NAMES);
    found
}

/// The name before `::` at the end of a text.
fn owner(before: &str) -> Option<&str> {
    let path = before.strip_suffix("::")?;
    let start = path.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    let owner = &path[start.map_or(0, |at| at + 1)..];
    owner.starts_with(char::is_uppercase).then_some(owner)
}

/// The places where a text names a variant or constant of a type without content: `RParen` of `Token::RParen`.
fn of_owner(owner: &str, text: &str) -> Vec<Range<usize>> {
    let path = format!("{owner}::");
    let starts = text.match_indices(&path).map(|(at, path)| at + path.len());
    let names = starts.filter_map(|start| {
        let name = plain_name(&text[start..])?;
        let is_of_owner = self::owner(&text[..start]) == Some(owner);
        is_of_owner.then_some(start..start + name.len())
    });
    names.collect()
}

/// The name at the start of a text, unless content, a path or a call follows.
fn plain_name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let has_content = text[end..].trim_start().starts_with(['(', '{', ':', '!']);
    (end > 0 && !has_content).then_some(&text[..end])
}

/// The variants of an enum that a text names without content, most frequent first.
pub fn plain_names_of<'t>(owner: &str, text: &'t str) -> Vec<&'t str> {
    let mut names = by_number(names_of(owner, text));
    names.retain(|name| name.starts_with(char::is_uppercase));
    names
}

/// How often a text names each variant or constant of a type without content.
fn names_of<'t>(owner: &str, text: &'t str) -> BTreeMap<&'t str, usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for range in of_owner(owner, text) {
        *numbers.entry(&text[range]).or_default() += 1;
    }
    numbers
}

/// The names at these ranges of a text, those nearest to the byte `at` first.
fn by_distance(names: Vec<Range<usize>>, text: &str, at: usize) -> Vec<&str> {
    let between = |range: &Range<usize>| {
        let gap = &text[range.start.min(at)..range.start.max(at)];
        words(gap).len()
    };
    let mut all: Vec<(usize, &str)> = names
        .into_iter()
        .map(|range| (between(&range), &text[range]))
        .collect();
    all.sort();
    all.into_iter().map(|(_, name)| name).collect()
}

/// The names, most frequent first.
fn by_number(numbers: BTreeMap<&str, usize>) -> Vec<&str> {
    let mut names: Vec<(&str, usize)> = numbers.into_iter().collect();
    names.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    names.into_iter().map(|(name, _)| name).collect()
}

/// Adds new names other than `own`, until there are `most`.
fn add_new(found: &mut Vec<String>, names: Vec<&str>, own: &str, most: usize) {
    for name in names {
        if found.len() < most && name != own && found.iter().all(|known| known != name) {
            found.push(name.to_owned());
        }
    }
}

/// Pairs of words in the clause's names that can be exchanged: `a` and `b` in `a_char == prev_b_char`.
fn exchangeable<'c>(clause: &'c str, names: &[Range<usize>]) -> Vec<(&'c str, &'c str)> {
    let parts = |range: &Range<usize>| clause[range.clone()].split('_').collect::<Vec<_>>();
    let mut pairs = Vec::new();
    for (nth, one) in names.iter().enumerate() {
        for other in &names[nth + 1..] {
            let (one, other) = (parts(one), parts(other));
            let only_in = |a: &[&'c str], b: &[&'c str]| -> Vec<&'c str> {
                let only = a.iter().filter(|part| !b.contains(part));
                only.copied().filter(|part| starts_a_name(part)).collect()
            };
            let has_shared = one.iter().any(|part| other.contains(part));
            for a in only_in(&one, &other) {
                for b in only_in(&other, &one) {
                    if has_shared && !pairs.contains(&(a, b)) {
                        pairs.push((a, b));
                    }
                }
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(clause: &str, function: &str, kin: &[&[&str]], literals: &[&str]) -> Vec<String> {
        let mut known = Kin::default();
        for group in kin {
            for one in *group {
                let others = group.iter().filter(|other| *other != one);
                let others = others.map(ToString::to_string);
                known
                    .alike
                    .entry((*one).to_owned())
                    .or_default()
                    .extend(others);
            }
        }
        let literals: Vec<String> = literals.iter().map(ToString::to_string).collect();
        let around = Around {
            function,
            file: function,
            kin: &known,
            literals: [&literals, &[]],
        };
        super::like(clause, around)
    }

    #[test]
    fn a_getter_is_replaced_by_a_similar_one() {
        let kin: &[&[&str]] = &[&["as_number()", "as_text()"]];
        assert_eq!(
            like("value.as_text().is_some()", "", kin, &[]),
            ["value.as_number().is_some()"]
        );
    }

    #[test]
    fn a_field_is_replaced_by_its_siblings_on_both_sides() {
        let kin: &[&[&str]] = &[&["major", "minor", "patch"]];
        assert_eq!(
            like("self.minor == Some(other.minor)", "self.major", kin, &[]),
            [
                "self.major == Some(other.major)",
                "self.patch == Some(other.patch)"
            ]
        );
        let states: &[&[&str]] = &[&["Open", "Shut"]];
        assert_eq!(
            like("state != State::Open", "", states, &[]),
            ["state != State::Shut"]
        );
    }

    #[test]
    fn names_that_share_a_word_are_siblings() {
        assert_eq!(
            like(
                "self.bracket_closed",
                "self.bracket_open; self.depth",
                &[],
                &[]
            ),
            ["self.bracket_open"]
        );
        assert!(like("a.is_empty()", "b.is_empty() a.len()", &[], &[]).is_empty());
    }

    #[test]
    fn words_of_names_are_exchanged() {
        let function = "let a_char; let b_char; prev_a_char prev_b_char";
        let found = like("b_char == prev_a_char", function, &[], &[]);
        assert!(
            found.contains(&"a_char == prev_b_char".to_owned()),
            "{found:?}"
        );
    }

    #[test]
    fn literals_are_replaced_by_others_of_their_kind_and_products() {
        assert_eq!(
            like("s.starts_with('#')", "", &[], &["'#'", "';'", "\"#\"", "7"]),
            ["s.starts_with(';')"]
        );
        assert_eq!(
            like("s.starts_with(\"0x\")", "", &[], &["\"0b\""]),
            ["s.starts_with(\"0X\")", "s.starts_with(\"0b\")"]
        );
        assert_eq!(
            like("year % 100 != 0", "", &[], &["4", "100", "0"]),
            [
                "year % 400 != 0",
                "year % 104 != 0",
                "year % 4 != 0",
                "year % 100 != 400",
                "year % 100 != 104",
                "year % 100 != 4",
                "year % 100 != 100"
            ]
        );
        assert_eq!(
            like("c == b'x'", "", &[], &["b'x'", "b'y'", "'z'"]),
            ["c == b'X'", "c == b'y'"]
        );
    }

    #[test]
    fn a_string_takes_the_case_of_the_one_it_replaces_if_case_does_not_matter() {
        assert_eq!(
            like("w.eq_ignore_ascii_case(\"LINE\")", "", &[], &["\"ring\""]),
            ["w.eq_ignore_ascii_case(\"RING\")"]
        );
        let bytes = like(
            "w.eq_ignore_ascii_case(b\"LINE\")",
            "",
            &[],
            &["b\"ring\"", "b\"\\n\""],
        );
        let wanted = [
            "w.eq_ignore_ascii_case(b\"RING\")",
            "w.eq_ignore_ascii_case(b\"\\n\")",
        ];
        assert_eq!(bytes, wanted);
    }

    #[test]
    fn a_lifetime_is_not_a_literal() {
        assert!(literals("f::<'a>(x)").is_empty());
        assert_eq!(literals("x1 == 2 && y == '\\''").len(), 2);
    }

    #[test]
    fn variants_named_in_the_function_replace_each_other_nearest_first() {
        let function = "fn f() { if self.at(&Token::Comma) { return; }
            if !self.eat(&Token::LParen) { return; }
            self.eat(&Token::RParen); g(Token::Word(w)); h(Mode::Open) }";
        let file = format!("{function} Token::Dot Token::End; Token::End; OtherToken::Bar");
        let mut subject = Kin::default();
        let elsewhere = ["End", "Colon"].map(str::to_owned).to_vec();
        subject.of_types.insert("Token".to_owned(), elsewhere);
        let around = Around {
            function,
            file: &file,
            kin: &subject,
            literals: [&[], &[]],
        };
        assert_eq!(
            super::like("!self.eat(&Token::LParen)", around),
            ["RParen", "Comma", "End", "Dot", "Colon"].map(|it| format!("!self.eat(&Token::{it})"))
        );
    }

    #[test]
    fn a_character_has_a_counterpart() {
        let of = |clause: &str| like(clause, "", &[], &[]);
        assert_eq!(of("key.contains('\\n')"), ["key.contains('\\r')"]);
        assert_eq!(of("b == b'['"), ["b == b']'"]);
        assert_eq!(of("b == '-'"), [""; 0]);
    }
}
