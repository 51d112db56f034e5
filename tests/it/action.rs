//! The action for GitHub and the workflows of the documentation: as files, and with a server in GitHub's place.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_norway::Value;

use crate::common::{GRADES, Run, Subject};
use crate::github::{self, Server};
use crate::review::pull_request;

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text_of(path: &str) -> String {
    fs::read_to_string(in_repository(path)).unwrap()
}

fn yaml(text: &str) -> Value {
    serde_norway::from_str(text).unwrap_or_else(|error| panic!("{error} in:\n{text}"))
}

/// The workflows in a page: its blocks of YAML that have jobs for GitHub.
fn workflows(page: &str) -> Vec<Value> {
    let text = text_of(page);
    let blocks = text.split("```yaml\n").skip(1);
    let blocks = blocks.map(|block| yaml(block.split("```").next().unwrap()));
    blocks.filter(|block| block["jobs"].is_mapping()).collect()
}

fn steps(of: &Value) -> &[Value] {
    of["steps"].as_sequence().unwrap()
}

fn jobs(workflow: &Value) -> impl Iterator<Item = &Value> {
    workflow["jobs"].as_mapping().unwrap().values()
}

fn all(value: &Value) -> String {
    serde_norway::to_string(value).unwrap()
}

/// What a step runs or uses.
fn does<'v>(step: &'v Value, what: &str) -> &'v str {
    step[what].as_str().unwrap_or_default()
}

#[test]
fn only_the_step_that_posts_has_the_token() {
    let action = yaml(&text_of("action.yml"));
    let steps = steps(&action["runs"]);
    let has_token = |step: &&Value| all(step).contains("token");
    let with_token: Vec<&Value> = steps.iter().filter(has_token).collect();
    let [post] = with_token[..] else {
        panic!("{with_token:?}");
    };
    assert_eq!(post["env"]["GITHUB_TOKEN"], "${{ inputs.token }}");
    assert!(does(post, "run").ends_with("post.sh\""));
    let posting = text_of(".ci/action/post.sh");
    assert!(
        !posting
            .lines()
            .any(|line| line.contains("cargo nopol \"") || line.starts_with("cargo"))
    );
    // No text of a pull request is read as a command.
    for step in steps {
        assert!(!does(step, "run").contains("${{"), "{step:?}");
    }
}

#[test]
fn the_solver_is_installed_on_every_run_and_the_cache_follows_the_sources() {
    let action = yaml(&text_of("action.yml"));
    let steps = steps(&action["runs"]);
    let at = |what: &dyn Fn(&Value) -> bool| steps.iter().position(what).unwrap();
    let apt = at(&|step| does(step, "run").contains("apt-get install --yes libz3"));
    assert!(steps[apt]["if"].is_null());
    let lines = does(&steps[apt], "run");
    assert!(lines.find("apt-get update").unwrap() < lines.find("apt-get install").unwrap());
    let repair = at(&|step| does(step, "run").contains("review.sh"));
    assert!(apt < repair);
    let restore = at(&|step| does(step, "uses").starts_with("actions/cache/restore@"));
    let save = at(&|step| does(step, "uses").starts_with("actions/cache/save@"));
    // What the subject does cannot reach what is saved.
    assert!(restore < save && save < repair);
    let key = steps[restore]["with"]["key"].as_str().unwrap();
    assert!(!key.contains("action_ref"), "{key}");
    let version = key
        .split("steps.")
        .nth(1)
        .unwrap()
        .split('.')
        .next()
        .unwrap();
    let version = steps.iter().find(|step| step["id"] == version).unwrap();
    let run = |dir: &Path| -> String {
        let output = dir.join("output");
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", does(version, "run")])
            .env("GITHUB_ACTION_PATH", dir)
            .env("GITHUB_OUTPUT", &output)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
        let text = fs::read_to_string(&output).unwrap();
        fs::remove_file(output).unwrap();
        text
    };
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("Cargo.toml", "a"),
        ("Cargo.lock", "b"),
        ("src/main.rs", "c"),
        ("crates/heap/src/lib.rs", "c"),
        ("instrument/src/lib.rs", "d"),
        ("action.yml", "e"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let before = run(dir.path());
    assert_eq!(before.len(), "hash=".len() + 64 + 1, "{before}");
    assert_eq!(run(dir.path()), before);
    for changed in ["src/main.rs", "crates/heap/src/lib.rs"] {
        let path = dir.path().join(changed);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, "changed").unwrap();
        assert_ne!(run(dir.path()), before, "{changed}");
        fs::write(&path, text).unwrap();
    }
}

#[test]
fn a_release_has_the_archives_that_binstall_downloads() {
    let workflow = yaml(&text_of(".github/workflows/release.yml"));
    let steps = steps(&workflow["jobs"]["build"]);
    let pack = steps.iter().find(|step| step["name"] == "Pack").unwrap();
    let manifest: toml_edit::DocumentMut = text_of("Cargo.toml").parse().unwrap();
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let filled = |key: &str| {
        let pattern = binstall[key].as_str().unwrap();
        [
            ("{ name }", "cargo-nopol"),
            ("{ target }", "an-arch"),
            ("{ bin }", "cargo-nopol"),
            ("{ binary-ext }", ""),
        ]
        .iter()
        .fold(pattern.to_owned(), |text, (from, to)| {
            text.replace(from, to)
        })
    };
    let dir = tempfile::tempdir().unwrap();
    let built = dir.path().join("target/an-arch/release");
    fs::create_dir_all(&built).unwrap();
    fs::write(built.join("cargo-nopol"), "the tool").unwrap();
    fs::write(dir.path().join("README.md"), "").unwrap();
    let run = |command: &str| {
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", command])
            .env("TARGET", "an-arch")
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{command}: {ran:?}");
        ran.stdout
    };
    run(does(pack, "run"));
    let url = filled("pkg-url");
    let archive = url.rsplit('/').next().unwrap();
    run(&format!("shasum --check {archive}.sha256"));
    let tool = run(&format!("tar xzOf {archive} {}", filled("bin-dir")));
    assert_eq!(tool, b"the tool");
}

#[test]
fn workflows_of_the_documentation_check_out_what_is_meant_and_install_what_they_call() {
    let pages = ["docs/ci.md", "docs/reference.md"];
    let workflows: Vec<Value> = pages.iter().flat_map(|page| workflows(page)).collect();
    assert!(workflows.len() >= 3);
    for workflow in &workflows {
        assert_eq!(workflow["permissions"]["contents"], "read");
        let text = all(workflow);
        for old in ["checkout@v4", "upload-sarif@v3"] {
            assert!(!text.contains(old), "{text}");
        }
        for job in jobs(workflow) {
            let mut is_installed = false;
            for step in steps(job) {
                let run = does(step, "run");
                if let Some(at) = run.find("cargo install") {
                    assert!(run[..at].contains("apt-get update"), "{run}");
                    assert!(
                        run[..at].contains("apt-get install --yes libz3-dev"),
                        "{run}"
                    );
                    is_installed = true;
                }
                assert!(is_installed || !run.contains("cargo nopol"), "{job:?}");
                if does(step, "uses").starts_with("actions/checkout@") {
                    assert_eq!(step["with"]["persist-credentials"], false);
                }
                if does(step, "uses").contains("/cargo-nopol@") {
                    assert_eq!(workflow["permissions"]["pull-requests"], "write");
                    let checkout = &steps(job)[0]["with"];
                    assert_eq!(checkout["ref"], "${{ github.event.pull_request.head.sha }}");
                    assert_eq!(checkout["fetch-depth"], 0);
                }
                if does(step, "uses").contains("upload-sarif") {
                    assert_eq!(workflow["permissions"]["security-events"], "write");
                    // A test has failed before.
                    assert!(does(step, "if").contains("failure()"), "{step:?}");
                }
            }
        }
    }
}

/// Runs the action's script on a subject.
struct Action<'s> {
    subject: &'s Subject,
    command: Command,
}

impl<'s> Action<'s> {
    fn new(subject: &'s Subject, args: &str) -> Self {
        let tool = Path::new(env!("CARGO_BIN_EXE_cargo-nopol"));
        let tool = tool.parent().unwrap().display();
        let path = format!("{tool}:{}", std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.arg(in_repository(".ci/action/review.sh"));
        command.current_dir(&subject.root).env("PATH", path);
        command
            .env("NOPOL_ARGS", args)
            .env("GITHUB_ACTIONS", "true");
        command.env("REPORT", subject.beside("report"));
        command.env("GITHUB_STEP_SUMMARY", subject.beside("summary"));
        command.env("GITHUB_OUTPUT", subject.beside("output"));
        Self { subject, command }
    }

    /// On a pull request of this repository.
    fn pull_request(mut self, base: &str) -> Self {
        let head = self.subject.git(&["rev-parse", "HEAD"]).stdout;
        self.command.env("BASE", base).env("HEAD", head.trim());
        self.command.env("PULL_REQUEST", "7");
        self
    }

    fn run(mut self) -> Run {
        self.command.output().unwrap().into()
    }

    /// Posts what [`Action::run`] found.
    fn post(subject: &Subject, server: &Server) -> Run {
        let mut command = Command::new("bash");
        command.arg(in_repository(".ci/action/post.sh"));
        command.env("REPORT", subject.beside("report"));
        command
            .env("PULL_REQUEST", "7")
            .env("GITHUB_TOKEN", "secret");
        command.env("GITHUB_REPOSITORY", "o/r");
        command.env("GITHUB_API_URL", server.url());
        command.output().unwrap().into()
    }
}

fn output(subject: &Subject) -> String {
    fs::read_to_string(subject.beside("output")).unwrap()
}

/// A pull request whose test also prints its environment, and that of the processes around it.
fn nosy_pull_request() -> (Subject, String) {
    let (subject, base) = pull_request();
    let nosy = "\n    #[test]\n    fn nosy() {\n        let mut seen = String::new();\n        for (name, value) in std::env::vars() {\n            \
                seen += &format!(\"{name}={value}\\n\");\n        }\n        for entry in std::fs::read_dir(\"/proc\").unwrap().flatten() {\n            \
                let environ = std::fs::read(entry.path().join(\"environ\")).unwrap_or_default();\n            \
                seen += &String::from_utf8_lossy(&environ);\n            \
                let line = std::fs::read(entry.path().join(\"cmdline\")).unwrap_or_default();\n            \
                seen += &String::from_utf8_lossy(&line);\n        }\n        \
                assert!(!seen.contains(&[\"s3cr3t\", \"t0k3n\"].concat()), \"a token is seen\");\n    }\n}\n";
    let text = GRADES.trim_end().strip_suffix('}').unwrap().to_owned() + nosy;
    fs::write(subject.root.join("src/lib.rs"), text).unwrap();
    assert_eq!(subject.git(&["commit", "-qam", "look around"]).code, 0);
    (subject, base)
}

#[test]
#[ignore = "make test-full: it takes long"]
fn the_action_makes_a_review_and_posts_it_in_a_step_of_its_own() {
    let (subject, base) = pull_request();
    let run = Action::new(&subject, "--top 1 --time-limit 300")
        .pull_request(&base)
        .run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let report = subject.beside("report");
    let expected = format!("outcome=patched\nreview={}\n", report.display());
    assert_eq!(output(&subject), expected);
    assert!(
        fs::read_to_string(subject.beside("summary"))
            .unwrap()
            .contains("```diff")
    );
    let review: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(report.join("review.json")).unwrap()).unwrap();
    github::check(&review, &github::diff(&subject, &base)).unwrap();
    let head = subject.git(&["rev-parse", "HEAD"]).stdout;
    assert_eq!(review["commit_id"], head.trim());
    let annotations = fs::read_to_string(report.join("annotations")).unwrap();
    assert!(
        annotations.starts_with("::warning file=src/lib.rs"),
        "{annotations}"
    );
}

#[test]
#[ignore = "make test-full: needs curl"]
fn a_posted_review_has_a_suggestion_that_repairs_and_a_refused_one_becomes_annotations() {
    let (subject, base) = pull_request();
    let run = Action::new(&subject, "--top 1").pull_request(&base).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let refused = Action::post(&subject, &Server::refusing());
    assert_eq!(refused.code, 0, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stdout.contains("::notice "), "{}", refused.stdout);
    assert!(
        refused.stdout.contains("::warning file=src/lib.rs"),
        "{}",
        refused.stdout
    );

    let server = Server::start("/repos/o/r/pulls/7/reviews", github::diff(&subject, &base));
    let posted = Action::post(&subject, &server);
    assert_eq!(posted.code, 0, "{}{}", posted.stdout, posted.stderr);
    let url = "posted a review: https://github.com/o/r/pull/7#pullrequestreview-1";
    assert!(posted.stdout.contains(url), "{}", posted.stdout);
    // A second run on this commit, such as another job of a matrix.
    let again = Action::post(&subject, &server);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    let known = "has this review already";
    assert!(again.stdout.contains(known), "{}", again.stdout);
    let review = server.accepted();
    assert!(server.has_no_more());
    let comment = &review["comments"][0];
    let lines = github::suggestion(comment["body"].as_str().unwrap());
    let last = usize::try_from(comment["line"].as_u64().unwrap()).unwrap();
    let first = comment["start_line"]
        .as_u64()
        .map_or(last, |line| usize::try_from(line).unwrap());
    let source = subject.read("src/lib.rs");
    let mut text: Vec<String> = source.lines().map(str::to_owned).collect();
    text.splice(first - 1..last, lines);
    fs::write(subject.root.join("src/lib.rs"), text.join("\n") + "\n").unwrap();
    assert_eq!(subject.cargo_test(&[]).code, 0);
}

#[test]
#[ignore = "make test-full: needs curl"]
fn a_token_that_is_given_at_once_is_in_no_environment_of_the_subject() {
    let (subject, base) = nosy_pull_request();
    let server = Server::refusing();
    let mut action = Action::new(&subject, "--top 1").pull_request(&base);
    action
        .command
        .env("GITHUB_TOKEN", "s3cr3tt0k3n")
        .env("GH_TOKEN", "");
    action.command.env("GITHUB_REPOSITORY", "o/r");
    action.command.env("GITHUB_API_URL", server.url());
    let run = action.run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("::warning file=src/lib.rs"),
        "{}",
        run.stdout
    );
    assert!(!run.stderr.contains("a token is seen"), "{}", run.stderr);
    assert!(!(run.stdout + &run.stderr).contains("nosy"));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn on_a_push_and_from_a_fork_there_are_annotations_and_nothing_is_posted() {
    let (subject, base) = pull_request();
    for base in [None, Some(&base)] {
        let mut action = Action::new(&subject, "--top 1");
        if let Some(base) = base {
            action = action.pull_request(base);
        }
        action.command.env("PULL_REQUEST", "");
        let run = action.run();
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout.contains("::warning file=src/lib.rs"),
            "{}",
            run.stdout
        );
        assert_eq!(output(&subject), "outcome=patched\n");
        assert!(!subject.beside("report/review.json").exists());
        fs::remove_file(subject.beside("output")).unwrap();
    }
}

#[test]
fn arguments_of_the_action_are_words_as_in_a_shell_on_every_line() {
    let (subject, base) = pull_request();
    let args = "--top 1\n--near 'no such function'\n  --exclude-file \"a b/*.rs\" --exclude-file '$(touch ran)'\n\n--failing no_such_test\n";
    let run = Action::new(&subject, args).pull_request(&base).run();
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("--near no such function"),
        "{}",
        run.stderr
    );
    assert_eq!(fs::read(subject.beside("report/args")).unwrap(), b"--top\x001\0--near\0no such function\0--exclude-file\0a b/*.rs\0--exclude-file\0$(touch ran)\0--failing\0no_such_test\0");
    assert!(!subject.root.join("ran").exists());
    assert_eq!(output(&subject), "outcome=failed\n");
}

#[test]
fn a_quotation_mark_without_a_second_one_is_an_error_of_the_input() {
    let (subject, base) = pull_request();
    let run = Action::new(&subject, "--near 'one")
        .pull_request(&base)
        .run();
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("::error"), "{}", run.stdout);
    assert_eq!(output(&subject), "outcome=failed\n");
}

#[test]
fn a_checkout_that_is_not_the_head_is_refused() {
    let (subject, base) = pull_request();
    let mut action = Action::new(&subject, "").pull_request(&base);
    action.command.env("HEAD", &base);
    let run = action.run();
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stdout.contains("not the head of the pull request"),
        "{}",
        run.stdout
    );
    assert_eq!(output(&subject), "outcome=failed\n");
}
