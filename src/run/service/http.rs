//! Receives requests with messages over HTTP, and sends their answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, ORIGIN,
    RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::body::{Body as _, Bytes, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_stream::StreamExt;

use super::served::Served;
use super::state_owner::Request;
use super::{AT_ONCE, GRACE, Limits};
use crate::error::{Error, Result};
use crate::fingerprint::{Digest, random_seed};
use crate::run::TICK;
use crate::run::http::{EXPOSITION, Listener, PLAIN, Server, answer};
use crate::run::metrics::Metrics;

/// The steps in which memory is reserved for a body: one step before reading starts, and more while the body comes.
const STEP: usize = 64 << 10;

/// Most lines of a body: the answer to a line may be a hundred times as long as the line.
const LINES: usize = 100_000;

/// The memory that is reserved for the answer to a line, in bytes: about what a line takes that cannot be judged. Once an answer is there,
/// its own length counts.
const ANSWER: usize = 160;

/// Bytes of an answer that are sent at a time.
const PIECE: usize = 64 << 10;

/// Bytes of the read buffer, and the limit for the head of a request.
const BUFFER: usize = 128 << 10;

/// How long the rest of a refused body is read: if a client is still sending when the answer comes, the answer may be lost
/// with the connection.
const DISCARD: Duration = Duration::from_secs(1);

/// After a stop, how long clients may take their last answers once these are ready.
const TAKE: Duration = Duration::from_secs(1);

const NDJSON: &str = "application/x-ndjson";

/// What all request handlers share.
#[derive(Clone)]
pub(super) struct Front {
    pub(crate) queue: SyncSender<Request>,
    /// The memory for bodies and answers in bytes, as permits.
    pub(crate) body_memory: Arc<Semaphore>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) served: Arc<Served>,
    pub(crate) stopping: watch::Receiver<bool>,
}

/// Accepts clients until the service stops, then answers the requests that were begun.
pub(super) async fn serve(listeners: Vec<Listener>, front: Front) -> Result<()> {
    let server = Server {
        places: Arc::new(Semaphore::new(front.limits.clients)),
        patience: front.limits.patience,
        buffer: BUFFER,
        keep_alive: true,
        stopping: front.stopping.clone(),
    };
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(serve_listener(listener, server.clone(), front.clone()));
    }
    // Once the last clone of `front` is dropped, the state owner's queue ends.
    drop(front);
    let mut end = Ok(());
    while let Some(left) = accepting.join_next().await {
        let left = left.map_err(std::io::Error::other).and_then(|left| left);
        end = end.and(left.map_err(|error| Error::io("<listen>", error)));
    }
    end
}

/// Serves the clients of one listener until the service stops, then answers the requests that were begun.
async fn serve_listener(listener: Listener, mut server: Server, front: Front) -> std::io::Result<()> {
    let served = front.served.clone();
    let clients = server.receive(listener, router(front), || served.connect()).await?;
    let patience = async {
        sleep(GRACE).await;
        if served.waits() {
            while served.waits() {
                sleep(TICK).await;
            }
            sleep(TAKE).await;
        }
    };
    clients.drain(patience).await;
    Ok(())
}

/// The reason for each status of a refused request. Programs read it, so it is always English.
const REFUSALS: [(StatusCode, &str); 10] = [
    (StatusCode::BAD_REQUEST, "the body broke off"),
    (StatusCode::UNAUTHORIZED, "send the token: `Authorization: Bearer TOKEN`"),
    (StatusCode::FORBIDDEN, "a page in a browser may not ask (its request has an Origin)"),
    (StatusCode::NOT_FOUND, "there are /v1/messages, /metrics and /healthz"),
    (StatusCode::METHOD_NOT_ALLOWED, "POST /v1/messages, GET /metrics, GET /healthz"),
    (StatusCode::REQUEST_TIMEOUT, "the body did not come in time (--patience)"),
    (StatusCode::PAYLOAD_TOO_LARGE, "the body is too long (--max-body, 100000 lines); send it in parts"),
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, "send the body as it is, without Content-Encoding"),
    (StatusCode::INTERNAL_SERVER_ERROR, "not remembered, and the service stops; send it again once it is back"),
    (StatusCode::SERVICE_UNAVAILABLE, "too much waits to be judged, or the service stops; send it again later"),
];

/// All statuses of answers: success and the refusals.
pub(super) fn statuses() -> impl Iterator<Item = u16> {
    std::iter::once(StatusCode::OK).chain(REFUSALS.map(|(status, _)| status)).map(|status| status.as_u16())
}

/// Maps paths to their handlers.
fn router(front: Front) -> Router {
    let metrics = async |State(front): State<Front>, headers: HeaderMap| match front.admit(&headers) {
        Ok(()) => {
            let text = front.metrics.text()
                + &front.served.text(front.limits.body * AT_ONCE - front.body_memory.available_permits());
            front.answer(StatusCode::OK, EXPOSITION, text)
        }
        Err(status) => front.refusal(status),
    };
    let health = async |State(front): State<Front>| match *front.stopping.borrow() {
        true => front.refusal(StatusCode::SERVICE_UNAVAILABLE),
        false => front.answer(StatusCode::OK, PLAIN, "ok\n".to_owned()),
    };
    Router::new()
        .route("/v1/messages", post(messages))
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .method_not_allowed_fallback(async |State(front): State<Front>| front.refusal(StatusCode::METHOD_NOT_ALLOWED))
        .fallback(async |State(front): State<Front>| front.refusal(StatusCode::NOT_FOUND))
        .with_state(front)
}

async fn messages(State(front): State<Front>, request: HttpRequest) -> Response {
    let (head, body) = request.into_parts();
    let mut body = body.into_data_stream();
    let mut begun = false;
    let asked = async {
        let memory_permit = front.reserve(&head.headers)?;
        begun = true;
        front.ask(memory_permit, &mut body).await
    };
    match asked.await {
        Ok((answer, memory_permit)) => {
            front.served.request(StatusCode::OK.as_u16());
            let body = Body::new(AnswerBody { left: answer.into(), _memory_permit: memory_permit });
            ([(CONTENT_TYPE, NDJSON), (CACHE_CONTROL, "no-store")], body).into_response()
        }
        // A client that waits for permission to send the body will not send it.
        Err(status) if !begun && head.headers.contains_key(EXPECT) => front.refusal(status),
        Err(status) => {
            let discard = async {
                let mut left = front.limits.body;
                while let Some(Ok(piece)) = body.next().await
                    && left > 0
                {
                    left = left.saturating_sub(piece.len());
                }
            };
            let _ = timeout(DISCARD, discard).await;
            let mut refusal = front.refusal(status);
            if !body.is_end_stream() {
                // No request can follow on this connection, because the rest of the body is not read.
                refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            refusal
        }
    }
}

impl Front {
    /// Whether the sender may use the service; otherwise the status of the refusal.
    fn admit(&self, headers: &HeaderMap) -> std::result::Result<(), StatusCode> {
        if headers.contains_key(ORIGIN) {
            return Err(StatusCode::FORBIDDEN);
        }
        let Some(token) = &self.limits.token else { return Ok(()) };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer")).map(|(_, given)| given.trim());
        // Digests are compared, so that the time this takes reveals nothing about the token.
        let key = random_seed();
        let digest = |token: &str| Digest::keyed(token.as_bytes(), key);
        match given.is_some_and(|given| digest(given) == digest(token)) {
            true => Ok(()),
            false => Err(StatusCode::UNAUTHORIZED),
        }
    }

    /// Reserves memory for the beginning of a body, if the body may be sent; otherwise returns the status of the refusal.
    fn reserve(&self, headers: &HeaderMap) -> std::result::Result<OwnedSemaphorePermit, StatusCode> {
        self.admit(headers)?;
        if headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        let most = self.limits.body;
        let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > most) {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let step = STEP.min(most);
        self.take(length.map_or(step, |length| length.min(step)))
    }

    fn take(&self, bytes: usize) -> std::result::Result<OwnedSemaphorePermit, StatusCode> {
        let bytes = u32::try_from(bytes).map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        self.body_memory.clone().try_acquire_many_owned(bytes).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
    }

    /// Reads a body and waits until its messages are judged. Returns the answer, or the status of the refusal.
    async fn ask(
        &self,
        mut memory_permit: OwnedSemaphorePermit,
        body: &mut (impl tokio_stream::Stream<Item = std::result::Result<Bytes, axum::Error>> + Unpin),
    ) -> std::result::Result<(String, OwnedSemaphorePermit), StatusCode> {
        let most = self.limits.body;
        // Memory is reserved as the body comes: a body that is only announced takes no more than the first step.
        let read = async {
            let mut bytes = Vec::with_capacity(memory_permit.num_permits());
            while let Some(piece) = body.next().await {
                let piece = piece.map_err(|_| StatusCode::BAD_REQUEST)?;
                if bytes.len() + piece.len() > most {
                    return Err(StatusCode::PAYLOAD_TOO_LARGE);
                }
                let lacking = (bytes.len() + piece.len()).saturating_sub(memory_permit.num_permits());
                if lacking > 0 {
                    memory_permit.merge(self.take(lacking.max(STEP.min(most)))?);
                }
                bytes.extend_from_slice(&piece);
            }
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            if lines > LINES {
                return Err(StatusCode::PAYLOAD_TOO_LARGE);
            }
            // Under a small --max-body, half of all memory has to do for many short lines.
            let needed = (bytes.len() + lines * ANSWER).min(most * AT_ONCE / 2);
            let lacking = needed.saturating_sub(memory_permit.num_permits());
            memory_permit.merge(self.take(lacking)?);
            Ok(bytes)
        };
        let body = timeout(self.limits.patience, read).await.map_err(|_| StatusCode::REQUEST_TIMEOUT)??;
        let (reply, answer) = oneshot::channel();
        let request = Request { body, read: Instant::now(), memory_permit, reply };
        self.queue.try_send(request).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
        let _waiting = self.served.wait();
        let (answer, mut memory_permit) = answer.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        let (reserved, length) = (memory_permit.num_permits(), answer.len());
        if reserved > length {
            drop(memory_permit.split(reserved - length));
        } else if let Ok(more) = self.take(length - reserved) {
            memory_permit.merge(more);
        }
        Ok((answer, memory_permit))
    }

    fn refusal(&self, status: StatusCode) -> Response {
        let words = REFUSALS.iter().find(|(known, _)| *known == status).map_or("", |(_, words)| words);
        let mut response = self.answer(status, PLAIN, format!("{}: {words}\n", status.as_u16()));
        let more: Option<(HeaderName, &str)> = match status {
            StatusCode::SERVICE_UNAVAILABLE => Some((RETRY_AFTER, "1")),
            StatusCode::REQUEST_TIMEOUT => Some((CONNECTION, "close")),
            StatusCode::METHOD_NOT_ALLOWED => Some((ALLOW, "GET, HEAD, POST")),
            StatusCode::UNAUTHORIZED => Some((WWW_AUTHENTICATE, "Bearer")),
            _ => None,
        };
        response.headers_mut().extend(more.map(|(name, value)| (name, HeaderValue::from_static(value))));
        response
    }

    /// Makes a text response and counts it.
    fn answer(&self, status: StatusCode, kind: &'static str, text: String) -> Response {
        self.served.request(status.as_u16());
        answer(status, kind, text)
    }
}

/// The body of an answer, sent in pieces. It keeps its memory reserved until the last piece has been taken.
struct AnswerBody {
    left: Bytes,
    _memory_permit: OwnedSemaphorePermit,
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        let piece = self.left.len().min(PIECE);
        Poll::Ready((piece > 0).then(|| Ok(Frame::data(self.left.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len() as u64)
    }
}
