//! Accepts connections, each with a thread of its own that answers one request. There are never more than [`MOST`].

mod clients;

use std::io::{self, ErrorKind, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::clients::{Client, Clients};
use super::gate::Gate;
use super::history::History;
use super::request::HttpRequest;
use super::response::Status;
use super::site;

/// The most connections at once.
pub const MOST: usize = 32;

/// How long a client may take no byte of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a client may take to close, and the answers that are under way when the server ends.
const LINGER: Duration = Duration::from_millis(500);

/// A free port of the loopback address.
pub fn listen() -> io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// A server. Its threads end when it is dropped.
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// What all threads know.
struct Shared {
    gate: Gate,
    history: Arc<History>,
    clients: Clients,
    is_over: AtomicBool,
}

impl Server {
    /// Begins to answer.
    pub fn start(
        listener: TcpListener,
        port: u16,
        gate: Gate,
        history: Arc<History>,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            gate,
            history,
            clients: Clients::new(MOST),
            is_over: AtomicBool::new(false),
        });
        let accepting = thread::Builder::new().name("web".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || shared.accept(&listener)
        })?;
        Ok(Self {
            port,
            shared,
            accepting: Some(accepting),
        })
    }
}

impl Drop for Server {
    /// Ends the threads. Answers that are under way get a moment.
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // It waits for a connection; this is one.
        let address = (Ipv4Addr::LOCALHOST, self.port).into();
        let is_awake = TcpStream::connect_timeout(&address, LINGER).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| is_awake) {
            // If it panicked there is nothing to wait for.
            let _ = accepting.join();
        }
        for how in [Shutdown::Read, Shutdown::Both] {
            self.shared.clients.cut_all(how);
            self.shared.history.wake();
            self.shared.clients.wait_until_empty(LINGER);
        }
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let accepted = listener.accept();
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            match accepted {
                Ok((stream, _)) => self.admit(stream),
                // There are too many open files, for example.
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// Gives a connection a thread. If there are too many, one of the others has to go first.
    fn admit(self: &Arc<Self>, stream: TcpStream) {
        let client = Arc::new(Client::new(stream));
        self.clients.admit(&client, || self.history.wake());
        let shared = Arc::clone(self);
        let seated = Arc::clone(&client);
        let spawned = thread::Builder::new().spawn(move || {
            let _seat = shared.clients.seat(&seated);
            // A client that is gone, slow or silent does not get an answer.
            let _ = shared.serve(&seated);
        });
        if spawned.is_err() {
            self.clients.leave(&client);
        }
    }

    fn serve(&self, client: &Client) -> io::Result<()> {
        let mut stream = client.stream();
        stream.set_write_timeout(Some(PATIENCE))?;
        let response = match HttpRequest::read(stream) {
            Ok(request) => match self.gate.pass(&request) {
                Ok(resource) => {
                    client.welcome();
                    site::answer(resource, &self.history, || client.is_cut())
                }
                Err(refusal) => refusal,
            },
            Err(error) if error.kind() == ErrorKind::InvalidData => Status::BadRequest.into(),
            Err(error) => return Err(error),
        };
        response.write(stream)?;
        // If bytes are left unread when the connection is closed, the client may not get the answer.
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(LINGER))?;
        stream.read(&mut [0; 4096]).map(drop)
    }
}
