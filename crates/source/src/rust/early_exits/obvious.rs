//! Typical values of types, judging by the types' names: `None`, `Ok(0)`, `Vec::new()`.

/// Typical values of a type. For a `Result`, those of its value type.
pub fn obvious(returns: &str) -> Vec<String> {
    let plain = returns.trim_start_matches('&');
    if let Some(held) = held_by_result(plain) {
        let of_held = of_held(held).into_iter();
        return of_held.map(|value| format!("Ok({value})")).collect();
    }
    if let Some((poll, held)) = poll(plain) {
        let of_held = of_held(held).into_iter();
        return of_held
            .map(|value| format!("{poll}::Ready({value})"))
            .collect();
    }
    if let Some(parts) = parts_of_tuple(plain) {
        let first = |part: &str| obvious(part).into_iter().next();
        let some = |part: &str| match in_option(part).and_then(first) {
            Some(held) => Some(format!("Some({held})")),
            None => first(part),
        };
        let of_parts = |value: &dyn Fn(&str) -> Option<String>| {
            let values: Option<Vec<String>> = parts.iter().map(|part| value(part)).collect();
            values.map(|values| format!("({})", values.join(", ")))
        };
        let mut values: Vec<String> = [of_parts(&first), of_parts(&some)]
            .into_iter()
            .flatten()
            .collect();
        values.dedup();
        return values;
    }
    if let Some(name) = collection(plain) {
        return vec![format!("{name}::new()")];
    }
    let typical: &[&str] = match plain {
        "bool" => &["false", "true"],
        "str" => &["\"\""],
        "f32" | "f64" => &["0.0"],
        _ if nopol_expr::Type::from_name(plain).is_some() && plain != "char" => &["0"],
        _ if plain.starts_with("Option<") => &["None"],
        _ if plain.ends_with("::Result") => &["Ok(())"],
        _ if returns.starts_with('&') && plain.starts_with('[') && !plain.contains(';') => &["&[]"],
        _ => &[],
    };
    typical.iter().map(ToString::to_string).collect()
}

/// Typical values of the type inside another type.
fn of_held(held: &str) -> Vec<String> {
    match held {
        "()" => vec!["()".to_owned()],
        held => obvious(held),
    }
}

/// The name of a `Poll`, as written, and the type of its value.
fn poll(plain: &str) -> Option<(&str, &str)> {
    let (name, held) = plain.strip_suffix('>')?.split_once('<')?;
    (name.rsplit("::").next()? == "Poll").then_some((name, held.trim()))
}

/// The type of the value in an `Option`.
pub(super) fn in_option(plain: &str) -> Option<&str> {
    let held = plain.strip_prefix("Option<")?.strip_suffix('>')?;
    Some(held.trim())
}

/// The name, as written, of a type of the standard library whose `new` makes an empty value.
fn collection(plain: &str) -> Option<&str> {
    const NAMES: [&str; 9] = [
        "String",
        "PathBuf",
        "Vec",
        "VecDeque",
        "HashMap",
        "HashSet",
        "BTreeMap",
        "BTreeSet",
        "BinaryHeap",
    ];
    let name = plain.split('<').next()?;
    let last = name.rsplit("::").next()?;
    NAMES.contains(&last).then_some(name)
}

/// The types in a tuple of at least two types.
fn parts_of_tuple(plain: &str) -> Option<Vec<&str>> {
    let inside = plain.strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = Vec::new();
    let mut rest = inside;
    while !rest.trim().is_empty() {
        let (part, after) = rest.split_at(end_of_type(rest));
        parts.push(part.trim());
        rest = after.strip_prefix(',').unwrap_or("");
    }
    (parts.len() > 1).then_some(parts)
}

/// The byte at which the first of several types ends: at a comma, or at the end.
pub(super) fn end_of_type(types: &str) -> usize {
    let mut depth = 0_usize;
    let end = types.find(|letter| {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    end.unwrap_or(types.len())
}

/// The type of the values in a `Result`, or in an alias of one with `Result` in its name.
pub(super) fn held_by_result(plain: &str) -> Option<&str> {
    let (name, arguments) = plain.split_once('<')?;
    let arguments = arguments
        .strip_suffix('>')
        .filter(|_| name.ends_with("Result"))?;
    Some(arguments[..end_of_type(arguments)].trim())
}

#[cfg(test)]
mod tests {
    use super::obvious;

    #[test]
    fn a_result_has_the_typical_values_of_its_value_type() {
        for (ty, wanted) in [
            ("Result<(), E>", &["Ok(())"][..]),
            ("TiffResult<u32>", &["Ok(0)"]),
            ("io::Result<bool>", &["Ok(false)", "Ok(true)"]),
            ("Result<Option<(A, B)>, E>", &["Ok(None)"]),
            ("fmt::Result", &["Ok(())"]),
            ("Result<A, E>", &[]),
            ("&u8", &["0"]),
            ("()", &[]),
            ("&[u8]", &["&[]"]),
            ("[u8; 4]", &[]),
            ("Vec<A>", &["Vec::new()"]),
            (
                "std::collections::HashMap<K, Vec<V>>",
                &["std::collections::HashMap::new()"],
            ),
            ("(usize, Vec<(A, B)>)", &["(0, Vec::new())"]),
            ("(usize, A)", &[]),
            ("(usize, Option<usize>)", &["(0, None)", "(0, Some(0))"]),
            ("Poll<io::Result<usize>>", &["Poll::Ready(Ok(0))"]),
            ("task::Poll<()>", &["task::Poll::Ready(())"]),
        ] {
            assert_eq!(obvious(ty), wanted, "{ty}");
        }
    }
}
