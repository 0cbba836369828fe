//! Serves the numbers over HTTP: `GET /metrics`, and `GET /healthz`, which shows that the process is running.
//!
//! One thread serves all clients and waits only for the network. A client has [`PATIENCE`] to send its request, and again to
//! take the answer; at most [`CLIENTS`] may be connected at a time. So a client that sends or reads nothing does not block
//! others for long, and the run never waits for any client. There is no password and no TLS: an address beyond loopback is
//! for trusted networks, or for a proxy that has both.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::sync::{Semaphore, watch};

use super::Metrics;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::run::http::{EXPOSITION, Listener, PLAIN, Server, answer, bind};

/// How long a client may take to send its request, and to take its answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most clients at a time.
const CLIENTS: usize = 256;

/// Most bytes of a request.
const REQUEST: usize = 8 << 10;

/// Serves `address` (`HOST:PORT` or, on loopback, `:PORT`) until the process ends. Port 0 stands for any free port. Returns
/// the actual address.
///
/// # Errors
/// [`Error::Io`] naming the address, if it cannot be bound.
pub fn serve(address: &str, metrics: Arc<Metrics>) -> Result<SocketAddr> {
    let failed = |error: io::Error| {
        let reason = tr!("{error}; name another address (port 0 is any that is free)", error);
        Error::io(format!("--metrics {address}"), io::Error::new(error.kind(), reason))
    };
    let listener = bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let answering = move || {
        runtime.block_on(async {
            let (_never, stopping) = watch::channel(false);
            let places = Arc::new(Semaphore::new(CLIENTS));
            let mut server = Server { places, patience: PATIENCE, buffer: REQUEST, keep_alive: false, stopping };
            server.receive(Listener::Tcp(listener), router(metrics), || ()).await.map(drop)
        })
    };
    std::thread::Builder::new().name("metrics".to_owned()).spawn(answering).map_err(failed)?;
    Ok(bound)
}

fn router(metrics: Arc<Metrics>) -> Router {
    let refusal = |status: StatusCode, words: &str| answer(status, PLAIN, format!("{}: {words}\n", status.as_u16()));
    Router::new()
        .route("/metrics", get(async move || answer(StatusCode::OK, EXPOSITION, metrics.text())))
        .route("/healthz", get(async || answer(StatusCode::OK, PLAIN, "ok\n".to_owned())))
        .method_not_allowed_fallback(async move || refusal(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD"))
        .fallback(async move || refusal(StatusCode::NOT_FOUND, "there are /metrics and /healthz"))
}
