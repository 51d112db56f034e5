//! `--print-config`: the effective settings as a `nopol.toml`, with comments that show the origin of each value.

use std::fmt::Write;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Config, ConfigError, keys, values_of};

impl Config {
    /// The settings of one struct as lines of TOML.
    ///
    /// # Errors
    /// If they cannot be written as TOML, which does not happen.
    pub fn print<T: Serialize + DeserializeOwned>(&self) -> Result<String, ConfigError> {
        let settings: T = self.get()?;
        let values = values_of(&settings)?;
        let mut out = String::new();
        for key in keys::of::<T>() {
            let value = values.iter().find(|(name, _)| name == key);
            // Writing to a string does not fail.
            let _ = match (value, self.origin(key)) {
                (Some((_, value)), Some(origin)) => writeln!(out, "{key} = {value} # {origin}"),
                (Some((_, value)), None) => writeln!(out, "{key} = {value} # default"),
                (None, _) => writeln!(out, "# {key} is not set"),
            };
        }
        Ok(out)
    }
}
