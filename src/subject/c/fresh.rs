//! Whether a build has compiled what changed. A makefile that does not list a source as a prerequisite leaves an old program
//! behind, and its tests say nothing of a patch. What such a build has made is put aside, and the build is repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::count;
use nopol_basics::hash::fnv1a_of;
use serde::{Deserialize, Serialize};

use super::opened::Opened;
use super::products::{Aside, was_made_since};
use super::{Program, build, calls, includes};
use crate::subject::SubjectError;
use crate::subject::paths::normal;
use crate::subject::workspace::{Build, Workspace};

/// By how much the time of a file may lie before the clock's when it was written.
const COARSE: Duration = Duration::from_millis(20);

/// Most sources that a message names.
const MOST_NAMED: usize = 4;

/// What builds of a working copy have compiled so far.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    /// The sources, relative to the root.
    sources: BTreeMap<Utf8PathBuf, Known>,
    /// The way in which it was built from nothing.
    way: Option<usize>,
}

/// What is known of a source.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    /// The text that was compiled; `None` if a build failed since.
    text: Option<u64>,
    /// The shim saw a call that compiles it.
    is_called: bool,
    /// A build from nothing did not read it.
    is_unused: bool,
}

/// A way to build from nothing.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Programs, objects and libraries that the user's directory has are put aside, too.
    pub without_users: bool,
    /// `make` takes every file for outdated.
    pub always_make: bool,
}

/// The ways, in the order in which they are tried.
const WAYS: [Way; 4] = [
    Way {
        without_users: true,
        always_make: false,
    },
    Way {
        without_users: true,
        always_make: true,
    },
    Way {
        without_users: false,
        always_make: true,
    },
    Way {
        without_users: false,
        always_make: false,
    },
];

/// Runs the build command, with these further variables of the environment.
type Once<'o> = &'o dyn Fn(&[(String, String)]) -> Result<Build>;

/// What one build was seen to do.
struct Seen {
    build: Build,
    /// The sources that something opened; `None` if that cannot be observed.
    opened: Option<BTreeSet<Utf8PathBuf>>,
    /// The files that calls of compilers compiled, with what these include.
    compiled: BTreeSet<Utf8PathBuf>,
    has_made_something: bool,
}

impl Seen {
    fn has_opened(&self, source: &Utf8Path) -> bool {
        let opened = self.opened.as_ref();
        opened.is_none_or(|opened| opened.contains(source))
    }

    fn has_compiled(&self, source: &Utf8Path, known: Option<&Known>) -> bool {
        let is_called = known.is_some_and(|known| known.is_called);
        self.has_opened(source)
            && self.has_made_something
            && (!is_called || self.compiled.contains(source))
    }

    fn has_compiled_anything(&self) -> bool {
        let has_opened = |opened: &BTreeSet<_>| !opened.is_empty();
        !self.compiled.is_empty() || self.opened.as_ref().is_none_or(has_opened)
    }
}

/// Builds by `once`, which takes further variables of the environment, and from nothing if a source that has changed was not
/// compiled.
///
/// # Errors
/// [`SubjectError::UnusableBaseline`] if no build compiles it; those of `once`; or if a file cannot be moved.
pub fn build(
    at: &Workspace,
    program: &Program,
    once: impl Fn(&[(String, String)]) -> Result<Build>,
) -> Result<Build> {
    let log = at.logs.join("compiled");
    let record = fs::read_to_string(&log).unwrap_or_default();
    let mut record: Record = serde_json::from_str(&record).unwrap_or_default();
    let build = with_record(at, program, &mut record, &once);
    let text = serde_json::to_string(&record).context("cannot record what was compiled")?;
    fs::write(&log, text).with_context(|| format!("cannot write {log}"))?;
    build
}

fn with_record(
    at: &Workspace,
    program: &Program,
    record: &mut Record,
    once: Once,
) -> Result<Build> {
    includes::renew_includers(&at.root, &program.build)?;
    let texts: BTreeMap<&Utf8PathBuf, u64> = program
        .sources
        .iter()
        .filter_map(|source| Some((source, fnv1a_of(&fs::read(at.root.join(source)).ok()?))))
        .collect();
    let seen = observed(at, program, || once(&[]))?;
    let changed = texts.iter().filter(|(source, text)| {
        let known = record.sources.get(**source);
        known.is_none_or(|known| known.text != Some(**text) && !known.is_unused)
    });
    let changed: Vec<&Utf8PathBuf> = changed.map(|(source, _)| *source).collect();
    if !seen.build.succeeded {
        for source in changed {
            record.sources.entry(source.clone()).or_default().text = None;
        }
        return Ok(seen.build);
    }
    let is_stale =
        |source: &&&Utf8PathBuf| !seen.has_compiled(source, record.sources.get(**source));
    let stale: Vec<&Utf8PathBuf> = changed.iter().filter(is_stale).copied().collect();
    let seen = match stale.is_empty() {
        true => seen,
        false => from_nothing(at, program, record, &stale, once)?,
    };
    if !seen.build.succeeded {
        for source in changed {
            record.sources.entry(source.clone()).or_default().text = None;
        }
        return Ok(seen.build);
    }
    for (source, text) in texts {
        let known = record.sources.entry(source.clone()).or_default();
        known.is_unused = !seen.has_opened(source) && (known.is_unused || stale.contains(&source));
        known.text = Some(text);
        known.is_called |= seen.compiled.contains(source);
    }
    Ok(seen.build)
}

/// Runs a build and watches what it does.
fn observed(
    at: &Workspace,
    program: &Program,
    once: impl FnOnce() -> Result<Build>,
) -> Result<Seen> {
    let log = build::calls_log(at);
    let before = calls::read(&log).len();
    let start = SystemTime::now() - COARSE;
    let opened = Opened::watch(&at.root, &program.sources);
    let build = once()?;
    let opened = opened.map(Opened::files);
    let calls = calls::read(&log).split_off(before);
    let compiled = calls.iter().filter(|call| call.compiles());
    let compiled = compiled.flat_map(|call| {
        let sources = call.sources().into_iter();
        sources.map(|source| normal(&call.dir.join(source)))
    });
    let compiled: BTreeSet<Utf8PathBuf> = compiled.collect();
    Ok(Seen {
        has_made_something: was_made_since(&at.root, start),
        compiled: match compiled.is_empty() {
            true => compiled,
            false => includes::with_included(&at.root, &program.build, compiled),
        },
        opened,
        build,
    })
}

/// Builds once more, without what was made before, until the stale sources are compiled. A source that no build from
/// nothing reads does not belong to the program, if none has read it before. One that does not compile fails the build.
fn from_nothing(
    at: &Workspace,
    program: &Program,
    record: &mut Record,
    stale: &[&Utf8PathBuf],
    once: Once,
) -> Result<Seen> {
    let was_read = |source: &&&Utf8PathBuf| {
        let known = record.sources.get(**source);
        known.is_some_and(|known| !known.is_unused)
    };
    let (mut partial, mut failed) = (None, None);
    let first = record.way.unwrap_or_default();
    for (number, way) in WAYS.iter().enumerate().skip(first) {
        let aside = Aside::take(at, program, *way)?;
        let env: Vec<_> = way.always_make.then(always_make).into_iter().collect();
        let seen = match observed(at, program, || once(&env)) {
            Ok(seen) => seen,
            // A program that a test starts is not there.
            Err(error) if error.is::<SubjectError>() => {
                aside.put_back()?;
                continue;
            }
            Err(error) => {
                aside.put_back()?;
                return Err(error);
            }
        };
        let unread: Vec<_> = stale.iter().filter(|it| !seen.has_opened(it)).collect();
        let succeeded = seen.build.succeeded && seen.has_compiled_anything();
        if succeeded && !unread.iter().any(was_read) {
            aside.put_back_what_is_missing()?;
            record.way = Some(number);
            // What is generated from a source may be there still.
            if unread.is_empty() || way.always_make {
                return Ok(seen);
            }
            partial = Some(seen);
            continue;
        }
        aside.put_back()?;
        if partial.is_some() {
            break;
        }
        if !seen.build.succeeded && stale.iter().any(|source| seen.has_opened(source)) {
            failed = failed.or(Some(seen));
            // It is known to be the right way, so the source does not compile.
            if record.way == Some(number) {
                break;
            }
        }
    }
    if let Some(seen) = partial.or(failed) {
        return Ok(seen);
    }
    let mut names: Vec<String> = stale.iter().map(|source| format!("`{source}`")).collect();
    let others = names.len().saturating_sub(MOST_NAMED);
    if others > 1 {
        names.truncate(MOST_NAMED);
        names.push(count(others, "other source"));
    }
    let named = match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} and {last}", others.join(", "))
        }
        _ => names.concat(),
    };
    Err(SubjectError::UnusableBaseline(format!(
        "`{}` does not compile {} again when {}, not even after its products were removed, so the tests would \
         run an old program; list every source as a prerequisite in the makefile, or give a `build` that always compiles",
        program.build,
        named,
        match stale.len() {
            1 => "it changes",
            _ => "they change",
        }
    ))
    .into())
}

/// The variable by which each `make` takes every file for outdated.
fn always_make() -> (String, String) {
    let flags = std::env::var("MAKEFLAGS").unwrap_or_default();
    let first = flags.split_whitespace().next().unwrap_or_default();
    // Letters without a dash are options if they come first.
    let dash = match first.is_empty() || first.starts_with('-') || first.contains('=') {
        true => "",
        false => "-",
    };
    ("MAKEFLAGS".to_owned(), format!("-B {dash}{flags}"))
}
