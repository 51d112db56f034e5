//! The part of GitHub that takes reviews: a server on this machine that refuses what GitHub's documentation of
//! `POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews` says is wrong.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::common::Subject;

/// The lines of the new files that a pull request's diff shows, hunk by hunk.
pub type Diff = BTreeMap<String, Vec<RangeInclusive<u64>>>;

/// What git shows between a commit and `HEAD`, with three lines around each change, as GitHub does.
pub fn diff(subject: &Subject, base: &str) -> Diff {
    let text = subject.git(&["diff", "--unified=3", base, "HEAD"]).stdout;
    let mut diff = Diff::new();
    let mut file = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            name.clone_into(&mut file);
        }
        if let Some(rest) = line.strip_prefix("@@ -") {
            let new = rest.split(' ').nth(1).unwrap().trim_start_matches('+');
            let (start, length) = new.split_once(',').unwrap_or((new, "1"));
            let (start, length): (u64, u64) = (start.parse().unwrap(), length.parse().unwrap());
            diff.entry(file.clone())
                .or_default()
                .push(start..=start + length - 1);
        }
    }
    diff
}

/// Whether GitHub takes a review; why not.
pub fn check(review: &Value, diff: &Diff) -> Result<(), String> {
    let fields = review.as_object().ok_or("no object")?;
    for name in fields.keys() {
        if !["commit_id", "body", "event", "comments"].contains(&&**name) {
            return Err(format!("{name} is no field of a review"));
        }
    }
    let event = review["event"].as_str().unwrap_or_default();
    if !["APPROVE", "REQUEST_CHANGES", "COMMENT"].contains(&event) {
        return Err(format!("no such event: {event}"));
    }
    if event != "APPROVE" && review["body"].as_str().unwrap_or_default().is_empty() {
        return Err("this event needs a body".to_owned());
    }
    let comments = review["comments"].as_array().ok_or("no comments")?;
    comments
        .iter()
        .try_for_each(|comment| check_comment(comment, diff))
}

fn check_comment(comment: &Value, diff: &Diff) -> Result<(), String> {
    const FIELDS: [&str; 6] = ["path", "body", "line", "side", "start_line", "start_side"];
    for name in comment.as_object().ok_or("no object")?.keys() {
        if !FIELDS.contains(&&**name) {
            return Err(format!("{name} is no field of a comment"));
        }
    }
    let text = |name: &str| comment[name].as_str().unwrap_or_default();
    if text("body").is_empty() {
        return Err("a comment needs a body".to_owned());
    }
    let hunks = diff
        .get(text("path"))
        .ok_or("the path is not in the diff")?;
    let line = comment["line"].as_u64().ok_or("no line")?;
    let start = match &comment["start_line"] {
        Value::Null => line,
        start => start.as_u64().ok_or("no line to start at")?,
    };
    if text("side") != "RIGHT" || !["", "RIGHT"].contains(&text("start_side")) {
        return Err("these lines are of the new file".to_owned());
    }
    if !comment["start_line"].is_null() && start >= line {
        return Err("start_line must precede the end line".to_owned());
    }
    let is_shown = hunks
        .iter()
        .any(|hunk| hunk.contains(&start) && hunk.contains(&line));
    if !is_shown {
        return Err(format!(
            "lines {start} to {line} are not part of one hunk of the diff"
        ));
    }
    Ok(())
}

/// The lines that a comment suggests.
pub fn suggestion(body: &str) -> Vec<String> {
    let (_, rest) = body.split_once("```suggestion\n").unwrap();
    let (lines, _) = rest.rsplit_once("\n```").unwrap();
    lines.lines().map(str::to_owned).collect()
}

/// A server that takes reviews and lists them.
pub struct Server {
    port: u16,
    accepted: Receiver<Value>,
}

impl Server {
    /// Takes reviews at this path.
    pub fn start(path: &'static str, diff: Diff) -> Self {
        let taken = Mutex::new(Vec::new());
        Self::answering(move |head, body| {
            let answer = respond(head, body, path, &diff, &taken.lock().unwrap());
            taken.lock().unwrap().extend(answer.1.clone());
            answer
        })
    }

    /// Takes none, as GitHub does from a token that may only read.
    pub fn refusing() -> Self {
        Self::answering(|_, _| {
            let said = "{\"message\": \"Resource not accessible by integration\"}";
            ("403 Forbidden", Err(said.to_owned()))
        })
    }

    fn answering(respond: impl Fn(&[String], &[u8]) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, accepted) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &respond, &sender);
            }
        });
        Self { port, accepted }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The next review that was taken.
    pub fn accepted(&self) -> Value {
        self.accepted.recv_timeout(Duration::from_secs(5)).unwrap()
    }

    /// Whether every review that was taken was looked at.
    pub fn has_no_more(&self) -> bool {
        self.accepted.try_recv().is_err()
    }
}

/// A status, and the review that was taken or the text of the answer.
type Answer = (&'static str, Result<Value, String>);

/// The value of a header.
fn header<'h>(head: &'h [String], name: &str) -> Option<&'h str> {
    let mut lines = head.iter().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

fn respond(head: &[String], body: &[u8], path: &str, diff: &Diff, taken: &[Value]) -> Answer {
    let is_list = head[0].starts_with(&format!("GET {path}?"));
    if !is_list && head[0] != format!("POST {path} HTTP/1.1") {
        return ("404 Not Found", Err("not found".to_owned()));
    }
    if header(head, "authorization") != Some("Bearer secret") {
        return ("401 Unauthorized", Err("bad credentials".to_owned()));
    }
    if is_list {
        let listed = taken.iter().enumerate().map(|(id, review)| {
            serde_json::json!({"id": id, "body": review["body"], "state": "COMMENTED"})
        });
        return ("200 OK", Err(Value::from_iter(listed).to_string()));
    }
    let review: Value = serde_json::from_slice(body).unwrap_or_default();
    match check(&review, diff) {
        Ok(()) => ("200 OK", Ok(review)),
        Err(why) => ("422 Unprocessable Entity", Err(why)),
    }
}

fn answer(
    stream: TcpStream,
    respond: &impl Fn(&[String], &[u8]) -> Answer,
    sender: &Sender<Value>,
) {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let length = header(&head, "content-length").unwrap_or("0");
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let (status, answer) = respond(&head, &body);
    let said = match answer {
        Ok(review) => {
            sender.send(review).unwrap();
            let url = "https://github.com/o/r/pull/7#pullrequestreview-1";
            serde_json::json!({"id": 1, "html_url": url}).to_string()
        }
        Err(why) => why,
    };
    let mut stream = reader.into_inner();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{said}",
        said.len()
    );
    stream.write_all(answer.as_bytes()).unwrap();
}

#[test]
fn a_comment_outside_of_the_diff_is_refused_with_the_whole_review() {
    let diff = Diff::from([("a.rs".to_owned(), vec![3..=9])]);
    let review = |line: u64| {
        let comment =
            serde_json::json!({"path": "a.rs", "body": "b", "line": line, "side": "RIGHT"});
        serde_json::json!({"event": "COMMENT", "body": "b", "comments": [comment]})
    };
    assert_eq!(check(&review(9), &diff), Ok(()));
    assert!(check(&review(10), &diff).is_err());
}
