//! Names that a function binds together: `whole` and `frac` in `let (whole, frac) = …`, or parameters of one type. A
//! test of one of them often applies to the others, too.

use std::ops::Range;

use crate::words::words;

/// The names bound together with a name: first those of the same pattern, then parameters of the same type.
pub fn bound_together<'f>(name: &str, function: &'f str) -> Vec<&'f str> {
    let mut found: Vec<&str> = Vec::new();
    let of_patterns = words(function)
        .into_iter()
        .filter(|range| &function[range.clone()] == name)
        .filter_map(|range| pattern(function, &range));
    let of_parameters = parameters(function).into_iter().filter_map(|same_type| {
        let has_name = same_type.contains(&name);
        has_name.then_some(same_type)
    });
    for other in of_patterns.chain(of_parameters).flatten() {
        if other != name && other != "_" && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

/// The names in the tuple pattern around a name: `(a, mut b)` after `let`, `for`, `|` or a variant. `None` if the
/// pattern has anything but names.
fn pattern<'f>(function: &'f str, name: &Range<usize>) -> Option<Vec<&'f str>> {
    let start = function[..name.start].rfind(['(', ')', ';', '{', '}'])?;
    let end = name.end + function[name.end..].find(['(', ')', ';', '{', '}'])?;
    if !function[start..].starts_with('(') || !function[end..].starts_with(')') {
        return None;
    }
    let after = function[end + 1..].trim_start_matches([')', ',', ' ', '\n']);
    let binds = (after.starts_with('=') && !after.starts_with("=="))
        || after.starts_with("in ")
        || after.starts_with('|');
    let names = function[start + 1..end].split(',').map(|part| {
        let part = part.trim().trim_start_matches(['&', ' ']);
        let part = part.strip_prefix("ref ").unwrap_or(part);
        part.strip_prefix("mut ").unwrap_or(part)
    });
    let names: Vec<&str> = names.filter(|part| !part.is_empty()).collect();
    let is_name = |part: &&str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    (binds && names.len() > 1 && names.iter().all(is_name)).then_some(names)
}

/// The names of the function's parameters, grouped by type. Groups of one are left out.
fn parameters(function: &str) -> Vec<Vec<&str>> {
    let Some(start) = function.find("fn ").and_then(|at| {
        let open = function[at..].find('(')?;
        Some(at + open + 1)
    }) else {
        return Vec::new();
    };
    let mut depth = 0_i32;
    let end = function[start..].find(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth < 0
    });
    let list = &function[start..start + end.unwrap_or(0)];
    let mut of_types: Vec<(&str, Vec<&str>)> = Vec::new();
    // A comma inside a type splits off a part without a name and a colon, which is skipped.
    for parameter in list.split(',') {
        let Some((name, ty)) = parameter.split_once(':') else {
            continue;
        };
        let (name, ty) = (name.trim().trim_start_matches("mut "), ty.trim());
        match of_types.iter_mut().find(|(known, _)| *known == ty) {
            Some((_, names)) => names.push(name),
            None => of_types.push((ty, vec![name])),
        }
    }
    let all = of_types.into_iter().map(|(_, names)| names);
    all.filter(|names| names.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::bound_together;

    #[test]
    fn names_of_one_pattern_are_bound_together() {
        for (function, expected) in [
            ("fn f() { let (a, mut b) = g(); h(a, c); }", vec!["b"]),
            ("fn f() { for (b, &a) in g() {} }", vec!["b"]),
            ("fn f() { g(|(a, b)| a > 1) }", vec!["b"]),
            ("fn f() { if let Some((a, b)) = g() {} }", vec!["b"]),
            ("fn f() { h(a, c); if (a, b) == c {} }", vec![]),
            ("fn f() { let (a, Some(b)) = g(); }", vec![]),
        ] {
            assert_eq!(bound_together("a", function), expected, "{function}");
        }
    }

    #[test]
    fn parameters_of_one_type_are_bound_together() {
        let function = "pub fn f(a: &[u8], n: u8, b: &[u8], m: HashMap<u8, u8>) {}";
        assert_eq!(bound_together("a", function), ["b"]);
        assert_eq!(bound_together("n", function), [""; 0]);
    }
}
