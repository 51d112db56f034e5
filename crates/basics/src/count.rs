//! Numbers with their nouns.

/// `1 site`, `2 sites`.
pub fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {}", several(noun)),
    }
}

/// Everything of a kind: `the share`, `both shares`, `all 3 shares`.
pub fn all(number: usize, noun: &str) -> String {
    match number {
        1 => format!("the {noun}"),
        2 => format!("both {}", several(noun)),
        _ => format!("all {number} {}", several(noun)),
    }
}

/// The form that agrees with a number: `agree(2, "is", "are")` is `are`.
pub fn agree<'t>(number: usize, one: &'t str, several: &'t str) -> &'t str {
    match number {
        1 => one,
        _ => several,
    }
}

/// `once`, `2 times`.
pub fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        _ => format!("{number} times"),
    }
}

/// Sentences for a reader: one that occurs several times is there once, with how often it occurred.
pub fn counted(sentences: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for sentence in sentences {
        match counted.iter_mut().find(|(other, _)| *other == sentence) {
            Some((_, number)) => *number += 1,
            None => counted.push((sentence, 1)),
        }
    }
    let text = |(sentence, number)| match number {
        1 => sentence,
        _ => format!("{sentence} ({})", times(number)),
    };
    counted.into_iter().map(text).collect()
}

fn several(noun: &str) -> String {
    match noun.strip_suffix("ary") {
        Some(stem) => format!("{stem}aries"),
        None if noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_occurs_several_times_is_there_once() {
        let sentences = ["a", "b", "a", "c", "a"].map(str::to_owned);
        assert_eq!(counted(sentences), ["a (3 times)", "b", "c"]);
    }

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(count(1, "patch"), "1 patch");
        assert_eq!(count(2, "patch"), "2 patches");
        assert_eq!(count(0, "site"), "0 sites");
        assert_eq!(count(3, "test binary"), "3 test binaries");
        assert_eq!(all(1, "share"), "the share");
        assert_eq!(all(2, "patch"), "both patches");
        assert_eq!(all(3, "share"), "all 3 shares");
        assert_eq!(times(1), "once");
        assert_eq!(times(2), "2 times");
        assert_eq!(agree(1, "is", "are"), "is");
        assert_eq!(agree(0, "is", "are"), "are");
    }
}
