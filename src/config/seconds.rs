//! Durations in settings: a number of seconds, whole or with a fraction.

use std::fmt::Display;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Reads a positive number of seconds.
///
/// # Errors
/// If the text is not a positive number, with a message for the user.
pub fn parse(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number of seconds"))?;
    duration(seconds).ok_or_else(|| refusal(format!("`{text}`")))
}

/// Reads a number of seconds, of which 0 means that there is no time at all.
///
/// # Errors
/// If the text is not a number from 0 up, with a message for the user.
pub fn parse_any(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(0.0) => Ok(Duration::ZERO),
        _ => parse(text),
    }
}

/// The longest duration, some thirty years: sums of such durations and points in time do not overflow.
pub const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// A positive number of seconds up to [`LONGEST`] as a duration.
pub fn duration(seconds: f64) -> Option<Duration> {
    let duration = Duration::try_from_secs_f64(seconds).ok();
    duration.filter(|duration| !duration.is_zero() && *duration <= LONGEST)
}

/// The message about a number that is not a duration.
pub fn refusal(number: impl Display) -> String {
    let most = LONGEST.as_secs();
    format!("{number} is not a positive number of seconds up to {most}")
}

/// For `#[serde(with)]`.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    match duration.subsec_nanos() {
        0 => serializer.serialize_u64(duration.as_secs()),
        _ => serializer.serialize_f64(duration.as_secs_f64()),
    }
}

/// For `#[serde(with)]`.
///
/// # Errors
/// If there is no positive number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    duration(seconds).ok_or_else(|| D::Error::custom(refusal(seconds)))
}

/// The same for optional durations.
pub mod option {
    use std::time::Duration;

    use serde::{Deserializer, Serializer};

    /// For `#[serde(with)]`.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// For `#[serde(with)]`.
    ///
    /// # Errors
    /// If there is no positive number.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}
