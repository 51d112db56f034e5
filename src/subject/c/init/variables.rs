//! Variables of makefiles.

use std::collections::BTreeMap;

/// The most text that comes in for variables: values that name variables several times multiply.
pub const MOST: usize = 100_000;

/// Replaces variables by their values. Calls of functions and of the shell are kept as they are, and so is what would
/// become too much.
pub fn expand(variables: &BTreeMap<String, String>, text: &str) -> String {
    within(variables, text, 0, &mut { MOST })
}

/// `room` is how much text may still come in.
fn within(
    variables: &BTreeMap<String, String>,
    text: &str,
    depth: usize,
    room: &mut usize,
) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded += before;
        let close = match after.chars().next() {
            Some('(') => ')',
            Some('{') => '}',
            other => {
                if other != Some('$') {
                    expanded.push('$');
                }
                let length = other.map_or(0, char::len_utf8);
                expanded += &after[..length];
                rest = &after[length..];
                continue;
            }
        };
        let Some(end) = after.find(close) else {
            expanded.push('$');
            rest = after;
            continue;
        };
        let inside = &after[1..end];
        let (name, change) = inside.split_once(':').unwrap_or((inside, ""));
        let whole = &after[..=end];
        rest = &after[end + 1..];
        if name == "@" || name.contains([' ', '$', ',', '(']) || depth > 8 || *room == 0 {
            expanded += &format!("${}", if name == "@" { "@" } else { whole });
            continue;
        }
        let value = variables.get(name).map_or("", String::as_str);
        // Charged before it is read, since it can be nothing but names.
        *room = room.saturating_sub(value.len() + 1);
        let value = within(variables, value, depth + 1, room);
        let value = match change.split_once('=') {
            Some((from, to)) => {
                let (from, to) = (from.trim_start_matches('%'), to.trim_start_matches('%'));
                let changed = value
                    .split_whitespace()
                    .map(|word| match word.strip_suffix(from) {
                        Some(stem) => format!("{stem}{to}"),
                        None => word.to_owned(),
                    });
                changed.collect::<Vec<_>>().join(" ")
            }
            None => value,
        };
        *room = room.saturating_sub(value.len());
        expanded += &value;
    }
    expanded + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_variables_are_expanded() {
        let known = [("A", "a.c b.c"), ("B", "$(A:.c=.o) ${C}"), ("R", "$(R)")];
        let known = known.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let expand = |text: &str| expand(&BTreeMap::from(known.clone()), text);
        assert_eq!(expand("x $(B)y"), "x a.o b.o y");
        assert_eq!(expand("$(A:%.c=%.h)"), "a.h b.h");
        assert_eq!(expand("$@ $(@) $$HOME $^"), "$@ $@ $HOME $^");
        assert_eq!(expand("$(shell pwd) $(open"), "$(shell pwd) $(open");
        assert_eq!(expand("$"), "$");
        assert!(expand("$(R)").starts_with('$'));
    }
    #[test]
    fn values_that_multiply_are_expanded_only_so_far() {
        let known = BTreeMap::from([("A".to_owned(), "$(A) ".repeat(50))]);
        assert!(expand(&known, "$(A)").len() < 3 * MOST);
        let long = "x ".repeat(MOST);
        let known = BTreeMap::from([("A".to_owned(), long.clone())]);
        assert_eq!(expand(&known, "$(A)$(A)"), long + "$(A)");
    }
}
