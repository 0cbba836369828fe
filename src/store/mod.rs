//! The state on disk: an append-only log of the remembered messages, which the next run reads back at its start.
//!
//! ```text
//! DIR/LOCK            locked by the process that writes; holds its process number
//! DIR/HEAD            which segments there are, and up to where the last one must be intact
//! DIR/00000001.log    a segment: a header, then a frame for each batch
//! DIR/SETTINGS        a copy of the last segment's header, for a repair
//! DIR/REPAIRED        what a repair lost, until the next run has reported it
//! ```
//! A frame holds one batch:
//! - the remembered messages, one entry for each kept message and each near repeat;
//! - the state after the batch: the next position, the clock, and the run's note of its input, output and counts;
//! - the answers of a service, if one wrote the log.
//!
//! All structures in memory are rebuilt from the entries that a window still holds. So the disk has a single format, which is
//! only ever appended to, and no structure needs a format of its own.
//!
//! # After a crash
//! HEAD is written last, only after everything it refers to is on disk. Up to the place that HEAD names, a wrong checksum is
//! damage: the log is refused, with file and offset. After that place the log may end anywhere: whole frames count, the rest
//! is cut off. A killed process loses nothing that it had written. A power failure costs at most what [`Sync`] says.
//!
//! # Segments
//! A new segment begins once the last one holds 64 MiB, or, from 1 MiB on, when a new quarter of the window begins. A segment
//! whose messages are all too old is deleted as a whole, after a HEAD that does not need it is on disk. [`repair()`] rewrites
//! a log without its damaged parts; [`compact`] rewrites it without the messages that are too old.
//!
//! # Why no embedded store
//! The B-trees of an embedded store (redb is the candidate) would hold the entries by position, which a file does just as
//! well. Every look-up would still need the structures in memory, so loading would be no faster. The store's transactions
//! would replace the frames, but each commit rewrites pages and syncs, while a batch appends its bytes once. `cargo bench
//! --bench store` measures how long opening takes.

pub(crate) mod answers;
mod copy;
pub(crate) mod entry;
mod found;
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

/// When written data is forced to disk. A killed process loses nothing under any of these choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// After every batch: a power failure costs no message that was already answered.
    Always,
    /// Once a second while data is being written: a power failure costs that second.
    Interval,
    /// At the end, and when a segment is full: a power failure costs everything written since.
    None,
}

impl Sync {
    /// Every choice and its name.
    #[cfg(feature = "cli")]
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("always", Self::Always), ("interval", Self::Interval), ("none", Self::None)];
}

const INTERVAL: Duration = Duration::from_secs(1);
/// Bytes at which a segment is full.
const SEGMENT: u64 = 64 << 20;
/// Bytes that a segment must hold before a new part of the window ends it.
const PART: u64 = 1 << 20;

/// The first frame of a segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Version of the quchong that wrote the segment.
    pub(crate) program: String,
    /// The [`ALGORITHM`](crate::fingerprint::ALGORITHM) of that version.
    pub(crate) algorithm: u32,
    /// Checksum of the last frame of the previous segment; 0 in the first segment.
    pub(crate) before: u64,
    /// The [`Config`](crate::config::Config), as JSON.
    pub(crate) config: String,
    /// The run's note of itself at the start of the segment.
    pub(crate) run_note: Vec<u8>,
}

/// Every later frame of a segment.
#[derive(Debug, Serialize, Deserialize)]
struct Payload<'a> {
    /// Position of the first message of the batch.
    first: u64,
    /// The remembered messages, encoded.
    entries: &'a [u8],
    next: u64,
    clock: ClockState,
    checkpoint: &'a [u8],
    /// The run's note of itself, in the first batch of a run.
    run_note: Option<&'a [u8]>,
    /// The answers of a service. They are written after the postcard value, because earlier versions had no answers.
    #[serde(skip)]
    answers: &'a [u8],
}

/// The state after a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// Position of the message that comes next.
    pub next: Pos,
    /// The clock after the batch.
    pub(crate) clock: ClockState,
    /// The run's note of its input, output and counts.
    pub(crate) checkpoint: Vec<u8>,
    /// The run's note of itself.
    pub(crate) run_note: Vec<u8>,
}

/// Writes the remembered messages to disk. It has one owner; no other process can write to the same folder.
pub struct Store {
    folder: PathBuf,
    _lock: Lock,
    sync: Sync,
    head: Head,
    log: Log,
    config: String,
    run_note: Vec<u8>,
    /// Encoded entries of the batch that is not written yet.
    entries: Vec<u8>,
    /// Encoded answers of the batch that is not written yet.
    answered: Vec<u8>,
    answers: Answers,
    first: Pos,
    /// The part of the window in which the segment began.
    part: i64,
    /// The segments before the open one, each with the position after its last message.
    older: VecDeque<(u64, Pos)>,
    synced: Instant,
}

impl Store {
    /// Adds a remembered message to the batch, which the next [`commit`](Self::commit) writes.
    ///
    /// # Errors
    /// [`Error::State`]; no case is known.
    pub fn remember(&mut self, message: &Remembered<'_>) -> Result<()> {
        entry::write(message, self.first.0, &mut self.entries).map_err(|error| self.failed(error.to_string()))
    }

    /// The latest answers of a service.
    #[cfg(feature = "serve")]
    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Sets how many answers are held from now on.
    #[cfg(feature = "serve")]
    pub(crate) fn hold_answers(&mut self, most: u64) {
        self.answers.hold(most);
    }

    /// Adds the answer about the last message to the batch, which the next [`commit`](Self::commit) writes.
    ///
    /// # Errors
    /// [`Error::State`]; no case is known.
    #[cfg(feature = "serve")]
    pub(crate) fn answer(&mut self, answer: answers::Answer) -> Result<()> {
        self.answers.write(&answer, &mut self.answered)?;
        self.answers.add(answer);
        Ok(())
    }

    /// Writes a batch: the messages [remembered](Self::remember) since the last commit, and the state after them. `run_note` is
    /// the run's note of itself, given with the first batch of a run. The outputs of the batch must have been written before
    /// this call.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn commit(&mut self, state: &State, checkpoint: &[u8], run_note: Option<&[u8]>) -> Result<()> {
        let next = state.next();
        let payload = Payload {
            first: self.first.0,
            entries: &self.entries,
            next: next.0,
            clock: state.clock().state(),
            checkpoint,
            run_note,
            answers: &self.answered,
        };
        self.log.append(&payload)?;
        self.entries.clear();
        self.answered.clear();
        self.first = next;
        if let Some(run_note) = run_note {
            self.run_note = run_note.to_vec();
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

    /// Forces all committed batches to disk, and begins a new segment if this one is full. The outputs of these batches must
    /// be on disk already. After a failure the store must not be used again: nobody knows what is on disk.
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
            let header = Header::new(self.log.now.sum, self.config.clone(), self.run_note.clone());
            self.log = Log::begin(&self.folder, self.log.now.segment + 1, &header)?;
            copy::keep(&self.folder, self.log.now.segment)?;
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
            // HEAD no longer needs this segment; if deleting it fails, the next start deletes it.
            let _ = fs::remove_file(self.folder.join(name_of(segment)));
        }
        Ok(())
    }

    /// Forces everything to disk and writes HEAD, so that any later change up to here is recognized as damage.
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

/// The lock on a folder. The folder belongs to this process for as long as this value lives.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Returns the process that holds a folder, as written in its LOCK file; `None` if no process holds it.
    #[cfg(feature = "cli")]
    pub(crate) fn holder(folder: &Path) -> Option<String> {
        let path = folder.join("LOCK");
        match File::open(&path).ok()?.try_lock_shared() {
            Err(fs::TryLockError::WouldBlock) => fs::read_to_string(&path).ok().map(|holder| holder.trim().to_owned()),
            _ => None,
        }
    }

    /// Locks the folder for this process.
    fn take(folder: &Path) -> Result<Self> {
        let path = folder.join("LOCK");
        let io = |error| Error::io(path.display().to_string(), error);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        // A process that only looks holds the lock for a moment.
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
