//! Which file stood where in what was read of one that is followed, so that a later run finds the rest of it.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::formats::encoding::Encoding;
use crate::hash::XxHash3_64;
use serde::{Deserialize, Serialize};

use super::folder::{Identity, written};
use super::held::{Held, add, continues};

/// Hears, in words, what of a file cannot be read.
type Told = Arc<dyn Fn(&str) + Send + Sync>;

/// How far a file was read that was followed, for the run that follows it next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Followed {
    device: u64,
    inode: u64,
    /// When it was made, and when this was noted, in nanoseconds since 1970; none where that is not known.
    born: Option<u64>,
    pub(super) noted: Option<u64>,
    /// Bytes of it that were answered.
    pub(crate) offset: u64,
    /// How many of the last of them are known by a checksum, and that.
    known: u32,
    sum: u64,
    /// Whether a run over another input, or over this one by another name, came after that.
    pub(super) is_of_another: bool,
}

impl Followed {
    /// The same for the next run, which has the same input as the last one, as it is called, or another.
    pub(crate) fn handed_on(self, same_input: bool) -> Self {
        Self { is_of_another: self.is_of_another || !same_input, ..self }
    }

    /// Whether it is this file, as far as its number tells.
    pub(super) fn is(&self, identity: &Identity) -> bool {
        let born = identity.2.and_then(nanoseconds);
        (self.device, self.inode) == (identity.0, identity.1)
            && (born.is_none() || self.born.is_none() || self.born == born)
    }

    /// Whether a file, this one or a copy of it, has what was answered; it is then at the place behind that.
    pub(super) fn stands_in(&self, file: &mut File) -> std::io::Result<bool> {
        use std::io::{Read, Seek, SeekFrom};
        if file.metadata()?.len() < self.offset {
            return Ok(false);
        }
        let known = u64::from(self.known).min(self.offset);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.offset - known))?;
        file.take(known).read_to_end(&mut bytes)?;
        Ok(XxHash3_64::oneshot(&bytes) == self.sum && continues(file, self.offset, &[])?)
    }

    /// Whether a packed file, which is at the place behind what was answered, has that.
    pub(super) fn ends_in(&self, held: &Held) -> bool {
        let known = self.known as usize;
        held.tail.len().checked_sub(known).is_some_and(|from| XxHash3_64::oneshot(&held.tail[from..]) == self.sum)
    }

    /// Whether a packed file may be this one: it was written to since this was made.
    pub(super) fn may_be_packed_in(&self, about: &Metadata) -> bool {
        let last = written(about).and_then(|(written, _)| nanoseconds(written));
        self.born.map_or(self.is_known(), |born| last >= Some(born))
    }

    /// Whether something was answered by which a copy of the file would be known.
    pub(super) fn is_known(&self) -> bool {
        self.known > 0
    }

    /// Whether a file was made since this was noted, or if it is packed, last written to.
    pub(super) fn is_before(&self, about: &Metadata, is_packed: bool) -> bool {
        let made = about.created().or_else(|_| about.modified()).ok();
        let made = if is_packed { written(about).map(|(written, _)| written) } else { made };
        let born = made.and_then(nanoseconds);
        born.zip(self.noted).is_some_and(|(born, noted)| born > noted)
    }
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH).ok()?.as_nanos().try_into().ok()
}

/// How a file is followed.
#[derive(Clone)]
pub(crate) struct Following {
    pub(crate) told: Told,
    /// Where the run before was.
    pub(crate) since: Option<Followed>,
    /// Its encoding, if that was said.
    pub(crate) encoding: Option<Encoding>,
    /// Whether each file that begins anew is an input of its own: it has a header.
    pub(crate) in_parts: bool,
    /// Whether it is noted how far each file was read.
    pub(super) is_noted: bool,
    files: Arc<Mutex<VecDeque<Turn>>>,
    /// Bytes at the beginning that the run before has answered.
    answered: Arc<AtomicU64>,
    pub(crate) stop: Stop,
}

/// Hears that all is read of what lay there when it was asked for.
type Drained = Box<dyn FnOnce() + Send>;

/// Asks for the end of what never ends.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<Mutex<Option<Drained>>>);

impl Stop {
    fn drained(&self) -> MutexGuard<'_, Option<Drained>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What lies there is still read, for half a second at the most; `then` hears when that is done.
    pub(crate) fn ask(&self, then: impl FnOnce() + Send + 'static) {
        *self.drained() = Some(Box::new(then));
    }

    pub(super) fn is_asked(&self) -> bool {
        self.drained().is_some()
    }

    /// All is read. Never returns: there is no end of the file, whose last line may still be written.
    pub(super) fn done(&self) -> ! {
        if let Some(then) = self.drained().take() {
            then();
        }
        loop {
            std::thread::park();
        }
    }
}

/// From where on another file was read.
struct Turn {
    /// Bytes of all files before.
    at: u64,
    file: Identity,
    /// Bytes of this one before.
    offset: u64,
    /// The last bytes of it that were read.
    tail: Vec<u8>,
}

/// Follows from the beginning, and nobody hears what cannot be read.
impl Default for Following {
    fn default() -> Self {
        Self {
            told: Arc::new(|_| {}),
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

    /// How many bytes that are read first the run before has answered.
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// The run before has answered so many bytes of the file that is read first.
    pub(super) fn were_answered(&self, bytes: u64) {
        self.answered.store(bytes, Ordering::Relaxed);
    }

    /// Behind so many bytes of all files, this one is read from this place on, before which these are the last bytes.
    pub(super) fn turn(&self, at: u64, file: Identity, offset: u64, tail: &[u8]) {
        if self.is_noted {
            self.files().push_back(Turn { at, file, offset, tail: tail.to_vec() });
        }
    }

    /// The file that is read next begins behind so many more bytes.
    pub(super) fn shift(&self, bytes: u64) {
        self.files().back_mut().into_iter().for_each(|turn| turn.at += bytes);
    }

    /// The file that is being read behind so many bytes of all files, of which these are the last since it was asked before; none if none is
    /// followed.
    pub(crate) fn behind(&self, at: u64, bytes: &[u8]) -> Option<Followed> {
        let mut files = self.files();
        while files.get(1).is_some_and(|next| next.at <= at) {
            files.pop_front();
        }
        let Turn { at: begun, file: (device, inode, born), offset, tail } = files.front_mut()?;
        let read = at.checked_sub(*begun)?;
        let own = bytes.len().min(usize::try_from(read).unwrap_or(usize::MAX));
        add(tail, &bytes[bytes.len() - own..]);
        Some(Followed {
            device: *device,
            inode: *inode,
            born: born.and_then(nanoseconds),
            noted: nanoseconds(SystemTime::now()),
            offset: *offset + read,
            known: u32::try_from(tail.len()).unwrap_or(0),
            sum: XxHash3_64::oneshot(tail),
            is_of_another: false,
        })
    }
}
