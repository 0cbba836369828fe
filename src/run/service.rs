//! A service: many clients send messages over HTTP, and each message is answered once it is stored.
//!
//! ```text
//! clients ──requests──▶ http (many at once) ──queue──▶ state_owner ──answers──▶ http ──▶ clients
//! ```
//!
//! # What an answer means
//! - The message is stored. The answer leaves only after the batch with the message has been written to the state, and under
//!   [`Sync::Always`] only after it is on disk.
//! - A message that is sent again with its id gets the same answer again, and is not judged again. The state holds the latest
//!   answers, up to a limit. They are in the same frame as the remembered messages, so both are there or neither is.
//! - A message with the id of another text gets an error as its answer, and is not judged.
//!
//! # One order
//! Requests are judged in the order in which they enter the queue, and the lines of each in their order. All requests in the
//! queue are judged as one batch, with one write and one sync. A line that cannot be judged takes no position.
//!
//! # Bounds
//! The bodies in progress, and the answers that nobody has taken yet, take about [`AT_ONCE`] times the longest allowed body. Beyond
//! that, and beyond [`REQUESTS`], a request is refused with 503, so that its sender tries again later. At most
//! [`Limits::clients`] are connected; further clients wait. A client that sends or takes nothing for [`Limits::patience`] is
//! disconnected.

mod http;
mod served;
mod state_owner;

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
use http::Front;
use served::Served;
use state_owner::StateOwner;

/// How many bodies of the greatest length fit into the memory for bodies.
const AT_ONCE: usize = 8;

/// Requests that may wait for their turn.
const REQUESTS: usize = 1024;

/// After a stop, how long clients may take to send requests they have begun and to take their answers.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// The limits that apply to clients.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Most bytes of a body.
    pub(crate) body: usize,
    /// Most clients connected at a time; further clients wait.
    pub(crate) clients: usize,
    /// How long a client may take to send a request, or to take an answer.
    pub(crate) patience: Duration,
    /// The token that clients must send, if one is required.
    pub(crate) token: Option<String>,
}

/// The parts of a service.
pub(crate) struct Service<'o> {
    /// The state in its folder.
    pub(crate) durable: Durable,
    /// Finds text, id and time in each line.
    pub(crate) parser: Parser,
    /// How many answers are held for messages that are sent again.
    pub(crate) answers: u64,
    pub(crate) limits: Limits,
    pub(crate) listeners: Vec<Listener>,
    /// Threads that parse messages and make their fingerprints.
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

/// Serves until `stop` is ready, and answers everything read by then. Returns the totals, and the numbers of messages
/// answered again and of conflicts.
///
/// # Errors
/// [`Error::Io`], [`Error::Limit`] if messages can no longer be judged or stored. Clients that wait for answers then get an
/// error.
pub(crate) fn serve(
    config: &Config,
    service: Service<'_>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> (Totals, [u64; 2], Result<()>) {
    let started = Instant::now();
    let io = |error| Error::io("<threads>", error);
    let Service { durable, parser, answers, limits, listeners, threads, observer } = service;
    let (metrics, served) = (Arc::new(Metrics::default()), Arc::new(Served::new(http::statuses())));
    let mut owner =
        StateOwner::new(config, parser, durable, answers, threads, (metrics.clone(), served.clone()), observer);
    // One thread serves all clients: it mostly waits, and more threads would only wake each other.
    let runtime = match Builder::new_multi_thread().worker_threads(1).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return (Totals::default(), [0; 2], Err(io(error))),
    };
    let (queue, requests) = sync_channel(REQUESTS);
    let (stopper, stopping) = watch::channel(false);
    let stopper = Arc::new(stopper);
    let signalled = stopper.clone();
    runtime.spawn(async move {
        stop.await;
        signalled.send_replace(true);
    });
    let body_memory = Arc::new(Semaphore::new(limits.body * AT_ONCE));
    let front = Front { queue, body_memory, limits: Arc::new(limits), metrics, served: served.clone(), stopping };
    let serving = runtime.spawn(http::serve(listeners, front));
    let judged = owner.answer_all(requests);
    // After a failure, waiting clients get an error, and no more clients are accepted.
    stopper.send_replace(true);
    let ended = runtime.block_on(serving).map_err(|error| io(std::io::Error::other(error)));
    runtime.shutdown_background();
    let answered = [served.again(), served.conflicts()];
    let (totals, left) = owner.leave(started.elapsed());
    (totals, answered, judged.and(ended.and_then(|ended| ended)).and(left))
}
