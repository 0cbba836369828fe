//! Rewrites a log without messages that are too old, or without what a [repair](mod@super::repair) could not read.

use std::fs;
use std::path::Path;

use super::copy;
use super::head::{self, Head};
use super::log::{Log, delete_but};
use super::note::{Lost, write_note};
use super::open::Opened;
use super::segment::{name_of, no_state, segments_in};
use super::{Commit, Header, Lock, Payload, SEGMENT, entry};
use crate::dedup::Remembered;
use crate::error::{Error, Result};

/// Bytes of entries at which a frame is written.
pub(super) const FRAME: usize = 1 << 20;

/// The result of rewriting a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Bytes of the log before rewriting.
    pub bytes_before: u64,
    /// Bytes of the log after rewriting.
    pub bytes_after: u64,
    /// Messages that are still known.
    pub messages: u64,
    /// What a repair lost.
    pub lost: Lost,
}

/// Rewrites the log of a folder without messages that no longer count.
///
/// # Errors
/// [`Error::State`] if it is damaged or in use; [`Error::Io`]. The old log stays until the new one is on disk.
///
/// ```
/// use quchong::config::Settings;
/// use quchong::run::session::{Message, Session};
/// use quchong::store::compact;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path().join("state");
/// let mut session = Session::open(&Settings::default(), 1, &folder)?;
/// session.judge(&Message { text: Some("武汉加油".into()), ..Message::default() })?;
/// session.save()?;
/// drop(session);
/// assert_eq!(compact(&folder)?.messages, 1);
/// # Ok::<(), quchong::Error>(())
/// ```
pub fn compact(folder: &Path) -> Result<Rewritten> {
    let _lock = lock_state(folder)?;
    let opened = Opened::read(folder)?;
    let (Some(header), Some(last)) = (opened.header(), opened.last()) else { return Err(no_state(folder)) };
    let fill = |new: &mut Rewriting<'_>| {
        new.answers = opened.answers()?.pieces(FRAME)?;
        opened.each_that_counts(|message| new.write(&message))
    };
    rewrite(folder, header.clone(), last.clone(), fill, None)
}

/// Locks a folder for this process. A folder without a state is refused, so that no LOCK file is left in it.
pub(super) fn lock_state(folder: &Path) -> Result<Lock> {
    let is_state = folder.join(head::NAME).exists() || !segments_in(folder)?.is_empty();
    if is_state { Lock::take(folder) } else { Err(no_state(folder)) }
}

/// Replaces the log of the folder with one that `fill` writes. After a repair the old log stays beside it. If rewriting
/// fails, no new file is left.
pub(super) fn rewrite(
    folder: &Path,
    header: Header,
    last: Commit,
    fill: impl FnOnce(&mut Rewriting<'_>) -> Result<()>,
    lost: Option<Lost>,
) -> Result<Rewritten> {
    let old = segments_in(folder)?;
    let first = old.last().map_or(1, |last| last + 1);
    let rewritten = Rewriting::begin(folder, first, header, last).and_then(|mut new| {
        fill(&mut new)?;
        new.end(&old, lost)
    });
    let is_new = || matches!(Head::read(folder), Ok(Some(Ok(head))) if head.first >= first);
    if rewritten.is_err() && !is_new() {
        for segment in segments_in(folder)?.into_iter().filter(|segment| *segment >= first) {
            // The first failure is reported, not one that follows from it.
            let _ = fs::remove_file(folder.join(name_of(segment)));
        }
    }
    rewritten
}

/// A new log that will replace another.
pub(super) struct Rewriting<'f> {
    folder: &'f Path,
    log: Log,
    first: u64,
    /// The header of the old log: a log made by another version keeps that version.
    header: Header,
    last: Commit,
    entries: Vec<u8>,
    /// The answers of a service, one item for each frame; they are written after all entries.
    pub(super) answers: Vec<Vec<u8>>,
    answering: Vec<u8>,
    /// The position after the last batch, and the position after the last entry; `None` before the first entry.
    range: Option<(u64, u64)>,
    messages: u64,
}

impl<'f> Rewriting<'f> {
    fn begin(folder: &'f Path, first: u64, header: Header, last: Commit) -> Result<Self> {
        let header = Header { before: 0, run_note: last.run_note.clone(), ..header };
        let log = Log::begin(folder, first, &header)?;
        Ok(Self {
            folder,
            log,
            first,
            header,
            last,
            entries: Vec::new(),
            answers: Vec::new(),
            answering: Vec::new(),
            range: None,
            messages: 0,
        })
    }

    pub(crate) fn write(&mut self, message: &Remembered<'_>) -> Result<()> {
        let (first, end) = self.range.get_or_insert((message.pos.0, 0));
        *end = message.pos.0 + 1;
        let (first, end) = (*first, *end);
        self.messages += 1;
        entry::write(message, first, &mut self.entries)
            .map_err(|error| Error::state(self.folder.display().to_string(), error.to_string()))?;
        if self.entries.len() >= FRAME { self.flush(first, end) } else { Ok(()) }
    }

    /// Writes a batch. Each batch begins where the one before ends, so that a missing batch shows as a gap.
    fn flush(&mut self, first: u64, next: u64) -> Result<()> {
        let Commit { clock, checkpoint, .. } = &self.last;
        let (entries, answers) = (&*self.entries, self.answering.as_slice());
        self.log.append(&Payload { first, entries, next, clock: *clock, checkpoint, run_note: None, answers })?;
        self.entries.clear();
        self.range = Some((next, next));
        if self.log.now.length >= SEGMENT {
            self.log.sync()?;
            self.header.before = self.log.now.sum;
            self.log = Log::begin(self.folder, self.log.now.segment + 1, &self.header)?;
        }
        Ok(())
    }

    /// Replaces the `old` log with the new one.
    fn end(mut self, old: &[u64], lost: Option<Lost>) -> Result<Rewritten> {
        let next = self.last.next.0;
        self.flush(self.range.map_or(next, |(first, _)| first), next)?;
        for answers in std::mem::take(&mut self.answers) {
            self.answering = answers;
            self.flush(next, next)?;
        }
        self.log.sync()?;
        self.log.now.first = self.first;
        let io = |error| Error::io(self.folder.display().to_string(), error);
        if let Some(lost) = lost.as_ref().filter(|lost| !lost.places.is_empty()) {
            write_note(self.folder, lost).map_err(io)?;
        }
        self.log.now.write(self.folder).map_err(io)?;
        copy::keep(self.folder, self.log.now.segment)?;
        let size = |segments: &[u64]| {
            let files = segments.iter().map(|segment| fs::metadata(self.folder.join(name_of(*segment))));
            files.filter_map(std::result::Result::ok).map(|about| about.len()).sum::<u64>()
        };
        let bytes_before = size(old);
        if lost.is_some() {
            for segment in old {
                let path = self.folder.join(name_of(*segment));
                fs::rename(&path, path.with_extension("log.damaged")).map_err(io)?;
            }
        } else {
            delete_but(self.folder, &self.log.now, old)?;
        }
        let (bytes_after, messages) = (size(&segments_in(self.folder)?), self.messages);
        Ok(Rewritten { bytes_before, bytes_after, messages, lost: lost.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::fingerprint::ALGORITHM;
    use crate::reach::Clock;

    /// Otherwise a state that this version refuses would be accepted after `compact`.
    #[test]
    fn what_another_version_made_stays_of_that_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fs::create_dir(&path).unwrap();
        let config = serde_json::to_string(&Config::default()).unwrap();
        let header = Header { algorithm: ALGORITHM - 1, ..Header::new(0, config, Vec::new()) };
        let mut log = Log::begin(&path, 1, &header).unwrap();
        let payload = Payload {
            first: 0,
            entries: &[],
            next: 1,
            clock: Clock::new(None).state(),
            checkpoint: &[],
            run_note: None,
            answers: &[],
        };
        log.append(&payload).unwrap();
        log.now.write(&path).unwrap();
        let refused = || Opened::read(&path).unwrap().expect(&Config::default()).unwrap_err().to_string();
        let before = refused();
        assert!(before.contains(&format!("version {} of", ALGORITHM - 1)), "{before}");
        compact(&path).unwrap();
        assert_eq!(refused(), before);
        super::super::repair(&path).unwrap();
        assert_eq!(refused(), before);
    }
}
