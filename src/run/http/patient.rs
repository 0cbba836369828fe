//! A connection that waits for its client to take an answer, but not forever.
//!
//! A connection may be closed while the client is still sending, as when a long body is refused. It then goes on reading for
//! a while and discards the bytes. Otherwise the system would reset the connection, and the answer would be lost.

use std::future::Future;
use std::io::{ErrorKind, Result};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Sleep, sleep};

/// How long a closed connection goes on reading.
const LINGER: Duration = Duration::from_secs(5);

/// A stream whose writes fail if the client has taken nothing for the time `patience`.
pub(super) struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Becomes true when closing is no longer to wait for anything.
    stopping: watch::Receiver<bool>,
    /// Runs since a write had to wait.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Runs since the last write, while the rest of the input is discarded.
    lingers: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, patience: Duration, stopping: watch::Receiver<bool>) -> Self {
        Self { stream, patience, stopping, stalled: None, lingers: None }
    }

    /// Returns the result of a write, or fails once the write has waited for `patience`.
    fn wait<T>(&mut self, written: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wait(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.wait(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.lingers.is_none() {
            let shut = Pin::new(&mut self.stream).poll_shutdown(context);
            ready!(self.wait(shut, context))?;
            let time = if *self.stopping.borrow() { Duration::ZERO } else { LINGER };
            self.lingers = Some(Box::pin(sleep(time)));
        }
        let mut piece = [MaybeUninit::uninit(); 16 << 10];
        loop {
            if self.lingers.as_mut().is_some_and(|time| time.as_mut().poll(context).is_ready()) {
                return Poll::Ready(Ok(()));
            }
            let mut piece = ReadBuf::uninit(&mut piece);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut piece));
            if read.is_err() || piece.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
