//! The user's request, merged from files, the environment and the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use nopol_basics::count;
use serde::Serialize;

use super::options::SearchOptions;
use super::repair::given_place;
use super::{output, schema};
use crate::config::{Config, ConfigError};
use crate::exchange;
use crate::invocation::{self, Earlier, Stale};
use crate::repair::settings::Settings;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::display::Display;
use crate::report::format::{Format, HTML, MARKDOWN, json};
use crate::subject::{Project, SubjectError, files};

/// The options that describe the subject.
pub trait Target: Args + Clone {
    /// Adds the settings in the subject's configuration files.
    fn add_files(&self, config: &mut Config) -> Result<(), SubjectError>;

    /// Adds the options that are settings.
    fn add_flags(&self, config: &mut Config) -> Result<(), ConfigError>;

    /// The description of the subject.
    fn project(&self, config: &Config) -> Result<Project, ConfigError>;

    /// Its settings as TOML.
    fn print(config: &Config) -> Result<String, ConfigError>;

    /// The rest of its description, as TOML tables.
    fn print_tables(&self) -> Result<String, SubjectError>;
}

/// Options of every subcommand; `P` are those that choose the subject.
#[derive(Args, Clone, Debug)]
pub struct Common<P: Args> {
    #[command(flatten)]
    project: P,

    #[command(flatten)]
    options: SearchOptions,

    /// Show all settings as a nopol.toml, with the origin of each value, and do nothing else
    #[arg(long)]
    print_config: bool,

    /// Show the JSON schema of nopol.toml, and do nothing else
    #[arg(long)]
    print_schema: bool,

    #[command(flatten)]
    files: Files,

    /// Show the schema of the output of --format json, and do nothing else
    #[arg(long)]
    emit_schema: bool,
}

/// Options of what works with an earlier search: `P` tell what it was about.
#[derive(Args, Clone, Debug)]
pub struct SubjectOptions<P: Args> {
    #[command(flatten)]
    project: P,

    #[command(flatten)]
    work: WorkDir,
}

/// Where the working copy and the last outcome are; the setting of that name.
#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct WorkDir {
    /// Where the working copy, the build cache and the last result are [default: TARGET_DIR/nopol; for C, a directory in ~/.cache/cargo-nopol]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<Utf8PathBuf>,
}

impl<P: Target> SubjectOptions<P> {
    /// The place that these options describe.
    pub fn of(project: P) -> Self {
        Self {
            project,
            work: WorkDir { work_dir: None },
        }
    }

    /// How the tool is called for such a subject.
    ///
    /// # Errors
    /// If the options are wrong.
    pub fn command(&self) -> Result<&'static str, ConfigError> {
        Ok(self.project.project(&Config::default())?.command())
    }

    /// This place, of another kind of subject.
    pub fn with<Q: Target>(&self, project: Q) -> SubjectOptions<Q> {
        SubjectOptions {
            project,
            work: self.work.clone(),
        }
    }

    /// The settings of which the place matters; an exit code if the options are wrong, after printing the error.
    pub fn resolve(&self) -> Result<Settings, u8> {
        self.settings().map_err(|error| {
            output::complain(&error.to_string());
            Ending::Usage.exit_code()
        })
    }

    /// The settings of which the place matters.
    ///
    /// # Errors
    /// If the options are wrong, or there is no subject.
    pub fn settings(&self) -> Result<Settings, SubjectError> {
        let mut config = read_config(&self.project)?;
        config.add_flags(&self.work)?;
        Ok(Settings {
            tool: Some(own_path()?),
            place: given_place(),
            project: self.project.project(&config)?,
            ..config.get()?
        })
    }
}

/// What the subject's files, the environment and the options about it say.
fn read_config<P: Target>(project: &P) -> Result<Config, SubjectError> {
    let mut config = Config::default();
    project.add_files(&mut config)?;
    // No setting has a value that is not UTF-8.
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    // The tool's own variables come after cargo's, `CARGO_TERM_…`, and so precede them.
    let variables: BTreeMap<String, String> = variables.collect();
    config.add_environment(variables.into_iter().rev())?;
    project.add_flags(&mut config)?;
    Ok(config)
}

fn own_path() -> Result<PathBuf, ConfigError> {
    std::env::current_exe()
        .map_err(|error| ConfigError(format!("cannot find the tool's own path: {error}")))
}

/// Reports in files. No setting: what comes with a subject must not name files to write.
#[derive(Args, Clone, Debug, Default)]
pub struct Files {
    /// Also write a page for a browser to this file
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    html: Option<Utf8PathBuf>,

    /// Also write a summary in Markdown to this file, such as "$GITHUB_STEP_SUMMARY" in GitHub Actions
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    summary: Option<Utf8PathBuf>,
}

impl Files {
    /// The files that are written, standard output included if it is one.
    fn outputs(&self) -> BTreeSet<PathBuf> {
        let named = self.all().into_iter().filter_map(|(path, _)| {
            let parent = path.parent().filter(|parent| *parent != "");
            let parent = parent.unwrap_or(Utf8Path::new(".")).canonicalize().ok()?;
            Some(parent.join(path.file_name()?))
        });
        let stdout = fs::read_link("/proc/self/fd/1").ok();
        let stdout = stdout.filter(|path| path.is_file());
        named.chain(stdout).collect()
    }

    /// Each file with its format.
    pub fn all(&self) -> Vec<(&Utf8Path, Format)> {
        let wanted = [(&self.html, HTML), (&self.summary, MARKDOWN)].into_iter();
        wanted
            .filter_map(|(path, format)| Some((path.as_deref()?, format)))
            .collect()
    }
}

/// What to do, and how to show the result.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub settings: Settings,
    pub display: Display,
    pub files: Files,
}

impl<P: Target> Common<P> {
    /// The options that choose the subject.
    pub fn target(&self) -> &P {
        &self.project
    }

    /// The request; an exit code if the options are wrong, after printing the error, or if they only print the
    /// configuration.
    pub fn resolve(&self) -> Result<SearchRequest, u8> {
        let wrong = |message: String| {
            let outcome = Outcome {
                ending: Ending::Usage,
                message: Some(message),
                ..Outcome::default()
            };
            output::show(&outcome, self.options.format.unwrap_or_default())
        };
        if self.emit_schema {
            return Err(match json::schema() {
                Ok(text) => output::print_exact(&text, 0),
                Err(error) => wrong(error.to_string()),
            });
        }
        if self.print_schema {
            return Err(match schema::of_settings() {
                Ok(text) => output::print_exact(&text, 0),
                Err(error) => wrong(error.to_string()),
            });
        }
        let config = self.config().map_err(|error| wrong(error.to_string()))?;
        if self.print_config {
            return Err(match self.print(&config) {
                Ok(text) => output::print_exact(&text, 0),
                Err(error) => wrong(error.to_string()),
            });
        }
        let request = self.request(&config).map_err(|error| wrong(error.0))?;
        request.check_outputs().map_err(wrong)?;
        match request.display.format.needs_base() && request.settings.diff_base.is_none() {
            true => Err(wrong(format!(
                "--format {} needs --diff-base: the commit that the pull request is against, such as origin/main",
                request.display.format.name()
            ))),
            false => Ok(request),
        }
    }

    /// All sources of settings, in order of increasing precedence.
    fn config(&self) -> Result<Config, SubjectError> {
        let mut config = read_config(&self.project)?;
        config.add_flags(&self.options)?;
        Ok(config)
    }

    fn request(&self, config: &Config) -> Result<SearchRequest, ConfigError> {
        Ok(SearchRequest {
            settings: Settings {
                project: self.project.project(config)?,
                tool: Some(own_path()?),
                place: given_place(),
                outputs: self.files.outputs(),
                ..config.get()?
            },
            display: config.get()?,
            files: self.files.clone(),
        })
    }

    fn print(&self, config: &Config) -> Result<String, SubjectError> {
        Ok([
            config.print::<Settings>()?,
            P::print(config)?,
            config.print::<Display>()?,
            self.project.print_tables()?,
        ]
        .concat())
    }
}

impl SearchRequest {
    /// Whether all outputs can be written; a search takes long, and its result must not be lost in the end.
    fn check_outputs(&self) -> Result<(), String> {
        let Files { html, summary } = &self.files;
        let Settings { dump, work_dir, .. } = &self.settings;
        type Check = fn(&Utf8Path) -> Result<(), String>;
        let of_summary: Check = match summary.as_deref().is_some_and(output::is_shared) {
            true => files::may_write,
            false => files::may_replace,
        };
        let outputs: [(&str, &Option<Utf8PathBuf>, Check); 4] = [
            ("--html", html, files::may_replace),
            ("--summary", summary, of_summary),
            ("--dump", dump, |dir| {
                files::may_fill(dir).and_then(|()| exchange::may_own(dir))
            }),
            ("--work-dir", work_dir, files::may_fill),
        ];
        for (option, path) in [("--html", html), ("--summary", summary)] {
            if let Some(path) = path.as_deref().filter(|path| files::is_program_text(path)) {
                return Err(format!(
                    "{option}: {path} is part of a program, and a report would replace it; name another file"
                ));
            }
        }
        for (option, path, check) in outputs {
            if let Some(path) = path {
                check(path).map_err(|why| format!("{option}: {path} {why}"))?;
            }
        }
        Ok(())
    }

    /// The error if reports are to be written to files, and this command writes none.
    pub fn refuse_files(&self, command: &str) -> Result<(), u8> {
        if self.files.all().is_empty() {
            return Ok(());
        }
        output::complain(&format!(
            "`{command}` writes no report to a file; give --html or --summary to `{}`",
            self.settings.project.command()
        ));
        Err(Ending::Usage.exit_code())
    }

    /// The format of the result.
    pub fn format(&self) -> Format {
        self.display.format
    }

    /// The outcome of the last search if it is still valid; otherwise, and with `no_cache`, that of a new one.
    pub fn outcome(&self, no_cache: bool) -> Outcome {
        let earlier = match no_cache {
            true => Earlier::Nothing,
            false => invocation::last_outcome(&self.settings),
        };
        match earlier {
            Earlier::Found {
                mut outcome,
                seconds,
                stale: None,
                ..
            } => {
                if let Err(error) = invocation::tell_shown(&self.settings, &mut outcome) {
                    return Outcome {
                        ending: Ending::Usage,
                        message: Some(error.to_string()),
                        ..Outcome::default()
                    };
                }
                for warning in outcome.own_warnings() {
                    let warning = outcome.names.in_sentence(warning);
                    output::say(&format!("warning: {warning}"));
                }
                self.note(&format!(
                    "these results are from a search {}; no file, compiler or build setting has changed since (--no-cache searches again)",
                    ago(seconds)
                ));
                outcome.place.clone_from(&self.settings.place);
                *outcome
            }
            Earlier::Found {
                stale: Some(stale),
                by,
                ..
            } => {
                self.note(&match (stale, by) {
                    (_, Some(by)) => {
                        format!("searching, because the last result is from `{by}`")
                    }
                    (Stale::Changed(what), None) => {
                        format!("searching again, because {what} since the last search")
                    }
                    (Stale::Stopped, None) => {
                        "searching again, because the last search was stopped".to_owned()
                    }
                });
                output::run(self)
            }
            Earlier::Nothing => output::run(self),
        }
    }

    /// Reports a step to the user.
    pub fn note(&self, text: &str) {
        if !self.display.quiet {
            output::say(&format!("note: {text}"));
        }
    }
}

/// A duration in seconds as `2 minutes ago`, in the largest unit that fits.
pub fn ago(seconds: u64) -> String {
    match seconds {
        0 => "a moment ago".to_owned(),
        1..60 => format!("{} ago", count_of(seconds, "second")),
        60..3600 => format!("{} ago", count_of(seconds / 60, "minute")),
        3600..86_400 => format!("{} ago", count_of(seconds / 3600, "hour")),
        _ => format!("{} ago", count_of(seconds / 86_400, "day")),
    }
}

fn count_of(number: u64, unit: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), unit)
}
