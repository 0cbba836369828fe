//! What is remembered, on disk: a log of the kept messages, which is read again at the start.
//!
//! ```text
//! DIR/LOCK            the one that writes holds it; its process number is in it
//! DIR/HEAD            which segments there are, and up to where the last one must be intact
//! DIR/00000001.log    a segment: a header, then a frame for each batch
//! DIR/REPAIRED        what a repair lost, until the next run has told it
//! ```
//! A frame has what was remembered in a batch, one entry for each kept message and each near repeat, and where
//! everything stood after it: the next position, the clock, and what a run notes of its input, output and counts; of a service,
//! its answers, too. All
//! structures are made anew from the entries that a window still holds. So there is one format, it is only ever appended to,
//! and no structure needs one of its own.
//!
//! # After a crash
//! HEAD is written last, and only once what it speaks of is on disk. Up to where it says, a wrong checksum is damage, and is
//! refused with file and offset. Behind it the log may end anywhere: frames that are whole count, the rest is cut off. A killed
//! process loses nothing that it had written. A power failure costs at most what [`Sync`] says.
//!
//! # Segments
//! A new segment begins every 64 MiB, and where a part of the window does. One whose messages are all too old is deleted as a
//! whole, after a HEAD that does not need it is on disk. [`repair()`] rewrites a log without what is damaged or too old.
//!
//! # Why no embedded store
//! The B-trees of an embedded store (redb is the candidate) would hold the entries by position, which a file holds as well. Every
//! look-up still needs the structures in memory, so loading would be no faster. Its transactions would replace the frames, but each
//! commit rewrites pages and syncs, where a batch appends its bytes once. `cargo bench --bench store` measures how long opening takes.

pub(crate) mod answers;
pub(crate) mod entry;
pub(crate) mod frame;
pub(crate) mod head;
mod log;
mod note;
pub(crate) mod open;
mod repair;
mod replay;
mod rewrite;
mod segment;
mod start;
mod wire;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::dedup::{Remembered, State};
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::reach::ClockState;
use crate::record::Pos;
use answers::Answers;
use head::Head;
use log::Log;
pub use note::Lost;
pub use repair::repair;
pub use rewrite::{Rewritten, compact};
use segment::name_of;
pub(crate) use wire::{begin_of_bytes, from_bytes, to_bytes};

/// When what was written is made to be on disk. A killed process loses nothing under any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// After every batch: a power failure costs no message that was answered.
    Always,
    /// Every second in which something was written: a power failure costs that second.
    Interval,
    /// At the end, and when a segment is full: a power failure costs what came since.
    None,
}

impl Sync {
    /// Every choice and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("always", Self::Always), ("interval", Self::Interval), ("none", Self::None)];
}

const INTERVAL: Duration = Duration::from_secs(1);
/// Bytes of a segment …
const SEGMENT: u64 = 64 << 20;
/// … and of one that ends with a part of the window, at the least.
const PART: u64 = 1 << 20;

/// What the first frame of a segment holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The quchong that wrote it.
    pub(crate) program: String,
    /// [`ALGORITHM`](crate::fingerprint::ALGORITHM) of it.
    pub(crate) algorithm: u32,
    /// Checksum of the last frame of the segment before, 0 in the first.
    pub(crate) before: u64,
    /// The [`Config`](crate::config::Config), as JSON.
    pub(crate) config: String,
    /// What a run notes of itself, where the segment begins.
    pub(crate) run: Vec<u8>,
}

/// What every other frame holds.
#[derive(Debug, Serialize, Deserialize)]
struct Payload<'a> {
    /// Position of the first message of the batch.
    first: u64,
    /// Messages that were remembered.
    entries: &'a [u8],
    next: u64,
    clock: ClockState,
    progress: &'a [u8],
    /// Where a run begins: what a run notes of it.
    run: Option<&'a [u8]>,
    /// What a service answered. It is written behind the others: earlier versions did not have it.
    #[serde(skip)]
    answers: &'a [u8],
}

/// Where everything stood after a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// Position of the message that comes next.
    pub next: Pos,
    /// The clock.
    pub(crate) clock: ClockState,
    /// What a run noted of its input, output and counts.
    pub(crate) progress: Vec<u8>,
    /// What a run noted of its run.
    pub(crate) run: Vec<u8>,
}

/// Writes down what is remembered. One owner; no other process can write to the same folder.
pub struct Store {
    folder: PathBuf,
    _lock: Lock,
    sync: Sync,
    head: Head,
    log: Log,
    config: String,
    run: Vec<u8>,
    /// Entries of the batch, and its answers.
    entries: Vec<u8>,
    answered: Vec<u8>,
    answers: Answers,
    first: Pos,
    /// Part of the window in which the segment began.
    part: i64,
    /// The segments before the open one, and the position behind each.
    older: VecDeque<(u64, Pos)>,
    synced: Instant,
}

impl Store {
    /// Notes what is remembered of a message; it is written with the next [`commit`](Self::commit).
    ///
    /// # Errors
    /// [`Error::State`]; none is known.
    pub fn remember(&mut self, message: &Remembered<'_>) -> Result<()> {
        entry::write(message, self.first.0, &mut self.entries).map_err(|error| self.failed(error.to_string()))
    }

    /// The last answers of a service.
    #[cfg(feature = "serve")]
    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Holds so many answers from now on.
    #[cfg(feature = "serve")]
    pub(crate) fn hold_answers(&mut self, most: u64) {
        self.answers.hold(most);
    }

    /// Notes what was answered about the last message; it is written with the next [`commit`](Self::commit).
    ///
    /// # Errors
    /// [`Error::State`]; none is known.
    #[cfg(feature = "serve")]
    pub(crate) fn answer(&mut self, answer: answers::Answer) -> Result<()> {
        self.answers.write(&answer, &mut self.answered)?;
        self.answers.add(answer);
        Ok(())
    }

    /// Writes down a batch: what was [remembered](Self::remember) since the last one, and where everything stands now. A `run`
    /// is noted where one begins. What the batch wrote elsewhere must have been written before.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn commit(&mut self, state: &State, progress: &[u8], run: Option<&[u8]>) -> Result<()> {
        let next = state.next();
        let payload = Payload {
            first: self.first.0,
            entries: &self.entries,
            next: next.0,
            clock: state.clock().state(),
            progress,
            run,
            answers: &self.answered,
        };
        self.log.append(&payload)?;
        self.entries.clear();
        self.answered.clear();
        self.first = next;
        if let Some(run) = run {
            self.run = run.to_vec();
        }
        Ok(())
    }

    /// Whether it is time to [sync](Self::sync).
    pub fn is_due(&self, state: &State) -> bool {
        let unsynced = self.head != self.log.now;
        unsynced
            && (self.sync == Sync::Always
                || self.sync == Sync::Interval && self.synced.elapsed() >= INTERVAL
                || self.is_full(state))
    }

    fn is_full(&self, state: &State) -> bool {
        let length = self.log.now.length;
        length >= SEGMENT || length >= PART && state.clock().reach().part != self.part
    }

    /// Makes what was committed be on disk, and begins a new segment if this one is full. What the outputs were given must be on
    /// disk already. A failure is final: what is on disk is not known any longer.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self, state: &State) -> Result<()> {
        self.log.sync()?;
        let (reach, needed) = (state.clock().reach(), state.needed());
        let needed = self.answers.oldest().map_or(needed, |oldest| oldest.min(needed));
        if self.is_full(state) {
            self.older.push_back((self.log.now.segment, self.first));
            self.part = reach.part;
            let header = Header::new(self.log.now.sum, self.config.clone(), self.run.clone());
            self.log = Log::begin(&self.folder, self.log.now.segment + 1, &header)?;
        }
        let gone = self.older.iter().take_while(|(_, end)| *end <= needed).count();
        let gone: Vec<u64> = self.older.drain(..gone).map(|(segment, _)| segment).collect();
        self.log.now.first = self.older.front().map_or(self.log.now.segment, |(segment, _)| *segment);
        let recent = self.synced.elapsed() < INTERVAL && self.head.segment == self.log.now.segment;
        if self.sync == Sync::Always && recent && gone.is_empty() {
            return Ok(());
        }
        self.log.now.write(&self.folder).map_err(|error| Error::io(self.folder.display().to_string(), error))?;
        (self.head, self.synced) = (self.log.now, Instant::now());
        for segment in gone {
            // HEAD needs it no longer; what is left of it is deleted at the next start.
            let _ = fs::remove_file(self.folder.join(name_of(segment)));
        }
        Ok(())
    }

    /// Makes everything be on disk, and HEAD say so: what is damaged from now on will be known for damage.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn close(mut self, state: &State) -> Result<()> {
        self.sync = Sync::Interval;
        self.sync(state)
    }

    fn failed(&self, reason: impl Into<String>) -> Error {
        Error::state(self.folder.display().to_string(), reason)
    }
}

/// Longer than it takes to [look](Lock::holder) whether a folder belongs to a process.
const LOOK: Duration = Duration::from_millis(20);

/// A folder that belongs to this process, for as long as this is there.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// The process that has a folder, as it was written there; none if no process has it.
    #[cfg(feature = "cli")]
    pub(crate) fn holder(folder: &Path) -> Option<String> {
        let path = folder.join("LOCK");
        match File::open(&path).ok()?.try_lock_shared() {
            Err(fs::TryLockError::WouldBlock) => fs::read_to_string(&path).ok().map(|holder| holder.trim().to_owned()),
            _ => None,
        }
    }

    /// Takes the folder.
    fn take(folder: &Path) -> Result<Self> {
        let path = folder.join("LOCK");
        let io = |error| Error::io(path.display().to_string(), error);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        // One that only looks has it for a moment.
        let taken = file.try_lock().or_else(|_| {
            sleep(LOOK);
            file.try_lock()
        });
        match taken {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(&path).unwrap_or_default();
                let reason = tr!("in use by process {}; two cannot write to one state", holder.trim());
                return Err(Error::state(folder.display().to_string(), reason));
            }
            Err(fs::TryLockError::Error(error)) => return Err(io(error)),
        }
        let written = file.set_len(0).and_then(|()| (&file).write_all(format!("{}\n", std::process::id()).as_bytes()));
        written.map_err(io)?;
        Ok(Self { _file: file })
    }
}
