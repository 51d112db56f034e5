//! Errors that are made from a message: `Err(user_error("…"))`, `Err(anyhow!("…"))`. The missing message is not known,
//! but the functions nearby show how such an error is raised.

use super::obvious::end_of_type;
use crate::clauses::literals;
use crate::{ExitSnippet, Function, Sources};

/// The message in a patch, which a maintainer has to replace.
pub const MESSAGE: &str = "invalid input";
/// The macro that returns an error of anyhow.
const BAIL: &str = "bail!(";

/// The errors with a message that functions of this file with the same error type return, most frequent first. Of
/// equally frequent ones, the function's own come first.
pub fn usual(sources: &Sources, function: &Function) -> Vec<ExitSnippet> {
    let Some(error) = function.returns.as_deref().map(error_type) else {
        return Vec::new();
    };
    let alike = sources.functions.iter().filter(|other| {
        let returns = other.returns.as_deref();
        other.file == function.file && returns.is_some_and(|it| error_type(it) == error)
    });
    let own_first =
        std::iter::once(function).chain(alike.filter(|other| other.name != function.name));
    let mut found: Vec<(usize, ExitSnippet)> = Vec::new();
    for value in own_first.flat_map(|other| &other.returned_values) {
        let error = with_message(&value.text).map(|text| ExitSnippet {
            text,
            names: Vec::new(),
        });
        let of_call = || {
            error
                .is_none()
                .then(|| complaint(function, value))
                .flatten()
        };
        let Some(error) = of_call().or(error) else {
            continue;
        };
        match found.iter_mut().find(|(_, known)| known.text == error.text) {
            Some((times, _)) => *times += 1,
            None => found.push((1, error)),
        }
    }
    if found.is_empty() {
        let text = of_anyhow(sources, function).into_iter();
        found.extend(text.map(|text| {
            let names = Vec::new();
            (1, ExitSnippet { text, names })
        }));
    }
    found.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    found.into_iter().map(|(_, error)| error).collect()
}

/// A call that makes an error from a message, with another message: `self.expected("…", token)`.
fn complaint(function: &Function, value: &ExitSnippet) -> Option<ExitSnippet> {
    let returns = function.returns.as_deref()?;
    let is_result = returns.split('<').next()?.ends_with("Result");
    let (maker, _) = value.text.split_once('(').filter(|_| is_result)?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    let is_maker = maker.chars().all(is_path) && !["Ok", "Err", "Some"].contains(&maker);
    let literal = literals(&value.text).into_iter().next()?;
    let message = value.text[literal.clone()].strip_prefix('"')?;
    // Keys and names are single words; messages have several.
    let is_message = message.contains(' ') && is_maker && value.text.ends_with(')');
    is_message.then(|| {
        let mut text = value.text.clone();
        text.replace_range(literal, &format!("\"{MESSAGE}\""));
        let names = value.names.clone();
        ExitSnippet { text, names }
    })
}

/// An error of anyhow, if the function may return one. Crates similar to anyhow have `bail!`, too.
fn of_anyhow(sources: &Sources, function: &Function) -> Option<String> {
    let text = &sources.files[function.file].text;
    let is_used = text.contains("anyhow::") || text.contains(BAIL);
    let returns = function.returns.as_deref().unwrap_or_default();
    let head = returns.split('<').next().unwrap_or_default();
    let is_result = head == "Result" || text.contains(BAIL) && head.ends_with("::Result");
    let has_one_argument = is_result && error_type(returns) == head && returns != head;
    let may_be = is_used && (has_one_argument || returns.starts_with("anyhow::Result"));
    may_be.then(|| format!("Err(anyhow::anyhow!(\"{MESSAGE}\"))"))
}

/// The statement that raises an error of anyhow in the style of this file. `None` if the file does not use `bail!`, or
/// if the error is not of this kind.
pub fn bail(file: &str, error: &str) -> Option<String> {
    let is_made_so = ["anyhow!(", "format_err!("]
        .iter()
        .any(|it| error.contains(it));
    let at = file.find(BAIL).filter(|_| is_made_so)?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let path = &file[file[..at].trim_end_matches(is_path).len()..at];
    Some(format!("{path}{BAIL}\"{MESSAGE}\");"))
}

/// `Err(made_of("…", …))` with another message, and without the other arguments. `None` for other values.
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

/// The error type of a `Result`, or the alias of a `Result` with a fixed error type.
fn error_type(returns: &str) -> &str {
    let (head, arguments) = returns.split_once('<').unwrap_or((returns, ""));
    let inside = arguments.strip_suffix('>').unwrap_or_default();
    match inside.get(end_of_type(inside) + 1..) {
        Some(error) if !error.is_empty() => error,
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::read_text;

    fn usual(text: &str) -> Option<String> {
        let sources = read_text(text);
        let function = sources.functions.iter().find(|it| it.name == "f").unwrap();
        let mut all = super::usual(&sources, function).into_iter();
        all.next().map(|value| value.text)
    }

    #[test]
    fn a_call_may_make_the_error() {
        let with = |returned: &str| {
            usual(&format!(
                "fn g(p: &P) -> Result<u8, E> {{ return {returned}; }} fn f(p: &P) -> Result<u8, E> {{ h(p)?; Ok(1) }}"
            ))
        };
        assert_eq!(
            with("p.expected(\"a name\", p.peek())").as_deref(),
            Some("p.expected(\"invalid input\", p.peek())")
        );
        let lines = with("p.expected(\n    \"a name\",\n    p.peek(),\n)");
        assert_eq!(
            lines.as_deref(),
            Some("p.expected(\"invalid input\", p.peek())")
        );
        assert_eq!(with("p.read(\"key\")"), None);
    }

    #[test]
    fn an_error_is_raised_like_in_other_functions() {
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
    fn a_result_of_a_tuple_has_no_error_type() {
        let text =
            "fn g(n: u8) -> Result<u8> { ensure(n)?; if n > 1 { bail!(\"too large\"); } Ok(n) }
            fn f(n: u8) -> Result<(u8, u8)> { let n = g(n)?; Ok((n, n)) }";
        assert_eq!(
            usual(text).as_deref(),
            Some("Err(anyhow::anyhow!(\"invalid input\"))")
        );
        let of_path = text.replace("fn f(n: u8) -> Result", "fn f(n: u8) -> w::Result");
        assert!(usual(&of_path).is_some());
    }

    #[test]
    fn an_error_is_raised_by_the_macro_of_the_file() {
        let file = "fn g() { w::bail!(\"too large\"); }";
        let raised = |error: &str| super::bail(file, error);
        let wanted = Some("w::bail!(\"invalid input\");".to_owned());
        assert_eq!(raised("Err(w::format_err!(\"invalid input\"))"), wanted);
        assert_eq!(raised("Err(E::Other(\"invalid input\"))"), None);
    }

    #[test]
    fn errors_of_another_type_are_ignored() {
        let text = "fn g(n: u8) -> Result<u8, D> { Err(user_error(\"too large\")) }
            fn f(n: u8) -> Result<(), E> { h(n)?; Ok(()) }";
        assert_eq!(usual(text), None);
    }
}
