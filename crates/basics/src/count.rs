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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(count(1, "patch"), "1 patch");
        assert_eq!(count(2, "patch"), "2 patches");
        assert_eq!(count(0, "site"), "0 sites");
        assert_eq!(count(3, "test binary"), "3 test binaries");
    }
}
