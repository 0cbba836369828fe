//! Rewriting a log: without what is too old, or without what is damaged.

use std::fs;
use std::path::Path;

use super::frame::{Flaw, Frames};
use super::head::{self, Head};
use super::log::{Log, delete_but, name_of};
use super::open::{Opened, batch_of, entries_of, header_of, segment_bytes, segments_in};
use super::{Commit, Header, Payload, SEGMENT, entry, lock};
use crate::config::Config;
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::reach::Clock;
use crate::record::Pos;

/// Bytes of entries in a frame.
const FRAME: usize = 1 << 20;

/// What came of a rewriting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Bytes of the log before.
    pub before: u64,
    /// And after.
    pub after: u64,
    /// Messages that are still known.
    pub messages: u64,
    /// What could not be read: file, offset and reason.
    pub lost: Vec<String>,
}

impl Opened {
    /// The configuration that the state was made with.
    ///
    /// # Errors
    /// [`Error::State`] if there is no state, or its configuration cannot be read.
    pub fn config(&self) -> Result<Config> {
        let folder = self.folder().display().to_string();
        let header = self.header().ok_or_else(|| Error::state(&folder, "there is no state in this folder"))?;
        parsed(&folder, header)
    }

    /// All messages that still count, in order, and where everything stood after them: whatever was rewritten, these stay the
    /// same.
    ///
    /// # Errors
    /// Those of `each`; [`Error::State`], [`Error::Io`].
    pub fn each_that_counts(&self, mut each: impl FnMut(Remembered<'static>) -> Result<()>) -> Result<()> {
        let (config, Some(last)) = (self.config()?, self.last()) else { return Ok(()) };
        let mut clock = Clock::new(config.window);
        self.replay(
            |_| false,
            |message| {
                clock.restore(message.pos, message.stamp);
                if message.of.is_none() {
                    clock.keep();
                }
                Ok(())
            },
        )?;
        clock.resume(last.clock, last.next);
        let floor = clock.reach().floor;
        let oldest = last.next.0.saturating_sub(config.verify_window);
        self.replay(
            |pos| pos.0 >= oldest,
            |message| if message.of.unwrap_or(message.pos) >= floor { each(message) } else { Ok(()) },
        )
    }
}

fn parsed(folder: &str, header: &Header) -> Result<Config> {
    let unread = |error: serde_json::Error| Error::state(folder, format!("its configuration cannot be read: {error}"));
    serde_json::from_str(&header.config).map_err(unread)
}

/// Rewrites the log of a folder without what no longer counts.
///
/// # Errors
/// [`Error::State`] if it is damaged or in use; [`Error::Io`]. The old log is there until the new one is on disk.
pub fn compact(folder: &Path) -> Result<Rewritten> {
    let opened = Opened::read(folder)?;
    let (Some(header), Some(last)) = (opened.header(), opened.last()) else {
        return Err(Error::state(folder.display().to_string(), "there is no state in this folder"));
    };
    let mut new = Rewriting::begin(folder, header.config.clone(), last.clone())?;
    opened.each_that_counts(|message| new.write(&message))?;
    new.end(Vec::new(), false)
}

/// Rewrites the log of a folder with all batches that can be read. The damaged files stay, as `….damaged`.
///
/// # Errors
/// [`Error::State`] if nothing can be read, or the folder is in use; [`Error::Io`].
pub fn repair(folder: &Path) -> Result<Rewritten> {
    let _lock = lock(folder)?;
    let mut lost = Vec::new();
    let mut told = |name: &str, flaw: &Flaw| {
        lost.push(format!("{}: byte {}: {}", folder.join(name).display(), flaw.at, flaw.reason));
    };
    let head = match Head::read(folder).map_err(|error| Error::io(folder.display().to_string(), error))? {
        Some(Ok(head)) => Some(head),
        Some(Err(flaw)) => {
            told(head::NAME, &flaw);
            None
        }
        None => None,
    };
    // What HEAD does not need was about to be deleted.
    let segments: Vec<u64> =
        segments_in(folder)?.into_iter().filter(|segment| head.is_none_or(|head| *segment >= head.first)).collect();
    let (mut header, mut last, mut messages) = (None::<Header>, None::<Commit>, Vec::new());
    for segment in &segments {
        let name = name_of(*segment);
        let bytes = segment_bytes(folder, *segment)?.unwrap_or_default();
        if let Err(flaw) = Frames::of(&bytes, *segment) {
            told(&name, &flaw);
        }
        let mut frames = Frames::left_in(&bytes, *segment);
        match header_of(&mut frames) {
            Ok((found, ..)) => header = Some(found),
            Err(flaw) => told(&name, &flaw),
        }
        let mut run = header.as_ref().map(|header| header.run.clone()).unwrap_or_default();
        let mut at = None;
        loop {
            let batch = match frames.next_frame() {
                Ok(None) => break,
                Ok(Some(frame)) => batch_of(&frame).map(|batch| (frame, batch)),
                Err(flaw) => Err(flaw),
            };
            let (frame, batch) = match batch {
                Ok(read) => read,
                // The same place again: the file ends here.
                Err(flaw) if at == Some(flaw.at) => break,
                Err(flaw) => {
                    told(&name, &flaw);
                    at = Some(flaw.at);
                    continue;
                }
            };
            let after = messages.last().is_none_or(|message: &Remembered<'_>| message.pos.0 < batch.first);
            if !after {
                told(&name, &Flaw::new(frame.end as usize, "a batch that came before"));
                continue;
            }
            messages.extend(entries_of(&batch, |_| true).map_while(std::result::Result::ok));
            if let Some(begun) = batch.run {
                run = begun.to_vec();
            }
            let (next, clock, progress) = (Pos(batch.next), batch.clock, batch.progress.to_vec());
            last = Some(Commit { next, clock, progress, run: run.clone() });
        }
    }
    let (Some(header), Some(last)) = (header, last) else {
        let reason = "there is no batch in it that can be read: nothing of a state is left here";
        return Err(Error::state(folder.display().to_string(), reason));
    };
    parsed(&folder.display().to_string(), &header)?;
    let mut new = Rewriting::begin(folder, header.config, last)?;
    messages.iter().try_for_each(|message| new.write(message))?;
    new.end(lost, true)
}

/// A log on its way into the place of another.
struct Rewriting<'f> {
    folder: &'f Path,
    old: Vec<u64>,
    log: Log,
    first: u64,
    config: String,
    last: Commit,
    entries: Vec<u8>,
    /// Position of the first entry, and behind the last.
    range: (u64, u64),
    messages: u64,
}

impl<'f> Rewriting<'f> {
    fn begin(folder: &'f Path, config: String, last: Commit) -> Result<Self> {
        let old = segments_in(folder)?;
        let first = old.last().map_or(1, |last| last + 1);
        let log = Log::begin(folder, first, &Header::new(0, config.clone(), last.run.clone()))?;
        Ok(Self { folder, old, log, first, config, last, entries: Vec::new(), range: (0, 0), messages: 0 })
    }

    fn write(&mut self, message: &Remembered<'_>) -> Result<()> {
        if self.entries.is_empty() {
            self.range.0 = message.pos.0;
        }
        self.range.1 = message.pos.0 + 1;
        self.messages += 1;
        entry::write(message, self.range.0, &mut self.entries)
            .map_err(|error| Error::state(self.folder.display().to_string(), error.to_string()))?;
        if self.entries.len() >= FRAME { self.flush(self.range.1) } else { Ok(()) }
    }

    fn flush(&mut self, next: u64) -> Result<()> {
        let Commit { clock, progress, .. } = &self.last;
        let (first, entries) = (self.range.0, &*self.entries);
        self.log.append(&Payload { first, entries, next, clock: *clock, progress, run: None })?;
        self.entries.clear();
        if self.log.now.length >= SEGMENT {
            self.log.sync()?;
            let header = Header::new(self.log.now.sum, self.config.clone(), self.last.run.clone());
            self.log = Log::begin(self.folder, self.log.now.segment + 1, &header)?;
        }
        Ok(())
    }

    /// Puts the new log in the place of the old one.
    fn end(mut self, lost: Vec<String>, keep_old: bool) -> Result<Rewritten> {
        self.flush(self.last.next.0)?;
        self.log.sync()?;
        self.log.now.first = self.first;
        let io = |error| Error::io(self.folder.display().to_string(), error);
        self.log.now.write(self.folder).map_err(io)?;
        let size = |segments: &[u64]| {
            let files = segments.iter().map(|segment| fs::metadata(self.folder.join(name_of(*segment))));
            files.filter_map(std::result::Result::ok).map(|about| about.len()).sum::<u64>()
        };
        let before = size(&self.old);
        if keep_old {
            for segment in &self.old {
                let path = self.folder.join(name_of(*segment));
                fs::rename(&path, path.with_extension("log.damaged")).map_err(io)?;
            }
        } else {
            delete_but(self.folder, &self.log.now, &self.old)?;
        }
        Ok(Rewritten { before, after: size(&segments_in(self.folder)?), messages: self.messages, lost })
    }
}
