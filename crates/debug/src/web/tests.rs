//! The live page, as programs and as a browser see it.

mod browser;
mod devtools;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::history::STEPS;
use super::server::MOST;
use super::{Live, SourceLine, Step};

/// The address without the path, and the path.
fn parts(live: &Live) -> (&str, &str) {
    let rest = live.url().strip_prefix("http://").unwrap();
    rest.split_at(rest.find('/').unwrap())
}

/// What comes back for these bytes, as one text; empty if nothing does.
fn sent(live: &Live, request: &str) -> String {
    let mut stream = TcpStream::connect(parts(live).0).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    // The connection may be cut.
    let _ = stream.read_to_string(&mut response);
    response
}

fn got(live: &Live, resource: &str) -> String {
    let (host, path) = parts(live);
    sent(
        live,
        &format!("GET {path}{resource} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    )
}

fn body(response: &str) -> &str {
    response.split_once("\r\n\r\n").unwrap().1
}

fn status(response: &str) -> &str {
    response.get(9..12).unwrap_or("none")
}

fn steps(response: &str) -> Vec<serde_json::Value> {
    serde_json::from_str(body(response)).unwrap()
}

fn numbered(text: &str) -> Step {
    Step {
        command: "next".to_owned(),
        text: text.to_owned(),
        ..Step::default()
    }
}

#[test]
fn the_page_and_its_parts_are_served_with_headers_that_keep_them_apart() {
    let live = Live::start().unwrap();
    for (resource, kind) in [
        ("", "text/html"),
        ("page.css", "text/css"),
        ("page.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    ] {
        let response = got(&live, resource);
        assert_eq!(status(&response), "200", "{response}");
        for header in [
            &format!("Content-Type: {kind}; charset=utf-8"),
            "Content-Security-Policy: default-src 'none'; ",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cache-Control: no-store",
            "Cross-Origin-Resource-Policy: same-origin",
        ] {
            assert!(response.contains(header), "{header}: {response}");
        }
        assert!(!response.contains("Access-Control"), "{response}");
    }
    assert_eq!(status(&got(&live, "other")), "404");
    assert_eq!(status(&got(&live, "steps?after=x")), "400");
}

#[test]
fn a_wrong_token_gets_nothing() {
    let live = Live::start().unwrap();
    let (host, path) = parts(&live);
    let token = path.trim_matches('/');
    assert_eq!(token.len(), 32);
    let last = if token.ends_with('0') { '1' } else { '0' };
    let wrong = format!("{}{last}", &token[..31]);
    for path in [
        "/".to_owned(),
        "/page.js".to_owned(),
        format!("/{wrong}/"),
        format!("/{token}"),
        format!("//{token}/"),
        format!("/{}/", &token[..31]),
        format!("{token}/"),
        format!("http://{host}/{token}/"),
    ] {
        // Who does not know the token does not learn what else is wrong.
        for head in [
            format!("GET {path} HTTP/1.1\r\nHost: {host}"),
            format!("POST {path} HTTP/1.1\r\nHost: evil.example"),
        ] {
            let response = sent(&live, &format!("{head}\r\n\r\n"));
            assert_eq!(status(&response), "404", "{head}: {response}");
            assert_eq!(body(&response), "");
        }
    }
    assert_ne!(Live::start().unwrap().url()[20..], live.url()[20..]);
}

#[test]
fn a_wrong_host_is_refused() {
    let live = Live::start().unwrap();
    let (host, path) = parts(&live);
    let port = host.split_once(':').unwrap().1;
    let with = |headers: &str| {
        status(&sent(
            &live,
            &format!("GET {path} HTTP/1.1\r\n{headers}\r\n"),
        ))
        .to_owned()
    };
    for good in [
        host,
        &format!("localhost:{port}"),
        &format!("LocalHost:{port}"),
    ] {
        assert_eq!(with(&format!("Host: {good}\r\n")), "200", "{good}");
    }
    for bad in [
        "127.0.0.1",
        "localhost",
        "evil.example",
        "127.0.0.1:1",
        &format!("evil.example:{port}"),
    ] {
        assert_eq!(with(&format!("Host: {bad}\r\n")), "403", "{bad}");
    }
    assert_eq!(with(""), "403");
    assert_eq!(with(&format!("Host: {host}\r\nHost: {host}\r\n")), "403");
}

#[test]
fn other_methods_are_refused() {
    let live = Live::start().unwrap();
    let (host, path) = parts(&live);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get"] {
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}");
        let response = sent(&live, &request);
        assert_eq!(status(&response), "405", "{method}: {response}");
        assert!(response.contains("\r\nAllow: GET\r\n"));
    }
}

#[test]
fn what_is_not_http_is_refused() {
    let live = Live::start().unwrap();
    assert_eq!(status(&sent(&live, "\0\0\0\0\r\n\r\n")), "400");
    let many = "a: b\r\n".repeat(1000);
    assert_eq!(
        status(&sent(&live, &format!("GET / HTTP/1.1\r\n{many}\r\n"))),
        "400"
    );
    assert_eq!(status(&sent(&live, &"a".repeat(40_000))), "400");
}

#[test]
fn steps_come_in_order_and_text_is_data() {
    let live = Live::start().unwrap();
    let odd = "<script>alert(1)</script>\"\\\u{1b}[31m\u{2028}]";
    for text in ["one", odd, "three"] {
        live.show(numbered(text));
    }
    let response = got(&live, "steps?after=1");
    assert!(response.contains("Content-Type: application/json"));
    let steps = steps(&response);
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step["number"].as_u64(), step["text"].as_str()))
        .collect();
    assert_eq!(told, [(Some(2), Some(odd)), (Some(3), Some("three"))]);
}

#[test]
fn a_request_waits_for_a_step() {
    let live = Live::start().unwrap();
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| got(&live, "steps?after=0")))
            .collect();
        thread::sleep(Duration::from_millis(200));
        assert!(waiting.iter().all(|one| !one.is_finished()));
        live.show(numbered("late"));
        for one in waiting {
            assert_eq!(steps(&one.join().unwrap())[0]["text"], "late");
        }
    });
}

#[test]
fn silent_and_slow_clients_stall_nobody() {
    let live = Live::start().unwrap();
    let (host, path) = parts(&live);
    for _ in 0..4 {
        live.show(Step {
            picture: Some("x".repeat(4 << 20)),
            ..Step::default()
        });
    }
    let before = Instant::now();
    let silent: Vec<_> = (0..3 * MOST)
        .map(|nth| {
            let mut stream = TcpStream::connect(host).unwrap();
            match nth % 3 {
                0 => {}
                1 => stream.write_all(b"GET /").unwrap(),
                // Asks for megabytes, and takes none.
                _ => write!(
                    stream,
                    "GET {path}steps?after=0 HTTP/1.1\r\nHost: {host}\r\n\r\n"
                )
                .unwrap(),
            }
            stream
        })
        .collect();
    live.show(numbered("last"));
    assert_eq!(steps(&got(&live, "steps?after=4"))[0]["text"], "last");
    assert!(
        before.elapsed() < Duration::from_secs(3),
        "{:?}",
        before.elapsed()
    );
    drop(silent);
}

#[test]
fn strangers_do_not_drive_out_who_waits() {
    let live = Live::start().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| got(&live, "steps?after=0"));
        thread::sleep(Duration::from_millis(100));
        let host = parts(&live).0;
        let strangers: Vec<_> = (0..2 * MOST)
            .map(|_| TcpStream::connect(host).unwrap())
            .collect();
        assert_eq!(status(&got(&live, "")), "200");
        live.show(numbered("late"));
        assert_eq!(steps(&waiting.join().unwrap())[0]["text"], "late");
        drop(strangers);
    });
}

#[test]
fn only_the_last_steps_are_kept_and_answers_are_bounded() {
    let live = Live::start().unwrap();
    for _ in 0..STEPS + 10 {
        live.show(numbered(&"x".repeat(100_000)));
    }
    let response = got(&live, "steps?after=0");
    assert!(response.len() < 2 << 20, "{}", response.len());
    let first = &steps(&response)[0];
    assert_eq!(first["number"], 11);
    assert_eq!(
        first["text"].as_str().unwrap().len(),
        (64 << 10) + "…".len()
    );
    assert_eq!(
        steps(&got(&live, &format!("steps?after={}", STEPS + 9))).len(),
        1
    );
    for (size, is_kept) in [(4 << 20, true), ((4 << 20) + 1, false)] {
        live.show(Step {
            picture: Some("x".repeat(size)),
            ..Step::default()
        });
        let last = &steps(&got(
            &live,
            &format!("steps?after={}", STEPS + if is_kept { 10 } else { 11 }),
        ))[0];
        assert_eq!(
            (last["picture"].is_string(), last["tooLarge"].as_bool()),
            (is_kept, Some(!is_kept))
        );
    }
}

#[test]
fn large_pictures_drive_out_old_steps() {
    let live = Live::start().unwrap();
    for _ in 0..20 {
        live.show(Step {
            picture: Some("x".repeat(4 << 20)),
            ..Step::default()
        });
    }
    assert_eq!(steps(&got(&live, "steps?after=0"))[0]["number"], 6);
}

#[test]
fn a_place_comes_with_the_lines_around_it() {
    let source: String = (1..=500).map(|line| format!("line {line}\n")).collect();
    let live = Live::start().unwrap();
    for (number, line, first, last) in [
        (0, 1, 1, 201),
        (1, 250, 150, 350),
        (2, 500, 400, 500),
        (3, 0, 1, 201),
    ] {
        let place = SourceLine {
            file: "a.c".to_owned(),
            line,
            source: source.clone(),
        };
        live.show(Step {
            place: Some(place),
            ..Step::default()
        });
        let place = &steps(&got(&live, &format!("steps?after={number}")))[0]["place"];
        let lines = place["lines"].as_array().unwrap();
        assert_eq!(place["first"], first);
        assert_eq!(lines[0], format!("line {first}"));
        assert_eq!(lines[lines.len() - 1], format!("line {last}"));
    }
}

#[test]
fn dropping_ends_it_and_those_who_wait_get_what_there_is() {
    let live = Live::start().unwrap();
    let (host, path) = parts(&live);
    let ask = |after: u32| {
        let mut stream = TcpStream::connect(host).unwrap();
        write!(
            stream,
            "GET {path}steps?after={after} HTTP/1.1\r\nHost: {host}\r\n\r\n"
        )
        .unwrap();
        stream
    };
    let silent = TcpStream::connect(host).unwrap();
    let waiting = [ask(0), ask(1)];
    let address = host.to_owned();
    thread::sleep(Duration::from_millis(100));
    live.show(numbered("last"));
    let before = Instant::now();
    drop(live);
    assert!(
        before.elapsed() < Duration::from_secs(2),
        "{:?}",
        before.elapsed()
    );
    let told = waiting.map(|mut stream| {
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        steps(&response).len()
    });
    assert_eq!(told, [1, 0]);
    assert_eq!((&silent).read(&mut [0]).unwrap_or(0), 0);
    assert!(TcpStream::connect(address).is_err());
}
