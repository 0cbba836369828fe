//! Stopping on a signal: what has been read is judged and written, then the run ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;

/// How long a run may take to write what it has judged before `give_up` is called: a reader that has stalled would
/// otherwise keep the process for ever.
const GRACE: Duration = Duration::from_millis(900);

/// Ready at the first SIGINT or SIGTERM, whose number (2 or 15) is then in `signal`. If the run has not ended within 0.9 s
/// of it, `give_up` is called from another thread.
pub async fn on_signal(signal: Arc<AtomicI32>, give_up: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = oneshot::channel();
    // A task of its own: the run's thread may be blocked in a write to a reader that does not read.
    tokio::spawn(async move {
        signal.store(first_signal().await, Ordering::Relaxed);
        let _ = sender.send(());
        tokio::time::sleep(GRACE).await;
        give_up();
    });
    if receiver.await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn first_signal() -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
    let (Ok(mut interrupts), Ok(mut terminates)) = (signal(interrupt), signal(terminate)) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupts.recv() => interrupt.as_raw_value(),
        _ = terminates.recv() => terminate.as_raw_value(),
    }
}

#[cfg(not(unix))]
async fn first_signal() -> i32 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 2,
        Err(_) => std::future::pending().await,
    }
}
