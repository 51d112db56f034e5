//! Writes an HTTP response, with the headers that keep the page to itself.

use std::borrow::Cow;
use std::io::{Result, Write};

/// The page runs its own script, has its own style, and shows pictures that its script made; nothing else.
const HEADERS: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; \
base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

/// How a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
}

impl Status {
    /// The rest of the status line, and the header that belongs to it.
    fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed\r\nAllow: GET",
        }
    }
}

/// A response.
#[derive(Debug)]
pub struct Response {
    status: Status,
    /// The media type.
    kind: &'static str,
    body: Cow<'static, str>,
}

impl Response {
    /// A response with text of a media type.
    pub fn ok(kind: &'static str, body: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: Status::Ok,
            kind,
            body: body.into(),
        }
    }

    /// Writes it.
    pub fn write(&self, mut stream: impl Write) -> Result<()> {
        let (line, kind, length) = (self.status.line(), self.kind, self.body.len());
        let head = format!(
            "HTTP/1.1 {line}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {length}\r\n{HEADERS}\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(self.body.as_bytes())
    }
}

impl From<Status> for Response {
    /// A response without a body.
    fn from(status: Status) -> Self {
        Self {
            status,
            kind: "text/plain",
            body: Cow::Borrowed(""),
        }
    }
}
