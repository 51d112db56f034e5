//! Running a test that is a command under valgrind's Memcheck, and what it finds there.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

use super::{Binary, Plan, Runner};

/// Where Memcheck writes what it finds, in the run directory.
const FOUND: &str = "memcheck";
/// What a report contains once the program runs.
const STARTED: &str = "<state>RUNNING</state>";
/// Programs of the system, such as shells, are not checked.
const SKIPPED: &str = "--trace-children-skip=/bin/*,/usr/*";

/// Valgrind, if it is installed.
pub fn installed() -> Option<Utf8PathBuf> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).map(|dir| dir.join("valgrind"));
    let mut programs = programs.filter_map(|program| Utf8PathBuf::from_path_buf(program).ok());
    programs.find(|program| {
        let file = fs::metadata(program);
        file.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}

impl Runner<'_> {
    /// What Memcheck finds in the functions of the subject while a test runs that is a command, a clause each; whether it
    /// passes is not asked. What a test that is ended did until then counts. `None` if Memcheck cannot watch the program: it
    /// has a sanitizer that needs the same memory, or is for a processor that valgrind does not know.
    ///
    /// # Errors
    /// If the run is stopped, or valgrind cannot be started.
    pub fn memory_errors(
        &self,
        valgrind: &Utf8Path,
        binary: &Binary,
        test: &str,
        timeout: Duration,
    ) -> Result<Option<BTreeSet<String>>> {
        if binary.harness.needs_addresses() {
            return Ok(None);
        }
        let plan = Plan {
            timeout,
            ..Plan::default()
        };
        let run = |dir: &Utf8Path| {
            let mut launch = self.launch(dir, binary, test, &plan)?;
            let program = std::mem::replace(&mut launch.program, valgrind.to_owned());
            let own = [
                "--quiet".to_owned(),
                "--leak-check=no".to_owned(),
                "--vgdb=no".to_owned(),
                "--trace-children=yes".to_owned(),
                SKIPPED.to_owned(),
                "--child-silent-after-fork=yes".to_owned(),
                "--xml=yes".to_owned(),
                format!("--xml-file={}", dir.join(format!("{FOUND}.%p"))),
                program.to_string(),
            ];
            launch.args.splice(0..0, own);
            self.start(dir, binary, launch)?;
            let mut found = BTreeSet::new();
            let mut has_started = false;
            for entry in fs::read_dir(dir).with_context(|| format!("cannot read {dir}"))? {
                let entry = entry?;
                if entry.file_name().to_string_lossy().starts_with(FOUND) {
                    let text = fs::read(entry.path())?;
                    let text = String::from_utf8_lossy(&text);
                    has_started |= text.contains(STARTED);
                    found.extend(errors(&text, binary.tree.top()));
                }
            }
            Ok(has_started.then_some(found))
        };
        let (found, _) = binary.tree.guard(test, || self.with_run_dir(run))?;
        Ok(found)
    }
}

/// The errors of a report that happen in a program below a directory.
fn errors(report: &str, below: &Utf8Path) -> Vec<String> {
    let mut found = Vec::new();
    for error in report.split("<error>").skip(1) {
        let error = error.split("</error>").next().unwrap_or_default();
        // Of several stacks the first one is that of the error itself.
        let stack = error.split("</stack>").next().unwrap_or_default();
        let mut frames = stack.split("<frame>").skip(1);
        let is_own = |frame: &&str| {
            element(frame, "obj").is_some_and(|object| Utf8Path::new(object).starts_with(below))
        };
        let Some(function) = frames.find(is_own).and_then(|frame| element(frame, "fn")) else {
            continue;
        };
        let what = match element(error, "kind") {
            Some("UninitCondition" | "UninitValue" | "SyscallParam") => {
                "uses an uninitialized value"
            }
            Some("InvalidRead") => "reads memory that it does not own",
            Some("InvalidWrite") => "writes memory that it does not own",
            Some("InvalidFree" | "MismatchedFree") => "frees memory that it does not own",
            _ => continue,
        };
        found.push(format!("`{function}` {what}"));
    }
    found
}

/// The text of the first element with a name.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_that_of_the_first_function_of_the_subject() {
        let report = "<error>\n<kind>UninitCondition</kind>\n<stack>\
            <frame><obj>/usr/lib/libc.so.6</obj><fn>printf</fn></frame>\
            <frame><obj>/copy/prog</obj><fn>show</fn></frame></stack>\
            <auxwhat>created by</auxwhat><stack><frame><obj>/copy/prog</obj><fn>main</fn></frame></stack></error>\
            <error><kind>InvalidRead</kind><stack><frame><obj>/usr/bin/sh</obj><fn>main</fn></frame></stack></error>\
            <error><kind>InvalidRead</kind><stack><frame><obj>/copy/prog</obj><fn>next</fn></frame></stack></error>";
        assert_eq!(
            errors(report, Utf8Path::new("/copy")),
            [
                "`show` uses an uninitialized value",
                "`next` reads memory that it does not own"
            ]
        );
    }

    #[test]
    fn a_report_that_ends_early_is_read_as_far_as_it_goes() {
        assert!(
            errors(
                "<error><kind>InvalidRead</kind><stack><frame><obj>",
                "/".into()
            )
            .is_empty()
        );
        assert!(errors("", "/".into()).is_empty());
    }
}
