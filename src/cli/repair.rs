//! `cargo nopol [repair]`.

use clap::Args;

use super::{Common, apply, output};
use crate::report::Ending;

#[derive(Args, Clone, Debug)]
pub struct Repair {
    #[command(flatten)]
    common: Common,

    /// Write the patch of this rank into the subject [default when given without a rank: 1]
    #[arg(long, value_name = "RANK", num_args = 0..=1, require_equals = true, default_missing_value = "1",
        value_parser = clap::value_parser!(u32).range(1..))]
    apply: Option<u32>,

    /// Apply even if the file has uncommitted changes
    #[arg(long, requires = "apply")]
    allow_dirty: bool,
}

impl Repair {
    pub fn run(self) -> u8 {
        let settings = &self.common.settings;
        let mut outcome = output::run(settings);
        outcome.options = options(std::env::args());
        let Some(rank) = self.apply.filter(|_| !outcome.patches.is_empty()) else {
            return output::show(&outcome, self.common.format);
        };
        match apply::apply(settings, &outcome, rank, self.allow_dirty) {
            Ok(()) => {
                outcome.applied = Some(rank);
                output::show(&outcome, self.common.format)
            }
            // After the patches, where it is not overlooked.
            Err(error) => {
                output::show(&outcome, self.common.format);
                output::complain(&format!("{error:#}"));
                Ending::Usage.exit_code()
            }
        }
    }
}

/// The arguments that a search depends on, quoted for a shell, each after a space.
fn options(args: impl Iterator<Item = String>) -> String {
    let args: Vec<String> = args
        .skip(1)
        .skip_while(|arg| arg == "nopol" || arg == "repair")
        .collect();
    let mut options = String::new();
    let mut is_shown_only = false;
    for (nth, arg) in args.iter().enumerate() {
        let for_tests = args[..nth].iter().any(|earlier| earlier == "--");
        let follows = std::mem::replace(&mut is_shown_only, arg == "--format" && !for_tests);
        let is_output = ["--apply", "--allow-dirty", "--format", "--verbose", "-v"]
            .iter()
            .any(|name| arg.split('=').next() == Some(name));
        if follows || is_output && !for_tests {
            continue;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
        let quoted = match arg.chars().all(is_plain) && !arg.is_empty() {
            true => arg.clone(),
            false => format!("'{}'", arg.replace('\'', r"'\''")),
        };
        options.push(' ');
        options.push_str(&quoted);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::options;

    #[test]
    fn what_a_search_depends_on_is_kept_and_can_be_pasted() {
        let options = |line: &str| options(line.split('|').map(str::to_owned));
        assert_eq!(options("cargo-nopol|nopol"), "");
        assert_eq!(
            options("cargo-nopol|nopol|repair|--top|9|--apply=2|--format|json|--file|src/*.rs"),
            " --top 9 --file 'src/*.rs'"
        );
        assert_eq!(
            options("cargo-nopol|--failing|it's|-v|--|--format|pretty"),
            r" --failing 'it'\''s' -- --format pretty"
        );
    }
}
