//! Reads the head of an HTTP request. Bodies are not read: no request has a use for one.

use std::io::{Error, ErrorKind, Read, Result};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long a client may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most bytes of a head, and its headers. Cookies of all other local servers are among them.
const BYTES: usize = 32 << 10;
const HEADERS: usize = 64;

/// The parts of a request that matter here.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: String,
    /// The path and the query.
    pub target: String,
    /// The Host header, if there is exactly one.
    pub host: Option<String>,
}

impl HttpRequest {
    /// Reads a request. What is not HTTP is [`ErrorKind::InvalidData`].
    pub fn read(mut stream: &TcpStream) -> Result<Self> {
        let deadline = Instant::now() + PATIENCE;
        let mut buffer = vec![0; BYTES];
        let mut filled = 0;
        while filled < BYTES {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            stream.set_read_timeout(Some(left))?;
            match stream.read(&mut buffer[filled..])? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
            if let Some(request) = Self::parse(&buffer[..filled])? {
                return Ok(request);
            }
        }
        Err(ErrorKind::InvalidData.into())
    }

    /// The request, if it is complete.
    fn parse(bytes: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let invalid = |error| Error::new(ErrorKind::InvalidData, error);
        if parsed.parse(bytes).map_err(invalid)?.is_partial() {
            return Ok(None);
        }
        let is_host = |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case("host");
        let mut hosts = parsed.headers.iter().filter(is_host);
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => String::from_utf8(host.value.to_vec()).ok(),
            _ => None,
        };
        Ok(Some(Self {
            method: parsed.method.unwrap_or_default().to_owned(),
            target: parsed.path.unwrap_or_default().to_owned(),
            host,
        }))
    }
}
