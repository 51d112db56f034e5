//! Writing patches into the subject: `--apply` and `cargo nopol apply`. Only this and `undo` write there.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use nopol_basics::count;

use super::confirm::{self, Confirmed, Refuted, Untestable};
use super::current::{self, Current};
use super::request::{SubjectOptions, ago};
use super::{Target, consent, output, with_test};
use crate::invocation::{self, Earlier, Stale};
use crate::repair::discriminating::DiscriminatingTest;
use crate::repair::ending;
use crate::repair::places::{self, Places};
use crate::repair::settings::Settings;
use crate::report::Assurance;
use crate::report::Choice;
use crate::report::EditReport;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::format::{human, json};
use crate::subject::Subject;
use crate::subject::applied::{self, Applied};
use crate::subject::last_file::LastFile;
use crate::subject::patching::{self, Change, Presence};

/// Exit codes, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    the patch was written
  1    nothing was written: with the patch, the program does not build, or a test fails that the
       patch should fix or that passed before
  2    nothing was written: wrong usage, no such patch, a file that has changed since, a patch of
       FILE.json that was not confirmed, or no new test for --with-test
  3    nothing was written: the program does not build without the patch either, so the patch cannot
       be tested
  70   internal error, or writing to standard output failed
  130  interrupted, and nothing was written";

#[derive(Args, Clone, Debug)]
pub struct Apply<P: Target> {
    /// A report that --format json printed [default: the result of the last search], and the patch: its rank, RANK.N
    /// for its Nth alternative, or its id [default: 1]
    #[arg(value_names = ["FILE.json", "PATCH"], num_args = 0..=2)]
    what: Vec<String>,

    /// Apply even if the file has uncommitted changes
    #[arg(long)]
    allow_dirty: bool,

    /// Also write a new test, like one of yours, that passes with this patch and fails with another one; if there is
    /// no such test, nothing is written
    #[arg(long)]
    with_test: bool,

    /// Apply a patch of FILE.json without asking; it is built and run first, so use this only for a report that you trust
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    place: SubjectOptions<P>,
}

impl<P: Target> Apply<P> {
    pub fn run(self) -> u8 {
        let settings = match self.place.resolve() {
            Ok(settings) => settings,
            Err(code) => return code,
        };
        match self.applied(&settings) {
            Ok(said) => output::print(&said, 0),
            Err(error) => {
                output::complain(&format!("{error:#}"));
                exit_code(&error)
            }
        }
    }

    fn applied(&self, settings: &Settings) -> Result<String> {
        let is_file = |text: &str| text.ends_with(".json") || Utf8Path::new(text).is_file();
        let (file, wanted) = match &*self.what {
            [] => (None, "1"),
            [one] if is_file(one) => (Some(one), "1"),
            [one] => (None, &**one),
            [file, wanted, ..] if is_file(file) => (Some(file), &**wanted),
            [file, ..] => bail!(
                "there is no file `{file}`: give one patch, or a report and one of its patches"
            ),
        };
        let (mut note, mut of) = (None, None);
        let mut outcome = match file {
            Some(file) => reported(settings, file)?,
            None => {
                let last = last(settings)?;
                (note, of) = (last.changed, Some(last.run));
                last.outcome
            }
        };
        outcome.place.clone_from(&settings.place);
        if let Some(of) = of.as_ref().filter(|_| outcome.patches.is_empty()) {
            bail!(
                "there is no patch to apply: the last result is that of {}, which {}; nothing was changed",
                of.0,
                outcome.found_none()
            );
        }
        let choice = chosen(&outcome, wanted)?;
        // A patch from another person's report has not been seen yet.
        if let Some(file) = file {
            consent::ask(file, &diff(settings, &outcome, choice)?, self.yes)?;
        }
        let test = match self.with_test {
            true => {
                let alone = format!("To apply {} alone, leave out --with-test", choice.named());
                Some(with_test::find(settings, &outcome, choice, false, &alone)?)
            }
            false => None,
        };
        let written = apply(settings, &outcome, choice, test.as_ref(), self.allow_dirty)?;
        if let Some(of) = of {
            output::say(&format!(
                "note: this is {} of the {} run that ended {}",
                choice.named(),
                of.0,
                ago(of.1)
            ));
        }
        let is_known = written.beneath.is_empty() && !written.is_tested_now;
        if let Some(what) = note.filter(|_| is_known) {
            output::say(&format!(
                "note: {what} since the search, so run your tests again"
            ));
        }
        let shown = test.as_ref().map_or_else(String::new, |test| {
            format!(
                "{}\nThe test expects the behaviour of {}: check that this is what you want.\n",
                test.text.trim_end_matches('\n'),
                choice.named()
            )
        });
        Ok(said(&outcome.shown(), choice, test.as_ref(), &written) + &shown)
    }
}

/// The message about a patch that was applied.
pub fn said(
    outcome: &Outcome,
    choice: Choice,
    test: Option<&DiscriminatingTest>,
    written: &Written,
) -> String {
    let with = match test {
        None => String::new(),
        Some(DiscriminatingTest {
            name, file, fails, ..
        }) => format!(", and added the test `{name}` to {file}; {fails} fails it"),
    };
    let back = match test {
        None => "it",
        Some(_) => "both",
    };
    let together = match &*written.beneath {
        [] => String::new(),
        _ if written.is_tested_now => String::new(),
        [one] => {
            format!("It was checked without {one}, which is also applied: run your tests.\n")
        }
        several => format!(
            "It was checked without {}, which are also applied: run your tests.\n",
            several.join(" and ")
        ),
    };
    let notes: String = written
        .notes
        .iter()
        .map(|note| format!("{note}\n"))
        .collect();
    let of_rank = |patch: &&PatchReport| patch.rank == choice.rank as usize;
    let doubts: String = match outcome.patches.iter().find(of_rank) {
        // What was tested just now has its own.
        Some(patch) if !written.is_tested_now => patch
            .doubts
            .iter()
            .map(|it| format!("note: {it}\n"))
            .collect(),
        _ => String::new(),
    };
    format!(
        "Applied {} to {}{with}. `{} undo{}` reverts {back}.\n{notes}{together}{doubts}",
        choice.named(),
        human::files(outcome, choice),
        outcome.command,
        outcome.place
    )
}

/// A report in a file. It may be of somebody else and its hashes forged, so it has a say only in places where a search here
/// could have put a patch.
fn reported(settings: &Settings, file: &str) -> Result<Outcome> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
    let subject = settings.subject()?;
    let places = Places::of(&subject);
    let text_of = |path: &str| {
        places.check_file(path)?;
        let path = own(&subject, &subject.path_of(Utf8Path::new(path)))?;
        fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
    };
    let mut outcome = json::read(&text, &text_of).with_context(|| file.to_owned())?;
    outcome.command = settings.project.command();
    for patch in &outcome.patches {
        let others = patch.alternatives.iter().flat_map(|other| &other.edits);
        for edit in patch.edits.iter().chain(others) {
            let checked = places.check(edit);
            checked.with_context(|| format!("{file}: patch {}", patch.rank))?;
        }
    }
    // It is not known where and when it was tested.
    for patch in &mut outcome.patches {
        patch.evidence = patch.evidence.max(Assurance::Together);
    }
    Ok(outcome)
}

/// What a patch changes, as a diff.
fn diff(settings: &Settings, outcome: &Outcome, choice: Choice) -> Result<String> {
    let edits = edits(of_rank(outcome, choice.rank)?, choice.alternative)?;
    let subject = settings.subject()?;
    let files: BTreeSet<&str> = edits.iter().map(|edit| edit.file.as_str()).collect();
    let mut diff = String::new();
    for file in files {
        let of_file: Vec<&EditReport> = edits.iter().filter(|edit| edit.file == file).collect();
        let before = of_file.first().map_or("", |edit| &*edit.original);
        let after = current::edited(before, &of_file, None, |span| Some(span.clone()));
        let after = after.context("its edits overlap")?;
        diff += &places::diff(&subject, file, before, &after);
    }
    Ok(diff)
}

/// The patch of a rank.
fn of_rank(outcome: &Outcome, rank: u32) -> Result<&PatchReport> {
    let mut patches = outcome.patches.iter();
    let found = patches.find(|patch| patch.rank == rank as usize);
    found.ok_or_else(|| no_patch(outcome, rank))
}

/// A file without links on its way, if it is one of the subject. Reports and what is kept in the target directory may come
/// from elsewhere; they have no say in files of others.
pub(super) fn own(subject: &Subject, path: &Utf8Path) -> Result<Utf8PathBuf> {
    let real = path.canonicalize_utf8();
    let real = real.with_context(|| format!("cannot find {path}"))?;
    let top = subject.top().canonicalize_utf8()?;
    if !real.starts_with(&top) {
        let leads = match real == path {
            true => "is".to_owned(),
            false => format!("leads to {real}, which is"),
        };
        bail!(
            "{path} {leads} not below {top}, so it is not a file of this program; nothing was written"
        );
    }
    Ok(real)
}

/// The place of a file that does not exist yet, if it is in the subject.
fn new_file(subject: &Subject, file: &Utf8Path) -> Result<Utf8PathBuf> {
    let path = subject.path_of(file);
    let there = path.ancestors().skip(1).find(|dir| dir.exists());
    let there = there.with_context(|| format!("cannot find the directory of {path}"))?;
    let missing = path.strip_prefix(there)?;
    Ok(own(subject, there)?.join(missing))
}

/// What the last search found.
struct Last {
    outcome: Outcome,
    /// The command that found it, and the seconds since.
    run: (String, u64),
    /// Which file has changed since and how. Whether those that a patch changes are as they were is checked when it is applied.
    changed: Option<String>,
}

fn last(settings: &Settings) -> Result<Last> {
    settings.subject()?;
    match invocation::last_outcome(settings) {
        Earlier::Found {
            outcome,
            by,
            seconds,
            stale,
        } => Ok(Last {
            run: (
                format!("`{}`", by.as_deref().unwrap_or(outcome.command)),
                seconds,
            ),
            outcome: *outcome,
            changed: match stale {
                Some(Stale::Changed(what)) => Some(what).filter(|what| what.starts_with('/')),
                _ => None,
            },
        }),
        Earlier::Nothing => bail!(
            "there is no patch to apply: no search result is saved here. `{}{}` searches; it saves nothing if there is nothing to repair",
            settings.project.command(),
            settings.place
        ),
    }
}

/// The patch that was named by its rank or id.
fn chosen(outcome: &Outcome, wanted: &str) -> Result<Choice> {
    let of_id = outcome.patches.iter().find(|patch| patch.id == wanted);
    match of_id {
        Some(patch) => Ok(Choice {
            rank: u32::try_from(patch.rank)?,
            alternative: None,
        }),
        None => wanted.parse().map_err(|error| {
            anyhow::anyhow!("`{wanted}` is neither the id nor the rank of a patch: {error}")
        }),
    }
}

/// The file for what was applied.
pub(super) fn kept(settings: &Settings) -> Result<LastFile> {
    let subject = settings.subject()?;
    Ok(LastFile::of_applied(&subject, settings.work_dir.as_deref()))
}

/// What is to be known of a patch that was written.
#[derive(Debug)]
pub struct Written {
    /// The names of patches that were applied to the same files before.
    pub beneath: Vec<String>,
    /// The findings of the build and the tests just now, a sentence each.
    pub notes: Vec<String>,
    /// Whether it was built and tested just now, with everything that is in the subject's files.
    pub is_tested_now: bool,
}

/// Writes this patch, or an alternative to it, into the subject, and a new test. What was not built alone and tested so far is
/// first.
///
/// # Errors
/// If there is no such patch, a file has uncommitted changes or has changed since it was read otherwise than by patches of
/// other causes, the patch does not hold
/// ([`confirm::Refuted`]), or it cannot be tested ([`confirm::Untestable`]).
pub fn apply(
    settings: &Settings,
    outcome: &Outcome,
    choice: Choice,
    test: Option<&DiscriminatingTest>,
    allow_dirty: bool,
) -> Result<Written> {
    let Choice { rank, alternative } = choice;
    let patch = of_rank(outcome, rank)?;
    let is_tested = patch.evidence.is_tested() && alternative.is_none();
    let edits = edits(patch, alternative)?;
    let current = Current::new(settings)?;
    let mut files: BTreeSet<&str> = edits.iter().map(|edit| edit.file.as_str()).collect();
    let in_file = test.filter(|test| !test.is_new_file);
    files.extend(in_file.map(|test| test.file.as_str()));
    let (mut changes, mut beneath, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        let of_file: Vec<&EditReport> = edits.iter().filter(|edit| edit.file == file).collect();
        let new_test = in_file.filter(|test| test.file == file);
        let found = current.file(file, &of_file)?;
        found.refuse_fixed(patch, &outcome.names)?;
        for (earlier, _) in &found.since {
            let name = earlier.named();
            if !beneath.contains(&name) {
                beneath.push(name);
            }
        }
        // What git has not committed then is what was applied.
        if !allow_dirty && !found.is_result_of_patches {
            refuse_dirty(file, &found.path)?;
        }
        if new_test.is_some_and(|test| test.original != found.text) {
            bail!("{file} changed while a test for it was looked for; nothing was changed");
        }
        let after = found.edited(&of_file, new_test);
        let after = after.with_context(|| found.same_code(choice, &of_file))?;
        // A new test of a C program is not a source.
        if !of_file.is_empty() {
            texts.push((Utf8PathBuf::from(file), after.clone()));
        }
        changes.push(Change {
            path: found.path,
            before: found.text,
            after,
            presence: Presence::Stays,
        });
    }
    if let Some(test) = test.filter(|test| test.is_new_file) {
        changes.push(Change {
            path: new_file(&settings.subject()?, &test.file)?,
            before: String::new(),
            after: test.text.clone(),
            presence: Presence::Appears,
        });
    }
    let confirmed = match is_tested {
        true => Confirmed::default(),
        false => confirm::confirmed(settings, choice, &texts, &patch.fixes)?,
    };
    patching::make(&changes)?;
    let Current {
        kept, mut patches, ..
    } = current;
    patches.push(Applied {
        name: match test {
            None => choice.to_string(),
            Some(test) => format!("{choice} and the test `{}`", test.name),
        },
        fixes: patch.fixes.clone(),
        changes,
    });
    // That it cannot be taken back by a command is no reason to fail.
    if let Some(text) = applied::render(&patches) {
        let _ = kept.write(&text);
    }
    Ok(Written {
        beneath,
        notes: confirmed.notes,
        is_tested_now: confirmed.is_tested,
    })
}

/// How the process ends that an error kept from applying a patch.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let ending = match ending::of(error).0 {
        stopped @ (Ending::TimeLimit | Ending::Interrupted) => stopped,
        _ if error.is::<Refuted>() => Ending::NoPatch,
        _ if error.is::<Untestable>() => Ending::CannotBuild,
        Ending::Usage
        | Ending::CannotBuild
        | Ending::UnusableBaseline
        | Ending::Internal
        | Ending::Patched
        | Ending::PartlyPatched
        | Ending::NoPatch
        | Ending::NothingToRepair
        | Ending::Localized
        | Ending::Listed => Ending::Usage,
    };
    ending.exit_code()
}

/// The edits of a patch, or of an alternative to it.
pub(super) fn edits(patch: &PatchReport, alternative: Option<u32>) -> Result<Vec<EditReport>> {
    let Some(number) = alternative else {
        return Ok(patch.edits.clone());
    };
    let Some(other) = patch.alternatives.get(number as usize - 1) else {
        bail!("{}; nothing was changed", no_alternative(patch, number));
    };
    let edits = patch.edits_of(other);
    edits.context("this alternative changes another file than its patch, so it cannot be applied; nothing was changed")
}

/// That a patch has no alternative of this number.
pub(super) fn no_alternative(patch: &PatchReport, number: u32) -> String {
    format!(
        "patch {} has no alternative {number}: it has {}",
        patch.rank,
        match patch.alternatives.len() {
            0 => "none".to_owned(),
            some => format!("only {some}"),
        }
    )
}

/// Refuses a file with uncommitted changes, or with a state that git cannot determine. Outside a repository nothing
/// is uncommitted.
fn refuse_dirty(file: &str, path: &Utf8Path) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    let is_in_repository = dir.ancestors().any(|dir| dir.join(".git").exists());
    let mut command = Command::new("git");
    command
        .args(["--no-optional-locks", "status", "--porcelain", "--"])
        .arg(path);
    let output = command.current_dir(dir).output();
    let why = match output {
        Ok(output) if output.status.success() && output.stdout.is_empty() => return Ok(()),
        Ok(output) if output.status.success() => bail!(
            "{file} has uncommitted changes, so the patch was not applied; commit or stash them, or use --allow-dirty"
        ),
        _ if !is_in_repository => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    bail!(
        "git cannot tell whether {file} has uncommitted changes ({why}), so the patch was not applied; fix that, or use --allow-dirty"
    )
}

/// The error that the search, the last one or that of a report, found no patch of this rank.
pub(super) fn no_patch(outcome: &Outcome, rank: u32) -> anyhow::Error {
    anyhow::anyhow!(
        "there is no patch {rank} to apply: the search {}; nothing was changed",
        match outcome.patches.len() {
            0 => outcome.found_none(),
            found => format!("found {}", count(found, "patch")),
        }
    )
}
