//! Writes the numbers to a file for the textfile collector of Prometheus's node_exporter. Each new file is renamed into place
//! when it is complete, so a reader never sees a part of one.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Metrics;
use crate::error::{Error, Result};
use crate::locale::tr;

/// Time between two writes. Node_exporter reads the file when it is asked, mostly every 15 s.
const EVERY: Duration = Duration::from_secs(5);

/// A file that its own thread writes every five seconds, so the run never waits for the disk.
pub struct TextFile {
    path: PathBuf,
    metrics: Arc<Metrics>,
    stop: Sender<()>,
    /// Returns the file that was written last.
    writer: JoinHandle<File>,
    /// Whether a failure was told.
    reported: Arc<AtomicBool>,
}

impl TextFile {
    /// Writes the file now, and then repeatedly until [`finish`](Self::finish). `report` is called with the first later
    /// failure; the run goes on.
    ///
    /// # Errors
    /// [`Error::Io`] if the path cannot be written, if it exists and is not a file (a device or a pipe would be replaced), or
    /// if another run writes it.
    pub fn begin(path: &Path, metrics: Arc<Metrics>, mut report: impl FnMut(&Error) + Send + 'static) -> Result<Self> {
        let real = replaceable(path)?;
        let failed = |error| Error::io(path.display().to_string(), error);
        let reported = Arc::new(AtomicBool::new(false));
        let is_reported = reported.clone();
        let mut held = write(&real, &metrics)?;
        let (stop, stopped) = channel();
        let (to, from) = (real.clone(), metrics.clone());
        let writing = move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                match write(&to, &from) {
                    Ok(file) => held = file,
                    Err(error) if !is_reported.swap(true, Ordering::Relaxed) => report(&error),
                    Err(_) => {}
                }
            }
            held
        };
        let writer = std::thread::Builder::new().name("metrics".to_owned()).spawn(writing).map_err(failed)?;
        Ok(Self { path: real, metrics, stop, writer, reported })
    }

    /// Writes the file for the last time, with the current numbers.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written, and no earlier failure was told.
    pub fn finish(self) -> Result<()> {
        drop(self.stop);
        // The writer has no way to panic; even if it did, the last write follows here.
        let _held = self.writer.join();
        let written = write(&self.path, &self.metrics).map(drop);
        if self.reported.load(Ordering::Relaxed) { Ok(()) } else { written }
    }

    /// Refuses a path that [`begin`](Self::begin) would refuse, without replacing the file.
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "cli")]
    pub(crate) fn check(path: &Path) -> Result<()> {
        let beside = beside(&replaceable(path)?);
        let made = File::create(&beside).and_then(|_| fs::remove_file(&beside));
        made.map_err(|error| Error::io(path.display().to_string(), error))
    }
}

/// The file that a path leads to, if it may be replaced. A symbolic link stays.
fn replaceable(path: &Path) -> Result<PathBuf> {
    let failed = |reason| Error::io(path.display().to_string(), io::Error::other(reason));
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(failed(tr!("is no file; name one that may be replaced")));
    }
    // Each written file stays locked until the next one has replaced it.
    let locked = File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
    if locked {
        return Err(failed(tr!("another run writes this file; name another")));
    }
    Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
}

/// The temporary file next to a path. Its name does not end in `.prom`, so the collector ignores it, and it contains the process
/// number, so no other process uses it.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    beside.into()
}

/// Writes a temporary file next to `path`, then renames it. Returns the file, which is locked as long as it is open.
fn write(path: &Path, metrics: &Metrics) -> Result<File> {
    let beside = beside(path);
    let make = || {
        let mut file = File::create(&beside)?;
        // Some file systems have no locks; then the file stays unlocked.
        let _ = file.try_lock();
        file.write_all(metrics.text().as_bytes())?;
        fs::rename(&beside, path).map(|()| file)
    };
    let written = make();
    written.map_err(|error| {
        // A file that could not be renamed is of no use.
        let _ = fs::remove_file(&beside);
        Error::io(path.display().to_string(), error)
    })
}
