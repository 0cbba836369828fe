//! Writes the numbers to a file for the textfile collector of Prometheus's node_exporter. Each new file is renamed into place
//! when it is complete, so a reader never sees a part of one.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
}

impl TextFile {
    /// Writes the file now, and then repeatedly until [`finish`](Self::finish). `tell` is called with the first later
    /// failure; the run goes on.
    ///
    /// # Errors
    /// [`Error::Io`] if the path cannot be written, if it exists and is not a file (a device or a pipe would be replaced), or
    /// if another run writes it.
    pub fn begin(path: &Path, metrics: Arc<Metrics>, mut tell: impl FnMut(&Error) + Send + 'static) -> Result<Self> {
        // A symbolic link stays; the file that it points to is replaced.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let failed = |error| Error::io(path.display().to_string(), error);
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            return Err(failed(io::Error::other(tr!("is no file; name one that may be replaced"))));
        }
        // Each written file stays locked until the next one has replaced it.
        let locked = File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
        if locked {
            return Err(failed(io::Error::other(tr!("another run writes this file; name another"))));
        }
        let mut held = write(&real, &metrics)?;
        let (stop, stopped) = channel();
        let (to, from) = (real.clone(), metrics.clone());
        let writing = move || {
            let mut told = false;
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                match write(&to, &from) {
                    Ok(file) => held = file,
                    Err(error) if !told => {
                        told = true;
                        tell(&error);
                    }
                    Err(_) => {}
                }
            }
            held
        };
        let writer = std::thread::Builder::new().name("metrics".to_owned()).spawn(writing).map_err(failed)?;
        Ok(Self { path: real, metrics, stop, writer })
    }

    /// Writes the file for the last time, with the current numbers.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn finish(self) -> Result<()> {
        drop(self.stop);
        // The writer has no way to panic; even if it did, the last write follows here.
        let _held = self.writer.join();
        write(&self.path, &self.metrics).map(drop)
    }
}

/// Writes a temporary file next to `path`, then renames it. The temporary name does not end in `.prom`, so the collector
/// ignores it, and it contains the process number, so no other process uses it. Returns the file, which is locked as long as
/// it is open.
fn write(path: &Path, metrics: &Metrics) -> Result<File> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
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
