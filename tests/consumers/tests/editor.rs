//! A real rust-analyzer whose check command is `cargo nopol`: the patch arrives as a quick fix.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const SOURCE: &str = "\
pub fn passes(score: u32, needed: u32) -> bool {
    if score > needed {
        return true;
    }
    false
}

#[test]
fn just_enough_is_enough() {
    assert!(passes(50, 50));
    assert!(!passes(49, 50));
    assert!(passes(51, 50));
}
";

/// A language server.
struct Server {
    child: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(dir: &Path) -> Self {
        let mut child = Command::new("rust-analyzer")
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take().unwrap();
        Self {
            child,
            stdin,
            messages,
            requests: 0,
        }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.stdin.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message for which something is found. What the server asks gets an empty answer.
    fn wait<T>(&mut self, found: impl Fn(&Value) -> Option<T>) -> T {
        let end = Instant::now() + Duration::from_secs(180);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self
                .messages
                .recv_timeout(left)
                .expect("the server says no more");
            if let Some(found) = found(&message) {
                return found;
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": null}));
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(|message| {
            let is_answer = message["id"] == id && message.get("method").is_none();
            is_answer.then(|| message["result"].clone())
        })
    }
}

fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

#[test]
#[ignore = "needs rust-analyzer"]
fn rust_analyzer_offers_the_patch() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    fs::create_dir(dir.join("src")).unwrap();
    let manifest = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(dir.join("Cargo.toml"), manifest).unwrap();
    fs::write(dir.join("src/lib.rs"), SOURCE).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = Command::new("cargo")
        .args(["build", "--bin", "cargo-nopol"])
        .current_dir(&root)
        .status();
    assert!(built.unwrap().success());
    let tool = root
        .join("target/debug/cargo-nopol")
        .canonicalize()
        .unwrap();
    let command = [
        tool.to_str().unwrap(),
        "nopol",
        "--quiet",
        "--offline",
        "--fail-on",
        "never",
        "--format",
        "rustc",
    ];

    let uri = format!("file://{}", dir.display());
    let file = format!("{uri}/src/lib.rs");
    let mut server = Server::start(&dir);
    server.ask(
        "initialize",
        &json!({
            "processId": null,
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": "subject"}],
            "capabilities": {
                "textDocument": {
                    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
                    "publishDiagnostics": {"relatedInformation": true},
                },
            },
            "initializationOptions": {
                "checkOnSave": true,
                "check": {"overrideCommand": command},
                "cachePriming": {"enable": false},
            },
        }),
    );
    server.notify("initialized", &json!({}));
    server.notify(
        "textDocument/didOpen",
        &json!({"textDocument": {"uri": file, "languageId": "rust", "version": 1, "text": SOURCE}}),
    );
    let range = server.wait(|message| {
        let diagnostics = message["params"]["diagnostics"].as_array()?;
        let is_ours = |it: &&Value| {
            it["message"]
                .as_str()
                .is_some_and(|text| text.contains("a different condition here"))
        };
        diagnostics
            .iter()
            .find(is_ours)
            .map(|it| it["range"].clone())
    });
    assert_eq!(range["start"], json!({"line": 1, "character": 7}));
    let actions = server.ask(
        "textDocument/codeAction",
        &json!({"textDocument": {"uri": file}, "range": range, "context": {"diagnostics": []}}),
    );
    let actions = actions.as_array().unwrap();
    let title = |it: &&Value| {
        it["title"]
            .as_str()
            .is_some_and(|title| title.contains("score >= needed"))
    };
    let action = actions
        .iter()
        .find(title)
        .unwrap_or_else(|| panic!("{actions:?}"));
    let text = action.to_string();
    assert!(text.contains("\"newText\":\"score >= needed\""), "{text}");
}
