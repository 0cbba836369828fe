//! The numbers over HTTP: `GET /metrics`, and `GET /healthz`, which tells that the process is there.
//!
//! One thread of its own, on which nothing is waited for but the network. Whoever connects has [`DEADLINE`] from the first byte to
//! the last, and [`CLIENTS`] may be connected at a time: the next one takes the place of the oldest. So nobody who says nothing, or
//! reads nothing, keeps others from an answer, and the run never waits for any of them. There is no password and no TLS:
//! an address beyond loopback is for networks that are trusted, or for a proxy that has both.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::Metrics;
use crate::error::{Error, Result};
use tr::tr;

/// How long a client may take from connecting to having its answer.
const DEADLINE: Duration = Duration::from_secs(5);

/// Most clients at a time.
const CLIENTS: usize = 64;

/// Most bytes of a request.
const REQUEST: u64 = 8 << 10;

/// Most bytes that are read behind it.
const REST: u64 = 1 << 20;

/// Answers at `address`, `HOST:PORT` or, on loopback, `:PORT`, until the process ends. Port 0 is any that is free; the address
/// that it became is given back.
///
/// # Errors
/// [`Error::Io`] naming the address, if it cannot be had.
pub fn serve(address: &str, metrics: Arc<Metrics>) -> Result<SocketAddr> {
    let failed = |error: io::Error| {
        let reason = tr!("{error}; name another address (port 0 is any that is free)", error);
        Error::io(format!("--metrics {address}"), io::Error::new(error.kind(), reason))
    };
    let full = if address.starts_with(':') { format!("127.0.0.1{address}") } else { address.to_owned() };
    let listener = TcpListener::bind(full).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let answering = move || runtime.block_on(accept(listener, metrics));
    std::thread::Builder::new().name("metrics".to_owned()).spawn(answering).map_err(failed)?;
    Ok(bound)
}

async fn accept(listener: TcpListener, metrics: Arc<Metrics>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let mut clients = VecDeque::with_capacity(CLIENTS);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // The process has no more files for now, or the client has gone already.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        if clients.len() == CLIENTS {
            clients.pop_front().inspect(tokio::task::JoinHandle::abort);
        }
        let metrics = metrics.clone();
        clients.push_back(tokio::spawn(async move {
            // Who does not wait for the answer, or takes too long, gets none.
            let _ = tokio::time::timeout(DEADLINE, answer(stream, &metrics)).await;
        }));
    }
}

async fn answer(mut stream: TcpStream, metrics: &Metrics) -> io::Result<()> {
    let (read, mut write) = stream.split();
    let mut lines = BufReader::new(read.take(REQUEST)).lines();
    let request = lines.next_line().await?.unwrap_or_default();
    let mut whole = false;
    while let Some(line) = lines.next_line().await? {
        if line.is_empty() {
            whole = true;
            break;
        }
    }
    let words: Vec<&str> = request.split(' ').collect();
    let (status, kind, body) = match words[..] {
        [method, target, version] if whole && version.starts_with("HTTP/1.") => respond(method, target, metrics),
        _ => ("400 Bad Request", PLAIN, "400: a request of HTTP/1.1, of at most 8 KiB, was expected\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nAllow: GET, HEAD\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    let body = if words[0] == "HEAD" { "" } else { &body };
    write.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await?;
    write.shutdown().await?;
    // What stays unread when the connection is closed would take the answer back.
    let mut rest = lines.into_inner().into_inner().into_inner().take(REST);
    tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.map(drop)
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// Status, type and body.
fn respond(method: &str, target: &str, metrics: &Metrics) -> (&'static str, &'static str, String) {
    let path = target.split('?').next().unwrap_or_default();
    match (method, path) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics.text()),
        ("GET" | "HEAD", "/healthz") => ("200 OK", PLAIN, "ok\n".to_owned()),
        ("GET" | "HEAD", _) => ("404 Not Found", PLAIN, "404: there are /metrics and /healthz\n".to_owned()),
        _ => ("405 Method Not Allowed", PLAIN, "405: GET or HEAD\n".to_owned()),
    }
}
