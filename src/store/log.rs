//! Writes the segments of a log.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::frame;
use super::head::{Head, sync_folder};
use super::segment::name_of;
use super::wire::to_bytes;
use super::{Header, Payload};
use crate::error::{Error, Result};
use crate::fingerprint::ALGORITHM;

impl Header {
    /// Makes the header that this version of the program writes.
    pub(super) fn new(before: u64, config: String, run_note: Vec<u8>) -> Self {
        Self { program: env!("CARGO_PKG_VERSION").to_owned(), algorithm: ALGORITHM, before, config, run_note }
    }
}

/// A segment that is being written.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    /// The current end of the segment, in the form that HEAD will have.
    pub(crate) now: Head,
}

impl Log {
    /// Begins a segment. Its name and header are on disk on return.
    pub(crate) fn begin(folder: &Path, segment: u64, header: &Header) -> Result<Self> {
        let path = folder.join(name_of(segment));
        let name = path.display().to_string();
        let (beginning, sum) = frame::beginning(segment);
        let mut bytes = beginning.to_vec();
        let sum = frame::write(&to_bytes(header)?, sum, &mut bytes).map_err(|reason| Error::state(&name, reason))?;
        let begun = File::create(&path).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()?;
            sync_folder(folder)?;
            Ok(file)
        });
        let file = begun.map_err(|error| Error::io(name, error))?;
        Ok(Self { path, file, now: Head { first: segment, segment, length: bytes.len() as u64, sum } })
    }

    /// Continues a segment, cutting off any bytes after its end.
    pub(crate) fn go_on(folder: &Path, now: Head) -> Result<Self> {
        let path = folder.join(name_of(now.segment));
        let open = OpenOptions::new().write(true).open(&path).and_then(|mut file| {
            if file.metadata()?.len() > now.length {
                file.set_len(now.length)?;
                file.sync_all()?;
            }
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        let file = open.map_err(|error| Error::io(path.display().to_string(), error))?;
        Ok(Self { path, file, now })
    }

    /// Appends a frame.
    pub(crate) fn append(&mut self, payload: &Payload<'_>) -> Result<()> {
        let payload = [&to_bytes(payload)?, payload.answers].concat();
        let mut bytes = Vec::with_capacity(payload.len() + frame::PREFIX);
        let name = || self.path.display().to_string();
        let sum = frame::write(&payload, self.now.sum, &mut bytes).map_err(|reason| Error::state(name(), reason))?;
        self.file.write_all(&bytes).map_err(|error| Error::io(name(), error))?;
        self.now = Head { length: self.now.length + bytes.len() as u64, sum, ..self.now };
        Ok(())
    }

    /// Forces the appended frames to disk.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|error| Error::io(self.path.display().to_string(), error))
    }
}

/// Deletes the segments that a HEAD does not need.
pub(super) fn delete_but(folder: &Path, needed: &Head, segments: &[u64]) -> Result<()> {
    for segment in segments.iter().filter(|segment| !(needed.first..=needed.segment).contains(segment)) {
        let path = folder.join(name_of(*segment));
        fs::remove_file(&path).map_err(|error| Error::io(path.display().to_string(), error))?;
    }
    Ok(())
}
