//! Errors that are made of a message: `Err(user_error("…"))`, `Err(anyhow!("…"))`. The text of a missing message is
//! unknown, but the functions nearby show how it is raised.

use std::collections::BTreeMap;

use crate::{ExitSnippet, Function, Sources};

/// What a patch says that a maintainer has to word.
pub const MESSAGE: &str = "invalid input";

/// The error with a message that functions of this file with the same error type return most often, nearest first where several
/// are as frequent; `None` if they return none.
pub fn usual(sources: &Sources, function: &Function) -> Option<ExitSnippet> {
    let error = error_type(function.returns.as_deref()?);
    let alike = sources.functions.iter().filter(|other| {
        let returns = other.returns.as_deref();
        other.file == function.file && returns.is_some_and(|it| error_type(it) == error)
    });
    let own_first =
        std::iter::once(function).chain(alike.filter(|other| other.name != function.name));
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for value in own_first.flat_map(|other| &other.returned_values) {
        if let Some(text) = with_message(&value.text) {
            let known = times.entry(text.clone()).or_default();
            *known += 1;
            if *known == 1 {
                order.push(text);
            }
        }
    }
    let most = times.values().copied().max();
    let text = order.into_iter().find(|text| Some(times[text]) == most);
    let text = text.or_else(|| of_anyhow(sources, function))?;
    Some(ExitSnippet {
        text,
        names: Vec::new(),
    })
}

/// An error of anyhow, where the function may return one.
fn of_anyhow(sources: &Sources, function: &Function) -> Option<String> {
    let is_used = sources.files[function.file].text.contains("anyhow::");
    let returns = function.returns.as_deref().unwrap_or_default();
    let has_one_argument = returns.starts_with("Result<") && error_type(returns) == "Result";
    let may_be = is_used && (has_one_argument || returns.starts_with("anyhow::Result"));
    may_be.then(|| format!("Err(anyhow::anyhow!(\"{MESSAGE}\"))"))
}

/// `Err(made_of("…", …))` with another message and without what the old one is about; `None` of other values.
pub fn with_message(value: &str) -> Option<String> {
    let inside = value.strip_prefix("Err(")?.strip_suffix(')')?;
    let (maker, rest) = inside.split_once('(')?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '!');
    let is_maker = !maker.is_empty() && maker.chars().all(is_path);
    let rest = rest.strip_prefix("format!(").unwrap_or(rest);
    let after = rest.strip_prefix('"')?;
    let end = after.find('"')?;
    let conversion = [".to_string()", ".to_owned()", ".into()"]
        .into_iter()
        .find(|conversion| after[end + 1..].starts_with(conversion));
    let conversion = match inside.contains("format!(") && !maker.ends_with('!') {
        true => ".to_owned()",
        false => conversion.unwrap_or_default(),
    };
    is_maker.then(|| format!("Err({maker}(\"{MESSAGE}\"{conversion}))"))
}

/// The error type of a `Result`, or the alias of one.
fn error_type(returns: &str) -> &str {
    let (head, arguments) = returns.split_once('<').unwrap_or((returns, ""));
    match arguments
        .strip_suffix('>')
        .and_then(|it| it.rsplit_once(','))
    {
        Some((_, error)) => error,
        None => head,
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::read_text;

    fn usual(text: &str) -> Option<String> {
        let sources = read_text(text);
        let function = sources.functions.iter().find(|it| it.name == "f").unwrap();
        super::usual(&sources, function).map(|value| value.text)
    }

    #[test]
    fn an_error_is_raised_as_other_functions_raise_it() {
        let text = "fn g(n: u8) -> Result<u8, E> { if n > 1 { return Err(user_error(\"too large\")); } Err(E::Odd) }
            fn f(n: u8) -> Result<(), E> { h(n)?; Ok(()) }";
        assert_eq!(
            usual(text).as_deref(),
            Some("Err(user_error(\"invalid input\"))")
        );
        let text = "fn f(n: u8) -> Result<u8> { if n > 1 { return Err(anyhow!(\"{n} is too large\")); } Ok(n) }";
        assert_eq!(
            usual(text).as_deref(),
            Some("Err(anyhow!(\"invalid input\"))")
        );
        let text = "fn f(n: u8) -> Result<u8, E> { if n > 1 { return Err(E::Other(format!(\"{n}\"))); } Ok(n) }";
        assert_eq!(
            usual(text).as_deref(),
            Some("Err(E::Other(\"invalid input\".to_owned()))")
        );
    }

    #[test]
    fn anyhow_makes_an_error_of_a_message() {
        let text = "use anyhow::Result; fn f(n: u8) -> Result<u8> { let n = g(n)?; Ok(n) }";
        let wanted = "Err(anyhow::anyhow!(\"invalid input\"))";
        assert_eq!(usual(text).as_deref(), Some(wanted));
    }

    #[test]
    fn another_error_type_says_nothing() {
        let text = "fn g(n: u8) -> Result<u8, D> { Err(user_error(\"too large\")) }
            fn f(n: u8) -> Result<(), E> { h(n)?; Ok(()) }";
        assert_eq!(usual(text), None);
    }
}
