//! A headless Chromium that is told what to do through a pipe (the DevTools protocol).

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A browser with one page.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    asked: u64,
    session: Value,
    /// What the page and the browser complained of.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser.
    pub fn start() -> Self {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let is_there = |name: &&str| {
            let path = std::env::var_os("PATH").unwrap();
            std::env::split_paths(&path).any(|dir| dir.join(name).exists())
        };
        let name = names.into_iter().find(is_there);
        let name = name.expect("no Chromium: `sh xtask/setup-full.sh` installs it");
        let profile = TempDir::new().unwrap();
        // The browser reads from descriptor 3 and writes to 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2", "sh", name])
            .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
            .args(["--remote-debugging-pipe", "--no-first-run"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            let read = output.split(0).map_while(Result::ok);
            let parsed = read.map(|bytes| serde_json::from_slice(&bytes).unwrap());
            parsed
                .map_while(|message| sender.send(message).ok())
                .count()
        });
        let mut browser = Self {
            input: child.stdin.take().unwrap(),
            child,
            messages,
            asked: 0,
            session: Value::Null,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.ask("Target.attachToTarget", attach)["sessionId"].clone();
        for domain in ["Log.enable", "Runtime.enable", "Page.enable"] {
            browser.ask(domain, json!({}));
        }
        browser
    }

    /// Sends a command, and waits for its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        write!(self.input, "{message}\0").unwrap();
        self.input.flush().unwrap();
        loop {
            let message = self
                .messages
                .recv_timeout(PATIENCE)
                .expect("the browser answers");
            if message["id"] == self.asked {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            let params = &message["params"];
            match message["method"].as_str() {
                Some("Log.entryAdded") => self.complaints.push(params["entry"].to_string()),
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled") => {
                    self.complaints.push(params.to_string());
                }
                _ => {}
            }
        }
    }

    /// Opens a page.
    pub fn open(&mut self, url: &str) {
        self.ask("Page.navigate", json!({ "url": url }));
    }

    /// The size of the window, and whether it is dark.
    pub fn look(&mut self, width: u32, height: u32, is_dark: bool) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size);
        let value = if is_dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.ask("Emulation.setEmulatedMedia", features);
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        self.ask("Runtime.evaluate", params)["result"]["value"].clone()
    }

    /// Waits until an expression has a value.
    pub fn wait_for(&mut self, expression: &str, wanted: &Value) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let value = self.value(expression);
            if value == *wanted {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{expression} is {value}, not {wanted}: {:?}",
                self.complaints
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.ask(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "code": key }),
            );
        }
    }

    /// Writes what is to be seen to a PNG file.
    pub fn screenshot(&mut self, path: &Path) {
        use std::io::Read;
        let data = self.ask("Page.captureScreenshot", json!({ "format": "png" }))["data"].clone();
        // The shell can do what the standard library cannot.
        let mut decoder = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = decoder.stdin.take().unwrap();
        let text = data.as_str().unwrap().to_owned();
        let writer = thread::spawn(move || input.write_all(text.as_bytes()));
        let mut bytes = Vec::new();
        decoder
            .stdout
            .take()
            .unwrap()
            .read_to_end(&mut bytes)
            .unwrap();
        writer.join().unwrap().unwrap();
        decoder.wait().unwrap();
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends when its pipe does; it is not waited for if it is broken.
        let _ = write!(self.input, "{{\"id\":0,\"method\":\"Browser.close\"}}\0");
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            if Instant::now() > deadline {
                let _ = self.child.kill();
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
