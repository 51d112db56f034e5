//! Variables of makefiles.

use std::collections::BTreeMap;

/// Replaces variables by their values. Calls of functions and of the shell are kept as they are.
pub fn expand(variables: &BTreeMap<String, String>, text: &str, depth: usize) -> String {
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
        if name == "@" || name.contains([' ', '$', ',', '(']) || depth > 8 {
            expanded += &format!("${}", if name == "@" { "@" } else { whole });
            continue;
        }
        let value = expand(
            variables,
            variables.get(name).map_or("", String::as_str),
            depth + 1,
        );
        expanded += &match change.split_once('=') {
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
        let expand = |text: &str| expand(&BTreeMap::from(known.clone()), text, 0);
        assert_eq!(expand("x $(B)y"), "x a.o b.o y");
        assert_eq!(expand("$(A:%.c=%.h)"), "a.h b.h");
        assert_eq!(expand("$@ $(@) $$HOME $^"), "$@ $@ $HOME $^");
        assert_eq!(expand("$(shell pwd) $(open"), "$(shell pwd) $(open");
        assert_eq!(expand("$"), "$");
        assert!(expand("$(R)").starts_with('$'));
    }
}
