//! The compiler calls of a build, as the shim wrote them down, and the same calls made again for what else a compiler
//! can tell of a file: here, which lines its preprocessor passes on.

use std::fs::{self, File};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::run::confine::Confinement;
use crate::run::process::{Job, Limits};
use crate::source::c::branches::TakenLines;
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
const WITH_VALUE: [&str; 14] = [
    "-o", "-MF", "-MT", "-MQ", "-I", "-D", "-U", "-L", "-l", "-x", "-include", "-isystem",
    "-iquote", "-idirafter",
];

impl Call {
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

    /// The arguments that decide how one of the source files is read, without those that say what is written.
    fn args_for(&self, source: &str) -> Vec<String> {
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
                || matches!(&**arg, "-c" | "-S" | "-E");
            let is_other_input = value.is_none() && !arg.starts_with('-') && arg != source;
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
            let args = [call.args_for(source), vec!["-E".to_owned()]].concat();
            let output = output(at, call, &args)?;
            add_lines(&at.root, &call.dir, &output, &mut taken);
        }
    }
    Ok(taken)
}

/// What a compiler prints with these arguments where it was called.
fn output(at: &Workspace, call: &Call, args: &[String]) -> Result<String> {
    let (stdout, stderr) = (at.logs.join("again-stdout"), at.logs.join("again-stderr"));
    let create = |path: &Utf8Path| File::create(path).with_context(|| format!("cannot write {path}"));
    at.supervisor.run(&Job {
        program: &call.compiler,
        args,
        cwd: &call.dir,
        env: &at.confinement.build_env()?,
        unset: &Confinement::unset(),
        stdin: None,
        stdout: create(&stdout)?,
        stderr: create(&stderr)?,
        timeout: None,
        silence: None,
        limits: Limits::default(),
        sandbox: None,
    })?;
    let bytes = fs::read(&stdout).with_context(|| format!("cannot read {stdout}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds the lines of files below the root that are in preprocessed text.
fn add_lines(root: &Utf8Path, dir: &Utf8Path, text: &str, taken: &mut TakenLines) {
    let mut place: Option<(Utf8PathBuf, usize)> = None;
    for line in text.lines() {
        if let Some((number, file)) = marker(line) {
            let file = normal(&dir.join(file));
            place = file.strip_prefix(root).ok().map(|file| {
                taken.entry(file.to_owned()).or_default();
                (file.to_owned(), number)
            });
        } else if let Some((file, number)) = &mut place {
            if !line.trim().is_empty()
                && let Some(lines) = taken.get_mut(file)
            {
                lines.insert(*number);
            }
            *number += 1;
        }
    }
}

/// The line number and the file of a line marker: `# 12 "a.c" 2`.
fn marker(line: &str) -> Option<(usize, String)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    let (file, _) = rest.rsplit_once('"')?;
    Some((number.parse().ok()?, file.replace("\\\"", "\"").replace("\\\\", "\\")))
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
