//! `cargo nopol c --init`: a `nopol.toml` from what is found.

mod building;
mod cases;
mod cmake;
mod database;
mod found;
mod listing;
mod make;
mod text;
mod variables;

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};

use camino::Utf8Path;

use self::cases::{Pairs, Script};
use self::listing::Listing;
use self::text::Plan;
use super::config::{self, NAME};
use crate::subject::SubjectError;

/// More files than one list should have.
const MOST_SOURCES: usize = 50;

/// Writes the file in `dir` from what is there; what was found, what was guessed and what is to be
/// filled in.
///
/// # Errors
/// [`SubjectError::Usage`] if there is such a file, or no C file, or it cannot be written.
pub fn init(dir: &Utf8Path) -> Result<String, SubjectError> {
    let usage = |text: String| Err(SubjectError::Usage(text));
    let there = || {
        usage(format!(
            "there is a {NAME} here, which is left as it is; remove it first to have a new one"
        ))
    };
    let dir = match dir.canonicalize_utf8() {
        Ok(dir) => dir,
        Err(error) => return usage(format!("cannot read {dir}: {error}")),
    };
    let path = dir.join(NAME);
    if path.symlink_metadata().is_ok() {
        return there();
    }
    let listing = Listing::of(&dir);
    if listing.sources().is_empty() {
        return usage(format!("there is no C file in {dir} or below it"));
    }
    let (mut plan, mut said) = plan(&listing);
    let mut text = plan.text();
    if let Err(error) = config::parse(&dir, &path, &text) {
        // What is found amiss is left to the user, as a comment.
        said.open.push(format!("tests are left out: {error}"));
        plan.building.tests.clear();
        plan.pairs = None;
        text = plan.text();
        config::parse(&dir, &path, &text)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(said.text()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => there(),
        Err(error) => usage(format!("cannot write {path}: {error}")),
    }
}

/// What the user is told.
#[derive(Default)]
struct Said {
    lines: Vec<String>,
    open: Vec<String>,
}

impl Said {
    fn text(&self) -> String {
        let mut text = format!("{NAME} is written:\n");
        for line in &self.lines {
            let _ = writeln!(text, "  {line}");
        }
        for open in &self.open {
            let _ = writeln!(text, "Still to do: {open}.");
        }
        text + "`cargo nopol c list` shows tests and places; `cargo nopol c` repairs what fails."
    }
}

fn plan(listing: &Listing) -> (Plan, Said) {
    let mut building = found::find(listing);
    let mut said = Said::default();
    let (mut sources, from) = match (database::compiled(listing), building.sources.take()) {
        (_, Some(sources)) => (sources, "all that is built"),
        (Some((sources, name)), None) => (sources, name),
        (None, None) => (listing.sources(), "all C files that do not look like tests"),
    };
    let left = sources.len().saturating_sub(MOST_SOURCES);
    sources.truncate(MOST_SOURCES);
    said.lines
        .push(format!("sources: {}, {from}", count(sources.len(), "file")));
    if left > 0 {
        said.open.push(format!(
            "of the sources {left} are left out; those where the bug may be are enough"
        ));
    }
    said.lines.push(format!(
        "build: `{}`, from {}",
        building.command, building.from
    ));
    let main = || {
        sources
            .iter()
            .find(|path| listing.has_main(path))
            .and_then(|path| path.file_stem())
    };
    let program = match building.programs.as_slice() {
        [program] => program.clone(),
        [program, others @ ..] => {
            said.open.push(format!(
                "tests run {program}; there are also {}",
                others.join(", ")
            ));
            program.clone()
        }
        [] => building::started(main().unwrap_or("program")),
    };
    let mut pairs = cases::pairs(listing);
    let script = cases::script(listing);
    if let Some(found) = pairs.take_if(|pairs| pairs.missing.is_some()) {
        let missing = found.missing.unwrap_or_default();
        said.open.push(format!(
            "`{}` and `{}` look like tests, but {missing} has no output",
            found.input, found.output
        ));
    }
    if !building.tests.is_empty() {
        said.lines.push(format!(
            "tests: {}, from {}",
            count(building.tests.len(), "command"),
            building.from
        ));
    }
    if let Some(pairs) = &pairs {
        let how = if pairs.words {
            "arguments"
        } else {
            "standard input"
        };
        let (found, Pairs { input, output, .. }) = (count(pairs.count, "pair"), pairs);
        said.lines.push(format!(
            "tests: {found}, `{input}` (taken as {how} of `{program}`) and `{output}`"
        ));
        if building.programs.is_empty() {
            said.open.push(format!(
                "`command`: nothing tells what is built, `{program}` is a guess"
            ));
        }
        if pairs.loose {
            said.open.push(
                "`match`: some outputs do not end in a plain line end, so words are compared"
                    .to_owned(),
            );
        }
    }
    if let Some(Script { command, .. }) = &script {
        said.open.push(format!(
            "`{command}` may run tests; an example is in the file, as a comment"
        ));
    }
    if building.tests.is_empty() && pairs.is_none() && script.is_none() {
        said.open.push(format!(
            "no tests were found; the file has an example to fill in, with `{program}`"
        ));
    }
    said.open.append(&mut building.open);
    let plan = Plan {
        sources,
        building,
        program,
        pairs,
        script,
    };
    (plan, said)
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
