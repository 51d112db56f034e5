//! Hostile and odd subjects: each is made by a script in a directory of its own, `cargo nopol` is run on
//! it, and then everything around it must be as it was. Shared with `tests/hostile.rs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nopol_basics::count;
use serde::Deserialize;
use serde_json::Value;

/// The subjects of one file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    pub case: Vec<Case>,
}

/// A subject, and what is to come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    /// What is hostile or odd about it.
    pub about: String,
    /// What it is made from: a directory of `fixtures/hostile`.
    pub base: String,
    /// A script that changes it before, run in its directory; `$BESIDE`, `$HOME` and `$TMPDIR` are around it.
    #[serde(default)]
    pub setup: String,
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables for the tool; `@TOP@` in a value is the directory that has the subject and all around it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A script that runs beside the tool, whose process is `$PID`.
    #[serde(default)]
    pub during: String,
    /// A script that must end well afterwards.
    #[serde(default)]
    pub after: String,
    /// Where standard output goes; to the report if it is not said.
    pub stdout: Option<String>,
    /// The directory in which the tool is run, relative to the subject.
    #[serde(default)]
    pub dir: String,
    pub code: i32,
    /// The first patch's condition, if that matters.
    pub condition: Option<String>,
    /// What is said on standard error or in the report.
    #[serde(default)]
    pub says: Vec<String>,
    /// What is not.
    #[serde(default)]
    pub never: Vec<String>,
    /// The subject is changed, for that is asked for: by `--apply`, or by `during`.
    #[serde(default)]
    pub changes: bool,
    /// `cargo test` fails with a patch, too, for another test does.
    #[serde(default)]
    pub fails_still: bool,
    /// Only the sandbox of Linux prevents it, or finds it out.
    #[serde(default)]
    pub needs_landlock: bool,
    /// Which of the project's own tests it is one of, if any.
    pub tier: Option<Tier>,
}

/// Which command runs a case as a test.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// `make test`.
    Test,
    /// `make test-full`.
    Full,
}

/// What came of a case.
#[derive(Debug)]
pub struct CaseResult {
    pub code: i32,
    /// What is not as it should be, a sentence each.
    pub wrong: Vec<String>,
    /// What the tool said first that matters.
    pub said: String,
    pub seconds: f64,
}

/// The longest that a run may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// The cases of a file in `fixtures/hostile`.
pub fn read(fixtures: &Path, name: &str) -> Vec<Case> {
    let path = fixtures.join("hostile").join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Cases = toml_edit::de::from_str(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    cases.case
}

/// Everything around one run.
struct Surroundings {
    /// All of it.
    dir: tempfile::TempDir,
    subject: PathBuf,
}

impl Surroundings {
    fn new(fixtures: &Path, case: &Case) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("hostile-")
            .tempdir()
            .unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["beside", "home", "tmp"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        let subject = top.join("subject");
        let place = Self { dir, subject };
        copy(&fixtures.join("hostile").join(&case.base), &place.subject);
        let made = place.shell(&case.setup).output().unwrap();
        let said = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(
            made.status.success(),
            "{}: its setup fails: {said}",
            case.name
        );
        place
    }

    fn top(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// What every process around the subject has in its environment.
    fn surround(&self, command: &mut Command) {
        let top = self.top();
        let real = std::env::var("HOME").unwrap_or_default();
        for (name, dir) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if std::env::var_os(name).is_none() {
                command.env(name, Path::new(&real).join(dir));
            }
        }
        // As a user's shell would have it, not as the cargo that runs this.
        for (name, _) in std::env::vars() {
            let is_cargos = name.starts_with("CARGO_") && name != "CARGO_HOME";
            if is_cargos || name.starts_with("GIT_") || name == "RUST_BACKTRACE" || name == "CARGO"
            {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", top.join("home"))
            .env("TMPDIR", top.join("tmp"))
            .env("BESIDE", top.join("beside"))
            .env("HOSTILE_MARK", self.mark())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(&self.subject);
    }

    /// By which its processes are known.
    fn mark(&self) -> String {
        self.top()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-eu").arg("-c").arg(script);
        self.surround(&mut command);
        command
    }

    /// The processes that are left of the run.
    fn processes(&self) -> Vec<String> {
        let mark = format!("HOSTILE_MARK={}", self.mark()).into_bytes();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ours = entries.filter(|entry| {
            let vars = fs::read(entry.path().join("environ")).unwrap_or_default();
            vars.split(|byte| *byte == 0).any(|var| var == mark)
        });
        ours.map(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('\0', " ")
        })
        .collect()
    }

    /// What is at each path, but for what is the tool's own.
    fn snapshot(&self, aside: &[PathBuf]) -> BTreeMap<PathBuf, String> {
        let own = self.subject.join("target/nopol");
        let mut found = BTreeMap::new();
        let mut left = vec![self.top()];
        while let Some(dir) = left.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(metadata) = fs::symlink_metadata(&path) else {
                    continue;
                };
                let is_empty_target = path == self.subject.join("target")
                    && fs::read_dir(&path)
                        .is_ok_and(|entries| entries.flatten().all(|entry| entry.path() == own));
                if path == own || aside.contains(&path) || is_empty_target {
                    continue;
                }
                let kind = metadata.file_type();
                let what = if kind.is_symlink() {
                    format!("link to {}", fs::read_link(&path).unwrap().display())
                } else if kind.is_dir() {
                    left.push(path.clone());
                    format!("directory {:o}", metadata.permissions().mode())
                } else if kind.is_file() {
                    // What is very long is known by its time.
                    let content = match metadata.len() < 1 << 20 {
                        true => fs::read(&path).unwrap_or_default(),
                        false => Vec::new(),
                    };
                    format!(
                        "file {:o} of {} bytes written at {}.{}: {}",
                        metadata.permissions().mode(),
                        metadata.len(),
                        metadata.mtime(),
                        metadata.mtime_nsec(),
                        String::from_utf8_lossy(&content)
                    )
                } else {
                    "something else".to_owned()
                };
                found.insert(path, what);
            }
        }
        found
    }

    /// Working copies and logs that are left.
    fn leftovers(&self, cache: &Path) -> Vec<String> {
        let mut left = Vec::new();
        for base in [self.subject.join("target/nopol"), cache.to_owned()] {
            let mut dirs = vec![(base, 0)];
            while let Some((dir, depth)) = dirs.pop() {
                for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    let is_fleeting = ["copy", "aside", "logs", "scratch-path"]
                        .iter()
                        .any(|start| name.starts_with(start));
                    let in_slot = dir
                        .file_name()
                        .is_some_and(|dir| dir.to_string_lossy().starts_with("slot-"));
                    if in_slot && is_fleeting {
                        left.push(entry.path().display().to_string());
                    } else if depth < 3 && entry.path().is_dir() && !in_slot {
                        dirs.push((entry.path(), depth + 1));
                    }
                }
            }
        }
        left
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = match entry.file_name().to_str() {
            Some("Cargo_test.toml") => "Cargo.toml".into(),
            _ => entry.file_name(),
        };
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(name)),
            false => drop(fs::copy(entry.path(), to.join(name)).unwrap()),
        }
    }
}

/// Makes a subject, runs the tool on it, and looks at what is left. `cache` is a directory for what the tool
/// keeps for later runs.
pub fn run(tool: &Path, fixtures: &Path, cache: &Path, case: &Case) -> CaseResult {
    let place = Surroundings::new(fixtures, case);
    let before = place.snapshot(&[]);
    let is_c = fixtures
        .join("hostile")
        .join(&case.base)
        .join("nopol.toml")
        .exists();
    let own_cache = place.dir.path().join("cache");
    let cache = if is_c { &*own_cache } else { cache };
    let (report, said) = (place.top().join("report"), place.top().join("said"));

    // What runs in the background has some signals ignored.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,QUIT").arg(tool);
    place.surround(&mut command);
    command.args(if is_c {
        &["nopol", "c"][..]
    } else {
        &["nopol"]
    });
    command.args(&case.args);
    if !case.args.iter().any(|arg| arg.starts_with("--format")) {
        command.args(["--format", "json"]);
    }
    command
        .current_dir(place.subject.join(&case.dir))
        .env("XDG_CACHE_HOME", cache)
        .envs(
            case.env.iter().map(|(name, value)| {
                (name, value.replace("@TOP@", &place.top().to_string_lossy()))
            }),
        )
        .stdin(Stdio::null())
        .stderr(fs::File::create(&said).unwrap());
    match case.stdout.as_deref() {
        Some("a closed pipe") => {
            command.stdout(Stdio::piped());
        }
        Some(path) => {
            command.stdout(fs::File::options().write(true).open(path).unwrap());
        }
        None => {
            command.stdout(fs::File::create(&report).unwrap());
        }
    }
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let beside = (!case.during.is_empty()).then(|| {
        let mut script = place.shell(&case.during);
        script
            .env("PID", child.id().to_string())
            .env("HOSTILE_TOOL", tool)
            .env_remove("HOSTILE_MARK");
        script.spawn().unwrap()
    });
    let mut wrong = Vec::new();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code().unwrap_or(-1);
        }
        if start.elapsed() > PATIENCE {
            wrong.push(format!("it did not end within {} s", PATIENCE.as_secs()));
            let _ = child.kill();
            let _ = child.wait();
            break -1;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let seconds = start.elapsed().as_secs_f64();
    if let Some(mut beside) = beside {
        let _ = beside.wait();
    }
    // Who is killed is cleaned up after.
    let until = Instant::now() + Duration::from_secs(8);
    while Instant::now() < until
        && !(place.processes().is_empty() && place.leftovers(cache).is_empty())
    {
        std::thread::sleep(Duration::from_millis(50));
    }

    let stdout = fs::read_to_string(&report).unwrap_or_default();
    let stderr = fs::read_to_string(&said).unwrap_or_default();
    let all = format!("{stderr}\n{stdout}");
    if code != case.code {
        wrong.push(format!("it exits with {code} instead of {}", case.code));
    }
    let missing = case
        .says
        .iter()
        .filter(|words| !all.contains(words.as_str()));
    wrong.extend(missing.map(|words| format!("it does not say `{words}`")));
    let unwanted = case
        .never
        .iter()
        .filter(|words| all.contains(words.as_str()));
    wrong.extend(unwanted.map(|words| format!("it says `{words}`")));
    wrong.extend(
        place
            .processes()
            .iter()
            .map(|line| format!("`{}` still runs", line.trim())),
    );
    wrong.extend(
        place
            .leftovers(cache)
            .iter()
            .map(|path| format!("{path} is left")),
    );
    if !case.changes {
        let aside = [
            report.clone(),
            said.clone(),
            own_cache.canonicalize().unwrap_or_default(),
        ];
        let after = place.snapshot(&aside);
        let paths: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
        for path in paths {
            let is_same = before.get(path) == after.get(path);
            if !is_same {
                let what = match (before.get(path), after.get(path)) {
                    (None, _) => "is new",
                    (_, None) => "is gone",
                    _ => "was changed",
                };
                let path = path.strip_prefix(place.top()).unwrap_or(path);
                wrong.push(format!("{} {what}", path.display()));
            }
        }
    }
    if !case.after.is_empty() {
        let after = place.shell(&case.after).output().unwrap();
        if !after.status.success() {
            let said = String::from_utf8_lossy(&after.stderr).into_owned();
            wrong.push(format!("`{}` fails: {}", case.after.trim(), said.trim()));
        }
    }
    let value: Value = serde_json::from_str(&stdout).unwrap_or(Value::Null);
    wrong.extend(check_patches(&place, case, &value, is_c));
    let words = value["message"].as_str().map(str::to_owned);
    // Other lines belong to the progress, or to a patch that was shown during the search.
    let is_message = |line: &&str| {
        let starts = ["error: ", "warning: ", "note: "];
        starts.iter().any(|start| line.starts_with(start))
    };
    let mut lines = stderr.lines().filter(is_message);
    let said = words
        .or_else(|| lines.next_back().map(str::to_owned))
        .unwrap_or_default();
    let said = match value["patches"].as_array().map(Vec::len) {
        Some(number @ 1..) if said.is_empty() => count(number, "patch"),
        _ => said,
    };
    if !wrong.is_empty() {
        wrong.push(format!("it said:\n{stderr}"));
    }
    CaseResult {
        code,
        wrong,
        said: said.replace(&*place.top().to_string_lossy(), "…"),
        seconds,
    }
}

/// Whether the first patch is the one wanted, and the first ones pass the user's own `cargo test`.
fn check_patches(place: &Surroundings, case: &Case, report: &Value, is_c: bool) -> Vec<String> {
    const CHECKED: usize = 2;
    let mut wrong = Vec::new();
    let patches = report["patches"].as_array().cloned().unwrap_or_default();
    if let Some(wanted) = &case.condition {
        let first = patches.first().map(|patch| &patch["edits"][0]["condition"]);
        if first.and_then(Value::as_str) != Some(wanted) {
            wrong.push(format!(
                "the first patch has {first:?} instead of `{wanted}`"
            ));
        }
    }
    for patch in patches.iter().take(CHECKED) {
        if patch["diff"].as_str().is_none_or(str::is_empty) {
            wrong.push(format!("patch {} has no diff", patch["rank"]));
        }
        let checked = patch["checked"].as_bool() == Some(true);
        if is_c || case.fails_still || case.changes || !checked {
            continue;
        }
        let mut originals = BTreeMap::new();
        for edit in patch["edits"].as_array().into_iter().flatten() {
            let path = place.subject.join(edit["file"].as_str().unwrap());
            let text = fs::read_to_string(&path).unwrap();
            let at = |name: &str| usize::try_from(edit["span"][name].as_u64().unwrap()).unwrap();
            let mut patched = text.clone();
            patched.replace_range(at("start")..at("end"), edit["after"].as_str().unwrap());
            fs::write(&path, patched).unwrap();
            originals.entry(path).or_insert(text);
        }
        // What the tests left there the last time is not what they find.
        let tmp = place.top().join("tmp");
        let _ = fs::remove_dir_all(&tmp);
        fs::create_dir(&tmp).unwrap();
        let mut test = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
        place.surround(&mut test);
        test.args(["test", "--quiet"])
            .env("CARGO_TARGET_DIR", place.dir.path().join("checked"))
            .env("TMPDIR", tmp);
        let tested = test.output().unwrap();
        if !tested.status.success() {
            let said = String::from_utf8_lossy(&tested.stdout).into_owned();
            wrong.push(format!(
                "`cargo test` fails with patch {}: {said}",
                patch["rank"]
            ));
        }
        for (path, text) in originals {
            fs::write(path, text).unwrap();
        }
    }
    wrong
}
