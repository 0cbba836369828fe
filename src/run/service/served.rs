//! The numbers that a service counts beside its messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::run::metrics::exposition::{counter, gauge};

/// Counts as a waiting request until it is dropped.
pub(super) struct Waiting(Arc<Served>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Relaxed);
    }
}

/// Counts as a connected client until it is dropped.
pub(super) struct Connected(Arc<Served>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Relaxed);
    }
}

/// Counts that all parts of a service share.
#[derive(Default)]
pub(super) struct Served {
    /// Messages that were answered again.
    again: AtomicU64,
    /// Messages whose id came with another text.
    conflicts: AtomicU64,
    /// Answered requests, by status.
    requests: Vec<(u16, AtomicU64)>,
    /// Answers that are held for ids.
    held: AtomicU64,
    /// Connected clients.
    clients: AtomicU64,
    /// Requests that wait for their answers.
    waiting: AtomicU64,
}

impl Served {
    /// Makes counts for requests with these statuses; other statuses are not counted.
    pub(crate) fn new(statuses: impl Iterator<Item = u16>) -> Self {
        Self { requests: statuses.map(|status| (status, AtomicU64::new(0))).collect(), ..Self::default() }
    }

    pub(crate) fn again(&self) -> u64 {
        self.again.load(Relaxed)
    }

    pub(crate) fn conflicts(&self) -> u64 {
        self.conflicts.load(Relaxed)
    }

    pub(crate) fn add_again(&self) {
        self.again.fetch_add(1, Relaxed);
    }

    pub(crate) fn add_conflict(&self) {
        self.conflicts.fetch_add(1, Relaxed);
    }

    pub(crate) fn hold(&self, answers: usize) {
        self.held.store(answers as u64, Relaxed);
    }

    /// Counts a client as connected until the returned value is dropped.
    pub(crate) fn connect(self: &Arc<Self>) -> Connected {
        self.clients.fetch_add(1, Relaxed);
        Connected(self.clone())
    }

    /// Counts a request as waiting until the returned value is dropped.
    pub(crate) fn wait(self: &Arc<Self>) -> Waiting {
        self.waiting.fetch_add(1, Relaxed);
        Waiting(self.clone())
    }

    /// Whether any request waits for its answer.
    pub(crate) fn waits(&self) -> bool {
        self.waiting.load(Relaxed) > 0
    }

    /// Counts an answered request.
    pub(crate) fn request(&self, status: u16) {
        if let Some((_, count)) = self.requests.iter().find(|(known, _)| *known == status) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Writes the counts in the text format of Prometheus. `bodies` is the number of bytes reserved for bodies and answers.
    pub(crate) fn text(&self, bodies: usize) -> String {
        let mut text = String::new();
        let count = |value: &AtomicU64| [("", value.load(Relaxed))];
        let requests: Vec<_> =
            self.requests.iter().map(|(status, count)| (format!("code=\"{status}\""), count.load(Relaxed))).collect();
        let requests = requests.iter().map(|(labels, count)| (labels.as_str(), *count));
        counter(&mut text, "quchong_requests_total", "Requests answered, by status.", requests);
        let help = "Messages that were sent again under their ids, and got the same answers.";
        counter(&mut text, "quchong_answered_again_total", help, count(&self.again));
        let help = "Messages whose id had come with another text.";
        counter(&mut text, "quchong_conflicts_total", help, count(&self.conflicts));
        gauge(&mut text, "quchong_remembered_ids", "Ids whose answers are remembered.", count(&self.held));
        let help = "Bytes reserved for bodies that are read and judged, and for answers that are not taken yet.";
        gauge(&mut text, "quchong_bodies_bytes", help, [("", bodies)]);
        gauge(&mut text, "quchong_clients", "Clients that are connected.", count(&self.clients));
        text
    }
}
