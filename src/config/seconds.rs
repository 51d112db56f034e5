//! Durations in settings: a number of seconds, whole or with a fraction.

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
    duration(seconds).ok_or_else(|| format!("`{text}` is not a positive number of seconds"))
}

fn duration(seconds: f64) -> Option<Duration> {
    let duration = Duration::try_from_secs_f64(seconds).ok();
    duration.filter(|duration| !duration.is_zero())
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
    duration(seconds)
        .ok_or_else(|| D::Error::custom(format!("{seconds} is not a positive number of seconds")))
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
