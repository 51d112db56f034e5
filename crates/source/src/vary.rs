//! Values near a literal: a test could have used them just as well. Nearest first.

use std::ops::Range;

/// Texts of the same kind as a literal of a program, with values near it. Values in `hints` count as near. Empty for
/// anything but a number, string, character or boolean.
pub fn literal(text: &str, hints: &[String]) -> Vec<String> {
    let quoted = |quote: &str| {
        text.strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(&quote[quote.len() - 1..]))
            // Literals with escapes are left out.
            .filter(|content| !content.contains('\\'))
    };
    for quote in ["\"", "b\""] {
        if let Some(content) = quoted(quote) {
            let of_texts: Vec<String> = hints.iter().filter_map(|hint| content_of(hint)).collect();
            let near = contents(content, &of_texts).into_iter();
            return near.map(|content| format!("{quote}{content}\"")).collect();
        }
    }
    for quote in ["'", "b'"] {
        if let Some(content) = quoted(quote) {
            let near = content.chars().next().map(characters).unwrap_or_default();
            let near = near.into_iter().filter(char::is_ascii_graphic);
            let near = near.filter(|near| !matches!(near, '\'' | '\\'));
            return near.map(|near| format!("{quote}{near}'")).collect();
        }
    }
    match text {
        "true" => vec!["false".to_owned()],
        "false" => vec!["true".to_owned()],
        _ => numbers(text, hints),
    }
}

/// Words near a word of a command line or of an input.
pub fn word(text: &str, hints: &[String]) -> Vec<String> {
    let near = numbers(text, hints);
    match near.is_empty() {
        true => contents(text, &[]),
        false => near,
    }
}

/// The text in a quoted hint. `None` if it has escapes.
fn content_of(hint: &str) -> Option<String> {
    let content = hint.strip_prefix('"')?.strip_suffix('"')?;
    (!content.contains('\\')).then(|| content.to_owned())
}

/// Numbers near a number, with its suffix. Empty if the text is not a plain number.
fn numbers(text: &str, hints: &[String]) -> Vec<String> {
    let end = text
        .char_indices()
        .find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || (*at == 0 && *c == '-')));
    let (digits, suffix) = text.split_at(end.map_or(text.len(), |(at, _)| at));
    // `0x1F`, `1_000` and `1e9` are left out.
    let is_plain = suffix.is_empty() || suffix.starts_with(['i', 'u', 'f']);
    let mut near: Vec<String> = Vec::new();
    if !is_plain {
        return near;
    }
    if let Ok(own) = digits.parse::<i128>() {
        let hints = hints.iter().filter_map(|hint| hint.parse::<i128>().ok());
        let hints = hints.flat_map(|hint| [hint, hint.saturating_add(1), hint.saturating_sub(1)]);
        let around = [1, -1, 2, -2].map(|step| own.saturating_add(step));
        let all = around.into_iter().chain(hints).chain([0, 1]);
        // Do not go below 0, because the type may be unsigned, nor below a negative number.
        let all = all.filter(|number| *number != own && (own > 0 || *number >= own));
        near.extend(all.map(|number| format!("{number}{suffix}")));
    } else if let Ok(own) = digits.parse::<f64>() {
        let hints = hints.iter().filter_map(|hint| hint.parse::<f64>().ok());
        let all = [own + 1.0, own - 1.0, own + 0.5, own - 0.5]
            .into_iter()
            .chain(hints);
        let all = all.filter(|number| number.is_finite() && *number != own);
        near.extend(all.map(|number| format!("{number:?}{suffix}")));
    }
    unique(near)
}

/// Texts near a text: with a number in it changed, or with a character less or more.
fn contents(text: &str, hints: &[String]) -> Vec<String> {
    let mut near: Vec<String> = hints.to_vec();
    for run in runs_of_digits(text) {
        let Ok(number) = text[run.clone()].parse::<u64>() else {
            continue;
        };
        for other in [number.checked_add(1), number.checked_sub(1)] {
            let other = other.map(|other| other.to_string());
            near.extend(
                other.map(|other| format!("{}{other}{}", &text[..run.start], &text[run.end..])),
            );
        }
    }
    let mut chars = text.chars();
    if let Some(last) = chars.next_back() {
        near.push(chars.as_str().to_owned());
        near.push(format!("{text}{last}"));
    }
    let mut chars = text.chars();
    if let Some(first) = chars.next() {
        near.push(chars.as_str().to_owned());
        near.push(format!("{first}{text}"));
    }
    near.retain(|near| near != text);
    unique(near)
}

fn runs_of_digits(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + c.len_utf8(),
            _ => runs.push(at..at + c.len_utf8()),
        }
    }
    runs
}

fn characters(c: char) -> Vec<char> {
    let beside = [1, -1].map(|step| (c as u32).checked_add_signed(step).and_then(char::from_u32));
    let mut near: Vec<char> = beside.into_iter().flatten().collect();
    near.extend(match c.is_uppercase() {
        true => c.to_lowercase().next(),
        false => c.to_uppercase().next(),
    });
    near.retain(|near| *near != c);
    near
}

/// The texts without duplicates. The first occurrence stays.
fn unique(texts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_keeps_its_kind_and_suffix() {
        assert_eq!(literal("70", &[]), ["71", "69", "72", "68", "0", "1"]);
        assert_eq!(literal("0u8", &[]), ["1u8", "2u8"]);
        assert!(literal("7", &["40".to_owned()]).contains(&"41".to_owned()));
        assert_eq!(literal("1.5f32", &[])[..2], ["2.5f32", "0.5f32"]);
        assert_eq!(literal("true", &[]), ["false"]);
        assert_eq!(literal("'a'", &[]), ["'b'", "'`'", "'A'"]);
        assert_eq!(literal("0x1F", &[]), Vec::<String>::new());
    }

    #[test]
    fn a_text_changes_by_a_number_or_a_character() {
        let near = literal("\"1.20\"", &["\"x\"".to_owned(), "3".to_owned()]);
        for text in ["\"x\"", "\"2.20\"", "\"1.19\"", "\"1.2\"", "\"1.200\""] {
            assert!(near.contains(&text.to_owned()), "{text}: {near:?}");
        }
        assert_eq!(literal("\"a\\n\"", &[]), Vec::<String>::new());
        assert_eq!(word("ab", &[]), ["a", "abb", "b", "aab"]);
        assert_eq!(word("-3", &[])[0], "-2");
    }
}
