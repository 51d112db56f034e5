//! The connections that are open: how many, and which one has to go for another.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A connection.
pub struct Client {
    stream: TcpStream,
    is_welcome: AtomicBool,
    is_cut: AtomicBool,
}

impl Client {
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            is_welcome: AtomicBool::new(false),
            is_cut: AtomicBool::new(false),
        }
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// It made a request that was let in: it is no longer the first that has to go.
    pub fn welcome(&self) {
        self.is_welcome.store(true, Ordering::SeqCst);
    }

    /// Whether nothing should be waited for any more.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::SeqCst)
    }

    fn cut(&self, how: Shutdown) {
        self.is_cut.store(true, Ordering::SeqCst);
        // It fails if the client is gone already.
        let _ = self.stream.shutdown(how);
    }
}

/// The connections that are open, the oldest first.
pub struct Clients {
    most: usize,
    open: Mutex<Vec<Arc<Client>>>,
    left: Condvar,
}

impl Clients {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            open: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Adds a connection. If there is no room, the oldest is cut that has not made a good request, or else the oldest;
    /// `wake` wakes those that wait for something else than their connection.
    pub fn admit(&self, client: &Arc<Client>, wake: impl Fn()) {
        let mut open = self.lock();
        while open.len() >= self.most {
            let is_stranger = |client: &Arc<Client>| !client.is_welcome.load(Ordering::SeqCst);
            let place = open.iter().position(is_stranger).unwrap_or_default();
            open[place].cut(Shutdown::Both);
            wake();
            open = (self.left.wait(open)).unwrap_or_else(PoisonError::into_inner);
        }
        open.push(Arc::clone(client));
    }

    /// A guard that lets the connection leave.
    pub fn seat<'a>(&'a self, client: &'a Arc<Client>) -> Seat<'a> {
        Seat {
            clients: self,
            client,
        }
    }

    /// Removes a connection.
    pub fn leave(&self, client: &Arc<Client>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, client));
        self.left.notify_all();
    }

    /// Cuts all connections.
    pub fn cut_all(&self, how: Shutdown) {
        for client in &*self.lock() {
            client.cut(how);
        }
    }

    /// Waits until all are gone, but not for long.
    pub fn wait_until_empty(&self, most: Duration) {
        let is_some = |open: &mut Vec<_>| !open.is_empty();
        drop(self.left.wait_timeout_while(self.lock(), most, is_some));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Client>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection, until it is dropped.
pub struct Seat<'a> {
    clients: &'a Clients,
    client: &'a Arc<Client>,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.clients.leave(self.client);
    }
}
