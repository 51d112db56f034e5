//! The input of a function as its result: a parameter of the return type, `Some(n)`, `vec![text.to_string()]`.

use super::obvious::{held_by_result, in_option};
use crate::{Function, Name, Sources};

/// Most values made from parameters.
const MOST_MADE: usize = 2;

/// The parameters that have the return type, then values of that type that contain a parameter.
pub fn values(sources: &Sources, function: &Function, returns: &str) -> Vec<String> {
    let mut found = parameters(function, returns);
    let made = made(sources, function, returns).into_iter();
    let made = made.filter(|text| !found.contains(text)).take(MOST_MADE);
    found.extend(made.collect::<Vec<String>>());
    found
}

fn parameters(function: &Function, returns: &str) -> Vec<String> {
    let plain = returns.trim_start_matches('&');
    let of_type = |name: &&Name| {
        let ty = name.ty.as_ref().map(|ty| ty.plain.as_str());
        let own = function.owner.as_deref();
        ty == Some(plain) || plain == "Self" && ty.is_some() && ty == own
    };
    let mut values = Vec::new();
    let is_reference = returns.starts_with('&');
    for name in function.parameters.iter().filter(of_type) {
        let is_behind = name.ty.as_ref().is_some_and(|ty| ty.is_reference);
        values.push(match is_behind && !is_reference {
            true => format!("{}.clone()", name.text),
            false => name.text.clone(),
        });
    }
    values
}

/// Values that contain a parameter, or own the text of one.
fn made(sources: &Sources, function: &Function, returns: &str) -> Vec<String> {
    let inside = |ty: &str, form: &dyn Fn(&str) -> String| -> Vec<String> {
        let held = values(sources, function, ty.trim());
        held.iter().map(|held| form(held)).collect()
    };
    if returns == "String" {
        let is_text = |name: &&Name| name.ty.as_ref().is_some_and(|ty| ty.plain == "str");
        let texts = function.parameters.iter().filter(is_text);
        let owned = owned_by(&sources.files[function.file].text);
        return texts
            .map(|name| format!("{}.{owned}()", name.text))
            .collect();
    }
    if let Some(held) = held_by_result(returns) {
        return inside(held, &|held| format!("Ok({held})"));
    }
    if let Some(held) = in_option(returns) {
        return inside(held, &|held| format!("Some({held})"));
    }
    if let Some(held) = returns
        .strip_prefix("Vec<")
        .and_then(|it| it.strip_suffix('>'))
    {
        return inside(held, &|held| format!("vec![{held}]"));
    }
    Vec::new()
}

/// How a file converts a `&str` to a `String`: the more frequent of two ways.
fn owned_by(file: &str) -> &'static str {
    let number = |way: &str| file.matches(way).count();
    match number(".to_owned()") > number(".to_string()") {
        true => "to_owned",
        false => "to_string",
    }
}
