//! The live page of `debug --web`: a browser on this machine follows the session, and can walk back through its steps.
//!
//! [`Live`] keeps the last steps and answers browsers; it knows nothing of debuggers and pictures. The page only reads: there is no
//! request that changes anything. It is served on the loopback address, to clients that know a random token; see `gate`.

mod gate;
mod history;
mod request;
mod response;
mod server;
mod site;
mod step;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use self::gate::Gate;
use self::history::History;
use self::server::Server;
pub use self::step::{SourceLine, Step};

/// A live page. Browsers can open it until it is dropped.
pub struct Live {
    url: String,
    history: Arc<History>,
    _server: Server,
}

impl Live {
    /// Begins to serve an empty page on a free port.
    ///
    /// # Errors
    ///
    /// If there is no port, no thread or no random number to be had.
    pub fn start() -> io::Result<Self> {
        let history = Arc::new(History::default());
        let (listener, port) = server::listen()?;
        let gate = Gate::new(port)?;
        let url = gate.url();
        let server = Server::start(listener, port, gate, Arc::clone(&history))?;
        Ok(Self {
            url,
            history,
            _server: server,
        })
    }

    /// Where the page is. Who knows it can read the session.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Shows a step to all browsers, those that connect later included. Steps are numbered from 1. Does not wait for
    /// any browser.
    pub fn show(&self, step: Step) {
        self.history.push(|number| step.json(number));
    }
}
