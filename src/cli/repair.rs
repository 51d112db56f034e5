//! `cargo nopol [repair]`.

use clap::Args;
use nopol_process::run::watch::Watch;

use super::{Common, Target, apply, output};
use crate::repair::settings::Settings;
use crate::report::{Choice, Ending};

#[derive(Args, Clone, Debug)]
pub struct Repair<P: Target> {
    #[command(flatten)]
    common: Common<P>,

    /// Write the patch of this rank into the source, or with RANK.N its Nth alternative [default when given
    /// without a rank: 1]
    #[arg(long, value_name = "RANK", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    apply: Option<Choice>,

    /// Apply even if the file has uncommitted changes
    #[arg(long, requires = "apply")]
    allow_dirty: bool,

    /// Show every patch in full, not only the first for each probable cause
    #[arg(long, help_heading = "Report")]
    full: bool,

    /// Search again whenever a file of the program changes, until Ctrl-C
    #[arg(long, conflicts_with = "apply")]
    watch: bool,

    /// Search again, even if nothing has changed since the last search
    #[arg(long)]
    no_cache: bool,
}

impl<P: Target> Repair<P> {
    /// The options that choose the subject.
    pub fn target(&self) -> &P {
        self.common.target()
    }

    pub fn run(self) -> u8 {
        let request = match self.common.resolve() {
            Ok(request) => request,
            Err(code) => return code,
        };
        if self.watch {
            return watch(&request.settings);
        }
        let mut outcome = request.outcome(self.no_cache);
        outcome.options = given_options();
        outcome.is_full = self.full;
        let Some(choice) = self.apply.filter(|_| !outcome.patches.is_empty()) else {
            return output::present(&outcome, &request);
        };
        match apply::apply(&request.settings, &outcome, choice, None, self.allow_dirty) {
            Ok(written) => {
                for note in &written.notes {
                    output::say(&format!("note: {note}"));
                }
                outcome.applied = Some(choice);
                output::present(&outcome, &request)
            }
            // The error comes after the patches, so that it is not overlooked.
            Err(error) => {
                outcome.is_refused = true;
                output::present(&outcome, &request);
                output::complain(&format!("{error:#}"));
                apply::exit_code(&error)
            }
        }
    }
}

/// The [`options`] of this run.
pub fn given_options() -> String {
    options(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()))
}

/// The options of this run that say which program is meant and where its results are.
pub fn given_place() -> String {
    place(&given_options())
}

/// Runs this program without `--watch` now and after every change.
fn watch(settings: &Settings) -> u8 {
    let watched = || -> anyhow::Result<()> {
        let subject = settings.subject()?;
        let program = std::env::current_exe()?.into_os_string();
        let args = std::env::args_os().skip(1).filter(|arg| arg != "--watch");
        let watch = Watch {
            ignored: vec![
                subject.target_dir.into(),
                subject.root.join("target").into(),
            ],
            root: subject.root.into(),
            command: std::iter::once(program).chain(args).collect(),
        };
        Ok(watch.run(&|line| output::say(line))?)
    };
    match watched() {
        Ok(()) => 0,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            Ending::Usage.exit_code()
        }
    }
}

/// The arguments that a search depends on, quoted for a shell, each preceded by a space; `mutate` and its kind are one of
/// them.
fn options(args: impl Iterator<Item = String>) -> String {
    const SWITCHES: [&str; 9] = [
        "--full",
        "--apply",
        "--allow-dirty",
        "--no-cache",
        "--fresh",
        "--verbose",
        "-v",
        "--quiet",
        "-q",
    ];
    let args = args.skip(1);
    let mut args = args.skip_while(|arg| matches!(&**arg, "nopol" | "c" | "repair"));
    let mut kept = Vec::new();
    while let Some(arg) = args.next() {
        match arg.split('=').next().unwrap_or_default() {
            // The remaining arguments are for the test binaries.
            "--" => kept.extend(std::iter::once(arg).chain(&mut args)),
            // Its value may be the next argument.
            "--format" | "--html" | "--summary" | "--fail-on" | "--time-limit" | "--jobs"
            | "-j" => {
                drop((!arg.contains('=')).then(|| args.next()));
            }
            name if SWITCHES.contains(&name) || is_jobs(name) => {}
            _ => kept.push(arg),
        }
    }
    quoted(&kept)
}

/// Those of the [`options`] of a run that say which program is meant and where its results are. `apply`, `undo` and all
/// other commands need them, too.
fn place(options: &str) -> String {
    /// Options with a value, which may be the next argument.
    const WITH_VALUE: [&str; 12] = [
        "--source",
        "--build",
        "--input",
        "--output",
        "--command",
        "--script",
        "--name",
        "--config",
        "--manifest-path",
        "-m",
        "--target-dir",
        "--work-dir",
    ];
    let words = shlex::split(options).unwrap_or_default().into_iter();
    let mut words = words.take_while(|word| word != "--");
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if WITH_VALUE.contains(&name) {
            let value = (!word.contains('=')).then(|| words.next()).flatten();
            kept.push(word);
            kept.extend(value);
        } else if name == "--sanitize" || (word.starts_with("-m") && word.len() > 2) {
            kept.push(word);
        }
    }
    quoted(&kept)
}

/// These arguments, quoted for a shell, each preceded by a space.
fn quoted(args: &[String]) -> String {
    let quoted = args.iter().map(|arg| match shlex::try_quote(arg) {
        Ok(quoted) => format!(" {quoted}"),
        // An argument cannot contain a NUL.
        Err(_) => String::new(),
    });
    quoted.collect()
}

/// `-j4`.
fn is_jobs(arg: &str) -> bool {
    let number = arg.strip_prefix("-j");
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{options, place};

    #[test]
    fn options_that_choose_the_program_are_kept_for_other_commands() {
        assert_eq!(place(" --top 9 --file 'src/*.rs' -- --name x"), "");
        assert_eq!(
            place(" --source a.c --build='cc -g a.c' --failing t1 --sanitize --work-dir w"),
            " --source a.c '--build=cc -g a.c' --sanitize --work-dir w"
        );
        assert_eq!(place(" -ma/Cargo.toml --lib"), " -ma/Cargo.toml");
    }

    #[test]
    fn arguments_that_a_search_depends_on_are_kept_and_quoted() {
        let options = |line: &str| options(line.split('|').map(str::to_owned));
        assert_eq!(options("cargo-nopol|nopol"), "");
        assert_eq!(
            options("cargo-nopol|nopol|c|mutate|--function|f|--format=html"),
            " mutate --function f"
        );
        assert_eq!(
            options(
                "cargo-nopol|nopol|repair|--top|9|--apply=2|--format|json|--time-limit|60|-j4|--file|src/*.rs"
            ),
            " --top 9 --file 'src/*.rs'"
        );
        assert_eq!(
            options("cargo-nopol|--failing|it's|-v|--|--format|pretty"),
            r#" --failing "it's" -- --format pretty"#
        );
    }
}
