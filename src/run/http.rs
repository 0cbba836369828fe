//! HTTP: accepts clients, waits for them, and disconnects them. A [service](super::service) and the [numbers](super::metrics)
//! of a run answer through it.

mod patient;

use std::future::Future;
use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use patient::Patient;

/// How long to wait after accepting a client failed.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) const PLAIN: &str = "text/plain; charset=utf-8";

/// The content type that Prometheus reads.
pub(super) const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Makes a text response that is not cached.
pub(super) fn answer(status: StatusCode, kind: &'static str, text: String) -> Response {
    (status, [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text).into_response()
}

/// Binds to the address `HOST:PORT` or, on loopback, `:PORT`.
pub(crate) fn bind(address: &str) -> std::io::Result<TcpListener> {
    match address.strip_prefix(':') {
        Some(port) => TcpListener::bind(format!("127.0.0.1:{port}")),
        None => TcpListener::bind(address),
    }
}

/// A socket that clients connect to.
pub(crate) enum Listener {
    /// A socket at an address.
    Tcp(TcpListener),
    /// A Unix socket at a path.
    #[cfg(unix)]
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "numbers are told at an address"))]
    Unix(UnixListener),
}

/// A connection to a client.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// An asynchronous [`Listener`].
enum AsyncListener {
    Tcp(tokio::net::TcpListener),
    #[cfg(unix)]
    Unix(tokio::net::UnixListener),
}

impl AsyncListener {
    fn of(listener: Listener) -> std::io::Result<Self> {
        match listener {
            Listener::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                tokio::net::TcpListener::from_std(listener).map(Self::Tcp)
            }
            #[cfg(unix)]
            Listener::Unix(listener) => {
                listener.set_nonblocking(true)?;
                tokio::net::UnixListener::from_std(listener).map(Self::Unix)
            }
        }
    }

    async fn accept(&self) -> std::io::Result<Box<dyn Stream>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Each answer is one write, so delaying small writes gains nothing.
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Self::Unix(listener) => listener.accept().await.map(|(stream, _)| Box::new(stream) as Box<dyn Stream>),
        }
    }
}

/// How clients are accepted and served.
#[derive(Clone)]
pub(super) struct Server {
    /// One permit for each client; further clients wait until one is free.
    pub(super) places: Arc<Semaphore>,
    /// How long a client may take to send the head of a request, or to take an answer.
    pub(super) patience: Duration,
    /// Bytes of the read buffer, and the limit for the head of a request.
    pub(super) buffer: usize,
    /// Whether a client may send further requests over the same connection.
    pub(super) keep_alive: bool,
    /// Becomes true when no more clients are to be accepted.
    pub(super) stopping: watch::Receiver<bool>,
}

impl Server {
    /// Accepts clients at `listener` until `stopping` is true. The value that `on_connect` returns is dropped when its client has
    /// disconnected.
    pub(super) async fn receive<G: Send + 'static>(
        &mut self,
        listener: Listener,
        router: Router,
        on_connect: impl Fn() -> G,
    ) -> std::io::Result<Clients> {
        let listener = AsyncListener::of(listener)?;
        let service = TowerToHyperService::new(router);
        let mut clients = Clients { graceful: GracefulShutdown::new(), connections: JoinSet::new() };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.patience);
        // A client may say that it sends no more, and still wait for its answer.
        http.half_close(true);
        http.max_buf_size(self.buffer).keep_alive(self.keep_alive);
        loop {
            let next = async {
                let place = self.places.clone().acquire_owned().await;
                (listener.accept().await, place)
            };
            let (stream, place) = tokio::select! {
                biased;
                _ = self.stopping.wait_for(|stopping| *stopping) => return Ok(clients),
                Some(_) = clients.connections.join_next() => continue,
                next = next => next,
            };
            let Ok(stream) = stream else {
                // The process has no free file handles at the moment, or the client has already gone.
                sleep(PAUSE).await;
                continue;
            };
            let stream = Patient::new(stream, self.patience, self.stopping.clone());
            let connection = clients.graceful.watch(http.serve_connection(TokioIo::new(stream), service.clone()));
            let guard = on_connect();
            clients.connections.spawn(async move {
                // A client that does not speak HTTP, or takes too long, gets no answer.
                let _ = connection.await;
                drop((guard, place));
            });
        }
    }
}

/// Clients that are still connected when no more are accepted.
pub(super) struct Clients {
    graceful: GracefulShutdown,
    connections: JoinSet<()>,
}

impl Clients {
    /// Lets clients finish the requests they have begun, at most until `patience` is ready.
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "who asks for numbers goes with the process"))]
    pub(super) async fn drain(mut self, patience: impl Future<Output = ()>) {
        tokio::select! {
            () = self.graceful.shutdown() => {}
            () = patience => {}
        }
        self.connections.shutdown().await;
    }
}
