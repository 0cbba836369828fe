//! The numbers in a file, for the textfile collector of Prometheus's node_exporter: renamed into its place when it is whole, so
//! that a reader never sees a part of it.

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

/// Time from one writing to the next. Node_exporter looks at the file when it is asked, mostly every 15 s.
const EVERY: Duration = Duration::from_secs(5);

/// A file that is written every five seconds, by a thread of its own: the run never waits for the disk.
pub struct TextFile {
    path: PathBuf,
    metrics: Arc<Metrics>,
    stop: Sender<()>,
    /// Gives back the file that was written last.
    writer: JoinHandle<File>,
}

impl TextFile {
    /// Writes the file, and again and again until it is [finished](Self::finish). `tell` hears of the first failure after
    /// this one; the run goes on.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written, is there and no file (a device, or a pipe, would be replaced), or if another run writes it.
    pub fn begin(path: &Path, metrics: Arc<Metrics>, mut tell: impl FnMut(&Error) + Send + 'static) -> Result<Self> {
        // A link stays one: the file that it leads to is replaced.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let failed = |error| Error::io(path.display().to_string(), error);
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            return Err(failed(io::Error::other(tr!("is no file; name one that may be replaced"))));
        }
        // Each file that is written is locked until the next one has taken its place.
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

    /// Writes the file for the last time, with the numbers as they are now.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn finish(self) -> Result<()> {
        drop(self.stop);
        // It has no way to panic; and if it had, this would still be the last writing.
        let _held = self.writer.join();
        write(&self.path, &self.metrics).map(drop)
    }
}

/// Writes the file beside its place, then renames it. The name in between does not end in `.prom`, which is what is looked for,
/// and is this process's own. The file, which is locked as long as it is open.
fn write(path: &Path, metrics: &Metrics) -> Result<File> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let make = || {
        let mut file = File::create(&beside)?;
        // Where a file system has no locks, there is none to hold.
        let _ = file.try_lock();
        file.write_all(metrics.text().as_bytes())?;
        fs::rename(&beside, path).map(|()| file)
    };
    let written = make();
    written.map_err(|error| {
        // What could not be renamed is of no use.
        let _ = fs::remove_file(&beside);
        Error::io(path.display().to_string(), error)
    })
}
