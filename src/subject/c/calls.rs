//! The compiler calls of a build, as the shim wrote them down, and the same calls made again for what else a compiler
//! can tell of a file: which lines its preprocessor passes on, and which variables it finds used uninitialized.

use std::collections::BTreeSet;
use std::fs::{self, File};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::confine::Confinement;
use nopol_process::run::process::{Job, Limits};
use nopol_source::c::branches::TakenLines;
use serde::{Deserialize, Serialize};

use crate::subject::paths::normal;
use crate::subject::workspace::Workspace;

/// A call of a compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The working directory.
    pub dir: Utf8PathBuf,
    /// The compiler's path.
    pub compiler: Utf8PathBuf,
    /// The arguments, without those that the tool adds.
    pub args: Vec<String>,
}

/// Options whose value is an argument of its own.
pub(super) const WITH_VALUE: [&str; 14] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-x",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
];

/// What makes a compiler look for variables that are used uninitialized. It sees most of them only when it optimizes.
const UNINITIALIZED: [&str; 9] = [
    "-O2",
    "-fno-lto",
    "-Wuninitialized",
    "-Wmaybe-uninitialized",
    "-Wno-unknown-warning-option",
    "-Wno-error",
    "-c",
    "-o",
    "/dev/null",
];
/// The end of the names of these warnings.
const OPTION: &str = "uninitialized]";

impl Call {
    /// The call as a line of the log.
    ///
    /// # Errors
    /// If serialization fails, which it does not for this type.
    pub fn line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// The same call in a copy of the directory `from`.
    pub fn moved(mut self, from: &Utf8Path, to: &Utf8Path) -> Self {
        self.dir = self.dir.as_str().replace(from.as_str(), to.as_str()).into();
        for arg in &mut self.args {
            *arg = arg.replace(from.as_str(), to.as_str());
        }
        self
    }

    /// The source files among the arguments.
    pub fn sources(&self) -> Vec<&str> {
        let mut args = self.args.iter();
        let mut found = Vec::new();
        while let Some(arg) = args.next() {
            if WITH_VALUE.contains(&&**arg) {
                args.next();
            } else if !arg.starts_with('-') && arg.ends_with(".c") {
                found.push(&**arg);
            }
        }
        found
    }

    /// Whether it compiles its source files, and does more than read them.
    pub fn compiles(&self) -> bool {
        const READING: [&str; 4] = ["-E", "-M", "-MM", "-fsyntax-only"];
        !self.args.iter().any(|arg| READING.contains(&&**arg))
    }

    /// The file that its options name as output.
    pub fn output(&self) -> Option<&str> {
        let mut args = self.args.iter();
        let mut found = None;
        while let Some(arg) = args.next() {
            match arg.strip_prefix("-o") {
                Some("") => found = args.next().map(String::as_str),
                Some(joined) => found = Some(joined),
                None if WITH_VALUE.contains(&&**arg) => {
                    args.next();
                }
                None => {}
            }
        }
        found
    }

    /// Whether everything is still there that the call for one of its source files needs. What asks a compiler what it
    /// can do, as `configure` does, removes its files and the directory with them.
    pub(super) fn can_be_repeated(&self, source: &str) -> bool {
        self.dir.is_dir() && self.dir.join(source).is_file() && self.compiler.is_file()
    }

    /// The arguments that decide how one of the source files is read, without those that say what is written.
    pub(super) fn args_for(&self, source: &str) -> Vec<String> {
        let mut args = self.args.iter();
        let mut kept = Vec::new();
        while let Some(arg) = args.next() {
            let value = match WITH_VALUE.contains(&&**arg) {
                true => args.next(),
                false => None,
            };
            let is_output = arg.starts_with("-o")
                || arg.starts_with("-M")
                || arg.starts_with("-save-temps")
                || matches!(&**arg, "-c" | "-S" | "-E" | "-w");
            let is_option = arg.starts_with(['-', '@']);
            let is_other_input = value.is_none() && !is_option && arg != source;
            if !is_output && !is_other_input {
                kept.push(arg.clone());
                kept.extend(value.cloned());
            }
        }
        kept
    }
}

/// The calls written down in a file; none if there is no such file.
pub fn read(log: &Utf8Path) -> Vec<Call> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let calls = text.lines().map(serde_json::from_str);
    calls.filter_map(Result::ok).collect()
}

/// The lines that these calls pass on from the preprocessor. A call that fails passes on what it can.
///
/// # Errors
/// If a compiler cannot be started, or the run is stopped.
pub fn taken_lines(at: &Workspace, calls: &[Call]) -> Result<TakenLines> {
    let mut taken = TakenLines::new();
    for call in calls {
        for source in call.sources() {
            if !call.can_be_repeated(source) {
                continue;
            }
            let (output, _) = again(at, call, source, &["-E"])?;
            add_lines(&at.root, &call.dir, &output, &mut taken);
        }
    }
    Ok(taken)
}

/// What the compiler of a file, which is relative to the root, warns of: variables that are used uninitialized. Of
/// several calls for the file, the last one counts.
///
/// # Errors
/// If the compiler cannot be started, or the run is stopped.
pub fn warnings(at: &Workspace, calls: Vec<Call>, file: &Utf8Path) -> Result<Vec<String>> {
    let path = at.root.join(file);
    for call in calls.iter().rev() {
        let mut sources = call.sources().into_iter();
        if let Some(source) = sources.find(|source| normal(&call.dir.join(source)) == path)
            && call.can_be_repeated(source)
        {
            let (_, errors) = again(at, call, source, &UNINITIALIZED)?;
            return Ok(uninitialized(&errors));
        }
    }
    Ok(Vec::new())
}

/// The warnings of variables that are used uninitialized, each with its function.
fn uninitialized(errors: &str) -> Vec<String> {
    let mut function = String::new();
    let mut found = Vec::new();
    for line in errors.lines() {
        if let Some((_, name)) = line.split_once("In function ") {
            function = format!(", in function {}", name.trim_end_matches([':', ',']));
        } else if let Some((_, warning)) = line.split_once(": warning: ")
            && let Some((text, option)) = warning.rsplit_once(" [-W")
            && option.ends_with(OPTION)
        {
            found.push(format!("{text}{function}"));
        }
    }
    found
}

/// What a compiler prints, on its two streams, if it is called again for one of the source files with further arguments.
fn again(at: &Workspace, call: &Call, source: &str, more: &[&str]) -> Result<(String, String)> {
    repeated(at, call, call.args_for(source), more)
}

/// What a compiler prints, on its two streams, if it is called again with these arguments.
///
/// # Errors
/// If the compiler cannot be started, or the run is stopped.
pub(super) fn repeated(
    at: &Workspace,
    call: &Call,
    mut args: Vec<String>,
    more: &[&str],
) -> Result<(String, String)> {
    args.extend(more.iter().map(|arg| (*arg).to_owned()));
    let mut env = at.confinement.build_env()?;
    // Messages are read.
    env.push(("LC_ALL".to_owned(), "C".to_owned()));
    let (stdout, stderr) = (at.logs.join("again-stdout"), at.logs.join("again-stderr"));
    let create =
        |path: &Utf8Path| File::create(path).with_context(|| format!("cannot write {path}"));
    at.supervisor.run(&Job {
        program: &call.compiler,
        args: &args,
        cwd: &call.dir,
        env: &env,
        unset: &Confinement::unset(),
        stdin: None,
        stdout: create(&stdout)?,
        stderr: create(&stderr)?,
        timeout: None,
        silence: None,
        limits: Limits::default(),
        random_addresses: false,
        sandbox: None,
    })?;
    let read = |path: &Utf8Path| {
        let bytes = fs::read(path).with_context(|| format!("cannot read {path}"))?;
        anyhow::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok((read(&stdout)?, read(&stderr)?))
}

/// The files below the root of which something is in preprocessed text, relative to the root.
pub(super) fn files(root: &Utf8Path, dir: &Utf8Path, text: &str) -> BTreeSet<Utf8PathBuf> {
    let files = text.lines().filter_map(marker);
    // The options of the command line have a name of this form.
    let files = files.filter(|(_, file)| !file.starts_with('<'));
    let files = files.map(|(_, file)| normal(&dir.join(file)));
    let below = files.filter_map(|file| Some(file.strip_prefix(root).ok()?.to_owned()));
    below.collect()
}

/// Adds the lines of files below the root that are in preprocessed text.
fn add_lines(root: &Utf8Path, dir: &Utf8Path, text: &str, taken: &mut TakenLines) {
    for file in files(root, dir, text) {
        taken.entry(file).or_default();
    }
    each_line(root, dir, text, |file, number, _| {
        if let Some(lines) = taken.get_mut(file) {
            lines.insert(number);
        }
    });
}

/// Calls `with` for the lines, except empty ones, of files below the root in preprocessed text: the file, relative to the root,
/// the line's number and its text.
pub(super) fn each_line(
    root: &Utf8Path,
    dir: &Utf8Path,
    text: &str,
    mut with: impl FnMut(&Utf8Path, usize, &str),
) {
    let mut place: Option<(Utf8PathBuf, usize)> = None;
    for line in text.lines() {
        if let Some((number, file)) = marker(line) {
            let file = normal(&dir.join(file));
            let file = file.strip_prefix(root).ok();
            place = file.map(|file| (file.to_owned(), number));
        } else if let Some((file, number)) = &mut place {
            if !line.trim().is_empty() {
                with(file, *number, line);
            }
            *number += 1;
        }
    }
}

/// The line number and the file of a line marker: `# 12 "a.c" 2`.
fn marker(line: &str) -> Option<(usize, String)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    let (file, _) = rest.rsplit_once('"')?;
    Some((
        number.parse().ok()?,
        file.replace("\\\"", "\"").replace("\\\\", "\\"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(args: &[&str]) -> Call {
        Call {
            dir: "/r/src".into(),
            compiler: "/usr/bin/cc".into(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        }
    }

    #[test]
    fn a_call_is_made_again_for_one_of_its_files() {
        let call = call(&[
            "-O1", "-I", "x.c", "-DN=1", "-MD", "-MF", "a.d", "-c", "-o", "a", "a.c", "b.c", "c.o",
        ]);
        assert_eq!(call.sources(), ["a.c", "b.c"]);
        assert_eq!(call.args_for("b.c"), ["-O1", "-I", "x.c", "-DN=1", "b.c"]);
    }

    #[test]
    fn warnings_of_uninitialized_variables_name_their_function() {
        let errors = "In function 'f',\n    inlined from 'g' at a.c:9:9:\na.c:3:5: warning: 'x' may be used uninitialized [-Wmaybe-uninitialized]\na.c:4:5: warning: unused variable 'y' [-Wunused-variable]\nb.c:9:1: warning: variable 'z' is used uninitialized [-Wsometimes-uninitialized]\n";
        assert_eq!(
            uninitialized(errors),
            [
                "'x' may be used uninitialized, in function 'f'",
                "variable 'z' is used uninitialized, in function 'f'"
            ]
        );
    }

    #[test]
    fn a_call_is_made_again_in_another_copy() {
        let moved = call(&["-I/r/include", "a.c"]).moved("/r".into(), "/s".into());
        assert_eq!(moved.dir, "/s/src");
        assert_eq!(moved.args, ["-I/s/include", "a.c"]);
    }

    #[test]
    fn lines_belong_to_the_file_of_the_last_marker() {
        let text = "# 0 \"<command-line>\"\nint w;\n# 1 \"/usr/h.h\" 1 3\nint x;\n# 3 \"../a.h\" 1\nint y;\n\nint z;\n# 9 \"a.c\" 2\n\nint v;\n";
        let mut taken = TakenLines::new();
        add_lines("/r".into(), "/r/src".into(), text, &mut taken);
        let found: Vec<(&str, Vec<usize>)> = taken
            .iter()
            .map(|(file, lines)| (file.as_str(), lines.iter().copied().collect()))
            .filter(|(file, _)| !file.contains('<'))
            .collect();
        assert_eq!(found, [("a.h", vec![3, 5]), ("src/a.c", vec![10])]);
    }
}
