//! SETTINGS: a copy of the bytes with which the last segment begins. They hold the configuration, without which no message
//! can be used. If they are damaged in the segment, a [repair](mod@super::repair) takes the copy.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::frame::{BEGINNING, Frames, PREFIX, u32_at};
use super::segment::{header_of, name_of};
use crate::error::{Error, Result};

/// The file's name.
const NAME: &str = "SETTINGS";

/// Writes the copy of an intact segment, if it is missing or another one.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn keep(folder: &Path, segment: u64) -> Result<()> {
    let path = folder.join(NAME);
    let begun = beginning_of(&folder.join(name_of(segment)));
    let kept = begun.and_then(|begun| match fs::read(&path) {
        Ok(copy) if copy == begun => Ok(()),
        _ => fs::write(&path, begun),
    });
    kept.map_err(|error| Error::io(path.display().to_string(), error))
}

fn beginning_of(segment: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(segment)?;
    let mut begun = vec![0; BEGINNING + PREFIX];
    file.read_exact(&mut begun)?;
    let length = u32_at(&begun, BEGINNING);
    file.take(length.into()).read_to_end(&mut begun)?;
    Ok(begun)
}

/// Reads the copy, and the number of its segment; `None` if there is none or it is damaged.
pub(super) fn read(folder: &Path) -> Option<(u64, Vec<u8>)> {
    let begun = fs::read(folder.join(NAME)).ok()?;
    let segment = u64::from_le_bytes(begun.get(BEGINNING - 8..BEGINNING)?.try_into().ok()?);
    header_of(&mut Frames::of(&begun, segment).ok()?).ok()?;
    Some((segment, begun))
}
