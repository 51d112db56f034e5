//! Who may read: requests that know the token and were made to this very address.
//!
//! Other users of the machine can reach the port, but do not know the token. Pages of other sites can make the browser send requests;
//! if they let their own name lead here (DNS rebinding), the Host header is theirs.

use std::io;

use subtle::ConstantTimeEq;

use super::request::HttpRequest;
use super::response::{Response, Status};

/// What a request must know and name.
pub struct Gate {
    port: u16,
    /// 128 random bits, in hexadecimal.
    token: String,
}

impl Gate {
    /// A gate with a new token.
    pub fn new(port: u16) -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let token = format!("{:032x}", u128::from_be_bytes(bytes));
        Ok(Self { port, token })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// What the request asks for, below the token; or the refusal. Who lacks the token does not learn what else is wrong.
    pub fn pass<'a>(&self, request: &'a HttpRequest) -> Result<&'a str, Response> {
        let path = request.target.strip_prefix('/').unwrap_or_default();
        let (token, resource) = path.split_once('/').unwrap_or_default();
        if !bool::from(token.as_bytes().ct_eq(self.token.as_bytes())) {
            return Err(Status::NotFound.into());
        }
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let is_here = |host: &String| hosts.iter().any(|here| here.eq_ignore_ascii_case(host));
        if !request.host.as_ref().is_some_and(is_here) {
            return Err(Status::Forbidden.into());
        }
        match request.method.as_str() {
            "GET" => Ok(resource),
            _ => Err(Status::MethodNotAllowed.into()),
        }
    }
}
