//! Numbers on the command line, with messages for people.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// Reads a number of a type that has no 0.
///
/// # Errors
/// If the text is not a positive number, or too large for the type, with a message for the user.
pub fn positive<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    read(text, "a positive number")
}

/// Reads a number that may be 0.
///
/// # Errors
/// If the text is not a whole number from 0 up, or too large for the type, with a message for the user.
pub fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    read(text, "a whole number")
}

/// Reads a level of `mutate`.
///
/// # Errors
/// If there is no such level, with a message for the user.
pub fn level(text: &str) -> Result<u8, String> {
    match text.parse::<u8>() {
        Ok(level @ 1..=3) => Ok(level),
        _ => Err(format!("`{text}` is not a level: 1, 2 or 3")),
    }
}

fn read<T: FromStr<Err = ParseIntError>>(text: &str, what: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => format!("`{text}` is too large"),
            _ => format!("`{text}` is not {what}"),
        })
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU8, NonZeroU32};

    use super::*;

    #[test]
    fn a_number_that_does_not_fit_is_refused_in_plain_words() {
        assert_eq!(positive("3"), Ok(NonZeroU32::MIN.saturating_add(2)));
        for text in ["0", "-1", "", "many", "1.5"] {
            let error = positive::<NonZeroU32>(text).unwrap_err();
            assert_eq!(error, format!("`{text}` is not a positive number"));
        }
        assert_eq!(
            positive::<NonZeroU8>("300").unwrap_err(),
            "`300` is too large"
        );
        assert_eq!(whole::<u64>("0"), Ok(0));
        assert_eq!(
            whole::<u64>("-1").unwrap_err(),
            "`-1` is not a whole number"
        );
    }
}
