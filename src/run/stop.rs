//! Stopping on a signal: what has been read is judged and written, then the run ends.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::error::{Error, Result};

/// Hears SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under `nohup`), from the moment that it is made.
pub(crate) struct Signals(watch::Receiver<i32>);

impl Signals {
    /// Begins to hear them. If the process is still there so long after the first one, `give_up` is called with its number (2, 15 or 1)
    /// from another thread.
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no thread or no handler.
    pub(crate) fn listen(grace: Duration, give_up: impl FnOnce(i32) + Send + 'static) -> Result<Self> {
        let io = |error| Error::io("<signals>", error);
        let runtime = Builder::new_current_thread().enable_all().build().map_err(io)?;
        let first = first_signal(&runtime).map_err(io)?;
        let (sender, receiver) = watch::channel(0);
        // A thread of its own: that of the run may be blocked in a write to a reader that does not read.
        let listening = move || {
            runtime.block_on(async {
                let number = first.await;
                sender.send_replace(number);
                tokio::time::sleep(grace).await;
                give_up(number);
            });
        };
        std::thread::Builder::new().spawn(listening).map_err(io)?;
        Ok(Self(receiver))
    }

    /// The number of the first signal; 0 before it.
    pub(crate) fn number(&self) -> i32 {
        *self.0.borrow()
    }

    /// Ready at the first signal.
    pub(crate) fn first(&self) -> impl Future<Output = ()> + use<> {
        let mut receiver = self.0.clone();
        async move {
            if receiver.wait_for(|number| *number != 0).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(unix)]
fn first_signal(runtime: &Runtime) -> std::io::Result<impl Future<Output = i32> + Send + use<>> {
    use tokio::signal::unix::{SignalKind, signal};
    let _context = runtime.enter();
    let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
    let (mut interrupts, mut terminates) = (signal(interrupt)?, signal(terminate)?);
    let hangup = SignalKind::hangup();
    let mut hangups = if is_ignored(hangup.as_raw_value()) { None } else { Some(signal(hangup)?) };
    let hung_up = async move {
        match &mut hangups {
            Some(hangups) => hangups.recv().await,
            None => std::future::pending().await,
        }
    };
    Ok(async move {
        tokio::select! {
            _ = interrupts.recv() => interrupt.as_raw_value(),
            _ = terminates.recv() => terminate.as_raw_value(),
            _ = hung_up => hangup.as_raw_value(),
        }
    })
}

/// Whether who started the process wants a signal ignored, as `nohup` does; false where the system does not tell.
#[cfg(unix)]
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}

#[cfg(not(unix))]
fn first_signal(_: &Runtime) -> std::io::Result<impl Future<Output = i32> + Send + use<>> {
    Ok(async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => 2,
            Err(_) => std::future::pending().await,
        }
    })
}
