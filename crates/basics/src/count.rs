//! Numbers with their nouns.

/// `1 site`, `2 sites`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix("ch") {
        _ if number == 1 => "",
        Some(_) => "es",
        None if noun.ends_with("ary") => return format!("{number} {}ies", &noun[..noun.len() - 1]),
        None => "s",
    };
    format!("{number} {noun}{plural}")
}
