//! Rewriting a log without what is damaged.

use std::path::Path;

use super::answers::Answers;
use super::frame::{Flaw, Frames};
use super::head::{self, Head};
use super::note::{Lost, NOTHING};
use super::replay::parsed;
use super::rewrite::{FRAME, Rewriting, Rewritten, lock_state, rewrite};
use super::segment::{batch_of, bytes_of, entries_of, header_of, name_of, refusal, segment_file, segments_in};
use super::{Commit, Header};
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::record::Pos;

/// Rewrites the log of a folder with all batches that can be read. The damaged files stay, as `….damaged`. What was lost is noted
/// for the next run to tell.
///
/// # Errors
/// [`Error::State`] if nothing can be read, or the folder is in use; [`Error::Io`].
pub fn repair(folder: &Path) -> Result<Rewritten> {
    let _lock = lock_state(folder)?;
    let mut found = Found::default();
    found.read(folder)?;
    let (Some(header), Some(last)) = (found.header, found.last) else {
        return Err(Error::state(folder.display().to_string(), tr!(NOTHING)));
    };
    parsed(&folder.display().to_string(), &header)?;
    let lost = Lost { of: last.next.0, ..found.lost };
    let fill = |new: &mut Rewriting<'_>| {
        new.answers = found.answers.pieces(FRAME)?;
        found.messages.iter().try_for_each(|message| new.write(message))
    };
    rewrite(folder, header, last, fill, Some(lost))
}

/// What can be read of a log.
#[derive(Default)]
struct Found {
    header: Option<Header>,
    last: Option<Commit>,
    messages: Vec<Remembered<'static>>,
    answers: Answers,
    lost: Lost,
}

impl Found {
    fn read(&mut self, folder: &Path) -> Result<()> {
        let head = match Head::read(folder).map_err(|error| Error::io(folder.display().to_string(), error))? {
            Some(Ok(head)) => Some(head),
            // Its checksum is right: nothing is damaged.
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
        // What is before the first that HEAD needs was about to be deleted.
        let (first, last) = match head {
            Some(head) => (head.first, there.last().copied().unwrap_or(head.segment).max(head.segment)),
            None => (there.first().copied().unwrap_or(1), there.last().copied().unwrap_or(0)),
        };
        for segment in first..=last {
            let name = name_of(segment);
            let Some(file) = segment_file(folder, segment)? else {
                self.lose(folder, &name, &Flaw::new(0, tr!("it is not there")));
                continue;
            };
            let bytes = bytes_of(&file, folder, segment)?;
            self.segment(folder, segment, &bytes);
            if let Some(head) = head.filter(|head| head.segment == segment && head.length > bytes.len() as u64) {
                let reason = tr!("the file ends here, and had {} bytes", head.length);
                self.lose(folder, &name, &Flaw::new(bytes.len(), reason));
            }
        }
        Ok(())
    }

    fn lose(&mut self, folder: &Path, name: &str, flaw: &Flaw) {
        let Flaw { at, reason, .. } = flaw;
        self.lost.places.push(tr!("{}: byte {at}: {reason}", folder.join(name).display(), at, reason));
    }

    fn segment(&mut self, folder: &Path, segment: u64, bytes: &[u8]) {
        let name = name_of(segment);
        if let Err(flaw) = Frames::of(bytes, segment) {
            self.lose(folder, &name, &flaw);
        }
        let mut frames = Frames::left_in(bytes, segment);
        match header_of(&mut frames) {
            Ok((found, ..)) => self.header = Some(found),
            Err(flaw) => self.lose(folder, &name, &flaw),
        }
        let mut run = self.header.as_ref().map(|header| header.run.clone()).unwrap_or_default();
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
                    self.lose(folder, &name, &flaw);
                    at = Some(flaw.at);
                    continue;
                }
            };
            let before = self.last.as_ref().map(|last| last.next.0);
            if before.is_some_and(|before| batch.first < before) {
                self.lose(folder, &name, &Flaw::new(frame.end as usize, tr!("a batch that came before")));
                continue;
            }
            // Nobody knows what is before the first batch: a window may have let it go.
            self.lost.messages += before.map_or(0, |before| batch.first - before);
            self.messages.extend(entries_of(&batch, |_| true).map_while(std::result::Result::ok));
            // Of a frame whose checksum is right they can be read.
            let _ = self.answers.read(batch.answers);
            if let Some(begun) = batch.run {
                run = begun.to_vec();
            }
            let (next, clock, progress) = (Pos(batch.next), batch.clock, batch.progress.to_vec());
            self.last = Some(Commit { next, clock, progress, run: run.clone() });
        }
    }
}
