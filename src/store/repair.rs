//! Rewrites a damaged log without its damaged parts.

use std::path::Path;

use super::found::Found;
use super::note::Lost;
use super::replay::parsed;
use super::rewrite::{FRAME, Rewriting, Rewritten, lock_state, rewrite};
use crate::error::Result;

/// Rewrites the log of a folder with all batches that can be read. The damaged files stay, under names that end in
/// `.damaged`. A note of what was lost is left for the next run to report.
///
/// # Errors
/// [`Error::State`](crate::Error::State) if nothing can be read, or if the folder is in use; [`Error::Io`](crate::Error::Io).
pub fn repair(folder: &Path) -> Result<Rewritten> {
    let _lock = lock_state(folder)?;
    let mut found = Found::read(folder, false)?;
    let (Some(header), Some(last)) = (found.header.take(), found.last.take()) else {
        return Err(found.refused_as_unusable(folder));
    };
    parsed(&folder.display().to_string(), &header)?;
    let lost = Lost { total: last.next.0, ..found.lost };
    let fill = |new: &mut Rewriting<'_>| {
        new.answers = found.answers.pieces(FRAME)?;
        found.messages.iter().try_for_each(|message| new.write(message))
    };
    rewrite(folder, header, last, fill, Some(lost))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Config;
    use crate::dedup::Remembered;
    use crate::fingerprint::Printed;
    use crate::hash::XxHash3_64;
    use crate::reach::Clock;
    use crate::record::{Pos, RecordId};
    use crate::store::frame::{self, BEGINNING, PREFIX};
    use crate::store::head;
    use crate::store::log::Log;
    use crate::store::open::Opened;
    use crate::store::segment::{entries_of, name_of};
    use crate::store::{Header, Payload, begin_of_bytes, entry};

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
        Payload { first, entries, next, clock: Clock::new(None).state(), checkpoint: &[], run_note: None, answers }
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
        assert_eq!((repaired.messages, repaired.lost.messages, repaired.lost.total), (5, 6, 14));
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
