//! The file of a segment: its name and the contents of its frames.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;

use super::frame::{self, Flaw, Frame, Frames};
use super::wire::{begin_of_bytes, from_bytes};
use super::{Header, Payload, entry};
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::record::Pos;

/// A value that was read, or what is wrong with the file.
pub(super) type Checked<T> = std::result::Result<T, Flaw>;

/// The name of a segment's file.
pub(super) fn name_of(segment: u64) -> String {
    format!("{segment:08}.log")
}

/// A place in a file, as text for the user.
pub(super) fn place_of(folder: &Path, name: &str, at: u64) -> String {
    tr!("{}: byte {at}", folder.join(name).display(), at)
}

/// Makes the error that refuses a file, with the place and the reason.
pub(super) fn refusal(folder: &Path, name: &str, flaw: &Flaw) -> Error {
    let Flaw { at, reason, is_foreign } = flaw;
    let path = place_of(folder, name, *at);
    if *is_foreign {
        return Error::state(
            path,
            tr!("{reason}; go on with the quchong that wrote it, or with another folder", reason),
        );
    }
    Error::state(path, tr!("{reason}; `quchong state repair {}` keeps what is intact", folder.display(), reason))
}

/// The numbers of the segments in a folder, ascending.
pub(super) fn segments_in(folder: &Path) -> Result<Vec<u64>> {
    let io = |error| Error::io(folder.display().to_string(), error);
    let mut numbers = Vec::new();
    for file in fs::read_dir(folder).map_err(io)? {
        let name = file.map_err(io)?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.strip_suffix(".log")?.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Opens a segment's file; `None` if it is not there.
pub(super) fn segment_file(folder: &Path, segment: u64) -> Result<Option<File>> {
    let path = folder.join(name_of(segment));
    match File::open(&path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path.display().to_string(), error)),
    }
}

/// Reads all bytes of a segment's file.
pub(super) fn bytes_of(mut file: &File, folder: &Path, segment: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| Error::io(folder.join(name_of(segment)).display().to_string(), error))?;
    Ok(bytes)
}

/// Reads the header in the first frame of a segment. Returns it with the frame's end and checksum.
///
/// # Errors
/// The [`Flaw`] because of which there is no header.
pub(super) fn header_of(frames: &mut Frames<'_>) -> Checked<(Header, u64, u64)> {
    let at = frame::BEGINNING;
    let Frame { end, sum, payload } =
        frames.next_frame()?.ok_or_else(|| Flaw::new(at, tr!("the file has no header")))?;
    let header = from_bytes::<Header>(payload).map_err(|_| Flaw::new(at, tr!("the header cannot be read")))?;
    Ok((header, end, sum))
}

/// Whether a segment was only begun: the file ends within its beginning or its header, or right after the header.
///
/// # Errors
/// The [`Flaw`] in its beginning.
pub(super) fn is_only_begun(bytes: &[u8], segment: u64) -> Checked<bool> {
    if bytes.len() < frame::BEGINNING {
        return Ok(frame::beginning(segment).0.starts_with(bytes));
    }
    let mut frames = Frames::of(bytes, segment)?;
    if let Ok((_, end, _)) = header_of(&mut frames) {
        return Ok(end == bytes.len() as u64);
    }
    // After a frame with a wrong checksum, `frames` moves on to the next frame; at a torn frame it stays. But a frame whose
    // length is damaged may look torn, so the header must also be unreadable.
    let is_torn = frames.at() == frame::BEGINNING as u64;
    let payload = bytes.get(frame::BEGINNING + frame::PREFIX..);
    Ok(is_torn && payload.is_none_or(|payload| begin_of_bytes::<Header>(payload).is_err()))
}

/// Reads the batch in a frame.
pub(super) fn batch_of<'b>(frame: &Frame<'b>) -> Checked<Payload<'b>> {
    let at = frame.end as usize - frame.payload.len();
    let (batch, answers) =
        begin_of_bytes(frame.payload).map_err(|_| Flaw::new(at, tr!("what the frame holds cannot be read")))?;
    Ok(Payload { answers, ..batch })
}

/// Reads the entries of a batch. An entry that cannot be read ends them, because nothing shows where the next one begins.
pub(super) fn entries_of<'b>(
    batch: &Payload<'b>,
    whole: impl Fn(Pos) -> bool,
) -> impl Iterator<Item = postcard::Result<Remembered<'static>>> {
    let (mut entries, first) = (batch.entries, batch.first);
    std::iter::from_fn(move || {
        let entry = (!entries.is_empty()).then(|| entry::read(&mut entries, first, &whole))?;
        if entry.is_err() {
            entries = &[];
        }
        Some(entry)
    })
}

/// Makes the error that refuses a folder without a state.
pub(super) fn no_state(folder: &Path) -> Error {
    Error::state(folder.display().to_string(), tr!("there is no state in this folder; name that of --state"))
}
