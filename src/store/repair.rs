//! Rewrites a damaged log without its damaged parts.

use std::path::Path;

use super::answers::Answers;
use super::frame::{Flaw, Frame, Frames};
use super::head::{self, Head};
use super::note::{Lost, NOTHING};
use super::replay::parsed;
use super::rewrite::{FRAME, Rewriting, Rewritten, lock_state, rewrite};
use super::segment::{batch_of, bytes_of, entries_of, header_of, name_of, refusal, segment_file, segments_in};
use super::{Commit, Header, Payload};
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::record::Pos;

/// Rewrites the log of a folder with all batches that can be read. The damaged files stay, under names that end in
/// `.damaged`. A note of what was lost is left for the next run to report.
///
/// # Errors
/// [`Error::State`] if nothing can be read, or if the folder is in use; [`Error::Io`].
pub fn repair(folder: &Path) -> Result<Rewritten> {
    let _lock = lock_state(folder)?;
    let mut found = Found::default();
    found.read(folder)?;
    let (Some(header), Some(last)) = (found.header, found.last) else {
        let nothing = || Error::state(folder.display().to_string(), tr!(NOTHING));
        return Err(found.foreign.unwrap_or_else(nothing));
    };
    parsed(&folder.display().to_string(), &header)?;
    let lost = Lost { of: last.next.0, ..found.lost };
    let fill = |new: &mut Rewriting<'_>| {
        new.answers = found.answers.pieces(FRAME)?;
        found.messages.iter().try_for_each(|message| new.write(message))
    };
    rewrite(folder, header, last, fill, Some(lost))
}

/// The readable contents of a log.
#[derive(Default)]
struct Found {
    header: Option<Header>,
    last: Option<Commit>,
    messages: Vec<Remembered<'static>>,
    answers: Answers,
    lost: Lost,
    /// The error to return if nothing can be read and a segment has another format.
    foreign: Option<Error>,
}

impl Found {
    fn read(&mut self, folder: &Path) -> Result<()> {
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
            if flaw.is_foreign {
                self.foreign.get_or_insert_with(|| refusal(folder, &name, &flaw));
            }
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
            // How many messages were lost before the first batch is unknown: a window may have let them go.
            self.lost.messages += before.map_or(0, |before| batch.first - before);
            self.take_entries(folder, &name, &frame, &batch);
            if let Some(begun) = batch.run {
                run = begun.to_vec();
            }
            let (next, clock, progress) = (Pos(batch.next), batch.clock, batch.progress.to_vec());
            self.last = Some(Commit { next, clock, progress, run: run.clone() });
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Config;
    use crate::fingerprint::Printed;
    use crate::hash::XxHash3_64;
    use crate::reach::Clock;
    use crate::record::RecordId;
    use crate::store::frame::{self, BEGINNING, PREFIX};
    use crate::store::log::Log;
    use crate::store::open::Opened;
    use crate::store::{begin_of_bytes, entry};

    /// Encodes kept messages at these positions as entries of a batch that begins at the first of them.
    fn entries(positions: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for pos in positions {
            let message = Remembered {
                pos: Pos(*pos),
                of: None,
                exact: false,
                stamp: None,
                id: RecordId::Number(pos + 1),
                printed: std::borrow::Cow::Owned(Printed::default()),
                renewal: None,
            };
            entry::write(&message, positions[0], &mut bytes).unwrap();
        }
        bytes
    }

    fn batch<'a>(first: u64, next: u64, entries: &'a [u8], answers: &'a [u8]) -> Payload<'a> {
        Payload { first, entries, next, clock: Clock::new(None).state(), progress: &[], run: None, answers }
    }

    /// Makes a folder with a log of these batches.
    fn folder(batches: &[Payload<'_>]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let config = serde_json::to_string(&Config::default()).unwrap();
        let mut log = Log::begin(folder.path(), 1, &Header::new(0, config, Vec::new())).unwrap();
        batches.iter().for_each(|batch| log.append(batch).unwrap());
        log.now.write(folder.path()).unwrap();
        folder
    }

    #[test]
    fn what_is_left_out_of_a_batch_is_told_and_counted() {
        let cut = [entries(&[3, 5]), vec![0xff; 20]].concat();
        let (before, behind) = (entries(&[0, 1]), entries(&[12]));
        let batches = [batch(0, 3, &before, &[]), batch(3, 12, &cut, &[]), batch(12, 14, &behind, &[0xff; 20])];
        assert_eq!(
            entries_of(&batches[1], |_| true).take(10).map(|entry| entry.is_ok()).collect::<Vec<_>>(),
            [true, true, false]
        );
        let folder = folder(&batches);
        let repaired = repair(folder.path()).unwrap();
        assert_eq!((repaired.messages, repaired.lost.messages, repaired.lost.of), (5, 6, 14));
        let [message, answer] = &repaired.lost.places[..] else { panic!("{:?}", repaired.lost) };
        assert!(message.contains("00000001.log: byte ") && message.contains("a message in this frame"), "{message}");
        assert!(answer.contains("00000001.log: byte ") && answer.contains("an answer in this frame"), "{answer}");
        let opened = Opened::read(folder.path()).unwrap();
        assert!(opened.repaired().unwrap().contains("6 of 14 messages"), "{:?}", opened.repaired());
        let mut known = Vec::new();
        let note = |message: Remembered<'_>| {
            known.push(message.pos.0);
            Ok(())
        };
        opened.replay(|_| true, note).unwrap();
        assert_eq!(known, [0, 1, 3, 5, 12]);
    }

    /// The log is whole but of another version: this version can neither read it nor throw it away.
    #[test]
    fn a_log_of_another_format_is_neither_damaged_nor_nothing() {
        let folder = folder(&[batch(0, 2, &entries(&[0, 1]), &[])]);
        let path = folder.path().join(name_of(1));
        let own = fs::read(&path).unwrap();
        let mut foreign = own[..BEGINNING].to_vec();
        foreign[8] += 1;
        let payload = &own[BEGINNING + PREFIX..];
        let header: usize = payload.len() - begin_of_bytes::<Header>(payload).unwrap().1.len();
        let seed = XxHash3_64::oneshot(&foreign);
        frame::write(&payload[..header], seed, &mut foreign).unwrap();
        fs::write(&path, &foreign).unwrap();
        for head in [true, false] {
            if !head {
                fs::remove_file(folder.path().join(head::NAME)).unwrap();
            }
            for refused in [Opened::read(folder.path()).err(), repair(folder.path()).err()] {
                let refused = refused.unwrap().to_string();
                assert!(refused.contains("00000001.log: byte 8: format version 5;"), "{refused}");
                assert!(refused.contains("go on with the quchong that wrote it"), "{refused}");
            }
        }
        assert!(fs::read(&path).unwrap() == foreign);
    }
}
