//! Reads what can be read of a damaged log.

use std::path::Path;

use super::answers::Answers;
use super::copy;
use super::frame::{Flaw, Frame, Frames};
use super::head::{self, Head};
use super::note::{Lost, NO_BATCH_LEFT};
use super::segment::{
    batch_of, bytes_of, entries_of, header_of, name_of, place_of, refusal, segment_file, segments_in,
};
use super::{Commit, Header, Payload};
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::record::Pos;

/// The readable contents of a log.
#[derive(Default)]
pub(super) struct Found {
    pub(super) header: Option<Header>,
    pub(super) last: Option<Commit>,
    pub(super) messages: Vec<Remembered<'static>>,
    pub(super) answers: Answers,
    pub(super) lost: Lost,
    /// Bytes of the batches that can be read.
    intact: usize,
    /// The first place after the last readable batch that cannot be read.
    gap: Option<(String, u64)>,
    /// A copy of the beginning of a segment, and the number of that segment.
    copy: Option<(u64, Vec<u8>)>,
    /// The error to return if nothing can be read and a segment has another format.
    foreign: Option<Error>,
    /// Whether it only matters if there is anything to use.
    is_look: bool,
}

/// Makes the error that refuses a damaged file. It advises a repair only if one helps.
pub(super) fn damaged(folder: &Path, name: &str, flaw: &Flaw) -> Error {
    let refusal_if_unusable = match Found::read(folder, true) {
        Ok(found) if !flaw.is_foreign && !found.is_usable() => found.refused_as_unusable(folder),
        _ => return refusal(folder, name, flaw),
    };
    match refusal_if_unusable {
        Error::State { path, reason: why } if path == folder.display().to_string() => {
            Error::state(place_of(folder, name, flaw.at), format!("{}; {why}", flaw.reason))
        }
        foreign => foreign,
    }
}

impl Found {
    /// Reads a folder. To `look` whether there is anything to use, no more is read than needed.
    ///
    /// # Errors
    /// [`Error::State`] if HEAD has another format; [`Error::Io`].
    pub(super) fn read(folder: &Path, look: bool) -> Result<Self> {
        let mut found = Self { is_look: look, copy: copy::read(folder), ..Self::default() };
        found.read_folder(folder)?;
        if let Some((name, at)) = found.gap.take() {
            let unknown = tr!("those after byte {at} of {name}, whose number is unknown", at, name);
            found.lost.unknown.push(unknown);
        }
        if found.header.is_none() {
            let copied = found.copy.as_ref().map(|(segment, begun)| header_of(&mut Frames::left_in(begun, *segment)));
            found.header = copied.and_then(std::result::Result::ok).map(|(header, ..)| header);
        }
        Ok(found)
    }

    fn is_usable(&self) -> bool {
        self.header.is_some() && self.last.is_some()
    }

    /// Makes the error that refuses a folder in which nothing can be used.
    pub(super) fn refused_as_unusable(self, folder: &Path) -> Error {
        let reason = || match self.intact {
            0 => tr!(NO_BATCH_LEFT),
            intact => tr!(
                "{intact} bytes of messages in it are intact, but not the settings that they were judged by, so not even \
                 `state repair` can use them; put a copy of the folder back, or delete it, and a run begins a new state",
                intact
            ),
        };
        self.foreign.unwrap_or_else(|| Error::state(folder.display().to_string(), reason()))
    }

    fn read_folder(&mut self, folder: &Path) -> Result<()> {
        let head = match Head::read(folder).map_err(|error| Error::io(folder.display().to_string(), error))? {
            Some(Ok(head)) => Some(head),
            // The file's checksum is right, so nothing is damaged.
            Some(Err(flaw)) if flaw.is_foreign => return Err(refusal(folder, head::NAME, &flaw)),
            Some(Err(flaw)) => {
                self.lose(folder, head::NAME, &flaw);
                None
            }
            None => {
                self.lose(folder, head::NAME, &Flaw::new(0, tr!("it is not there")));
                None
            }
        };
        let there = segments_in(folder)?;
        // A segment before the first one that HEAD needs was about to be deleted.
        let (first, last) = match head {
            Some(head) => (head.first, there.last().copied().unwrap_or(head.segment).max(head.segment)),
            None => (there.first().copied().unwrap_or(1), there.last().copied().unwrap_or(0)),
        };
        for segment in first..=last {
            if self.is_look && self.is_usable() {
                break;
            }
            let name = name_of(segment);
            let Some(file) = segment_file(folder, segment)? else {
                self.lose_batches(folder, &name, &Flaw::new(0, tr!("it is not there")));
                continue;
            };
            let bytes = bytes_of(&file, folder, segment)?;
            let length = bytes.len();
            self.segment(folder, segment, bytes);
            if let Some(head) = head.filter(|head| head.segment == segment && head.length > length as u64) {
                let reason = tr!("the file ends here, and had {} bytes", head.length);
                self.lose_batches(folder, &name, &Flaw::new(length, reason));
            }
        }
        Ok(())
    }

    fn lose(&mut self, folder: &Path, name: &str, flaw: &Flaw) {
        let Flaw { at, reason, .. } = flaw;
        self.lost.places.push(tr!("{}: byte {at}: {reason}", folder.join(name).display(), at, reason));
    }

    /// Notes a place where batches may have been.
    fn lose_batches(&mut self, folder: &Path, name: &str, flaw: &Flaw) {
        self.lose(folder, name, flaw);
        self.gap.get_or_insert_with(|| (name.to_owned(), flaw.at));
    }

    /// Notes how many messages were lost before a batch that can be read.
    fn lose_before(&mut self, segment: u64, batch: &Payload<'_>) {
        let gap = self.gap.take();
        match (&self.last, gap) {
            (Some(last), _) => self.lost.messages += batch.first - last.next.0,
            (None, _) if segment == 1 => self.lost.messages += batch.first,
            // A window may have let some of the messages before the first batch go.
            (None, Some((name, at))) => {
                self.lost.unknown.push(tr!("those at byte {at} of {name}, whose number is unknown", at, name));
            }
            (None, None) => {}
        }
    }

    fn segment(&mut self, folder: &Path, segment: u64, mut bytes: Vec<u8>) {
        let name = name_of(segment);
        let begun = Frames::of(&bytes, segment).and_then(|mut frames| header_of(&mut frames));
        if let (Err(flaw), Some((of, copy))) = (&begun, &self.copy)
            && !flaw.is_foreign
            && *of == segment
            && bytes.len() > copy.len()
        {
            bytes[..copy.len()].copy_from_slice(copy);
            self.lose(folder, &name, flaw);
        }
        let bytes = &*bytes;
        if let Err(flaw) = Frames::of(bytes, segment) {
            self.lose(folder, &name, &flaw);
            if flaw.is_foreign {
                self.foreign.get_or_insert_with(|| refusal(folder, &name, &flaw));
            }
        }
        let mut frames = Frames::left_in(bytes, segment);
        let mut run_note = self.last.as_ref().map(|last| last.run_note.clone()).unwrap_or_default();
        match header_of(&mut frames) {
            Ok((found, ..)) => {
                run_note.clone_from(&found.run_note);
                self.header = Some(found);
            }
            Err(flaw) => self.lose(folder, &name, &flaw),
        }
        let mut at = None;
        while !(self.is_look && self.is_usable()) {
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
                    self.lose_batches(folder, &name, &flaw);
                    at = Some(flaw.at);
                    continue;
                }
            };
            let before = self.last.as_ref().map(|last| last.next.0);
            if before.is_some_and(|before| batch.first < before) {
                self.lose(folder, &name, &Flaw::new(frame.end as usize, tr!("a batch that came before")));
                continue;
            }
            self.lose_before(segment, &batch);
            self.intact += frame.payload.len();
            self.take_entries(folder, &name, &frame, &batch);
            if let Some(begun) = batch.run_note {
                run_note = begun.to_vec();
            }
            let (next, clock, checkpoint) = (Pos(batch.next), batch.clock, batch.checkpoint.to_vec());
            self.last = Some(Commit { next, clock, checkpoint, run_note: run_note.clone() });
        }
    }

    /// Takes the entries of a batch up to the first one that cannot be read, and its answers.
    fn take_entries(&mut self, folder: &Path, name: &str, frame: &Frame<'_>, batch: &Payload<'_>) {
        let at = frame.end as usize - frame.payload.len();
        let mut next = batch.first;
        for message in entries_of(batch, |_| true) {
            let Ok(message) = message else {
                self.lose(folder, name, &Flaw::new(at, tr!("a message in this frame cannot be read")));
                self.lost.messages += batch.next.saturating_sub(next);
                break;
            };
            next = message.pos.0.saturating_add(1);
            self.messages.push(message);
        }
        if self.answers.read(batch.answers).is_err() {
            self.lose(folder, name, &Flaw::new(at, tr!("an answer in this frame cannot be read")));
        }
    }
}
