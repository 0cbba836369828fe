//! A service: many clients send messages over HTTP, and each is answered once it is remembered.
//!
//! ```text
//! clients ──requests──▶ http (many at once) ──queue──▶ desk (one owner of the state) ──answers──▶ http ──▶ clients
//! ```
//!
//! # What an answer means
//! - The message is remembered. The answer leaves when the batch that it was judged in has been written to the state, and under
//!   [`Sync::Always`] when it is on disk.
//! - A message that is sent again under its id gets the same answer again, and is not judged again. The answers to the last so many
//!   ids stand in the state, in the frame that has what is remembered of their messages: they are there together or not at all.
//! - The same id with another text is an error in the answer, and is not judged.
//!
//! # One order
//! Requests are judged in the order in which they come into the queue, the lines of each in their order. What lies in the queue is
//! judged as one batch, with one write and one sync. A line that cannot be judged takes no position.
//!
//! # Bounds
//! The bodies under way take at most [`AT_ONCE`] times the longest body; their answers come on top. Beyond that, and beyond
//! [`REQUESTS`], a request is refused with 503, and its sender comes again later. At most [`Limits::clients`] are connected;
//! those beyond wait. Who sends or takes nothing for [`Limits::patience`] is disconnected.

mod desk;
mod http;
mod served;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};

use super::durable::{Durable, SERVICE};
pub(crate) use super::http::{Listener, bind};
use super::metrics::Metrics;
use super::{Observer, Totals};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::formats::parse::Parser;
use crate::store::Sync;
use desk::Desk;
use http::Front;
use served::Served;

/// Longest bodies that may be under way together.
const AT_ONCE: usize = 8;

/// Requests that may wait for their turn.
const REQUESTS: usize = 1024;

/// How long clients may take, once the service stops, to send what they have begun and to take their answers.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// What clients may ask for.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Bytes of a body.
    pub(crate) body: usize,
    /// Most clients at a time; those beyond wait to be let in.
    pub(crate) clients: usize,
    /// How long a client may take to send a request, or leave an answer lying.
    pub(crate) patience: Duration,
    /// What clients must know, if anything.
    pub(crate) token: Option<String>,
}

/// What a service is made of.
pub(crate) struct Service<'o> {
    /// What is remembered, and where.
    pub(crate) durable: Durable,
    /// How lines are read.
    pub(crate) parser: Parser,
    /// Answers that are remembered.
    pub(crate) answers: u64,
    pub(crate) limits: Limits,
    pub(crate) listeners: Vec<Listener>,
    /// Threads that read messages.
    pub(crate) threads: usize,
    pub(crate) observer: &'o mut dyn Observer,
}

/// Opens a state for a service.
///
/// # Errors
/// [`Error::State`] if it is damaged, in use, or of other options; [`Error::Io`].
pub(crate) fn open(config: &mut Config, folder: &Path, sync: Sync, any_seed: bool) -> Result<Durable> {
    Durable::answering(SERVICE, config, folder, sync, any_seed)
}

/// Answers until `stop` is ready, and all that had been read by then; what it adds up to, and how many messages were answered again.
///
/// # Errors
/// [`Error::Io`], [`Error::Limit`] if messages cannot be judged or written down any longer. Who waited for an answer then gets none.
pub(crate) fn serve(
    config: &Config,
    service: Service<'_>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> (Totals, u64, Result<()>) {
    let started = Instant::now();
    let io = |error| Error::io("<threads>", error);
    let Service { durable, parser, answers, limits, listeners, threads, observer } = service;
    let (metrics, served) = (Arc::new(Metrics::default()), Arc::new(Served::new(http::statuses())));
    let mut desk = Desk::new(config, parser, durable, answers, threads, (metrics.clone(), served.clone()), observer);
    // One thread speaks with all clients: it waits more than it works, and more of them would only wake each other.
    let runtime = match Builder::new_multi_thread().worker_threads(1).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return (Totals::default(), 0, Err(io(error))),
    };
    let (queue, requests) = sync_channel(REQUESTS);
    let (stopper, stopping) = watch::channel(false);
    let stopper = Arc::new(stopper);
    let signalled = stopper.clone();
    runtime.spawn(async move {
        stop.await;
        signalled.send_replace(true);
    });
    let room = Arc::new(Semaphore::new(limits.body * AT_ONCE));
    let front = Front { queue, room, limits: Arc::new(limits), metrics, served: served.clone(), stopping };
    let serving = runtime.spawn(http::serve(listeners, front));
    let judged = desk.answer_all(requests);
    // After a failure, who waits is told so, and nobody else is let in.
    stopper.send_replace(true);
    let ended = runtime.block_on(serving).map_err(|error| io(std::io::Error::other(error)));
    runtime.shutdown_background();
    let again = served.again();
    let (totals, left) = desk.leave(started.elapsed());
    (totals, again, judged.and(ended.and_then(|ended| ended)).and(left))
}
