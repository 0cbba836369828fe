//! Stops a run on a signal: what has been read is judged and written, then the run ends.

use std::future::Future;
use std::time::Duration;

#[cfg(unix)]
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::error::{Error, Result};

/// Waits for SIGINT, SIGTERM and SIGHUP from the moment it is made. SIGHUP does not count if it is ignored, as under `nohup`.
pub(crate) struct Signals(watch::Receiver<i32>);

impl Signals {
    /// Begins to wait for signals. If the process is still running `grace` after the first signal, `give_up` is called with
    /// the signal's number (2, 15 or 1) from another thread.
    ///
    /// # Errors
    /// [`Error::Io`] if the system provides no thread or no signal handler.
    pub(crate) fn listen(grace: Duration, give_up: impl FnOnce(i32) + Send + 'static) -> Result<Self> {
        let io = |error| Error::io("<signals>", error);
        #[cfg(unix)]
        check_room().map_err(io)?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(io)?;
        let first = first_signal(&runtime).map_err(io)?;
        let (sender, receiver) = watch::channel(0);
        // It needs its own thread, because the run's thread may be blocked in a write to a reader that does not read.
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

    /// The number of the first signal; 0 until it comes.
    pub(crate) fn number(&self) -> i32 {
        *self.0.borrow()
    }

    /// Returns a future that is ready at the first signal.
    pub(crate) fn first(&self) -> impl Future<Output = ()> + use<> {
        let mut receiver = self.0.clone();
        async move {
            if receiver.wait_for(|number| *number != 0).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// SIGXFSZ, which comes if a file grows beyond a limit (`ulimit -f`). It has this number on Linux and macOS.
#[cfg(unix)]
const FILE_TOO_LARGE: i32 = 25;

/// Fails if the process may not open as many files as waiting for signals takes. tokio would panic.
#[cfg(unix)]
fn check_room() -> std::io::Result<()> {
    use std::os::unix::net::UnixStream;
    let room: std::io::Result<Vec<_>> = (0..3).map(|_| UnixStream::pair()).collect();
    room.map(drop)
}

#[cfg(unix)]
fn first_signal(runtime: &Runtime) -> std::io::Result<impl Future<Output = i32> + Send + use<>> {
    use tokio::signal::unix::{SignalKind, signal};
    let _context = runtime.enter();
    let (interrupt, terminate, hangup) = (SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup());
    let _held = Held::back()?;
    let (mut interrupts, mut terminates) = (signal(interrupt)?, signal(terminate)?);
    // Somebody who waits for it keeps it from ending the process. Then the write fails, and the failure is reported.
    let _ = signal(SignalKind::from_raw(FILE_TOO_LARGE))?;
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

/// Blocks the signals in this thread while it exists; they come afterwards. tokio sets a handler before it notes whom to tell, and a signal
/// in between would be lost. No other thread may run yet: it would take the signal.
#[cfg(unix)]
struct Held(SigSet);

#[cfg(unix)]
impl Held {
    fn back() -> std::io::Result<Self> {
        let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
        Ok(Self(signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?))
    }
}

#[cfg(unix)]
impl Drop for Held {
    fn drop(&mut self) {
        // It fails only if its first argument, which is constant, is unknown.
        let _ = self.0.thread_set_mask();
    }
}

/// Whether the parent process made this process ignore a signal, as `nohup` does; false if the system does not tell.
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
