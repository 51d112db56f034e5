//! Programs of one file: compiled, run on a test, patched.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::record::Patch;

/// How a run ended, and what it printed.
#[derive(PartialEq, Eq)]
pub struct Ended {
    /// `None` after a signal, too: that of the time limit is no other.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
}

/// What is to be run, and how long.
pub struct Run<'a> {
    pub program: &'a Path,
    /// How it is called: as in the tests that the tool has, for a patch may read that.
    pub name: &'a str,
    pub args: &'a [String],
    pub stdin: Option<PathBuf>,
    pub limit: Duration,
    /// Bytes that are read of what it prints; whoever prints more is stopped.
    pub most: u64,
}

impl Run<'_> {
    /// Runs the program.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self) -> Result<Ended> {
        let stdin = match &self.stdin {
            Some(path) => File::open(path)
                .with_context(|| format!("cannot open {}", path.display()))?
                .into(),
            None => Stdio::null(),
        };
        let mut command = Command::new(self.program);
        command.arg0(self.name).args(self.args).stdin(stdin);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot run {command:?}"))?;
        let stdout = child.stdout.take().context("no standard output")?;
        let most = self.most;
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            stdout.take(most).read_to_end(&mut bytes).map(|_| bytes)
        });
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > self.limit {
                child.kill()?;
                break child.wait()?;
            }
            thread::sleep(pause);
            pause = (pause * 3 / 2).min(Duration::from_millis(10));
        };
        let stdout = reader
            .join()
            .map_err(|_| anyhow::anyhow!("the reader panicked"))?;
        Ok(Ended {
            code: status.code(),
            stdout: stdout?,
        })
    }
}

/// Compiles one file; whether it could be.
///
/// # Errors
/// If the compiler cannot be started.
pub fn compile(compiler: &[&str], source: &Path, program: &Path) -> Result<bool> {
    let (name, flags) = compiler.split_first().context("no compiler")?;
    let mut command = Command::new(name);
    // Libraries come after what needs them.
    command.arg("-o").arg(program).arg(source).args(flags);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status();
    let status = status.with_context(|| format!("cannot run {command:?}"))?;
    Ok(status.success())
}

/// The file as a patch has it; `None` if the patch is of something else.
pub fn patched(source: &[u8], name: &str, patch: &Patch) -> Option<Vec<u8>> {
    let mut edits: Vec<_> = patch.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut text = source.to_vec();
    for edit in edits {
        let span = edit.span.start..edit.span.end;
        if edit.file != name || source.get(span.clone())? != edit.before.as_bytes() {
            return None;
        }
        text.splice(span, edit.after.bytes());
    }
    (!patch.edits.is_empty()).then_some(text)
}

/// Writes and compiles the file as a patch has it; its program, `None` if there is none.
///
/// # Errors
/// If that is not for the patch: a file cannot be written, a compiler not be started.
pub fn build_patched(
    compiler: &[&str],
    source: &Path,
    patch: &Patch,
    dir: &Path,
) -> Result<Option<PathBuf>> {
    let name = source.file_name().unwrap_or_default();
    let Some(text) = patched(&fs::read(source)?, &name.to_string_lossy(), patch) else {
        eprintln!("a patch does not fit {}", source.display());
        return Ok(None);
    };
    let (file, program) = (dir.join("patched.c"), dir.join("patched"));
    fs::write(&file, text)?;
    let is_built = compile(compiler, &file, &program)?;
    Ok(is_built.then_some(program))
}

/// `work` on each of the items, on all cores; the results in their order.
///
/// # Errors
/// The first that `work` has.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let worker = || {
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            let result = work(item);
            if let Ok(mut done) = done.lock() {
                done.push((index, result));
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(worker);
        }
    });
    let done = done.into_inner();
    let mut done = done.map_err(|_| anyhow::anyhow!("a run panicked"))?;
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::record::{Edit, Span};

    fn edit(start: usize, before: &str, after: &str) -> Edit {
        Edit {
            file: "a.c".to_owned(),
            span: Span {
                start,
                end: start + before.len(),
            },
            before: before.to_owned(),
            after: after.to_owned(),
            ..Edit::default()
        }
    }

    #[test]
    fn edits_are_of_the_file_as_it_was() {
        let mut patch = Patch {
            edits: vec![edit(0, "a", "long"), edit(3, "", "!"), edit(2, "c", "")],
        };
        assert_eq!(patched(b"abcd", "a.c", &patch).unwrap(), b"longb!d");
        assert_eq!(patched(b"xbcd", "a.c", &patch), None);
        assert_eq!(patched(b"abcd", "b.c", &patch), None);
        patch.edits.clear();
        assert_eq!(patched(b"abcd", "a.c", &patch), None);
    }

    #[test]
    fn results_have_the_order_of_their_items() {
        let items: Vec<u32> = (0..100).collect();
        let twice = in_parallel(&items, |item| Ok(2 * item)).unwrap();
        assert_eq!(twice, items.iter().map(|item| 2 * item).collect::<Vec<_>>());
        assert!(in_parallel(&items, |_| -> Result<()> { anyhow::bail!("no") }).is_err());
    }

    #[test]
    fn who_does_not_stop_is_stopped() {
        let args = ["-c".to_owned(), "echo a; exec sleep 9".to_owned()];
        let mut run = Run {
            program: Path::new("/bin/sh"),
            name: "sh",
            args: &args,
            stdin: None,
            limit: Duration::from_millis(300),
            most: 9,
        };
        let ended = run.run().unwrap();
        assert!(ended.code.is_none() && ended.stdout == b"a\n");
        let args = ["-c".to_owned(), "while echo a; do :; done".to_owned()];
        (run.args, run.limit) = (&args, Duration::from_secs(60));
        assert_eq!(run.run().unwrap().stdout.len(), 9);
    }
}
