//! Records which file each byte of a followed input came from, so that a later run can continue in the right file.

use std::collections::VecDeque;
use std::fs::File;
#[cfg(feature = "cli")]
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::formats::encoding::Encoding;
use crate::hash::XxHash3_64;
use serde::{Deserialize, Serialize};

use super::folder::{Identity, identity};
use super::held::{Ending, Held, add, continues};

/// How many endings of files that were read before a record has.
const NOTED: usize = 16;

/// Called with a message for each part of a file that cannot be read.
type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// How far a followed file was read, for the next run that follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Followed {
    device: u64,
    inode: u64,
    /// When the file was created, in nanoseconds since 1970; `None` if unknown.
    born: Option<u64>,
    /// When this record was made, in the same unit; `None` if unknown.
    noted: Option<u64>,
    /// Bytes of the file that were answered.
    pub(super) offset: u64,
    /// How many of the last of these bytes the checksum covers.
    checksummed: u32,
    /// The checksum.
    sum: u64,
    /// Whether a run over another input, or over this one under another name, came after that.
    pub(super) is_of_another: bool,
    /// The endings of files that are older than this one and need not be read any more, the newest first. They are stored apart, because
    /// earlier versions did not have them.
    #[serde(skip)]
    pub(crate) read: Vec<Ending>,
}

impl Followed {
    /// The beginning of a file of which nothing is answered yet; `None` if it is not there.
    #[cfg(feature = "cli")]
    pub(crate) fn beginning_of(path: &Path) -> Option<Self> {
        let (device, inode, born) = identity(&std::fs::metadata(path).ok()?);
        Some(Self {
            device,
            inode,
            born: born.and_then(nanoseconds),
            noted: nanoseconds(SystemTime::now()),
            offset: 0,
            checksummed: 0,
            sum: XxHash3_64::oneshot(&[]),
            is_of_another: false,
            read: Vec::new(),
        })
    }

    /// Hands the record on to the next run. `same_input` says whether that run has the same input as the last one, under the same name.
    pub(crate) fn handed_on(self, same_input: bool) -> Self {
        Self { is_of_another: self.is_of_another || !same_input, ..self }
    }

    /// How many bytes of the file were answered; `None` if a run over another input came after that.
    #[cfg(feature = "cli")]
    pub(crate) fn answered(&self) -> Option<u64> {
        (!self.is_of_another).then_some(self.offset)
    }

    /// Whether this is the file with this identity: device and inode, and the time of creation if both are known.
    pub(super) fn is(&self, identity: &Identity) -> bool {
        let born = identity.2.and_then(nanoseconds);
        (self.device, self.inode) == (identity.0, identity.1)
            && (born.is_none() || self.born.is_none() || self.born == born)
    }

    /// Whether a file, this one or a copy, holds the answered bytes. If so, leaves it at the place after them.
    pub(super) fn stands_in(&self, file: &mut File) -> std::io::Result<bool> {
        use std::io::{Read, Seek, SeekFrom};
        if file.metadata()?.len() < self.offset {
            return Ok(false);
        }
        let known = u64::from(self.checksummed).min(self.offset);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.offset - known))?;
        file.take(known).read_to_end(&mut bytes)?;
        Ok(XxHash3_64::oneshot(&bytes) == self.sum && continues(file, self.offset, &[])?)
    }

    /// Whether a packed file, which is at the place after the answered bytes, holds them.
    pub(super) fn ends_in(&self, held: &Held) -> bool {
        let known = self.checksummed as usize;
        held.tail.len().checked_sub(known).is_some_and(|from| XxHash3_64::oneshot(&held.tail[from..]) == self.sum)
    }

    /// When the file was created, and when this record was made.
    pub(super) fn times(&self) -> [Option<SystemTime>; 2] {
        [self.born, self.noted].map(|time| Some(UNIX_EPOCH + Duration::from_nanos(time?)))
    }

    /// Whether anything was answered by which a copy of the file could be recognised.
    pub(super) fn is_known(&self) -> bool {
        self.checksummed > 0
    }
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH).ok()?.as_nanos().try_into().ok()
}

/// How a file is followed.
#[derive(Clone)]
pub(crate) struct Following {
    pub(crate) report: Report,
    /// Where the run before stopped.
    pub(crate) since: Option<Followed>,
    /// The encoding of the file, if it was named.
    pub(crate) encoding: Option<Encoding>,
    /// Whether each new file is an input of its own, because it has a header.
    pub(crate) in_parts: bool,
    /// Whether the record of how far each file was read is kept.
    pub(super) is_noted: bool,
    files: Arc<Mutex<VecDeque<Turn>>>,
    /// Bytes at the beginning that the run before has already answered.
    answered: Arc<AtomicU64>,
    pub(crate) stop: Stop,
}

/// Called when everything has been read that was there when the stop was requested.
type Drained = Box<dyn FnOnce() + Send>;

/// Asks an endless input to end.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<Mutex<Option<Drained>>>);

impl Stop {
    fn drained(&self) -> MutexGuard<'_, Option<Drained>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for the end. What is already there is still read, for at most half a second; then `then` is called.
    pub(crate) fn ask(&self, then: impl FnOnce() + Send + 'static) {
        *self.drained() = Some(Box::new(then));
    }

    pub(super) fn is_asked(&self) -> bool {
        self.drained().is_some()
    }

    /// Reports that all has been read. Never returns, because the file has no end: its last line may still be written.
    pub(super) fn report_drained_and_park(&self) -> ! {
        if let Some(then) = self.drained().take() {
            then();
        }
        loop {
            std::thread::park();
        }
    }
}

/// The point from which another file was read.
struct Turn {
    /// Bytes of all files before that point.
    at: u64,
    file: Identity,
    /// Bytes of this file before that point.
    offset: u64,
    /// The last bytes of the file that were read.
    tail: Vec<u8>,
    /// The endings of the files that were read before.
    read: Vec<Ending>,
}

/// Follows from the beginning, and reports nothing.
impl Default for Following {
    fn default() -> Self {
        Self {
            report: Arc::new(|_| {}),
            since: None,
            encoding: None,
            in_parts: false,
            is_noted: true,
            files: Arc::default(),
            answered: Arc::default(),
            stop: Stop::default(),
        }
    }
}

impl Following {
    fn files(&self) -> MutexGuard<'_, VecDeque<Turn>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes of the first file the run before has answered.
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Sets how many bytes of the first file the run before has answered.
    pub(super) fn set_answered(&self, bytes: u64) {
        self.answered.store(bytes, Ordering::Relaxed);
    }

    /// Records which file is read after `at` bytes of all files: `now`, from its current place on. `read` has the endings of the files
    /// that were read before, the newest first.
    pub(super) fn turn(&self, at: u64, now: &Held, read: &VecDeque<Ending>) -> std::io::Result<()> {
        if self.is_noted {
            let file = identity(&now.file.metadata()?);
            let read = read.iter().take(NOTED).copied().collect();
            self.files().push_back(Turn { at, file, offset: now.offset, tail: now.tail.clone(), read });
        }
        Ok(())
    }

    /// Moves the point at which the next file begins by `bytes` more bytes.
    pub(super) fn shift(&self, bytes: u64) {
        self.files().back_mut().into_iter().for_each(|turn| turn.at += bytes);
    }

    /// Returns the file that is being read after `at` bytes of all files, and how far. `bytes` are the last of these, since the previous
    /// call. Returns `None` if no file is followed.
    pub(crate) fn place_after(&self, at: u64, bytes: &[u8]) -> Option<Followed> {
        let mut files = self.files();
        while files.get(1).is_some_and(|next| next.at <= at) {
            files.pop_front();
        }
        let Turn { at: begun, file: (device, inode, born), offset, tail, read: before } = files.front_mut()?;
        let read = at.checked_sub(*begun)?;
        let own = bytes.len().min(usize::try_from(read).unwrap_or(usize::MAX));
        add(tail, &bytes[bytes.len() - own..]);
        Some(Followed {
            device: *device,
            inode: *inode,
            born: born.and_then(nanoseconds),
            noted: nanoseconds(SystemTime::now()),
            offset: *offset + read,
            checksummed: u32::try_from(tail.len()).unwrap_or(0),
            sum: XxHash3_64::oneshot(tail),
            is_of_another: false,
            read: before.clone(),
        })
    }
}
