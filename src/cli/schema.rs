//! The schema of `nopol.toml`: every setting is described by the help of its option.

use anyhow::Result;
use clap::{Args, Command};

use super::cargo::CargoFlags;
use super::options::SearchOptions;
use crate::config::keys;
use crate::config::schema::{Described, schema};
use crate::subject::c::config;

/// The schema as JSON.
///
/// # Errors
/// If it cannot be written as JSON, which does not happen.
pub fn of_settings() -> Result<String> {
    let command = CargoFlags::augment_args(SearchOptions::augment_args(Command::new("")));
    let settings: Vec<Described> = keys().map(|key| described(&command, key)).collect();
    Ok(schema(&settings, config::schema())?)
}

/// What the command line says about a setting.
fn described(command: &Command, key: &str) -> Described {
    let mut options = command.get_arguments();
    let option = options.find(|option| option.get_long() == Some(key));
    let values = option.map_or_else(Vec::new, clap::Arg::get_possible_values);
    Described {
        key: key.to_owned(),
        help: option
            .and_then(clap::Arg::get_help)
            .map_or_else(String::new, ToString::to_string),
        values: values
            .iter()
            .map(|value| value.get_name().to_owned())
            .collect(),
    }
}
