//! `--color` and `CARGO_TERM_COLOR`, as cargo has them.

use std::ffi::OsString;

use clap::{Args, ColorChoice, ValueEnum};

/// The option, for help and completions. [`chosen`] reads it before the command line is parsed, because errors and help
/// have colours, too.
#[derive(Args, Clone, Debug)]
pub struct Color {
    /// When to print colours [default: auto]
    #[arg(long = "color", value_name = "WHEN", global = true, value_enum)]
    _when: Option<ColorChoice>,
}

/// What the command line says, or else the environment.
pub fn chosen(args: &[OsString], variable: Option<&str>) -> ColorChoice {
    let mut given = None;
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    while let Some(word) = words.next() {
        // What follows is for the test binaries.
        if word == "--" {
            break;
        }
        if word == "--color" {
            given = words.next();
        } else if let Some(value) = word.strip_prefix("--color=") {
            given = Some(value);
        }
    }
    let choice = |text| ColorChoice::from_str(text, false).ok();
    let choices = [given, variable].into_iter().flatten();
    choices.filter_map(choice).next().unwrap_or_default()
}

/// Makes everything that this process prints follow the choice.
pub fn apply(choice: ColorChoice) {
    let choice = match choice {
        // `NO_COLOR` and whether it is a terminal decide.
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::ColorChoice;

    use super::chosen;

    #[test]
    fn the_command_line_precedes_the_environment() {
        let chosen = |line: &str, variable| {
            let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            chosen(&args, variable)
        };
        assert_eq!(chosen("--color never", Some("always")), ColorChoice::Never);
        assert_eq!(
            chosen("explain 1 --color=always", None),
            ColorChoice::Always
        );
        assert_eq!(
            chosen("-- --color never", Some("always")),
            ColorChoice::Always
        );
        assert_eq!(chosen("", Some("sometimes")), ColorChoice::Auto);
    }
}
