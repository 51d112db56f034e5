//! Runs the build command of a C program, and prepares its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use nopol_process::run::command::{Case, REPORTED};
use nopol_process::run::confine::Confinement;
use nopol_process::run::preload;
use nopol_process::run::process::{Job, Limits};
use nopol_process::run::{Binary, Commands, Harness};

use super::{Program, diagnostics, fresh, shim, target};
use crate::subject::SubjectError;
use crate::subject::paths::normal;
use crate::subject::workspace::{Build, Diagnostic, Linked, Workspace};

/// Compiler flags of a sanitized build. The first sanitizer report ends the program.
const SANITIZED: &str =
    "-fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all";
/// Compiler flags for a debugger: statements in their order, variables in memory.
const DEBUGGED: &str = "-g -O0";

/// Builds the program from the sources as they are.
///
/// # Errors
/// If the shell cannot be started, the run is stopped, or the build command leaves an old program there. A compilation error
/// is a result.
pub fn build(at: &Workspace, program: &Program, linked: Linked) -> Result<Build> {
    fresh::build(at, program, |more| once(at, program, linked, more))
}

/// Runs the build command, with more variables in its environment.
fn once(
    at: &Workspace,
    program: &Program,
    linked: Linked,
    more: &[(String, String)],
) -> Result<Build> {
    fs::create_dir_all(&at.logs).with_context(|| format!("cannot create {}", at.logs))?;
    let messages = at.logs.join("messages");
    let mut args = Vec::new();
    let mut env = at.confinement.build_env()?;
    if let Linked::Runtime(dir) = linked {
        let others = std::env::var("C_INCLUDE_PATH").unwrap_or_default();
        let dirs = [dir.as_str(), &others];
        let dirs: Vec<&str> = dirs.into_iter().filter(|dir| !dir.is_empty()).collect();
        env.push(("C_INCLUDE_PATH".to_owned(), dirs.join(":")));
        env.push((shim::CALLS.to_owned(), calls_log(at).to_string()));
        // Of the build before, if there is one.
        let _ = fs::remove_file(&messages);
        env.push((shim::MESSAGES.to_owned(), messages.to_string()));
    }
    if matches!(linked, Linked::Runtime(_)) || at.caps_lints {
        args.push("-w");
    }
    if at.is_debugged {
        args.push(DEBUGGED);
    } else if program.sanitize && !at.is_unsanitized {
        args.push(SANITIZED);
    }
    // Also without arguments: what configures a build may note the compiler's path for later builds, which have some.
    if !args.is_empty() || at.subject.tool.is_some() {
        let shims = shims(at)?;
        let path = std::env::var("PATH").unwrap_or_default();
        env.push(("PATH".to_owned(), format!("{shims}:{path}")));
        env.push((shim::DIR.to_owned(), shims.to_string()));
        env.push((shim::ARGS.to_owned(), args.join(" ")));
    }
    env.extend_from_slice(more);
    let start = SystemTime::now();
    let (stdout, stderr) = (at.logs.join("stdout"), at.logs.join("stderr"));
    let exit = at.supervisor.run(&Job {
        program: Utf8Path::new("sh"),
        args: &["-c".to_owned(), program.build.clone()],
        cwd: &at.root,
        env: &env,
        unset: &Confinement::unset(),
        stdin: None,
        stdout: File::create(&stdout)?,
        stderr: File::create(&stderr)?,
        timeout: None,
        silence: None,
        limits: Limits::default(),
        random_addresses: false,
        sandbox: None,
    })?;
    let read = |path: &Utf8Path| {
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (output, errors) = (read(&stdout), read(&stderr));
    let mut build = Build {
        succeeded: exit.code == Some(0),
        ..Build::default()
    };
    if build.succeeded {
        for case in &program.cases {
            check_program(at, program, case)?;
        }
        build.binaries.insert(target(), binary(at, program));
        return Ok(build);
    }
    build.errors = match linked {
        Linked::Runtime(_) => {
            let known = diagnostics::read(&at.root, &read(&messages));
            match known.is_empty() {
                // A compiler that was called by a path says nothing to the shim.
                true => diagnostics::read(&at.root, &errors),
                false => known,
            }
        }
        // A warning that is an error only because of `-Werror` is treated like a denied lint.
        Linked::Plain | Linked::InPlace if errors.contains("[-Werror") => vec![Diagnostic {
            code: "-Werror".to_owned(),
            ..Diagnostic::default()
        }],
        Linked::Plain | Linked::InPlace => Vec::new(),
    };
    build.output = errors
        .lines()
        .map(|line| line.to_owned() + "\n")
        .collect::<String>()
        + &output;
    if build.output.trim().is_empty() {
        build.output = format!("`{}` fails without a message", program.build);
    }
    if !is_compilers_fault(&errors) {
        build.remedy = remedy(at, program, &errors, start);
    }
    Ok(build)
}

/// Whether a failed build shows an error of a compiler, an assembler or a linker.
fn is_compilers_fault(errors: &str) -> bool {
    const WORDS: [&str; 6] = [
        ": error: ",
        ": fatal error: ",
        ": Error: ",
        "undefined reference",
        "ld returned",
        "linker command failed",
    ];
    WORDS.iter().any(|words| errors.contains(words))
}

/// What to do where a build fails and no compiler says why: it may run the tests, of which some must fail. `None` if
/// nothing speaks for that.
fn remedy(at: &Workspace, program: &Program, errors: &str, start: SystemTime) -> Option<String> {
    let where_from = match failed_target(errors) {
        Some(target) => format!("`{}` fails at the target `{target}`", program.build),
        None if makes_programs(at, program, start) => format!(
            "`{}` fails after it has made the programs that the tests start",
            program.build
        ),
        None => return None,
    };
    Some(format!(
        "The output above has no compiler error: {where_from}. If it runs tests, give a `build` that only makes the program, such as `make` with the program's name; tests are run afterwards. Otherwise make `{}` succeed first",
        program.build
    ))
}

/// The target without a file at which make says that it failed.
fn failed_target(errors: &str) -> Option<&str> {
    errors.lines().find_map(|line| {
        let (_, what) = line.split_once(": *** [")?;
        let (target, _) = what.split_once("] Error ")?;
        let target = target.rsplit(": ").next()?;
        (!target.contains(['.', '/'])).then_some(target)
    })
}

/// Whether there are tests that start programs of the working copy, and the build has made all of these.
fn makes_programs(at: &Workspace, program: &Program, start: SystemTime) -> bool {
    let made = program.cases.iter().filter_map(|case| {
        let (started, _) = case.command.start();
        let path = at.root.join(&case.cwd).join(&started);
        started.as_str().contains('/').then_some(path)
    });
    let mut made = made.peekable();
    let is_new = |path: Utf8PathBuf| {
        let modified = fs::metadata(path).and_then(|file| file.modified());
        modified.is_ok_and(|modified| modified >= start)
    };
    made.peek().is_some() && made.all(is_new)
}

/// The file with the compiler calls of all instrumented builds so far.
pub fn calls_log(at: &Workspace) -> Utf8PathBuf {
    at.logs.join("calls")
}

/// Checks, after the build, that the program started by a test exists and is in the working copy.
fn check_program(at: &Workspace, program: &Program, case: &Case) -> Result<(), SubjectError> {
    let Case { name, cwd, .. } = case;
    let usage = |text: String| Err(SubjectError::Usage(format!("test `{name}`: {text}")));
    let dir = at.root.join(cwd);
    if !dir.is_dir() || !normal(&dir).starts_with(&at.root) {
        return usage(format!("`{cwd}` is not a directory of the program"));
    }
    let (started, _) = case.command.start();
    if !started.as_str().contains('/') {
        return match shim::find(started.as_str(), None) {
            Some(_) => Ok(()),
            None => usage(format!("there is no `{started}` on the search path")),
        };
    }
    if started.starts_with(&at.subject.root) {
        return usage(format!(
            "`{started}` is in your own directory, which is never patched; give its path relative to {}",
            at.subject.root.join(cwd)
        ));
    }
    match fs::metadata(dir.join(&started)) {
        Ok(file) if file.is_file() && file.permissions().mode() & 0o111 != 0 => {
            let interpreter = interpreter(&dir.join(&started));
            match interpreter.filter(|program| !dir.join(program).exists()) {
                Some(program) => usage(format!(
                    "`{started}` is a script for `{}`, which does not exist",
                    program.as_str().escape_debug()
                )),
                None => Ok(()),
            }
        }
        Ok(_) => usage(format!(
            "`{started}` cannot be executed; make it executable, or name the program that runs it, as in `sh {started}`"
        )),
        Err(_) => usage(format!(
            "there is no `{started}` after `{}`; {MADE}",
            program.build
        )),
    }
}

/// What to do where a test starts a program that is not there.
pub const MADE: &str = "give `command` the path of a program that the build makes";

/// The program that a script names in its first line; `None` if it is not a script.
fn interpreter(script: &Utf8Path) -> Option<Utf8PathBuf> {
    const MOST_BYTES: u64 = 4096;
    let mut bytes = Vec::new();
    let file = File::open(script).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let line = bytes
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    // A carriage return belongs to the name.
    let mut words = str::from_utf8(line).ok()?.split([' ', '\t']);
    words.find(|word| !word.is_empty()).map(Utf8PathBuf::from)
}

fn binary(at: &Workspace, program: &Program) -> Binary {
    let cases = program
        .cases
        .iter()
        .map(|case| (case.name.clone(), case.clone()));
    let mut env = Vec::new();
    if program.sanitize && !at.is_unsanitized {
        let options =
            format!("exitcode={REPORTED}:detect_leaks=0:allocator_may_return_null=1:symbolize=0");
        env.push(("ASAN_OPTIONS".to_owned(), options));
        env.push((
            "UBSAN_OPTIONS".to_owned(),
            format!("exitcode={REPORTED}:halt_on_error=1:print_stacktrace=0:symbolize=0"),
        ));
    }
    let cache = crate::subject::user_cache();
    // The library would come before that of a sanitizer, which must be the first.
    let needs_library = || {
        !watches_addresses(at, program)
            && !program.sanitize
            && has_one_of(at, program, &[b"\0tmpfile"])
    };
    if let Some(cache) = cache.filter(|_| needs_library())
        && let Some(library) = preload::temporary(&cache)
    {
        let others = std::env::var(preload::PRELOAD).unwrap_or_default();
        let all = format!("{library} {others}");
        env.push((preload::PRELOAD.to_owned(), all.trim().to_owned()));
    }
    Binary {
        exe: Utf8PathBuf::new(),
        cwd: at.root.clone(),
        original: at.subject.root.clone(),
        env,
        harness: Harness::Commands(Arc::new(Commands {
            cases: cases.collect::<BTreeMap<_, _>>(),
            needs_addresses: program.sanitize && !at.is_unsanitized
                || watches_addresses(at, program),
        })),
        tree: Arc::clone(&at.tree),
        writable: Vec::new(),
        rules: None,
    }
}

/// What a program contains whose sanitizer reserves more address space than a limit would allow: calls of its runtime.
const RESERVING: [&[u8]; 4] = [
    b"__asan_init",
    b"__msan_init",
    b"__tsan_init",
    b"__hwasan_init",
];

/// Whether the build itself adds such a sanitizer to a program that tests start.
fn watches_addresses(at: &Workspace, program: &Program) -> bool {
    has_one_of(at, program, &RESERVING)
}

/// Whether a program that tests start has one of these names in it.
fn has_one_of(at: &Workspace, program: &Program, names: &[&[u8]]) -> bool {
    let started = program.cases.iter().map(|case| {
        let (started, _) = case.command.start();
        at.root.join(&case.cwd).join(started)
    });
    let started: BTreeSet<Utf8PathBuf> = started.collect();
    let mut programs = started.iter().filter_map(|path| fs::read(path).ok());
    programs.any(|bytes| {
        let has = |name: &&[u8]| memmem::find(&bytes, name).is_some();
        names.iter().any(has)
    })
}

/// A directory with links to the tool under the names of all installed compilers.
fn shims(at: &Workspace) -> Result<Utf8PathBuf> {
    let dir = at.logs.join(shim::DIR_NAME);
    if dir.is_dir() {
        return Ok(dir);
    }
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {dir}"))?;
    let tool = at.subject.tool()?;
    for name in shim::compilers() {
        symlink(tool, dir.join(name)).with_context(|| format!("cannot write in {dir}"))?;
    }
    Ok(dir)
}
